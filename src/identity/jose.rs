//! The cryptography behind `jsonwebtoken`: ring, as everywhere else in this program. Only signatures of public keys
//! are checked. There is no HMAC here, so that nobody can pass a public key off as a shared secret, and no `none`.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{
    self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};
use signature_traits::Verifier;

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: no_signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Puts ring behind `jsonwebtoken`. Whoever does it first has done it for all.
pub fn install() {
    let _ = PROVIDER.install_default();
}

/// Nothing is signed through `jsonwebtoken`.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is the library's")]
fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is the library's")]
fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    if algorithm.family() != key.family() {
        return Err(ErrorKind::InvalidAlgorithm.into());
    }
    let rsa: Option<&'static RsaParameters> = match algorithm {
        Algorithm::RS256 => Some(&signature::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Some(&signature::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Some(&signature::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Some(&signature::RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Some(&signature::RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Some(&signature::RSA_PSS_2048_8192_SHA512),
        _ => None,
    };
    let point: Option<&'static dyn VerificationAlgorithm> = match algorithm {
        Algorithm::ES256 => Some(&signature::ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Some(&signature::ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => Some(&signature::ED25519),
        _ => None,
    };
    let how = match (rsa, point) {
        (Some(rsa), _) => How::Rsa(rsa),
        (None, Some(point)) => How::Point(point),
        (None, None) => return Err(ErrorKind::UnsupportedAlgorithm.into()),
    };
    Ok(Box::new(Ring { algorithm: *algorithm, how, key: key.clone() }))
}

enum How {
    Rsa(&'static RsaParameters),
    Point(&'static dyn VerificationAlgorithm),
}

struct Ring {
    algorithm: Algorithm,
    how: How,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for Ring {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature_traits::Error> {
        let outcome = match (&self.how, self.key.kind()) {
            (How::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (How::Point(algorithm), DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(*algorithm, point).verify(message, signature)
            }
            _ => return Err(signature_traits::Error::new()),
        };
        outcome.map_err(|_| signature_traits::Error::new())
    }
}

impl JwtVerifier for Ring {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
