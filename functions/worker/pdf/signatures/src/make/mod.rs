//! Makes signatures of digests. Reads keys and certificates, and no document.

mod cms;
mod der;
mod key;
mod pkcs12;
mod timestamp;

pub use cms::{Attributes, fill, signature};
pub use key::{Algorithm, BadKey, SigningKey, name_of};
pub use timestamp::{BadStamp, Question, Token};
