error-title-expired = This request has expired
error-title-unknown-client = We do not know this app
error-title-bad-redirect = This app’s return address does not match
error-title-bad-request = This app sent a request we cannot use
error-title-unreadable = This request cannot be read
error-title-csrf = We could not tell that this came from you
error-title-forbidden = This is not yours to open
error-title-not-found = There is nothing here
error-title-method = This page cannot be used that way
error-title-too-large = That was too much at once
error-title-too-many = Too many requests
error-title-internal = Something went wrong on our side
error-title-unavailable = We cannot answer right now

error-expired = Nothing was allowed. Go back to your app and connect it again.
error-expired-client = Nothing was allowed. Go back to { $client } and connect it again.
error-unknown-client = Its registration is no longer here, or was never made. Nothing was shared, and you were not sent anywhere.
error-bad-redirect-asked = It asked for
error-bad-redirect-registered = It registered
error-bad-redirect = { $client } asked us to send you to an address that it did not register. That can be a mistake, or somebody posing as this app. Nothing was shared, and you were not sent anywhere.
error-bad-request = The fault lies in { $client }, not in anything you did. Nothing was shared.
error-bad-request-what = What is wrong
error-bad-request-host = The link below takes you to { $host } and tells the app what went wrong.
error-bad-request-return = Return to { $name }
error-unreadable = Something in it is missing, repeated or damaged. Nothing was changed: start again from your app or from the page before.
error-csrf = The form was too old, or another page sent it. Nothing was changed. Go back, reload the page and try again.
error-forbidden = You are signed in, but this belongs to somebody else.
error-not-found = The address may have a typing mistake, or what it led to is gone.
error-method = Go back and use the buttons on the page.
error-too-large = What was sent is larger than this page accepts. Nothing was changed.
error-too-many = { $seconds ->
    [one] Wait a second and try again. Nothing was changed.
   *[other] Wait { $seconds } seconds and try again. Nothing was changed.
}
error-internal = Nothing was changed. We have been told about it; please try again in a while.
error-unavailable = Nothing was lost. Please try again in a moment.
error-request-id = If you write to support, name this: { $id }

reconnect-title = How to connect again
reconnect-lead = Remove the old connection in your app and make it anew. That registers the app again.
reconnect-claude = Open Settings → Connectors, remove this connector and add it again.
reconnect-claude-code = Type `/mcp`, choose the server, then Clear authentication and Authenticate. If that leads here again, remove it with `claude mcp remove` and add it anew.
reconnect-chatgpt = Open Settings → Apps & Connectors, delete this app and create it again.
reconnect-cursor = Open Settings → Tools & MCP, log out of the server or remove it, and connect again.
reconnect-vscode = Run Authentication: Remove Dynamic Authentication Providers from the command palette, then restart the server in `mcp.json`.
reconnect-windsurf = Open the MCP servers in Settings → Cascade, remove the server, add it again and refresh.
reconnect-codex = Run `codex mcp logout NAME`, then `codex mcp login NAME`.
reconnect-gemini = Type `/mcp auth NAME`. If that leads here again, remove the server with `gemini mcp remove NAME` and add it anew.
