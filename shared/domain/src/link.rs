//! Signed links as their owner reads them.

use std::fmt;

use serde::Serialize;

/// A signed link that is sent to its owner. It is a secret.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(inline, with = "String", description = "", extend("format" = "uri"))
)]
pub struct SentLink(pub String);

impl fmt::Debug for SentLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SentLink")
    }
}
