//! Ids of webhook endpoints.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::sha256_hex;

const PREFIX: &str = "wh_";
const DIGITS: usize = 32;

/// An endpoint's id. Ids are sorted by time of creation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = "", extend("pattern" = "^wh_[0-9a-f]{32}$")))]
pub struct EndpointId(String);

/// The text has not the form of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the id of a webhook endpoint")]
pub struct NotAnEndpointId;

impl EndpointId {
    /// The id of an endpoint that is being created.
    pub fn new() -> Self {
        Self(format!("{PREFIX}{}", Uuid::now_v7().simple()))
    }

    /// The id of the deliveries to a URL that jobs of this account name. It has its own slots and health, as an endpoint has.
    pub fn of_job_url(account: &str, url: &str) -> Self {
        let digest = sha256_hex(format!("{account} {url}").as_bytes());
        Self(format!("{PREFIX}{}", digest.chars().take(DIGITS).collect::<String>()))
    }

    /// `None` unless the text has the form of an id.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (digits.len() == DIGITS && digits.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// `wh_` and 32 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for EndpointId {
    fn default() -> Self {
        Self::new()
    }
}

impl TryFrom<String> for EndpointId {
    type Error = NotAnEndpointId;

    fn try_from(text: String) -> Result<Self, NotAnEndpointId> {
        Self::parse(&text).ok_or(NotAnEndpointId)
    }
}

impl From<EndpointId> for String {
    fn from(id: EndpointId) -> Self {
        id.0
    }
}

impl fmt::Display for EndpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EndpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_one_form() {
        let id = EndpointId::new();
        assert_eq!(EndpointId::parse(id.as_str()), Some(id.clone()));
        for text in ["", "wh_", "webhooks", &id.as_str()[3..], &id.as_str().to_uppercase(), &format!("{id}0")] {
            assert_eq!(EndpointId::parse(text), None, "{text}");
        }
    }
}
