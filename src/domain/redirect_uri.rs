//! Redirect URIs: which may be registered and which registered one an asked one matches.
//!
//! RFC 9700 §4.1: plain string comparison, with the loopback exception of RFC 8252 §7.3. The same two
//! functions serve registration and authorization, so that nothing is accepted at one and refused at the other.

/// No longer URI is registered or compared.
pub const MAX_LENGTH: usize = 2048;

/// Schemes that run code, read files or reach beyond a redirect: never, in any case.
const DENIED: [&str; 13] = [
    "javascript",
    "data",
    "vbscript",
    "file",
    "blob",
    "about",
    "filesystem",
    "view-source",
    "ws",
    "wss",
    "ftp",
    "mailto",
    "tel",
];

/// Private-use schemes without a dot that real clients use.
const KNOWN_PRIVATE: [&str; 10] =
    ["cursor", "vscode", "vscode-insiders", "windsurf", "zed", "claude", "kiro", "codex", "goose", "chatgpt"];

/// Where a redirect leads: what the pages tell the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A site, by its host.
    Site {
        /// Host with port, as written.
        host: String,
    },
    /// A program on the person's own computer.
    Loopback {
        /// `127.0.0.1`, `[::1]` or `localhost`.
        host: String,
        /// The port, if named.
        port: Option<u16>,
    },
    /// An app that owns a private-use scheme.
    App {
        /// The scheme.
        scheme: String,
    },
}

/// Why a URI may not be registered. The text is for the developer of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unacceptable {
    /// Too long or empty.
    #[error("must have 1 to 2048 characters")]
    Length,
    /// Spaces, control characters, backslash, quotes or characters outside ASCII.
    #[error("must be an absolute URI of plain ASCII characters")]
    Characters,
    /// No scheme.
    #[error("must be an absolute URI")]
    Relative,
    /// A scheme from the deny-list.
    #[error("uses a scheme that is never allowed")]
    DeniedScheme,
    /// A private-use scheme without a dot that is not known.
    #[error("private-use schemes need a dot (reverse domain name), RFC 8252 section 7.1")]
    UnknownScheme,
    /// http to something that is not loopback.
    #[error("http is only allowed for 127.0.0.1, [::1] and localhost")]
    PlainHttp,
    /// Fragment, wildcard or user information.
    #[error("must have no fragment, wildcard or user information")]
    Parts,
    /// A query that holds what only the answer may say.
    #[error("has a query that names code, state, iss or error")]
    Reserved,
    /// A host or port that cannot be.
    #[error("has no valid host or port")]
    Authority,
}

struct Parts<'a> {
    scheme: String,
    /// Host as written (with brackets for IPv6) and port, for hierarchical URIs.
    authority: Option<(&'a str, Option<&'a str>)>,
    rest: &'a str,
}

fn split(uri: &str) -> Option<Parts<'_>> {
    let (scheme, rest) = uri.split_once(':')?;
    let mut letters = scheme.bytes();
    if !letters.next()?.is_ascii_alphabetic()
        || !letters.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    {
        return None;
    }
    let scheme = scheme.to_ascii_lowercase();
    let Some(after) = rest.strip_prefix("//") else {
        return Some(Parts { scheme, authority: None, rest });
    };
    let end = after.find(['/', '?', '#']).unwrap_or(after.len());
    let (authority, rest) = after.split_at(end);
    let port_at = match authority.rfind(']') {
        Some(bracket) => authority.get(bracket..)?.find(':').map(|at| at + bracket),
        None => authority.find(':'),
    };
    let authority = match port_at {
        Some(at) => (authority.get(..at)?, Some(authority.get(at + 1..)?)),
        None => (authority, None),
    };
    Some(Parts { scheme, authority: Some(authority), rest })
}

fn port(text: &str) -> Option<u16> {
    let plain = (1..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|port| plain && *port > 0)
}

fn is_loopback(host: &str) -> bool {
    matches!(host, "127.0.0.1" | "[::1]" | "localhost")
}

fn is_host(host: &str) -> bool {
    let inner = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match inner {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            !host.is_empty()
                && host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'))
        }
    }
}

/// Checks that `uri` may be registered and says where it leads.
pub fn check(uri: &str) -> Result<Destination, Unacceptable> {
    if uri.is_empty() || uri.len() > MAX_LENGTH {
        return Err(Unacceptable::Length);
    }
    if uri
        .bytes()
        .any(|b| !(0x21..=0x7e).contains(&b) || matches!(b, b'\\' | b'"' | b'<' | b'>' | b'^' | b'`'))
    {
        return Err(Unacceptable::Characters);
    }
    let parts = split(uri).ok_or(Unacceptable::Relative)?;
    if DENIED.contains(&parts.scheme.as_str()) {
        return Err(Unacceptable::DeniedScheme);
    }
    if uri.contains(['#', '*']) || parts.authority.is_some_and(|(host, port)| has_at(host, port)) {
        return Err(Unacceptable::Parts);
    }
    if answers_already(parts.rest) {
        return Err(Unacceptable::Reserved);
    }
    match (parts.scheme.as_str(), parts.authority) {
        ("http" | "https", None) => Err(Unacceptable::Authority),
        (scheme @ ("http" | "https"), Some((host, port_text))) => web(scheme, host, port_text),
        (scheme, _) if scheme.contains('.') || KNOWN_PRIVATE.contains(&scheme) => {
            Ok(Destination::App { scheme: parts.scheme })
        }
        _ => Err(Unacceptable::UnknownScheme),
    }
}

/// Each of these stands exactly once in an answer (RFC 9207), so none may stand in the URI before.
fn answers_already(rest: &str) -> bool {
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    // As a client decodes them: an escaped name is the same name.
    form_urlencoded::parse(query.as_bytes())
        .any(|(name, _)| matches!(&*name, "code" | "state" | "iss" | "error" | "error_description"))
}

fn has_at(host: &str, port: Option<&str>) -> bool {
    host.contains('@') || port.is_some_and(|port| port.contains('@'))
}

fn web(scheme: &str, host: &str, port_text: Option<&str>) -> Result<Destination, Unacceptable> {
    let number = match port_text {
        None => None,
        Some(text) => Some(port(text).ok_or(Unacceptable::Authority)?),
    };
    if !is_host(host) {
        return Err(Unacceptable::Authority);
    }
    if scheme == "http" {
        return if is_loopback(host) {
            Ok(Destination::Loopback { host: host.to_owned(), port: number })
        } else {
            Err(Unacceptable::PlainHttp)
        };
    }
    let host = number.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    Ok(Destination::Site { host })
}

/// A loopback URI without its port, its empty path spelt `/`; any other URI as it is. Two registrations that
/// differ only in this are the same software.
pub fn without_loopback_port(uri: &str) -> String {
    loopback_form(uri).unwrap_or_else(|| uri.to_owned())
}

fn loopback_form(uri: &str) -> Option<String> {
    let raw_http = uri.starts_with("http://");
    let parts = split(uri)?;
    let (host, port_text) = parts.authority?;
    if !raw_http || !is_loopback(host) || port_text.is_some_and(|text| port(text).is_none()) {
        return None;
    }
    let path = if parts.rest.is_empty() { "/" } else { parts.rest };
    Some(format!("http://{host}{path}"))
}

/// True if the asked URI is the registered one: the same string, or, for `http` on loopback, the same but for
/// the port.
pub fn matches(registered: &str, asked: &str) -> bool {
    registered == asked
        || matches!((loopback_form(registered), loopback_form(asked)), (Some(a), Some(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_real_clients_register_is_accepted() {
        for uri in [
            "https://claude.ai/api/mcp/auth_callback",
            "http://localhost:51234/callback",
            "http://127.0.0.1/",
            "http://127.0.0.1:33418",
            "http://[::1]:8080/cb",
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "com.example.app:/cb",
            "claude://claude.ai/mcp-auth-callback/sdk",
            "https://grok.com/connectors-oauth-exchange-code/",
            "https://xn--bcher-kva.example/cb?x=1",
        ] {
            assert!(check(uri).is_ok(), "{uri}: {:?}", check(uri));
        }
    }

    #[test]
    fn dangerous_ones_are_refused() {
        for uri in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "/cb",
            "cb",
            "http://evil.example/cb",
            "https://a@evil.example/cb",
            "https://h.example/cb#f",
            "https://*.h.example/",
            "https://h.example/ cb",
            "https:\\\\evil",
            "https:/evil",
            "https://bücher.example/",
            "foo:/cb",
            "http://127.1/cb",
            "http://2130706433/cb",
            "http://127.0.0.2/cb",
            "http://localhost./cb",
            "http://localhost.evil/cb",
            "http://127.0.0.1:80@evil/cb",
            "http://127.0.0.1.evil/cb",
            "http://127.0.0.1:0/cb",
            "http://127.0.0.1:99999/cb",
            "http://127.0.0.1:/cb",
            "https://",
            "",
            "https://evil%2eexample/cb",
            "https://h.example/cb?x=1&iss=z",
            "https://h.example/cb?c%6fde=z",
            "com.example.app:/cb?state",
            "http://[::ffff:127.0.0.1]/cb",
        ] {
            assert!(check(uri).is_err(), "{uri}");
        }
    }

    #[test]
    fn only_loopback_ports_are_free() {
        assert!(matches("http://localhost/callback", "http://localhost:5000/callback"));
        assert!(matches("http://127.0.0.1:1/", "http://127.0.0.1:2"));
        assert!(matches("http://[::1]/cb", "http://[::1]:9/cb"));
        for (registered, asked) in [
            ("http://localhost/cb", "http://127.0.0.1/cb"),
            ("http://localhost/cb", "http://localhost/cb?x=1"),
            ("http://localhost/cb", "https://localhost/cb"),
            ("http://localhost/cb", "http://localhost.evil/cb"),
            ("http://localhost/cb", "http://localhost@evil/cb"),
            ("http://localhost/cb", "http://localhost:0/cb"),
            ("http://localhost/cb", "HTTP://localhost:5/cb"),
            ("https://client.example/cb", "https://client.example:443/cb"),
            ("https://client.example/cb", "https://CLIENT.example/cb"),
            ("com.example.app:/cb", "com.example.app://cb"),
        ] {
            assert!(!matches(registered, asked), "{registered} {asked}");
        }
    }
}
