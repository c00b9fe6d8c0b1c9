//! What the API sends and takes, as its description says.

mod names;
mod secret;
mod types;

pub use names::*;
pub use secret::Secret;
pub use types::*;

/// Enumerations of names to which the API may add others: `Other` keeps those.
macro_rules! open_enums {
    ($($(#[$documentation:meta])* $name:ident { $($variant:ident = $text:literal,)+ })+) => {$(
        $(#[$documentation])*
        #[non_exhaustive]
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)+
            /// A name that was added later.
            Other(String),
        }

        impl $name {
            /// The name as the API spells it.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Other(name) => name,
                }
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                match name {
                    $($text => Self::$variant,)+
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <String as serde::Deserialize>::deserialize(deserializer).map(|name| Self::from(name.as_str()))
            }
        }
    )+};
}
pub(crate) use open_enums;

impl JobStatus {
    /// Whether the status is final. One that this client does not know is not.
    pub fn has_ended(&self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Canceled | Self::Expired | Self::Deleted => true,
            Self::Queued | Self::Processing | Self::Other(_) => false,
        }
    }
}
