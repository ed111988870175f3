//! `portero introspection-key`: credentials of resource servers that ask about tokens.

use serde_json::{Value, json};

use super::args;
use super::console::{Console, Facts, Table, time, time_opt};
use super::context::Context;
use super::outcome::Failure;
use crate::domain::grant::EndReason;
use crate::domain::ids::KeyId;
use crate::identity::revoke::Target;
use crate::oauth::introspect::SECRET_PREFIX;
use crate::store::keys::{KeyKind, OperatorKey};

/// What to do with introspection keys.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum IntrospectionKeyCommand {
    /// Make a key and show its secret, this once; id and secret are client id and client secret at /introspect
    #[command(after_help = "Example:\n  portero introspection-key create --name billing")]
    Create {
        /// Its name
        #[arg(long, value_parser = args::name)]
        name: String,
    },
    /// List keys
    #[command(after_help = "Example:\n  portero introspection-key list")]
    List,
    /// Revoke a key
    #[command(after_help = "Example:\n  portero introspection-key revoke key_…")]
    Revoke {
        /// Its id
        id: String,
    },
}

/// Runs the command.
pub async fn run(
    command: &IntrospectionKeyCommand,
    context: &Context,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    match command {
        IntrospectionKeyCommand::Create { name } => create(name, context, console).await,
        IntrospectionKeyCommand::List => list(context, console).await,
        IntrospectionKeyCommand::Revoke { id } => revoke(id, context, console).await,
    }
}

async fn create(name: &str, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let made = context.identity.create_operator_key(KeyKind::Introspection, SECRET_PREFIX, name).await?;
    let (key, secret) = made;
    let facts = Facts::new([("id", key.id.to_string()), ("secret", secret.expose().to_owned())]);
    let text = format!("{facts}\n\nThe secret is shown only now: keep it where secrets are kept.");
    console.answer(&json!({ "id": key.id, "secret": secret.expose() }), &text)
}

async fn list(context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let keys = context.identity.store.operator_keys(KeyKind::Introspection).await?;
    let status = |key: &OperatorKey| if key.revoked_at.is_some() { "revoked" } else { "active" };
    let value = |key: &OperatorKey| {
        json!({
            "id": key.id,
            "name": key.name,
            "status": status(key),
            "created_at": time(key.created_at),
            "revoked_at": time_opt(key.revoked_at),
        })
    };
    let row = |key: &OperatorKey| {
        [key.id.to_string(), key.name.clone(), status(key).to_owned(), time(key.created_at)]
    };
    let table = Table::new(
        ["ID", "NAME", "STATUS", "CREATED"],
        "there are no introspection keys; `portero introspection-key create` makes one",
    );
    let values: Vec<Value> = keys.iter().map(value).collect();
    console.answer(&Value::from(values), &table.rows(keys.iter().map(row)))
}

async fn revoke(id: &str, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let target = Target::OperatorKey(KeyKind::Introspection, KeyId::from(id));
    if context.identity.revoke(&target, EndReason::Operator).await?.is_none() {
        return Err(Failure::refused(format!(
            "there is no live introspection key {id}; `portero introspection-key list` shows them"
        )));
    }
    console.answer(&json!({ "id": id, "ended": true }), &format!("introspection key {id} is revoked"))
}
