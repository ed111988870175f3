//! What the change log says: that something's authority has ended or altered.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

/// The kind of thing a change touches. Stored as its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// A personal access token: revoked, narrowed, rotated.
    Pat,
    /// A grant: ended.
    Grant,
    /// One access token, by its digest in hexadecimal.
    Access,
    /// A user: locked, deleted, unlocked, password changed.
    User,
    /// A client: disabled, enabled, deleted.
    Client,
    /// A workspace: plan or status.
    Workspace,
    /// A membership, as `user/workspace`.
    Membership,
    /// An introspection key.
    Key,
}

impl ChangeKind {
    const ALL: [Self; 8] = [
        Self::Pat,
        Self::Grant,
        Self::Access,
        Self::User,
        Self::Client,
        Self::Workspace,
        Self::Membership,
        Self::Key,
    ];

    /// The stored label.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Pat => "pat",
            Self::Grant => "grant",
            Self::Access => "access",
            Self::User => "user",
            Self::Client => "client",
            Self::Workspace => "workspace",
            Self::Membership => "membership",
            Self::Key => "key",
        }
    }

    /// The kind of a stored label.
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.label() == label)
    }
}

/// One change of authority.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// What kind of thing.
    pub kind: ChangeKind,
    /// Which one.
    pub id: String,
}

impl Change {
    /// A change of `kind` to `id`.
    pub fn new(kind: ChangeKind, id: impl std::fmt::Display) -> Self {
        Self { kind, id: id.to_string() }
    }

    /// What changes are told apart by in memory, short because there are several to each remembered token. Two that
    /// share one drop a remembered thing too many, and never keep one.
    pub fn fingerprint(&self) -> u32 {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(self).to_le_bytes();
        let [a, b, c, d, ..] = hash;
        u32::from_le_bytes([a, b, c, d])
    }
}
