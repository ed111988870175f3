//! Areas of interest, practices and reflections.

use serde_json::{Value, json};

use super::super::generations::STEP;
use super::super::state::Caller;
use super::{Bench, ids, with_credits};

#[test]
fn b040_the_status_says_what_the_plan_includes() {
    let bench = Bench::new();
    for academy in [true, false] {
        let caller = Caller { owner: "ana", academy, credits: None };
        let body = bench.call(caller, "get_academy_status", json!({})).unwrap().body;
        for key in ["academy_access", "themes_available", "practices_available"] {
            assert_eq!(body[key], academy);
        }
        assert_eq!(body["active_themes"], 3);
    }
}

#[test]
fn b041_b042_themes_and_a_week_of_one() {
    let bench = Bench::new();
    let themes = bench.ana("list_themes", json!({}));
    assert_eq!(ids(&themes, "themes"), [305, 302, 301, 303], "active ones first");
    let statuses: Vec<_> =
        themes["themes"].as_array().unwrap().iter().map(|theme| theme["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["active", "active", "active", "past"]);
    let today = bench.ana("get_theme_timeline", json!({"theme_id": 301}));
    assert_eq!((&today["from"], &today["to"]), (&json!("2026-03-28"), &json!("2026-04-03")));
    let counts = |body: &Value| -> Vec<usize> {
        body["days"]
            .as_array()
            .unwrap()
            .iter()
            .map(|day| day["practices"].as_array().unwrap().len())
            .collect()
    };
    assert_eq!(counts(&today), [1, 1, 1, 2, 1, 1, 0]);
    let named = bench.ana("get_theme_timeline", json!({"theme_id": 301, "date": "2026-03-31"}));
    assert_eq!(named, today);
    bench.advance(86_400);
    let tomorrow = bench.ana("get_theme_timeline", json!({"theme_id": 301}));
    assert_eq!((&tomorrow["date"], counts(&tomorrow)), (&json!("2026-04-01"), vec![1, 1, 2, 1, 1, 0, 0]));
    for odd in [
        json!({}),
        json!({"theme_id": "301"}),
        json!({"theme_id": 301, "date": "mañana"}),
        json!({"theme_id": 301, "date": "2026-02-30"}),
        json!({"theme_id": 301, "date": "2026-03-31T00:00:00"}),
    ] {
        assert_eq!(bench.refused("get_theme_timeline", odd.clone()), 400, "{odd}");
    }
    assert_eq!(bench.refused("get_theme_timeline", json!({"theme_id": 9})), 404);
    for edge in ["9999-12-31", "0001-01-01"] {
        bench.ana("get_theme_timeline", json!({"theme_id": 301, "date": edge}));
    }
}

#[test]
fn b043_b060_b070_a_theme_is_generated_in_its_time() {
    let bench = Bench::new();
    let start = |arguments: Value| bench.call(with_credits("ana", 400), "start_theme_generation", arguments);
    for (arguments, cost) in [
        (json!({}), 66),
        (json!({"intent": "dormir mejor"}), 10),
        (json!({"seed_highlight_id": 1001}), 10),
        (json!({"seed_highlight_id": 1001, "intent": "x".repeat(280)}), 10),
    ] {
        let done = start(arguments).unwrap();
        assert_eq!(done.cost, Some(cost));
        let id = done.body["generation_id"].clone();
        let get = || bench.ana("get_theme_generation", json!({"id": id}));
        assert_eq!((&get()["status"], &get()["theme"]), (&json!("pending"), &Value::Null));
        bench.advance(STEP);
        assert_eq!(get()["status"], "processing");
        bench.advance(STEP);
        let ready = get();
        assert_eq!((&ready["status"], &ready["theme"]["status"]), (&json!("completed"), &json!("active")));
        assert!(
            ids(&bench.ana("list_themes", json!({})), "themes")
                .contains(&ready["theme"]["id"].as_i64().unwrap())
        );
    }
    assert_eq!(bench.refused("start_theme_generation", json!({"intent": "x".repeat(281)})), 400);
    assert_eq!(bench.refused("start_theme_generation", json!({"intent": " "})), 400);
    assert_eq!(bench.refused("start_theme_generation", json!({"seed_highlight_id": 9})), 404);
    assert_eq!(bench.ana("get_theme_generation", json!({"id": 802}))["status"], "failed");
    assert_eq!(bench.refused("get_theme_generation", json!({"id": 9})), 404);
}

#[test]
fn a_theme_that_cannot_be_paid_is_not_started() {
    let bench = Bench::new();
    for (credits, arguments, good) in [
        (65, json!({}), false),
        (66, json!({}), true),
        (9, json!({"intent": "x"}), false),
        (10, json!({"intent": "x"}), true),
    ] {
        let done = bench.call(with_credits("ana", credits), "start_theme_generation", arguments.clone());
        assert_eq!(
            done.map_or_else(|fault| fault.answer().0, |_| 200),
            if good { 200 } else { 402 },
            "{arguments}"
        );
    }
    let empty = bench.call(with_credits("carla", 400), "start_theme_generation", json!({}));
    assert_eq!(empty.unwrap_err().answer().0, 409, "there is nothing to begin with");
}

#[test]
fn b044_b045_b046_practices_and_reflections_are_read() {
    let bench = Bench::new();
    assert_eq!(
        ids(&bench.ana("list_theme_practices", json!({"theme_id": 301})), "practices"),
        (701..=707).collect::<Vec<_>>()
    );
    let today = bench.ana("get_today_practices", json!({}));
    assert_eq!((&today["date"], ids(&today, "practices")), (&json!("2026-03-31"), vec![704, 705, 709]));
    bench.ana("complete_theme", json!({"theme_id": 302}));
    assert_eq!(
        ids(&bench.ana("get_today_practices", json!({})), "practices"),
        [704, 705],
        "active ones alone"
    );
    let reflection = bench.ana("get_practice_reflection", json!({"practice_id": 702}));
    assert!(reflection["reflection"]["body"].as_str().unwrap().starts_with("Lo primero"));
    for absent in [701, 9] {
        assert_eq!(bench.refused("get_practice_reflection", json!({"practice_id": absent})), 404);
    }
}

#[test]
fn b061_practices_are_generated_for_a_week() {
    let bench = Bench::new();
    let asked =
        |theme: i64, context: &str, mix: &str| json!({"theme_id": theme, "context": context, "mix": mix});
    assert_eq!(bench.refused("generate_theme_practices", asked(301, "work", "act")), 409, "there are some");
    assert_eq!(bench.refused("generate_theme_practices", asked(303, "work", "act")), 409, "it is past");
    assert_eq!(bench.refused("generate_theme_practices", asked(9, "work", "act")), 404);
    for (context, mix) in [("home", "act"), ("work", "mixed")] {
        assert_eq!(bench.refused("generate_theme_practices", asked(301, context, mix)), 400);
    }
    for part in ["theme_id", "context", "mix"] {
        let mut arguments = asked(301, "work", "act");
        arguments.as_object_mut().unwrap().remove(part);
        assert_eq!(bench.refused("generate_theme_practices", arguments), 400, "{part}");
    }
    for (mix, reflects) in [("act", 0), ("reflect", 7), ("balanced", 3)] {
        for context in ["work", "personal", "both"] {
            let bench = Bench::new();
            bench.advance(86_400 * 10);
            let body = bench.ana("generate_theme_practices", asked(301, context, mix));
            let practices = body["practices"].as_array().unwrap();
            let of = practices.iter().filter(|practice| practice["kind"] == "reflect").count();
            assert_eq!((practices.len(), of), (7, reflects), "{context} {mix}");
            assert_eq!(practices[0]["date"], "2026-04-10");
            assert_eq!(bench.refused("generate_theme_practices", asked(301, context, mix)), 409);
        }
    }
}

#[test]
fn b062_b063_b064_b065_what_is_settled_stays_settled() {
    let bench = Bench::new();
    assert_eq!(bench.ana("complete_practice", json!({"practice_id": 704}))["practice"]["status"], "done");
    assert_eq!(bench.ana("skip_practice", json!({"practice_id": 706}))["practice"]["status"], "skipped");
    for (tool, id) in [("complete_practice", 704), ("skip_practice", 704), ("complete_practice", 706)] {
        assert_eq!(bench.refused(tool, json!({"practice_id": id})), 409);
    }
    let saved = bench.ana("log_practice_reflection", json!({"practice_id": 705, "body": "El correo."}));
    assert_eq!(bench.ana("get_practice_reflection", json!({"practice_id": 705})), saved);
    bench.ana("log_practice_reflection", json!({"practice_id": 705, "body": "Mejor: el móvil."}));
    let last = bench.ana("get_practice_reflection", json!({"practice_id": 705}));
    assert_eq!(last["reflection"]["body"], "Mejor: el móvil.");
    for body in [json!(""), json!("  "), json!(null), json!("x".repeat(5001))] {
        let arguments = json!({"practice_id": 705, "body": body});
        assert_eq!(bench.refused("log_practice_reflection", arguments), 400);
    }
    assert_eq!(bench.refused("log_practice_reflection", json!({"practice_id": 704, "body": "x"})), 409);
    let theme = bench.ana("complete_theme", json!({"theme_id": 301}))["theme"].clone();
    assert_eq!((&theme["status"], &theme["ended_on"]), (&json!("past"), &json!("2026-03-31")));
    assert_eq!(bench.refused("complete_theme", json!({"theme_id": 301})), 409);
    for tool in ["complete_practice", "skip_practice"] {
        assert_eq!(bench.refused(tool, json!({"practice_id": 9})), 404);
    }
}
