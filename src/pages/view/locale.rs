//! Which language a page speaks, and its sentences.
//!
//! Sentences are whole messages in `templates/locales`; nothing here or in a template glues halves together.

use std::borrow::Cow;
use std::collections::HashMap;

use fluent_templates::fluent_bundle::FluentValue;
use fluent_templates::{LanguageIdentifier, Loader, langid};

use super::markup::{Markup, Piece, fill};

mod texts {
    fluent_templates::static_loader! {
        pub static TEXTS = {
            locales: "./templates/locales",
            fallback_language: "en",
            // Names stand in <bdi> on the page; invisible isolation marks would be copied along with tokens.
            customise: |bundle| bundle.set_use_isolating(false),
        };
    }
}

static SPANISH: LanguageIdentifier = langid!("es");
static ENGLISH: LanguageIdentifier = langid!("en");

/// A value that a sentence takes: a text, or a number its plural is chosen by.
pub type Value<'a> = FluentValue<'a>;

/// A language the pages exist in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lang {
    /// Spanish.
    Es,
    /// English.
    En,
}

impl Lang {
    /// Every language there is.
    pub const ALL: [Self; 2] = [Self::Es, Self::En];

    /// The code as in `lang="es"`, cookies and configuration.
    pub fn code(self) -> &'static str {
        match self {
            Self::Es => "es",
            Self::En => "en",
        }
    }

    /// The language's name for itself, so that its readers recognise it on a page they cannot read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Es => "Español",
            Self::En => "English",
        }
    }

    /// The language of a tag such as `es-MX`, by its first part.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next().unwrap_or_default();
        Self::ALL.into_iter().find(|lang| primary.eq_ignore_ascii_case(lang.code()))
    }

    /// Picks the page's language: what the request asks for, then what the person chose before, then the
    /// browser's wish, then the first configured one.
    pub fn negotiate(
        ui_locales: Option<&str>,
        cookie: Option<&str>,
        accept_language: Option<&str>,
        configured: &[Self],
    ) -> Self {
        let offered = |lang: &Self| configured.contains(lang);
        let asked = ui_locales.unwrap_or_default().split_ascii_whitespace().filter_map(Self::from_tag);
        asked
            .chain(cookie.and_then(Self::from_tag))
            .chain(by_preference(accept_language.unwrap_or_default()))
            .find(offered)
            .or_else(|| configured.first().copied())
            .unwrap_or(Self::En)
    }
}

/// The languages of an `Accept-Language` value, best first; `q=0` means never.
fn by_preference(header: &str) -> Vec<Lang> {
    let mut wishes: Vec<(f32, Lang)> = header
        .split(',')
        .filter_map(|item| {
            let (tag, parameters) = item.split_once(';').unwrap_or((item, ""));
            let quality = match parameters.trim().strip_prefix("q=") {
                Some(number) => number.trim().parse::<f32>().ok()?,
                None => 1.0,
            };
            Lang::from_tag(tag).filter(|_| quality > 0.0).map(|lang| (quality, lang))
        })
        .collect();
    // Stable, so that equal wishes keep the browser's order.
    wishes.sort_by(|a, b| b.0.total_cmp(&a.0));
    wishes.into_iter().map(|(_, lang)| lang).collect()
}

/// Speaks one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locale {
    lang: Lang,
}

impl Locale {
    /// The locale of a language.
    pub fn new(lang: Lang) -> Self {
        Self { lang }
    }

    /// Its language.
    pub fn lang(self) -> Lang {
        self.lang
    }

    /// The sentence with this key.
    pub fn t(self, key: &str) -> String {
        texts::TEXTS.lookup(self.identifier(), key)
    }

    /// The sentence with this key and one value.
    pub fn t1<'a>(self, key: &str, name: &'static str, value: impl Into<Value<'a>>) -> String {
        self.args(key, &[(name, value.into())])
    }

    /// The sentence with this key and its values.
    pub fn args(self, key: &str, values: &[(&'static str, Value<'_>)]) -> String {
        let map: HashMap<Cow<'static, str>, Value<'_>> =
            values.iter().map(|(name, value)| (Cow::Borrowed(*name), value.clone())).collect();
        texts::TEXTS.lookup_with_args(self.identifier(), key, &map)
    }

    /// The sentence with this key as HTML: each piece escaped and set in its own element.
    pub fn rich(self, key: &str, pieces: &[(&'static str, Piece<'_>)]) -> Markup {
        fill(|values| self.args(key, values), pieces)
    }

    /// Names as one phrase: "Claude, Cursor and Codex".
    pub fn list(self, names: &[&str]) -> String {
        let Some((last, head)) = names.split_last() else { return String::new() };
        let Some((first, middle)) = head.split_first() else { return (*last).to_owned() };
        let head = middle.iter().fold((*first).to_owned(), |list, name| {
            self.args("list-next", &[("list", list.into()), ("name", (*name).into())])
        });
        self.args("list-last", &[("list", head.into()), ("name", (*last).into())])
    }

    fn identifier(self) -> &'static LanguageIdentifier {
        match self.lang {
            Lang::Es => &SPANISH,
            Lang::En => &ENGLISH,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_asked_then_remembered_then_wished_then_configured() {
        let both = [Lang::Es, Lang::En];
        assert_eq!(Lang::negotiate(Some("fr en-GB es"), Some("es"), Some("es"), &both), Lang::En);
        assert_eq!(Lang::negotiate(Some("fr"), Some("en"), Some("es"), &both), Lang::En);
        assert_eq!(Lang::negotiate(None, None, Some("de, es;q=0.4, en-US;q=0.8"), &both), Lang::En);
        assert_eq!(Lang::negotiate(None, None, Some("en;q=0, es;q=0.1"), &both), Lang::Es);
        assert_eq!(Lang::negotiate(None, Some("xx"), Some("en;q=nonsense"), &both), Lang::Es);
        assert_eq!(Lang::negotiate(Some("en"), None, None, &[Lang::Es]), Lang::Es);
    }

    #[test]
    fn names_make_one_phrase() {
        let es = Locale::new(Lang::Es);
        assert_eq!(es.list(&[]), "");
        assert_eq!(es.list(&["Claude"]), "Claude");
        assert_eq!(es.list(&["Claude", "Cursor"]), "Claude y Cursor");
        assert_eq!(Locale::new(Lang::En).list(&["Claude", "Cursor", "Codex"]), "Claude, Cursor and Codex");
    }
}
