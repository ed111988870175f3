//! What registries of MCP servers take: the limits of `server.json`, schema 2025-12-11, and of server cards.

use super::error::{Findings, KeyPath};
use super::service::ServiceConfig;

const NAMES: &str = "3 to 200 characters are allowed: a domain of yours backwards (A-Z a-z 0-9 - and dots), one slash, \
     and a name (A-Z a-z 0-9 . _ -), such as \"com.example/meetings\"";
/// Characters of a description, and of a title.
const LONGEST: usize = 100;
/// Characters of a version.
const LONGEST_VERSION: usize = 255;

impl ServiceConfig {
    pub(super) fn validate_descriptors(&self, at: &KeyPath, out: &mut Findings) {
        let (name, info) = (at.key("registry_name"), at.key("server_info"));
        if let Some(own) = &self.registry_name {
            out.refuse(!is_name(own), &name, format!("{own:?} is no name in registries; {NAMES}"));
        }
        let long = self.server_info.version.chars().count() > LONGEST_VERSION;
        out.refuse(long, &info.key("version"), "is too long; up to 255 characters are allowed");
        if !self.descriptors {
            return;
        }
        let described = self.description.is_some() || self.website.is_some();
        if self.registry_name.is_none() && described {
            out.warn(&name, format!("is missing, so there is no server.json; {NAMES}"));
        }
        self.warn_of_lengths(at, out);
        let version = &self.server_info.version;
        if self.registry_name.is_some() && is_range(version) {
            out.warn(
                &info.key("version"),
                format!(
                    "registries do not take {version:?}; one version such as \"1.0.2\" is allowed, no range"
                ),
            );
        }
    }

    fn warn_of_lengths(&self, at: &KeyPath, out: &mut Findings) {
        let description = self.description.as_ref().map(|text| (at.key("description"), text));
        let info = at.key("server_info");
        let own = self.server_info.description.as_ref().map(|text| (info.key("description"), text));
        let said = description.or(own);
        let title = Some((info.key("title"), &self.server_info.title));
        for (key, text) in said.clone().into_iter().chain(title) {
            let count = text.trim().chars().count();
            if count > LONGEST {
                let cut = "descriptors cut it after the last word that fits";
                out.warn(&key, format!("has {count} characters of which registries take {LONGEST}; {cut}"));
            }
        }
        let empty = said.is_none_or(|(_, text)| text.trim().is_empty());
        if self.registry_name.is_some() && empty {
            out.warn(
                &at.key("description"),
                "is missing; server.json then has the title, 1 to 100 characters are allowed",
            );
        }
    }
}

fn is_name(name: &str) -> bool {
    let end = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.ends_with(|c: char| c.is_ascii_alphanumeric())
    };
    let label =
        |text: &str| end(text) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    name.len() <= 200
        && name.split_once('/').is_some_and(|(space, own)| {
            space.contains('.') && space.split('.').all(label) && end(own) && own.bytes().all(of_name)
        })
}

/// What a registry takes for a range of versions, or for none in particular.
fn is_range(version: &str) -> bool {
    let parts = version.split(['-', '+']).next().unwrap_or_default();
    version.trim() != version
        || version == "latest"
        || version.starts_with(['^', '~', '>', '<', '='])
        || version.contains("||")
        || version.contains(" - ")
        || parts.split('.').any(|part| matches!(part, "x" | "X" | "*"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_domains_backwards_and_a_name() {
        for (name, good) in [
            ("com.example/meetings", true),
            ("io.github.some-one/a.b_c-d", true),
            ("com.example/M", true),
            ("meetings", false),
            ("example/meetings", false),
            ("com.example/a/b", false),
            ("com.example/", false),
            ("com_x.example/a", false),
            ("com..example/a", false),
            ("-com.example/a", false),
            ("com.example/-a", false),
            ("com.example/señal", false),
        ] {
            assert_eq!(is_name(name), good, "{name}");
        }
        assert!(is_name(&format!("com.example/{}", "a".repeat(188))));
        assert!(!is_name(&format!("com.example/{}", "a".repeat(189))));
    }

    #[test]
    fn ranges_are_told_from_versions() {
        for version in ["1.0.2", "2.1.0-alpha", "1.0.0-x.7", "2026.12", "v3", "1.0.0+build.x"] {
            assert!(!is_range(version), "{version}");
        }
        for range in
            ["^1.2.3", "~1.2", ">=1.0", "1.x", "1.*", "*", "latest", "1.0 || 2.0", "1.0 - 2.0", "=1.0"]
        {
            assert!(is_range(range), "{range}");
        }
    }
}
