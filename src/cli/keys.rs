//! `portero keys`: the file that signs and seals.

use std::path::Path;

use serde_json::json;

use super::console::Console;
use super::context;
use super::outcome::Failure;
use crate::app::Doors;
use crate::identity::keys::Keys;

/// What to do with the key file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Subcommand)]
pub enum KeysCommand {
    /// Make the key file; on PostgreSQL every node needs the same one
    #[command(after_help = "Example:\n  portero keys init")]
    Init,
    /// Add a new key, which is published at once and signs ten minutes later; the old ones keep verifying
    #[command(after_help = "Example:\n  portero keys rotate")]
    Rotate,
}

/// Runs the command.
pub fn run(command: KeysCommand, config_path: &Path, console: &mut Console<'_>) -> Result<(), Failure> {
    let file = context::load(config_path)?.config.keys.file;
    let doors = Doors::system();
    let (entropy, now) = (doors.entropy.as_ref(), doors.clock.now());
    let name = file.display();
    let (count, text) = match command {
        KeysCommand::Init => {
            Keys::make(&file, entropy, now)?;
            (1, format!("made {name}; give the same file to every node, and nobody else"))
        }
        KeysCommand::Rotate => {
            let count = Keys::rotate(&file, entropy, now)?;
            let text = format!(
                "{name} holds {count} keys; give it to every node within ten minutes: running servers publish the new key at once and sign with it from then on"
            );
            (count, text)
        }
    };
    console.answer(&json!({ "file": file, "keys": count }), &text)
}
