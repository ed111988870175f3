//! Ending things from the command line, and saying what ended with them.

use std::fmt;

use serde_json::{Value, json};

use super::console::{Console, Table, or_dash, time, time_opt};
use super::context::Context;
use super::outcome::Failure;
use crate::domain::grant::EndReason;
use crate::identity::revoke::Target;
use crate::store::grants::GrantView;

/// What every command that takes something away is told.
#[derive(Debug, Clone, clap::Args)]
pub struct EndArgs {
    /// Only say which connections would end
    #[arg(long)]
    pub dry_run: bool,
}

/// What is to end, in words.
#[derive(Debug, Clone, Copy)]
pub struct Ending<'a> {
    /// Its id.
    pub id: &'a str,
    /// What it is: `token`, `user`.
    pub kind: &'a str,
    /// What becomes of it: `revoked`, `locked`.
    pub done: &'a str,
}

/// Ends a target with everything that hangs on it, or says what would end.
pub async fn end(
    context: &Context,
    console: &mut Console<'_>,
    target: &Target,
    ending: Ending<'_>,
    args: &EndArgs,
) -> Result<(), Failure> {
    let Ending { id, kind, done } = ending;
    let ended = if args.dry_run {
        context.identity.would_end(target).await?
    } else {
        let ended = context.identity.revoke(target, EndReason::Operator).await?;
        ended.ok_or_else(|| Failure::refused(format!("{kind} {id} is {done} already")))?
    };
    let grants: Vec<Value> = ended.grants.iter().map(grant_json).collect();
    let value = json!({ "id": id, "ended": !args.dry_run, "grants": grants });
    let (is, count) = (if args.dry_run { "would be" } else { "is" }, ended.grants.len());
    let tail = match count {
        0 => "no connection ends with it".to_owned(),
        1 => format!("1 connection ends with it:\n{}", grant_table(&ended.grants)),
        _ => format!("{count} connections end with it:\n{}", grant_table(&ended.grants)),
    };
    console.answer(&value, &format!("{kind} {id} {is} {done}; {tail}"))
}

/// A connection for programs.
pub fn grant_json(view: &GrantView) -> Value {
    let grant = &view.grant;
    json!({
        "id": grant.id,
        "client": grant.client,
        "client_name": view.client_name,
        "redirect_host": view.redirect_host,
        "user": grant.user,
        "workspace": grant.workspace,
        "service": grant.service,
        "brand": grant.brand,
        "scopes": grant.scopes.iter().collect::<Vec<_>>(),
        "token": grant.pat,
        "mode": grant.mode.label(),
        "status": grant_status(view),
        "created_at": time(grant.created_at),
        "expires_at": time(grant.expires_at),
        "last_used_at": time_opt(grant.last_used_at),
        "ended_at": time_opt(grant.ended_at),
        "ended_reason": grant.ended_reason.map(EndReason::label),
    })
}

/// Connections for people.
pub fn grant_table(grants: &[GrantView]) -> impl fmt::Display {
    let row = |view: &GrantView| {
        let grant = &view.grant;
        [
            grant.id.to_string(),
            view.client_name.clone(),
            grant.user.to_string(),
            grant.service.to_string(),
            grant.scopes.to_string(),
            or_dash(grant.pat.as_ref()),
            grant_status(view).to_owned(),
            time(grant.created_at),
        ]
    };
    Table::new(
        ["ID", "CLIENT", "USER", "SERVICE", "SCOPES", "TOKEN", "STATUS", "CREATED"],
        "there are no connections",
    )
    .rows(grants.iter().map(row))
}

/// `active`, or `ended` by itself or by what it hangs on.
fn grant_status(view: &GrantView) -> &'static str {
    if view.alive { "active" } else { "ended" }
}
