//! An issuer of the company's own: keys, their published set, and tokens.

use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RsaKeyPair};
use serde_json::{Value, json};

use super::worker::by_hand;

/// A key of the issuer's.
pub enum Key {
    Ec(Box<EcdsaKeyPair>, String),
    Rsa(Box<RsaKeyPair>, String),
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Key {
    /// A new key on the curve P-256.
    pub fn ec(id: &str) -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let made = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, made.as_ref(), &random).unwrap();
        Self::Ec(Box::new(pair), id.to_owned())
    }

    /// The one RSA key of the tests.
    pub fn rsa(id: &str) -> Self {
        let pair = RsaKeyPair::from_pkcs8(include_bytes!("rsa-test-key.der")).unwrap();
        Self::Rsa(Box::new(pair), id.to_owned())
    }

    pub fn id(&self) -> &str {
        match self {
            Self::Ec(_, id) | Self::Rsa(_, id) => id,
        }
    }

    pub fn algorithm(&self) -> &'static str {
        match self {
            Self::Ec(..) => "ES256",
            Self::Rsa(..) => "RS256",
        }
    }

    /// The public half, as it is published.
    pub fn public(&self) -> Value {
        match self {
            Self::Ec(pair, id) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({"kty": "EC", "crv": "P-256", "kid": id, "use": "sig", "x": encode(x), "y": encode(y)})
            }
            Self::Rsa(pair, id) => {
                let parts = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({"kty": "RSA", "kid": id, "n": encode(&parts.n), "e": encode(&parts.e)})
            }
        }
    }

    fn signature(&self, message: &[u8], padding: &'static dyn ring::signature::RsaEncoding) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Ec(pair, _) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::Rsa(pair, _) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(padding, &random, message, &mut signature).unwrap();
                signature
            }
        }
    }

    /// Signs claims under exactly this header.
    pub fn sign_as(&self, header: &Value, claims: &Value) -> String {
        let padding: &'static dyn ring::signature::RsaEncoding = if header["alg"] == "PS256" {
            &ring::signature::RSA_PSS_SHA256
        } else {
            &ring::signature::RSA_PKCS1_SHA256
        };
        let message = unsigned(header, claims);
        format!("{message}.{}", encode(&self.signature(message.as_bytes(), padding)))
    }

    pub fn sign(&self, claims: &Value) -> String {
        self.sign_as(&json!({"alg": self.algorithm(), "typ": "JWT", "kid": self.id()}), claims)
    }
}

/// The first two parts of a token.
pub fn unsigned(header: &Value, claims: &Value) -> String {
    format!("{}.{}", encode(header.to_string().as_bytes()), encode(claims.to_string().as_bytes()))
}

/// What the issuer's endpoint does.
pub enum Mood {
    /// Answers with its keys.
    Well,
    /// Answers with this status and body.
    Answers(u16, String),
    /// Says nothing.
    Silent,
    /// Answers with its keys after a while.
    Slow(Duration),
}

struct State {
    keys: Vec<Value>,
    mood: Mood,
    asked: usize,
}

/// The endpoint at which the keys are.
pub struct Issuer {
    pub url: String,
    state: Arc<Mutex<State>>,
}

/// `iss` of its tokens.
pub const ISSUER: &str = "https://id.acme.example/auth/v1";

impl Issuer {
    pub fn with(keys: &[&Key]) -> Self {
        let keys = keys.iter().map(|key| key.public()).collect();
        let state = Arc::new(Mutex::new(State { keys, mood: Mood::Well, asked: 0 }));
        let shared = Arc::clone(&state);
        let url = by_hand(move |_, stream| {
            let (status, body, pause) = {
                let mut state = shared.lock().unwrap();
                state.asked += 1;
                let keys = json!({ "keys": state.keys }).to_string();
                match &state.mood {
                    Mood::Well => (200, keys, Duration::ZERO),
                    Mood::Answers(status, body) => (*status, body.clone(), Duration::ZERO),
                    Mood::Silent => (0, String::new(), Duration::from_secs(6)),
                    Mood::Slow(pause) => (200, keys, *pause),
                }
            };
            std::thread::sleep(pause);
            if status == 0 {
                return;
            }
            let head = format!(
                "HTTP/1.1 {status} Answer\r\nLocation: /elsewhere\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        });
        Self { url, state }
    }

    pub fn publishes(&self, keys: &[&Key]) {
        self.state.lock().unwrap().keys = keys.iter().map(|key| key.public()).collect();
    }

    pub fn is(&self, mood: Mood) {
        self.state.lock().unwrap().mood = mood;
    }

    /// How often it was asked for its keys.
    pub fn asked(&self) -> usize {
        self.state.lock().unwrap().asked
    }
}
