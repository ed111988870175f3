//! Sessions of the revisions up to 2025-11-25, for services with upstreams that keep some.
//!
//! | what a client sends | file |
//! |---|---|
//! | `initialize` | `begin` |
//! | a session id with any message | `find`; what is in it: `seal` |
//! | `GET` | `listen`, `source` (one upstream's stream), `pump` (all of them to the client) |
//! | `DELETE` | `end` |
//! | a notification, or the answer to a question | `inbound` |
//! | `logging/setLevel`, `resources/subscribe` | `ask` |
//! | calls and reads | `own`, which `gateway/remote` speaks in |
//!
//! What an upstream says unasked is turned into what the client is told by `translate`, with the ids of `wrap`. The
//! stateless revision knows nothing of all this: there ids are ignored and none is given out.

mod ask;
mod begin;
mod end;
mod find;
mod inbound;
mod listen;
mod own;
mod pump;
mod reach;
mod registry;
mod seal;
mod source;
mod translate;
mod wrap;

pub use ask::{set_level, subscribe};
pub use begin::begin;
pub use end::gone;
pub use find::{Held, attach};
pub use inbound::told;
pub use own::Own;
pub use registry::Registry;
pub use translate::Passed;

use super::answer::Answer;
use super::call::{Authenticated, Cx};
use super::receive::Asked;
use super::refusal::Reason;
use super::service::{Service, Upstream};

/// True if some upstream of this service keeps sessions.
pub fn keeps(service: &Service) -> bool {
    service.upstreams.iter().any(Upstream::keeps_sessions)
}

/// Answers what is no message: a stream that is asked for, a session that is ended.
///
/// # Errors
/// As the two.
pub async fn apart(cx: Cx<'_>, caller: &Authenticated<'_>, asked: Asked) -> Result<Answer, Reason> {
    match asked {
        Asked::End => end::end(cx, caller).await,
        Asked::Stream | Asked::Message => listen::listen(cx, caller).await,
    }
}
