//! Errors in a request's body.

use serde::Serialize;

/// An error in a body: its place (a JSON Pointer) and what is expected there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct Breach {
    /// JSON Pointer into the body, or `?` and the name of a query parameter.
    pub path: String,
    /// What is expected there. It never repeats the value.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub message: String,
}

impl Breach {
    /// An error at this place.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }

    /// The same error in a nested value: `/pages` in `/then/0/options` is `/then/0/options/pages`.
    #[must_use]
    pub fn below(self, path: &str) -> Self {
        Self { path: format!("{path}{}", self.path), ..self }
    }
}
