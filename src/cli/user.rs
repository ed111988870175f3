//! `portero user`: people.

use serde_json::{Value, json};

use super::args;
use super::console::{Console, Facts, Table, or_dash, time, time_opt};
use super::context::Context;
use super::ended::{self, EndArgs, Ending};
use super::outcome::Failure;
use crate::domain::user::User;
use crate::domain::workspace::Workspace;
use crate::identity::people::{CreateUserError, NewUser};
use crate::identity::revoke::Target;

/// What to do with users. A user is named by id or by e-mail address.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum UserCommand {
    /// Make a user, with a personal workspace
    #[command(
        after_help = "Example:\n  printf '%s\\n' \"$PASSWORD\" | portero user create --email ana@example.com --name Ana --password-stdin --plan flow"
    )]
    Create(CreateArgs),
    /// List all users
    #[command(after_help = "Example:\n  portero user list --json")]
    List,
    /// Show a user and their workspaces
    #[command(after_help = "Example:\n  portero user show ana@example.com")]
    Show(UserArgs),
    /// Lock a user: sessions, tokens and connections end and nothing can be made
    #[command(after_help = "Example:\n  portero user lock ana@example.com --dry-run")]
    Lock(EndUserArgs),
    /// Let a locked user in again; what the lock ended stays ended
    #[command(after_help = "Example:\n  portero user unlock ana@example.com")]
    Unlock(UserArgs),
    /// Delete a user: sessions, tokens and connections end
    #[command(after_help = "Example:\n  portero user delete ana@example.com")]
    Delete(EndUserArgs),
    /// Give a user a new password: sessions end, tokens and connections stay
    #[command(
        after_help = "Example:\n  printf '%s\\n' \"$PASSWORD\" | portero user password ana@example.com --password-stdin"
    )]
    Password(PasswordArgs),
}

/// A new user.
#[derive(Debug, Clone, clap::Args)]
pub struct CreateArgs {
    /// E-mail address, with which they sign in
    #[arg(long, value_parser = args::email)]
    pub email: String,
    /// The name shown
    #[arg(long, value_parser = args::name)]
    pub name: String,
    /// Read a password of at least 12 characters from one line of standard input
    #[arg(long)]
    pub password_stdin: bool,
    /// Plan of the personal workspace; none without it
    #[arg(long)]
    pub plan: Option<String>,
    /// Your own id of this person, which workers are told
    #[arg(long, value_name = "ID", value_parser = args::name)]
    pub external_id: Option<String>,
}

/// Which user.
#[derive(Debug, Clone, clap::Args)]
pub struct UserArgs {
    /// Id or e-mail address
    pub user: String,
}

/// Which user is to end.
#[derive(Debug, Clone, clap::Args)]
pub struct EndUserArgs {
    /// Id or e-mail address
    pub user: String,
    /// How to end it.
    #[command(flatten)]
    pub end: EndArgs,
}

/// Whose password.
#[derive(Debug, Clone, clap::Args)]
pub struct PasswordArgs {
    /// Id or e-mail address
    pub user: String,
    /// Read a password of at least 12 characters from one line of standard input
    #[arg(long, required = true)]
    pub password_stdin: bool,
}

/// Runs the command.
pub async fn run(command: &UserCommand, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    match command {
        UserCommand::Create(args) => create(args, context, console).await,
        UserCommand::List => list(context, console).await,
        UserCommand::Show(args) => show(&args.user, context, console).await,
        UserCommand::Lock(args) => {
            let user = context.user(&args.user).await?;
            let ending = Ending { id: user.id.as_str(), kind: "user", done: "locked" };
            ended::end(context, console, &Target::LockUser(user.id.clone()), ending, &args.end).await
        }
        UserCommand::Unlock(args) => unlock(&args.user, context, console).await,
        UserCommand::Delete(args) => {
            let user = context.user(&args.user).await?;
            let ending = Ending { id: user.id.as_str(), kind: "user", done: "deleted" };
            ended::end(context, console, &Target::DeleteUser(user.id.clone()), ending, &args.end).await
        }
        UserCommand::Password(args) => password(&args.user, context, console).await,
    }
}

async fn create(args: &CreateArgs, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let plan = args.plan.as_deref().map(|plan| context.plan(plan)).transpose()?;
    let password = if args.password_stdin { Some(console.new_password()?) } else { None };
    let new = NewUser {
        email: &args.email,
        name: &args.name,
        external_id: args.external_id.as_deref(),
        password: password.as_ref().map(|password| password.as_str()),
        plan: plan.as_ref(),
    };
    let (user, workspace) = context.identity.create_user(new).await.map_err(|error| match error {
        CreateUserError::EmailTaken => {
            Failure::refused(format!("there is a user {} already; `portero user show` shows it", args.email))
        }
        CreateUserError::ExternalIdTaken => Failure::refused("another user has this external id already"),
        CreateUserError::Store(error) => error.into(),
    })?;
    let value = json!({ "id": user.id, "email": user.email, "workspace": workspace.id });
    let facts = Facts::new([
        ("user", user.id.to_string()),
        ("e-mail", user.email),
        ("workspace", workspace.id.to_string()),
        ("plan", or_dash(workspace.plan)),
    ]);
    console.answer(&value, &facts)
}

async fn list(context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let users = context.identity.store.users().await?;
    let row = |user: &User| {
        let (id, status) = (user.id.to_string(), status(user).to_owned());
        [id, user.email.clone(), user.name.clone(), status, time(user.created_at)]
    };
    let table = Table::new(
        ["ID", "E-MAIL", "NAME", "STATUS", "CREATED"],
        "there are no users; `portero user create` makes one",
    );
    let values: Vec<Value> = users.iter().map(user_json).collect();
    console.answer(&Value::from(values), &table.rows(users.iter().map(row)))
}

async fn show(named: &str, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let user = context.user(named).await?;
    let workspaces = context.identity.store.workspaces_of(&user.id).await?;
    let has_password = context.identity.store.password_hash(&user.id).await?.is_some();
    let mut value = user_json(&user);
    let of_user: Vec<Value> = workspaces.iter().map(|own| workspace_json(own, &user)).collect();
    if let Some(members) = value.as_object_mut() {
        members.insert("has_password".to_owned(), json!(has_password));
        members.insert("workspaces".to_owned(), json!(of_user));
    }
    let mut facts = vec![
        ("user", user.id.to_string()),
        ("e-mail", user.email.clone()),
        ("name", user.name.clone()),
        ("external id", or_dash(user.external_id.as_ref())),
        ("status", status(&user).to_owned()),
        ("password", if has_password { "set" } else { "none" }.to_owned()),
        ("created", time(user.created_at)),
    ];
    facts.extend(workspaces.iter().map(|own| {
        let plan = own.plan.as_ref().map_or("no plan".to_owned(), |plan| format!("plan {plan}"));
        ("workspace", format!("{} {}, {plan}, {}", own.id, own.name, own.status.label()))
    }));
    console.answer(&value, &Facts::new(facts))
}

async fn unlock(named: &str, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let user = context.user(named).await?;
    if !context.identity.unlock_user(&user.id).await? {
        return Err(Failure::refused(format!("user {} is not locked", user.id)));
    }
    let value = json!({ "id": user.id, "status": "active" });
    let text = format!("user {} may act again; what the lock ended stays ended", user.id);
    console.answer(&value, &text)
}

async fn password(named: &str, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let user = context.user(named).await?;
    let password = console.new_password()?;
    context.identity.set_password(&user.id, &password, None).await?;
    let text =
        format!("user {} has a new password; all sessions ended, tokens and connections stay", user.id);
    console.answer(&json!({ "id": user.id }), &text)
}

fn status(user: &User) -> &'static str {
    if user.locked_at.is_some() { "locked" } else { "active" }
}

fn user_json(user: &User) -> Value {
    json!({
        "id": user.id,
        "email": user.email,
        "name": user.name,
        "external_id": user.external_id,
        "status": status(user),
        "locked_at": time_opt(user.locked_at),
        "created_at": time(user.created_at),
    })
}

fn workspace_json(workspace: &Workspace, user: &User) -> Value {
    json!({
        "id": workspace.id,
        "name": workspace.name,
        "personal": workspace.personal_of.as_ref() == Some(&user.id),
        "plan": workspace.plan,
        "status": workspace.status.label(),
    })
}
