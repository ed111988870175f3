settings-trail = Settings › Developers › { $mcp }
settings-trail-label = Where you are
settings-sections = Sections
tab-connect = Connect
tab-tokens = Personal access tokens
tab-apps = Authorized apps

connect-title = Connect an app
connect-lead = Give this address to the app you work with. It asks you to sign in and shows what it may do before it gets anything.
connect-none = There is nothing to connect to yet.
connect-endpoint = MCP endpoint
connect-make-token = make a personal access token
connect-ways-both = Most apps sign you in by themselves. For your own code, { $token }.
connect-ways-token = This service works with tokens. First, { $token }.
connect-ways-sign-in = Apps sign you in by themselves; there is nothing else to set up.

snippet-address = Address to paste
snippet-terminal = In a terminal
snippet-terminal-token = In a terminal, with a token instead of signing in
snippet-file = In { $file }
snippet-file-token = In { $file }, with a token instead of signing in

guide-own-agent = Your own agent
guide-claude-open = In Claude, on the web or on your computer, open Settings → Connectors and choose Add custom connector.
guide-claude-paste = Name it { $name }, paste the address and choose Add.
guide-claude-connect = Choose Connect, sign in and allow.
guide-claude-code-run = Run this in a terminal.
guide-claude-code-sign-in = In Claude Code, type `/mcp`, choose `{ $id }` and then Authenticate.
guide-chatgpt-open = In ChatGPT, open Settings → Apps & Connectors → Advanced settings and turn on Developer mode.
guide-chatgpt-paste = Choose Create, name it { $name }, paste the address and pick OAuth.
guide-chatgpt-connect = Choose Connect, sign in and allow.
guide-cursor-file = Put this into Cursor’s configuration, beside any servers already there.
guide-cursor-sign-in = Open Settings → Tools & MCP and choose Connect beside `{ $id }`.
guide-vscode-file = Put this into your project’s configuration, beside any servers already there.
guide-vscode-sign-in = Choose Start above the entry, and let VS Code open the browser.
guide-windsurf-file = Put this into Windsurf’s configuration, beside any servers already there.
guide-windsurf-sign-in = Refresh the MCP servers in Cascade, and sign in when the browser opens.
guide-codex-run = Run this in a terminal; the browser opens for you to sign in.
guide-gemini-run = Run this in a terminal.
guide-gemini-sign-in = In Gemini CLI, type `/mcp auth { $id }`.
guide-own-agent-call = Send each message as a POST with the token in the `Authorization` header.
guide-own-agent-discover = To sign people in with OAuth instead, follow the `WWW-Authenticate` header of a call without a token.

tokens-lead = A token lets your own code, or an app that cannot sign you in, act as you. Treat it like a password.
tokens-new = New token
tokens-none = You have no tokens yet.
tokens-revoke = Revoke { $name }
tokens-again = Make { $name } again
tokens-apps = { $count ->
    [one] 1 app is connected with it:
   *[other] { $count } apps are connected with it:
}
tokens-notice-value-gone = The token was made, but its value is shown only once and is gone. If you did not copy it, revoke it and make another one.
tokens-notice-revoked = { $name } is revoked. No app was connected with it.
tokens-notice-revoked-apps = { $count ->
    [one] { $name } is revoked, and { $apps } was disconnected.
   *[other] { $name } is revoked, and { $apps } were disconnected.
}
token-created = Created
token-ends = Ends
token-never-expires = Never, until you revoke it
token-expired = Expired { $when }
token-expires = Expires { $when }

token-new-title = New token
token-new-lead = You see the token once, right after you make it.
token-name = Name
token-name-hint = What is it for? For example: nightly report, work laptop.
token-mode = Data
token-scopes = What it may do in { $name }
token-expires-legend = How long it works
expiry-never = Until I revoke it
expiry-days = { $days ->
    [one] 1 day, until { $date }
   *[other] { $days } days, until { $date }
}
expiry-custom = Until a day of my choice
expiry-day = Last day
token-new-submit = Make the token
token-error-name-missing = Give the token a name.
token-error-name-too-long = Use a name of 64 characters or fewer.
token-error-scopes-missing = Choose at least one permission.
token-error-expiry-invalid = Choose a day in the future.
token-error-expiry-too-late = { $days ->
    [one] Choose a day no later than tomorrow.
   *[other] Choose a day no more than { $days } days from now.
}
token-error-workspace = You are not a member of that workspace. Choose another one.
token-error-limit = You have as many tokens as one person may have. Revoke one to make another.

token-created-title = Your new token
token-created-lead = { $name } is ready.
token-created-once = Copy it now. You will not see it again.
token-created-value = Token
token-created-never = It works until you revoke it.
token-created-until = It works until { $date }, or until you revoke it.
token-created-use = Use it with { $name }
token-created-done = Done, I have copied it

revoke-title = Revoke token
revoke-heading = Revoke { $name }?
revoke-no-apps = No app is connected with this token. Whatever uses it directly stops working at once.
revoke-apps = { $count ->
    [one] This disconnects an app:
   *[other] This disconnects { $count } apps:
}
revoke-app = { $client } from { $service }, allowed { $when }
revoke-final = This takes effect at once and cannot be undone.
revoke-submit = { $count ->
    [0] Revoke token
    [one] Revoke token and disconnect 1 app
   *[other] Revoke token and disconnect { $count } apps
}

apps-lead = These apps may act as you. Disconnect any that you no longer use or do not recognise.
apps-none = No app is connected.
apps-connections = { $count ->
    [one] 1 connection
   *[other] { $count } connections
}
apps-disconnect = Disconnect { $client } from { $service }
apps-notice-disconnected = { $client } was disconnected from { $service }.
apps-ended = Recently ended
apps-ended-lead = Connections that ended in the last 90 days, and why.
apps-ended-line = { $client } from { $service }, { $when }

connection-allowed = Allowed
connection-ends = Ends at the latest
connection-where = Connected from
connection-token = With the token { $token } { $hint }. Revoking the token disconnects this app.
connection-recoveries = { $count ->
    [one] The app lost an answer once and got it again.
   *[other] The app lost an answer { $count } times and got it again.
}

end-person = You disconnected it.
end-client = The app gave its access back.
end-token-revoked = You revoked the token { $token }, which it was connected with.
end-token-expired = The token { $token }, which it was connected with, expired.
end-reuse = An old credential of this app was used again, so we disconnected it. If you did not expect that, connect it again only on a device you trust.
end-leaked = Somebody reported a credential of this app as leaked, so it was disconnected.
end-unused = It was not used for too long.
end-too-old = It reached the longest time a connection can last.
end-client-removed = The app was taken out of service.
end-operator = It was ended by support.
end-workspace-left = You left the workspace it worked in.
end-service-removed = The service no longer exists.

disconnect-title = Disconnect app
disconnect-heading = Disconnect { $client } from { $service }?
disconnect-lead = { $client } loses its access to { $service } at once. You can connect it again whenever you want.
disconnect-submit = Disconnect { $client }
