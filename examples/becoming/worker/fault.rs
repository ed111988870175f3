//! Why a tool could not answer.

use serde_json::{Value, json};

/// Each case is one sentence for the model and one status for the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The arguments cannot be used.
    Invalid(String),
    /// It is not there, or somebody else's, which reads the same.
    Absent(&'static str, String),
    /// The arguments are good, but not for what is there.
    Conflict(String),
    /// Not enough credits for this: what it costs, what is left.
    Credits(i64, i64),
}

impl Fault {
    pub(super) fn absent(kind: &'static str, id: i64) -> Self {
        Self::Absent(kind, id.to_string())
    }

    /// The status and body of the answer.
    pub(super) fn answer(self) -> (u16, Value) {
        let (status, error) = match self {
            Self::Invalid(what) => (400, what),
            Self::Absent(kind, id) => (404, format!("{kind} {id} not found")),
            Self::Conflict(what) => (409, what),
            Self::Credits(cost, left) => {
                (402, format!("this costs {cost} credits and {} are left", left.max(0)))
            }
        };
        (status, json!({ "error": error }))
    }
}

/// Arguments that cannot be used.
pub(super) fn invalid<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Invalid(what.into()))
}

/// Good arguments at the wrong moment.
pub(super) fn conflict<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Conflict(what.into()))
}
