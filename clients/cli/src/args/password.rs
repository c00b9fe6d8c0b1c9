//! The password of protected sources, for the verbs that choose the tool themselves.

use std::fmt;

use serde_json::{Value, json};

use super::value;

#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// As any option's value: `@FILE` stands for the file's content, and `@-` for standard input.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        value::resolve(text).map(Self)
    }

    #[cfg(test)]
    pub fn of(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub fn to_value(&self) -> Value {
        json!(self.0)
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Password(…)")
    }
}
