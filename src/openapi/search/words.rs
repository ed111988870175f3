//! Words as they are compared: without case and accents, split where programmers join them, stemmed in Spanish and in
//! English.
//!
//! A word does not say which language it is of, so it has the stems of both.

use std::cell::OnceCell;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Longer ones are no words, and stemming takes the longer the longer they are.
const LONGEST: usize = 40;

/// Words that say nothing, of both languages, folded.
const STOP: &[&str] = &[
    "a", "al", "an", "and", "any", "are", "as", "at", "be", "by", "can", "como", "con", "cual", "cuales",
    "de", "del", "do", "does", "donde", "el", "en", "es", "esa", "ese", "esta", "este", "for", "from", "ha",
    "hay", "his", "how", "i", "if", "in", "is", "it", "its", "la", "las", "le", "lo", "los", "me", "mi",
    "mis", "my", "no", "o", "of", "on", "or", "para", "por", "que", "quiero", "se", "si", "sin", "so", "son",
    "su", "sus", "te", "that", "the", "their", "this", "to", "tu", "tus", "un", "una", "unas", "unos",
    "want", "was", "we", "what", "which", "will", "with", "y", "ya", "you", "your",
];

/// A word in every form in which it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Lower case, without accents.
    pub folded: String,
    /// That and its stems, each once.
    pub forms: Vec<String>,
}

impl Word {
    /// A word of its folded text.
    pub fn new(folded: String) -> Self {
        let mut forms = vec![folded.clone()];
        for stem in stems(&folded) {
            if !forms.contains(&stem) {
                forms.push(stem);
            }
        }
        Self { folded, forms }
    }

    /// True if it says nothing by itself.
    pub fn is_stop(&self) -> bool {
        STOP.binary_search(&self.folded.as_str()).is_ok()
    }
}

/// The words of a text in order: `listOpenInvoices`, `list_open_invoices` and "List open invoices" have the same.
pub fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    split(text).map(|word| Word::new(fold(word)))
}

/// Lower case, without accents.
pub fn fold(text: &str) -> String {
    let plain: String = text.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    plain.to_lowercase()
}

/// Pieces between what is no letter and no digit, and between the words of a name in camel case.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c));
    runs.flat_map(humps).filter(|word| word.chars().count() <= LONGEST)
}

/// `openHTTPPort` is `open HTTP Port`.
fn humps(run: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = run.char_indices().collect();
    let mut cuts = vec![0];
    for around in chars.windows(2) {
        let [(_, before), (at, here)] = around else { continue };
        let next = run.get(at + here.len_utf8()..).and_then(|rest| rest.chars().next());
        let rises = here.is_uppercase() && !before.is_uppercase();
        let ends_acronym =
            here.is_uppercase() && before.is_uppercase() && next.is_some_and(char::is_lowercase);
        // a plural of an acronym stays whole: `listIDs` is `list IDs`
        let plural = ends_acronym && run.get(at + here.len_utf8()..).is_some_and(is_plural_end);
        if rises || (ends_acronym && !plural) {
            cuts.push(*at);
        }
    }
    cuts.push(run.len());
    let pieces = cuts.windows(2).filter_map(|pair| match pair {
        [from, to] => run.get(*from..*to),
        _ => None,
    });
    pieces.filter(|piece| !piece.is_empty()).collect()
}

fn is_plural_end(rest: &str) -> bool {
    let mut chars = rest.chars();
    chars.next() == Some('s') && chars.next().is_none_or(|after| !after.is_lowercase())
}

/// The stems of a folded word in both languages.
fn stems(folded: &str) -> [String; 2] {
    thread_local! {
        static STEMMERS: OnceCell<(Stemmer, Stemmer)> = const { OnceCell::new() };
    }
    STEMMERS.with(|cell| {
        let (english, spanish) =
            cell.get_or_init(|| (Stemmer::create(Algorithm::English), Stemmer::create(Algorithm::Spanish)));
        // the Spanish algorithm knows these endings with their accent alone, which few people type
        let accented = match folded.strip_suffix("ion") {
            Some(start) if start.ends_with(['c', 's', 'g', 'x']) => format!("{start}ión"),
            _ => folded.to_owned(),
        };
        [english.stem(folded).into_owned(), fold(&spanish.stem(&accented))]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> Vec<String> {
        words(text).map(|word| word.folded).collect()
    }

    fn meet(one: &str, other: &str) -> bool {
        let (one, other) = (Word::new(fold(one)), Word::new(fold(other)));
        one.forms.iter().any(|form| other.forms.contains(form))
    }

    #[test]
    fn names_of_every_style_have_the_same_words() {
        for text in [
            "listOpenInvoices",
            "list_open_invoices",
            "list-open-invoices",
            "List open: invoices!",
            "LIST/OPEN/Invoices",
        ] {
            assert_eq!(folded(text), ["list", "open", "invoices"], "{text}");
        }
        assert_eq!(folded("openHTTPPort2 getV2IDs"), ["open", "http", "port2", "get", "v2", "ids"]);
        assert_eq!(folded("/facturas/{facturaId}"), ["facturas", "factura", "id"]);
        assert_eq!(folded("ELIMINAR Facturación"), ["eliminar", "facturacion"]);
        assert_eq!(folded("ﬁle año — niño"), ["file", "ano", "nino"]);
        assert_eq!(folded("e\u{301}xito"), ["exito"], "an accent of its own is no gap");
        assert!(folded(&"a".repeat(1000)).is_empty() && folded(" \u{0} ;; ").is_empty());
    }

    #[test]
    fn inflected_words_meet_in_both_languages() {
        for (one, other) in [
            ("facturas", "factura"),
            ("facturación", "facturaciones"),
            ("facturacion", "facturación"),
            ("borrar", "borrado"),
            ("invoices", "invoice"),
            ("creating", "create"),
            ("reuniones", "reunión"),
        ] {
            assert!(meet(one, other), "{one} {other}");
        }
        for (one, other) in [("factura", "fábrica"), ("invoice", "invite"), ("pago", "página")] {
            assert!(!meet(one, other), "{one} {other}");
        }
    }

    #[test]
    fn words_that_say_nothing_are_in_order() {
        assert!(STOP.is_sorted(), "they are looked up by halves");
        assert!(words("the DE él").all(|word| word.is_stop()));
    }
}
