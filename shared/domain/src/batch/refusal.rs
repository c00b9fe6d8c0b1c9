//! Why an item of a batch can't become a job.

use serde::{Deserialize, Serialize};

use crate::breach::Breach;

/// An item that can't become a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct Refusal {
    /// The code that a request for this job would get.
    pub code: String,
    /// What to change.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub message: String,
    /// The mistakes, each with its place.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<RefusedPart>,
}

/// A mistake of an item as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct RefusedPart {
    /// JSON Pointer into the item.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub path: String,
    /// What is expected there.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub message: String,
}

impl From<Breach> for RefusedPart {
    fn from(Breach { path, message }: Breach) -> Self {
        Self { path, message }
    }
}
