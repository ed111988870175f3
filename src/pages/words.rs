//! What the domain knows, in the words and shapes of the pages.

use super::view::{ClientIdentity, ClientView, Destination, Lang, ScopeKind, ScopeView};
use crate::app::App;
use crate::config::{Language, ScopeConfig};
use crate::domain::client::{Client, ClientKind};
use crate::domain::ids::{BrandId, ServiceId};
use crate::domain::redirect_uri;
use crate::domain::scope::ScopeSet;

/// A name longer than this would push the rest of its sentence out of sight.
const NAME: usize = 64;
/// Of a URI, enough to see what is wrong with it.
const URI: usize = 200;

/// A configured language as pages know it.
pub(super) fn lang(language: Language) -> Lang {
    match language {
        Language::Es => Lang::Es,
        Language::En => Lang::En,
    }
}

/// The same the other way.
pub(super) fn language(lang: Lang) -> Language {
    match lang {
        Lang::Es => Language::Es,
        Lang::En => Language::En,
    }
}

/// A client's name at the length that pages show.
pub(super) fn name(text: &str) -> String {
    text.chars().take(NAME).collect()
}

/// A URI that is shown and leads nowhere: what is no plain character of it could make it look like another.
pub(super) fn uri(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_graphic() { c } else { char::REPLACEMENT_CHARACTER };
    text.chars().map(plain).take(URI).collect()
}

/// A client: whoever registered itself stands for its name alone.
pub(super) fn client(client: &Client) -> ClientView {
    ClientView {
        name: name(client.display_name()),
        identity: match client.kind {
            ClientKind::Dynamic => ClientIdentity::Unverified,
            ClientKind::Operator => ClientIdentity::Operator,
        },
    }
}

/// Where a checked redirect URI leads.
pub(super) fn destination(uri: &str) -> Destination {
    match redirect_uri::check(uri) {
        Ok(redirect_uri::Destination::Site { host }) => site(host),
        Ok(redirect_uri::Destination::Loopback { host, port }) => Destination::Loopback { host, port },
        Ok(redirect_uri::Destination::App { scheme }) => Destination::App { scheme },
        Err(_) => Destination::Host { host: uri.to_owned(), unicode: None },
    }
}

/// Where a connection's answer went, from what its row keeps of that: a host, or a scheme with its colon.
pub(super) fn kept_destination(kept: &str) -> Destination {
    match kept {
        "localhost" | "127.0.0.1" | "[::1]" => Destination::Loopback { host: kept.to_owned(), port: None },
        _ => match kept.strip_suffix(':') {
            Some(scheme) => Destination::App { scheme: scheme.to_owned() },
            None => site(kept.to_owned()),
        },
    }
}

/// The ASCII form always stands on the page; the other one only beside it, because its letters can imitate.
fn site(host: String) -> Destination {
    let (unicode, readable) = idna::domain_to_unicode(&host);
    let differs = readable.is_ok() && !unicode.eq_ignore_ascii_case(&host);
    Destination::Host { unicode: differs.then_some(unicode), host }
}

/// The host or scheme of a destination, for a sentence.
pub(super) fn destination_name(uri: &str) -> String {
    match destination(uri) {
        Destination::Host { host, .. } | Destination::Loopback { host, .. } => host,
        Destination::App { scheme } => format!("{scheme}:"),
    }
}

/// The word beside a scope, by the habit of ending its name with it.
fn kind(scope: &str) -> Option<ScopeKind> {
    match scope.rsplit_once(':')?.1 {
        "read" => Some(ScopeKind::Read),
        "write" => Some(ScopeKind::Change),
        "delete" => Some(ScopeKind::Delete),
        _ => None,
    }
}

/// Scopes as check boxes, those that remove last.
pub(super) fn boxes<'c>(
    scopes: &ScopeSet,
    ticked: &ScopeSet,
    config: impl Fn(&str) -> Option<&'c ScopeConfig>,
    lang: Lang,
) -> Vec<ScopeView> {
    let language = language(lang);
    let view = |scope: &str| ScopeView {
        id: scope.to_owned(),
        title: config(scope).map_or(scope, |own| own.title.get(language)).to_owned(),
        description: config(scope)
            .and_then(|own| own.description.as_ref())
            .map(|own| own.get(language).to_owned()),
        kind: kind(scope),
        checked: ticked.contains(scope),
    };
    let mut views: Vec<ScopeView> = scopes.iter().map(view).collect();
    views.sort_by_key(|view| view.kind == Some(ScopeKind::Delete));
    views
}

/// Scopes as sentences, by the first service of the brand that declares each.
pub(super) fn sentences(app: &App, brand: &BrandId, scopes: &ScopeSet, lang: Lang) -> Vec<String> {
    let title = |scope: &str| {
        let mut own = app.services.iter().filter(|service| service.brand.id == *brand);
        let declaring = own.find(|service| service.scopes.contains(scope));
        declaring.map_or_else(|| scope.to_owned(), |service| service.scope_title(scope, language(lang)))
    };
    scopes.iter().map(title).collect()
}

/// A service's name; its id once it is no longer configured.
pub(super) fn service(app: &App, id: &ServiceId) -> String {
    let known = app.services.iter().find(|service| service.id == *id);
    known.map_or_else(|| id.to_string(), |service| service.config.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_in_its_own_script_stands_beside_its_ascii_form() {
        let Destination::Host { host, unicode } = destination("https://xn--espaa-rta.example/cb") else {
            panic!("no host")
        };
        assert_eq!((host.as_str(), unicode.as_deref()), ("xn--espaa-rta.example", Some("españa.example")));
        assert_eq!(
            destination("https://Claude.ai/cb"),
            Destination::Host { host: "Claude.ai".to_owned(), unicode: None }
        );
    }

    #[test]
    fn what_a_row_keeps_of_a_redirect_is_read_back() {
        assert_eq!(kept_destination("cursor:"), Destination::App { scheme: "cursor".to_owned() });
        assert_eq!(kept_destination("[::1]"), Destination::Loopback { host: "[::1]".to_owned(), port: None });
        assert_eq!(
            kept_destination("h.example:8443"),
            Destination::Host { host: "h.example:8443".to_owned(), unicode: None }
        );
    }

    #[test]
    fn a_scopes_last_word_says_what_it_does() {
        assert_eq!(kind("mico:read"), Some(ScopeKind::Read));
        assert_eq!(kind("a:b:delete"), Some(ScopeKind::Delete));
        assert_eq!((kind("read"), kind("mico:reader")), (None, None));
    }
}
