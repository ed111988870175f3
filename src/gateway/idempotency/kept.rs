//! Which answers are kept, and how they stand in a row: the worker's own bytes, so that each caller can be answered in
//! its revision, under its id.

use bytes::Bytes;

use super::seal::Seal;
use crate::domain::entropy::Entropy;
use crate::gateway::refusal::Reason;
use crate::mcp::result;
use crate::store::idempotency::Kept;
use crate::upstream::worker::Answer;

/// Longer answers are not kept, only that the call was done: nobody's repeats may fill the database.
const LONGEST: usize = 256 << 10;
/// The kind of such an answer.
const TOO_LONG: &str = "too_long";
const JSON: &str = "json";
const RESULT: &str = "result";

/// What is kept of an answer; `None` if it ended nothing and the next one is to be sent.
pub fn kept(answer: &Answer, seal: &Seal, entropy: &dyn Entropy) -> Option<Kept> {
    let (kind, body) = match answer {
        Answer::Json(body) => (JSON.to_owned(), body),
        Answer::Result(body) => {
            std::str::from_utf8(body).ok().filter(|text| result::is_result(text))?;
            (RESULT.to_owned(), body)
        }
        Answer::Refused(status, body) if is_final(*status) => (status.to_string(), body),
        Answer::Refused(..) | Answer::Asks(_) | Answer::Wrong(_) | Answer::Stream(_) => return None,
    };
    if body.len() > LONGEST {
        return Some(Kept { outcome: TOO_LONG.to_owned(), answer: None });
    }
    let answer = seal.seal(&kind, body, entropy)?;
    Some(Kept { outcome: kind, answer: Some(answer) })
}

/// True for a no that stays one. Trouble of the worker's, and everything that says to come again, does not: neither
/// do doors that are closed to the gateway.
fn is_final(status: u16) -> bool {
    matches!(status, 400..=499) && !matches!(status, 401 | 407 | 408 | 409 | 423 | 425 | 429)
}

/// The answer that was kept.
pub fn answer(kept: &Kept, seal: &Seal) -> Result<Answer, Reason> {
    let unreadable = || Reason::Unverifiable("kept_answer_unreadable");
    let kind = kept.outcome.as_str();
    if kind == TOO_LONG {
        return Err(Reason::Unavailable("answer_not_kept"));
    }
    let sealed = kept.answer.as_deref().ok_or_else(unreadable)?;
    let body = Bytes::from(seal.open(kind, sealed).ok_or_else(unreadable)?);
    match kind {
        JSON => Ok(Answer::Json(body)),
        RESULT => Ok(Answer::Result(body)),
        status => status.parse().map(|status| Answer::Refused(status, body)).map_err(|_| unreadable()),
    }
}
