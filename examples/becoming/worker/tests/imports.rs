//! What goes on in the background.

use serde_json::{Value, json};

use super::super::imports::STEP;
use super::{Bench, with_credits};

const HOUR: &str = "https://www.youtube.com/watch?v=orilla-100";

fn add(bench: &Bench, credits: i64, arguments: Value) -> (i64, i64) {
    let done = bench.call(with_credits("ana", credits), "add_source", arguments).unwrap();
    (done.body["import_id"].as_i64().unwrap(), done.cost.unwrap())
}

fn import(bench: &Bench, id: i64) -> Value {
    bench.ana("get_import", json!({"id": id}))
}

fn highlights(bench: &Bench, source: &Value) -> i64 {
    bench.ana("get_source", json!({"id": source}))["source"]["highlights_count"].as_i64().unwrap()
}

#[test]
fn b031_b033_b034_an_import_goes_its_way_by_the_clock() {
    let bench = Bench::new();
    let (id, _) = add(&bench, 40, json!({"url": HOUR}));
    let mut seen = Vec::new();
    for _ in 0..7 {
        let now = import(&bench, id);
        seen.push((
            now["status"].as_str().unwrap().to_owned(),
            now["counts"]["highlights"].as_i64().unwrap(),
        ));
        bench.advance(STEP);
    }
    let expected = [
        ("pending", 0),
        ("processing", 0),
        ("processing", 1),
        ("processing", 2),
        ("processing", 3),
        ("completed", 4),
        ("completed", 4),
    ];
    assert_eq!(seen, expected.map(|(status, count)| (status.to_owned(), count)));
    let done = import(&bench, id);
    assert_eq!((&done["counts"]["sources"], &done["failure_reason"]), (&json!(1), &Value::Null));
    assert_eq!(highlights(&bench, &done["source_id"]), 4);
    assert_eq!(bench.refused("get_import", json!({"id": id + 1000})), 404);
    let (failed, _) = add(&bench, 40, json!({"url": "https://youtu.be/nada"}));
    bench.advance(STEP * 2);
    let failed = import(&bench, failed);
    assert_eq!((&failed["status"], &failed["source_id"]), (&json!("failed"), &Value::Null));
    assert_eq!(failed["failure_reason"], "the video has no transcript");
}

#[test]
fn imports_go_on_while_nobody_asks() {
    let bench = Bench::new();
    let (id, _) = add(&bench, 40, json!({"url": HOUR}));
    bench.advance(STEP * 100);
    let newest = bench.ana("search_highlights", json!({"query": "pausa idea progreso semana", "limit": 50}));
    assert!(newest["meta"]["total"].as_i64().unwrap() > 0);
    assert_eq!(import(&bench, id)["counts"]["highlights"], 4);
}

#[test]
fn b035_b036_b073_a_video_out_of_credits_is_taken_up_at_night_and_the_old_import_never_says_so() {
    for (credits, paid) in [(0, 0), (-3, 0), (1, 1), (2, 2)] {
        let bench = Bench::new();
        let (id, cost) = add(&bench, credits, json!({"url": HOUR}));
        assert_eq!(cost, paid, "no more than there is");
        bench.advance(STEP * 10);
        let short = import(&bench, id);
        assert_eq!(
            (&short["status"], &short["failure_reason"]),
            (&json!("failed"), &json!("out_of_credits"))
        );
        let source = short["source_id"].clone();
        assert_eq!(highlights(&bench, &source), paid, "the source is there");
        let mut counts = vec![paid];
        for _ in 0..3 {
            bench.advance(86_400);
            counts.push(highlights(&bench, &source));
            assert_eq!(import(&bench, id), short, "it keeps what it came to");
        }
        assert!(counts[1] > counts[0], "{counts:?}");
        assert_eq!(counts[3], 4, "{counts:?}");
    }
}

#[test]
fn a_page_without_credits_waits_too_and_a_new_library_has_no_nights_behind_it() {
    let bench = Bench::new();
    let page = json!({"url": "https://lecturas.example.com/x"});
    let done = bench.call(with_credits("carla", 0), "add_source", page).unwrap();
    let id = done.body["import_id"].clone();
    let asked = |tool: &str, arguments: Value| bench.ok("carla", tool, arguments);
    bench.advance(STEP * 5);
    let short = asked("get_import", json!({"id": id}));
    assert_eq!(short["failure_reason"], "out_of_credits");
    let count = || asked("list_sources", json!({}))["sources"][0]["highlights_count"].clone();
    assert_eq!(count(), 0);
    bench.advance(86_400);
    assert_eq!(count(), 1);
}
