//! What an authorization endpoint tells a client: the members of a redirect.

use std::collections::BTreeMap;

use scraper::{Html, Selector};

use super::TestApp;
use super::http::{Reply, get, query};

/// The members of an answer. Each stands in it once, outside any fragment.
pub fn members(location: &str) -> BTreeMap<String, String> {
    assert!(!location.contains('#'), "{location}");
    let mut members = BTreeMap::new();
    for (name, value) in query(location) {
        assert!(members.insert(name.clone(), value).is_none(), "{name} twice in {location}");
    }
    members
}

/// The address a page sends its reader on to: the link, which the refresh, if there is one, names too.
pub fn sent_on(page: &Reply, beginning: &str) -> Option<String> {
    let html = Html::parse_document(page.text());
    let links = Selector::parse("a[href]").unwrap();
    let link = html.select(&links).filter_map(|a| a.attr("href")).find(|href| href.starts_with(beginning))?;
    let refresh = Selector::parse("meta[http-equiv=refresh]").unwrap();
    if let Some(meta) = html.select(&refresh).next() {
        assert_eq!(meta.attr("content"), Some(format!("0;url={link}").as_str()));
    }
    Some(link.to_owned())
}

/// A page that says no, and leads nowhere.
pub fn assert_page(reply: &Reply, status: u16) {
    assert_eq!(reply.status, status, "{reply:?}");
    assert!(reply.header("location").is_none(), "{reply:?}");
    assert!(reply.header("content-type").is_some_and(|kind| kind.starts_with("text/html")), "{reply:?}");
    assert!(sent_on(reply, "http").is_none() && !reply.text().contains("http-equiv"), "{}", reply.text());
}

impl TestApp {
    /// The error a program is told by redirect, which carries nothing but what belongs there.
    pub fn told(&self, url: &str) -> String {
        let reply = get(url);
        assert_eq!(reply.status, 303, "{url}: {reply:?}");
        let location = reply.header("location").unwrap();
        assert!(location.starts_with(super::flow::REDIRECT), "{location}");
        let members = members(location);
        let names: Vec<_> = members.keys().map(String::as_str).collect();
        assert_eq!(names, ["error", "error_description", "iss", "state"], "{location}");
        assert_eq!((members["iss"].as_str(), members["state"].as_str()), (self.issuer.as_str(), "st+1/=%&"));
        members["error"].clone()
    }
}
