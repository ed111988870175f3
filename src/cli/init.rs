//! `portero init`: a commented configuration to begin with.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use rand::TryRng;

use super::Outcome;
use super::outcome::Failure;

const CONFIG: &str = include_str!("init.toml");
const CONFIG_FILE: &str = "portero.toml";
const KEY_FILE: &str = "secrets/meetings.key";

/// Writes a commented `portero.toml` for one service, and the secrets it names into files of their own.
#[derive(Debug, Clone, clap::Args)]
pub struct InitArgs {
    /// Folder to write into
    #[arg(long, default_value = ".")]
    pub dir: PathBuf,
    /// Overwrite files that are there
    #[arg(long)]
    pub force: bool,
}

/// Writes the files and says what comes next.
pub fn run(args: &InitArgs, json: bool) -> Outcome {
    let config = args.dir.join(CONFIG_FILE);
    let key = args.dir.join(KEY_FILE);
    if !args.force
        && let Some(file) = [&config, &key].into_iter().find(|file| file.symlink_metadata().is_ok())
    {
        return Outcome::Refused(format!("{} is there already; --force overwrites it", file.display()));
    }
    if let Err(error) = write_all(&config, &key) {
        return Outcome::Refused(format!("cannot write into {}: {error}", args.dir.display()));
    }
    say(&config, &key, json).map_err(Failure::from).into()
}

fn write_all(config: &Path, key: &Path) -> io::Result<()> {
    for file in [config, key] {
        fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
    }
    write(key, &format!("{}\n", new_key()?), 0o600)?;
    write(config, CONFIG, 0o644)
}

/// Writes beside the place and renames, so that the mode holds from the first byte, and a file that was there keeps
/// neither its looser mode nor half of its text.
fn write(file: &Path, text: &str, mode: u32) -> io::Result<()> {
    let mut name = file.as_os_str().to_owned();
    name.push(".new");
    let beside = PathBuf::from(name);
    let _ = fs::remove_file(&beside);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options.open(&beside)?.write_all(text.as_bytes())?;
    fs::rename(&beside, file)
}

fn new_key() -> io::Result<String> {
    let mut bytes = [0; 32];
    rand::rngs::SysRng.try_fill_bytes(&mut bytes).map_err(io::Error::other)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn say(config: &Path, key: &Path, json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        return writeln!(out, "{:#}", serde_json::json!({ "config": config, "files": [key] }));
    }
    writeln!(out, "wrote {} and {}", config.display(), key.display())?;
    writeln!(out, "next: portero --config {} config check", config.display())?;
    writeln!(out, "then: portero --config {} serve", config.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn init(dir: &Path, force: bool) -> Outcome {
        run(&InitArgs { dir: dir.to_owned(), force }, false)
    }

    #[test]
    fn what_it_writes_is_good() {
        let dir = tempfile::tempdir().unwrap();
        let into = dir.path().join("new");
        assert_eq!(init(&into, false), Outcome::Done);
        let loaded = Config::load(&into.join(CONFIG_FILE), std::iter::empty()).unwrap();
        assert_eq!(loaded.warnings, Vec::<String>::new());
        let key = fs::read_to_string(into.join(KEY_FILE)).unwrap();
        let text = fs::read_to_string(into.join(CONFIG_FILE)).unwrap();
        assert_eq!(key.trim().len(), 43);
        assert!(!text.contains(key.trim()));
        let header = loaded.config.service[0].upstream[0].headers.get("X-Internal-Key").unwrap().clone();
        assert_eq!(header.expose_secret(), key.trim());
    }

    #[test]
    #[cfg(unix)]
    fn a_secret_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let key = dir.path().join(KEY_FILE);
        fs::create_dir_all(key.parent().unwrap()).unwrap();
        fs::write(&key, "old").unwrap();
        assert_eq!(init(dir.path(), true), Outcome::Done);
        assert_eq!(key.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn it_overwrites_only_when_told_to() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join(CONFIG_FILE);
        fs::write(&config, "mine").unwrap();
        assert!(matches!(init(dir.path(), false), Outcome::Refused(_)));
        assert_eq!(fs::read_to_string(&config).unwrap(), "mine");
        assert!(!dir.path().join(KEY_FILE).exists(), "a refusal writes nothing");
        assert_eq!(init(dir.path(), true), Outcome::Done);
        assert_ne!(fs::read_to_string(&config).unwrap(), "mine");
    }
}
