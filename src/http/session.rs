//! Who is signed in in this browser.

use actix_web::HttpRequest;

use super::cookies;
use crate::app::App;
use crate::domain::user::User;
use crate::store::StoreError;
use crate::store::sessions::Session;

/// The signed-in person, if any.
pub async fn signed_in(app: &App, req: &HttpRequest) -> Result<Option<(Session, User)>, StoreError> {
    match req.cookie(cookies::session_name(app)) {
        Some(cookie) => app.identity.session(cookie.value()).await,
        None => Ok(None),
    }
}
