//! Signatures without the PDF around them: CMS, certificates, time stamps, revocation.

pub(crate) mod asn1;
pub(crate) mod certificate;
pub(crate) mod check;
pub(crate) mod keys;
pub(crate) mod links;
pub(crate) mod revocation;
pub(crate) mod signed;
pub(crate) mod stamp;
pub(crate) mod time;
