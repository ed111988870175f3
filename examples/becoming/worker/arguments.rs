//! Reading arguments strictly: what is out of range is refused rather than guessed at, because half of the tools write.

use jiff::civil::Date;
use serde_json::{Map, Value};

use super::fault::{Fault, invalid};

/// The largest page, and the first number of one.
const PAGE: std::ops::RangeInclusive<i64> = 1..=50;

/// The arguments of a call, or one object inside them. `null` is as good as absent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arguments<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Arguments<'a> {
    fn given(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A text that may be absent.
    pub(super) fn text(self, name: &str) -> Result<Option<&'a str>, Fault> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => invalid(format!("{name} must be a string")),
        }
    }

    /// A text of at most so many characters that says something.
    pub(super) fn said(self, name: &str, longest: usize) -> Result<Option<&'a str>, Fault> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        if text.trim().is_empty() {
            return invalid(format!("{name} must not be empty"));
        }
        if text.chars().count() > longest {
            return invalid(format!("{name} must have at most {longest} characters"));
        }
        Ok(Some(text))
    }

    /// The same, which must be there.
    pub(super) fn saying(self, name: &str, longest: usize) -> Result<&'a str, Fault> {
        self.said(name, longest)?.ok_or_else(|| missing(name))
    }

    /// One of a few words.
    pub(super) fn word(self, name: &str, known: &[&'static str]) -> Result<Option<&'static str>, Fault> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match known.iter().find(|word| **word == text) {
            Some(word) => Ok(Some(word)),
            None => invalid(format!("{name} must be one of {}", known.join(", "))),
        }
    }

    /// A whole number that may be absent.
    pub(super) fn number(self, name: &str) -> Result<Option<i64>, Fault> {
        match self.given(name) {
            None => Ok(None),
            Some(value) => match value.as_i64() {
                Some(number) => Ok(Some(number)),
                None => invalid(format!("{name} must be an integer")),
            },
        }
    }

    /// A whole number that must be there.
    pub(super) fn id(self, name: &str) -> Result<i64, Fault> {
        self.number(name)?.ok_or_else(|| missing(name))
    }

    /// How long a page is.
    pub(super) fn limit(self, usual: usize) -> Result<usize, Fault> {
        match self.number("limit")? {
            None => Ok(usual),
            Some(limit) if PAGE.contains(&limit) => Ok(usize::try_from(limit).unwrap_or(usual)),
            Some(_) => invalid(format!("limit must be from {} to {}", PAGE.start(), PAGE.end())),
        }
    }

    /// A day, as ISO 8601 writes it.
    pub(super) fn day(self, name: &str) -> Result<Option<Date>, Fault> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match text.parse() {
            Ok(day) if text.len() == 10 => Ok(Some(day)),
            _ => invalid(format!("{name} must be a date such as 2026-03-31")),
        }
    }

    /// An object inside.
    pub(super) fn object(self, name: &str) -> Result<Option<Arguments<'a>>, Fault> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::Object(members)) => Ok(Some(Arguments(members))),
            Some(_) => invalid(format!("{name} must be an object")),
        }
    }

    /// A list that must be there.
    pub(super) fn list(self, name: &str) -> Result<&'a [Value], Fault> {
        match self.given(name) {
            None => Err(missing(name)),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => invalid(format!("{name} must be a list")),
        }
    }
}

/// What is said of an argument that is not there.
pub(super) fn missing(name: &str) -> Fault {
    Fault::Invalid(format!("{name} is required"))
}
