//! From text to configuration: parse, override, check the shape, take in secrets, resolve, check the sense.

use std::{borrow::Cow, fs, path::Path};

use serde_json::Value;

use super::{
    Config,
    error::{ConfigErrors, Findings, KeyPath},
    files,
    schema::{Shape, schema},
    shape, env,
};

/// A configuration that holds, and what in it is probably not meant.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The configuration, with every default and path filled in.
    pub config: Config,
    /// What is allowed and probably not meant, to be said at start.
    pub warnings: Vec<String>,
}

impl Config {
    /// Loads a file; relative paths in it are taken from its folder.
    pub fn load(path: &Path, env: impl Iterator<Item = (String, String)>) -> Result<Loaded, ConfigErrors> {
        let text = fs::read_to_string(path)
            .map_err(|error| ConfigErrors::one("", format!("{} cannot be read ({error})", path.display())))?;
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self::from_toml(&text, dir, env)
    }

    /// Loads a text as if it stood in a file in `dir`.
    pub fn from_toml(
        text: &str,
        dir: &Path,
        env: impl Iterator<Item = (String, String)>,
    ) -> Result<Loaded, ConfigErrors> {
        let dir = std::path::absolute(dir).map_err(|error| ConfigErrors::one("", error.to_string()))?;
        let mut value = parse(text)?;
        let schema = schema();
        let mut out = Findings::default();
        let sources = env::merge(&schema, &mut value, env, &mut out);
        let mut value = shape::check(&schema, &value, &mut out);
        files::fill_in(Shape::new(&schema), &mut value, &dir, &KeyPath::default(), &mut out);
        hide_unlisted(&mut value);
        let config = match serde_json::from_value::<Self>(value) {
            Ok(mut config) => {
                config.resolve(&dir);
                config.validate(&mut out);
                Some(config)
            }
            Err(error) => {
                let known = out.is_clean();
                out.refuse(known, &KeyPath::default(), error.to_string());
                None
            }
        };
        out.name_sources(&sources);
        let warnings = out.finish()?;
        let config = config.ok_or_else(|| ConfigErrors::one("", "cannot be read"))?;
        Ok(Loaded { config, warnings })
    }
}

fn parse(text: &str) -> Result<Value, ConfigErrors> {
    let parsed = text.parse::<toml::Table>().or_else(|error| match respell_resources(text) {
        Some(respelt) => respelt.parse(),
        None => Err(error),
    });
    parsed.map(|table| files::from_toml(toml::Value::Table(table))).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let what = error.message().trim().replace('\n', ", ");
        ConfigErrors::one("", format!("line {line}, column {column}: {what}"))
    })
}

/// `[service.resource."URI"]` beside `resource = "…"` is what one would write, and no TOML: `resource` would be a
/// text and a table. Only a text that does not parse as it stands is spelt anew.
fn respell_resources(text: &str) -> Option<String> {
    let respelt: Vec<Cow<'_, str>> = text.split('\n').map(respell_header).collect();
    respelt.iter().any(|line| matches!(line, Cow::Owned(_))).then(|| respelt.join("\n"))
}

fn respell_header(line: &str) -> Cow<'_, str> {
    let rest = || {
        let rest = line.trim_start().strip_prefix('[')?.trim_start().strip_prefix("service")?;
        let rest = rest.trim_start().strip_prefix('.')?.trim_start().strip_prefix("resource")?;
        rest.trim_start().strip_prefix('.')
    };
    rest().map_or(Cow::Borrowed(line), |rest| Cow::Owned(format!("[service.resources.{rest}")))
}

/// Somebody else's MCP server may gain tools overnight, so what no policy names there is hidden unless said otherwise.
fn hide_unlisted(value: &mut Value) {
    let services = value.get_mut("service").and_then(Value::as_array_mut).into_iter().flatten();
    let upstreams = services.filter_map(|service| service.get_mut("upstream")?.as_array_mut()).flatten();
    for upstream in upstreams.filter_map(Value::as_object_mut) {
        if upstream.get("kind").is_some_and(|kind| kind == "mcp") {
            upstream.entry("unlisted").or_insert_with(|| Value::from("deny"));
        }
    }
}
