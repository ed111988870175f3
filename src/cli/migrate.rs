//! `portero migrate`: the database's shape.

use serde_json::json;

use super::console::{Console, Table};
use super::context::Context;
use super::outcome::Failure;

/// What to do with migrations.
#[derive(Debug, Clone, clap::Args)]
pub struct MigrateArgs {
    /// Only list them, and which have been applied
    #[arg(long)]
    pub status: bool,
}

/// Applies what is missing, or says what that is.
pub async fn run(args: &MigrateArgs, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let store = &context.identity.store;
    if !args.status && !store.is_migrated().await? {
        store.migrate().await?;
    }
    let states = store.migrations().await?;
    let table =
        Table::new(["NUMBER", "NAME", "STATE"], "there are no migrations").rows(states.iter().map(|state| {
            let applied = if state.applied { "applied" } else { "missing" };
            [format!("{:04}", state.version), state.name.clone(), applied.to_owned()]
        }));
    console.answer(&json!(states), &table)
}
