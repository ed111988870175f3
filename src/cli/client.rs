//! `portero client`: the agent software that may ask people for access.

use serde_json::{Value, json};

use super::args;
use super::console::{Console, Facts, Table, or_dash, time, time_opt};
use super::context::Context;
use super::ended::{self, EndArgs, Ending};
use super::outcome::Failure;
use crate::config::Period;
use crate::domain::client::{AuthMethod, Client, ClientMetadata};
use crate::domain::ids::ClientId;
use crate::domain::{name, redirect_uri};
use crate::identity::revoke::Target;
use crate::oauth::redirect_allowlist;
use crate::oauth::register::SECRET_PREFIX;

const URIS: usize = 20;

/// What to do with clients. A client is named by its id.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum ClientCommand {
    /// List clients, those that registered themselves too
    #[command(after_help = "Example:\n  portero client list")]
    List,
    /// Show a client
    #[command(after_help = "Example:\n  portero client show cli_…")]
    Show(ClientArgs),
    /// Make a client; its secret, if it has one, is shown this once
    #[command(
        after_help = "Example:\n  portero client create --name 'Acme agent' --redirect-uri https://agent.acme.example/callback --confidential"
    )]
    Create(CreateArgs),
    /// Disable a client: its connections end, and it cannot register again
    #[command(after_help = "Example:\n  portero client disable cli_… --dry-run")]
    Disable(EndClientArgs),
    /// Let a disabled client in again; what disabling ended stays ended
    #[command(after_help = "Example:\n  portero client enable cli_…")]
    Enable(ClientArgs),
    /// Delete a client: its connections end
    #[command(after_help = "Example:\n  portero client delete cli_…")]
    Delete(EndClientArgs),
    /// Delete registrations that nobody ever allowed anything
    #[command(after_help = "Example:\n  portero client prune --older-than 7d")]
    Prune(PruneArgs),
}

/// Which client.
#[derive(Debug, Clone, clap::Args)]
pub struct ClientArgs {
    /// Its id
    pub id: String,
}

/// Which client is to end.
#[derive(Debug, Clone, clap::Args)]
pub struct EndClientArgs {
    /// Its id
    pub id: String,
    /// How to end it.
    #[command(flatten)]
    pub end: EndArgs,
}

/// A new client.
#[derive(Debug, Clone, clap::Args)]
pub struct CreateArgs {
    /// Its name, which the authorization page shows
    #[arg(long, value_parser = args::name)]
    pub name: String,
    /// Where answers may go; repeat it for more
    #[arg(long = "redirect-uri", value_name = "URI", required = true)]
    pub redirect_uris: Vec<String>,
    /// Give it a secret, for clients that can keep one
    #[arg(long)]
    pub confidential: bool,
}

/// Which registrations.
#[derive(Debug, Clone, clap::Args)]
pub struct PruneArgs {
    /// Only those registered longer ago than this
    #[arg(long, value_name = "TIME", default_value = "30d")]
    pub older_than: Period,
}

/// Runs the command.
pub async fn run(
    command: &ClientCommand,
    context: &Context,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    match command {
        ClientCommand::List => list(context, console).await,
        ClientCommand::Show(args) => show(&args.id, context, console).await,
        ClientCommand::Create(args) => create(args, context, console).await,
        ClientCommand::Disable(args) => {
            let id = find(&args.id, context).await?.id;
            let ending = Ending { id: id.as_str(), kind: "client", done: "disabled" };
            ended::end(context, console, &Target::DisableClient(id.clone()), ending, &args.end).await
        }
        ClientCommand::Enable(args) => enable(&args.id, context, console).await,
        ClientCommand::Delete(args) => {
            let id = find(&args.id, context).await?.id;
            let ending = Ending { id: id.as_str(), kind: "client", done: "deleted" };
            ended::end(context, console, &Target::DeleteClient(id.clone()), ending, &args.end).await
        }
        ClientCommand::Prune(args) => prune(args, context, console).await,
    }
}

async fn find(id: &str, context: &Context) -> Result<Client, Failure> {
    let client = context.identity.store.client(&ClientId::from(id)).await?;
    client
        .ok_or_else(|| Failure::refused(format!("there is no client {id}; `portero client list` shows them")))
}

async fn list(context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let clients = context.identity.store.clients().await?;
    let row = |client: &Client| {
        [
            client.id.to_string(),
            client.display_name().to_owned(),
            client.kind.label().to_owned(),
            status(client).to_owned(),
            time(client.created_at),
            or_dash(time_opt(client.last_granted_at)),
        ]
    };
    let table = Table::new(
        ["ID", "NAME", "KIND", "STATUS", "CREATED", "LAST ALLOWED"],
        "there are no clients; most register themselves, `portero client create` makes one",
    );
    let values: Vec<Value> = clients.iter().map(client_json).collect();
    console.answer(&Value::from(values), &table.rows(clients.iter().map(row)))
}

async fn show(id: &str, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let client = find(id, context).await?;
    let grants = context.identity.store.grants_of_client(&client.id).await?;
    let live = grants.iter().filter(|view| view.alive && view.activated).count();
    let mut value = client_json(&client);
    if let Some(members) = value.as_object_mut() {
        members.insert("live_grants".to_owned(), json!(live));
    }
    let mut facts = facts(&client);
    facts.push(("connections", live.to_string()));
    console.answer(&value, &Facts::new(facts))
}

async fn create(args: &CreateArgs, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    check_uris(&args.redirect_uris, &context.config.oauth.redirect_allowlist)?;
    let method = if args.confidential { AuthMethod::ClientSecretBasic } else { AuthMethod::None };
    let metadata = ClientMetadata {
        redirect_uris: args.redirect_uris.clone(),
        client_name: Some(name::clean(&args.name)).filter(|name| !name.is_empty()),
        client_uri: None,
        token_endpoint_auth_method: method,
        grant_types: vec!["authorization_code".to_owned(), "refresh_token".to_owned()],
        response_types: vec!["code".to_owned()],
        scope: None,
        application_type: None,
        software_id: None,
        software_version: None,
    };
    let prefix = args.confidential.then_some(SECRET_PREFIX);
    let (client, secret) = context.identity.create_client(metadata, prefix).await?;
    let mut value = client_json(&client);
    let (mut facts, mut note) = (facts(&client), "");
    if let (Some(members), Some(secret)) = (value.as_object_mut(), &secret) {
        members.insert("secret".to_owned(), json!(secret.expose()));
        facts.insert(1, ("secret", secret.expose().to_owned()));
        note = "\n\nThe secret is shown only now: keep it where secrets are kept.";
    }
    console.answer(&value, &format!("{}{note}", Facts::new(facts)))
}

/// The same rules as at registration, so that nothing is made here that the authorization page would refuse.
fn check_uris(uris: &[String], allowlist: &[String]) -> Result<(), Failure> {
    if uris.len() > URIS {
        return Err(Failure::usage(format!("--redirect-uri: at most {URIS} are allowed")));
    }
    for uri in uris {
        redirect_uri::check(uri)
            .map_err(|fault| Failure::usage(format!("--redirect-uri {uri}: a redirect URI {fault}")))?;
        if !redirect_allowlist::allows(allowlist, uri) {
            return Err(Failure::usage(format!("--redirect-uri {uri} is not in oauth.redirect_allowlist")));
        }
    }
    Ok(())
}

async fn enable(id: &str, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let client = find(id, context).await?;
    if !context.identity.enable_client(&client.id).await? {
        return Err(Failure::refused(format!("client {id} is not disabled")));
    }
    let value = json!({ "id": client.id, "status": "active" });
    console.answer(&value, &format!("client {id} may ask again; what disabling ended stays ended"))
}

async fn prune(args: &PruneArgs, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let before = context.identity.now().minus(args.older_than.get());
    let pruned = context.identity.prune_clients(before).await?;
    console.answer(&json!({ "pruned": pruned }), &format!("{pruned} registrations are deleted"))
}

fn status(client: &Client) -> &'static str {
    if client.disabled_at.is_some() { "disabled" } else { "active" }
}

fn client_json(client: &Client) -> Value {
    json!({
        "id": client.id,
        "name": client.metadata.client_name,
        "kind": client.kind.label(),
        "status": status(client),
        "redirect_uris": client.metadata.redirect_uris,
        "token_endpoint_auth_method": client.metadata.token_endpoint_auth_method.label(),
        "scope": client.metadata.scope,
        "software_id": client.metadata.software_id,
        "software_version": client.metadata.software_version,
        "created_at": time(client.created_at),
        "disabled_at": time_opt(client.disabled_at),
        "last_granted_at": time_opt(client.last_granted_at),
    })
}

fn facts(client: &Client) -> Vec<(&'static str, String)> {
    let metadata = &client.metadata;
    let mut facts = vec![
        ("client", client.id.to_string()),
        ("name", client.display_name().to_owned()),
        ("kind", client.kind.label().to_owned()),
        ("status", status(client).to_owned()),
        ("proof", metadata.token_endpoint_auth_method.label().to_owned()),
        ("created", time(client.created_at)),
        ("last allowed", or_dash(time_opt(client.last_granted_at))),
    ];
    facts.extend(metadata.redirect_uris.iter().map(|uri| ("redirect uri", uri.clone())));
    facts
}
