//! Whole ways through the pages.

use std::time::Duration;

use actix_web::test::TestRequest;
use scraper::Selector;

use super::support::{Answer, Browser, ISSUER, PASSWORD, World, authorize_uri};

#[actix_web::test]
async fn a_program_that_fills_the_form_with_a_token_is_sent_straight_on() {
    let world = World::new().await;
    let token = world.token(&world.person("ana", Some("flow")).await, "mico:read").await;
    world.client("claude").await;
    let mut program = Browser::program(&world);
    let page = program.get(&authorize_uri("claude", "&scope=mico:read%20openid&lang=es")).await;
    assert_eq!(page.status, 200);
    assert!(page.says("claude <b>") && !page.text.contains("claude <b>"), "escaped");
    for wrong in ["", "nonsense", "mico_oat_x", &token.replace('m', "n")] {
        let fields = [("personal_access_token", wrong), ("decision", "allow")];
        let again = program.submit(&page, "/mcp/authorize", &fields).await;
        assert_eq!((again.status, again.location), (400, None), "{wrong}");
        assert!(wrong.is_empty() || !again.text.contains(wrong), "never echoed");
    }
    let fields = [("personal_access_token", token.as_str()), ("decision", "allow")];
    let sent = program.submit(&page, "/mcp/authorize", &fields).await;
    let location = sent.location.unwrap();
    assert_eq!(sent.status, 303);
    assert!(location.starts_with("http://127.0.0.1:5/callback?code=mico_oac_"), "{location}");
    assert!(location.ends_with("&state=st%2B1&iss=http%3A%2F%2F127.0.0.1%3A8080%2Ffunctions%2Fv1%2Fmcp"));
    assert!(!program.cookies.contains_key("portero_session"), "a pasted token begins no session");
    let twice = program.submit(&page, "/mcp/authorize", &fields).await;
    assert_eq!((twice.status, twice.location), (409, None));
}

#[actix_web::test]
async fn requests_that_cannot_be_kept_are_said_to_those_who_can_use_it() {
    let world = World::new().await;
    world.client("claude").await;
    let mut browser = Browser::new(&world);
    let mut program = Browser::program(&world);
    for uri in
        [authorize_uri("nobody", ""), authorize_uri("claude", "&redirect_uri=x"), authorize_uri("", "")]
    {
        let answer = program.get(&uri).await;
        assert_eq!((answer.status, answer.location), (400, None), "{uri}");
    }
    let wrong = authorize_uri("claude", "&prompt=none");
    let told = program.get(&wrong).await;
    assert_eq!(told.status, 303);
    assert!(told.location.unwrap().contains("?error=consent_required&"));
    let page = browser.get(&wrong).await;
    assert_eq!((page.status, page.location.as_ref()), (400, None));
    assert!(page.says("127.0.0.1") && page.text.contains("error=consent_required"));
    let gone = browser.get(&format!("{ISSUER}/authorize?transaction=txn_0000000000000000000000")).await;
    assert!(gone.status == 400 && gone.says("expired"));
    let framed =
        TestRequest::get().uri(&authorize_uri("claude", "")).insert_header(("sec-fetch-dest", "iframe"));
    assert_eq!(browser.send(framed).await.status, 403);
}

#[actix_web::test]
async fn signing_in_leads_back_to_the_request_and_binds_it() {
    let world = World::new().await;
    let (ana, ben) = (world.person("ana", Some("flow")).await, world.person("ben", Some("flow")).await);
    world.client("claude").await;
    let mut browser = Browser::new(&world);
    let asked = browser.get(&authorize_uri("claude", "&scope=mico:read")).await;
    let planted = "portero_ses_planted".to_owned();
    browser.cookies.insert("portero_session".to_owned(), planted.clone());
    let wrong = browser.submit(&asked, "/login", &[("email", &ana.email), ("password", "wrong")]).await;
    assert!(wrong.status == 400 && wrong.says("claude"));
    let right = browser.submit(&wrong, "/login", &[("password", PASSWORD)]).await;
    let back = right.location.unwrap();
    assert_eq!(right.status, 303);
    assert_ne!(browser.cookies["portero_session"], planted, "a session of its own");
    let back = back.strip_prefix("http://127.0.0.1:8080").unwrap().to_owned();
    let page = browser.get(&format!("{back}&lang=es")).await;
    assert!(page.says("ana@example.com") && page.text.contains("<html lang=\"es\">"));

    let mut other = Browser::new(&world);
    other.sign_in(&ben).await;
    assert_eq!(other.get(&back).await.status, 403, "it is ana's now");

    let none = browser.submit(&page, "/mcp/authorize", &[("decision", "allow"), ("scope", "")]).await;
    assert_eq!(none.status, 400);
    let forged = browser.submit(&page, "/mcp/authorize", &[("decision", "allow"), ("csrf", "x.y")]).await;
    assert_eq!(forged.status, 403);
    assert_eq!(browser.submit(&page, "/mcp/authorize", &[]).await.status, 400, "no decision");
    let done = browser.submit(&page, "/mcp/authorize", &[("decision", "allow")]).await;
    assert_eq!((done.status, done.location.as_ref()), (200, None));
    let link = Selector::parse("a.primary").unwrap();
    let return_to = done.html().select(&link).next().unwrap().attr("href").unwrap().to_owned();
    assert!(return_to.contains("code=mico_oac_"));
    world.redeem(&return_to).await;

    let again = browser.get(&authorize_uri("claude", "&scope=mico:read")).await;
    assert!(
        again.says("el mismo que antes") && again.says("Ya la conectaste"),
        "the short page: {}",
        again.text
    );
    let more = browser.get(&authorize_uri("claude", "&scope=mico:read%20mico:write")).await;
    assert!(more.says("1 permiso que ya diste"), "the step-up");
    let out = browser.submit(&more, "/logout", &[]).await;
    let anew = out.location.unwrap().strip_prefix("http://127.0.0.1:8080").unwrap().to_owned();
    assert!(!browser.cookies.contains_key("portero_session"));
    browser.sign_in(&ben).await;
    assert_eq!(browser.get(&anew).await.status, 200, "another account may answer the same request");
    let denied = {
        let page = browser.get(&anew).await;
        browser.submit(&page, "/mcp/authorize", &[("decision", "deny")]).await
    };
    assert!(denied.status == 200 && denied.text.contains("error=access_denied"));
    assert_eq!(browser.get(&anew).await.status, 200, "already answered");
}

#[actix_web::test]
async fn a_token_is_made_once_used_to_connect_and_revoked_with_its_connection() {
    let world = World::new().await;
    let (ana, eve) = (world.person("ana", Some("flow")).await, world.person("eve", None).await);
    world.client("claude").await;
    let mut browser = Browser::new(&world);
    let outside = browser.get("/settings/tokens/new?name=CI").await;
    assert_eq!(outside.location.as_deref(), Some("/login?next=/settings/tokens/new%3Fname%3DCI"));
    browser.sign_in(&ana).await;
    assert!(browser.get("/settings/connect").await.says("http://127.0.0.1:8080/functions/v1/mcp"));

    let form = browser.get("/settings/tokens/new?name=CI").await;
    let faulty = browser.submit(&form, "/tokens/new", &[("name", " "), ("expires", "custom")]).await;
    assert!(faulty.status == 400 && faulty.says("2 things need your attention"), "{}", faulty.text);
    let made = browser.submit(&form, "/tokens/new", &[("expires", "30d")]).await;
    assert_eq!(made.status, 200);
    let output = Selector::parse("output").unwrap();
    let token = made.html().select(&output).next().unwrap().text().collect::<String>();
    assert!(token.starts_with("mico_pat_"));
    assert!(!browser.get("/settings/tokens").await.text.contains(&token));

    let mut program = Browser::program(&world);
    let page = program.get(&authorize_uri("claude", "")).await;
    let fields = [("personal_access_token", token.as_str()), ("decision", "allow")];
    world.redeem(&program.submit(&page, "/mcp/authorize", &fields).await.location.unwrap()).await;
    assert!(browser.get("/settings/apps").await.says("CI"), "it says which token it hangs on");

    let tokens = browser.get("/settings/tokens").await;
    let link = Selector::parse("a.danger").unwrap();
    let revoke = tokens.html().select(&link).next().unwrap().attr("href").unwrap().to_owned();
    let mut stranger = Browser::new(&world);
    stranger.sign_in(&eve).await;
    assert_eq!(stranger.get(&revoke).await.status, 404);
    let question = browser.get(&revoke).await;
    assert!(question.says("claude <b>"));
    let done = browser.submit(&question, "/tokens/revoke", &[]).await;
    let told = browser.get(&done.location.unwrap()).await;
    assert!(told.says("CI") && told.says("claude <b>"));
    let apps = browser.get("/settings/apps").await;
    assert!(apps.says("You revoked the token CI"), "{}", apps.text);
    world.clock.advance(Duration::from_mins(11));
    assert!(!browser.get("/settings/tokens").await.says("claude <b>"));
}

#[actix_web::test]
async fn a_connection_is_ended_alone_and_another_persons_does_not_exist() {
    let world = World::new().await;
    let (ana, eve) = (world.person("ana", Some("flow")).await, world.person("eve", None).await);
    world.client("claude").await;
    let mut browser = Browser::new(&world);
    browser.sign_in(&ana).await;
    browser.accept = "*/*";
    for _ in 0..2 {
        let page = browser.get(&authorize_uri("claude", "")).await;
        let sent = browser.submit(&page, "/mcp/authorize", &[("decision", "allow")]).await;
        world.redeem(&sent.location.unwrap()).await;
    }
    let apps = browser.get("/settings/apps").await;
    assert!(apps.says("2 connections"), "{}", apps.text);
    let link = Selector::parse("a.danger").unwrap();
    let end = apps.html().select(&link).next().unwrap().attr("href").unwrap().to_owned();
    let mut stranger = Browser::new(&world);
    stranger.sign_in(&eve).await;
    assert_eq!(stranger.get(&end).await.status, 404);
    let refused = stranger.get(&authorize_uri("claude", "")).await;
    assert!(
        refused.says("Your plan does not include") && refused.text.contains("https://mico.example/plans")
    );

    let question = browser.get(&end).await;
    let done = browser.submit(&question, "/apps/disconnect", &[]).await;
    let told = browser.get(&done.location.unwrap()).await;
    assert!(told.says("1 connection") && told.says("You disconnected it"), "{}", told.text);
    world.clock.advance(Duration::from_hours(31 * 24));
    browser.sign_in(&ana).await;
    let later = browser.get("/settings/apps").await;
    assert!(later.says("It was not used for too long"), "{}", later.text);
}

#[actix_web::test]
async fn signing_in_is_for_this_site_slows_down_and_can_be_undone() {
    let world = World::new().await;
    let ana = world.person("ana", None).await;
    let mut browser = Browser::new(&world);
    let page = browser.get("/login?next=//evil.example").await;
    let stale = browser.submit(&page, "/login", &[("csrf", "")]).await;
    assert!(stale.status == 403 && !stale.text.contains("evil"));
    for _ in 0..20 {
        assert_eq!(
            browser.submit(&page, "/login", &[("email", "no@b.example"), ("password", "x")]).await.status,
            400
        );
    }
    let slowed = browser.submit(&page, "/login", &[("email", "no@b.example"), ("password", "x")]).await;
    assert!(slowed.status == 429 && slowed.retry_after);
    world.clock.advance(Duration::from_mins(5));
    browser.sign_in(&ana).await;
    let old = browser.cookies["portero_session"].clone();
    assert_eq!(browser.get("/login?next=/settings/apps").await.location.as_deref(), Some("/settings/apps"));
    let question = browser.get("/logout").await;
    let out = browser.submit(&question, "/logout", &[]).await;
    assert_eq!(out.location.as_deref(), Some("/login"));
    browser.cookies.insert("portero_session".to_owned(), old);
    assert_eq!(browser.get("/settings/apps").await.status, 303, "the session itself has ended");
}

#[actix_web::test]
async fn a_page_keeps_its_address_in_every_language() {
    let world = World::new().await;
    world.client("claude").await;
    let mut browser = Browser::new(&world);
    let links = |answer: &Answer| -> Vec<String> {
        let html = answer.html();
        let selector = Selector::parse("nav.languages a").unwrap();
        html.select(&selector).map(|link| link.attr("href").unwrap().to_owned()).collect()
    };
    let login = browser.get("/login?next=/settings/apps&lang=es").await;
    assert_eq!(links(&login)[1], "/login?next=%2Fsettings%2Fapps&lang=en");
    assert_eq!(browser.cookies["portero_lang"], "es");
    let page = browser.get(&authorize_uri("claude", "&ui_locales=fr%20en")).await;
    assert!(page.text.contains("<html lang=\"en\">"), "what the request asks for comes first");
    let spanish = links(&page)[0].clone();
    assert!(
        spanish.starts_with(&format!("{ISSUER}/authorize?transaction=txn_")) && spanish.ends_with("&lang=es")
    );
    assert!(browser.get(&spanish).await.text.contains("<html lang=\"es\">"));
    assert!(links(&browser.get(&authorize_uri("nobody", "")).await).is_empty());

    let style = browser.get("/assets/brand-mico.css").await;
    assert!(style.status == 200 && style.text.contains("--accent:#1f6f5c"));
    assert_eq!(browser.get("/assets/../Cargo.toml").await.status, 404);
}
