//! Both languages say everything the pages ask for, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use fluent_templates::fluent_bundle::FluentResource;
use walkdir::WalkDir;

/// What follows one of these is a key.
const ASKING: [&str; 7] = ["t(", "t1(", "args(", "rich(", "count(", "named(", "said("];

fn texts_under(folder: &str, extension: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = WalkDir::new(root).sort_by_file_name().into_iter().map(Result::unwrap);
    let tests = |path: &Path| path.components().any(|part| part.as_os_str() == "tests");
    let wanted = files.filter(|file| {
        file.path().extension().is_some_and(|found| found == extension) && !tests(file.path())
    });
    wanted.map(|file| fs::read_to_string(file.path()).unwrap() + "\n").collect()
}

/// Each message's key with the names of its values.
fn messages(lang: &str) -> BTreeMap<String, BTreeSet<String>> {
    let text = texts_under(&format!("templates/locales/{lang}"), "ftl");
    FluentResource::try_new(text.clone()).unwrap_or_else(|(_, errors)| panic!("{lang}: {errors:?}"));
    let mut messages = BTreeMap::new();
    let mut key = String::new();
    for line in text.lines() {
        if line.starts_with(|first: char| first.is_ascii_lowercase()) {
            line.split(" = ").next().unwrap().clone_into(&mut key);
            assert!(messages.insert(key.clone(), BTreeSet::new()).is_none(), "{lang}: {key} stands twice");
        }
        let names =
            line.split('$').skip(1).map(|rest| rest.split(|c: char| !c.is_ascii_lowercase()).next().unwrap());
        for name in names {
            messages.get_mut(&key).unwrap().insert(name.to_owned());
        }
    }
    messages
}

fn sources() -> String {
    texts_under("templates", "html") + &texts_under("src/pages", "rs")
}

/// The keys asked for by name, wherever the call breaks its lines.
fn asked(sources: &str) -> BTreeSet<String> {
    let whole = |at: usize| !sources[..at].ends_with(|before: char| before.is_alphanumeric());
    let calls = ASKING.iter().flat_map(|call| {
        sources.match_indices(call).filter(|(at, _)| whole(*at)).map(|(at, _)| &sources[at + call.len()..])
    });
    let keys = calls.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
    let is_key = |key: &&str| key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    keys.filter(is_key).map(str::to_owned).collect()
}

#[test]
fn both_languages_have_the_same_sentences_with_the_same_values() {
    let (es, en) = (messages("es"), messages("en"));
    assert!(es.len() > 200);
    assert_eq!(es.keys().collect::<Vec<_>>(), en.keys().collect::<Vec<_>>());
    for (key, values) in &es {
        assert_eq!(values, &en[key], "{key}");
    }
}

#[test]
fn every_sentence_asked_for_exists_and_every_one_that_exists_is_asked_for() {
    let (known, sources) = (messages("en"), sources());
    let asked = asked(&sources);
    assert!(asked.len() > 150, "the search for keys finds too little: {}", asked.len());
    let missing: Vec<_> = asked.iter().filter(|key| !known.contains_key(*key)).collect();
    assert!(missing.is_empty(), "no such sentences: {missing:?}");
    let unused: Vec<_> = known.keys().filter(|key| !sources.contains(&format!("\"{key}\""))).collect();
    assert!(unused.is_empty(), "nobody says: {unused:?}");
}

/// A key chosen by a `match` stands far from the call that asks for it; its first word gives it away.
#[test]
fn every_text_in_the_code_that_looks_like_a_key_is_one() {
    let known = messages("en");
    let families: BTreeSet<&str> = known.keys().filter_map(|key| Some(key.split_once('-')?.0)).collect();
    let code = texts_under("src/pages/view", "rs");
    let literals = code.split('"').filter(|text| text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'));
    let keys =
        literals.filter(|text| text.split_once('-').is_some_and(|(family, _)| families.contains(family)));
    let wrong: Vec<&str> = keys.filter(|key| !known.contains_key(*key)).collect();
    assert!(wrong.is_empty(), "no such sentences: {wrong:?}");
}
