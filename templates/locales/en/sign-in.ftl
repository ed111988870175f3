login-title = Sign in
login-for-client = to go on connecting { $name }
login-email = Email
login-password = Password
login-submit = Sign in
login-with = Sign in with { $name }
login-signup = Create an account
login-error-wrong = That email and password do not go together. Check both and try again.
login-error-throttled = Too many attempts. Wait a few minutes and try again.
login-error-stale = This page was open for too long. Nothing was changed: please send it once more.
login-error-provider = Signing in there did not work. Try again, or use another way.
signed-in-as = Signed in as { $name }
use-another-account = Use another account

logout-title = Sign out?
logout-lead = You are signed in as { $name }.
logout-apps-stay = Your connected apps stay connected. To end a connection, go to Authorized apps.
logout-submit = Sign out
