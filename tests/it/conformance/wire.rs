//! What every form endpoint reads, and how it says no: the same table against token, revocation and introspection.

use super::holds;
use super::kit::{FORM, Key, refused};
use crate::support::http::{get, request};
use crate::support::{Reply, TestApp};

/// A form endpoint with a request that succeeds as often as it is sent.
pub(super) struct Endpoint {
    pub name: &'static str,
    pub form: Vec<(&'static str, String)>,
    /// The parameter that carries the credential.
    main: &'static str,
    /// What it says to a request that names nobody.
    nobody: (u16, &'static str),
}

impl Endpoint {
    pub fn all(app: &TestApp) -> (Vec<Self>, Key) {
        let pat = app.pat(&app.person("ana"), &[]);
        let own = app.connect(&pat.token);
        let key = app.introspection_key();
        let text = str::to_owned;
        let invalid = (400, "invalid_request");
        let token = vec![
            ("grant_type", text("refresh_token")),
            ("refresh_token", own.refresh.clone()),
            ("client_id", own.client.clone()),
        ];
        let revoke = vec![("token", text("unknown")), ("client_id", own.client)];
        let introspect =
            vec![("token", own.access), ("client_id", key.id.clone()), ("client_secret", key.secret.clone())];
        let endpoints = vec![
            Self { name: "token", form: token, main: "refresh_token", nobody: invalid },
            Self { name: "revoke", form: revoke, main: "token", nobody: invalid },
            Self { name: "introspect", form: introspect, main: "token", nobody: (401, "invalid_client") },
        ];
        (endpoints, key)
    }

    /// The good form, encoded, with `over` in place of parameters of the same name; what is given is not encoded.
    pub fn body(&self, over: &[(&str, &str)]) -> String {
        let kept = self.form.iter().filter(|(name, _)| !over.iter().any(|(own, _)| own == name));
        let mut pairs: Vec<String> = kept.map(|(name, value)| format!("{name}={value}")).collect();
        pairs.extend(over.iter().map(|(name, value)| format!("{name}={value}")));
        pairs.join("&")
    }

    fn first(&self) -> &'static str {
        self.form[0].0
    }
}

/// Sends the good form of an endpoint with more behind it.
type Send<'a> = &'a dyn Fn(&str) -> Reply;

#[test]
fn repeated_parameters_are_refused_and_unknown_ones_ignored() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    let each = |work: &dyn Fn(&Endpoint, Send<'_>)| {
        for endpoint in &endpoints {
            work(endpoint, &|more| {
                app.post_text(endpoint.name, &[], &format!("{}{more}", endpoint.body(&[])))
            });
        }
    };
    holds("N-001", "the first parameter twice is invalid_request at every form endpoint", || {
        each(&|endpoint, send| {
            refused(&send(&format!("&{}=other", endpoint.first())), 400, "invalid_request");
        });
    });
    holds("N-003", "two equal client_id are invalid_request", || {
        each(&|endpoint, send| {
            let id = &endpoint.form.iter().find(|(name, _)| *name == "client_id").unwrap().1;
            refused(&send(&format!("&client_id={id}")), 400, "invalid_request");
        });
    });
    holds("N-004", "an empty parameter beside the same one with a value is invalid_request", || {
        each(&|endpoint, send| refused(&send(&format!("&{}=", endpoint.main)), 400, "invalid_request"));
        refused(&app.post_text("token", &[], "code=&code=x&client_id=x"), 400, "invalid_request");
    });
    holds("N-005", "an unknown parameter twice is ignored and the request succeeds", || {
        each(&|_, send| assert_eq!(send("&x=1&x=2&X=&trace=%7E").status, 200));
    });
    holds("W-04", "known names come once, resource may repeat, unknown names are ignored", || {
        let resource: String = form_urlencoded::byte_serialize(app.resource.as_bytes()).collect();
        let twice = format!("&resource={resource}&resource={resource}");
        each(&|endpoint, send| {
            for repeated in ["client_id=", "client_secret=&client_secret="] {
                refused(&send(&format!("&{repeated}")), 400, "invalid_request");
            }
            assert_eq!(send(&twice).status, 200, "{}", endpoint.name);
        });
    });
    holds("W-05", "a parameter without a value counts as absent", || {
        each(&|endpoint, send| {
            let reply = send("&token_type_hint=&scope=&resource=&redirect_uri=");
            assert_eq!(reply.status, 200, "{}: {reply:?}", endpoint.name);
            let empty = app.post_text(endpoint.name, &[], &endpoint.body(&[(endpoint.main, "")]));
            refused(&empty, 400, "invalid_request");
        });
        let scope = app.post_text("token", &[], &endpoints[0].body(&[("scope", "")]));
        assert_eq!(scope.json()["scope"], "mico:read");
    });
}

#[test]
fn only_forms_in_utf_8_are_read_and_only_from_the_body() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    holds("N-007", "the same members as JSON are invalid_request", || {
        for endpoint in &endpoints {
            let members: serde_json::Map<_, _> = endpoint
                .form
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone().into()))
                .collect();
            let body = serde_json::Value::Object(members).to_string();
            let json = [("content-type", "application/json")];
            refused(&app.post_text(endpoint.name, &json, &body), 400, "invalid_request");
        }
    });
    holds("C121", "a JSON body at the token endpoint is 400 invalid_request in JSON", || {
        let json = [("content-type", "application/json")];
        let body = r#"{"grant_type":"authorization_code","code":"c"}"#;
        refused(&app.post_text("token", &json, body), 400, "invalid_request");
    });
    holds("N-008", "multipart, text/plain and no media type are invalid_request", || {
        for endpoint in &endpoints {
            for kind in
                ["multipart/form-data; boundary=x", "text/plain", "application/x-www-form-urlencodedx"]
            {
                let reply = app.post_text(endpoint.name, &[("content-type", kind)], &endpoint.body(&[]));
                refused(&reply, 400, "invalid_request");
            }
            let body = endpoint.body(&[]);
            let answer = app.post_raw(endpoint.name, &format!("Content-Length: {}", body.len()), &body);
            assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("invalid_request"), "{answer}");
        }
    });
    holds("N-009", "a charset other than UTF-8 is invalid_request, UTF-8 in any case passes", || {
        for endpoint in &endpoints {
            let send = |charset: &str| {
                let kind = format!("{FORM}; charset={charset}");
                app.post_text(endpoint.name, &[("content-type", &kind)], &endpoint.body(&[]))
            };
            for other in ["iso-8859-1", "utf-16", "\"latin1\""] {
                refused(&send(other), 400, "invalid_request");
            }
            for fine in ["UTF-8", "utf-8", "\"utf-8\""] {
                assert_eq!(send(fine).status, 200, "{fine}");
            }
        }
    });
    holds("W-03", "form endpoints take POST of a UTF-8 form and nothing else", || {
        for endpoint in &endpoints {
            let body = endpoint.body(&[]);
            let plain =
                app.post_text(endpoint.name, &[("content-type", "Application/X-WWW-Form-URLEncoded")], &body);
            assert_eq!(plain.status, 200, "the media type has no case");
            for method in ["GET", "PUT", "PATCH", "DELETE"] {
                let url = format!("{}?{body}", app.endpoint(endpoint.name));
                assert_eq!(request(method, &url, &[], None).status, 405, "{method} {}", endpoint.name);
            }
        }
    });
}

#[test]
fn nothing_is_read_from_the_query() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    holds("N-011", "everything in the query and an empty body: nothing of the query is read", || {
        for endpoint in &endpoints {
            let url = format!("{}?{}", app.endpoint(endpoint.name), endpoint.body(&[]));
            let reply = request("POST", &url, &[("content-type", FORM)], Some(""));
            refused(&reply, endpoint.nobody.0, endpoint.nobody.1);
        }
    });
    let confidential = app.confidential();
    holds("N-012", "a secret in the query is not read: invalid_client", || {
        for (name, main) in [("token", "grant_type=refresh_token&refresh_token=x"), ("revoke", "token=x")] {
            let url = format!("{}?client_secret={}", app.endpoint(name), confidential.secret);
            let body = format!("{main}&client_id={}", confidential.id);
            refused(&request("POST", &url, &[("content-type", FORM)], Some(&body)), 401, "invalid_client");
        }
        let introspect = &endpoints[2];
        let url = format!("{}?client_secret={}", app.endpoint("introspect"), introspect.form[2].1);
        let body = introspect.body(&[("client_secret", "")]);
        refused(&request("POST", &url, &[("content-type", FORM)], Some(&body)), 401, "invalid_client");
    });
    holds("W-07", "the credential itself in the query is not read either", || {
        for endpoint in &endpoints {
            let value = &endpoint.form.iter().find(|(name, _)| *name == endpoint.main).unwrap().1;
            let url = format!("{}?{}={value}", app.endpoint(endpoint.name), endpoint.main);
            let body = endpoint.body(&[(endpoint.main, "")]);
            refused(&request("POST", &url, &[("content-type", FORM)], Some(&body)), 400, "invalid_request");
        }
    });
}

#[test]
fn bytes_that_are_not_text_are_refused() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    let broken = |values: &[&str]| {
        for endpoint in &endpoints {
            for value in values {
                for body in
                    [endpoint.body(&[(endpoint.main, value)]), format!("{}&x={value}", endpoint.body(&[]))]
                {
                    refused(&app.post_text(endpoint.name, &[], &body), 400, "invalid_request");
                }
            }
        }
        // The pages' own forms are read by the same reader.
        for value in values {
            let body = format!("email=a%40example.com&password={value}&csrf=x");
            let reply =
                request("POST", &format!("{}/login", app.base), &[("content-type", FORM)], Some(&body));
            assert_eq!(reply.status, 400, "{value}");
            assert!(reply.header("set-cookie").is_none_or(|cookie| !cookie.contains("session")));
        }
    };
    holds("N-015", "bytes that are not UTF-8 are invalid_request", || {
        broken(&["%ff", "%C3", "a%C0%AFb", "%ED%A0%80"]);
    });
    holds("N-016", "broken percent escapes are invalid_request", || broken(&["%zz", "%4", "%", "a%%41"]));
    holds("N-017", "NUL, CR and LF in a value are 400 and reach no header", || {
        broken(&["%00", "a%0d%0aX-Evil:%201", "a%0Ab"]);
        let client = app.register("agent");
        for (name, value) in [("state", "a\r\nX-Evil: 1"), ("scope", "mico:read\nx"), ("state", "\0")] {
            let reply = get(&app.authorize_url(&client, &[(name, value)]));
            assert_eq!(reply.status, 400, "{name}");
            assert!(reply.header("x-evil").is_none() && reply.header("location").is_none(), "{reply:?}");
        }
    });
    holds("W-06", "forms are decoded strictly from the raw bytes, never repaired", || {
        broken(&["\u{e9}%ff", "+%", "%e9"]);
        let (token, unrepaired) = (&endpoints[0], endpoints[0].form[1].1.clone());
        let fine = unrepaired.replace('_', "%5f");
        let reply = app.post_text("token", &[], &token.body(&[("refresh_token", &fine)]));
        assert_eq!(reply.status, 200, "a good escape of either case: {reply:?}");
    });
}

#[test]
fn names_and_values_have_case_and_spaces() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    let client = endpoints[0].form[2].1.clone();
    let send = |body: &str| app.post_text("token", &[], &format!("client_id={client}&{body}"));
    holds("N-019", "parameter names and grant types are case-sensitive", || {
        refused(&send("Grant_Type=authorization_code&code=x"), 400, "invalid_request");
        refused(&send("grant_type=Authorization_Code&code=x"), 400, "unsupported_grant_type");
        for endpoint in &endpoints[1..] {
            let body = endpoint.body(&[]).replace("token=", "Token=");
            refused(&app.post_text(endpoint.name, &[], &body), 400, "invalid_request");
        }
    });
    holds("N-020", "password, implicit and unknown grant types are unsupported_grant_type", || {
        for other in ["password", "implicit", "urn:x", "client_credentials", "token", "none"] {
            let form = format!("grant_type={other}&username=ana&password=x&scope=mico:read");
            refused(&send(&form), 400, "unsupported_grant_type");
        }
    });
    holds("N-021", "spaces around a value are part of it: refused, and the credential stays good", || {
        for spaced in ["+refresh_token", "refresh_token%20", "%09refresh_token"] {
            refused(&send(&format!("grant_type={spaced}&refresh_token=x")), 400, "unsupported_grant_type");
        }
        let refresh = &endpoints[0].form[1].1;
        for spaced in [format!("+{refresh}"), format!("{refresh}%20")] {
            refused(&send(&format!("grant_type=refresh_token&refresh_token={spaced}")), 400, "invalid_grant");
        }
        refused(
            &app.post_text("token", &[], &endpoints[0].body(&[("client_id", &format!("{client}+"))])),
            401,
            "invalid_client",
        );
        assert_eq!(app.post_text("token", &[], &endpoints[0].body(&[])).status, 200);
        let access = &endpoints[2].form[0].1;
        let spaced =
            app.post_text("introspect", &[], &endpoints[2].body(&[("token", &format!("{access}+"))]));
        assert_eq!(spaced.json(), serde_json::json!({"active": false}));
        let spaced = app.post_text("revoke", &[], &endpoints[1].body(&[("token", &format!("+{access}"))]));
        assert_eq!(spaced.status, 200);
        app.assert_alive(access);
    });
}

#[test]
fn answers_are_json_whatever_is_accepted() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    holds("N-023", "an Accept without JSON gets JSON all the same", || {
        for endpoint in &endpoints {
            for accept in ["text/html", FORM, "image/*;q=0.1", "application/json;q=0"] {
                let reply = app.post_text(endpoint.name, &[("accept", accept)], &endpoint.body(&[]));
                assert_eq!(reply.status, 200, "{accept}");
                let wrong = app.post_text(endpoint.name, &[("accept", accept)], "x=%ff");
                refused(&wrong, 400, "invalid_request");
            }
        }
    });
    holds("C123", "tokens come as JSON whatever Accept says, or without one; never 406", || {
        for accept in [FORM, "text/html", "*/*"] {
            let reply = app.post_text("token", &[("accept", accept)], &endpoints[0].body(&[]));
            assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
        }
        let body = endpoints[0].body(&[]);
        let answer =
            app.post_raw("token", &format!("Content-Type: {FORM}\r\nContent-Length: {}", body.len()), &body);
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("application/json"), "{answer}");
    });
    holds("N-025", "every error is JSON, no-store, without null, quotes or backslashes", || {
        for endpoint in &endpoints {
            for body in ["", "x=1", "%", "token=%22%5C&grant_type=%22%5C&client_id=%22%5C%E2%82%AC"] {
                let reply = app.post_text(endpoint.name, &[], body);
                let error = reply.json()["error"].as_str().unwrap().to_owned();
                refused(&reply, reply.status, &error);
                assert!((400..=401).contains(&reply.status), "{reply:?}");
                assert!(reply.json()["error_description"].is_string());
            }
        }
    });
}
