//! `portero config check|print|schema`.

use std::{
    io::{self, Write},
    path::Path,
};

use serde_json::json;

use super::Outcome;
use super::outcome::Failure;
use crate::config::{self, Config, ConfigError, ConfigErrors, Loaded};
use crate::gateway;

/// What to do with the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Subcommand)]
pub enum ConfigCommand {
    /// Say everything that is wrong with it, each with its key
    #[command(after_help = "Example:\n  portero config check")]
    Check,
    /// Print what is in effect, with secrets redacted
    #[command(after_help = "Example:\n  portero config print --json")]
    Print,
    /// Print its JSON Schema
    #[command(after_help = "Example:\n  portero config schema > portero.schema.json")]
    Schema,
}

/// Runs the command on a configuration file and this process's environment.
pub fn run(command: ConfigCommand, config_path: &Path, json: bool) -> Outcome {
    // a variable that is no UTF-8 can be none of ours
    let env = std::env::vars_os()
        .filter_map(|(name, text)| Some((name.into_string().ok()?, text.into_string().ok()?)));
    let load = || Config::load(config_path, env);
    let mut out = io::stdout().lock();
    let written = match command {
        ConfigCommand::Schema => writeln!(out, "{:#}", config::schema()).map(|()| Outcome::Done),
        ConfigCommand::Print => print(load(), json, &mut out),
        ConfigCommand::Check => check(with_documents(load()), config_path, json, &mut out),
    };
    written.unwrap_or_else(|error| Err(Failure::from(error)).into())
}

/// The documents of REST APIs are read too: what names their operations is checked against them.
fn with_documents(loaded: Result<Loaded, ConfigErrors>) -> Result<Loaded, ConfigErrors> {
    let mut loaded = loaded?;
    let found = gateway::check_documents(&loaded.config);
    let path = |service: &str| {
        let at = loaded.config.service.iter().position(|own| own.id == service).unwrap_or_default();
        format!("service[{at}]")
    };
    let faults =
        found.faults.into_iter().map(|(service, message)| ConfigError { path: path(&service), message });
    if let Some(errors) = ConfigErrors::of(faults.collect()) {
        return Err(errors);
    }
    let warnings: Vec<String> =
        found.warnings.into_iter().map(|(service, text)| format!("{}: {text}", path(&service))).collect();
    loaded.warnings.extend(warnings);
    Ok(loaded)
}

fn check(
    loaded: Result<Loaded, ConfigErrors>,
    path: &Path,
    json: bool,
    out: &mut impl Write,
) -> io::Result<Outcome> {
    match loaded {
        Ok(loaded) if json => {
            writeln!(out, "{:#}", json!({ "ok": true, "errors": [], "warnings": loaded.warnings }))?;
        }
        Ok(loaded) => {
            for warning in &loaded.warnings {
                writeln!(out, "warning: {warning}")?;
            }
            writeln!(out, "{} is good", path.display())?;
        }
        Err(errors) => {
            if json {
                let one = |error: &ConfigError| json!({ "path": error.path, "message": error.message });
                let list: Vec<_> = errors.errors().iter().map(one).collect();
                writeln!(out, "{:#}", json!({ "ok": false, "errors": list, "warnings": [] }))?;
            }
            return Ok(Outcome::Usage(errors.to_string()));
        }
    }
    Ok(Outcome::Done)
}

fn print(loaded: Result<Loaded, ConfigErrors>, json: bool, out: &mut impl Write) -> io::Result<Outcome> {
    let config = match loaded {
        Ok(loaded) => loaded.config,
        Err(errors) => return Ok(Outcome::Usage(errors.to_string())),
    };
    if json {
        writeln!(out, "{:#}", serde_json::to_value(&config)?)?;
    } else {
        write!(out, "{}", config::print(&config))?;
    }
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Loaded, ConfigErrors> {
        Config::from_toml(text, Path::new("/"), std::iter::empty())
    }

    #[test]
    fn faults_are_printed_for_programs_too() {
        let mut out = Vec::new();
        let outcome = check(load("listen = 1\n"), Path::new("portero.toml"), true, &mut out).unwrap();
        assert!(matches!(outcome, Outcome::Usage(text) if text.contains("public_url: is missing")));
        let printed: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let paths: Vec<_> =
            printed["errors"].as_array().unwrap().iter().map(|error| error["path"].clone()).collect();
        assert_eq!(paths, ["listen", "public_url"]);
    }

    #[test]
    fn what_is_good_is_said_with_its_warnings() {
        let mut out = Vec::new();
        let loaded = load("public_url = \"https://mcp.example.com\"\n");
        assert_eq!(check(loaded, Path::new("portero.toml"), false, &mut out).unwrap(), Outcome::Done);
        let said = String::from_utf8(out).unwrap();
        assert_eq!(
            said,
            "warning: service: there is none, so there is nothing to connect to\nportero.toml is good\n"
        );
    }

    #[test]
    fn a_missing_file_is_wrong_usage() {
        let outcome = run(ConfigCommand::Check, Path::new("/nowhere/portero.toml"), false);
        assert!(
            matches!(outcome, Outcome::Usage(text) if text.contains("/nowhere/portero.toml cannot be read"))
        );
    }
}
