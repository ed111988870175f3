//! Resource indicators, RFC 8707: one canonical form, one comparison.

/// The canonical spelling used for comparison: scheme and host in lower case, no default port, no query,
/// no trailing slash. `None` if the text is no absolute http(s) URL or has a fragment.
///
/// The twin with a trailing slash is the same resource: clients add one to bare origins
/// (`new URL(x).href`) and some frameworks add one everywhere.
pub fn canonical(text: &str) -> Option<String> {
    if text.contains('#') || text.bytes().any(|b| b <= b' ' || b == b'\\') {
        return None;
    }
    let (scheme, rest) = text.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let default_port = match scheme.as_str() {
        "https" => ":443",
        "http" => ":80",
        _ => return None,
    };
    let rest = rest.split_once('?').map_or(rest, |(before, _)| before);
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    if authority.is_empty() || authority.contains('@') {
        return None;
    }
    let authority = authority.to_ascii_lowercase();
    let authority = authority.strip_suffix(default_port).unwrap_or(&authority);
    let path = path.strip_suffix('/').unwrap_or(path);
    Some(format!("{scheme}://{authority}{path}"))
}

/// True if both name the same resource.
pub fn same(one: &str, other: &str) -> bool {
    matches!((canonical(one), canonical(other)), (Some(a), Some(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_resource() {
        let own = "https://h.example/mcp";
        for other in ["https://h.example/mcp/", "HTTPS://H.example:443/mcp", "https://h.example/mcp?x=1"] {
            assert!(same(own, other), "{other}");
        }
        assert!(same("https://h.example", "https://h.example/"));
        for other in [
            "https://h.example/%6dcp",
            "https://h.example/MCP",
            "http://h.example/mcp",
            "https://h.example:8443/mcp",
            "https://h.example/mcp#x",
            "https://u@h.example/mcp",
            "/mcp",
            "javascript:alert(1)",
            "https://h.example/mcp//",
        ] {
            assert!(!same(own, other), "{other}");
        }
    }
}
