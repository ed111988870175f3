//! What every page carries: whose product it is, in which language, who is signed in.

use std::borrow::Borrow;

use super::locale::{Lang, Locale};
use super::markup::{Markup, Piece};
use super::moment::Moment;

/// The frame of a page.
#[derive(Clone)]
pub struct Shell {
    /// The page's language.
    pub locale: Locale,
    /// The product the person knows.
    pub brand: BrandView,
    /// The same page in the configured languages; the current one included.
    pub languages: Vec<LangLink>,
    /// Who is signed in.
    pub user: Option<UserView>,
    /// The proof that a form came from this browser's page.
    pub csrf: String,
    /// What the asset URLs end with; see [`super::assets::version`].
    pub asset_version: &'static str,
    /// The moment the page is made, in Unix milliseconds: relative times are measured from it.
    pub now_ms: i64,
}

/// A brand as its pages show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrandView {
    /// Its name.
    pub name: String,
    /// Where its colours are served, made by [`super::accent::brand_css`].
    pub css_href: String,
    /// A logo on our own origin; without one the page sets the name with its initial.
    pub logo_href: Option<String>,
}

impl BrandView {
    /// The letter that stands for the brand where there is no logo.
    pub fn initial(&self) -> String {
        self.name.chars().next().map(|first| first.to_uppercase().collect()).unwrap_or_default()
    }
}

/// A link to this page in another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LangLink {
    /// The language's code, for `hreflang` and `lang`.
    pub code: &'static str,
    /// The language's name for itself.
    pub label: &'static str,
    /// The same page in it.
    pub href: String,
}

impl LangLink {
    /// A link to `href`, which shows the page in `lang`.
    pub fn new(lang: Lang, href: String) -> Self {
        Self { code: lang.code(), label: lang.name(), href }
    }
}

/// The person who is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserView {
    /// How they are called.
    pub name: String,
    /// What tells two people of one name apart.
    pub email: String,
}

impl Shell {
    /// The sentence with this key.
    pub fn t(&self, key: &str) -> String {
        self.locale.t(key)
    }

    /// The sentence with this key and a number.
    pub fn count(&self, key: &str, count: usize) -> String {
        self.locale.t1(key, "count", i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// The sentence with this key and one name in it.
    pub fn named(&self, key: &str, name: &str) -> Markup {
        self.locale.rich(key, &[("name", Piece::Name(name))])
    }

    /// A moment seen from now, exact on hover.
    pub fn when(&self, at_ms: impl Borrow<i64>) -> Markup {
        let moment = self.moment(*at_ms.borrow());
        Markup::time(&moment.iso, &moment.exact, &moment.relative)
    }

    /// A moment as its date.
    pub fn date(&self, at_ms: impl Borrow<i64>) -> Markup {
        let moment = self.moment(*at_ms.borrow());
        Markup::time(&moment.iso, &moment.exact, &moment.date)
    }

    /// A moment of today as its time of day.
    pub fn clock(&self, at_ms: impl Borrow<i64>) -> Markup {
        let moment = self.moment(*at_ms.borrow());
        Markup::time(&moment.iso, &moment.exact, &moment.clock)
    }

    fn moment(&self, at_ms: i64) -> Moment {
        Moment::new(self.locale, at_ms, self.now_ms)
    }

    /// Whether `code` is the language of this page.
    pub fn speaks(&self, code: &str) -> bool {
        self.locale.lang().code() == code
    }
}
