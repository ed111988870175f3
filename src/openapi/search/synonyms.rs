//! Frequent words of APIs that mean the same in Spanish and in English.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::words::{Word, fold};

const TABLE: &str = include_str!("synonyms.txt");

/// Groups of words that mean the same, by each of their forms.
pub struct Synonyms {
    groups: Vec<Vec<String>>,
    by_form: BTreeMap<String, Vec<usize>>,
}

impl Synonyms {
    /// The table, read once.
    pub fn get() -> &'static Self {
        static READ: OnceLock<Synonyms> = OnceLock::new();
        READ.get_or_init(|| Self::read(TABLE))
    }

    fn read(table: &str) -> Self {
        let mut read = Self { groups: Vec::new(), by_form: BTreeMap::new() };
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let words = line.split(['=', ',']).map(str::trim).filter(|word| !word.is_empty());
            let forms: BTreeSet<String> = words.flat_map(|word| Word::new(fold(word)).forms).collect();
            for form in &forms {
                read.by_form.entry(form.clone()).or_default().push(read.groups.len());
            }
            read.groups.push(forms.into_iter().collect());
        }
        read
    }

    /// The forms of every word that means the same, each once, without the word's own.
    pub fn of(&self, word: &Word) -> BTreeSet<&str> {
        let groups = word.forms.iter().filter_map(|form| self.by_form.get(form)).flatten();
        let forms = groups.filter_map(|group| self.groups.get(*group)).flatten();
        forms.map(String::as_str).filter(|form| !word.forms.iter().any(|own| own == form)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs() -> Vec<(&'static str, &'static str)> {
        TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('=')).collect()
    }

    #[test]
    fn every_line_is_a_group_of_single_words_of_both_languages() {
        let pairs = pairs();
        assert!(pairs.len() >= 150, "{}", pairs.len());
        for (spanish, english) in pairs {
            for word in spanish.split(',').chain(english.split(',')).map(str::trim) {
                assert!(!word.is_empty() && word.chars().all(char::is_alphabetic), "{spanish}={english}");
            }
            assert!(english.is_ascii(), "{english}");
        }
    }

    #[test]
    fn a_word_finds_its_translations_from_both_sides() {
        let means = |one: &str, other: &str| {
            let (one, other) = (Word::new(fold(one)), Word::new(fold(other)));
            let same = Synonyms::get().of(&one);
            other.forms.iter().any(|form| one.forms.contains(form) || same.contains(form.as_str()))
        };
        for (spanish, english) in [
            ("facturas", "invoice"),
            ("clientes", "customers"),
            ("pagos", "payment"),
            ("contacto", "contacts"),
            ("borrar", "delete"),
            ("crear", "creates"),
            ("listar", "list"),
            ("buscar", "search"),
            ("reuniones", "meetings"),
        ] {
            assert!(means(spanish, english), "{spanish} {english}");
            assert!(means(english, spanish), "{english} {spanish}");
        }
        assert!(!means("factura", "customer"));
    }
}
