//! `portero plan`: plans, as the configuration has them.

use std::path::Path;

use serde_json::{Value, json};

use super::console::{Console, Facts, Table, or_dash};
use super::context::{self, listed};
use super::outcome::Failure;
use crate::config::{Config, Language, PlanConfig, RateConfig, RatePer};

/// What to do with plans. They are made and changed in the configuration alone.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum PlanCommand {
    /// List the configured plans
    #[command(after_help = "Example:\n  portero plan list")]
    List,
    /// Show a plan
    #[command(after_help = "Example:\n  portero plan show flow")]
    Show {
        /// Its id
        plan: String,
    },
}

/// Runs the command.
pub fn run(command: &PlanCommand, config_path: &Path, console: &mut Console<'_>) -> Result<(), Failure> {
    let config = context::load(config_path)?.config;
    match command {
        PlanCommand::List => list(&config, console),
        PlanCommand::Show { plan } => show(plan, &config, console),
    }
}

fn list(config: &Config, console: &mut Console<'_>) -> Result<(), Failure> {
    let row = |(id, plan): (&String, &PlanConfig)| {
        [id.clone(), name(id, plan, config), plan.features.join(" "), credits(plan), rate(plan)]
    };
    let table = Table::new(
        ["ID", "NAME", "FEATURES", "CREDITS A MONTH", "RATE"],
        "there are no plans; a [plans.ID] section of the configuration makes one",
    );
    let values: Vec<Value> = config.plans.iter().map(|(id, plan)| plan_json(id, plan, config)).collect();
    console.answer(&Value::from(values), &table.rows(config.plans.iter().map(row)))
}

fn show(id: &str, config: &Config, console: &mut Console<'_>) -> Result<(), Failure> {
    let plan = config.plans.get(id).ok_or_else(|| {
        let known = listed(config.plans.keys(), "there is none");
        Failure::refused(format!("there is no plan {id}; {known}"))
    })?;
    let facts = Facts::new([
        ("plan", id.to_owned()),
        ("name", name(id, plan, config)),
        ("features", plan.features.join(" ")),
        ("credits a month", credits(plan)),
        ("rate", rate(plan)),
    ]);
    console.answer(&plan_json(id, plan, config), &facts)
}

fn name(id: &str, plan: &PlanConfig, config: &Config) -> String {
    let language = config.languages.first().copied().unwrap_or(Language::En);
    plan.name.as_ref().map_or(id, |name| name.get(language)).to_owned()
}

fn credits(plan: &PlanConfig) -> String {
    plan.credits_per_month.map_or_else(|| "unmetered".to_owned(), |credits| credits.to_string())
}

fn rate(plan: &PlanConfig) -> String {
    let words = |rate: &RateConfig| {
        let per = match rate.per {
            RatePer::Grant => "grant",
            RatePer::User => "user",
            RatePer::Workspace => "workspace",
        };
        format!("{} per {per}, burst {}", rate.limit, rate.burst())
    };
    or_dash(plan.rate.as_ref().map(words))
}

fn plan_json(id: &str, plan: &PlanConfig, config: &Config) -> Value {
    json!({
        "id": id,
        "name": name(id, plan, config),
        "features": plan.features,
        "credits_per_month": plan.credits_per_month,
        "rate": plan.rate,
    })
}
