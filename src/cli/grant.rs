//! `portero grant`: connections that people allowed.

use serde_json::Value;

use super::console::Console;
use super::context::Context;
use super::ended::{self, EndArgs, Ending, grant_json, grant_table};
use super::outcome::Failure;
use crate::domain::ids::{ClientId, GrantId, PatId};
use crate::identity::revoke::Target;

/// What to do with connections. A connection is named by its grant's id.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum GrantCommand {
    /// List connections, newest first
    #[command(after_help = "Example:\n  portero grant list --user ana@example.com")]
    List(ListArgs),
    /// End a connection
    #[command(after_help = "Example:\n  portero grant revoke grt_…")]
    Revoke(RevokeArgs),
}

/// Which connections; several conditions must all hold.
#[derive(Debug, Clone, clap::Args)]
pub struct ListArgs {
    /// Only those of this user, by id or e-mail address
    #[arg(long)]
    pub user: Option<String>,
    /// Only those of this client
    #[arg(long, value_name = "ID")]
    pub client: Option<String>,
    /// Only those that this personal access token authorized
    #[arg(long, value_name = "ID")]
    pub token: Option<String>,
}

/// Which connection is to end.
#[derive(Debug, Clone, clap::Args)]
pub struct RevokeArgs {
    /// Its id
    pub id: String,
    /// How to end it.
    #[command(flatten)]
    pub end: EndArgs,
}

/// Runs the command.
pub async fn run(
    command: &GrantCommand,
    context: &Context,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    match command {
        GrantCommand::List(args) => list(args, context, console).await,
        GrantCommand::Revoke(args) => revoke(args, context, console).await,
    }
}

async fn list(args: &ListArgs, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let store = &context.identity.store;
    let user = match &args.user {
        Some(named) => Some(context.user(named).await?.id),
        None => None,
    };
    let mut grants = match (&args.token, &args.client) {
        (Some(token), _) => store.grants_of_pat(&PatId::from(token.as_str())).await?,
        (None, Some(client)) => store.grants_of_client(&ClientId::from(client.as_str())).await?,
        (None, None) => store.grants(user.as_ref()).await?,
    };
    grants.retain(|view| {
        view.activated
            && user.as_ref().is_none_or(|user| view.grant.user == *user)
            && args.client.as_ref().is_none_or(|client| view.grant.client.as_str() == client)
    });
    let values: Vec<Value> = grants.iter().map(grant_json).collect();
    console.answer(&Value::from(values), &grant_table(&grants))
}

async fn revoke(args: &RevokeArgs, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let id = GrantId::from(args.id.as_str());
    if context.identity.store.grant(&id).await?.is_none() {
        return Err(Failure::refused(format!(
            "there is no connection {id}; `portero grant list` shows their ids"
        )));
    }
    let ending = Ending { id: id.as_str(), kind: "connection", done: "revoked" };
    ended::end(context, console, &Target::Grant(id.clone()), ending, &args.end).await
}
