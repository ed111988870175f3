//! Areas of interest, practices and reflections.

use serde_json::{Value, json};

use super::{Becoming, SCOPES, column, connected, ids, statement};

/// All permissions but one.
fn without(scope: &str) -> Vec<&'static str> {
    SCOPES.into_iter().filter(|own| *own != scope).collect()
}

#[test]
fn b038_b039_b040_whether_la_academia_is_there() {
    let becoming = Becoming::start();
    let ana = connected(&becoming.app, &becoming.ana, &["notes:read"]);
    let bruno = connected(&becoming.app, &becoming.bruno, &["notes:read"]);
    let carla = connected(&becoming.app, &becoming.app.person_on("carla", None), &["notes:read"]);
    statement("B039", || {
        let listed = ana.rpc("tools/list", &json!({})).json()["result"].clone();
        assert_eq!(column(&listed, "tools", "name"), ["get_academy_status"]);
        ana.ask("get_academy_status", json!({}));
    });
    statement("B040", || {
        for (caller, academy) in [(&ana, true), (&bruno, false), (&carla, false)] {
            let status = caller.ask("get_academy_status", json!({}));
            for key in ["academy_access", "themes_available", "practices_available"] {
                assert_eq!(status[key], academy, "{status}");
            }
        }
    });
    statement("B038", || {
        let (ana, bruno) = (becoming.as_ana(), becoming.as_bruno());
        for (caller, themes) in [(&ana, vec![305, 302, 301, 303]), (&bruno, vec![304])] {
            assert_eq!(ids(&caller.ask("list_themes", json!({})), "themes"), themes, "one's own");
        }
        assert_eq!(bruno.refused("get_theme_timeline", json!({"theme_id": 301})), -32003, "ana's");
    });
}

#[test]
fn b041_b042_b043_b044_b045_b046_what_is_read() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    let themes = connected(&becoming.app, &becoming.ana, &without("themes:read"));
    let practices = connected(&becoming.app, &becoming.ana, &without("practices:read"));
    statement("B041", || {
        let body = ana.ask("list_themes", json!({}));
        assert_eq!(column(&body, "themes", "status"), ["active", "active", "active", "past"]);
        assert_eq!(themes.refused("list_themes", json!({})), -32002);
    });
    statement("B042", || {
        let today = ana.ask("get_theme_timeline", json!({"theme_id": 301}));
        assert_eq!(today["date"], becoming.day(0), "unless told");
        assert_eq!(
            column(&today, "days", "date"),
            (-3..=3).map(|ahead| becoming.day(ahead)).collect::<Vec<_>>()
        );
        let counts: Vec<_> =
            column(&today, "days", "practices").iter().map(|own| own.as_array().unwrap().len()).collect();
        assert_eq!(counts, [1, 1, 1, 2, 1, 1, 0]);
        let date = becoming.day(2);
        let later = ana.ask("get_theme_timeline", json!({"theme_id": 301, "date": date}));
        assert_eq!((&later["date"], &later["from"]), (&json!(date), &json!(becoming.day(-1))));
        becoming.pass(86_400);
        assert_eq!(ana.ask("get_theme_timeline", json!({"theme_id": 301}))["date"], becoming.day(0));
        becoming.pass(-86_400);
        for arguments in [json!({}), json!({"theme_id": 301, "date": "mañana"})] {
            assert_eq!(ana.refused("get_theme_timeline", arguments.clone()), -32011, "{arguments}");
        }
        assert_eq!(themes.refused("get_theme_timeline", json!({"theme_id": 301})), -32002);
    });
    statement("B043", || {
        let done = ana.ask("get_theme_generation", json!({"id": 801}));
        assert_eq!((&done["status"], &done["theme"]["id"]), (&json!("completed"), &json!(302)));
        let failed = ana.ask("get_theme_generation", json!({"id": 802}));
        assert!(failed["status"] == "failed" && failed["failure_reason"].is_string(), "{failed}");
        assert_eq!(ana.refused("get_theme_generation", json!({"id": 803})), -32003, "bruno's");
        assert_eq!(ana.refused("get_theme_generation", json!({})), -32011);
        assert_eq!(themes.refused("get_theme_generation", json!({"id": 801})), -32002);
    });
    statement("B044", || {
        let body = ana.ask("list_theme_practices", json!({"theme_id": 301}));
        assert_eq!(ids(&body, "practices"), (701..=707).collect::<Vec<_>>());
        assert_eq!(ana.refused("list_theme_practices", json!({})), -32011);
        assert_eq!(practices.refused("list_theme_practices", json!({"theme_id": 301})), -32002);
    });
    statement("B045", || {
        let body = ana.ask("get_today_practices", json!({}));
        assert_eq!((&body["date"], ids(&body, "practices")), (&json!(becoming.day(0)), vec![704, 705, 709]));
        assert_eq!(practices.refused("get_today_practices", json!({})), -32002);
    });
    statement("B046", || {
        let body = ana.ask("get_practice_reflection", json!({"practice_id": 702}));
        assert!(body["reflection"]["body"].as_str().unwrap().starts_with("Lo primero"), "{body}");
        assert_eq!(ana.refused("get_practice_reflection", json!({"practice_id": 701})), -32003, "none");
        assert_eq!(ana.refused("get_practice_reflection", json!({})), -32011);
        let other = connected(&becoming.app, &becoming.ana, &without("reflections:read"));
        assert_eq!(other.refused("get_practice_reflection", json!({"practice_id": 702})), -32002);
    });
}

#[test]
fn b060_b061_b062_areas_of_interest_are_made_planned_and_ended() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    let made = |arguments: Value| {
        let started = ana.write("start_theme_generation", arguments);
        becoming.pass(60);
        let done = ana.ask("get_theme_generation", json!({"id": started["generation_id"]}));
        assert_eq!(done["status"], "completed", "{done}");
        done["theme"].clone()
    };
    statement("B060", || {
        assert_eq!(made(json!({"intent": "dormir mejor"}))["title"], "dormir mejor");
        assert_eq!(made(json!({"seed_highlight_id": 1001}))["title"], "La mañana despacio");
        assert!(made(json!({}))["title"].is_string(), "from the whole library");
        made(json!({"intent": "x".repeat(280)}));
        for arguments in [json!({"intent": "x".repeat(281)}), json!({"seed_highlight_id": "1001"})] {
            assert_eq!(ana.denied("start_theme_generation", arguments.clone()), -32011, "{arguments}");
        }
        assert_eq!(
            ana.denied("start_theme_generation", json!({"seed_highlight_id": 1049})),
            -32003,
            "bruno's"
        );
    });
    let theme = made(json!({"intent": "escribir cada día"}))["id"].clone();
    statement("B061", || {
        for part in ["theme_id", "context", "mix"] {
            let mut arguments = json!({"theme_id": theme, "context": "work", "mix": "act"});
            arguments.as_object_mut().unwrap().remove(part);
            assert_eq!(ana.denied("generate_theme_practices", arguments), -32011, "{part}");
        }
        for (context, mix) in [("home", "act"), ("work", "mixed")] {
            let arguments = json!({"theme_id": theme, "context": context, "mix": mix});
            assert_eq!(ana.denied("generate_theme_practices", arguments), -32011);
        }
        let arguments = json!({"theme_id": theme, "context": "personal", "mix": "balanced"});
        let body = ana.write("generate_theme_practices", arguments);
        assert_eq!(
            column(&body, "practices", "date"),
            (0..7).map(|ahead| becoming.day(ahead)).collect::<Vec<_>>()
        );
        assert_eq!(column(&body, "practices", "kind")[..2], ["act", "reflect"]);
    });
    statement("B062", || {
        let ended = ana.write("complete_theme", json!({"theme_id": theme}));
        assert_eq!(
            (&ended["theme"]["status"], &ended["theme"]["ended_on"]),
            (&json!("past"), &json!(becoming.day(0)))
        );
        assert_eq!(ana.denied("complete_theme", json!({})), -32011);
        assert_eq!(ana.denied("complete_theme", json!({"theme_id": 304})), -32003, "bruno's");
    });
}

#[test]
fn b063_b064_b065_practices_are_done_skipped_and_thought_over() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    for (id, tool, practice, status) in
        [("B063", "complete_practice", 704, "done"), ("B064", "skip_practice", 706, "skipped")]
    {
        statement(id, || {
            let body = ana.write(tool, json!({"practice_id": practice}));
            assert_eq!(body["practice"]["status"], status);
            let all = ana.ask("list_theme_practices", json!({"theme_id": 301}));
            let own = all["practices"].as_array().unwrap().iter().find(|own| own["id"] == practice).unwrap();
            assert_eq!(own["status"], status, "and it stays so");
            assert_eq!(ana.denied(tool, json!({})), -32011);
            assert_eq!(ana.denied(tool, json!({"practice_id": 714})), -32003, "bruno's");
        });
    }
    statement("B065", || {
        let saved = ana.write("log_practice_reflection", json!({"practice_id": 705, "body": "El correo."}));
        assert_eq!(ana.ask("get_practice_reflection", json!({"practice_id": 705})), saved);
        for body in ["", "   "] {
            let arguments = json!({"practice_id": 705, "body": body});
            assert_eq!(ana.denied("log_practice_reflection", arguments), -32011, "{body:?}");
        }
        assert_eq!(ana.denied("log_practice_reflection", json!({"body": "x"})), -32011);
        assert_eq!(ana.denied("log_practice_reflection", json!({"practice_id": 705})), -32011);
    });
}
