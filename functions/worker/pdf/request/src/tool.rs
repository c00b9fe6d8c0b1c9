//! The operations of this crate, by the names that the catalogue gives them.

use serde::{Deserialize, Serialize};

/// An operation. Serialises as its slug in the catalogue of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the catalogue describes the tool of the same name")]
pub enum Tool {
    MergePdf,
    SplitPdf,
    OrganizePdf,
    CompressPdf,
    ProtectPdf,
    UnlockPdf,
    WatermarkPdf,
    PdfToImages,
    Thumbnail,
    ImagesToPdf,
    PdfToText,
    PdfToOffice,
    ExtractDocument,
    InspectDocument,
    VerifySignatures,
    SignPdf,
    ValidateInvoice,
    ReadInvoice,
    CheckAccessibility,
    EditMetadata,
    FlattenPdf,
    FillForm,
    OcrPdf,
    PdfToPdfa,
    TagPdf,
    CompareDocuments,
    RedactPdf,
    RenderTemplate,
    /// Not in the catalogue: makes the page that markdown-to-pdf prints.
    RenderMarkdown,
    /// Not in the catalogue: makes the page that email-to-pdf prints.
    RenderEmail,
    /// Not in the catalogue: brings the fields of a Word document up to date.
    UpdateFields,
    /// Not in the catalogue: puts what proves that its certificates were good into a signed file.
    KeepEvidence,
    /// Not in the catalogue: checks a result of any engine, and counts its pages.
    Verify,
    /// Not in the catalogue: marks every page of a test job's result.
    MarkTest,
}
