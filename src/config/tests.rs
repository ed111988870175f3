#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test stops at its first surprise")]

use std::{fs, path::Path, time::Duration};

use super::*;

/// What a company would write for one service; the sections that tests replace are at its end.
const SMALL: &str = r#"
public_url = "http://127.0.0.1:8080"
[brand.mico]
name = "Mico"
[[service]]
id = "mico"
brand = "mico"
name = "Mico"
resource = "http://127.0.0.1:8080/mcp"
[[service.upstream]]
id = "meetings"
kind = "worker"
url = "http://127.0.0.1:9101"
"#;

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
    assert_eq!(config.oauth.refresh_token_ttl.get(), Duration::from_secs(30 * 86_400));
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
