//! Keys and rules from the environment of a function.

use docmill_egress::{BadException, EgressPolicy, GuardedClient, SourceExceptions};
use docmill_signing::seal::BadSetting;

use crate::send::Sender;
use crate::sign::SigningKeys;

/// A setting without which a function does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A key is missing or too short.
    #[error(transparent)]
    Key(#[from] BadSetting),
    /// There are exceptions outside local mode.
    #[error("RECEIVER_EXCEPTIONS is only for local mode: LOCAL_MODE is not set")]
    NotLocal,
    /// An exception has the wrong form.
    #[error("RECEIVER_EXCEPTIONS: {0}")]
    Exception(#[from] BadException),
    /// The platform has no trusted certificates, for this reason.
    #[error("no trusted certificates: {0}")]
    Client(String),
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The service's own keys for signatures: `WEBHOOK_SIGNING_KEY`, and `WEBHOOK_SIGNING_KEY_PREVIOUS` while it is being replaced.
///
/// # Errors
/// If one is missing or too short.
pub fn signing_keys() -> Result<SigningKeys, StartError> {
    let current = variable("WEBHOOK_SIGNING_KEY").unwrap_or_default();
    SigningKeys::new(&current, variable("WEBHOOK_SIGNING_KEY_PREVIOUS").as_deref())
        .map_err(|error| BadSetting { name: "WEBHOOK_SIGNING_KEY", error }.into())
}

/// Sends to public addresses, and in local mode also to those of `RECEIVER_EXCEPTIONS`.
///
/// # Errors
/// If an exception has the wrong form or is outside local mode, or the platform has no trusted certificates.
pub fn sender(local_mode: bool) -> Result<Sender, StartError> {
    let exceptions = match variable("RECEIVER_EXCEPTIONS") {
        None => SourceExceptions::default(),
        Some(setting) if local_mode => setting.parse()?,
        Some(_) => return Err(StartError::NotLocal),
    };
    let client = GuardedClient::new(EgressPolicy::new(exceptions));
    Ok(Sender::new(client.map_err(|error| StartError::Client(error.to_string()))?))
}
