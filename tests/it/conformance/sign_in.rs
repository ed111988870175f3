//! Sessions: new at each sign-in, out of reach of others, over when they should be.

use std::time::Duration;

use super::holds;
use crate::pages::Browser;
use crate::support::app::Builder;
use crate::support::callers::{PASSWORD, Person};
use crate::support::flow::form_with;
use crate::support::http::{Reply, post_form, request};
use crate::support::{Stopwatch, TestApp, eventually};

/// Signs in, whatever the browser had before; answers with the new session's value.
fn sign_in(browser: &mut Browser<'_>, person: &Person, password: &str) -> Reply {
    // Without its session the browser is shown the form; then it sends what it had.
    let mut fresh = Browser { app: browser.app, cookies: Vec::new(), language: "en" };
    let page = fresh.get("/login");
    let (name, value) = fresh.cookies.iter().find(|(name, _)| name.contains("browser")).unwrap().clone();
    browser.cookies.retain(|(own, _)| *own != name);
    browser.cookies.push((name, value));
    let form = form_with(&page, "password").set("email", &person.email).set("password", password);
    browser.post(&form.action, &form.pairs())
}

fn session(browser: &Browser<'_>) -> Option<(String, String)> {
    browser.cookies.iter().find(|(name, _)| name.ends_with("portero_session")).cloned()
}

fn is_signed_in(app: &TestApp, cookie: (String, String)) -> bool {
    let mut browser = Browser { app, cookies: vec![cookie], language: "en" };
    browser.get("/settings/apps").status == 200
}

/// The same server as the world sees it behind its proxy.
fn on_https() -> Builder {
    let mut builder = TestApp::builder();
    builder.toml = builder.toml.replace("\"{base}", "\"https://mcp.example.com");
    builder
}

#[test]
fn a_session_is_new_at_each_sign_in() {
    let app = TestApp::start();
    let (ana, eve) = (app.person("ana"), app.person("eve"));
    holds("N-085", "a session planted before the sign-in is replaced, and is over", || {
        let planted = session(&Browser::signed_in(&app, &eve)).unwrap();
        for value in [planted.1.as_str(), "fixed-by-somebody-else"] {
            let planted = (planted.0.clone(), value.to_owned());
            let mut browser = Browser { app: &app, cookies: vec![planted.clone()], language: "en" };
            assert_eq!(sign_in(&mut browser, &ana, PASSWORD).status, 303);
            let own = session(&browser).unwrap();
            assert_ne!(own, planted);
            assert!(browser.get("/settings/apps").text().contains("ana") && is_signed_in(&app, own));
            assert!(!is_signed_in(&app, planted), "neither eve's nor ana's");
        }
    });
    holds(
        "U-13",
        "signing out, a new password and a lock end sessions; the lock ends connections too",
        || {
            let pat = app.pat(&ana, &[]);
            let connection = app.connect(&pat.token);
            let mut browser = Browser::signed_in(&app, &ana);
            let (one, other) =
                (session(&browser).unwrap(), session(&Browser::signed_in(&app, &ana)).unwrap());
            let form = form_with(&browser.get("/logout"), "csrf");
            assert_eq!(browser.post("/logout", &form.pairs()).status, 303);
            assert!(!is_signed_in(&app, one) && is_signed_in(&app, other.clone()), "this one alone");
            let new = "another horse battery staple";
            let set =
                app.command(&["user", "password", &ana.email, "--password-stdin"], Some(&format!("{new}\n")));
            assert!(set.status.success(), "{set:?}");
            assert!(!is_signed_in(&app, other));
            app.assert_alive(&connection.access);
            let mut browser = Browser::new(&app);
            assert_eq!(sign_in(&mut browser, &ana, PASSWORD).status, 400, "the old password");
            assert_eq!(sign_in(&mut browser, &ana, new).status, 303);
            app.cli(&["user", "lock", &ana.email], None);
            assert!(!is_signed_in(&app, session(&browser).unwrap()));
            eventually("the connection of who is locked ends", || {
                let call = app.call(&connection.access, "list_meetings", &serde_json::json!({}));
                (call.status == 401).then_some(())
            });
            app.cli(&["user", "unlock", &ana.email], None);
            assert!(!is_signed_in(&app, session(&browser).unwrap()), "and stays so");
        },
    );
}

#[test]
fn what_was_seen_is_kept_by_nobody() {
    let app = TestApp::start();
    let eve = app.person("eve");
    holds("N-105", "after signing out nothing is shown again: no page is kept by anybody", || {
        let mut browser = Browser::signed_in(&app, &eve);
        let client = app.register("agent");
        for path in [
            "/settings/apps",
            "/settings/tokens",
            "/settings/connect",
            "/logout",
            &app.authorize_url(&client, &[]),
        ] {
            let page = browser.get(path);
            assert_eq!((page.status, page.header("cache-control")), (200, Some("no-store")), "{path}");
        }
        let form = form_with(&browser.get("/logout"), "csrf");
        let out = browser.post("/logout", &form.pairs());
        assert_eq!((out.status, out.header("cache-control")), (303, Some("no-store")));
        for path in ["/settings/apps", "/settings/tokens", "/settings/connect"] {
            let reply = browser.get(path);
            assert_eq!((reply.status, reply.body.len()), (303, 0), "{path}");
        }
        assert!(!browser.get(&app.authorize_url(&client, &[])).text().contains(&eve.email));
    });
}

#[test]
fn cookies_belong_to_this_host_and_end() {
    let app = on_https().start();
    let ana = app.person("ana");
    let host = ("host", "mcp.example.com");
    let page = request("GET", &format!("{}/login", app.base), &[host], None);
    let form = form_with(&page, "password").set("email", &ana.email).set("password", PASSWORD);
    let sign_in = || {
        let headers = [host, ("cookie", &page.cookies()), ("origin", "https://mcp.example.com")];
        post_form(&format!("{}/login", app.base), &headers, &form.pairs())
    };
    let reply = sign_in();
    assert_eq!(reply.status, 303, "{reply:?}");
    let with = |cookie: &str| {
        request("GET", &format!("{}/settings/apps", app.base), &[host, ("cookie", cookie)], None).status
    };
    let own = |reply: &Reply| reply.cookies();
    holds("U-04", "__Host-, Secure, HttpOnly, Lax, Path=/; twelve idle hours, seven days at most", || {
        let all = [page.headers("set-cookie"), reply.headers("set-cookie")].concat();
        assert_eq!(all.len(), 2, "{all:?}");
        for cookie in all {
            let parts: Vec<_> = cookie.split("; ").collect();
            assert!(parts[0].starts_with("__Host-portero_"), "{cookie}");
            for part in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"] {
                assert!(parts.contains(&part), "{cookie}");
            }
            assert!(!cookie.contains("Domain"), "{cookie}");
        }
        assert_ne!(own(&sign_in()), own(&reply), "a new one each time");
        let cookie = own(&sign_in());
        for _ in 0..14 {
            app.advance(Duration::from_mins(12 * 60 - 1));
            assert_eq!(with(&cookie), 200, "in use");
        }
        app.advance(Duration::from_hours(1));
        assert_eq!(with(&cookie), 303, "seven days, used or not");
        let cookie = own(&sign_in());
        app.advance(Duration::from_secs(12 * 3600 + 1));
        assert_eq!(with(&cookie), 303, "twelve hours without use");
    });
    holds("N-104", "a cookie that a sibling host could set is not looked at", || {
        let cookie = own(&sign_in());
        let (name, value) = cookie.split_once('=').unwrap();
        assert_eq!(with(&format!("{name}={value}")), 200);
        for other in ["portero_session", "session", "__Secure-portero_session", "__host-portero_session"] {
            assert_eq!(with(&format!("{other}={value}")), 303, "{other}");
        }
    });
}

#[test]
fn a_sign_in_leads_only_to_places_of_this_host() {
    let app = TestApp::start();
    let ana = app.person("ana");
    let foreign = [
        "//evil.example",
        "/\\evil",
        "https://evil.example/",
        "javascript:alert(1)",
        "/a//evil.example",
        "/\tevil",
        "evil.example",
    ];
    let lands = |next: &str| {
        let mut browser = Browser::new(&app);
        let escaped: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
        let page = browser.get(&format!("/login?next={escaped}"));
        let kept =
            form_with(&page, "password").fields.into_iter().find(|(name, _)| name == "next").unwrap().1;
        let form =
            form_with(&page, "password").set("email", &ana.email).set("password", PASSWORD).set("next", next);
        let reply = browser.post("/login", &form.pairs());
        assert_eq!(reply.status, 303, "{next}: {reply:?}");
        let location = reply.header("location").unwrap().to_owned();
        // Who is signed in is sent on without a form.
        let again = browser.get(&format!("/login?next={escaped}"));
        assert_eq!((again.status, again.header("location")), (303, Some(location.as_str())));
        (kept, location)
    };
    holds("N-100", "next names no other host, however it is spelt", || {
        for next in foreign {
            assert_eq!(lands(next), (String::new(), "/settings/connect".to_owned()), "{next}");
        }
        // Escapes inside a path stay what they are: a path of ours.
        assert_eq!(lands("/%2f%2fevil").1, "/%2f%2fevil");
    });
    holds(
        "U-10",
        "next is a kept request or a path of this host, nothing else (contract: section 3)",
        || {
            assert_eq!(lands("/settings/tokens").1, "/settings/tokens");
            let client = app.register("agent");
            let page = Browser::new(&app).get(&app.authorize_url(&client, &[]));
            let id =
                form_with(&page, "password").fields.into_iter().find(|(name, _)| name == "next").unwrap().1;
            assert_eq!(lands(&id).1, format!("{}/authorize?transaction={id}", app.issuer));
            for other in ["txn_../../evil", "txn_a/b", "transaction"] {
                assert_eq!(lands(other).1, "/settings/connect");
            }
        },
    );
}

#[test]
fn guessing_learns_nothing_and_is_slowed_down() {
    let app = TestApp::start();
    let (ana, locked) = (app.person("ana"), app.person("locked"));
    app.cli(&["user", "lock", &locked.email], None);
    let mut browser = Browser::new(&app);
    let page = browser.get("/login");
    let mut attempt = |email: &str, password: &str| {
        let form = form_with(&page, "password").set("email", email).set("password", password);
        let watch = Stopwatch::start();
        let reply = browser.post("/login", &form.pairs());
        (watch.elapsed(), reply)
    };
    holds("N-103", "unknown, locked and wrong are one status, one text and as much work", || {
        // The first try makes the hash that stands in for those who do not exist.
        attempt("nobody@example.com", "x");
        let kinds =
            [(ana.email.as_str(), "wrong"), ("nobody@example.com", "wrong"), (&locked.email, PASSWORD)];
        let mut quickest = [Duration::MAX; 3];
        let mut alike = false;
        // Other work on the machine only slows: the quickest of a few says what there is to do.
        for _ in 0..30 {
            let mut texts = Vec::new();
            for ((email, password), quickest) in kinds.iter().zip(&mut quickest) {
                let (time, reply) = attempt(email, password);
                assert_eq!(reply.status, 400, "{email}");
                *quickest = time.min(*quickest);
                texts.push(reply.text().replace(email, "…"));
            }
            assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
            let least = *quickest.iter().min().unwrap();
            alike = quickest.iter().all(|time| *time < least * 2);
            if alike {
                break;
            }
            app.advance(Duration::from_mins(5));
        }
        // A hash is made for each: without it an answer would be there in a fraction of the time.
        assert!(alike, "{quickest:?}");
    });
    holds(
        "U-11",
        "twenty wrong tries of an account or an address in five minutes, then 429 with Retry-After",
        || {
            app.advance(Duration::from_mins(5));
            let tries: Vec<_> =
                (0..22).map(|number| attempt(&format!("n{number}@example.com"), "x").1).collect();
            assert_eq!(tries.iter().filter(|reply| reply.status == 400).count(), 20);
            let slowed = &tries[21];
            assert_eq!(slowed.status, 429);
            assert!(slowed.header("retry-after").unwrap().parse::<u64>().unwrap() <= 300);
            assert_eq!(attempt(&ana.email, PASSWORD).1.status, 429, "the right one waits as well");
            app.advance(Duration::from_mins(5));
            assert_eq!(attempt(&ana.email, PASSWORD).1.status, 303);
        },
    );
}
