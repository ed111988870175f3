//! Identifiers as types, so that a grant is never looked up by a user's id.

use std::fmt;
use std::sync::Arc;

use super::entropy::Entropy;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Puts another copy of the same text in the place of this one.
            pub fn share(&mut self, one: impl Fn(&Arc<str>) -> Arc<str>) {
                self.0 = one(&self.0);
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(Arc::from(text))
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(Arc::from(text))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        id!($(#[$doc])* $name);

        impl $name {
            /// A new random identifier (128 bits).
            pub fn generate(entropy: &dyn Entropy) -> Self {
                Self::from(random($prefix, entropy))
            }
        }
    };
}

fn random(prefix: &str, entropy: &dyn Entropy) -> String {
    let mut bytes = [0u8; 16];
    entropy.fill(&mut bytes);
    format!("{prefix}{}", super::secret::base62(&bytes, 22))
}

id!(
    /// A person.
    UserId, "usr_"
);
id!(
    /// What a plan is paid for and what data belongs to.
    WorkspaceId, "wsp_"
);
id!(
    /// One connection: what one consent allowed.
    GrantId, "grt_"
);
id!(
    /// A personal access token's row; not the secret.
    PatId, "tok_"
);
id!(
    /// An authorization request that waits for its decision.
    TransactionId, "txn_"
);
id!(
    /// An operator's credential: admin or introspection key.
    KeyId, "key_"
);
id!(
    /// Agent software: registered dynamically, by metadata document or by the operator.
    ClientId, "cli_"
);
id!(
    /// A protected resource, by its configured `id`.
    ServiceId
);
id!(
    /// A product, by its configured name.
    BrandId
);
id!(
    /// A plan, by its configured name.
    PlanId
);
