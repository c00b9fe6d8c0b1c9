//! What is reported, as it is sent.

use serde::Serialize;

/// The result of a verification.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// In the order in which they were made, as far as it can be told.
    pub signatures: Vec<Signature>,
    /// How many times the file was saved, as far as it still tells.
    pub revisions: usize,
}

/// One signature, or one time stamp of the document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Signature {
    /// The name of its field.
    pub field: Option<String>,
    /// A person's signature, or a time stamp of the document.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// What programs go by.
    pub indication: Indication,
    /// Why it has not passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_indication: Option<SubIndication>,
    /// The result in one sentence, for people.
    pub sentence: String,
    /// Whether the signed bytes and the signature are unchanged, whoever signed.
    pub intact: bool,
    /// The form of the signature, as it says: `ETSI.CAdES.detached`, for example.
    pub sub_filter: Option<String>,
    /// Of the signed bytes. `None` if it is not known here, or the signature can't be read.
    pub digest_algorithm: Option<&'static str>,
    /// What the signature was made by.
    pub signature_algorithm: Option<String>,
    /// The signed parts as pairs of offset and length, in bytes.
    pub byte_range: Vec<i64>,
    /// Which revision of the file it signs, counted from 1.
    pub revision: Option<usize>,
    /// Whether nothing was added after it.
    pub covers_whole_document: bool,
    /// The certificate of who signed. `None` if the signature has none.
    pub signer: Option<CertificateView>,
    /// From the signer's certificate to the root, if the root is trusted; otherwise only what is known.
    pub chain: Vec<CertificateView>,
    /// Whether a trusted root vouches for the signer.
    pub trusted: bool,
    /// What the signer claims.
    pub signing_time: Option<String>,
    /// The time that the certificates were checked for.
    pub validation_time: String,
    /// When it was signed at the latest, if an authority says so.
    pub timestamp: Option<TimestampView>,
    /// Of the certificates in the chain.
    pub revocation: Revocation,
    /// The level of a PAdES baseline signature: `B-B`, `B-T`, `B-LT` or `B-LTA`. `None` for other signatures.
    pub level: Option<&'static str>,
    /// Only of a certifying signature.
    pub doc_mdp: Option<DocMdp>,
    /// Names of fields that it locks; `*` for all.
    pub locked_fields: Vec<String>,
    /// How the final document differs from the signed one.
    pub changes_after: Vec<Change>,
    /// Who signed, as the signer claims.
    pub name: Option<String>,
    /// Why, as the signer claims.
    pub reason: Option<String>,
    /// Where, as the signer claims.
    pub location: Option<String>,
}

/// What was signed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A person or an organization vouches for the document.
    Signature,
    /// An authority vouches that the document existed at that time.
    Timestamp,
}

/// The indications of ETSI EN 319 102-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
pub enum Indication {
    /// Intact, trusted, and nothing was changed that it does not allow.
    TotalPassed,
    /// Intact, but something can't be told.
    Indeterminate,
    /// Broken, or the document was changed.
    TotalFailed,
}

/// The sub-indications of ETSI EN 319 102-1 that occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SubIndication {
    /// It can't be read, or the document was changed after it.
    FormatFailure,
    /// The signed bytes were changed.
    HashFailure,
    /// The key of the certificate has not made the signature.
    SigCryptoFailure,
    /// It lacks something, or something was added to the document that may hide a change.
    SigConstraintsFailure,
    /// Its algorithms are too weak.
    CryptoConstraintsFailure,
    /// A certificate of the chain does not allow to sign.
    ChainConstraintsFailure,
    /// A certificate of the chain can't be used.
    CertificateChainGeneralFailure,
    /// The certificate of the signer is missing, or another one is meant.
    NoSigningCertificateFound,
    /// No trusted root vouches for the signer.
    NoCertificateChainFound,
    /// A certificate was not valid at the time that is proven.
    OutOfBoundsNoPoe,
    /// A certificate was revoked, and nothing proves that it was signed before.
    RevokedNoPoe,
    /// The file does not say whether certificates were revoked.
    TryLater,
}

/// A certificate, as far as people look at it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CertificateView {
    /// Whose it is: a distinguished name as text.
    pub subject: String,
    /// Who vouches for that: a distinguished name as text.
    pub issuer: String,
    /// In hexadecimal digits.
    pub serial_number: String,
    /// Since when it is valid, as RFC 3339.
    pub not_before: String,
    /// Until when it is valid, as RFC 3339.
    pub not_after: String,
    /// Of the whole certificate, in hexadecimal digits.
    pub sha256: String,
}

/// A time stamp of a signature or a document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TimestampView {
    /// As RFC 3339.
    pub time: String,
    /// The name of who vouches for it.
    pub authority: Option<String>,
    /// Whether it is one of this signature.
    pub intact: bool,
    /// Whether a trusted root vouches for the authority.
    pub trusted: bool,
}

/// Whether certificates were revoked, by what is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Revocation {
    /// Nobody asked.
    NotChecked,
    /// None was revoked.
    Good,
    /// One was revoked.
    Revoked,
    /// The file does not say it of all.
    Unknown,
}

/// What a certifying signature allows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DocMdp {
    /// 1: no changes, 2: forms and signatures, 3: annotations, too.
    pub permission: u8,
}

/// One thing that is different in the final document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// What is different.
    pub kind: ChangeKind,
    /// Whether the signature, or the certifying one, allows it.
    pub allowed: bool,
    /// The name of a field, or the number of a page or an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Why, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// It does not prove a forgery, but may hide one.
    #[serde(skip)]
    pub is_unclear: bool,
}

/// What can differ after a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A field has another value.
    FormFilled,
    /// There is another signature.
    SignatureAdded,
    /// There is another time stamp.
    TimestampAdded,
    /// Certificates and answers about revocation were added (DSS).
    DssAdded,
    /// Title, dates and other metadata.
    MetadataChanged,
    /// The form has another field.
    FieldAdded,
    /// A field was changed, and not only filled in.
    FieldChanged,
    /// The form as a whole.
    FormChanged,
    /// Notes, stamps and the like.
    AnnotationsChanged,
    /// Pages were added, removed or moved.
    PagesChanged,
    /// What a page shows.
    ContentChanged,
    /// The document's root.
    CatalogChanged,
    /// A signature was replaced or removed.
    SignatureChanged,
    /// The protection.
    EncryptionChanged,
    /// An object of which the purpose is not known.
    ObjectChanged,
    /// What follows the signed part can't be read.
    UnknownData,
}
