//! Signed sources, whose signatures end when a tool rewrites the file.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _};
use std::path::Path;

use docmill_domain::job::SIGNATURE_INVALIDATED;
use docmill_formats::Format;
use docmill_pdf_core::mentions::mentions;
use docmill_pdf_request::{Artifact, Failure, Outcome, Request, Source, Tool, Warning};
use docmill_pdf_signatures::is_signed;

/// The warning that a signed source was rewritten. `None` if the result is no PDF, or keeps each signed source as it is.
pub(super) fn invalidated(request: &Request, outcome: &Outcome) -> Result<Option<Warning>, Failure> {
    for source in rewritten(request).iter().filter(|source| source.media == Format::Pdf) {
        if is_broken(request, source, &outcome.artifacts).map_err(|error| Failure::io(&error))? {
            let message = "A source is signed. The result was changed, so it is no longer signed.";
            return Ok(Some(Warning::new(SIGNATURE_INVALIDATED, message)));
        }
    }
    Ok(None)
}

/// The sources that the result is a new version of. Others are only looked at, drawn or attached.
fn rewritten(request: &Request) -> &[Source] {
    if request.tool == Tool::MergePdf {
        return &request.sources;
    }
    let makes_its_own = request.tool == Tool::CompareDocuments || request.tool == Tool::Verify;
    request.sources.get(..1).filter(|_| !makes_its_own).unwrap_or_default()
}

/// Looks at the source only if a result is not the source, with or without something after it.
fn is_broken(request: &Request, source: &Source, results: &[Artifact]) -> io::Result<bool> {
    for result in results.iter().filter(|result| result.media == Format::Pdf) {
        if !begins_with(&request.directory.join(&result.file), &source.path)? {
            // Most files are not signed, and some are large.
            return Ok(mentions(&File::open(&source.path)?, &[b"/ByteRange"])?
                && is_signed(&fs::read(&source.path)?, source.password.as_deref().unwrap_or_default()));
        }
    }
    Ok(false)
}

/// Whether a file begins with everything that another one has.
fn begins_with(file: &Path, start: &Path) -> io::Result<bool> {
    let (file, start) = (File::open(file)?, File::open(start)?);
    if file.metadata()?.len() < start.metadata()?.len() {
        return Ok(false);
    }
    let mut bytes = BufReader::new(file).bytes();
    for byte in BufReader::new(start).bytes() {
        match (byte?, bytes.next().transpose()?) {
            (wanted, Some(found)) if wanted == found => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}
