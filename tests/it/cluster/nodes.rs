//! Two servers over one PostgreSQL, as processes of their own.

use std::time::Duration;

use serde_json::json;

use crate::pages::Browser;
use crate::support::flow::{connection, form_with};
use crate::support::http::{Reply, post_form, query_value};
use crate::support::{Nodes, Stopwatch, TestApp};

/// A node reads what others have changed every quarter of a second; the rest is what a busy machine adds.
const BOUND: Duration = Duration::from_millis(500);

fn two() -> Nodes {
    TestApp::builder().on_postgres().nodes(2)
}

fn call(nodes: &Nodes, node: usize, token: &str) -> Reply {
    nodes.only(Some(node));
    nodes.call(token, "list_meetings", &json!({}))
}

/// Each request goes to the other node than the one before it: nothing that a flow needs is in one node's memory.
#[test]
fn a_whole_flow_may_be_served_by_two_nodes_in_turn() {
    let nodes = two();
    let person = nodes.person("ana");
    let pat = nodes.pat(&person, &[]);
    for _ in 0..2 {
        let mut own = nodes.connect(&pat.token);
        for _ in 0..5 {
            nodes.assert_alive(&own.access);
            own = connection(&own.client, &nodes.refresh(&own.client, &own.refresh));
        }
        nodes.assert_alive(&own.access);
        // An odd request, so that the next round starts at the other node.
        nodes.assert_alive(&pat.token);
    }
    let client = nodes.register("Agent of Ana");
    let mut browser = Browser::signed_in(&nodes, &person);
    let page = browser.get(&nodes.authorize_url(&client, &[]));
    assert_eq!(page.status, 200, "{page:?}");
    let form = form_with(&page, "transaction").set("decision", "allow");
    let done = browser.post(&form.action, &form.pairs());
    assert_eq!(done.status, 200, "{done:?}");
    let html = scraper::Html::parse_document(done.text());
    let link = scraper::Selector::parse("a[href]").unwrap();
    let code = html.select(&link).find_map(|a| query_value(a.attr("href").unwrap(), "code")).expect("a code");
    let own = nodes.redeem(&client, &code);
    assert_eq!(own.status, 200, "{own:?}");
    nodes.assert_alive(&connection(&client, &own).access);
    assert!(browser.get("/settings/apps").text().contains("Agent of Ana"));
}

#[test]
fn what_one_node_revokes_is_dead_on_the_other_in_a_quarter_of_a_second() {
    let nodes = two();
    let person = nodes.person("ana");
    let revoke = |token: &str, client: &str| {
        nodes.only(Some(0));
        let done =
            post_form(&format!("{}/revoke", nodes.issuer), &[], &[("token", token), ("client_id", client)]);
        assert_eq!(done.status, 200, "{done:?}");
    };
    let mut slowest = Duration::ZERO;
    for round in 0..9 {
        let pat = nodes.pat(&person, &[]);
        let own = nodes.connect(&pat.token);
        let mut browser = Browser::signed_in(&nodes, &person);
        let form = form_with(&browser.get(&format!("/settings/tokens/revoke?id={}", pat.id)), "id");
        for node in [0, 1] {
            assert_eq!(call(&nodes, node, &own.access).status, 200, "warm on node {node}");
        }
        match round % 3 {
            0 => revoke(&own.access, &own.client),
            1 => revoke(&own.refresh, &own.client),
            _ => {
                nodes.only(Some(0));
                assert_eq!(browser.post("/settings/tokens/revoke", &form.pairs()).status, 303);
            }
        }
        let began = Stopwatch::start();
        // At once where it was said…
        assert_eq!(call(&nodes, 0, &own.access).status, 401);
        // …and soon elsewhere.
        while call(&nodes, 1, &own.access).status != 401 {
            assert!(began.elapsed() < BOUND, "still alive on the other node");
        }
        slowest = slowest.max(began.elapsed());
        nodes.only(None);
    }
    assert!(slowest < BOUND, "{slowest:?}");
}
