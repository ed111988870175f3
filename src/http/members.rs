//! Reading a JSON object exactly: a member that stands in it twice is refused, at any depth.
//!
//! Readers differ in which of two they take (RFC 8259 §4), so what one checked another would act on.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Why a body is no object. Public texts: nothing of the body is in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotObject {
    /// Not JSON, or nested too deeply.
    #[error("the body is not valid JSON")]
    Syntax,
    /// A member is there twice.
    #[error("a member is there twice")]
    Repeated,
    /// JSON, but no object.
    #[error("the body must be a JSON object")]
    Other,
}

/// Reads the members of an object in their order.
pub fn read(body: &[u8]) -> Result<Map<String, Value>, NotObject> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = Exact
        .deserialize(&mut reader)
        .map_err(|error| if error.is_data() { NotObject::Repeated } else { NotObject::Syntax })?;
    reader.end().map_err(|_| NotObject::Syntax)?;
    match value {
        Value::Object(members) => Ok(members),
        _ => Err(NotObject::Other),
    }
}

/// What a value is read with.
#[derive(Clone, Copy)]
struct Exact;

impl<'de> DeserializeSeed<'de> for Exact {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Exact {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without repeated members")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if map.insert(name, members.next_value_seed(self)?).is_some() {
                return Err(A::Error::custom("repeated"));
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_once_is_read_as_it_stands() {
        let text = r#"{"b":[1,-2,1.5,"x",null,true],"a":{"b":{}}}"#;
        let plain: Value = serde_json::from_str(text).unwrap();
        assert_eq!(Value::Object(read(text.as_bytes()).unwrap()), plain);
    }

    #[test]
    fn repeats_are_refused_at_any_depth_however_they_are_spelt() {
        for text in [r#"{"a":1,"a":1}"#, r#"{"x":[{"a":1,"b":2,"a":3}]}"#, r#"{"a":1,"\u0061":2}"#] {
            assert_eq!(read(text.as_bytes()), Err(NotObject::Repeated), "{text}");
        }
    }

    #[test]
    fn what_is_no_object() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
        for text in ["", "{", "{}x", "{\"a\":NaN}", "{'a':1}", "\u{feff}{}", &deep] {
            assert_eq!(read(text.as_bytes()), Err(NotObject::Syntax), "{text:.20}");
        }
        assert_eq!(read(b"{\"a\":\"\xff\"}"), Err(NotObject::Syntax));
        for text in ["[]", "1", "\"x\"", "null"] {
            assert_eq!(read(text.as_bytes()), Err(NotObject::Other), "{text}");
        }
    }
}
