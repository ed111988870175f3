//! The static files, compiled in, and the version their URLs carry so that they may be cached for ever.

use std::sync::LazyLock;

const STYLE: &str = include_str!("../../../templates/static/app.css");
const SCRIPT: &str = include_str!("../../../templates/static/app.js");
const ICON: &str = include_str!("../../../templates/static/icon.svg");

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hash = crc32fast::Hasher::new();
    for file in [STYLE, SCRIPT, ICON] {
        hash.update(file.as_bytes());
    }
    format!("{:08x}", hash.finalize())
});

/// One static file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its content.
    pub body: &'static str,
    /// Its media type.
    pub content_type: &'static str,
}

/// The file that `/assets/{name}` serves.
pub fn asset(name: &str) -> Option<Asset> {
    let (body, content_type) = match name {
        "app.css" => (STYLE, "text/css; charset=utf-8"),
        "app.js" => (SCRIPT, "text/javascript; charset=utf-8"),
        "icon.svg" => (ICON, "image/svg+xml"),
        _ => return None,
    };
    Some(Asset { body, content_type })
}

/// Changes whenever a static file does.
pub fn version() -> &'static str {
    &VERSION
}
