//! Why an operation could not be done: a sentence, a code that programs go by, and what to do about it.

use serde_json::{Value, json};

/// Each case has one status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The arguments cannot be used.
    Invalid(String),
    /// It is not there, or somebody else's, which reads the same: kind and id.
    Absent(String, String),
    /// The arguments are good, but not for what is there: code, sentence, hint.
    Conflict(&'static str, String, &'static str),
    /// No such route or tool.
    Unknown(String),
    /// An operation that only the panel and the SDK offer.
    Elsewhere,
}

impl Fault {
    /// The status and body of the answer.
    pub(super) fn answer(self) -> (u16, Value) {
        let (status, code, error, hint) = match self {
            Self::Invalid(what) => {
                (400, "invalid_arguments", what, "Corrige los argumentos y repite la llamada.")
            }
            Self::Absent(kind, id) => (
                404,
                "not_found",
                format!("No existe {kind} {id} en este workspace."),
                "Busca el id con la operación que lista o busca, y repite con ese.",
            ),
            Self::Conflict(code, error, hint) => (409, code, error, hint),
            Self::Unknown(what) => {
                (404, "not_found", format!("No existe {what}."), "Mira el contrato de la API.")
            }
            Self::Elsewhere => (
                501,
                "not_available",
                "La muestra no guarda archivos, no cobra y no entrega secretos.".to_owned(),
                "Hazlo desde el panel o con el SDK.",
            ),
        };
        (status, json!({ "error": error, "code": code, "hint": hint, "status": status }))
    }
}

/// Arguments that cannot be used.
pub(super) fn invalid<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Invalid(what.into()))
}
