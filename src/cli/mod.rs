//! The command line: one file a command.

pub mod config;
pub mod init;

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
