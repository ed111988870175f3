//! Names for operations that have none.

use std::collections::HashSet;
use std::fmt::Write as _;

use http::Method;
use sha2::{Digest as _, Sha256};

const MAX: usize = 64;

/// A name made of method and path: always the same for the same document, `[A-Za-z0-9_-]{1,64}`, and no other's.
pub(super) fn made(method: &Method, path: &str, taken: &HashSet<String>) -> String {
    let mut stem = method.as_str().to_ascii_lowercase();
    let words = path.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|word| !word.is_empty());
    for word in words {
        stem.push('_');
        stem.push_str(word);
    }
    if stem.len() > MAX {
        let digest = Sha256::digest(path.as_bytes());
        stem.truncate(MAX - 9);
        stem.push('_');
        for byte in digest.iter().take(4) {
            // writing to a String cannot fail
            let _ = write!(stem, "{byte:02x}");
        }
    }
    let mut name = stem.clone();
    for number in 2..=taken.len() + 2 {
        if !taken.contains(&name) {
            break;
        }
        let end = format!("_{number}");
        name = format!("{}{end}", stem.get(..MAX - end.len()).unwrap_or(&stem));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_stable_short_and_single() {
        let mut taken = HashSet::new();
        assert_eq!(made(&Method::GET, "/users/{id}/posts", &taken), "get_users_id_posts");
        assert_eq!(made(&Method::GET, "/", &taken), "get");
        assert_eq!(made(&Method::POST, "/a-b/ñ.json", &taken), "post_a-b_json");
        taken.insert("get_users_id_posts".to_owned());
        assert_eq!(made(&Method::GET, "/users/{id}/posts", &taken), "get_users_id_posts_2");
        let (one, two) = (format!("/{}a", "x".repeat(90)), format!("/{}b", "x".repeat(90)));
        let names = [&one, &two].map(|path| made(&Method::GET, path, &taken));
        assert!(names.iter().all(|name| name.len() == 64) && names[0] != names[1]);
        taken.insert(names[0].clone());
        assert_eq!(made(&Method::GET, &one, &taken).len(), 64);
    }
}
