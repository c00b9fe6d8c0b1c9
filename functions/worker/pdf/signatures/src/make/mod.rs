//! Makes signatures of digests. Reads keys and certificates, and no document.

mod cms;
mod der;
mod evidence;
mod key;
mod pkcs12;
mod remote;
mod timestamp;

pub use cms::{Attributes, fill, signature};
pub use evidence::{Dossier, Inquiry, Missing, NoProof};
pub use key::{Algorithm, BadKey, SigningKey, name_of};
pub use remote::RemoteKey;
pub use timestamp::{BadStamp, Question, Token};
