//! What is reported, as it is sent.

use serde::Serialize;

/// The result of a verification.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
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
    #[serde(rename = "type")]
    pub kind: Kind,
    pub indication: Indication,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_indication: Option<SubIndication>,
    /// The result in one sentence, for people.
    pub sentence: String,
    /// Whether the signed bytes and the signature are unchanged, whoever signed.
    pub intact: bool,
    pub sub_filter: Option<String>,
    pub digest_algorithm: Option<&'static str>,
    pub signature_algorithm: Option<String>,
    pub byte_range: Vec<i64>,
    /// Which revision of the file it signs, counted from 1.
    pub revision: Option<usize>,
    pub covers_whole_document: bool,
    pub signer: Option<CertificateView>,
    /// From the signer's certificate to the root, if the root is trusted; otherwise only what is known.
    pub chain: Vec<CertificateView>,
    pub trusted: bool,
    /// What the signer claims.
    pub signing_time: Option<String>,
    /// The time that the certificates were checked for.
    pub validation_time: String,
    pub timestamp: Option<TimestampView>,
    pub revocation: Revocation,
    pub level: Option<&'static str>,
    pub doc_mdp: Option<DocMdp>,
    /// Names of fields that it locks; `*` for all.
    pub locked_fields: Vec<String>,
    pub changes_after: Vec<Change>,
    pub name: Option<String>,
    pub reason: Option<String>,
    pub location: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Signature,
    Timestamp,
}

/// The indications of ETSI EN 319 102-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
pub enum Indication {
    TotalPassed,
    Indeterminate,
    TotalFailed,
}

/// The sub-indications of ETSI EN 319 102-1 that occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SubIndication {
    FormatFailure,
    HashFailure,
    SigCryptoFailure,
    SigConstraintsFailure,
    CryptoConstraintsFailure,
    ChainConstraintsFailure,
    CertificateChainGeneralFailure,
    NoSigningCertificateFound,
    NoCertificateChainFound,
    OutOfBoundsNoPoe,
    RevokedNoPoe,
    TryLater,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CertificateView {
    pub subject: String,
    pub issuer: String,
    /// In hexadecimal digits.
    pub serial_number: String,
    pub not_before: String,
    pub not_after: String,
    /// Of the whole certificate, in hexadecimal digits.
    pub sha256: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TimestampView {
    pub time: String,
    pub authority: Option<String>,
    pub intact: bool,
    pub trusted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Revocation {
    NotChecked,
    Good,
    Revoked,
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
    pub kind: ChangeKind,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    FormFilled,
    SignatureAdded,
    TimestampAdded,
    DssAdded,
    MetadataChanged,
    FieldAdded,
    FieldChanged,
    FormChanged,
    AnnotationsChanged,
    PagesChanged,
    ContentChanged,
    CatalogChanged,
    SignatureChanged,
    EncryptionChanged,
    ObjectChanged,
    UnknownData,
}
