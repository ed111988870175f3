//! The client exists and may be used. Attack: an answer sent wherever an unknown id points.

use super::{Fault, PageFault};
use crate::app::App;
use crate::domain::client::Client;
use crate::domain::ids::ClientId;
use crate::http::strict::Params;

pub(super) async fn check(app: &App, params: &Params) -> Result<Client, Fault> {
    let unknown = Fault::Page(PageFault::UnknownClient);
    let Some(id) = params.get("client_id") else { return Err(unknown) };
    let client = app.identity.store.client(&ClientId::from(id)).await?;
    client.filter(|client| client.disabled_at.is_none()).ok_or(unknown)
}
