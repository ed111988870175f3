//! The main job as a client does it: register, authorize, redeem, refresh, call.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use scraper::{Html, Selector};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::http::{Reply, get, post_form, query_value, request};
use super::site::Site;

pub const REDIRECT: &str = "http://127.0.0.1:51234/callback";
pub const VERIFIER: &str = "a-verifier-of-more-than-forty-three-characters-0123456789";

/// What a client holds after it was allowed.
#[derive(Clone, Debug)]
pub struct Connection {
    pub client: String,
    pub access: String,
    pub refresh: String,
    pub scope: String,
}

pub fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

/// A form of a page: where it goes and what it holds, with what is ticked.
#[derive(Clone, Debug)]
pub struct Form {
    pub action: String,
    pub fields: Vec<(String, String)>,
}

/// The form of a page that has a field of this name.
pub fn form_with(page: &Reply, field: &str) -> Form {
    let html = Html::parse_document(page.text());
    let inputs = Selector::parse("input, select").unwrap();
    for form in html.select(&Selector::parse("form").unwrap()) {
        if !form.select(&inputs).any(|input| input.attr("name") == Some(field)) {
            continue;
        }
        let mut fields = Vec::new();
        for input in form.select(&inputs) {
            let Some(name) = input.attr("name") else { continue };
            let kind = input.attr("type").unwrap_or_default();
            if matches!(kind, "checkbox" | "radio") && input.attr("checked").is_none() {
                continue;
            }
            fields.push((name.to_owned(), input.attr("value").unwrap_or_default().to_owned()));
        }
        return Form { action: form.attr("action").unwrap_or_default().to_owned(), fields };
    }
    panic!("no form with {field} on {}", page.text());
}

impl Form {
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.fields.retain(|(own, _)| own != name);
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn pairs(&self) -> Vec<(&str, &str)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }
}

impl Site {
    pub fn register(&self, name: &str) -> String {
        let reply = self.register_with(&json!({"client_name": name, "redirect_uris": [REDIRECT]}));
        assert_eq!(reply.status, 201, "{reply:?}");
        reply.json()["client_id"].as_str().unwrap().to_owned()
    }

    pub fn register_with(&self, metadata: &Value) -> Reply {
        let url = format!("{}/register", self.issuer);
        request("POST", &url, &[("content-type", "application/json")], Some(&metadata.to_string()))
    }

    /// An authorization URL; `over` replaces parameters, an empty value leaves one out.
    pub fn authorize_url(&self, client: &str, over: &[(&str, &str)]) -> String {
        let challenge = challenge(VERIFIER);
        let mut pairs = vec![
            ("response_type", "code"),
            ("client_id", client),
            ("redirect_uri", REDIRECT),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("state", "st+1/=%&"),
            ("scope", "mico:read"),
            ("resource", &self.resource),
        ];
        for (name, value) in over {
            pairs.retain(|(own, _)| own != name);
            if !value.is_empty() {
                pairs.push((name, value));
            }
        }
        let query: String = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        format!("{}/authorize?{query}", self.issuer)
    }

    /// The URL of a form's action.
    pub fn absolute(&self, action: &str) -> String {
        if action.starts_with("http") { action.to_owned() } else { format!("{}{action}", self.base) }
    }

    /// Opens the page and answers it with a personal access token; the answer to the form.
    pub fn consent(&self, url: &str, pat: &str, decision: &str) -> Reply {
        let page = get(url);
        assert_eq!(page.status, 200, "{page:?}");
        let form = form_with(&page, "personal_access_token")
            .set("personal_access_token", pat)
            .set("decision", decision);
        let cookies = page.cookies();
        post_form(
            &self.absolute(&form.action),
            &[("cookie", &cookies), ("origin", &self.base)],
            &form.pairs(),
        )
    }

    /// A code for a client, by personal access token.
    pub fn code(&self, client: &str, pat: &str) -> String {
        let reply = self.consent(&self.authorize_url(client, &[]), pat, "allow");
        assert_eq!(reply.status, 303, "{reply:?}");
        query_value(reply.header("location").unwrap(), "code").expect("a code")
    }

    pub fn token(&self, form: &[(&str, &str)]) -> Reply {
        post_form(&format!("{}/token", self.issuer), &[], form)
    }

    pub fn redeem(&self, client: &str, code: &str) -> Reply {
        self.token(&[
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", VERIFIER),
            ("client_id", client),
            ("redirect_uri", REDIRECT),
        ])
    }

    pub fn connect_as(&self, client: &str, pat: &str) -> Connection {
        let reply = self.redeem(client, &self.code(client, pat));
        assert_eq!(reply.status, 200, "{reply:?}");
        connection(client, &reply)
    }

    /// A new connection of a client of its own name.
    pub fn connect(&self, pat: &str) -> Connection {
        self.connect_as(&self.register("test client"), pat)
    }

    pub fn refresh(&self, client: &str, token: &str) -> Reply {
        self.token(&[("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", client)])
    }

    pub fn rpc(&self, token: &str, body: &Value) -> Reply {
        self.rpc_with(token, &[], &body.to_string())
    }

    pub fn rpc_with(&self, token: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let bearer = format!("Bearer {token}");
        let mut all =
            vec![("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        if !token.is_empty() {
            all.push(("authorization", &bearer));
        }
        for header in headers {
            all.retain(|(name, _)| *name != header.0);
            all.push(*header);
        }
        request("POST", &self.resource, &all, Some(body))
    }

    pub fn call(&self, token: &str, tool: &str, arguments: &Value) -> Reply {
        self.rpc(
            token,
            &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}}),
        )
    }

    /// Asserts that a token is refused as invalid at the resource.
    pub fn assert_dead(&self, token: &str) {
        let reply = self.call(token, "list_meetings", &json!({}));
        assert_eq!(reply.status, 401, "{reply:?}");
        assert!(reply.header("www-authenticate").unwrap().contains("error=\"invalid_token\""), "{reply:?}");
    }

    pub fn assert_alive(&self, token: &str) {
        let reply = self.call(token, "list_meetings", &json!({}));
        assert_eq!(reply.status, 200, "{reply:?}");
    }
}

/// What a token answer gave.
pub fn connection(client: &str, reply: &Reply) -> Connection {
    let body = reply.json();
    let text = |key: &str| body[key].as_str().unwrap_or_else(|| panic!("no {key}: {body}")).to_owned();
    Connection {
        client: client.to_owned(),
        access: text("access_token"),
        refresh: text("refresh_token"),
        scope: text("scope"),
    }
}
