//! `portero service`.

use std::fmt::Write as _;
use std::io::{self, BufReader};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Outcome;
use super::catalog_page::Page;
use super::console::{Console, Table};
use super::context;
use super::outcome::Failure;
use crate::app::{App, Doors};
use crate::config::Language;
use crate::gateway::explain;
use crate::gateway::{Gateway, Service};
use crate::identity::external::{PresentedError, is_jwt};
use crate::identity::keys::Keys;

/// What to do with services.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum ServiceCommand {
    /// List the configured services
    #[command(after_help = "Example:\n  portero service list")]
    List,
    /// See that upstreams answer and that their tools fit the policy
    #[command(after_help = "Example:\n  portero service check mico")]
    Check {
        /// Only this service
        service: Option<String>,
    },
    /// Print the tools
    #[command(after_help = "Example:\n  portero service tools mico --markdown")]
    Tools {
        /// Only this service
        service: Option<String>,
        /// As the caller with this token would see them; `-` reads it from standard input
        #[arg(long = "as", value_name = "TOKEN")]
        as_token: Option<String>,
        /// As a Markdown page: a table of the tools by domain
        #[arg(long)]
        markdown: bool,
    },
}

/// Runs the command.
pub fn run(command: &ServiceCommand, config_path: &Path, json: bool) -> Outcome {
    let (mut input, mut output) = (BufReader::new(io::stdin()), io::stdout().lock());
    let mut console = Console::new(json, &mut input, &mut output);
    let work = async {
        let (app, gateway) = build(config_path).await?;
        let ran = match command {
            ServiceCommand::List => list(&gateway, &app, &mut console),
            ServiceCommand::Check { service } => {
                check(&app, &gateway, service.as_deref(), &mut console).await
            }
            ServiceCommand::Tools { service, as_token, markdown } => {
                let piped = match as_token.as_deref() {
                    Some("-") => Some(console.line("token")?),
                    _ => None,
                };
                let token = piped.as_ref().map(|token| token.as_str()).or(as_token.as_deref());
                let view = View { token, markdown: *markdown };
                tools(&app, &gateway, service.as_deref(), &view, &mut console).await
            }
        };
        app.identity.store.close().await;
        ran
    };
    actix_web::rt::System::new().block_on(work).into()
}

/// The services, compiled as the server compiles them. The key file is not needed for that, so none is made.
pub(super) async fn build(config_path: &Path) -> Result<(App, Gateway), Failure> {
    let config = Arc::new(context::load(config_path)?.config);
    let doors = Doors::system();
    let store = context::open_store(&config, &doors)?;
    let app = App::new(config, doors, store, Keys::none());
    let gateway = Gateway::build(&app).await.map_err(|faults| Failure::usage(faults.join("\n")))?;
    Ok((app, gateway))
}

pub(super) fn chosen<'a>(
    gateway: &'a Gateway,
    app: &App,
    name: Option<&str>,
) -> Result<Vec<&'a Arc<Service>>, Failure> {
    let ordered = app.services.iter().filter_map(|own| gateway.service(&own.id));
    let chosen: Vec<_> =
        ordered.filter(|own| name.is_none_or(|name| own.policy.id.as_str() == name)).collect();
    if chosen.is_empty() {
        let known: Vec<&str> = app.services.iter().map(|own| own.id.as_str()).collect();
        return Err(Failure::refused(format!("there is no such service; configured: {}", known.join(", "))));
    }
    Ok(chosen)
}

fn list(gateway: &Gateway, app: &App, console: &mut Console<'_>) -> Result<(), Failure> {
    let rows: Vec<_> = app
        .services
        .iter()
        .map(|own| {
            let tools = gateway.service(&own.id).map_or(0, |service| service.catalog.load().tools().count());
            (own.id.to_string(), own.brand.id.to_string(), own.resource.clone(), tools)
        })
        .collect();
    let value: Vec<Value> = rows
        .iter()
        .map(|(id, brand, resource, tools)| json!({"id": id, "brand": brand, "resource": resource, "tools": tools}))
        .collect();
    let table = Table::new(["SERVICE", "BRAND", "RESOURCE", "TOOLS"], "no services are configured")
        .rows(rows.into_iter().map(|(id, brand, resource, tools)| [id, brand, resource, tools.to_string()]));
    console.answer(&Value::Array(value), &table)
}

async fn check(
    app: &App,
    gateway: &Gateway,
    name: Option<&str>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for service in chosen(gateway, app, name)? {
        for upstream in &service.upstreams {
            let (ok, says) = match upstream.probe(&app.upstream).await {
                Ok(says) => ("true", says),
                Err(fault) => ("false", fault),
            };
            rows.push([service.policy.id.to_string(), upstream.id.clone(), says, ok.to_owned()]);
        }
    }
    let value: Vec<Value> = rows
        .iter()
        .map(|[service, upstream, said, ok]| json!({"service": service, "upstream": upstream, "says": said, "ok": ok == "true"}))
        .collect();
    let bad = rows.iter().any(|[.., ok]| ok != "true");
    let table = Table::new(["SERVICE", "UPSTREAM", "SAYS", "OK"], "nothing to check").rows(rows);
    console.answer(&Value::Array(value), &table)?;
    if bad { Err(Failure::refused("an upstream does not answer or its tools do not fit")) } else { Ok(()) }
}

struct View<'a> {
    token: Option<&'a str>,
    markdown: bool,
}

async fn tools(
    app: &App,
    gateway: &Gateway,
    name: Option<&str>,
    view: &View<'_>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let mut all = Vec::new();
    for service in chosen(gateway, app, name)? {
        let listed = match view.token {
            None => every_tool(service),
            Some(token) => as_caller(app, service, token).await?,
        };
        all.push((service, listed));
    }
    let value: Vec<Value> =
        all.iter().map(|(own, tools)| json!({"service": own.policy.id.as_str(), "tools": tools})).collect();
    let text = if view.markdown { markdown(app, &all)? } else { plain(&all) };
    console.answer(&Value::Array(value), &text.trim_end())
}

/// A page for documentation. One that lacks what a silent worker has would be published all the same, so it is refused.
fn markdown(app: &App, all: &[(&Arc<Service>, Vec<Value>)]) -> Result<String, Failure> {
    let language = app.config.languages.first().copied().unwrap_or(Language::En);
    let mut pages = Vec::new();
    for (service, listed) in all {
        let id = &service.policy.id;
        if service.catalog.load().pending {
            return Err(Failure::refused(format!(
                "a worker of {id} does not say its tools; see: portero service check {id}"
            )));
        }
        let configured = app.services.iter().find(|own| own.id == *id);
        let title = configured.map_or(id.as_str(), |own| own.config.server_info.title.as_str());
        pages.push(Page { title, service, listed, language }.to_string());
    }
    Ok(pages.join("\n"))
}

fn parsed(bytes: &[u8]) -> Vec<Value> {
    serde_json::from_slice(bytes).unwrap_or_default()
}

/// What somebody can see, as whoever may use it sees it.
fn every_tool(service: &Service) -> Vec<Value> {
    let mut bytes = Vec::new();
    service.catalog.load().write_all(&mut bytes);
    parsed(&bytes)
}

/// What `tools/list` would answer. Looking is no use of the token, and makes nobody.
async fn as_caller(app: &App, service: &Service, token: &str) -> Result<Vec<Value>, Failure> {
    let credential = if let Some(external) = service.external.as_ref().filter(|_| is_jwt(token)) {
        app.identity.inspect_jwt(external, &app.upstream, token).await.map(|own| Some(own.verified))
    } else {
        let inspected = app.identity.inspect(&service.brand, token).await;
        inspected.map(|inspected| inspected.verified).map_err(PresentedError::from)
    };
    let credential = credential.or_else(|error| match error {
        PresentedError::Invalid(_) => Ok(None),
        PresentedError::NoKeys => Err(Failure::refused(error.to_string())),
        PresentedError::Unavailable(error) => Err(Failure::from(error)),
    })?;
    let credential = credential.ok_or_else(|| Failure::refused("the token is not valid at this service"))?;
    let listed = explain::catalog_of(app, service, &credential).map_err(|told| {
        Failure::refused(format!("this caller may use nothing here: {} ({})", told.message, told.code))
    })?;
    Ok(parsed(&listed))
}

fn text<'a>(tool: &'a Value, key: &str) -> &'a str {
    tool.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn plain(all: &[(&Arc<Service>, Vec<Value>)]) -> String {
    let mut page = String::new();
    for (service, tools) in all {
        let _ = writeln!(page, "{}: {} tools", service.policy.id, tools.len());
        for tool in tools {
            let line = text(tool, "description").lines().next().unwrap_or_default();
            let _ = writeln!(page, "  {:<32} {line}", text(tool, "name"));
        }
    }
    page
}
