//! What a token says of a person, in the shapes that issuers use.

use serde_json::Value;

use crate::domain::clock::Timestamp;
use crate::domain::scope::ScopeSet;
use crate::domain::user::is_email;

/// Identifiers and names are no longer than this.
const LONGEST: usize = 255;
/// Where scopes are where the operator has not said otherwise, in the order they are looked for.
const USUAL: [&str; 3] = ["scope", "scp", "permissions"];

/// What a good token says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Whom it is about, as the issuer names them.
    pub subject: String,
    /// What to call them.
    pub name: String,
    /// Their address, if the issuer vouches for it.
    pub email: Option<String>,
    /// What it allows here.
    pub scopes: ScopeSet,
    /// When it was issued, if it says so.
    pub issued_at: Option<Timestamp>,
    /// When it ends, with what clocks may differ by.
    pub expires_at: Timestamp,
}

/// A claim by its name, or by the path to it: `realm_access.roles`. Names may have dots in them, so a claim that is
/// called just so comes first.
fn find<'a>(claims: &'a Value, path: &str) -> Option<&'a Value> {
    claims.get(path).or_else(|| path.split('.').try_fold(claims, |value, part| value.get(part)))
}

/// A claim that should be a moment and is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoTime;

/// A moment in seconds, whole or not (RFC 7519 §2).
pub fn time(claims: &Value, name: &str) -> Result<Option<Timestamp>, NoTime> {
    let Some(value) = claims.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let seconds = value.as_f64().filter(|number| (0.0..1e11).contains(number)).ok_or(NoTime)?;
    #[expect(clippy::cast_possible_truncation, reason = "within bounds")]
    let millis = (seconds * 1000.0) as i64;
    Ok(Some(Timestamp::from_millis(millis)))
}

/// Whom a token is about. It goes into a header, so it is one line, and has no space at its ends. Attack: a name that
/// its owner may choose, ` ana`; whoever reads the header takes the space for none of the value (RFC 9110 §5.5) and
/// the caller for `ana`.
pub fn subject(claims: &Value, path: &str) -> Option<String> {
    let text = match find(claims, path)? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let good = (1..=LONGEST).contains(&text.len()) && !text.chars().any(char::is_control);
    (good && text.trim() == text).then_some(text)
}

/// What to call somebody.
pub fn name(claims: &Value) -> Option<String> {
    let usual = ["name", "preferred_username", "email"];
    let found = usual.into_iter().filter_map(|key| claims.get(key)?.as_str());
    let clean = found.map(|text| text.chars().filter(|c| !c.is_control()).take(100).collect::<String>());
    clean.map(|text| text.trim().to_owned()).find(|text| !text.is_empty())
}

/// An address, if the issuer itself says that it is the person's. What a person wrote about themselves, such as
/// `user_metadata`, says nothing.
pub fn verified_email(claims: &Value) -> Option<String> {
    let verified = claims.get("email_verified").and_then(Value::as_bool) == Some(true);
    let email = claims.get("email").and_then(Value::as_str)?;
    (verified && is_email(email)).then(|| email.to_owned())
}

/// What a token allows here: those of its scopes that mean something to the service, or else the assumed ones.
pub fn scopes(claims: &Value, claim: &str, known: &ScopeSet, assumed: &ScopeSet) -> ScopeSet {
    let found = match claim {
        "scope" => USUAL.iter().find_map(|name| claims.get(name).filter(|value| !value.is_null())),
        path => find(claims, path),
    };
    let said = found.map(words).unwrap_or_default();
    let own: ScopeSet = known.iter().filter(|scope| said.contains(scope)).collect();
    if own.is_empty() { assumed.clone() } else { own }
}

fn words(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => text.split_ascii_whitespace().collect(),
        Value::Array(list) => {
            list.iter().filter_map(Value::as_str).flat_map(str::split_ascii_whitespace).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn scopes_of(claims: &Value, claim: &str) -> String {
        let known = ScopeSet::parse("read write openid");
        scopes(claims, claim, &known, &ScopeSet::parse("openid")).to_string()
    }

    #[test]
    fn scopes_in_every_shape() {
        for claims in [
            json!({"scope": "write read other"}),
            json!({"scope": ["read", "write"]}),
            json!({"scope": ["write read"]}),
            json!({"scp": "read write"}),
            json!({"scp": ["read", "write"]}),
            json!({"permissions": ["read", "write", "admin"]}),
            json!({"scope": null, "permissions": ["read", "write"]}),
        ] {
            assert_eq!(scopes_of(&claims, "scope"), "read write", "{claims}");
        }
        let nested = json!({"realm": {"roles": ["read"]}, "https://acme.example/scopes": "write"});
        assert_eq!(scopes_of(&nested, "realm.roles"), "read");
        assert_eq!(scopes_of(&nested, "https://acme.example/scopes"), "write");
        assert_eq!(scopes_of(&json!({"scope": "read", "roles": "write"}), "roles"), "write");
    }

    #[test]
    fn a_token_without_a_scope_of_the_services_has_the_assumed_ones() {
        for claims in [
            json!({}),
            json!({"scope": ""}),
            json!({"scope": "other"}),
            json!({"scope": 7}),
            json!({"scp": {"read": true}}),
        ] {
            assert_eq!(scopes_of(&claims, "scope"), "openid", "{claims}");
        }
        assert_eq!(scopes_of(&json!({"scope": "read", "scp": "write"}), "roles"), "openid");
    }

    #[test]
    fn a_subject_is_one_line_of_text_or_a_number() {
        let of = |value: Value| subject(&json!({ "sub": value }), "sub");
        assert_eq!(of(json!("ana")), Some("ana".into()));
        assert_eq!(of(json!(42)), Some("42".into()));
        for bad in [json!(""), json!(" "), json!("a\nb"), json!(["a"]), json!(null), json!("x".repeat(256))] {
            assert_eq!(of(bad.clone()), None, "{bad}");
        }
        for another in [" ana", "ana ", "\u{a0}ana"] {
            assert_eq!(of(json!(another)), None, "{another:?} is not ana");
        }
        assert_eq!(of(json!("ana maría")), Some("ana maría".into()));
        assert_eq!(subject(&json!({"user": {"id": "u1"}}), "user.id"), Some("u1".into()));
    }

    #[test]
    fn an_address_counts_if_the_issuer_itself_vouches_for_it() {
        let good = json!({"email": "ana@example.com", "email_verified": true});
        assert_eq!(verified_email(&good), Some("ana@example.com".into()));
        for bad in [
            json!({"email": "ana@example.com"}),
            json!({"email": "ana@example.com", "email_verified": "true"}),
            json!({"email": "ana@example.com", "user_metadata": {"email_verified": true}}),
            json!({"email": "ana", "email_verified": true}),
        ] {
            assert_eq!(verified_email(&bad), None, "{bad}");
        }
    }

    #[test]
    fn times_are_seconds_whole_or_not() {
        let of = |value: Value| time(&json!({ "exp": value }), "exp");
        assert_eq!(of(json!(1_700_000_000)), Ok(Some(Timestamp::from_millis(1_700_000_000_000))));
        assert_eq!(of(json!(1.5)), Ok(Some(Timestamp::from_millis(1500))));
        assert_eq!(of(json!(null)), Ok(None));
        for bad in [json!(-1), json!("1700000000"), json!(1e300)] {
            assert_eq!(of(bad.clone()), Err(NoTime), "{bad}");
        }
    }
}
