//! The tools: each reads its options and says what happens in which order.

use crate::{Engines, ErrorCode, Failure, Outcome, Request, Tool};

/// Hands a request to its tool.
pub(crate) fn run(_engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    match request.tool {
        Tool::MergePdf
        | Tool::SplitPdf
        | Tool::OrganizePdf
        | Tool::CompressPdf
        | Tool::ProtectPdf
        | Tool::UnlockPdf
        | Tool::WatermarkPdf
        | Tool::PdfToImages
        | Tool::Thumbnail
        | Tool::ImagesToPdf
        | Tool::PdfToText
        | Tool::InspectDocument
        | Tool::EditMetadata
        | Tool::FlattenPdf
        | Tool::Verify
        | Tool::MarkTest => Err(Failure::new(
            ErrorCode::Internal,
            "This tool is not available yet.",
            format!("no implementation of {:?}", request.tool),
        )),
    }
}
