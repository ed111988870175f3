//! A configuration in a folder of its own, and commands run on it.

use std::path::Path;
use std::time::Duration;

use clap::Parser;
use serde_json::Value;

use crate::cli::console::Console;
use crate::cli::context::{Context, block_on};
use crate::cli::{Cli, Outcome, run_on};
use crate::domain::grant::Grant;
use crate::domain::ids::{ClientId, GrantId, PatId, UserId, WorkspaceId};
use crate::domain::pat::Mode;
use crate::domain::scope::ScopeSet;
use crate::store::StoreError;

pub(super) const CONFIG: &str = r#"
public_url = "http://127.0.0.1:8099"
[plans.flow]
name = { es = "Flujo", en = "Flow" }
features = ["mcp", "ai"]
rate = "10/min"
[plans.free]
[brand.mico]
name = "Mico"
pat_max_ttl = "365d"
[[service]]
id = "mico"
brand = "mico"
name = "Mico"
resource = "http://127.0.0.1:8099/mcp"
accept = ["pat", "oauth"]
[service.scopes."mico:read"]
title = "Read"
default = true
[service.scopes."mico:write"]
title = "Write"
[[service.upstream]]
id = "meetings"
kind = "worker"
url = "http://127.0.0.1:1"
"#;
pub(super) const PASSWORD: &str = "correct horse battery staple\n";
pub(super) const CREATE: &[&str] =
    &["user", "create", "--email", "Ana@example.com", "--name", "Ana", "--password-stdin"];

pub(super) struct Bench(tempfile::TempDir);

impl Bench {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("portero.toml"), CONFIG).unwrap();
        Self(dir)
    }

    pub(super) fn config(&self) -> String {
        self.0.path().join("portero.toml").display().to_string()
    }

    pub(super) fn run(&self, words: &[&str], stdin: &str) -> (Outcome, String) {
        let config = self.config();
        let all = ["portero", "--config", &config].into_iter().chain(words.iter().copied());
        let cli = Cli::try_parse_from(all).unwrap();
        let (mut input, mut output) = (stdin.as_bytes(), Vec::new());
        let outcome = run_on(&cli, &mut Console::new(cli.json, &mut input, &mut output));
        (outcome, String::from_utf8(output).unwrap())
    }

    pub(super) fn json(&self, words: &[&str]) -> Value {
        let (outcome, printed) = self.run(&[words, &["--json"]].concat(), PASSWORD);
        assert_eq!(outcome, Outcome::Done, "{words:?}");
        serde_json::from_str(&printed).unwrap()
    }

    pub(super) fn text(&self, words: &[&str]) -> String {
        let (outcome, printed) = self.run(words, PASSWORD);
        assert_eq!(outcome, Outcome::Done, "{words:?}");
        printed
    }

    pub(super) fn refused(&self, words: &[&str]) -> String {
        match self.run(words, PASSWORD).0 {
            Outcome::Refused(reason) => reason,
            other => panic!("{words:?}: {other:?}"),
        }
    }

    pub(super) fn usage(&self, words: &[&str]) -> String {
        match self.run(words, PASSWORD).0 {
            Outcome::Usage(reason) => reason,
            other => panic!("{words:?}: {other:?}"),
        }
    }

    /// A connection of Ana's, as a consent would have made it.
    pub(super) fn connect(&self, user: &Value, client: &str, pat: Option<&str>) -> String {
        block_on(async {
            let context = Context::open(Path::new(&self.config())).await?;
            let now = context.identity.now();
            let grant = Grant {
                id: GrantId::generate(context.identity.entropy.as_ref()),
                user: UserId::from(text(&user["id"])),
                workspace: WorkspaceId::from(text(&user["workspace"])),
                client: ClientId::from(client),
                service: "mico".into(),
                brand: "mico".into(),
                scopes: ScopeSet::parse("mico:read"),
                pat: pat.map(PatId::from),
                mode: Mode::Live,
                created_at: now,
                expires_at: now.plus(Duration::from_hours(1)),
                last_used_at: None,
                ended_at: None,
                ended_reason: None,
            };
            let store = &context.identity.store;
            let made = store
                .transaction(async |tx| {
                    let made = tx.insert_grant(&grant, "127.0.0.1").await?;
                    tx.activate_grant(&grant.id).await?;
                    tx.client_granted(&grant.client).await?;
                    Ok::<_, StoreError>(made)
                })
                .await?;
            assert!(made);
            Ok(grant.id.to_string())
        })
        .unwrap()
    }
}

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

pub(super) fn ids(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|one| text(&one["id"])).collect()
}

pub(super) fn make_client(bench: &Bench) -> String {
    let uri = "http://127.0.0.1/callback";
    let client = bench.json(&["client", "create", "--name", "Agent", "--redirect-uri", uri]);
    text(&client["id"]).to_owned()
}
