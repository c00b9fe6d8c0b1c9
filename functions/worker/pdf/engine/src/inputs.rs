//! Brings sources to the directory of their call, the only one that the child sees.

use std::io;
use std::path::Path;

use docmill_confine::scratch;
use docmill_domain::job::JobErrorCode;
use docmill_engine::{Failure, Source};
use docmill_formats::Format;

/// Copies a source to `to`. Office documents are only for templates, which have no password.
pub(super) fn place(source: &Source, to: &Path) -> Result<docmill_pdf_request::Source, Failure> {
    match source {
        Source::File(file) => {
            scratch::place(&file.path, to).map_err(unwritable)?;
            Ok(docmill_pdf_request::Source { path: to.to_owned(), ..file.clone() })
        }
        Source::Document { inspection, .. } if inspection.encrypted => {
            Err(Failure::new(JobErrorCode::PasswordRequired, "The document is protected.", "an encrypted template"))
        }
        Source::Document { path, name, format, .. } => {
            scratch::place(path, to).map_err(unwritable)?;
            Ok(docmill_pdf_request::Source {
                name: name.clone(),
                ..docmill_pdf_request::Source::new(to.to_owned(), *format)
            })
        }
        Source::Html { html, name } => {
            std::fs::write(to, html).map_err(unwritable)?;
            Ok(docmill_pdf_request::Source {
                name: name.clone(),
                ..docmill_pdf_request::Source::new(to.to_owned(), Format::Html)
            })
        }
        Source::Page(_) => Err(unconverted()),
    }
}

fn unconverted() -> Failure {
    Failure::internal("a source was not converted before it came to the PDF tools")
}

pub(super) fn unwritable(error: io::Error) -> Failure {
    Failure::internal(format!("no room for results: {error}"))
}
