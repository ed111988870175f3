//! The operator's list of redirect URIs, where there is one. The same check at registration and authorization.

use crate::domain::redirect_uri;

/// True if `uri` may be used: anything with an empty list, else an entry's exact string, or its beginning where
/// the entry ends in `*`. On loopback the port is free for either kind.
pub fn allows(list: &[String], uri: &str) -> bool {
    list.is_empty()
        || list.iter().any(|entry| match entry.strip_suffix('*') {
            Some(beginning) => {
                uri.starts_with(beginning) || redirect_uri::without_loopback_port(uri).starts_with(beginning)
            }
            None => redirect_uri::matches(entry, uri),
        })
}
