//! Every case and rule this suite holds, by a stable number.
//!
//! `holds("N-001", "two grant types", || …)` is the check of one row; it may stand in any file of this suite. The
//! list in this folder's `README.md` is made of these calls and of the reasons in
//! `reasons/*.txt` (`ID | what it says | why no test holds it`): `UPDATE_DOCS=1 cargo test --test it conformance::list`.
//!
//! | series | what it numbers |
//! |---|---|
//! | `C001…` | what clients of the field do, and what a server must answer |
//! | `W- CORS- M- P- D- DM- C- CA- U- R- A- X- G- K- F- I- CC- V- IN- B-` | rules of the specifications |
//! | `N-001…` | attacks and malformed input, each with its right answer |

mod answers;
mod authorize;
mod authorize_scope;
mod bearer;
mod client_auth;
mod codes;
mod consent;
mod consent_page;
mod cors;
mod discovery;
mod gateway;
mod introspection;
mod kit;
mod limits;
mod list;
mod nodes;
mod operations;
mod pkce;
mod prompt;
mod public_url;
mod redirect_answers;
mod redirect_matching;
mod redirects;
mod refresh;
mod refresh_bounds;
mod registration;
mod resources;
mod revocation;
mod sign_in;
mod state;
mod streams;
mod suite;
mod tokens;
mod transport;
mod waiting;
mod wire;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The check of one row; a failure names it.
#[track_caller]
pub fn holds(id: &str, says: &str, check: impl FnOnce()) {
    if let Err(cause) = catch_unwind(AssertUnwindSafe(check)) {
        let said = cause.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or_default();
        panic!("{id} ({says}) does not hold: {said}");
    }
}
