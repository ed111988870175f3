authorize-title = Allow { $client } to use { $service }?
authorize-origin = You are on { $origin }
authorize-heading = Allow { $client } to use { $service }?
authorize-heading-unverified = Allow “{ $client }” to use { $service }?
authorize-heading-repeat = Connect { $client } to { $service } again?
authorize-heading-repeat-unverified = Connect “{ $client }” to { $service } again?
authorize-heading-nothing = { $client } cannot use { $service } yet
authorize-heading-nothing-unverified = “{ $client }” cannot use { $service } yet
authorize-first-time = First time you connect this app
authorize-connected-before = Connected before, { $when }

authorize-asked = What { $client } asks for
authorize-scopes = What { $client } may do in { $service }
authorize-scopes-new = What { $client } asks for now
authorize-scopes-already = { $count ->
    [one] 1 permission you allowed before
   *[other] { $count } permissions you allowed before
}
authorize-scopes-again = { $count ->
    [one] 1 permission, the same as before
   *[other] { $count } permissions, the same as before
}
authorize-no-scopes = { $client } asks for no special permission in { $service }.
authorize-workspace-hint = The app will work with the data of this workspace only.
authorize-term = { $days ->
    [one] Access lasts until you remove it or it goes unused for a day, and until { $date } at most.
   *[other] Access lasts until you remove it or it goes unused for { $days } days, and until { $date } at most.
}
authorize-deny = Don’t allow
authorize-allow = Allow { $client }
authorize-back = Don’t allow, and go back to { $client }
authorize-expires = This request expires at { $time }. After that, start again from { $client }.

authorize-by-account = Sign in to decide
authorize-by-account-lead = You see everything once more before you allow anything.
authorize-by-token = Use a personal access token
authorize-by-token-lead = The token shows who you are, for this request only. It is not stored and does not sign you in.
authorize-pat = Personal access token
authorize-pat-hint = It begins with { $prefix } and stands in your developer settings.
authorize-pat-cascade = This app will depend on the token: revoking the token disconnects the app.

authorize-nothing-plan = Your plan does not include { $service } for apps such as { $client }. Nothing was shared.
authorize-nothing-scopes = Nothing of what { $client } asks for in { $service } is available to you. Nothing was shared.
authorize-upgrade = See the plans

authorize-error-pat-malformed = That does not look like a token. Copy it again, from its first letter to its last.
authorize-error-pat-other-kind = That is a token of another kind. Paste a personal access token from your developer settings.
authorize-error-pat-refused = That token was not accepted. Use another one, or make a new one in your developer settings.
authorize-error-pat-throttled = Too many tokens were tried. Wait a few minutes and try again.
authorize-error-nothing-chosen = Choose at least one permission, or don’t allow.
authorize-error-workspace = You are not a member of that workspace. Choose another one.
authorize-error-stale = This page was open for too long. Nothing was allowed: please decide once more.

technical-details = Technical details
detail-client-id = Client ID
detail-redirect-uri = Redirect URI
detail-scope = Requested scope
detail-scope-none = None named
detail-resource = Resource
detail-pkce = Code challenge
detail-registered = Registered

done-title-connected = Connected
done-title-denied = Not allowed
done-title-already-connected = Already connected
done-title-already-denied = Already answered
done-connected = { $client } can use { $service } now.
done-denied = { $client } got no access to { $service }.
done-already-connected = You allowed { $client } to use { $service }. There is nothing left to do here.
done-already-denied = You did not allow { $client } to use { $service }. There is nothing left to do here.
done-to-host = You are being sent to { $host }.
done-to-loopback = You are being sent back to the app on this computer.
done-to-app = You are being sent back to the app. Your browser may ask whether to open it.
done-return = Return to { $name }
done-close = You can close this window.
done-close-after = If nothing happens, use the button. Then you can close this window.
