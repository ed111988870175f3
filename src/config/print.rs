//! The effective configuration, to be shown.

use super::Config;

/// The effective configuration as TOML, with secrets redacted.
pub fn print(config: &Config) -> String {
    toml::to_string(config).unwrap_or_else(|error| format!("# cannot be written as TOML: {error}\n"))
}
