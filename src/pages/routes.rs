//! The paths of pages, the same on every host that is ours.

/// A page's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageRoute {
    /// Leads people to the settings.
    Root,
    /// Sign in.
    Login,
    /// Sign out.
    Logout,
    /// Leads people to the first settings page.
    Settings,
    /// How to connect a client.
    Connect,
    /// Personal access tokens.
    Tokens,
    /// A new one.
    TokenNew,
    /// Revoke one.
    TokenRevoke,
    /// Authorized apps.
    Apps,
    /// Disconnect one.
    AppDisconnect,
    /// Style sheets, script, icon.
    Asset,
}

impl PageRoute {
    /// Every page.
    pub const ALL: [Self; 11] = [
        Self::Root,
        Self::Login,
        Self::Logout,
        Self::Settings,
        Self::Connect,
        Self::Tokens,
        Self::TokenNew,
        Self::TokenRevoke,
        Self::Apps,
        Self::AppDisconnect,
        Self::Asset,
    ];

    /// Its path; for assets the folder.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Root => "/",
            Self::Login => "/login",
            Self::Logout => "/logout",
            Self::Settings => "/settings",
            Self::Connect => "/settings/connect",
            Self::Tokens => "/settings/tokens",
            Self::TokenNew => "/settings/tokens/new",
            Self::TokenRevoke => "/settings/tokens/revoke",
            Self::Apps => "/settings/apps",
            Self::AppDisconnect => "/settings/apps/disconnect",
            Self::Asset => "/assets/",
        }
    }

    /// The methods it answers, for `Allow`.
    pub const fn methods(self) -> &'static str {
        match self {
            Self::Login | Self::Logout | Self::TokenNew | Self::TokenRevoke | Self::AppDisconnect => {
                "GET, HEAD, POST"
            }
            _ => "GET, HEAD",
        }
    }
}
