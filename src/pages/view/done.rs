//! The page after the decision, which sends on to the client.
//!
//! It is the form's own answer, not a redirect: that ends the chain that a browser applies `form-action` to, and a
//! reload finds the transaction closed and no code to show.

use askama::Template;

use super::client::Destination;
use super::markup::{Markup, Piece};
use super::shell::Shell;

/// How the request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DoneOutcome {
    /// Allowed just now.
    Connected {
        /// The verified redirect URI with the code.
        return_to: String,
    },
    /// Refused just now.
    Denied {
        /// The verified redirect URI with the error.
        return_to: String,
    },
    /// Allowed before; the code is not kept, so there is nowhere to send.
    AlreadyConnected,
    /// Refused before.
    AlreadyDenied,
}

/// Done.
#[derive(Clone, Template)]
#[template(path = "done.html")]
pub struct DonePage {
    /// The frame.
    pub shell: Shell,
    /// The client's name.
    pub client: String,
    /// The service's name.
    pub service: String,
    /// Where the answer goes.
    pub destination: Destination,
    /// How it ended.
    pub outcome: DoneOutcome,
}

impl DonePage {
    /// The URL the page sends on to.
    pub fn return_to(&self) -> Option<&str> {
        match &self.outcome {
            DoneOutcome::Connected { return_to } | DoneOutcome::Denied { return_to } => Some(return_to),
            DoneOutcome::AlreadyConnected | DoneOutcome::AlreadyDenied => None,
        }
    }

    /// Whether the client has access now.
    pub fn is_allowed(&self) -> bool {
        matches!(self.outcome, DoneOutcome::Connected { .. } | DoneOutcome::AlreadyConnected)
    }

    /// The heading.
    pub fn title(&self) -> String {
        self.shell.t(match self.outcome {
            DoneOutcome::Connected { .. } => "done-title-connected",
            DoneOutcome::Denied { .. } => "done-title-denied",
            DoneOutcome::AlreadyConnected => "done-title-already-connected",
            DoneOutcome::AlreadyDenied => "done-title-already-denied",
        })
    }

    /// What happened.
    pub fn lead(&self) -> Markup {
        let key = match self.outcome {
            DoneOutcome::Connected { .. } => "done-connected",
            DoneOutcome::Denied { .. } => "done-denied",
            DoneOutcome::AlreadyConnected => "done-already-connected",
            DoneOutcome::AlreadyDenied => "done-already-denied",
        };
        self.shell
            .locale
            .rich(key, &[("client", Piece::Name(&self.client)), ("service", Piece::Name(&self.service))])
    }
}
