//! Renders `docs/configuration.md`.

/// The reference of all keys, as Markdown.
pub fn reference() -> String {
    String::new()
}
