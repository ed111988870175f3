//! The operator's list of redirect URIs, where there is one. The same check at registration and authorization.

/// True if `uri` may be used: anything with an empty list, else an entry's exact string, or its beginning where
/// the entry ends in `*`.
pub fn allows(list: &[String], uri: &str) -> bool {
    list.is_empty()
        || list.iter().any(|entry| match entry.strip_suffix('*') {
            Some(beginning) => uri.starts_with(beginning),
            None => crate::domain::redirect_uri::matches(entry, uri),
        })
}
