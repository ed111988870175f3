//! What several files of rows share.

use serde_json::json;

use crate::support::flow::{Connection, REDIRECT, VERIFIER, connection};
use crate::support::http::{post_form, query_value, raw, request};
use crate::support::{Reply, TestApp};

pub const FORM: &str = "application/x-www-form-urlencoded";

/// A second service of the brand, for what must tell services apart.
pub const ARCHIVE: &str = r#"
[[service]]
id = "archive"
brand = "mico"
name = "Archive"
resource = "{base}/archive"
accept = ["pat", "oauth"]
[service.scopes."archive:read"]
title = { es = "Leer el archivo", en = "Read the archive" }
[[service.upstream]]
id = "old"
kind = "worker"
url = "{worker}"
catalog = "tools.json"
[service.tool.list_meetings]
scopes = ["archive:read"]
"#;

/// An id and the secret that belongs to it.
#[derive(Clone, Debug)]
pub struct Key {
    pub id: String,
    pub secret: String,
}

/// The error of an OAuth endpoint: status, code, and what every such answer has to look like.
#[track_caller]
pub fn refused(reply: &Reply, status: u16, error: &str) {
    assert_eq!((reply.status, reply.json()["error"].as_str()), (status, Some(error)), "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/json"), "{reply:?}");
    assert_eq!(reply.header("cache-control"), Some("no-store"), "{reply:?}");
    for (name, value) in reply.json().as_object().unwrap() {
        let text = value.as_str().unwrap_or_else(|| panic!("{name} is no text: {reply:?}"));
        assert!(text.bytes().all(|b| matches!(b, 0x20 | 0x21 | 0x23..=0x5b | 0x5d..=0x7e)), "{reply:?}");
    }
}

fn key(made: &serde_json::Value, id: &str, secret: &str) -> Key {
    let text = |name: &str| made[name].as_str().unwrap_or_else(|| panic!("no {name}: {made}")).to_owned();
    Key { id: text(id), secret: text(secret) }
}

/// The form of a redemption that is right; `over` replaces parameters, an empty value leaves one out.
pub fn redemption<'a>(
    client: &'a str,
    code: &'a str,
    over: &[(&'a str, &'a str)],
) -> Vec<(&'a str, &'a str)> {
    let mut form = vec![
        ("grant_type", "authorization_code"),
        ("code", code),
        ("code_verifier", VERIFIER),
        ("client_id", client),
        ("redirect_uri", REDIRECT),
    ];
    for (name, value) in over {
        form.retain(|(own, _)| own != name);
        if !value.is_empty() {
            form.push((*name, *value));
        }
    }
    form
}

impl TestApp {
    pub fn endpoint(&self, name: &str) -> String {
        format!("{}/{name}", self.issuer)
    }

    pub fn oauth(&self, name: &str, form: &[(&str, &str)]) -> Reply {
        post_form(&self.endpoint(name), &[], form)
    }

    /// Posts a form as it stands, undecoded.
    pub fn post_text(&self, name: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut all = vec![("content-type", FORM)];
        for header in headers {
            all.retain(|(own, _)| own != &header.0);
            all.push(*header);
        }
        request("POST", &self.endpoint(name), &all, Some(body))
    }

    /// Posts bytes with exactly these header lines; the whole answer as it came.
    pub fn post_raw(&self, name: &str, lines: &str, body: &str) -> String {
        let url = self.endpoint(name);
        let path = url.strip_prefix(&self.base).unwrap();
        let head =
            format!("POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{lines}", self.authority());
        raw(self.authority(), format!("{head}\r\n\r\n{body}").as_bytes())
    }

    /// A registered client that has a secret.
    pub fn confidential(&self) -> Key {
        let asked = json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "client_secret_basic"});
        key(&self.register_with(&asked).json(), "client_id", "client_secret")
    }

    pub fn introspection_key(&self) -> Key {
        key(&self.cli(&["introspection-key", "create", "--name", "worker"], None), "id", "secret")
    }

    /// A connection with other scopes or another resource than the usual.
    pub fn connect_with(&self, client: &str, pat: &str, over: &[(&str, &str)]) -> Connection {
        let reply = self.redeem(client, &self.code_with(client, pat, over));
        assert_eq!(reply.status, 200, "{reply:?}");
        connection(client, &reply)
    }

    pub fn code_with(&self, client: &str, pat: &str, over: &[(&str, &str)]) -> String {
        let reply = self.consent(&self.authorize_url(client, over), pat, "allow");
        assert_eq!(reply.status, 303, "{reply:?}");
        query_value(reply.header("location").unwrap(), "code").expect("a code")
    }

    /// Changes the database behind the server's back.
    pub fn change(&self, text: &str) {
        self.sql(text).unwrap();
    }

    /// The database keeps no new access token while `work` runs.
    pub fn while_nothing_can_be_kept(&self, work: impl FnOnce()) {
        let (make, unmake): (&[&str], &[&str]) = if self.database.starts_with("postgres") {
            (
                &[
                    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''full''; END'",
                    "CREATE TRIGGER refused BEFORE INSERT ON access_tokens EXECUTE FUNCTION refuse()",
                ],
                &["DROP TRIGGER refused ON access_tokens", "DROP FUNCTION refuse()"],
            )
        } else {
            (
                &[
                    "CREATE TRIGGER refused BEFORE INSERT ON access_tokens BEGIN SELECT RAISE(ABORT, 'full'); END",
                ],
                &["DROP TRIGGER refused"],
            )
        };
        for sql in make {
            self.change(sql);
        }
        work();
        for sql in unmake {
            self.change(sql);
        }
    }

    /// What ended the grants of a person, as the operator is shown it.
    pub fn grants(&self, email: &str) -> String {
        self.cli(&["grant", "list", "--user", email], None).to_string()
    }
}
