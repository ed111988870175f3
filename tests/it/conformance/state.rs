//! `state`: what a client sends comes back as it was meant, escaped once.

use super::holds;
use crate::support::TestApp;
use crate::support::answer::{assert_page, members};
use crate::support::flow::REDIRECT;
use crate::support::http::{get, raw};

/// The answer to a request whose query ends in this.
fn answer(app: &TestApp, client: &str, pat: &str, tail: &str) -> String {
    let url = format!("{}{tail}", app.authorize_url(client, &[("state", "")]));
    let reply = app.consent(&url, pat, "allow");
    let location = reply.header("location").unwrap_or_else(|| panic!("{tail}: {reply:?}"));
    assert!(location.starts_with(&format!("{REDIRECT}?code=")) && !location.contains('+'), "{location}");
    location.to_owned()
}

#[test]
fn a_state_comes_back_as_it_was_meant() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]).token;
    let back = |sent: &str| {
        let location = answer(&app, &client, &pat, &format!("&state={sent}"));
        location.split('&').find_map(|member| member.strip_prefix("state=")).unwrap().to_owned()
    };
    holds("C090", "reserved characters come back percent-encoded; a bare plus in state is a plus", || {
        assert_eq!(back("n%2BeBY2DPiNEk3xEe7rqmtg%3D%3D"), "n%2BeBY2DPiNEk3xEe7rqmtg%3D%3D");
        assert_eq!(back("wXy+abc%2F%3D"), "wXy%2Babc%2F%3D");
        assert_eq!(back("n+eB/=="), "n%2BeB%2F%3D%3D");
        assert_eq!(back("a%20b%26c%23d%3F"), "a%20b%26c%23d%3F");
    });
    holds("C091", "escaped once, not twice; what was escaped twice stays so", || {
        for sent in ["n%2BeB%3D%3D", "%7B%22a%22%3A1%7D"] {
            assert_eq!(back(sent), sent);
            assert!(!back(sent).contains("%25"));
        }
        assert_eq!(back("n%252BeB%253D"), "n%252BeB%253D");
    });
    holds("C093", "without a state there is none in any answer", || {
        for decision in ["allow", "deny"] {
            let reply = app.consent(&app.authorize_url(&client, &[("state", "")]), &pat, decision);
            let members = members(reply.header("location").unwrap());
            assert!(members.contains_key("iss") && !members.contains_key("state"), "{members:?}");
        }
        let reply = get(&app.authorize_url(&client, &[("state", ""), ("response_type", "token")]));
        assert!(!members(reply.header("location").unwrap()).contains_key("state"));
        // A parameter without a value counts as absent.
        assert!(!answer(&app, &client, &pat, "&state=").contains("state"));
    });
    holds("A-04", "up to 4 KiB come back exactly; control characters and more are a page", || {
        let most = "s".repeat(4096);
        assert_eq!(back(&most), most);
        for bad in [&"s".repeat(4097), "a%0Ab", "a%0Db", "a%00b", "%0d%0aSet-Cookie:%20x=y", "%ff", "%zz"] {
            assert_page(&get(&format!("{}&state={bad}", app.authorize_url(&client, &[("state", "")]))), 400);
        }
    });
}

#[test]
fn a_hostile_state_is_refused_or_inert() {
    let app = TestApp::start();
    let client = app.register("agent");
    let pat = app.pat(&app.person("ana"), &[]).token;
    holds("N-063", "a hostile state is refused, or comes back escaped and is inert in every page", || {
        let url = app.authorize_url(&client, &[("state", "")]);
        let split = get(&format!("{url}&state=x%0d%0aSet-Cookie:%20planted=1"));
        assert_page(&split, 400);
        assert!(split.headers("set-cookie").iter().all(|cookie| !cookie.contains("planted")));
        let path = url.strip_prefix(&app.base).unwrap();
        let long = format!(
            "GET {path}&state={} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            "x".repeat(100 * 1024),
            app.authority()
        );
        let answer_to_long = raw(app.authority(), long.as_bytes());
        assert!(
            answer_to_long.starts_with("HTTP/1.1 4") && !answer_to_long.contains("ocation:"),
            "{answer_to_long}"
        );

        let emoji = answer(&app, &client, &pat, "&state=%F0%9F%8C%9E");
        assert!(emoji.contains("&state=%F0%9F%8C%9E&"), "{emoji}");
        let script = "%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E";
        let asked = format!("{url}&state={script}");
        let html = [("accept", "text/html")];
        let fault = format!("{asked}&prompt=none");
        for page in [
            crate::support::request("GET", &asked, &html, None),
            crate::support::request("GET", &fault, &html, None),
        ] {
            assert!(!page.text().contains("<script>alert"), "{}", page.text());
        }
        let back = answer(&app, &client, &pat, &format!("&state={script}"));
        assert_eq!(members(&back)["state"], "\"><script>alert(1)</script>");
        assert!(back.bytes().all(|b| !matches!(b, b'"' | b'<' | b'>')), "{back}");
    });
}
