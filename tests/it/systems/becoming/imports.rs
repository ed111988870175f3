//! What goes on in the background.

use serde_json::{Value, json};

use super::{Becoming, Caller, ids, statement};

const HOUR: &str = "https://www.youtube.com/watch?v=orilla-100";

fn state(caller: &Caller<'_>, import: &Value) -> Value {
    caller.ask("get_import", json!({"id": import}))
}

#[test]
fn b031_b032_b033_b034_an_import_from_its_beginning_to_its_end() {
    let becoming = Becoming::start();
    let ana = becoming.as_ana();
    let before = ids(&ana.ask("list_sources", json!({"limit": 50})), "sources");
    let import = ana.write("add_source", json!({"url": HOUR}))["import_id"].clone();
    let pending = state(&ana, &import);
    becoming.pass(30);
    let processing = state(&ana, &import);
    becoming.pass(60);
    let completed = state(&ana, &import);
    statement("B031", || {
        assert_eq!((&pending["status"], &completed["status"]), (&json!("pending"), &json!("completed")));
        let after = ids(&ana.ask("list_sources", json!({"limit": 50})), "sources");
        assert_eq!((after.len(), json!(after[0])), (before.len() + 1, completed["source_id"].clone()));
    });
    statement("B032", || {
        let without = super::connected(&becoming.app, &becoming.ana, &["sources:write"]);
        assert_eq!(without.refused("get_import", json!({"id": import})), -32002);
    });
    statement("B033", || {
        assert_eq!(completed["id"], import);
        for arguments in [json!({}), json!({"id": "x"})] {
            assert_eq!(ana.refused("get_import", arguments.clone()), -32011, "{arguments}");
        }
        assert_eq!(becoming.as_bruno().refused("get_import", json!({"id": import})), -32003, "ana's");
    });
    statement("B034", || {
        for (at, status, highlights) in
            [(&pending, "pending", 0), (&processing, "processing", 2), (&completed, "completed", 4)]
        {
            assert_eq!((&at["status"], &at["counts"]["highlights"]), (&json!(status), &json!(highlights)));
            assert_eq!(at["failure_reason"], Value::Null);
        }
        let nothing = ana.write("add_source", json!({"url": "https://youtu.be/nada"}))["import_id"].clone();
        becoming.pass(60);
        let failed = state(&ana, &nothing);
        assert_eq!((&failed["status"], &failed["counts"]["sources"]), (&json!("failed"), &json!(0)));
        assert_eq!(failed["failure_reason"], "the video has no transcript");
    });
}

#[test]
fn b035_b036_a_video_that_credits_do_not_suffice_for() {
    let becoming = Becoming::start();
    let bruno = becoming.as_bruno();
    // Forty credits are five long videos' worth and more; what is spent elsewhere is gone here.
    super::credits::spend(&becoming.app, &becoming.bruno, 38);
    let import = bruno.write("add_source", json!({"url": HOUR}))["import_id"].clone();
    becoming.pass(120);
    let short = state(&bruno, &import);
    assert_eq!(
        (&short["failure_reason"], &short["counts"]["highlights"]),
        (&json!("out_of_credits"), &json!(2))
    );
    let count = || {
        bruno.ask("get_source", json!({"id": short["source_id"]}))["source"]["highlights_count"]
            .as_i64()
            .unwrap()
    };
    let mut counts = vec![count()];
    for _ in 0..2 {
        becoming.pass(86_400);
        counts.push(count());
        statement("B035", || assert_eq!(state(&bruno, &import), short, "it keeps its result for ever"));
    }
    statement("B036", || {
        assert!(counts[0] == 2 && counts[2] == 4 && counts.is_sorted(), "it rises: {counts:?}");
        let listed = bruno.ask("list_sources", json!({"type": "Video"}));
        assert_eq!(listed["sources"][0]["highlights_count"], 4);
    });
}
