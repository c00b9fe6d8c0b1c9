//! Brings the fields of a Word document up to date. A first call makes a copy with marks, which is printed; the next one takes the pages of
//! the marks from that print, as its second source.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Read};

use docmill_formats::Format;
use docmill_package::{Changes, Disk, Error, Limits, Package, Packing};
use docmill_pdf_core::Libraries;
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Outcome, Request, Source, Warning};
use docmill_pdf_structure::assembly::links::named_pages;
use docmill_pdf_structure::open::open;
use docmill_word::fields::{self, Layout, Updated};

const RESULT: &str = "updated.docx";
const MARKED: &str = "marked.docx";
/// How a compound file begins: encrypted documents are packed into one.
const COMPOUND: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/// The names of fields in a warning.
const MOST_NAMED: usize = 10;

/// The result, and what is to be printed if pages are needed.
pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let [source, print @ ..] = request.sources.as_slice() else { return Err(Failure::internal("no document")) };
    let layout = if print.is_empty() { None } else { Some(layout(libraries, request)?) };
    let mut package = opened(source)?;
    let now = jiff::Timestamp::from_millisecond(request.now.0).map_err(|_| Failure::internal("the time"))?;
    let now = now.to_zoned(jiff::tz::TimeZone::UTC).datetime();
    let Updated { changes, marked, left } = fields::update(&mut package, layout.as_ref(), now).map_err(failed)?;
    write(&mut package, changes, Packing::AsBefore, request, RESULT)?;
    let mut artifacts = vec![Artifact::new(RESULT, Format::Docx)];
    if let Some(marked) = marked {
        write(&mut package, marked, Packing::Stored, request, MARKED)?;
        artifacts.push(Artifact::new(MARKED, Format::Docx));
    }
    let warnings = warning(&left).into_iter().collect();
    Ok(Outcome { artifacts, report: None, warnings })
}

fn warning(left: &[String]) -> Option<Warning> {
    let mut named = left.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    if left.len() > MOST_NAMED {
        named.push_str(", …");
    }
    let message = "Some fields could not be computed, and show what they showed before. Word updates them with F9.";
    (!left.is_empty()).then(|| Warning { detail: Some(named), ..Warning::new("fields_not_updated", message) })
}

fn write(
    package: &mut Package<Disk>,
    changes: Changes,
    packing: Packing,
    request: &Request,
    name: &str,
) -> Result<(), Failure> {
    let file = File::create(request.directory.join(name)).map_err(|error| Failure::io(&error))?;
    package.write(changes, packing, BufWriter::new(file)).map_err(failed)?;
    Ok(())
}

fn opened(source: &Source) -> Result<Package<Disk>, Failure> {
    let mut start = Vec::with_capacity(COMPOUND.len());
    let file = File::open(&source.path).map_err(|error| Failure::io(&error))?;
    file.take(COMPOUND.len() as u64).read_to_end(&mut start).map_err(|error| Failure::io(&error))?;
    if start == COMPOUND {
        let message = "This document is protected. Send its password in the option `password`.";
        return Err(Failure::new(ErrorCode::PasswordRequired, message, "an encrypted document"));
    }
    Package::open(&source.path, Limits::CHECKED).map_err(failed)
}

fn failed(error: Error) -> Failure {
    match error {
        Error::Io(error) => Failure::io(&error),
        Error::TooManyParts(_) | Error::TooLarge | Error::TooManyElements => {
            let message =
                "The document has too much content to update its fields. Split it, or leave `updateFields` out.";
            Failure::new(ErrorCode::RenderFailed, message, "a document beyond the limits")
        }
        Error::Broken(_) | Error::Invalid(_) => {
            let message = "The document is damaged. Save it again in Word, and retry.";
            Failure::new(ErrorCode::CorruptDocument, message, "a damaged document")
        }
    }
}

/// The pages of the marks in the print.
fn layout(libraries: &Libraries, request: &Request) -> Result<Layout, Failure> {
    let document = open(libraries, request, 1)?.document;
    let numbers: HashMap<_, _> = document.get_pages().into_iter().map(|(number, id)| (id, number)).collect();
    let mut layout = Layout { pages: u32::try_from(numbers.len()).unwrap_or(u32::MAX), ..Layout::default() };
    for (name, page) in named_pages(&document) {
        if let (Ok(name), Some(number)) = (String::from_utf8(name), numbers.get(&page)) {
            layout.marks.insert(name, number.saturating_sub(1));
        }
    }
    Ok(layout)
}
