//! `nullable: true` of OpenAPI 3.0 (§4.7.24): `null` is as good as what the schema says. Documents of 3.1 that still
//! say it mean the same.

use serde_json::{Map, Value, json};

use super::super::node::Node;

/// Lets a schema take `null` if it says that it is nullable.
pub(super) fn allow(out: &mut Map<String, Value>, node: &Node<'_>) {
    if node.flag("nullable") != Some(true) {
        return;
    }
    match out.get_mut("type") {
        Some(Value::Array(types)) if !types.iter().any(|own| own == "null") => {
            types.push(Value::from("null"));
        }
        Some(Value::String(own)) if own != "null" => {
            let types = json!([own, "null"]);
            out.insert("type".to_owned(), types);
        }
        // without a type everything is taken, as far as the other keywords go
        _ => {}
    }
    if let Some(Value::Array(values)) = out.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    if let Some(value) = out.shift_remove("const") {
        out.insert("enum".to_owned(), json!([value, null]));
    }
    // parts that know nothing of null would refuse it
    if ["allOf", "anyOf", "oneOf", "not", "if"].iter().any(|key| out.contains_key(*key)) {
        let described: Map<_, _> = ["title", "description", "deprecated", "default"]
            .iter()
            .filter_map(|key| out.shift_remove_entry(*key))
            .collect();
        let own = std::mem::replace(out, described);
        out.insert("anyOf".to_owned(), json!([own, {"type": "null"}]));
    }
}
