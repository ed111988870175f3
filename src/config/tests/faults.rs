//! What is wrong, said so that it can be put right.

use std::{fs, path::Path};

use super::{DatabaseKind, SMALL, errors, load, load_with};

#[test]
fn every_fault_is_said_at_once_with_its_path() {
    let text = include_str!("../testdata/wrong.toml");
    insta::assert_snapshot!(errors(text), @r#"
    listen: 8080 is not an address and port such as "127.0.0.1:8080" or "[::]:8080"
    admin_listen: "localhost" is not an address and port such as "127.0.0.1:8080" or "[::]:8080"
    body_limit: "4 megabytes" is not a size such as "65536B", "512KiB" or "4MiB", of at most 1GiB
    languages[1]: "fr" is not one of es, en
    trusted_proxies[0]: "10.0.0.0/33" is not a network such as "10.0.0.0/8" or an address such as "::1"
    oauth.refresh_grace: "soon" is not a duration such as "500ms", "30s", "5min", "1h" or "30d"
    oauth.registration: "opne" is not one of open, token, off
    login.signup: "yes" is not true or false
    login.handoff.jwks_url: is missing; https://…, or http://… on a loopback host is needed
    brand.mico.name: is missing; a text is needed
    service[0].errors: "htp" is not one of http, jsonrpc, tool
    service[0].rate: this table is not a rate such as "120/min" (also /s and /h), or { per = "grant" | "user" | "workspace", limit = "120/min", burst = 40 }
    service[0].protocol_versions[0]: "2025-03-27" is not one of 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28
    service[0].tool.list_meetings.confirm: "yes" is not one of false, true, intent
    service[0].tool.list_meetings.scope: is no known key; did you mean scopes?
    colour: is no known key; public_url, listen, admin_listen, trusted_proxies, allowed_origins, body_limit, languages, database, cluster, cache, keys, headers, login, oauth, plans, brand, service are allowed
    public_url: "http://mcp.example.com" is not secure; https, or http on 127.0.0.0/8, [::1] or localhost, is allowed
    database.url: is no database URL; sqlite://FILE or postgres://USER:PASSWORD@HOST/DATABASE is allowed
    cache.max_blind: 2min is not allowed; more than 0s and at most 60s is
    login.default_plan: "gold" is no plan of this file; a [plans.ID] section is needed
    oauth.code_ttl: 0s is not allowed; more than 0s is
    brand.mico.issuer: "https://MCP.example.com:443/mcp" is not in canonical form; write "https://mcp.example.com/mcp"
    brand.mico.tokens.pat: "mico_" cannot be told from "mico_oac_" (brand mico's codes); a prefix that neither begins another nor is begun by one is allowed
    brand.mico.tokens.refresh: "mico-ort" is no prefix; up to 80 of the characters 0-9 A-Z a-z _ are allowed
    service[0].brand: "mica" is no brand of this file; one of mico is allowed
    service[0].resource: "https://mcp.example.com/mcp?x=1" has a query; scheme, host, port and path are allowed
    service[0].jwt: is missing; accept has "jwt", which needs issuer and jwks_url
    service[0].scopes."mico read": "mico read" is no scope; printable ASCII without space, " and \ is allowed
    service[0].upstream[0].url: is missing; a worker and an MCP server have an http or https URL
    "#);
}

#[test]
fn faults_that_follow_from_others_are_not_said() {
    let text =
        "public_url = 1\nbrand = { mico = 3 }\n[[service]]\nid = \"mico\"\nbrand = \"mico\"\nresource = 5\n";
    insta::assert_snapshot!(errors(text), @r#"
    public_url: 1 is not https://…, or http://… on a loopback host, without a path
    brand.mico: 3 is not a table
    service[0].name: is missing; a text is needed
    service[0].resource: 5 is not https://…, or http://… on a loopback host
    "#);
    insta::assert_snapshot!(errors(""), @"public_url: is missing; https://…, or http://… on a loopback host, without a path is needed");
}

#[test]
fn what_is_no_toml_is_said_with_line_and_column() {
    insta::assert_snapshot!(errors("public_url = \"http://127.0.0.1\"\nlisten = 127.0.0.1\n"), @"line 2, column 15: invalid float, expected nothing");
    insta::assert_snapshot!(errors("[login]\n[login]\n"), @"line 2, column 2: duplicate key");
}

#[test]
fn services_and_brands_that_cannot_be_told_apart_are_refused() {
    let text = include_str!("../testdata/alike.toml");
    insta::assert_snapshot!(errors(text), @r##"
    brand.becoming.color: "green" is not a colour such as "#1f6f5c"
    brand.becoming.pat_expiry: 90d is longer than pat_max_ttl; at most 30d is allowed
    brand.meteor.issuer: "https://a.example/mico" is brand mico's; each brand has its own
    brand.meteor.tokens.pat: "mico_pat_x" cannot be told from "mico_pat_" (brand mico's pat); a prefix that neither begins another nor is begun by one is allowed
    brand.meteor.tokens.oauth: "portero_ocs_" cannot be told from "portero_ocs_" (client secrets); a prefix that neither begins another nor is begun by one is allowed
    brand.becoming.tokens.pat.live: "met_live_" cannot be told from "met_" (brand meteor's refresh); a prefix that neither begins another nor is begun by one is allowed
    brand.becoming.tokens.pat.test: "b" cannot be told from "becoming_oac_" (brand becoming's codes); a prefix that neither begins another nor is begun by one is allowed
    service[0].manifest_path: "manifest" is no path; one such as "/mcp-manifest.json" is allowed
    service[0].upstream[0].url: "ftp://x" is not a URL; http:// or https:// and a host are allowed
    service[0].upstream[0].catalog: means nothing here; it is allowed with kind = "worker"
    service[0].upstream[1].document: is missing; an OpenAPI file is needed
    service[0].upstream[1].id: "w" is there twice; each id once
    service[1].accept: is empty; one or more of pat, oauth, jwt are allowed
    service[1].jwt: stands beside accept without "jwt"; both or none are allowed
    service[1].error_codes.not_found: is no refusal; unauthorized, invalid_token, missing_scope, no_plan, feature_not_included, subscription_inactive, workspace_blocked, credits_exhausted, confirmation_required, invalid_arguments, rate_limited, unknown_tool, resource_not_found, verification_unavailable, upstream_unavailable, upstream_timeout, parse_error, invalid_request, method_not_found, invalid_params, unsupported_version, missing_capability, header_mismatch, not_acceptable, unsupported_media_type, too_large are allowed
    service[1].resources."x://y".confirm: means nothing for a resource; it is allowed for a tool
    service[2].resource: the path /settings belongs to Portero's own pages; any other is allowed
    service[1].id: "one" is there twice; each id once
    service[1].resource: "https://a.example/one/" is another service's; each has its own
    service[1].default: https://a.example has a default service already; one on each host is allowed
    "##);
}

#[test]
fn what_policy_names_and_nothing_declares_is_a_warning() {
    let text = format!("{SMALL}[service.tool.delete]\nscopes = [\"mico:write\"]\nfeature = \"pro\"\n");
    insta::assert_snapshot!(load(&text).unwrap().warnings.join("\n"), @r#"
    service[0].tool.delete.scopes: the service has no scope "mico:write", so nobody can be granted it
    service[0].tool.delete.feature: no plan includes "pro", so nobody can use this tool
    "#);
}

#[test]
fn a_fault_that_the_environment_brings_names_its_variable() {
    let env =
        [("PORTERO__LISTEN", "80"), ("PORTERO__LOGIN__SINGUP", "true"), ("PORTERO__SERVICE__7__ID", "x")];
    let errors = load_with(SMALL, Path::new("/etc/portero"), &env).unwrap_err().to_string();
    insta::assert_snapshot!(errors, @r#"
    PORTERO__SERVICE__7__ID leads to no key; PORTERO__SECTION__KEY with keys of the file is allowed, and for lists a number or id
    listen: "80" is not an address and port such as "127.0.0.1:8080" or "[::]:8080" (set by PORTERO__LISTEN)
    login.singup: is no known key; did you mean signup? (set by PORTERO__LOGIN__SINGUP)
    "#);
}

#[test]
fn a_secret_comes_from_its_twin() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("db"), "postgres://u:p%40ss@db/portero\n").unwrap();
    fs::write(dir.path().join("empty"), "\n").unwrap();
    let text = format!("{SMALL}\n[database]\nurl_file = \"db\"\n[keys]\nfile = \"k\"\n");
    let config = load_with(&text, dir.path(), &[]).unwrap().config;
    assert_eq!(config.database.url.expose_secret(), "postgres://u:p%40ss@db/portero");
    let env = [("PORTERO__DATABASE__URL", "sqlite://p.db")];
    let config = load_with(&text, dir.path(), &env).unwrap().config;
    assert!(
        matches!(config.database.kind(), Some(DatabaseKind::Sqlite(_))),
        "the environment replaces the twin"
    );
    let wrong = format!(
        "{text}[cluster]\nredis_url = \"redis://x\"\nredis_url_file = \"db\"\n[oauth]\nregistration = \"token\"\nregistration_token_file = \"empty\"\n[[login.oidc]]\nname = \"Acme\"\nissuer = \"https://id.acme.example\"\nclient_id = \"x\"\nclient_secret_file = \"gone\"\n"
    );
    let errors = load_with(&wrong, dir.path(), &[]).unwrap_err().to_string();
    let errors = errors.replace(&*dir.path().to_string_lossy(), "DIR");
    insta::assert_snapshot!(errors, @r#"
    cluster.redis_url_file: stands beside redis_url; one of them is allowed
    oauth.registration_token_file: DIR/empty is empty; a file with the secret is needed
    login.oidc[0].client_secret_file: DIR/gone cannot be read (No such file or directory (os error 2)); a readable file is needed
    "#);
}

#[test]
fn a_wrong_secret_is_not_quoted() {
    let text = format!(
        "{SMALL}[service.upstream.headers]\nkey = 12345\n[database]\nurl = \"postgress://u:hunter2@x\"\n[cluster]\nredis_url = 77777\n"
    );
    insta::assert_snapshot!(errors(&text), @r#"
    service[0].upstream[0].headers.key: the value is not a text, { value = "…" } or { file = "path" }
    cluster.redis_url: the value is not a text of at least one character
    database.url: is no database URL; sqlite://FILE or postgres://USER:PASSWORD@HOST/DATABASE is allowed
    "#);
}

#[test]
fn credits_that_could_not_be_added_up_are_refused() {
    let text = format!(
        "{SMALL}[service.tool.delete]\ncost = 1000000000001\n[plans.big]\ncredits_per_month = 9000000000000000000\n"
    );
    insta::assert_snapshot!(errors(&text), @r"
    plans.big.credits_per_month: is too high; at most 1000000000000 is allowed
    service[0].tool.delete.cost: is too high; at most 1000000000000 is allowed
    ");
}

#[test]
fn what_registries_do_not_take_is_said() {
    let with = |service: &str| SMALL.replace("[[service]]\n", &format!("[[service]]\n{service}\n"));
    let warned = |service: &str| load(&with(service)).unwrap().warnings.join("\n");
    assert_eq!(warned("registry_name = \"com.example/mico\"\ndescription = \"Your meetings\""), "");
    assert_eq!(warned("descriptors = false\nwebsite = \"https://mico.example\""), "");
    let long = format!("description = \"{}\"", "word ".repeat(21));
    insta::assert_snapshot!(warned(&long), @r#"
    service[0].registry_name: is missing, so there is no server.json; 3 to 200 characters are allowed: a domain of yours backwards (A-Z a-z 0-9 - and dots), one slash, and a name (A-Z a-z 0-9 . _ -), such as "com.example/meetings"
    service[0].description: has 104 characters of which registries take 100; descriptors cut it after the last word that fits
    "#);
    let named = "registry_name = \"com.example/mico\"\nserver_info = { version = \"1.x\" }";
    insta::assert_snapshot!(warned(named), @r#"
    service[0].description: is missing; server.json then has the title, 1 to 100 characters are allowed
    service[0].server_info.version: registries do not take "1.x"; one version such as "1.0.2" is allowed, no range
    "#);
    for bad in ["meetings", "com_x.example/a", "com.example/a/b"] {
        let errors = errors(&with(&format!("registry_name = \"{bad}\"")));
        assert!(
            errors.starts_with(&format!(
                "service[0].registry_name: \"{bad}\" is no name in registries; 3 to 200"
            )),
            "{errors}"
        );
    }
    let long = format!("server_info = {{ version = \"{}\" }}", "1".repeat(256));
    insta::assert_snapshot!(errors(&with(&long)), @"service[0].server_info.version: is too long; up to 255 characters are allowed");
    let twice = format!(
        "{}[[service]]\nid = \"b\"\nbrand = \"mico\"\nname = \"B\"\nresource = \"http://127.0.0.1/b\"\nregistry_name = \"com.Example/mico\"\n",
        with("registry_name = \"com.example/mico\"")
    );
    insta::assert_snapshot!(errors(&twice), @r#"service[1].registry_name: "com.Example/mico" is another service's; each has its own"#);
}
