//! The developer settings: connect, tokens, authorized apps.

mod app_disconnect;
mod apps;
mod connect;
mod tab;
mod token_created;
mod token_new;
mod token_revoke;
mod tokens;

pub use app_disconnect::AppDisconnectPage;
pub use apps::{AppGroup, AppsNotice, AppsPage, Connection, EndReason, EndedConnection, TokenRef};
pub use connect::ConnectPage;
pub use tab::SettingsTab;
pub use token_created::TokenCreatedPage;
pub use token_new::{Expiry, TokenFormError, TokenMode, TokenNewPage};
pub use token_revoke::TokenRevokePage;
pub use tokens::{AppRef, TokenCard, TokensNotice, TokensPage};
