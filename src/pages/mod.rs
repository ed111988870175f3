//! What people see in a browser.
//!
//! | path | file |
//! |---|---|
//! | `{issuer}/authorize` | [`authorize`]; what stands on the page: `consent` |
//! | `/login`, `/logout` | [`login`], [`logout`] |
//! | `/settings/…` | [`settings`] |
//! | `/assets/…` | [`assets`] |
//! | every page that says no | [`error`] |
//!
//! [`routes`] says which path is which page. A handler reads the request, asks the use-cases and fills a page of [`view`]. `shell` finds out what every
//! page needs: whose brand, which language, who is signed in.

mod answer;
pub mod assets;
pub mod authorize;
mod consent;
pub mod error;
pub mod login;
pub mod logout;
mod next;
pub mod routes;
pub mod settings;
mod shell;
#[cfg(test)]
mod tests;
pub mod view;
mod words;

pub use routes::PageRoute;
