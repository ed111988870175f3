//! Reading arguments strictly: what is of another type is refused rather than guessed at. What an operation does not
//! take is ignored, whatever it is called.

use serde_json::{Map, Value};

use super::fault::{Fault, invalid};
use super::table::{Operation, Take, Type};
use super::time::is_moment;

/// The most that one call may bring of anything.
const MOST: usize = 500;
/// The largest page.
const PAGE: usize = 100;

/// The arguments of a call that its operation takes, each of its type. An empty text or `null` means: nothing.
#[derive(Clone, Debug)]
pub(super) struct Arguments(pub(super) Map<String, Value>);

impl Arguments {
    /// Takes what an operation takes out of what was sent.
    pub(super) fn read(operation: &Operation, mut sent: Map<String, Value>) -> Result<Self, Fault> {
        let mut own = Map::new();
        for take in &operation.takes {
            match sent.remove(&take.name) {
                Some(value) if !is_empty(&value) => {
                    check(take, &value)?;
                    own.insert(take.name.clone(), value);
                }
                _ if take.required => return invalid(format!("{} es obligatorio.", take.name)),
                Some(value) => drop(own.insert(take.name.clone(), value)),
                None => {}
            }
        }
        Ok(Self(own))
    }

    /// A text; empty if it was not given.
    pub(super) fn id(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// What is given under a name, if it says something.
    pub(super) fn given(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !is_empty(value))
    }

    /// A list; empty if it was not given.
    pub(super) fn list(&self, name: &str) -> Vec<Value> {
        self.0.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
    }

    /// How long a page is.
    pub(super) fn limit(&self) -> Result<usize, Fault> {
        let Some(limit) = self.given("limit") else { return Ok(20) };
        match limit.as_u64().and_then(|limit| usize::try_from(limit).ok()) {
            Some(limit @ 1..=PAGE) => Ok(limit),
            _ => invalid(format!("limit va de 1 a {PAGE}.")),
        }
    }
}

/// True for `null` and an empty text: nothing, or a value to be cleared.
pub(super) fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

fn check(take: &Take, value: &Value) -> Result<(), Fault> {
    let Take { name, argument, .. } = take;
    let fits = match argument.kind {
        Type::Text => value.is_string(),
        Type::Integer => value.is_i64(),
        Type::Object => value.is_object(),
        Type::Time => value.as_str().is_some_and(is_moment),
        Type::Strings => all(value, Value::is_string),
        Type::Objects => all(value, Value::is_object),
    };
    if !fits {
        let wanted = match argument.kind {
            Type::Text => "un texto",
            Type::Integer => "un número entero",
            Type::Object => "un objeto",
            Type::Time => "un momento en ISO 8601, como 2026-06-20T15:00:00Z",
            Type::Strings => "una lista de 1 a 500 textos",
            Type::Objects => "una lista de 1 a 500 objetos",
        };
        return invalid(format!("{name} tiene que ser {wanted}."));
    }
    let known = |text: &str| argument.one_of.iter().any(|own| own == text);
    if !argument.one_of.is_empty() && !value.as_str().is_some_and(known) {
        return invalid(format!("{name} tiene que ser uno de: {}.", argument.one_of.join(", ")));
    }
    Ok(())
}

fn all(value: &Value, fits: fn(&Value) -> bool) -> bool {
    value.as_array().is_some_and(|items| (1..=MOST).contains(&items.len()) && items.iter().all(fits))
}
