//! What names an operation outright: its id, its path, or its method and path.

use super::Entry;

/// Larger than any sum of words can be.
const BY_ID: f32 = 10_000.0;
const BY_METHOD_AND_PATH: f32 = 8_000.0;
const BY_PATH: f32 = 6_000.0;

/// The names of operations, by position.
#[derive(Debug, Default)]
pub struct Exact(Vec<Named>);

#[derive(Debug)]
struct Named {
    id: String,
    method: String,
    path: String,
}

impl Exact {
    /// Adds the next operation.
    pub fn add(&mut self, entry: &Entry<'_>) {
        let Entry { id, method, path, .. } = entry;
        self.0.push(Named { id: (*id).to_owned(), method: (*method).to_owned(), path: (*path).to_owned() });
    }

    /// What an operation that the query names counts, whatever its words; `None` if it does not.
    pub fn named(&self, query: &str, at: usize) -> Option<f32> {
        let own = self.0.get(at)?;
        let query = query.trim();
        if query.eq_ignore_ascii_case(&own.id) {
            return Some(BY_ID);
        }
        let (method, path) = match query.split_once(char::is_whitespace) {
            Some((method, path)) => (Some(method), path.trim_start()),
            None => (None, query),
        };
        if !path.starts_with('/') || !fits(path, &own.path) {
            return None;
        }
        match method {
            None => Some(BY_PATH),
            Some(method) if method.eq_ignore_ascii_case(&own.method) => Some(BY_METHOD_AND_PATH),
            Some(_) => None,
        }
    }
}

/// True if a path is the template, or one that the template makes.
fn fits(path: &str, template: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let (mut own, mut of) =
        (path.trim_end_matches('/').split('/'), template.trim_end_matches('/').split('/'));
    loop {
        match (own.next(), of.next()) {
            (None, None) => return true,
            (Some(own), Some(of)) => {
                let stands_for = of.starts_with('{') && of.ends_with('}') && !own.is_empty();
                if own != of && !stands_for {
                    return false;
                }
            }
            _ => return false,
        }
    }
}
