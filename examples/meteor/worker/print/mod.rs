//! What the table comes to outside the worker: both catalogs, the OpenAPI document, the policies of `portero.toml`.
//!
//! ```sh
//! cargo run --example meteor-worker -- --print catalog > examples/meteor/meteor-tools.json
//! ```

mod catalog;
mod openapi;
mod policy;
#[cfg(test)]
mod tests;
mod yaml;

use serde_json::Value;

use super::table::Table;

/// A file, or the part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum What {
    /// `meteor-tools.json`
    Catalog,
    /// `meteor-partners-tools.json`
    Partners,
    /// `openapi.yaml`
    Openapi,
    /// Scopes of `portero.toml`
    Scopes,
    /// Policies of tools in `portero.toml`
    Policy,
    /// Policies of operations in `portero.toml`
    Operations,
    /// Operations that `portero.toml` excludes
    Exclude,
    /// Scopes of partners
    PartnerScopes,
    /// Policies of partners
    PartnerPolicy,
}

/// The text of it.
///
/// # Errors
/// A table that makes no sense.
pub fn text(what: What) -> Result<String, String> {
    let table = Table::read()?;
    match what {
        What::Catalog => Ok(catalog::text(&table, false)),
        What::Partners => Ok(catalog::text(&table, true)),
        What::Openapi => openapi::text(&table),
        What::Scopes => Ok(policy::scopes(&table, false)),
        What::PartnerScopes => Ok(policy::scopes(&table, true)),
        What::Policy => Ok(policy::tools(&table, false)),
        What::Exclude => Ok(policy::exclude(&table)),
        What::Operations => Ok(policy::operations(&table)),
        What::PartnerPolicy => Ok(policy::tools(&table, true)),
    }
}

/// Puts a member into an object.
fn set(object: &mut Value, name: &str, member: Value) {
    if let Value::Object(members) = object {
        members.insert(name.to_owned(), member);
    }
}
