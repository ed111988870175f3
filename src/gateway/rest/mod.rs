//! REST APIs as tools: curated ones by `operation`, and three that find, describe and call any operation.
//!
//! Attack: a call by the third of them that its caller could not make otherwise. There is no second decision here: what
//! is called is the operation's own tool, which is not listed, and it goes through the same stages as every other one.
//! A curated tool's policy is its operation's too.

mod answer;
pub mod api;
pub mod check;
pub mod curated;
mod describe;
pub mod entitle;
pub mod generic;
pub mod operations;
pub mod policy;
pub mod request;
pub mod route;

pub use answer::answer;
pub use api::Api;
pub use entitle::Spoken;
pub use operations::Operations;
pub use request::Prepared;
pub use route::{Call, Generic};
