mod faults;
mod values;

use std::{fs, path::Path, time::Duration};

use super::*;

/// What a company would write for one service; the sections that tests replace are at its end.
const SMALL: &str = include_str!("../testdata/small.toml");

fn load(text: &str) -> Result<Loaded, ConfigErrors> {
    load_with(text, Path::new("/etc/portero"), &[])
}

fn load_with(text: &str, dir: &Path, env: &[(&str, &str)]) -> Result<Loaded, ConfigErrors> {
    let env = env.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Config::from_toml(text, dir, env)
}

fn good(text: &str) -> Config {
    let loaded = load(text).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(loaded.warnings, Vec::<String>::new());
    loaded.config
}

fn errors(text: &str) -> String {
    load(text).expect_err("there are faults").to_string()
}

#[test]
fn little_is_enough_and_the_rest_is_filled_in() {
    let config = good(SMALL);
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.admin_listen, None);
    assert_eq!(config.allowed_origins, ["*"]);
    assert_eq!(config.body_limit.get(), 4 << 20);
    assert_eq!(config.languages, [Language::Es, Language::En]);
    assert_eq!(config.database.url.expose_secret(), "sqlite:///etc/portero/portero.db");
    assert_eq!(config.keys.file, Path::new("/etc/portero/portero.keys"));
    assert_eq!(config.cache.max_blind.get(), Duration::from_secs(5));
    assert_eq!(config.headers.prefix, "X-Portero-");
    assert_eq!(config.oauth.refresh_token_ttl.get(), Duration::from_hours(30 * 24));
    assert!(config.oauth.client_id_metadata_documents);
    let brand = config.brand.get("mico").unwrap();
    assert_eq!(brand.issuer, "http://127.0.0.1:8080");
    assert_eq!(brand.tokens.pat.live, "mico_pat_");
    assert_eq!(brand.tokens.pat.test, "mico_pat_");
    assert_eq!((brand.tokens.oauth.as_str(), brand.tokens.refresh.as_str()), ("mico_oat_", "mico_ort_"));
    assert_eq!(brand.pat_expiry, PatExpiry::Never);
    let service = config.service.first().unwrap();
    assert_eq!(service.accept, [Accept::Pat, Accept::Oauth]);
    assert_eq!(service.protocol_versions, ProtocolVersion::ALL);
    assert!(service.descriptors);
    assert_eq!(service.server_info.name, "mico");
    assert_eq!(service.upstream.first().unwrap().timeout.get(), Duration::from_secs(30));
    assert_eq!(service.upstream.first().unwrap().unlisted, Unlisted::Default);
}

/// The configuration that the black-box checks start the server with.
const MICO: &str = include_str!("../testdata/mico.toml");

#[test]
fn a_service_as_the_checks_write_it_loads() {
    let config = good(MICO);
    assert!(config.database.migrate);
    assert_eq!(config.keys.file, Path::new("/tmp/portero-bar-x/portero.keys"));
    assert_eq!(config.plans.keys().collect::<Vec<_>>(), ["flow", "free"]);
    let service = config.service.first().unwrap();
    assert_eq!(service.scopes.keys().collect::<Vec<_>>(), ["mico:read", "mico:write"]);
    assert_eq!(service.scopes.get("mico:read").unwrap().title.get(Language::Es), "Leer");
    assert_eq!(
        service.tool.get("list_meetings").unwrap().scopes.as_deref(),
        Some(&["mico:read".to_owned()][..])
    );
    let postgres =
        MICO.replace("sqlite:///tmp/portero-bar-x/p.db", "postgres://u:p@127.0.0.1/portero").replace(
            "[login]",
            "[cluster]\nredis_url = \"redis://127.0.0.1:6379\"\n[keys]\nfile = \"k/portero.keys\"\n[login]",
        );
    assert_eq!(good(&postgres).keys.file, Path::new("/etc/portero/k/portero.keys"));
}

/// Every key there is, beside the files that it names.
fn everything() -> (tempfile::TempDir, Loaded) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("acme.secret", "hunter2\n"),
        ("internal.key", "k-123\r\n"),
        ("mico-tools.json", "[]"),
        ("api.yaml", "openapi: 3.1.0"),
    ] {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let text = include_str!("../testdata/everything.toml");
    let loaded = load_with(text, dir.path(), &[]).unwrap_or_else(|errors| panic!("{errors}"));
    (dir, loaded)
}

#[test]
fn every_key_loads() {
    let (dir, loaded) = everything();
    let config = loaded.config;
    assert_eq!(
        config.brand.keys().collect::<Vec<_>>(),
        ["mico", "meteor", "becoming"],
        "in the file's order"
    );
    assert_eq!(
        loaded.warnings,
        ["cluster.redis_url: several nodes need PostgreSQL; on SQLite this is of no use"]
    );
    let service = config.service.first().unwrap();
    let [worker, mcp, openapi] = service.upstream.as_slice() else { panic!("three upstreams") };
    assert_eq!(worker.catalog.as_deref(), Some(dir.path().join("mico-tools.json").as_path()));
    let headers: Vec<_> =
        worker.headers.iter().map(|(name, value)| (name.as_str(), value.expose_secret())).collect();
    assert_eq!(headers, [("X-Internal-Key", "k-123"), ("X-Region", "eu")]);
    assert_eq!(
        mcp.unlisted,
        Unlisted::Deny,
        "tools of a foreign server are hidden unless a policy names them"
    );
    assert_eq!(openapi.exclude.first().unwrap().instead.as_deref(), Some("Delete one by one."));
    let oidc = config.login.oidc.first().unwrap();
    assert_eq!(oidc.client_secret.as_ref().unwrap().expose_secret(), "hunter2");
    let meteor = config.brand.get("meteor").unwrap();
    assert_eq!(
        (meteor.tokens.pat.live.as_str(), meteor.tokens.pat.test.as_str()),
        ("met_live_", "met_test_")
    );
    assert_eq!(meteor.issuer, "https://mcp.example.com/meteor", "several brands have an issuer each");
    let rate = service.rate.unwrap();
    assert_eq!(
        (rate.limit.count.get(), rate.limit.window, rate.burst().get()),
        (120, RateWindow::Minute, 40)
    );
    let policy = service.tool.get("met_delete_*").unwrap();
    assert_eq!(policy.confirm, Some(Confirm::Intent));
    assert_eq!(policy.rate.unwrap().burst().get(), 10, "without a burst it is the rate's number");
    assert_eq!(policy.scopes, None);
    assert_eq!(
        service.tool.get("ping").unwrap().scopes,
        Some(Vec::new()),
        "no scope is not the same as nothing said"
    );
    assert!(
        service.resources.contains_key("becoming://highlights/{id}"),
        "the singular is read as resources"
    );
}

#[test]
fn the_environment_is_laid_over_the_file() {
    let env = [
        ("PORTERO__LISTEN", "0.0.0.0:80"),
        ("PORTERO__OAUTH__REGISTRATION", "off"),
        ("PORTERO__LOGIN__SIGNUP", "true"),
        ("PORTERO__LANGUAGES", "[\"en\"]"),
        ("PORTERO__DATABASE__URL", "sqlite://other.db"),
        ("PORTERO__SERVICE__0__NAME", "2025"),
        ("PORTERO__SERVICE__MICO__UPSTREAM__MEETINGS__URL", "http://worker:9000"),
        ("PORTERO__BRAND__MICO__PAT_EXPIRY", "90d"),
        ("PATH", "/bin"),
        ("PORTERO_LOG", "debug"),
    ];
    let config = load_with(SMALL, Path::new("/etc/portero"), &env).unwrap().config;
    assert_eq!(config.listen.to_string(), "0.0.0.0:80");
    assert_eq!(config.oauth.registration, Registration::Off);
    assert!(config.login.signup);
    assert_eq!(config.languages, [Language::En]);
    assert_eq!(config.database.url.expose_secret(), "sqlite:///etc/portero/other.db");
    let service = config.service.first().unwrap();
    assert_eq!(service.name, "2025", "a text stays a text although it looks like a number");
    assert_eq!(service.upstream.first().unwrap().url.as_deref(), Some("http://worker:9000"));
    assert_eq!(config.brand.get("mico").unwrap().pat_expiry.to_string(), "90d");
}

#[test]
fn no_secret_is_printed() {
    let (_dir, mut loaded) = everything();
    loaded.config.database.url = Secret::from("postgres://portero:hunter3@db/portero");
    loaded.config.cluster.redis_url = Some(Secret::from("rediss://:hunter4@cache:6379"));
    let shown = format!("{}{:?}", print(&loaded.config), loaded.config);
    for secret in ["hunter2", "hunter3", "hunter4", "k-123"] {
        assert!(!shown.contains(secret), "{secret} is in {shown}");
    }
    let shown = print(&loaded.config);
    assert!(shown.contains("url = \"postgres://portero:[redacted]@db/portero\""), "{shown}");
    assert!(shown.contains("client_secret = \"[redacted]\""), "{shown}");
    assert!(shown.contains("X-Internal-Key = \"[redacted]\""), "{shown}");
}

#[test]
fn what_is_printed_loads_again() {
    let (dir, loaded) = everything();
    let printed = print(&loaded.config);
    let again = load_with(&printed, dir.path(), &[]).unwrap_or_else(|errors| panic!("{errors}\n{printed}"));
    assert_eq!(print(&again.config), printed);
}

#[test]
fn the_reference_is_as_generated() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/configuration.md");
    let reference = reference();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, &reference).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == reference,
        "docs/configuration.md is out of date: UPDATE_DOCS=1 cargo test --lib config::"
    );
}

#[test]
fn every_key_is_described() {
    fn undescribed(path: &str, node: &serde_json::Value, out: &mut Vec<String>) {
        for (key, place) in node.get("properties").and_then(|p| p.as_object()).into_iter().flatten() {
            if place.get("description").is_none() {
                out.push(format!("{path}.{key}"));
            }
        }
    }
    let schema = schema();
    let mut out = Vec::new();
    undescribed("", &schema, &mut out);
    for (name, node) in schema.get("$defs").unwrap().as_object().unwrap() {
        undescribed(name, node, &mut out);
    }
    assert_eq!(out, Vec::<String>::new());
}
