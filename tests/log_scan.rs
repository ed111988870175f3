//! No credential in any log: reads what the servers of the black-box suite have logged.
//!
//! Runs after that suite (`scripts/test` sees to it); without its log it fails instead of passing for nothing.

#![cfg(test)]

use std::path::Path;

const TAIL: usize = 49;
const PREFIXES: [&str; 14] = [
    "mico_pat_",
    "mico_oat_",
    "mico_ort_",
    "mico_oac_",
    "met_live_",
    "met_test_",
    "met_oat_",
    "met_ort_",
    "meteor_oac_",
    "portero_ocs_",
    "portero_ses_",
    "portero_int_",
    "portero_adm_",
    "portero_rat_",
];
const WORDS: [&str; 8] = [
    "correct horse battery staple",
    "$argon2id$",
    "s256$",
    "code_verifier=",
    "refresh_token=",
    "Bearer ",
    // how a JWT begins, by the first member of its header
    "eyJhbGci",
    "eyJ0eXAi",
];

fn credential_in(line: &str) -> Option<&str> {
    for prefix in PREFIXES {
        for (at, _) in line.match_indices(prefix) {
            let tail = &line[at + prefix.len()..];
            let length = tail.bytes().take_while(u8::is_ascii_alphanumeric).count();
            // Half a secret is a secret: only a hint's four characters are fine.
            if length > 8 && length <= TAIL {
                return Some(prefix);
            }
        }
    }
    WORDS.into_iter().find(|word| line.contains(word))
}

#[test]
fn the_scan_finds_what_it_looks_for() {
    assert!(credential_in(&format!("x mico_pat_{} y", "a".repeat(49))).is_some());
    assert!(credential_in("Authorization: Bearer x").is_some());
    assert!(credential_in("token=eyJhbGciOiJFUzI1NiJ9.e30.x").is_some());
    assert!(credential_in("mico_pat_…x4Qz /functions/v1/mcp 200").is_none());
}

#[test]
fn no_credential_is_in_any_log_of_the_black_box_suite() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-logs/it.log");
    let log = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; run `cargo test --test it` first", path.display()));
    let lines = log.lines().count();
    assert!(lines > 1000, "only {lines} lines: the black-box suite did not log");
    let found: Vec<String> = log
        .lines()
        .enumerate()
        .filter_map(|(number, line)| Some(format!("line {}: {}", number + 1, credential_in(line)?)))
        .collect();
    assert!(
        found.is_empty(),
        "{} lines of {}: {:?}",
        found.len(),
        path.display(),
        &found[..found.len().min(10)]
    );
}
