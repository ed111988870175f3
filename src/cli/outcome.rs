//! How a command ended, and the one place that says so.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use crate::{config::ConfigErrors, identity::keys::KeysError, store::StoreError};

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It did what was asked: exit code 0.
    Done,
    /// It would not or could not: exit code 1, with the reason.
    Refused(String),
    /// It was asked wrongly, or the configuration is wrong: exit code 2, with the reason.
    Usage(String),
}

impl Outcome {
    /// Says the reason on standard error, and gives the exit code.
    pub fn report(&self) -> ExitCode {
        let (code, reason) = match self {
            Self::Done => return ExitCode::SUCCESS,
            Self::Refused(reason) => (1, reason),
            Self::Usage(reason) => (2, reason),
        };
        // nobody may be listening, and that is no reason to die of it
        let _ = writeln!(io::stderr(), "portero: {reason}");
        ExitCode::from(code)
    }
}

/// Why a command stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// It would not or could not.
    Refused(String),
    /// It was asked wrongly, or the configuration is wrong.
    Usage(String),
    /// Whoever read the answer has read enough, as `head` does: no failure to anybody.
    ClosedPipe,
}

impl Failure {
    /// It would not or could not, for this reason.
    pub fn refused(reason: impl Into<String>) -> Self {
        Self::Refused(reason.into())
    }

    /// It was asked wrongly: this is what is allowed.
    pub fn usage(reason: impl Into<String>) -> Self {
        Self::Usage(reason.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Refused(format!("cannot write: {error}")),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => {
                Self::Refused(format!("{error}; see that database.url is right and that it runs"))
            }
            other => Self::Refused(other.to_string()),
        }
    }
}

impl From<ConfigErrors> for Failure {
    fn from(errors: ConfigErrors) -> Self {
        Self::Usage(errors.to_string())
    }
}

impl From<KeysError> for Failure {
    fn from(error: KeysError) -> Self {
        Self::Refused(error.to_string())
    }
}

impl From<Result<(), Failure>> for Outcome {
    fn from(ran: Result<(), Failure>) -> Self {
        match ran {
            Ok(()) | Err(Failure::ClosedPipe) => Self::Done,
            Err(Failure::Refused(reason)) => Self::Refused(reason),
            Err(Failure::Usage(reason)) => Self::Usage(reason),
        }
    }
}
