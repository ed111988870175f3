//! `portero workspace`: what plans are paid for, and who belongs to it.

use std::fmt;

use serde_json::{Value, json};

use super::args;
use super::console::{Console, Facts, Table, or_dash, time};
use super::context::Context;
use super::ended::{self, EndArgs, Ending};
use super::outcome::Failure;
use crate::domain::workspace::{Workspace, WorkspaceStatus};
use crate::identity::credits::Used;
use crate::identity::revoke::Target;

/// What to do with workspaces. A workspace is named by its id.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum WorkspaceCommand {
    /// Make a workspace
    #[command(
        after_help = "Example:\n  portero workspace create --name Acme --plan flow --owner ana@example.com"
    )]
    Create(CreateArgs),
    /// List all workspaces
    #[command(after_help = "Example:\n  portero workspace list")]
    List,
    /// Show a workspace and its members
    #[command(after_help = "Example:\n  portero workspace show wsp_…")]
    Show(WorkspaceArgs),
    /// Put a workspace on a plan, or on none
    #[command(after_help = "Example:\n  portero workspace set-plan wsp_… flow")]
    SetPlan(PlanArgs),
    /// Say how a workspace stands with its bill
    #[command(after_help = "Example:\n  portero workspace set-status wsp_… past_due")]
    SetStatus(StatusArgs),
    /// Make a user a member
    #[command(after_help = "Example:\n  portero workspace add-member wsp_… bea@example.com")]
    AddMember(MemberArgs),
    /// End a membership, and every token and connection made under it
    #[command(after_help = "Example:\n  portero workspace remove-member wsp_… bea@example.com --dry-run")]
    RemoveMember(RemoveArgs),
}

/// A new workspace.
#[derive(Debug, Clone, clap::Args)]
pub struct CreateArgs {
    /// Its name
    #[arg(long, value_parser = args::name)]
    pub name: String,
    /// Its plan; none without it
    #[arg(long)]
    pub plan: Option<String>,
    /// Its first member, by id or e-mail address
    #[arg(long, value_name = "USER")]
    pub owner: Option<String>,
}

/// Which workspace.
#[derive(Debug, Clone, clap::Args)]
pub struct WorkspaceArgs {
    /// Its id
    pub workspace: String,
}

/// Which workspace, which plan.
#[derive(Debug, Clone, clap::Args)]
pub struct PlanArgs {
    /// Its id
    pub workspace: String,
    /// A configured plan, or `none`
    pub plan: String,
}

/// Which workspace, which status.
#[derive(Debug, Clone, clap::Args)]
pub struct StatusArgs {
    /// Its id
    pub workspace: String,
    /// With past_due it may read and not write, with inactive nothing
    #[arg(value_parser = args::status())]
    pub status: WorkspaceStatus,
}

/// Which workspace, which user.
#[derive(Debug, Clone, clap::Args)]
pub struct MemberArgs {
    /// Its id
    pub workspace: String,
    /// Id or e-mail address of the user
    pub user: String,
}

/// Which membership is to end.
#[derive(Debug, Clone, clap::Args)]
pub struct RemoveArgs {
    /// Who of what.
    #[command(flatten)]
    pub member: MemberArgs,
    /// How to end it.
    #[command(flatten)]
    pub end: EndArgs,
}

/// Runs the command.
pub async fn run(
    command: &WorkspaceCommand,
    context: &Context,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    match command {
        WorkspaceCommand::Create(args) => create(args, context, console).await,
        WorkspaceCommand::List => list(context, console).await,
        WorkspaceCommand::Show(args) => show(&args.workspace, context, console).await,
        WorkspaceCommand::SetPlan(args) => set_plan(args, context, console).await,
        WorkspaceCommand::SetStatus(args) => set_status(args, context, console).await,
        WorkspaceCommand::AddMember(args) => add_member(args, context, console).await,
        WorkspaceCommand::RemoveMember(args) => remove_member(args, context, console).await,
    }
}

async fn create(args: &CreateArgs, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let plan = args.plan.as_deref().map(|plan| context.plan(plan)).transpose()?;
    let owner = match &args.owner {
        Some(named) => Some(context.user(named).await?.id),
        None => None,
    };
    let workspace = context.identity.create_workspace(&args.name, plan.as_ref(), owner.as_ref()).await?;
    console.answer(&workspace_json(&workspace), &facts(&workspace, &[]))
}

async fn list(context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let workspaces = context.identity.store.workspaces().await?;
    let row = |own: &Workspace| {
        [
            own.id.to_string(),
            own.name.clone(),
            or_dash(own.plan.as_ref()),
            own.status.label().to_owned(),
            or_dash(own.personal_of.as_ref()),
            time(own.created_at),
        ]
    };
    let table = Table::new(
        ["ID", "NAME", "PLAN", "STATUS", "PERSONAL OF", "CREATED"],
        "there are no workspaces; every user gets one",
    );
    let values: Vec<Value> = workspaces.iter().map(workspace_json).collect();
    console.answer(&Value::from(values), &table.rows(workspaces.iter().map(row)))
}

async fn show(id: &str, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let workspace = context.workspace(id).await?;
    let mut members = Vec::new();
    for id in context.identity.store.members(&workspace.id).await? {
        // a member may have been deleted since
        if let Some(user) = context.identity.store.user(&id).await? {
            members.push(user);
        }
    }
    let credits = credits(&workspace, context).await?;
    let mut value = workspace_json(&workspace);
    let list: Vec<Value> =
        members.iter().map(|user| json!({ "id": user.id, "email": user.email, "name": user.name })).collect();
    if let Some(own) = value.as_object_mut() {
        own.insert("members".to_owned(), json!(list));
        own.insert("credits".to_owned(), credits.as_ref().map_or(Value::Null, Credits::json));
    }
    let members = members.iter().map(|user| ("member", format!("{} {} {}", user.id, user.email, user.name)));
    let text = credits.map_or_else(|| "unmetered".to_owned(), |credits| credits.to_string());
    let more: Vec<_> = std::iter::once(("credits", text)).chain(members).collect();
    console.answer(&value, &facts(&workspace, &more))
}

/// What a workspace on a metered plan has of this month's credits.
struct Credits {
    per_month: u64,
    used: Used,
}

impl Credits {
    fn json(&self) -> Value {
        json!({
            "month": self.used.month.label(),
            "per_month": self.per_month,
            "used": self.used.used,
            "balance": self.used.balance(self.per_month),
        })
    }
}

impl fmt::Display for Credits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let balance = self.used.balance(self.per_month);
        write!(f, "{balance} of {} left in {}", self.per_month, self.used.month.label())
    }
}

async fn credits(workspace: &Workspace, context: &Context) -> Result<Option<Credits>, Failure> {
    let plan = workspace.plan.as_ref().and_then(|plan| context.config.plans.get(plan.as_str()));
    let Some(per_month) = plan.and_then(|plan| plan.credits_per_month) else { return Ok(None) };
    Ok(Some(Credits { per_month, used: context.identity.credits_used(&workspace.id).await? }))
}

async fn set_plan(args: &PlanArgs, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let plan = if args.plan == "none" { None } else { Some(context.plan(&args.plan)?) };
    let workspace = context.workspace(&args.workspace).await?;
    context.identity.set_plan(&workspace.id, plan.as_ref()).await?;
    let text = match &plan {
        Some(plan) => format!("workspace {} is on plan {plan}", workspace.id),
        None => format!("workspace {} is on no plan", workspace.id),
    };
    console.answer(&workspace_json(&Workspace { plan, ..workspace }), &text)
}

async fn set_status(args: &StatusArgs, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let workspace = context.workspace(&args.workspace).await?;
    context.identity.set_status(&workspace.id, args.status).await?;
    let text = format!("workspace {} is {}", workspace.id, args.status.label());
    console.answer(&workspace_json(&Workspace { status: args.status, ..workspace }), &text)
}

async fn add_member(args: &MemberArgs, context: &Context, console: &mut Console<'_>) -> Result<(), Failure> {
    let workspace = context.workspace(&args.workspace).await?;
    let user = context.user(&args.user).await?;
    if !context.identity.add_member(&user.id, &workspace.id).await? {
        return Err(Failure::refused(format!("{} is a member of {} already", user.id, workspace.id)));
    }
    let value = json!({ "workspace": workspace.id, "user": user.id });
    console.answer(&value, &format!("{} is a member of {} now", user.email, workspace.id))
}

async fn remove_member(
    args: &RemoveArgs,
    context: &Context,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let workspace = context.workspace(&args.member.workspace).await?;
    let user = context.user(&args.member.user).await?;
    if workspace.personal_of.as_ref() == Some(&user.id) {
        return Err(Failure::refused(format!(
            "{} is the personal workspace of {}; lock or delete the user instead",
            workspace.id, user.email
        )));
    }
    if !context.identity.store.members(&workspace.id).await?.contains(&user.id) {
        return Err(Failure::refused(format!("{} is no member of {}", user.email, workspace.id)));
    }
    let target = Target::Membership(user.id.clone(), workspace.id);
    let ending = Ending { id: user.id.as_str(), kind: "member", done: "removed" };
    ended::end(context, console, &target, ending, &args.end).await
}

fn workspace_json(workspace: &Workspace) -> Value {
    json!({
        "id": workspace.id,
        "name": workspace.name,
        "personal_of": workspace.personal_of,
        "plan": workspace.plan,
        "status": workspace.status.label(),
        "created_at": time(workspace.created_at),
    })
}

fn facts(workspace: &Workspace, more: &[(&'static str, String)]) -> Facts {
    let own = [
        ("workspace", workspace.id.to_string()),
        ("name", workspace.name.clone()),
        ("personal of", or_dash(workspace.personal_of.as_ref())),
        ("plan", or_dash(workspace.plan.as_ref())),
        ("status", workspace.status.label().to_owned()),
        ("created", time(workspace.created_at)),
    ];
    Facts::new(own.into_iter().chain(more.iter().cloned()))
}
