//! Verifies the signatures of a PDF, and judges what was changed after each. Makes signatures. Reads bytes only: no network, no clock, no
//! files.
//!
//! `file/` reads a PDF as its revisions, strictly. `cms/` verifies signatures, certificates, time stamps and revocation; the
//! cryptography is AWS-LC's, and webpki builds chains. `changes/` compares a signed revision with the final document.
//! `sign/` prepares a file for a signature, and `make/`, which sees no document, makes that.
//! `verdict.rs` says what all that means, in the words of ETSI EN 319 102-1 and in a sentence for people.

#![warn(missing_docs, clippy::missing_errors_doc)]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod changes;
mod cms;
mod fields;
mod file;
pub mod make;
mod report;
mod seal;
pub mod sign;
mod verdict;
mod verify;

use docmill_domain::time::Timestamp;

pub use report::{
    CertificateView, Change, ChangeKind, DocMdp, Indication, Kind, Report, Revocation, Signature, SubIndication,
    TimestampView,
};

/// What a verification needs beside the file.
#[derive(Debug)]
pub struct Options<'o> {
    /// Opens an encrypted file. Empty for files without a password.
    pub password: &'o str,
    /// Certificates that are trusted, as DER. Without any, no signature passes.
    pub roots: &'o [Vec<u8>],
    /// The time to check certificates for, unless a time stamp proves an earlier one.
    pub time: Timestamp,
    /// Whether certificates must not be revoked, by what is in the file.
    pub check_revocation: bool,
}

/// The file is no PDF that can be read, and says nothing of signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(&'static str);

/// Verifies all signatures of a file.
///
/// # Errors
/// If the file can't be read and has no signature. A signature that can't be read has failed.
pub fn verify(bytes: &[u8], options: &Options<'_>) -> Result<Report, Unreadable> {
    verify::all(bytes, options)
}

/// Whether a file has a signature, intact or not. One that can't be read, or not with this password, has one if it has the word for the
/// bytes that a signature covers: that is never compressed or encrypted.
pub fn is_signed(bytes: &[u8], password: &str) -> bool {
    memchr::memmem::find(bytes, b"/ByteRange").is_some() && verify::has_signature(bytes, password)
}

/// The certificates in PEM text, as DER. `None` if the text has no certificate or an unreadable one.
pub fn roots_of(pem: &str) -> Option<Vec<Vec<u8>>> {
    use rustls_pki_types::CertificateDer;
    use rustls_pki_types::pem::PemObject as _;

    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    let found: Vec<Vec<u8>> = found.ok()?.into_iter().map(|der| der.as_ref().to_vec()).collect();
    let all_read = found.iter().all(|der| cms::certificate::Certificate::read(der).is_some());
    (!found.is_empty() && all_read).then_some(found)
}
