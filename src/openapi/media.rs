//! Media types: which of them arguments can become, and which answers a model can read.

/// What a body is made as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// JSON, under whatever name.
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `multipart/form-data`, with text alone.
    Multipart,
    /// Text as it is.
    Text,
}

/// Type and subtype in small letters, without parameters.
pub(super) fn essence(media: &str) -> String {
    media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// True for JSON and what is written in it (RFC 6839 §3.1); no sequences of JSON texts.
pub(super) fn is_json(essence: &str) -> bool {
    matches!(essence, "application/json" | "text/json") || essence.ends_with("+json")
}

/// True for what a model can read.
pub(super) fn is_text(essence: &str) -> bool {
    let named = [
        "application/xml",
        "application/yaml",
        "application/x-yaml",
        "application/javascript",
        "application/graphql",
        "application/x-ndjson",
        "application/jsonl",
        "application/x-jsonl",
        "application/sdp",
        "application/text",
        "application/jwt",
        "application/x-www-form-urlencoded",
    ];
    is_json(essence)
        || essence.contains('*')
        || (essence.starts_with("text/") && essence != "text/event-stream")
        || ["+xml", "+yaml", "+text"].iter().any(|end| essence.ends_with(end))
        || named.contains(&essence)
}

/// What a body of this type is made as, and how willingly: less is better.
pub(super) fn kind(essence: &str) -> Option<(u8, Kind)> {
    match essence {
        "application/json" => Some((0, Kind::Json)),
        own if is_json(own) => Some((1, Kind::Json)),
        "*/*" | "application/*" => Some((2, Kind::Json)),
        "application/x-www-form-urlencoded" => Some((3, Kind::Form)),
        "multipart/form-data" => Some((4, Kind::Multipart)),
        "text/plain" | "text/*" => Some((5, Kind::Text)),
        own if own.starts_with("text/") && own != "text/event-stream" => Some((6, Kind::Text)),
        _ => None,
    }
}
