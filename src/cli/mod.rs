//! The command line: one file a command.

pub mod args;
mod catalog_page;
pub mod client;
pub mod config;
pub mod console;
pub mod context;
pub mod demo;
pub mod ended;
pub mod explain;
pub mod grant;
pub mod init;
pub mod introspection_key;
pub mod keys;
pub mod migrate;
pub mod openapi;
pub mod outcome;
pub mod plan;
pub mod serve;
pub mod service;
#[cfg(test)]
mod tests;
pub mod token;
pub mod user;
pub mod workspace;

use std::io::{self, BufReader};
use std::path::PathBuf;

use console::Console;
use context::Context;
use outcome::Failure;
pub use outcome::Outcome;

/// OAuth 2.1 authorization server and MCP resource gateway
#[derive(Debug, Clone, clap::Parser)]
#[command(
    name = "portero",
    version,
    after_help = "Begin with `portero demo` to try everything at once, or `portero init` to write a configuration.\n\
                  Exit codes: 0 done, 1 refused or not found, 2 wrong usage or configuration."
)]
pub struct Cli {
    /// The configuration; PORTERO__SECTION__KEY in the environment overrides its keys
    #[arg(long, global = true, value_name = "FILE", default_value = "portero.toml")]
    pub config: PathBuf,
    /// Print JSON for programs
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum Command {
    /// Try everything at once: an example service, a user, a token; needs no file
    #[command(after_help = "Example:\n  portero demo --port 0")]
    Demo(demo::DemoArgs),
    /// Run the server
    #[command(after_help = "Example:\n  portero --config /etc/portero/portero.toml serve")]
    Serve(serve::ServeArgs),
    /// Write a commented portero.toml for one service
    #[command(after_help = "Example:\n  portero init --dir mico")]
    Init(init::InitArgs),
    /// Check, print or describe the configuration
    #[command(subcommand, after_help = "Example:\n  portero config check")]
    Config(config::ConfigCommand),
    /// Apply or list the database's migrations
    #[command(after_help = "Example:\n  portero migrate --status")]
    Migrate(migrate::MigrateArgs),
    /// The key file
    #[command(subcommand, after_help = "Example:\n  portero keys init")]
    Keys(keys::KeysCommand),
    /// Plans, as configured
    #[command(subcommand, after_help = "Example:\n  portero plan list")]
    Plan(plan::PlanCommand),
    /// Services: what Portero protects
    #[command(subcommand, after_help = "Example:\n  portero service check")]
    Service(service::ServiceCommand),
    /// REST documents as operations that a model may call
    #[command(subcommand, after_help = "Example:\n  portero openapi preview api.yaml")]
    Openapi(openapi::OpenapiCommand),
    /// Why a caller may or may not use a tool, step by step, and what would change it
    #[command(
        after_help = "Example:\n  portero explain --service mico --tool list_meetings --token - < token.txt"
    )]
    Explain(explain::ExplainArgs),
    /// What works on the database.
    #[command(flatten)]
    Data(DataCommand),
}

/// What works on the database.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum DataCommand {
    /// Users: the people
    #[command(subcommand, after_help = "Example:\n  portero user list")]
    User(user::UserCommand),
    /// Workspaces: what plans are paid for
    #[command(subcommand, after_help = "Example:\n  portero workspace list")]
    Workspace(workspace::WorkspaceCommand),
    /// Personal access tokens
    #[command(subcommand, after_help = "Example:\n  portero token list --user ana@example.com")]
    Token(token::TokenCommand),
    /// Clients: the agent software
    #[command(subcommand, after_help = "Example:\n  portero client list")]
    Client(client::ClientCommand),
    /// Connections that people allowed
    #[command(subcommand, after_help = "Example:\n  portero grant list --user ana@example.com")]
    Grant(grant::GrantCommand),
    /// Credentials of resource servers that introspect
    #[command(subcommand, after_help = "Example:\n  portero introspection-key create --name billing")]
    IntrospectionKey(introspection_key::IntrospectionKeyCommand),
}

/// Runs a command to its end, over the process's streams.
pub fn run(cli: &Cli) -> Outcome {
    // unlocked, because a server's threads print too
    let (mut input, mut output) = (BufReader::new(io::stdin()), io::stdout());
    run_on(cli, &mut Console::new(cli.json, &mut input, &mut output))
}

/// Runs a command to its end.
pub fn run_on(cli: &Cli, console: &mut Console<'_>) -> Outcome {
    let (config, json) = (&cli.config, cli.json);
    match &cli.command {
        Command::Demo(args) => demo::run(args, json),
        Command::Serve(args) => serve::run(args, config),
        Command::Service(command) => service::run(command, config, json),
        Command::Explain(args) => explain::run(args, config, console),
        Command::Init(args) => init::run(args, json),
        Command::Config(command) => config::run(*command, config, json),
        Command::Keys(command) => keys::run(*command, config, console).into(),
        Command::Openapi(command) => openapi::run(command, console).into(),
        Command::Plan(command) => plan::run(command, config, console).into(),
        Command::Migrate(args) => context::block_on(async {
            let context = Context::connect(config)?;
            let ran = migrate::run(args, &context, console).await;
            context.close().await;
            ran
        })
        .into(),
        Command::Data(command) => context::block_on(async {
            let context = Context::open(config).await?;
            let ran = data(command, &context, console).await;
            context.close().await;
            ran
        })
        .into(),
    }
}

/// Runs a command that works on the database.
pub async fn data(
    command: &DataCommand,
    context: &Context,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    match command {
        DataCommand::User(command) => user::run(command, context, console).await,
        DataCommand::Workspace(command) => workspace::run(command, context, console).await,
        DataCommand::Token(command) => token::run(command, context, console).await,
        DataCommand::Client(command) => client::run(command, context, console).await,
        DataCommand::Grant(command) => grant::run(command, context, console).await,
        DataCommand::IntrospectionKey(command) => introspection_key::run(command, context, console).await,
    }
}
