//! Stands in for the login of a company that has one already: publishes the key of its tokens, and makes one.

use std::io;
use std::net::TcpListener;

use actix_web::{App, HttpResponse, HttpServer, web};
use serde_json::{Value, json};

use super::examples::OWNER;
use crate::app::Doors;
use crate::domain::clock::Timestamp;
use crate::domain::entropy;
use crate::identity::signing::SigningKey;

/// Who issues. Nobody is there: whatever needs the issuer itself is beyond a demo.
pub const ISSUER: &str = "https://issuer.example";
/// Where the key is, on the listener.
pub const JWKS: &str = "/jwks.json";
const DAY: i64 = 24 * 60 * 60;

/// The issuer of one start of the demo.
pub struct Issuer {
    key: SigningKey,
}

impl Issuer {
    /// With a key of its own; none if none can be made.
    pub fn new(doors: &Doors) -> Option<Self> {
        let secret = entropy::bytes::<32>(&*doors.entropy);
        Some(Self { key: SigningKey::derive("demo", &secret)? })
    }

    /// A token of the owner's for an audience, good for a day.
    pub fn token(&self, now: Timestamp, audience: &str) -> Option<String> {
        let now = now.millis() / 1000;
        let claims = json!({"iss": ISSUER, "sub": OWNER, "aud": audience, "iat": now, "exp": now + DAY});
        self.key.sign(claims.to_string().as_bytes())
    }

    /// The key's public half as it is published (RFC 7517 §5).
    pub fn published(&self) -> Value {
        json!({"keys": [self.key.public()]})
    }
}

/// Publishes a key set until the future is dropped.
pub async fn serve(keys: Value, listener: TcpListener) -> io::Result<()> {
    let app = move || {
        let keys = keys.clone();
        let answer = move || std::future::ready(HttpResponse::Ok().json(&keys));
        App::new().route(JWKS, web::get().to(answer))
    };
    HttpServer::new(app).workers(1).disable_signals().listen(listener)?.run().await
}
