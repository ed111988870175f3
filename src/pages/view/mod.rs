//! The page set: one struct per page, one template per struct, every word from a [`Locale`].
//!
//! A struct holds plain data (texts, flags, milliseconds) and decides nothing about authority: whoever fills it
//! has already checked what may be shown. It knows no HTTP either, so each page can be rendered in a unit test.
//!
//! Invariant: whatever a client or a person wrote reaches the page through askama's escaping or through
//! [`Markup`], which escapes every piece on its own. No client's URL becomes a link, but for the verified
//! redirect target on [`DonePage`] and [`ErrorKind::BadRequest`].

pub mod accent;
pub mod assets;
mod authorize;
mod client;
mod done;
mod error;
mod guide;
mod locale;
mod login;
mod logout;
mod markup;
mod moment;
mod scope;
pub mod settings;
mod shell;
#[cfg(test)]
mod tests;

pub use authorize::{AccessTerm, AuthorizeError, AuthorizePage, Nothing, SignIn, TechnicalDetails};
pub use client::{ClientIdentity, ClientView, Destination};
pub use done::{DoneOutcome, DonePage};
pub use error::{ErrorKind, ErrorPage};
pub use guide::{Guide, ServiceView, Snippet};
pub use locale::{Lang, Locale, Value};
pub use login::{LoginError, LoginPage, OidcLink};
pub use logout::LogoutPage;
pub use markup::{Markup, Piece};
pub use moment::Moment;
pub use scope::{ScopeGroup, ScopeKind, ScopeView, WorkspaceChoice};
pub use shell::{BrandView, LangLink, Shell, UserView};

/// A page that can be written out.
pub trait Page {
    /// The whole HTML document.
    fn render_page(&self) -> Result<String, askama::Error>;
}

impl<T: askama::Template> Page for T {
    fn render_page(&self) -> Result<String, askama::Error> {
        self.render()
    }
}
