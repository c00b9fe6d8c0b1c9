use openidconnect::{CsrfToken, Nonce, PkceCodeChallenge, PkceCodeVerifier};
use serde::{Deserialize, Serialize};

/// Binds the issuer's response to this browser (`state`), its token to this attempt (`nonce`), and the code to us (`verifier`, of
/// which the issuer knows a digest).
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Handshake {
    state: CsrfToken,
    nonce: Nonce,
    verifier: PkceCodeVerifier,
}

impl Handshake {
    pub(crate) fn new() -> Self {
        let (_challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        Self { state: CsrfToken::new_random(), nonce: Nonce::new_random(), verifier }
    }

    pub(crate) fn state(&self) -> &str {
        self.state.secret()
    }

    pub(crate) fn nonce(&self) -> &Nonce {
        &self.nonce
    }

    pub(crate) fn verifier(&self) -> PkceCodeVerifier {
        PkceCodeVerifier::new(self.verifier.secret().clone())
    }
}

impl Default for Handshake {
    fn default() -> Self {
        Self::new()
    }
}
