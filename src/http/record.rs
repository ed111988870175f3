//! What a face tells the one log line of a request.

use std::sync::Arc;

use crate::domain::ids::ServiceId;

/// Put into the request's extensions by the face that answered; read once by the log line.
#[derive(Clone, Debug)]
pub struct Record {
    /// The service that was asked.
    pub service: Option<ServiceId>,
    /// The tool that was called.
    pub tool: Option<Box<str>>,
    /// What was decided: `allowed`, or the label of the refusal's reason.
    pub decision: &'static str,
}

/// The request's id, put into the extensions by the outermost layer; workers see it as `X-Request-Id`.
#[derive(Clone, Debug)]
pub struct RequestId(pub Arc<str>);
