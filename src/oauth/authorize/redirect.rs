//! A redirect that was checked, and the one way to write an answer into it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::super::error::Code;

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A redirect URI that is one of its client's, with what has to come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedRedirect {
    /// The exact string.
    pub uri: String,
    /// The client's `state`, if it sent one.
    pub state: Option<String>,
    /// Our issuer: on every answer, RFC 9207.
    pub issuer: String,
}

impl VerifiedRedirect {
    fn with(&self, members: &[(&str, &str)]) -> String {
        let mut url = self.uri.clone();
        let mut separator = match url.find('?') {
            None => "?",
            Some(at) if at + 1 == url.len() => "",
            Some(_) => "&",
        };
        let state = self.state.as_deref().map(|state| ("state", state));
        for (name, value) in members.iter().copied().chain(state).chain([("iss", self.issuer.as_str())]) {
            url.push_str(separator);
            url.push_str(name);
            url.push('=');
            url.extend(utf8_percent_encode(value, UNRESERVED));
            separator = "&";
        }
        url
    }

    /// The answer that carries a code.
    pub fn success(&self, code: &str) -> String {
        self.with(&[("code", code)])
    }

    /// The answer that carries an error.
    pub fn error(&self, code: Code, description: &str) -> String {
        self.with(&[("error", code.wire()), ("error_description", description)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redirect(uri: &str) -> VerifiedRedirect {
        VerifiedRedirect {
            uri: uri.to_owned(),
            state: Some("st+1/=%&é".to_owned()),
            issuer: "https://a.example/i".to_owned(),
        }
    }

    #[test]
    fn answers_are_appended_to_the_exact_string() {
        let tail = "code=c&state=st%2B1%2F%3D%25%26%C3%A9&iss=https%3A%2F%2Fa.example%2Fi";
        for (uri, joined) in [
            ("http://127.0.0.1:5/cb", "http://127.0.0.1:5/cb?"),
            ("https://h.example/cb?x=1", "https://h.example/cb?x=1&"),
            ("https://h.example/cb?", "https://h.example/cb?"),
            ("com.example.app:/cb", "com.example.app:/cb?"),
        ] {
            assert_eq!(redirect(uri).success("c"), format!("{joined}{tail}"));
        }
    }
}
