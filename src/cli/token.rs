//! `portero token`: personal access tokens.

use serde_json::{Value, json};

use super::args;
use super::console::{Console, Facts, Table, or_dash, time, time_opt};
use super::context::Context;
use super::ended::{self, EndArgs, Ending};
use super::outcome::Failure;
use crate::app::brand::Brand;
use crate::config::{Config, PatExpiry, Period};
use crate::domain::clock::Timestamp;
use crate::domain::ids::{PatId, UserId, WorkspaceId};
use crate::domain::pat::{Mode, Pat};
use crate::domain::scope::ScopeSet;
use crate::domain::secret::Secret;
use crate::identity::issue::NewPat;
use crate::identity::revoke::Target;

/// What to do with personal access tokens. A token is named by its id.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum TokenCommand {
    /// Make a token and show it, this once
    #[command(
        after_help = "Example:\n  portero token create --user ana@example.com --brand mico --name laptop --scope mico:read --expires 90d"
    )]
    Create(CreateArgs),
    /// List tokens; none is ever shown again
    #[command(after_help = "Example:\n  portero token list --user ana@example.com")]
    List(ListArgs),
    /// Revoke a token, and every connection it authorized
    #[command(after_help = "Example:\n  portero token revoke tok_… --dry-run")]
    Revoke(RevokeArgs),
    /// Give a token a new secret and show it, this once; its connections stay
    #[command(after_help = "Example:\n  portero token rotate tok_… --overlap 1h")]
    Rotate(RotateArgs),
}

/// A new token.
#[derive(Debug, Clone, clap::Args)]
pub struct CreateArgs {
    /// Whose it is, by id or e-mail address
    #[arg(long)]
    pub user: String,
    /// The brand that accepts it; may be left out if there is one alone
    #[arg(long)]
    pub brand: Option<String>,
    /// Its name
    #[arg(long, value_parser = args::name)]
    pub name: String,
    /// The workspace it acts for; the user's personal one without it
    #[arg(long)]
    pub workspace: Option<String>,
    /// A scope it may use; repeat it for more, all the brand's without it
    #[arg(long = "scope", value_name = "SCOPE")]
    pub scopes: Vec<String>,
    /// Test tokens do not see tools with outside effects
    #[arg(long, default_value = "live", value_parser = args::mode())]
    pub mode: Mode,
    /// When it ends by itself: a time such as 30d, or never; the brand's pat_expiry without it
    #[arg(long, value_name = "TIME")]
    pub expires: Option<PatExpiry>,
}

/// Whose tokens.
#[derive(Debug, Clone, clap::Args)]
pub struct ListArgs {
    /// Only this user's, by id or e-mail address
    #[arg(long)]
    pub user: Option<String>,
}

/// Which token is to end.
#[derive(Debug, Clone, clap::Args)]
pub struct RevokeArgs {
    /// Its id
    pub id: String,
    /// How to end it.
    #[command(flatten)]
    pub end: EndArgs,
}

/// Which token gets a new secret.
#[derive(Debug, Clone, clap::Args)]
pub struct RotateArgs {
    /// Its id
    pub id: String,
    /// How long the old secret works on, such as 1h
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub overlap: Period,
}

/// Runs the command.
pub async fn run(
    command: &TokenCommand,
    context: &Context,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    match command {
        TokenCommand::Create(args) => create(args, context, console).await,
        TokenCommand::List(args) => list(args, context, console).await,
        TokenCommand::Revoke(args) => {
            let pat = find(&args.id, context).await?;
            let ending = Ending { id: pat.id.as_str(), kind: "token", done: "revoked" };
            ended::end(context, console, &Target::Pat(pat.id.clone()), ending, &args.end).await
        }
        TokenCommand::Rotate(args) => rotate(args, context, console).await,
    }
}

async fn find(id: &str, context: &Context) -> Result<Pat, Failure> {
    let pat = context.identity.store.pat(&PatId::from(id)).await?;
    pat.ok_or_else(|| {
        Failure::refused(format!("there is no token {id}; `portero token list` shows their ids"))
    })
}

async fn create(args: &CreateArgs, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let brand = context.brand(args.brand.as_deref())?;
    let scopes = scopes(&context.config, &brand, &args.scopes)?;
    let expires_at = expiry(args.expires, &brand, context.identity.now())?;
    let user = context.user(&args.user).await?;
    if user.locked_at.is_some() {
        return Err(Failure::refused(format!(
            "user {0} is locked; `portero user unlock {0}` first",
            user.id
        )));
    }
    let workspace = workspace_of(&user.id, args.workspace.as_deref(), context).await?;
    let new = NewPat {
        tokens: &brand.tokens,
        user: &user.id,
        workspace: &workspace,
        name: &args.name,
        scopes,
        mode: args.mode,
        expires_at,
    };
    let made = context.identity.create_pat(new).await?;
    let (pat, secret) = made.ok_or_else(|| {
        Failure::refused("the user was locked or left the workspace meanwhile; no token was made")
    })?;
    show_once(&pat, &secret, console)
}

/// The asked scopes, each of which a service of the brand must declare; all of those if none is asked.
fn scopes(config: &Config, brand: &Brand, asked: &[String]) -> Result<ScopeSet, Failure> {
    let services = config.service.iter().filter(|service| service.brand == brand.id.as_str());
    let declared: ScopeSet = services.flat_map(|service| service.scopes.keys()).map(String::as_str).collect();
    if asked.is_empty() {
        return Ok(declared);
    }
    if let Some(unknown) = asked.iter().find(|scope| !declared.contains(scope)) {
        let known: Vec<&str> = declared.iter().collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(Failure::usage(format!(
            "no service of brand {} declares the scope {unknown:?}; declared: {known}",
            brand.id
        )));
    }
    Ok(asked.iter().map(String::as_str).collect())
}

fn expiry(asked: Option<PatExpiry>, brand: &Brand, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
    let length = asked.unwrap_or(brand.config.pat_expiry).get();
    if length.is_some_and(|length| length.is_zero()) {
        return Err(Failure::usage("--expires: a token needs some time to live, such as 30d"));
    }
    if let Some(longest) = brand.config.pat_max_ttl
        && length.is_none_or(|length| length > longest.get())
    {
        return Err(Failure::usage(format!(
            "--expires: brand {} allows its tokens at most {longest} (pat_max_ttl)",
            brand.id
        )));
    }
    Ok(length.map(|length| now.plus(length)))
}

async fn workspace_of(user: &UserId, asked: Option<&str>, context: &Context) -> Result<WorkspaceId, Failure> {
    let found = context.identity.workspace_for(user, asked, None).await?;
    found.ok_or_else(|| match asked {
        Some(id) => Failure::refused(format!(
            "user {user} is no member of a workspace {id}; `portero user show {user}` shows theirs"
        )),
        None => Failure::refused(format!(
            "user {user} belongs to no workspace; `portero workspace add-member` changes that"
        )),
    })
}

async fn list(args: &ListArgs, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let user = match &args.user {
        Some(named) => Some(context.user(named).await?.id),
        None => None,
    };
    let pats = context.identity.store.pats(user.as_ref()).await?;
    let cut_off = context.identity.store.cut_off_pats().await?;
    let now = context.identity.now();
    let status = |pat: &Pat| match (pat.ended_at, pat.is_live(now)) {
        (Some(_), _) => "revoked",
        (None, false) => "expired",
        (None, true) if cut_off.contains(&pat.id) => "ended",
        (None, true) => "active",
    };
    let value = |pat: &Pat| {
        let mut value = pat_json(pat);
        if let Some(members) = value.as_object_mut() {
            members.insert("status".to_owned(), json!(status(pat)));
            members.insert("created_at".to_owned(), json!(time(pat.created_at)));
            members.insert("last_used_at".to_owned(), json!(time_opt(pat.last_used_at)));
            members.insert("ended_at".to_owned(), json!(time_opt(pat.ended_at)));
        }
        value
    };
    let row = |pat: &Pat| {
        [
            pat.id.to_string(),
            pat.name.clone(),
            pat.hint.clone(),
            pat.user.to_string(),
            pat.scopes.to_string(),
            status(pat).to_owned(),
            time_opt(pat.expires_at).unwrap_or("never".to_owned()),
            or_dash(time_opt(pat.last_used_at)),
        ]
    };
    let table = Table::new(
        ["ID", "NAME", "HINT", "USER", "SCOPES", "STATUS", "EXPIRES", "LAST USED"],
        "there are no tokens; `portero token create` makes one",
    );
    let values: Vec<Value> = pats.iter().map(value).collect();
    console.answer(&Value::from(values), &table.rows(pats.iter().map(row)))
}

async fn rotate(args: &RotateArgs, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let pat = find(&args.id, context).await?;
    let brand = context.brand(Some(pat.brand.as_str()))?;
    let rotated = context.identity.rotate_pat(&brand.tokens, &pat, args.overlap.get()).await?;
    let (pat, secret) = rotated
        .ok_or_else(|| Failure::refused(format!("token {} has ended; make a new one instead", pat.id)))?;
    show_once(&pat, &secret, console)
}

/// The one answer with the secret in it.
fn show_once(pat: &Pat, secret: &Secret, console: &mut Console<'_>) -> Result<(), Failure> {
    let mut value = pat_json(pat);
    if let Some(members) = value.as_object_mut() {
        members.insert("token".to_owned(), json!(secret.expose()));
    }
    let facts = Facts::new([
        ("token", secret.expose().to_owned()),
        ("id", pat.id.to_string()),
        ("name", pat.name.clone()),
        ("user", pat.user.to_string()),
        ("workspace", pat.workspace.to_string()),
        ("scopes", pat.scopes.to_string()),
        ("mode", pat.mode.label().to_owned()),
        ("expires", time_opt(pat.expires_at).unwrap_or("never".to_owned())),
    ]);
    console
        .answer(&value, &format!("{facts}\n\nThe token is shown only now: keep it where secrets are kept."))
}

fn pat_json(pat: &Pat) -> Value {
    json!({
        "id": pat.id,
        "hint": pat.hint,
        "name": pat.name,
        "user": pat.user,
        "workspace": pat.workspace,
        "brand": pat.brand,
        "scopes": pat.scopes.iter().collect::<Vec<_>>(),
        "mode": pat.mode.label(),
        "expires_at": time_opt(pat.expires_at),
    })
}
