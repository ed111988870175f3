//! A map whose keys the configuration made.
//!
//! It is looked up on every call and only ever filled by the operator, so its hash may be a fast one: what an
//! attacker asks for is compared, never kept.

/// A map with a fast hash; not for keys that clients choose.
pub type Table<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;
