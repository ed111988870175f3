//! The company's issuer, as far as a gateway sees it: its keys at a URL, and tokens that it signs.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use portero::domain::clock::Timestamp;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};

use crate::support::worker::by_hand;

/// A key made for these tests, as PKCS#1; ring makes none of this kind.
const RSA: &str = "MIIEowIBAAKCAQEAlICk4aIg4X1yOfVLgORRJf9X6w68Yd+6O4PIg5q0Kqhj9Bj8o3wzBXMdWXtqrbqYxQWucDwrRTw2wpAP5RNp0Q10GWB4tX6wgwTff9HOrdbZ8ytMoiC/PPf4FPq9zKJJd6BdE/w1Fxs9XNAKWL7vLaQ0jMTqW0jYZVW0pCLPrPx9yFfUUeFpe3IujFUK+2XsDqIFnD5hYNAxEAXOtxFurhCXHUqO0lyWEhhRRTVOzPTb4VVWrB7PaPPWlCiN3bY+QrXx4XCYni3sB3+HjPG5NdvsLfvHCS6Ff0rRtbMmGjKcqAsKHUXWvdgQlJiw2SLBksiAJEhHoU4q9voeCNJ8gQIDAQABAoIBAB5uUTtae6XxjLWDRmZigx2H+oZ01dYxoEpfWjjbvCVMrfTgpO7EffkVKpPCZm004mbnX+RodA6DRQ5wMo2lAYdhHCQyIHJCxJ2Io1sgTZvSfgWmXxUPJFk0UD5OVpQHQopUzpYQlfmG77dj+2bNs5oU/t7E4Gh14EA9xJ9o8ck3AX411g04hjdeUgEDfewbGYV5fW3hU/Y24hki03Sp93jYM+Lb9lQBVEezQIVC2nhnJssFRYVHaUHd1K3YwpSvAHgUBOz8LxUNRVMkH1gTNnsEokInQ36bdVAJN20q77gnSksnnDwwBfNYINbYGmqE+GqqDTxcdyUCrZ84W36BjLUCgYEAyyOP7389iFBb0gdHcPnbJJkodIzXvU1i6d61VY6PR4LtoPbt0LG5j+kw1itI7HSTCyA6C8IT+2c3xrNyvBoHZZ5C6sL7Az/yIefUnv7AKesTy4kLmZJCLdNk3v2wkgkE2cODlRPFPjvXehcFe/dj10Fzb++zQqWD8gEKEtEAi10CgYEAuyVjDgeDKlN+YGILqcmh47s9/V1BYw8PUJSTxAUxRkH5dqzeJH8k3EoInIgBRZlxlLSLHX9ntmv50pIL8FdWPhDZ7N2URHplW1/O2bPHP8A4tUamzfX5L+c1pwjiRmMZIxYN8CKFcI0iEmF6fz7nmZUHAXP0hokCskYxy23cR3UCgYEAyBE0V6q3zaNna4mjwQ8z1+3IPFHiwRyQiMnBSoxnbQT0SQ4p1trTaXs/kA99ePSvRcvtn1r8FyTneBmQrNXt5xVhzplOYzr9nIsZi6ZXWHGgQ1usQwobh8qllEHDP3EGh/rZg1+/abXCWQqHajqS6JQbv2kS4lblhtmjNDkIEjkCgYAvG8UodemlkOjh+Cw5bCENQ0fibEQWXGcdgJkFocz6g4b5QaCVjU/JB/XM+UtgqrR1m1DddwGzYNC9GbhZopJ6AyHoRwqYhjrXWnGmSWPhf1CHCSbZ943nagsOZeUXlMByHY4aoYX3g/9Moy8DsuD3vxTJX9fwubJtD9BfBeOKNQKBgEvbslf306R/vIYFZEBGwj63W9mwT5RvJKJGRT+ftF/DjijSjMunOWl+CVht3r+68Fw5+aU/jjpKlg/8MWAFWRx3mw1+JjywywN71aVOjgratr3sSgOHjNyv3xOTxmGALPGBYPaKWUTNH0zlQNDk0EifAsUGFVNnxfhLdC7/Mk2J";

/// An issuer with one key of each kind.
pub struct Issuer {
    /// `iss` of its tokens; its keys are at `/.well-known/jwks.json` below.
    pub url: String,
    ec: EcdsaKeyPair,
    rsa: RsaKeyPair,
}

impl Issuer {
    pub fn start() -> Self {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let ec = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random).unwrap();
        let rsa = RsaKeyPair::from_der(&STANDARD.decode(RSA).unwrap()).unwrap();
        let keys = json!({"keys": [ec_key(&ec), rsa_key(&rsa)]}).to_string();
        let base = by_hand(move |seen, stream| {
            let (status, body) = match seen.path.as_str() {
                "/auth/v1/.well-known/jwks.json" => ("200 OK", keys.as_str()),
                _ => ("404 Not Found", "{}"),
            };
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes());
        });
        Self { url: format!("{base}/auth/v1"), ec, rsa }
    }

    /// The claims of somebody's token that is good for an hour.
    pub fn claims(&self, subject: &str, now: Timestamp) -> Value {
        let now = now.millis() / 1000;
        json!({
            "iss": self.url, "sub": subject, "aud": "authenticated", "exp": now + 3600, "iat": now,
            "role": "authenticated", "aal": "aal1", "session_id": "5f0c7d0e-5b1f-4e0b-9a55-1f3b3b6f1c11",
            "email": format!("{subject}@example.com"), "user_metadata": {"email_verified": true},
            "is_anonymous": false,
        })
    }

    /// A token signed with ES256.
    pub fn token(&self, claims: &Value) -> String {
        let input = input("ES256", "ec", claims);
        let signature = self.ec.sign(&SystemRandom::new(), input.as_bytes()).unwrap();
        format!("{input}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// A token signed with RS256.
    pub fn rsa_token(&self, claims: &Value) -> String {
        let input = input("RS256", "rsa", claims);
        let mut signature = vec![0; self.rsa.public().modulus_len()];
        self.rsa.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), input.as_bytes(), &mut signature).unwrap();
        format!("{input}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

fn input(algorithm: &str, key: &str, claims: &Value) -> String {
    let head = json!({"alg": algorithm, "kid": key, "typ": "JWT"});
    [head.to_string(), claims.to_string()].map(|part| URL_SAFE_NO_PAD.encode(part)).join(".")
}

fn ec_key(pair: &EcdsaKeyPair) -> Value {
    let point = &pair.public_key().as_ref()[1..];
    json!({"kty": "EC", "crv": "P-256", "kid": "ec", "alg": "ES256", "use": "sig", "key_ops": ["verify"],
        "x": URL_SAFE_NO_PAD.encode(&point[..32]), "y": URL_SAFE_NO_PAD.encode(&point[32..])})
}

fn rsa_key(pair: &RsaKeyPair) -> Value {
    let PublicKeyComponents { n, e } = PublicKeyComponents::<Vec<u8>>::from(pair.public());
    json!({"kty": "RSA", "kid": "rsa", "alg": "RS256", "use": "sig", "key_ops": ["verify"],
        "n": URL_SAFE_NO_PAD.encode(n), "e": URL_SAFE_NO_PAD.encode(e)})
}
