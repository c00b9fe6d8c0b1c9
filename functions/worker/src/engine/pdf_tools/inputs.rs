//! Brings sources to the directory of their call, the only one that the child sees.

use std::io;
use std::path::Path;

use docmill_domain::job::JobErrorCode;
use docmill_formats::Format;

use crate::checker::file;
use crate::engine::{Failure, Source};
use crate::tree;

/// Copies a source to `to`. Office documents are only for templates, which have no password.
pub(super) fn place(source: &Source, to: &Path) -> Result<docmill_pdf_request::Source, Failure> {
    match source {
        Source::File(file) => {
            tree::place(&file.path, to).map_err(unwritable)?;
            Ok(docmill_pdf_request::Source { path: to.to_owned(), ..file.clone() })
        }
        Source::Document { inspection, .. } if inspection.encrypted => {
            Err(Failure::new(JobErrorCode::PasswordRequired, "The document is protected.", "an encrypted template"))
        }
        Source::Document { path, name, format, .. } => {
            tree::place(path, to).map_err(unwritable)?;
            Ok(docmill_pdf_request::Source { name: name.clone(), ..file(to.to_owned(), *format, None) })
        }
        Source::Html { html, name } => {
            std::fs::write(to, html).map_err(unwritable)?;
            Ok(docmill_pdf_request::Source { name: name.clone(), ..file(to.to_owned(), Format::Html, None) })
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
