//! Attachments of messages as sources.

use std::path::PathBuf;

use docmill_domain::job::JobErrorCode;
use docmill_engine::{Failure, Limits, Source};
use docmill_formats::Format;
use docmill_sniff::Hints;

/// A message's attachment, identified and checked like a source. Pages and Markdown are converted to UTF-8 in place. Blocks.
pub(super) fn attachment(path: PathBuf, name: &str, limits: &Limits) -> Result<Source, Failure> {
    let format = docmill_sniff::attached(&path, Hints { filename: Some(name), ..Hints::default() })?;
    let name = Some(name.to_owned());
    if format.is_office() {
        let inspection = docmill_sniff::check(&path, format, limits)?;
        return Ok(Source::Document { path, name, format, inspection });
    }
    if format == Format::Xml {
        return Err(Failure::new(JobErrorCode::UnsupportedFormat, "It is XML, which has no pages.", "attached XML"));
    }
    if format == Format::Markdown {
        docmill_sniff::markdown_in_place(&path, None)?;
    }
    if format == Format::Html {
        let written = std::fs::write(&path, docmill_sniff::page(&path, None)?);
        written.map_err(|error| Failure::internal(format!("writing an attachment: {error}")))?;
    }
    Ok(Source::File(docmill_pdf_request::Source { name, ..docmill_pdf_request::Source::new(path, format) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_is_not_converted() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "<?xml version='1.0'?><Invoice/>").unwrap();
        let refused = attachment(file.path().to_owned(), "invoice.xml", &Limits::default()).unwrap_err();
        assert_eq!(
            (refused.code, refused.message.as_str()),
            (JobErrorCode::UnsupportedFormat, "It is XML, which has no pages.")
        );
    }
}
