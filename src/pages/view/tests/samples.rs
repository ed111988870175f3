//! Data such as a busy day brings, and every page made from it.

use super::super::*;
use super::samples_settings;

pub const NOW: i64 = 1_796_054_400_000; // 2026-11-30 16:00 UTC
pub const DAY: i64 = 86_400_000;
pub const CALLBACK: &str =
    "https://claude.ai/api/mcp/auth_callback?code=mico_oac_x&state=a%26b&iss=https%3A%2F%2Fmcp.example.com";

pub fn shell(lang: Lang, signed_in: bool) -> Shell {
    Shell {
        locale: Locale::new(lang),
        brand: BrandView {
            name: "Mico".to_owned(),
            css_href: "/assets/brand-mico.css".to_owned(),
            logo_href: None,
        },
        languages: Lang::ALL.map(|lang| LangLink::new(lang, format!("?lang={}", lang.code()))).to_vec(),
        user: signed_in
            .then(|| UserView { name: "Ana Ruiz".to_owned(), email: "ana.ruiz@example.com".to_owned() }),
        csrf: "csrf-proof".to_owned(),
        asset_version: assets::version(),
        now_ms: NOW,
    }
}

fn scope(lang: Lang, id: &str, (es, en): (&str, &str), kind: ScopeKind) -> ScopeView {
    let title = if lang == Lang::Es { es } else { en };
    ScopeView {
        id: id.to_owned(),
        title: title.to_owned(),
        description: None,
        kind: Some(kind),
        checked: kind != ScopeKind::Delete,
    }
}

pub fn scopes(lang: Lang) -> Vec<ScopeView> {
    vec![
        scope(
            lang,
            "mico:read",
            ("Leer tus reuniones y sus notas", "Read your meetings and their notes"),
            ScopeKind::Read,
        ),
        scope(
            lang,
            "mico:write",
            ("Crear y cambiar tareas", "Create and change action items"),
            ScopeKind::Change,
        ),
        scope(
            lang,
            "mico:delete",
            ("Borrar reuniones para siempre", "Delete meetings for good"),
            ScopeKind::Delete,
        ),
    ]
}

pub fn verified() -> ClientView {
    ClientView {
        name: "Claude".to_owned(),
        identity: ClientIdentity::Verified { host: "claude.ai".to_owned() },
    }
}

pub fn unverified() -> ClientView {
    ClientView { name: "Cursor".to_owned(), identity: ClientIdentity::Unverified }
}

pub fn loopback() -> Destination {
    Destination::Loopback { host: "localhost".to_owned(), port: Some(51823) }
}

pub fn web() -> Destination {
    Destination::Host { host: "claude.ai".to_owned(), unicode: None }
}

pub fn authorize(lang: Lang, signed_in: bool) -> AuthorizePage {
    AuthorizePage {
        shell: shell(lang, signed_in),
        action: "https://mcp.example.com/functions/v1/mcp/authorize".to_owned(),
        transaction: "txn-1".to_owned(),
        origin: "mcp.example.com".to_owned(),
        service: "Mico".to_owned(),
        client: if signed_in { verified() } else { unverified() },
        last_connected_at: None,
        destination: if signed_in { web() } else { loopback() },
        sign_in: SignIn {
            password: true,
            pat: true,
            pat_prefix: "mico_pat_".to_owned(),
            ..SignIn::default()
        },
        scopes: scopes(lang),
        already: Vec::new(),
        workspaces: Vec::new(),
        term: AccessTerm { idle_days: 30, until_ms: NOW + 365 * DAY },
        repeat: false,
        nothing: None,
        expires_at: NOW + DAY / 24,
        details: TechnicalDetails {
            client_id: "https://claude.ai/oauth/mcp-oauth-client-metadata".to_owned(),
            redirect_uri: "https://claude.ai/api/mcp/auth_callback".to_owned(),
            resource: "https://mcp.example.com/functions/v1/mcp".to_owned(),
            requested_scope: "mico:read mico:write".to_owned(),
            code_challenge_method: "S256".to_owned(),
            registered_at: Some(NOW - 40 * DAY),
        },
        error: None,
    }
}

pub fn workspaces() -> Vec<WorkspaceChoice> {
    [("w1", "Ana Ruiz", true), ("w2", "Estudio Norte", false)]
        .map(|(id, name, selected)| WorkspaceChoice { id: id.to_owned(), name: name.to_owned(), selected })
        .to_vec()
}

fn errors() -> Vec<(&'static str, ErrorKind)> {
    let client = || "Cursor".to_owned();
    vec![
        ("expired", ErrorKind::Expired { client: Some(client()) }),
        ("expired-unknown", ErrorKind::Expired { client: None }),
        ("unknown-client", ErrorKind::UnknownClient),
        (
            "bad-redirect",
            ErrorKind::BadRedirect {
                client: client(),
                asked: Some("http://127.0.0.1:7777/cb".to_owned()),
                registered: vec!["http://localhost:7777/cb".to_owned()],
            },
        ),
        ("bad-request", bad_request()),
        ("unreadable", ErrorKind::Unreadable),
        ("csrf", ErrorKind::Csrf),
        ("forbidden", ErrorKind::Forbidden),
        ("not-found", ErrorKind::NotFound),
        ("method", ErrorKind::MethodNotAllowed),
        ("too-large", ErrorKind::TooLarge),
        ("too-many", ErrorKind::TooMany { retry_after_seconds: 30 }),
        ("internal", ErrorKind::Internal),
        ("unavailable", ErrorKind::Unavailable),
    ]
}

fn bad_request() -> ErrorKind {
    ErrorKind::BadRequest {
        client: "Cursor".to_owned(),
        host: "www.cursor.com".to_owned(),
        code: "invalid_request".to_owned(),
        description: "code_challenge_method must be S256.".to_owned(),
        return_to: "https://www.cursor.com/agents/mcp/oauth/callback?error=invalid_request".to_owned(),
    }
}

pub fn done(lang: Lang, outcome: DoneOutcome) -> DonePage {
    DonePage {
        shell: shell(lang, true),
        client: "Claude".to_owned(),
        service: "Mico".to_owned(),
        destination: web(),
        outcome,
    }
}

pub fn write(page: &dyn Page) -> String {
    page.render_page().unwrap()
}

fn authorize_states(lang: Lang) -> Vec<(String, String)> {
    let signed_in = || AuthorizePage { workspaces: workspaces(), ..authorize(lang, true) };
    let short = AuthorizePage { repeat: true, last_connected_at: Some(NOW - 3 * DAY), ..signed_in() };
    let step_up = AuthorizePage { already: scopes(lang).split_off(1), ..signed_in() };
    let oidc = vec![OidcLink { name: "Acme".to_owned(), href: "/login/oidc/acme?next=txn-1".to_owned() }];
    let account_only = SignIn {
        password: true,
        oidc: oidc.clone(),
        signup_href: Some("/signup".to_owned()),
        ..SignIn::default()
    };
    let unicode = Destination::Host {
        host: "xn--espaa-rta.example".to_owned(),
        unicode: Some("españa.example".to_owned()),
    };
    let operator = ClientView { name: "Panel".to_owned(), identity: ClientIdentity::Operator };
    let upgrade = Nothing::Plan { upgrade_href: Some("https://mico.example/plans".to_owned()) };
    let token_only = SignIn { password: false, ..authorize(lang, false).sign_in };
    let states = [
        ("signed-in", signed_in()),
        ("repeat", short),
        ("step-up", step_up),
        ("nothing-chosen", AuthorizePage { error: Some(AuthorizeError::NothingChosen), ..signed_in() }),
        ("wrong-workspace", AuthorizePage { error: Some(AuthorizeError::Workspace), ..signed_in() }),
        ("no-scopes", AuthorizePage { scopes: Vec::new(), destination: unicode, ..signed_in() }),
        ("nothing-plan", AuthorizePage { nothing: Some(upgrade), ..signed_in() }),
        (
            "nothing-scopes",
            AuthorizePage { nothing: Some(Nothing::Scopes), client: unverified(), ..signed_in() },
        ),
        ("signed-out", authorize(lang, false)),
        ("signed-out-token", AuthorizePage { sign_in: token_only, ..authorize(lang, false) }),
        (
            "signed-out-account",
            AuthorizePage { sign_in: account_only, client: operator, ..authorize(lang, false) },
        ),
        (
            "refused-token",
            AuthorizePage { error: Some(AuthorizeError::PatRefused), ..authorize(lang, false) },
        ),
        (
            "app-scheme",
            AuthorizePage {
                destination: Destination::App { scheme: "cursor".to_owned() },
                ..authorize(lang, false)
            },
        ),
        ("stale", AuthorizePage { error: Some(AuthorizeError::Stale), ..authorize(lang, false) }),
    ];
    states.iter().map(|(name, page)| (format!("authorize-{name}"), write(page))).collect()
}

fn account_pages(lang: Lang) -> Vec<(String, String)> {
    let login = LoginPage {
        shell: shell(lang, false),
        email: "ana.ruiz@example.com".to_owned(),
        next: "txn-1".to_owned(),
        client: Some("Claude".to_owned()),
        password: true,
        oidc: vec![OidcLink { name: "Acme".to_owned(), href: "/login/oidc/acme".to_owned() }],
        signup_href: Some("/signup".to_owned()),
        error: None,
    };
    let wrong = LoginPage { error: Some(LoginError::Wrong), ..login.clone() };
    let logout = LogoutPage { shell: shell(lang, true), next: "/settings/connect".to_owned() };
    let to = || CALLBACK.to_owned();
    let outcomes = [
        ("connected", DoneOutcome::Connected { return_to: to() }),
        ("denied", DoneOutcome::Denied { return_to: to() }),
        ("already-connected", DoneOutcome::AlreadyConnected),
        ("already-denied", DoneOutcome::AlreadyDenied),
    ];
    let mut pages = vec![
        ("login".to_owned(), write(&login)),
        ("login-wrong".to_owned(), write(&wrong)),
        ("logout".to_owned(), write(&logout)),
    ];
    pages.extend(outcomes.map(|(name, outcome)| (format!("done-{name}"), write(&done(lang, outcome)))));
    pages.extend(errors().into_iter().map(|(name, kind)| {
        let retry_href = (kind == ErrorKind::Unavailable).then(|| "/settings/connect".to_owned());
        let request_id = (kind.status() >= 500).then(|| "01JD9Z6Q3W".to_owned());
        (
            format!("error-{name}"),
            write(&ErrorPage { shell: shell(lang, false), kind, request_id, retry_href }),
        )
    }));
    pages
}

/// Every page in one language, by name.
pub fn all(lang: Lang) -> Vec<(String, String)> {
    [authorize_states(lang), account_pages(lang), samples_settings::settings_pages(lang)].concat()
}
