//! The settings pages, full and empty.

use super::super::settings::*;
use super::super::*;
use super::samples::{DAY, NOW, loopback, scopes, shell, unverified, verified, web, workspaces, write};

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn service(id: &str, name: &str) -> ServiceView {
    ServiceView {
        id: id.to_owned(),
        name: name.to_owned(),
        endpoint: format!("https://mcp.example.com/functions/v1/{id}"),
        oauth: true,
        pat_prefix: Some("mico_pat_".to_owned()),
    }
}

fn app(grant: &str, client: &str, days: i64) -> AppRef {
    AppRef {
        grant: grant.to_owned(),
        client: client.to_owned(),
        service: "Mico".to_owned(),
        allowed_at: NOW - days * DAY,
    }
}

pub fn token(lang: Lang) -> TokenCard {
    TokenCard {
        id: "t1".to_owned(),
        name: "Portátil".to_owned(),
        hint: "mico_pat_…x4Qz".to_owned(),
        scopes: scopes(lang).into_iter().take(2).map(|scope| scope.title).collect(),
        workspace: None,
        test: false,
        created_at: NOW - 200 * DAY,
        last_used_at: Some(NOW - DAY),
        expires_at: None,
        apps: vec![app("g1", "Claude", 3), app("g2", "Cursor", 40), app("g3", "MCP Inspector", 1)],
    }
}

fn tokens(lang: Lang) -> Vec<TokenCard> {
    let soon = TokenCard {
        id: "t2".to_owned(),
        name: "CI nightly".to_owned(),
        hint: "mico_pat_…9kLm".to_owned(),
        test: true,
        workspace: Some("Estudio Norte".to_owned()),
        last_used_at: None,
        expires_at: Some(NOW + 12 * DAY),
        apps: Vec::new(),
        ..token(lang)
    };
    let expired = TokenCard {
        id: "t3".to_owned(),
        name: "Demo".to_owned(),
        expires_at: Some(NOW - 4 * DAY),
        apps: Vec::new(),
        ..token(lang)
    };
    vec![soon, token(lang), expired]
}

pub fn connection(lang: Lang, grant: &str) -> Connection {
    Connection {
        grant: grant.to_owned(),
        service: "Mico".to_owned(),
        scopes: scopes(lang).into_iter().take(2).map(|scope| scope.title).collect(),
        workspace: Some("Ana Ruiz".to_owned()),
        destination: web(),
        allowed_at: NOW - 3 * DAY,
        last_used_at: Some(NOW - 12 * 60_000),
        expires_at: NOW + 362 * DAY,
        token: Some(TokenRef {
            id: "t1".to_owned(),
            name: "Portátil".to_owned(),
            hint: "mico_pat_…x4Qz".to_owned(),
        }),
        recoveries: 0,
    }
}

fn apps(lang: Lang) -> AppsPage {
    let other = Connection {
        destination: loopback(),
        token: None,
        last_used_at: None,
        recoveries: 2,
        ..connection(lang, "g2")
    };
    let groups = vec![
        AppGroup { client: verified(), connections: vec![connection(lang, "g1")] },
        AppGroup { client: unverified(), connections: vec![other, connection(lang, "g3")] },
    ];
    let named = || "Portátil".to_owned();
    let reasons = [
        EndReason::Reuse,
        EndReason::Person,
        EndReason::Client,
        EndReason::TokenRevoked { token: named() },
        EndReason::TokenExpired { token: named() },
        EndReason::Unused,
        EndReason::TooOld,
        EndReason::ClientRemoved,
        EndReason::Operator,
        EndReason::WorkspaceLeft,
        EndReason::ServiceRemoved,
    ];
    let ended = (1..).zip(reasons).map(|(days, reason)| EndedConnection {
        client: "Windsurf".to_owned(),
        service: "Mico".to_owned(),
        ended_at: NOW - days * DAY,
        reason,
    });
    let notice = AppsNotice::Disconnected { client: "Codex".to_owned(), service: "Mico".to_owned() };
    AppsPage { shell: shell(lang, true), groups, ended: ended.collect(), notice: Some(notice) }
}

pub fn token_new(lang: Lang, errors: Vec<TokenFormError>) -> TokenNewPage {
    TokenNewPage {
        shell: shell(lang, true),
        name: String::new(),
        expiries: Expiry::offered(true, None),
        expires: Expiry::Never,
        expires_on: String::new(),
        groups: vec![ScopeGroup { service: "Mico".to_owned(), scopes: scopes(lang) }],
        workspaces: workspaces(),
        mode: Some(TokenMode::Live),
        errors,
    }
}

pub fn settings_pages(lang: Lang) -> Vec<(String, String)> {
    let frame = || shell(lang, true);
    let connect = ConnectPage {
        shell: frame(),
        services: vec![service("mico", "Mico"), service("shared", "Mico Teams")],
    };
    let revoked =
        TokensNotice::Revoked { name: "Viejo".to_owned(), clients: strings(&["Claude", "Cursor", "Codex"]) };
    let list = TokensPage { shell: frame(), tokens: tokens(lang), notice: Some(revoked), can_create: true };
    let empty = TokensPage {
        shell: frame(),
        tokens: Vec::new(),
        notice: Some(TokensNotice::ValueGone),
        can_create: false,
    };
    let faults = vec![
        TokenFormError::NameMissing,
        TokenFormError::ScopesMissing,
        TokenFormError::ExpiryTooLate { max_days: 365 },
        TokenFormError::Workspace,
    ];
    let created = TokenCreatedPage {
        shell: frame(),
        name: "Portátil".to_owned(),
        token: format!("mico_pat_{}", "4f7Kq2Zr9".repeat(5)),
        expires_at: Some(NOW + 90 * DAY),
        services: vec![service("mico", "Mico")],
    };
    let revoke = TokenRevokePage { shell: frame(), token: token(lang) };
    let alone = TokenRevokePage { shell: frame(), token: TokenCard { apps: Vec::new(), ..token(lang) } };
    let nobody = AppsPage { shell: frame(), groups: Vec::new(), ended: Vec::new(), notice: None };
    let disconnect =
        AppDisconnectPage { shell: frame(), client: unverified(), connection: connection(lang, "g1") };
    [
        ("connect", write(&connect)),
        ("tokens", write(&list)),
        ("tokens-empty", write(&empty)),
        ("token-new", write(&token_new(lang, Vec::new()))),
        ("token-new-errors", write(&token_new(lang, faults))),
        ("token-created", write(&created)),
        ("token-revoke", write(&revoke)),
        ("token-revoke-alone", write(&alone)),
        ("apps", write(&apps(lang))),
        ("apps-empty", write(&nobody)),
        ("app-disconnect", write(&disconnect)),
    ]
    .map(|(name, html)| (format!("settings-{name}"), html))
    .to_vec()
}
