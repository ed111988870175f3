//! `portero explain`: why a caller may or may not use a tool, a resource or a prompt, and what would change it.

mod caller;

use std::fmt::Write as _;
use std::path::Path;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use super::console::{Console, Table};
use super::outcome::Failure;
use super::{Outcome, context, service};
use crate::app::App;
use crate::domain::scope::ScopeSet;
use crate::gateway::explain::{self, Asked, Explained};
use crate::gateway::{Gateway, Service};
use caller::Named;

/// Which decision is to be explained.
#[derive(Debug, Clone, clap::Args)]
#[command(group(clap::ArgGroup::new("caller").required(true).args(["token", "grant", "user"])))]
#[command(group(clap::ArgGroup::new("asked").required(true).args(["tool", "resource", "prompt"])))]
pub struct ExplainArgs {
    /// The service, by id
    #[arg(long, value_name = "ID")]
    pub service: String,
    /// The tool, by name
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// Or the resource, by URI
    #[arg(long, value_name = "URI")]
    pub resource: Option<String>,
    /// Or the prompt, by name
    #[arg(long, value_name = "NAME")]
    pub prompt: Option<String>,
    /// The caller with this token; `-` reads it from standard input, where nobody else on this machine sees it
    #[arg(long, value_name = "TOKEN", value_parser = secret)]
    pub token: Option<SecretString>,
    /// The caller of this connection
    #[arg(long, value_name = "ID")]
    pub grant: Option<String>,
    /// The caller of this user's connection with a client, by id or e-mail address
    #[arg(long, requires = "client")]
    pub user: Option<String>,
    /// The client of that connection
    #[arg(long, value_name = "ID", requires = "user")]
    pub client: Option<String>,
}

impl ExplainArgs {
    /// What is asked about, and what it is called.
    fn asked(&self) -> Result<(&'static str, Asked<'_>), Failure> {
        match (&self.tool, &self.resource, &self.prompt) {
            (Some(name), ..) => Ok(("tool", Asked::Tool(name))),
            (_, Some(uri), _) => Ok(("resource", Asked::Resource(uri))),
            (.., Some(name)) => Ok(("prompt", Asked::Prompt(name))),
            _ => Err(Failure::usage("say what it is about: --tool, --resource or --prompt")),
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "a parser of clap's")]
fn secret(text: &str) -> Result<SecretString, String> {
    Ok(SecretString::from(text))
}

/// Runs the command.
pub fn run(args: &ExplainArgs, config_path: &Path, console: &mut Console<'_>) -> Outcome {
    let work = async {
        let (app, gateway) = service::build(config_path).await?;
        let ran = answer(args, &app, &gateway, console).await;
        app.identity.store.close().await;
        ran
    };
    actix_web::rt::System::new().block_on(work).into()
}

async fn answer(
    args: &ExplainArgs,
    app: &App,
    gateway: &Gateway,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let service = match service::chosen(gateway, app, Some(&args.service))?.first() {
        Some(service) => *service,
        None => return Err(Failure::refused("there is no such service")),
    };
    context::ensure_migrated(&app.config, &app.identity.store).await?;
    let named = named(args, app, service, console).await?;
    let asked = args.asked()?;
    let explained = decided(app, service, &named, asked.1).await?;
    let text = text(&explained);
    console.answer(&value(args, asked, &named, &explained), &text.trim_end())?;
    match &explained.told {
        None => Ok(()),
        Some(told) => Err(Failure::refused(format!("this call is refused: {}", told.code))),
    }
}

async fn named(
    args: &ExplainArgs,
    app: &App,
    service: &Service,
    console: &mut Console<'_>,
) -> Result<Named, Failure> {
    match (&args.token, &args.grant, &args.user, &args.client) {
        (Some(token), ..) if token.expose_secret() == "-" => {
            let token = console.line("token")?;
            caller::of_token(app, service, &token).await
        }
        (Some(token), ..) => caller::of_token(app, service, token.expose_secret()).await,
        (_, Some(grant), ..) => caller::of_grant(app, grant).await,
        (_, _, Some(user), Some(client)) => caller::of_pair(app, service, user, client).await,
        _ => Err(Failure::usage("say who calls: --token, --grant, or --user with --client")),
    }
}

/// The chain first: what hangs on something that has ended is no credential, whatever it may do otherwise.
async fn decided(
    app: &App,
    service: &Service,
    named: &Named,
    asked: Asked<'_>,
) -> Result<Explained, Failure> {
    let mut steps = named.steps.clone();
    let Some(credential) = named.alive() else {
        return Ok(Explained {
            steps,
            told: Some(explain::not_alive(service)),
            change: named.change.clone(),
            needed: None,
        });
    };
    let mut explained = explain::explain(app, service, credential, asked).await?;
    steps.append(&mut explained.steps);
    Ok(Explained { steps, ..explained })
}

fn list(scopes: Option<&ScopeSet>) -> Option<Vec<&str>> {
    scopes.map(|scopes| scopes.iter().collect())
}

fn value(
    args: &ExplainArgs,
    (noun, asked): (&str, Asked<'_>),
    named: &Named,
    explained: &Explained,
) -> Value {
    let (Asked::Tool(own) | Asked::Resource(own) | Asked::Prompt(own)) = asked;
    let effective = named.alive().map(|own| &own.scopes);
    let missing = explained
        .needed
        .as_ref()
        .zip(effective)
        .map(|(needed, held)| needed.iter().filter(|scope| !held.contains(scope)).collect::<Vec<_>>());
    let steps = explained.steps.iter();
    json!({
        "service": args.service,
        (noun): own,
        "allowed": explained.told.is_none(),
        "code": explained.told.as_ref().map(|told| told.code),
        "message": explained.told.as_ref().map(|told| &told.message),
        "hint": explained.told.as_ref().map(|told| &told.hint),
        "caller": named.facts,
        "scopes": {
            "granted": list(named.granted.as_ref()),
            "effective": list(effective),
            "needed": list(explained.needed.as_ref()),
            "missing": missing,
        },
        "steps": steps.map(|step| json!({"step": step.name, "verdict": step.verdict.label(), "says": step.says}))
            .collect::<Vec<_>>(),
        "change": explained.change,
    })
}

fn text(explained: &Explained) -> String {
    let rows = explained.steps.iter();
    let rows = rows.map(|step| [step.name.to_owned(), step.verdict.label().to_owned(), step.says.clone()]);
    let mut page = format!("{}\n\n", Table::new(["STEP", "", "SAYS"], "nothing to say").rows(rows));
    // writing to a String cannot fail
    let _ = match &explained.told {
        None => writeln!(page, "allowed"),
        Some(told) => writeln!(page, "refused: {}\n  {} {}", told.code, told.message, told.hint),
    };
    if !explained.change.is_empty() {
        let _ = writeln!(page, "for a yes:");
    }
    for change in &explained.change {
        let _ = writeln!(page, "  - {change}");
    }
    page
}
