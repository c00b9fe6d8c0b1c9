//! Keys and rules from the environment of a function.

use docmill_egress::{BadException, EgressPolicy, GuardedClient, SourceExceptions};
use docmill_signing::seal::BadSetting;

use crate::send::Sender;
use crate::sign::SigningKeys;

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Key(#[from] BadSetting),
    #[error("RECEIVER_EXCEPTIONS is only for local mode: LOCAL_MODE is not set")]
    NotLocal,
    #[error("RECEIVER_EXCEPTIONS: {0}")]
    Exception(#[from] BadException),
    #[error("no trusted certificates: {0}")]
    Client(String),
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The service's own keys for signatures: `WEBHOOK_SIGNING_KEY`, and `WEBHOOK_SIGNING_KEY_PREVIOUS` while it is being replaced.
pub fn signing_keys() -> Result<SigningKeys, StartError> {
    let current = variable("WEBHOOK_SIGNING_KEY").unwrap_or_default();
    SigningKeys::new(&current, variable("WEBHOOK_SIGNING_KEY_PREVIOUS").as_deref())
        .map_err(|error| BadSetting { name: "WEBHOOK_SIGNING_KEY", error }.into())
}

/// Sends to public addresses, and in local mode also to those of `RECEIVER_EXCEPTIONS`.
pub fn sender(local_mode: bool) -> Result<Sender, StartError> {
    let exceptions = match variable("RECEIVER_EXCEPTIONS") {
        None => SourceExceptions::default(),
        Some(setting) if local_mode => setting.parse()?,
        Some(_) => return Err(StartError::NotLocal),
    };
    let client = GuardedClient::new(EgressPolicy::new(exceptions));
    Ok(Sender::new(client.map_err(|error| StartError::Client(error.to_string()))?))
}
