//! What people see and do in a browser, without JavaScript.

mod settings;
mod sign_in;

use crate::support::callers::{PASSWORD, Person};
use crate::support::flow::form_with;
use crate::support::http::{Reply, get, post_form, request};
use crate::support::{Site, TestApp};

pub const HTML: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

/// A browser: keeps cookies, reads HTML.
pub struct Browser<'a> {
    pub app: &'a Site,
    pub cookies: Vec<(String, String)>,
    pub language: &'static str,
}

impl<'a> Browser<'a> {
    pub fn new(app: &'a Site) -> Self {
        Self { app, cookies: Vec::new(), language: "en" }
    }

    pub fn signed_in(app: &'a Site, person: &Person) -> Self {
        let mut browser = Self::new(app);
        let page = browser.get("/login");
        let form = form_with(&page, "password").set("email", &person.email).set("password", PASSWORD);
        let done = browser.post(&form.action, &form.pairs());
        assert_eq!(done.status, 303, "{done:?}");
        browser
    }

    fn url(&self, path: &str) -> String {
        if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", self.app.base) }
    }

    fn keep(&mut self, reply: &Reply) {
        for cookie in reply.headers("set-cookie") {
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(own, _)| own != name);
            if !value.is_empty() {
                self.cookies.push((name.to_owned(), value.to_owned()));
            }
        }
    }

    /// Its cookies, as it sends them.
    pub fn header(&self) -> String {
        self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    pub fn get(&mut self, path: &str) -> Reply {
        let cookie = self.header();
        let headers = [("accept", HTML), ("cookie", cookie.as_str()), ("accept-language", self.language)];
        let reply = request("GET", &self.url(path), &headers, None);
        self.keep(&reply);
        reply
    }

    pub fn post(&mut self, path: &str, form: &[(&str, &str)]) -> Reply {
        let cookie = self.header();
        let headers = [
            ("accept", HTML),
            ("cookie", cookie.as_str()),
            ("origin", self.app.base.as_str()),
            ("sec-fetch-site", "same-origin"),
            ("accept-language", self.language),
        ];
        let reply = post_form(&self.url(path), &headers, form);
        self.keep(&reply);
        reply
    }
}

#[test]
fn people_get_pages_and_programs_get_json_where_nothing_is() {
    let app = TestApp::start();
    let mut browser = Browser::new(&app);
    let page = browser.get("/nothing-here");
    assert_eq!(page.status, 404);
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    for path in ["/.well-known/nothing", "/functions/v1/mcp/nothing"] {
        let reply = browser.get(path);
        assert_eq!((reply.status, reply.header("content-type")), (404, Some("application/json")), "{path}");
    }
    assert_eq!(get(&format!("{}/", app.base)).header("location"), Some("/settings/connect"));
}

#[test]
fn assets_are_ours_and_may_be_kept() {
    let app = TestApp::start();
    let mut browser = Browser::new(&app);
    let page = browser.get("/login");
    let html = scraper::Html::parse_document(page.text());
    let links = scraper::Selector::parse("link[href], script[src], img[src]").unwrap();
    let mut count = 0;
    for element in html.select(&links) {
        let href = element.attr("href").or(element.attr("src")).unwrap();
        assert!(href.starts_with("/assets/"), "{href}");
        let asset = get(&format!("{}{href}", app.base));
        assert_eq!(asset.status, 200, "{href}");
        assert!(asset.header("cache-control").unwrap().contains("max-age"), "{href}");
        count += 1;
    }
    assert!(count >= 2);
}
