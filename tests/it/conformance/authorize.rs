//! The authorization request: what is read, in which order, and how a no is said.

use std::net::TcpListener;

use super::holds;
use crate::support::TestApp;
use crate::support::answer::{assert_page, members, sent_on};
use crate::support::flow::{REDIRECT, form_with};
use crate::support::http::{get, post_form, request};

const HTML: [(&str, &str); 1] = [("accept", "text/html,application/xhtml+xml")];

#[test]
fn client_and_redirect_come_first_and_their_faults_are_pages() {
    let app = TestApp::start();
    let client = app.register("agent");
    let bad = [("response_type", "token"), ("code_challenge", ""), ("scope", "x"), ("resource", "x")];
    let with = |own: &[(&'static str, &'static str)]| [own, &bad].concat();
    holds("A-02", "client, then redirect, then the rest; what may not be repeated is a page", || {
        let nobody = with(&[("client_id", "nobody"), ("redirect_uri", "https://evil.example/")]);
        assert_page(&get(&app.authorize_url(&client, &nobody)), 400);
        let elsewhere = with(&[("redirect_uri", "https://evil.example/")]);
        assert_page(&get(&app.authorize_url(&client, &elsewhere)), 400);
        assert_eq!(app.told(&app.authorize_url(&client, &with(&[]))), "unsupported_response_type");
        for again in ["client_id=x", "redirect_uri=x", "state=x", "response_mode=query&response_mode=query"] {
            assert_page(&get(&format!("{}&{again}", app.authorize_url(&client, &[]))), 400);
        }
    });
    holds("N-048", "an unknown client, none, or one named twice is a page", || {
        for over in [("client_id", "nobody"), ("client_id", ""), ("client_id", "dcr_' OR 1=1")] {
            assert_page(&get(&app.authorize_url(&client, &[over])), 400);
        }
        assert_page(&get(&format!("{}&client_id={client}", app.authorize_url(&client, &[]))), 400);
        let name = "client_id";
        assert_page(&get(&format!("{}&{name}=", app.authorize_url(&client, &[]))), 400);
    });
    holds("C103", "nobody is sent to a redirect that cannot be trusted, with an error neither", || {
        for headers in [&HTML[..], &[]] {
            for over in [("redirect_uri", "https://evil.example/cb"), ("client_id", "nobody")] {
                let page =
                    request("GET", &app.authorize_url(&client, &[over, ("prompt", "none")]), headers, None);
                assert_page(&page, 400);
            }
        }
        // And one that can be is told of what is missing, by redirect.
        assert_eq!(app.told(&app.authorize_url(&client, &[("response_type", "")])), "invalid_request");
    });
    holds("C105", "resource may come again with the same value; nothing else may come twice", || {
        let url = app.authorize_url(&client, &[]);
        let resource: String = form_urlencoded::byte_serialize(app.resource.as_bytes()).collect();
        assert_eq!(get(&format!("{url}&resource={resource}")).status, 200);
        assert_eq!(get(&format!("{url}&resource={resource}%2F")).status, 200, "its other spelling");
        assert_eq!(app.told(&format!("{url}&resource=https%3A%2F%2Fother.example%2F")), "invalid_target");
        for name in ["client_id", "scope", "code_challenge", "code_challenge_method", "response_type"] {
            assert_page(&get(&format!("{url}&{name}=a")), 400);
        }
    });
}

#[test]
fn parameters_mean_what_they_say() {
    let app = TestApp::start();
    let client = app.register("agent");
    let url = |over: &[(&str, &str)]| app.authorize_url(&client, over);
    holds("A-01", "GET and HEAD; unknown parameters are ignored; other methods are 405 with Allow", || {
        let metadata = get(&format!("{}/.well-known/oauth-authorization-server", app.issuer)).json();
        let endpoint = metadata["authorization_endpoint"].as_str().unwrap();
        assert!(url(&[]).starts_with(&format!("{endpoint}?")) && !endpoint.contains('#'));
        let unknown = format!("{}&foo=1&foo=2&audience=x&claims=%7B%7D&max_age=0&login_hint=ana", url(&[]));
        assert_eq!(get(&unknown).status, 200);
        let head = request("HEAD", &url(&[]), &[], None);
        assert_eq!((head.status, head.body.len()), (200, 0));
        for method in ["PUT", "DELETE", "PATCH", "OPTIONS"] {
            let reply = request(method, &url(&[]), &[], None);
            assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, HEAD, POST")), "{method}");
        }
    });
    holds(
        "C109",
        "POST is the page's form alone; a request sent that way is a page (contract: section 3)",
        || {
            let (endpoint, query) =
                url(&[]).split_once('?').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
            let form = [("content-type", "application/x-www-form-urlencoded")];
            assert_page(&request("POST", &endpoint, &form, Some(&query)), 400);
        },
    );
    holds("A-03", "no response_type is invalid_request, another than code is not supported", || {
        assert_eq!(app.told(&url(&[("response_type", "")])), "invalid_request");
        assert_eq!(app.told(&url(&[("response_type", "token")])), "unsupported_response_type");
        // Nobody is a client here without `code`.
        let without = serde_json::json!({"redirect_uris": [REDIRECT], "response_types": ["token"]});
        assert_eq!(app.register_with(&without).status, 400);
    });
    holds("N-064", "a missing, foreign or compound response_type is refused by redirect", || {
        assert_eq!(app.told(&url(&[("response_type", "")])), "invalid_request");
        for other in ["token", "code token", "id_token", "none", "CODE", "code "] {
            assert_eq!(app.told(&url(&[("response_type", other)])), "unsupported_response_type", "{other}");
        }
    });
    holds("A-12", "the answer goes into the query and nowhere else", || {
        assert_eq!(get(&url(&[("response_mode", "query")])).status, 200);
        assert_eq!(app.told(&url(&[("response_mode", "query.jwt")])), "invalid_request");
    });
    holds("N-065", "other response modes are refused, in the query", || {
        for mode in ["fragment", "web_message", "form_post"] {
            let reply = get(&url(&[("response_mode", mode)]));
            let location = reply.header("location").unwrap();
            assert!(location.starts_with(&format!("{REDIRECT}?error=invalid_request&")), "{location}");
            assert_eq!(app.told(&url(&[("response_mode", mode)])), "invalid_request");
        }
    });
}

#[test]
fn nothing_that_a_request_names_is_fetched() {
    let app = TestApp::start();
    let client = app.register("agent");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}/request.jwt", listener.local_addr().unwrap());
    let nobody_came = || assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    let told = |name, value| app.told(&app.authorize_url(&client, &[(name, value)]));
    holds("A-11", "request and request_uri are refused by their own codes, and not fetched", || {
        assert_eq!(told("request", "eyJhbGciOiJub25lIn0.e30."), "request_not_supported");
        assert_eq!(told("request_uri", &address), "request_uri_not_supported");
        nobody_came();
    });
    holds("N-076", "no address of the inside is asked by way of request_uri", || {
        for uri in ["http://169.254.169.254/", "urn:ietf:params:oauth:request_uri:x", &address] {
            assert_eq!(told("request_uri", uri), "request_uri_not_supported");
        }
        nobody_came();
    });
}

#[test]
fn every_no_has_a_code_of_its_own() {
    let app = TestApp::start();
    let client = app.register("agent");
    let url = |over| app.authorize_url(&client, &[over]);
    holds("A-10", "who says no: access_denied, and no code", || {
        let reply = app.consent(&app.authorize_url(&client, &[]), "", "deny");
        let members = members(reply.header("location").unwrap());
        assert_eq!(members["error"], "access_denied");
        assert!(!members.contains_key("code"));
    });
    holds("A-09", "each fault is told by its registered code; our own trouble is a page, 503", || {
        for (over, error) in [
            (("code_challenge", ""), "invalid_request"),
            (("response_type", "token"), "unsupported_response_type"),
            (("scope", "nothing:here"), "invalid_scope"),
            (("resource", "https://other.example/mcp"), "invalid_target"),
            (("request", "eyJ"), "request_not_supported"),
            (("request_uri", "https://client.example/r"), "request_uri_not_supported"),
            (("prompt", "none"), "consent_required"),
        ] {
            assert_eq!(app.told(&url(over)), error);
        }
        tokio::runtime::Runtime::new().unwrap().block_on(app.app.identity.store.close());
        for headers in [&HTML[..], &[]] {
            let trouble = request("GET", &app.authorize_url(&client, &[]), headers, None);
            assert_eq!(trouble.status, 503, "{trouble:?}");
            assert!(trouble.header("retry-after").is_some() && trouble.header("location").is_none());
        }
    });
}

#[test]
fn a_browser_is_not_sent_on_by_a_fault() {
    let app = TestApp::start();
    let phishing = "https://phishing.example/cb";
    let reply = app.register_with(&serde_json::json!({"client_name": "Claude", "redirect_uris": [phishing]}));
    let client = reply.json()["client_id"].as_str().unwrap().to_owned();
    let url =
        |over: (&'static str, &'static str)| app.authorize_url(&client, &[("redirect_uri", phishing), over]);
    let faults = [("scope", "nothing:here"), ("resource", "x"), ("code_challenge", ""), ("prompt", "none")];
    holds("U-01", "before anybody has signed in a browser is sent nowhere by itself", || {
        for over in faults {
            let page = request("GET", &url(over), &HTML, None);
            assert_eq!((page.status, page.header("location")), (400, None), "{over:?}");
            assert!(!page.text().contains("http-equiv=\"refresh\""), "{}", page.text());
        }
        let page = request("GET", &url(("state", "x")), &HTML, None);
        assert_eq!(page.status, 200);
        form_with(&page, "password");
        assert!(sent_on(&page, phishing).is_none(), "not even a link before there is an answer");
    });
    holds(
        "N-081",
        "a fault in a phishing client's request is a page that names its host, with a link",
        || {
            for over in faults {
                let page = request("GET", &url(over), &HTML, None);
                assert!(page.text().contains("<bdi>phishing.example</bdi>"), "{}", page.text());
                let link = sent_on(&page, phishing).expect("a link");
                let members = members(&link);
                assert!(members.contains_key("error") && members["iss"] == app.issuer, "{members:?}");
            }
        },
    );
}

#[test]
fn other_sites_see_and_frame_nothing() {
    let app = TestApp::start();
    let client = app.register("agent");
    let url = app.authorize_url(&client, &[]);
    let page = get(&url);
    let form = form_with(&page, "transaction").set("decision", "deny");
    holds("A-16", "pages forbid frames, foreign content and copies; forms are proven; no CORS", || {
        for (name, value) in [
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(page.header(name), Some(value), "{name}");
        }
        let policy = page.header("content-security-policy").unwrap();
        for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]
        {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!page.text().contains("<script>") && !page.text().contains(" style="));
        assert_eq!(post_form(&app.absolute(&form.action), &[], &form.pairs()).status, 403);
    });
    holds("N-079", "a script of another origin may read no answer of the authorization endpoint", || {
        let fault = app.authorize_url(&client, &[("prompt", "none")]);
        let cookies = page.cookies();
        for origin in ["https://evil.example", "null", "http://localhost:6274"] {
            let headers = [("origin", origin), ("cookie", cookies.as_str()), ("sec-fetch-mode", "cors")];
            let asks = [("origin", origin), ("access-control-request-method", "GET")];
            for reply in [
                request("GET", &url, &headers, None),
                request("GET", &url, &headers[..1], None),
                request("GET", &fault, &headers, None),
                request("OPTIONS", &url, &asks, None),
                post_form(&app.absolute(&form.action), &headers, &form.pairs()),
            ] {
                let open = reply.headers.iter().find(|(name, _)| name.starts_with("access-control"));
                assert_eq!(open, None, "{reply:?}");
            }
        }
    });
    holds("N-080", "no page can be framed: policy and X-Frame-Options, the faults' pages too", || {
        for path in ["?client_id=nobody", "?transaction=txn_0000000000000000000000", "?state=a&state=b"] {
            let reply = request("GET", &format!("{}/authorize{path}", app.issuer), &HTML, None);
            assert_eq!((reply.status, reply.header("x-frame-options")), (400, Some("DENY")), "{path}");
            assert!(reply.header("content-security-policy").unwrap().contains("frame-ancestors 'none'"));
        }
    });
    holds("N-095", "a browser that says it loads a frame gets 403, whether it asks or posts", || {
        let page = get(&url);
        let form = form_with(&page, "transaction").set("decision", "deny");
        let cookies = page.cookies();
        for into in ["iframe", "frame", "embed", "object"] {
            let headers = [("sec-fetch-dest", into), ("cookie", cookies.as_str())];
            assert_page(&request("GET", &url, &headers, None), 403);
            assert_page(&post_form(&app.absolute(&form.action), &headers, &form.pairs()), 403);
        }
        let own = [("sec-fetch-dest", "document"), ("cookie", cookies.as_str())];
        assert_eq!(post_form(&app.absolute(&form.action), &own, &form.pairs()).status, 303);
    });
}
