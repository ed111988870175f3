//! What is wrong with a configuration, said all at once.

use std::fmt;

/// One fault: where, and what is wrong and allowed there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Key path as one would say it aloud: `service[0].upstream[1].url`. Empty for the file itself.
    pub path: String,
    /// What is wrong; what is allowed.
    pub message: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

/// Every fault of a configuration, one a line. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigErrors(Vec<ConfigError>);

impl ConfigErrors {
    /// The faults, in the order of the configuration's reading.
    pub fn errors(&self) -> &[ConfigError] {
        &self.0
    }

    /// Faults that were found elsewhere; none if there are none.
    pub fn of(faults: Vec<ConfigError>) -> Option<Self> {
        (!faults.is_empty()).then_some(Self(faults))
    }

    pub(super) fn one(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self(vec![ConfigError { path: path.into(), message: message.into() }])
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// Where in the configuration a check stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct KeyPath(String);

impl KeyPath {
    /// The path of a key below this one, quoted where TOML would quote it.
    pub fn key(&self, key: &str) -> Self {
        let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
        let key = if bare { key.to_owned() } else { format!("{key:?}") };
        if self.0.is_empty() { Self(key) } else { Self(format!("{}.{key}", self.0)) }
    }

    /// The path of an entry of the list at this path.
    pub fn index(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Collects faults and warnings while every section is looked at.
#[derive(Debug, Default)]
pub(super) struct Findings {
    errors: Vec<ConfigError>,
    warnings: Vec<String>,
}

impl Findings {
    /// Notes a fault, unless its key or one above it already has one: what follows from a fault is no news.
    pub fn error(&mut self, path: &KeyPath, message: impl Into<String>) {
        if !self.errors.iter().any(|known| covers(&known.path, &path.0)) {
            self.errors.push(ConfigError { path: path.0.clone(), message: message.into() });
        }
    }

    /// Notes a fault when `wrong` holds.
    pub fn refuse(&mut self, wrong: bool, path: &KeyPath, message: impl Into<String>) {
        if wrong {
            self.error(path, message);
        }
    }

    /// Notes something that is allowed and probably not meant.
    pub fn warn(&mut self, path: &KeyPath, message: impl fmt::Display) {
        self.warnings.push(format!("{path}: {message}"));
    }

    /// Says which faults stand in values that an environment variable has set.
    pub fn name_sources(&mut self, sources: &[(KeyPath, String)]) {
        for error in &mut self.errors {
            if let Some((_, name)) = sources.iter().find(|(path, _)| covers(&path.0, &error.path)) {
                error.message.extend([" (set by ", name, ")"]);
            }
        }
    }

    /// Whether nothing is wrong so far.
    pub fn is_clean(&self) -> bool {
        self.errors.is_empty()
    }

    /// The warnings if nothing is wrong, else the faults.
    pub fn finish(self) -> Result<Vec<String>, ConfigErrors> {
        if self.errors.is_empty() { Ok(self.warnings) } else { Err(ConfigErrors(self.errors)) }
    }
}

fn covers(above: &str, path: &str) -> bool {
    // a fault of the whole file, such as a variable that leads nowhere, says nothing about its keys
    !above.is_empty()
        && path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
