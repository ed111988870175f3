//! What every form endpoint reads, and how it says no: the same table against token, revocation and introspection.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use super::holds;
use super::kit::{FORM, Key, refused};
use crate::support::flow::{VERIFIER, form_with};
use crate::support::http::{get, post_form, raw, request};
use crate::support::{Reply, Stopwatch, TestApp};

/// A form endpoint with a request that succeeds as often as it is sent.
struct Endpoint {
    name: &'static str,
    form: Vec<(&'static str, String)>,
    /// The parameter that carries the credential.
    main: &'static str,
    /// What it says to a request that names nobody.
    nobody: (u16, &'static str),
}

impl Endpoint {
    fn all(app: &TestApp) -> (Vec<Self>, Key) {
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
    fn body(&self, over: &[(&str, &str)]) -> String {
        let kept = self.form.iter().filter(|(name, _)| !over.iter().any(|(own, _)| own == name));
        let mut pairs: Vec<String> = kept.map(|(name, value)| format!("{name}={value}")).collect();
        pairs.extend(over.iter().map(|(name, value)| format!("{name}={value}")));
        pairs.join("&")
    }

    fn first(&self) -> &'static str {
        self.form[0].0
    }
}

#[test]
fn repeated_parameters_are_refused_and_unknown_ones_ignored() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    let each = |work: &dyn Fn(&Endpoint, &dyn Fn(&str) -> Reply)| {
        for endpoint in &endpoints {
            work(endpoint, &|more| {
                app.post_text(endpoint.name, &[], &format!("{}{more}", endpoint.body(&[])))
            });
        }
    };
    holds("N-001", "the first parameter twice is invalid_request at every form endpoint", || {
        each(&|endpoint, send| {
            refused(&send(&format!("&{}=other", endpoint.first())), 400, "invalid_request")
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

/// What comes back of a request whose body never arrives, and after how long the first of it.
fn unanswered(app: &TestApp, head: &str) -> (String, Duration) {
    let mut stream = TcpStream::connect(app.authority()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let began = Stopwatch::start();
    stream.write_all(head.as_bytes()).unwrap();
    let mut buffer = [0u8; 4096];
    let read = stream.read(&mut buffer).unwrap();
    (String::from_utf8_lossy(&buffer[..read]).into_owned(), began.elapsed())
}

#[test]
fn what_is_too_long_is_refused_by_its_own_account() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    let host = app.authority();
    holds("N-013", "10 MiB announced, and chunks without end, are 413 before they arrived", || {
        for endpoint in &endpoints {
            let lines = format!("Content-Type: {FORM}\r\nContent-Length: 10485760");
            let answer = app.post_raw(endpoint.name, &lines, &"x".repeat(60_000));
            assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
            let chunks = format!("1000\r\n{}\r\n", "x".repeat(0x1000)).repeat(16);
            let lines = format!("Content-Type: {FORM}\r\nTransfer-Encoding: chunked");
            let answer = app.post_raw(endpoint.name, &lines, &chunks);
            assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("invalid_request"), "{answer}");
        }
    });
    holds(
        "N-024",
        "Expect: 100-continue with too long a body is 413 at once, without 100 and without reading",
        || {
            let asking = |path: &str, kind: &str, length: usize| {
                let head = format!(
                    "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
                 Expect: 100-continue\r\n\r\n"
                );
                unanswered(&app, &head)
            };
            let path = |name: &str| app.endpoint(name).strip_prefix(&app.base).unwrap().to_owned();
            for (name, kind) in
                [("token", FORM), ("revoke", FORM), ("introspect", FORM), ("register", "application/json")]
            {
                let (answer, took) = asking(&path(name), kind, 10 << 20);
                assert!(
                    answer.starts_with("HTTP/1.1 413") && took < Duration::from_secs(1),
                    "{took:?} {answer}"
                );
            }
            for (page, status) in [("/login", 413), ("/nothing", 404)] {
                let (answer, took) = asking(page, FORM, 10 << 20);
                let wanted = format!("HTTP/1.1 {status}");
                assert!(answer.starts_with(&wanted) && took < Duration::from_secs(1), "{took:?} {answer}");
            }
            // Who it is comes before how long it is, also here.
            let mcp = app.resource.strip_prefix(&app.base).unwrap();
            let (answer, took) = asking(mcp, FORM, 10 << 20);
            assert!(answer.starts_with("HTTP/1.1 401") && took < Duration::from_secs(1), "{took:?} {answer}");
            let bearer = format!("Authorization: Bearer {}\r\n", endpoints[2].form[0].1);
            let json = format!("{bearer}Accept: application/json\r\n");
            let head = format!(
                "POST {mcp} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 10485760\r\n\
             Expect: 100-continue\r\n{json}\r\n"
            );
            let (answer, took) = unanswered(&app, &head);
            assert!(answer.starts_with("HTTP/1.1 413") && took < Duration::from_secs(1), "{took:?} {answer}");
            // And a body that is wanted is asked for.
            let (answer, _) = asking(&path("token"), FORM, 100);
            assert!(answer.starts_with("HTTP/1.1 100 Continue"), "{answer}");
        },
    );
    holds(
        "W-12",
        "limits: form 16 KiB, JSON 64 KiB, head 32 KiB, 64 parameters of 4 KiB, 8 resources",
        || {
            for endpoint in &endpoints {
                let send =
                    |more: &str| app.post_text(endpoint.name, &[], &format!("{}&{more}", endpoint.body(&[])));
                assert_eq!(send(&format!("x={}", "x".repeat(4096))).status, 200);
                refused(&send(&format!("x={}", "x".repeat(4097))), 400, "invalid_request");
                let padding = format!("&x={}", "x".repeat(4000));
                refused(&send(&padding.repeat(5)), 413, "invalid_request");
                let fill = 64 - endpoint.form.len();
                assert_eq!(send(&vec!["x=1"; fill].join("&")).status, 200);
                refused(&send(&vec!["x=1"; fill + 1].join("&")), 400, "invalid_request");
            }
            let resources: Vec<String> = (0..9).map(|n| format!("resource=https://h/{n}")).collect();
            let body = format!("{}&{}", endpoints[0].body(&[]), resources.join("&"));
            refused(&app.post_text("token", &[], &body), 400, "invalid_request");
            let long = format!("mico_ort_{}", "a".repeat(600));
            refused(
                &app.post_text("token", &[], &endpoints[0].body(&[("refresh_token", &long)])),
                400,
                "invalid_grant",
            );
            let body = format!("{{\"redirect_uris\":[\"https://h.example/cb\"]{}}}", " ".repeat(65_536));
            let json = [("content-type", "application/json")];
            refused(&app.post_text("register", &json, &body), 413, "invalid_request");
            let client = app.register("agent");
            let reply = get(&app.authorize_url(&client, &[("state", &"s".repeat(4097))]));
            assert_eq!((reply.status, reply.header("location")), (400, None), "one parameter too long");
            let reply = get(&format!("{}&x={}", app.authorize_url(&client, &[]), "x".repeat(9_000)));
            assert_eq!((reply.status, reply.header("location")), (400, None), "the whole query too long");
            // A head nobody needs is refused before anything is done for it, whoever would answer.
            for path in ["/login", "/nothing", "/functions/v1/mcp", "/functions/v1/mcp/token"] {
                let url = format!("{}{path}", app.base);
                let reply = request("POST", &url, &[("x-pad", &"x".repeat(33_000))], Some(""));
                assert_eq!(
                    (reply.status, reply.json()["error"].as_str()),
                    (431, Some("header_fields_too_large"))
                );
                let reply = request("POST", &format!("{url}?{}", "x".repeat(17_000)), &[], Some(""));
                assert_eq!((reply.status, reply.json()["error"].as_str()), (414, Some("uri_too_long")));
            }
            let groups = format!("Bearer {}", "x".repeat(16_000));
            let reply = request("POST", &app.resource, &[("authorization", &groups)], Some("{}"));
            assert_eq!(reply.status, 401, "16 KiB of token are read and found wrong");
        },
    );
}

#[test]
fn answers_look_the_same_everywhere() {
    let app = TestApp::start();
    let (endpoints, key) = Endpoint::all(&app);
    let issued = app.post_text("token", &[], &endpoints[0].body(&[]));
    let registered = app.register_with(&serde_json::json!({"redirect_uris": ["https://h.example/cb"]}));
    let asked = app.post_text("introspect", &[], &endpoints[2].body(&[]));
    let revoked = app.post_text("revoke", &[], &endpoints[1].body(&[]));
    holds("W-08", "what carries or refuses a credential is no-store, and JSON", || {
        for reply in [&issued, &registered, &asked] {
            assert_eq!(reply.header("content-type"), Some("application/json"));
            assert_eq!(reply.header("pragma"), Some("no-cache"));
        }
        for reply in [&issued, &registered, &asked, &revoked] {
            assert_eq!(reply.header("cache-control"), Some("no-store"), "{reply:?}");
        }
        refused(&app.post("token", &[("grant_type", "x")]), 400, "invalid_request");
        let client = app.register("agent");
        for url in
            [app.authorize_url(&client, &[]), format!("{}/login", app.base), app.authorize_url("nobody", &[])]
        {
            assert_eq!(get(&url).header("cache-control"), Some("no-store"), "{url}");
        }
    });
    holds("W-09", "no JSON member is null", || {
        let metadata = get(&format!("{}/.well-known/oauth-authorization-server", app.base));
        for reply in [&issued, &registered, &asked, &metadata] {
            for (name, value) in reply.json().as_object().unwrap() {
                assert!(!value.is_null(), "{name}: {reply:?}");
            }
        }
    });
    holds("W-10", "errors are plain ASCII and echo nothing of the request", || {
        for endpoint in &endpoints {
            let evil = "evil%22%5C%C3%A9";
            for body in [
                format!("grant_type={evil}&token={evil}&client_id={evil}&client_secret={evil}&scope={evil}"),
                endpoint.body(&[("scope", evil), ("resource", evil)]),
                format!("{evil}=1&{evil}=2"),
            ] {
                let reply = app.post_text(endpoint.name, &[], &body);
                assert!(!String::from_utf8_lossy(&reply.body).contains("evil"), "{reply:?}");
                assert!(reply.headers.iter().all(|(_, value)| !value.contains("evil")), "{reply:?}");
            }
        }
    });
    holds("W-11", "a wrong method is 405 with Allow; HEAD works where GET does", || {
        for name in ["token", "revoke", "register"] {
            let reply = get(&app.endpoint(name));
            assert_eq!((reply.status, reply.header("allow")), (405, Some("POST, OPTIONS")), "{name}");
            assert_eq!(request("OPTIONS", &app.endpoint(name), &[], None).status, 204);
        }
        assert_eq!(get(&app.endpoint("introspect")).header("allow"), Some("POST"));
        let reply = request("PUT", &app.endpoint("authorize"), &[], Some(""));
        assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, HEAD, POST")));
        for path in ["/login", "/.well-known/oauth-authorization-server"] {
            let url = format!("{}{path}", app.base);
            let (head, whole) = (request("HEAD", &url, &[], None), get(&url));
            assert_eq!((head.status, head.body.len()), (whole.status, 0), "{path}");
        }
    });
    holds(
        "W-16",
        "every answer has a request id of its own; no log holds a credential (tests/log_scan.rs)",
        || {
            let ids: std::collections::BTreeSet<String> = [
                get(&format!("{}/login", app.base)),
                get(&format!("{}/nothing", app.base)),
                app.post("token", &[]),
                app.post(
                    "introspect",
                    &[("token", "x"), ("client_id", &key.id), ("client_secret", &key.secret)],
                ),
                app.rpc("", &serde_json::json!({})),
                request("OPTIONS", &app.resource, &[], None),
            ]
            .iter()
            .map(|reply| reply.header("x-request-id").unwrap_or_else(|| panic!("{reply:?}")).to_owned())
            .collect();
            assert_eq!(ids.len(), 6, "{ids:?}");
        },
    );
    holds("W-02", "no header of a request changes a URL that is published", || {
        let forged = [
            ("x-forwarded-host", "evil.example"),
            ("x-forwarded-proto", "https"),
            ("forwarded", "host=evil.example;proto=https"),
            ("x-original-url", "/evil"),
        ];
        for path in ["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"] {
            let url = format!("{}{path}", app.base);
            assert_eq!(request("GET", &url, &forged, None).body, get(&url).body, "{path}");
        }
        let reply = request("POST", &app.resource, &forged, Some("{}"));
        assert!(reply.header("www-authenticate").unwrap().contains(&app.base), "{reply:?}");
    });
}

#[test]
fn pages_are_guarded_and_send_on_by_303() {
    let app = TestApp::start();
    let person = app.person("ana");
    let pat = app.pat(&person, &[]);
    let client = app.register("agent");
    holds("W-17", "every page has its Content-Security-Policy and the other guards", || {
        let (login, consent) = (format!("{}/login", app.base), app.authorize_url(&client, &[]));
        for url in [login, consent, app.authorize_url("nobody", &[]), format!("{}/nothing", app.base)] {
            let reply = request("GET", &url, &[("accept", "text/html")], None);
            let policy =
                reply.header("content-security-policy").unwrap_or_else(|| panic!("{url}: {reply:?}"));
            for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"] {
                assert!(policy.contains(part), "{url}: {policy}");
            }
            for (name, value) in [
                ("x-frame-options", "DENY"),
                ("referrer-policy", "no-referrer"),
                ("x-content-type-options", "nosniff"),
                ("cross-origin-opener-policy", "same-origin"),
                ("cache-control", "no-store"),
            ] {
                assert_eq!(reply.header(name), Some(value), "{url}");
            }
        }
    });
    holds("W-15", "what is posted is sent on by 303, never by 307 or 308", || {
        let reply = app.consent(&app.authorize_url(&client, &[]), &pat.token, "allow");
        assert_eq!(reply.status, 303);
        let reply = app.consent(&app.authorize_url(&client, &[]), &pat.token, "deny");
        assert_eq!(reply.status, 303);
        let page = get(&format!("{}/login", app.base));
        let form = form_with(&page, "password")
            .set("email", &person.email)
            .set("password", crate::support::callers::PASSWORD);
        let cookies = page.cookies();
        let headers = [("cookie", cookies.as_str()), ("origin", app.base.as_str())];
        let done = post_form(&app.absolute(&form.action), &headers, &form.pairs());
        assert_eq!(done.status, 303, "{done:?}");
    });
    holds(
        "W-18",
        "the form answers browsers with a page of its own, so form-action stays 'self' (rules: consent)",
        || {
            let url = app.authorize_url(&client, &[]);
            let page = request("GET", &url, &[("accept", "text/html")], None);
            assert!(page.header("content-security-policy").unwrap().contains("form-action 'self'"));
            let form = form_with(&page, "personal_access_token")
                .set("personal_access_token", &pat.token)
                .set("decision", "allow");
            let cookies = page.cookies();
            let headers =
                [("cookie", cookies.as_str()), ("origin", app.base.as_str()), ("accept", "text/html,*/*")];
            let done = post_form(&app.absolute(&form.action), &headers, &form.pairs());
            assert_eq!((done.status, done.header("location")), (200, None), "{done:?}");
            assert!(done.text().contains("http-equiv=\"refresh\""), "{}", done.text());
        },
    );
}

#[test]
fn public_urls_are_https_or_loopback() {
    holds(
        "W-01",
        "http URLs are refused but on loopback; https answers carry HSTS, http ones do not",
        || {
            let app = TestApp::start();
            assert!(get(&format!("{}/login", app.base)).header("strict-transport-security").is_none());
            let toml = std::fs::read_to_string(&app.config).unwrap();
            let path = app.dir.path().join("other.toml");
            for (url, fine) in [
                ("http://mcp.example.com", false),
                ("https://mcp.example.com", true),
                ("http://localhost:8080", true),
                ("http://10.0.0.1", false),
            ] {
                std::fs::write(&path, toml.replace(&app.base, url)).unwrap();
                let output = crate::support::app::command(&path, &["config", "check"], None);
                assert_eq!(output.status.success(), fine, "{url}: {output:?}");
            }
            let toml = toml.replace(
                &format!("public_url = \"{}\"", app.base),
                "public_url = \"https://mcp.example.com\"",
            );
            let secure =
                TestApp::builder_from(&toml.replace("portero.db", "other.db")).file("tools.json", "[]");
            let toml =
                secure.toml.replace(&format!("listen = \"{}\"", app.authority()), "listen = \"{listen}\"");
            let secure = TestApp::builder_from(&toml).file("tools.json", "[]").start();
            let listen = secure.app.config.listen.to_string();
            let ask = |path: &str| {
                raw(
                    &listen,
                    format!("GET {path} HTTP/1.1\r\nHost: mcp.example.com\r\nConnection: close\r\n\r\n")
                        .as_bytes(),
                )
            };
            for path in ["/login", "/settings/connect", "/nothing"] {
                let answer = ask(path);
                assert!(answer.contains("strict-transport-security: max-age=31536000\r\n"), "{answer}");
            }
        },
    );
}

#[test]
fn trouble_of_ours_is_503_everywhere() {
    let app = TestApp::start();
    let (endpoints, _) = Endpoint::all(&app);
    let pat = app.pat(&app.person("eva"), &[]);
    let client = app.register("agent");
    let (url, code) = (app.authorize_url(&client, &[]), app.code(&client, &pat.token));
    tokio::runtime::Runtime::new().unwrap().block_on(app.app.identity.store.close());
    app.advance(Duration::from_secs(6));
    holds(
        "W-14",
        "a database that fails is 503 temporarily_unavailable with Retry-After, never invalid_*",
        || {
            let mut replies: Vec<Reply> =
                endpoints.iter().map(|own| app.post_text(own.name, &[], &own.body(&[]))).collect();
            replies.push(app.token(&[
                ("grant_type", "authorization_code"),
                ("code", &code),
                ("code_verifier", VERIFIER),
                ("client_id", &client),
            ]));
            replies.push(app.register_with(&serde_json::json!({"redirect_uris": ["https://h.example/cb"]})));
            for reply in replies {
                refused(&reply, 503, "temporarily_unavailable");
                assert!(reply.header("retry-after").is_some() && reply.header("www-authenticate").is_none());
            }
            let page = get(&url);
            assert_eq!((page.status, page.header("location")), (503, None));
        },
    );
}
