//! Signed sources, whose signatures no result keeps.

use docmill_domain::job::{JobErrorCode, SIGNATURE_INVALIDATED, Warning};
use docmill_domain::tool::Slug;
use docmill_engine::{Failure, Source};
use docmill_formats::{Container, Format};

use crate::sources::Obtained;

/// The warning that a document is made of a signed office document. `None` if the tool only reads its sources, or draws them.
/// The PDF tools find signatures in PDFs themselves.
pub(super) fn invalidated(sources: &[Obtained], tool: Slug, result: Format) -> Option<Warning> {
    let makes_a_version =
        [Slug::OFFICE_TO_PDF, Slug::CONVERT_OFFICE, Slug::RENDER_TEMPLATE, Slug::MERGE_PDF].contains(&tool);
    let can_be_signed = match result.container() {
        Container::Pdf | Container::Ooxml | Container::Odf => true,
        Container::FlatOdf | Container::Compound | Container::Rtf | Container::PlainText | Container::Binary => false,
    };
    let is_signed =
        |source: &Obtained| matches!(&source.source, Source::Document { inspection, .. } if inspection.signed);
    let message = "A source is signed. The result was made anew, so it is not signed.";
    (makes_a_version && can_be_signed && sources.iter().any(is_signed))
        .then(|| Warning::new(SIGNATURE_INVALIDATED, message))
}

/// Fails a job that is to keep signatures, if a call has ended one. Only then is it known that a file was rewritten: some results are the
/// source as it was.
pub(super) fn refuse_broken(keeps_signatures: bool, warnings: &[Warning], tool: &str) -> Result<(), Failure> {
    if !keeps_signatures || warnings.iter().all(|warning| warning.code != SIGNATURE_INVALIDATED) {
        return Ok(());
    }
    let message = format!(
        "A source is signed, and {tool} would end its signatures. Leave out `output.keepSignatures` if the result need not be \
         signed, or have the result signed instead of the source."
    );
    Err(Failure::new(JobErrorCode::DocumentSigned, message, "a signed source would be rewritten"))
}
