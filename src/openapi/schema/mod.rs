//! Schemas of a document as JSON Schema 2020-12, each referred-to schema once a side.
//!
//! A `$ref` always becomes a `$ref` into `$defs`, so a schema that refers to itself stays finite and one that is
//! shared a thousand times is held once. What an operation shows is put together when it is asked for.

mod assemble;
mod convert;
mod cycles;
mod hidden;
mod keywords;
mod nullable;
mod pattern;

pub(super) use convert::Converter;

use serde_json::Value;

/// Which way a value goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Side {
    /// To the upstream: what is `readOnly` is left out.
    Input,
    /// From it: what is `writeOnly` is left out.
    Output,
}

impl Side {
    /// The keyword that marks what does not go this way.
    fn hides(self) -> &'static str {
        match self {
            Self::Input => "readOnly",
            Self::Output => "writeOnly",
        }
    }
}

/// A converted schema, and the definitions that it refers to.
#[derive(Debug, Clone, Default)]
pub(super) struct Fragment {
    pub(super) value: Value,
    pub(super) refs: Vec<usize>,
}

/// A schema that others refer to.
#[derive(Debug)]
pub(super) struct Definition {
    name: String,
    fragment: Fragment,
    /// Bytes of its JSON.
    size: usize,
}

/// The definitions of a side, by number.
#[derive(Debug, Default)]
pub(super) struct Definitions(Vec<Definition>);

/// All that operations refer to.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    input: Definitions,
    output: Definitions,
}

impl Schemas {
    /// The definitions of a side.
    pub(super) fn side(&self, side: Side) -> &Definitions {
        match side {
            Side::Input => &self.input,
            Side::Output => &self.output,
        }
    }
}
