//! The twenty tools: what each needs, and a call of it that goes well in Ana's library.

use serde_json::{Value, json};

/// A tool as the document has it.
#[derive(Clone, Debug)]
pub struct Tool {
    pub name: &'static str,
    /// None for the one that needs none.
    pub scope: Option<&'static str>,
    pub writes: bool,
    /// Available in La Academia alone.
    pub academy: bool,
    /// Arguments of a call that goes well, once.
    pub arguments: Value,
}

fn reads(name: &'static str, scope: &'static str, arguments: Value) -> Tool {
    Tool { name, scope: Some(scope), writes: false, academy: false, arguments }
}

fn writes(name: &'static str, scope: &'static str, academy: bool, arguments: Value) -> Tool {
    Tool { name, scope: Some(scope), writes: true, academy, arguments }
}

/// All of them, in the document's order.
pub fn all() -> Vec<Tool> {
    vec![
        reads("search_highlights", "highlights:read", json!({"query": "hábito"})),
        reads("list_sources", "sources:read", json!({})),
        reads("get_source", "sources:read", json!({"id": 101})),
        reads("get_highlight", "highlights:read", json!({"id": 1001})),
        // There is none yet: that it is said to be absent shows that the permission is enough.
        reads("get_import", "sources:read", json!({"id": 1})),
        Tool { name: "get_academy_status", scope: None, writes: false, academy: false, arguments: json!({}) },
        reads("list_themes", "themes:read", json!({})),
        reads("get_theme_timeline", "themes:read", json!({"theme_id": 301})),
        reads("get_theme_generation", "themes:read", json!({"id": 801})),
        reads("list_theme_practices", "practices:read", json!({"theme_id": 301})),
        reads("get_today_practices", "practices:read", json!({})),
        reads("get_practice_reflection", "reflections:read", json!({"practice_id": 702})),
        writes(
            "add_highlights",
            "highlights:write",
            false,
            json!({"source_id": 101, "highlights": [{"content": "Una frase para guardar."}]}),
        ),
        writes(
            "add_source",
            "sources:write",
            false,
            json!({"book": {"title": "Otra orilla", "author": "Cuadernos del Faro"}}),
        ),
        writes("start_theme_generation", "themes:write", true, json!({"intent": "dormir mejor"})),
        writes(
            "generate_theme_practices",
            "practices:write",
            true,
            json!({"theme_id": 305, "context": "both", "mix": "balanced"}),
        ),
        writes("complete_theme", "themes:write", true, json!({"theme_id": 302})),
        writes("complete_practice", "practices:write", true, json!({"practice_id": 704})),
        writes("skip_practice", "practices:write", true, json!({"practice_id": 706})),
        writes(
            "log_practice_reflection",
            "reflections:write",
            true,
            json!({"practice_id": 705, "body": "El correo."}),
        ),
    ]
}

/// The names of some of them.
pub fn names(keep: impl Fn(&Tool) -> bool) -> Vec<&'static str> {
    all().iter().filter(|tool| keep(tool)).map(|tool| tool.name).collect()
}

/// The six resources: a collection and one of its items, with what they need.
pub const RESOURCES: [(&str, &str); 6] = [
    ("becoming://highlights", "highlights:read"),
    ("becoming://highlights/1001", "highlights:read"),
    ("becoming://sources", "sources:read"),
    ("becoming://sources/101", "sources:read"),
    ("becoming://notes", "notes:read"),
    ("becoming://notes/501", "notes:read"),
];
