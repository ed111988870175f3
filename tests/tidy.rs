//! The architecture as a test: who may import whom, how long things may be, where crates may appear.

#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use walkdir::WalkDir;

/// Modules from the bottom up; those of one rank do not know each other.
const RANKS: [&[&str]; 13] = [
    &["domain"],
    &["config", "mcp", "openapi"],
    &["telemetry"],
    &["store", "cluster", "upstream"],
    &["identity"],
    &["app"],
    &["http"],
    &["oauth", "gateway", "admin"],
    &["pages"],
    &["routes", "jobs"],
    &["server"],
    &["demo"],
    &["cli"],
];

/// Crates and where they may be named.
const CRATES: [(&str, &[&str]); 7] = [
    ("actix_web", &["http", "oauth", "gateway", "admin", "pages", "routes", "server", "demo", "cli"]),
    ("sqlx", &["store"]),
    ("redis", &["cluster/redis.rs"]),
    ("oxide_auth", &["oauth/engine.rs"]),
    ("hyper_util", &["upstream"]),
    ("jsonwebtoken", &["identity"]),
    ("p256", &["identity/signing.rs"]),
];

const ONE_SCREEN: [&str; 5] =
    ["routes.rs", "http/edge.rs", "gateway/mod.rs", "oauth/authorize/mod.rs", "oauth/token/mod.rs"];

const FILE_LINES: usize = 400;
const SCREEN_LINES: usize = 150;
const FUNCTION_LINES: usize = 60;
const PARAMETERS: usize = 6;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn sources(folder: &str) -> Vec<(String, String)> {
    let base = root().join(folder);
    let mut files: Vec<_> = WalkDir::new(&base)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "rs"))
        .map(|entry| {
            let name = entry.path().strip_prefix(&base).unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no sources under {folder}");
    files
}

fn rank(module: &str) -> Option<usize> {
    RANKS.iter().position(|rank| rank.contains(&module))
}

fn module(file: &str) -> &str {
    file.split(['/', '.']).next().unwrap()
}

/// Lines with code on them, without those of `mod tests`.
fn code_lines(text: &str) -> usize {
    let production = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
    production.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

fn production(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn is_test_file(file: &str) -> bool {
    file.ends_with("tests.rs") || file.contains("/tests/")
}

fn report(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn imports_go_only_downwards() {
    let mut faults = Vec::new();
    for (file, text) in sources("src") {
        let own = module(&file);
        if own == "main" || own == "lib" || is_test_file(&file) {
            continue;
        }
        let Some(own_rank) = rank(own) else {
            faults.push(format!("{file}: `{own}` has no rank in tests/tidy.rs"));
            continue;
        };
        for found in production(&text).split("crate::").skip(1) {
            let other: String = found.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if other == own || other.is_empty() {
                continue;
            }
            match rank(&other) {
                Some(other_rank) if other_rank < own_rank => {}
                Some(_) => faults.push(format!("{file}: imports `{other}`, which is not below `{own}`")),
                None => faults.push(format!("{file}: imports `crate::{other}`, which has no rank")),
            }
        }
    }
    report(&faults);
}

#[test]
fn crates_stay_behind_their_doors() {
    let mut faults = Vec::new();
    for (file, text) in sources("src") {
        if is_test_file(&file) {
            continue;
        }
        let text = production(&text);
        for (name, doors) in CRATES {
            let allowed = doors.iter().any(|door| file == *door || module(&file) == *door);
            if !allowed && (text.contains(&format!("{name}::")) || text.contains(&format!("use {name}"))) {
                faults.push(format!("{file}: names `{name}`, which belongs in {doors:?}"));
            }
        }
    }
    report(&faults);
}

#[test]
fn files_fit_their_size() {
    let mut faults = Vec::new();
    for (file, text) in sources("src") {
        let screen = ONE_SCREEN.contains(&file.as_str());
        let limit = if screen { SCREEN_LINES } else { FILE_LINES };
        // the names of the modules beside it are a table of contents, and not what is to be taken in at once
        let listed =
            text.lines().filter(|line| line.starts_with("mod ") || line.starts_with("pub mod ")).count();
        let lines = code_lines(&text) - if screen { listed } else { 0 };
        if lines > limit {
            faults.push(format!("{file}: {lines} lines of code, at most {limit}"));
        }
    }
    report(&faults);
}

struct Functions {
    file: String,
    faults: Vec<String>,
}

impl Functions {
    fn check(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let lines = block.span().end().line - signature.span().start().line + 1;
        if lines > FUNCTION_LINES {
            self.faults.push(format!(
                "{}: `{}` has {lines} lines, at most {FUNCTION_LINES}",
                self.file, signature.ident
            ));
        }
        if signature.inputs.len() > PARAMETERS {
            self.faults.push(format!(
                "{}: `{}` has {} parameters, at most {PARAMETERS}",
                self.file,
                signature.ident,
                signature.inputs.len()
            ));
        }
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.check(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.check(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }
}

#[test]
fn functions_fit_their_size() {
    let mut faults = Vec::new();
    for (file, text) in sources("src") {
        if is_test_file(&file) {
            continue;
        }
        let mut functions = Functions { file: file.clone(), faults: Vec::new() };
        functions.visit_file(&syn::parse_file(&text).unwrap_or_else(|error| panic!("{file}: {error}")));
        faults.append(&mut functions.faults);
    }
    report(&faults);
}

#[test]
fn nothing_unfinished_is_left() {
    let mut faults = Vec::new();
    for folder in ["src", "tests", "examples"] {
        for (file, text) in sources(folder) {
            if file == "tidy.rs" {
                continue;
            }
            for word in ["FIXME", "TODO", "XXX", "#[ignore", "todo!(", "unimplemented!("] {
                if text.contains(word) {
                    faults.push(format!("{folder}/{file}: `{word}`"));
                }
            }
        }
    }
    report(&faults);
}

#[test]
fn migrations_have_the_same_numbers_on_both_databases() {
    let names = |dialect: &str| {
        let mut names: Vec<_> = fs::read_dir(root().join("migrations").join(dialect))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names("sqlite"), names("postgres"));
}
