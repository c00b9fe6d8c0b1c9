//! `pdf-to-pdfa`: converts a document to PDF/A, or lists the rules that it breaks.

use docmill_pdf_pdfa::Level;
use docmill_pdf_request::{Failure, Outcome, Request};
use docmill_pdf_structure::open_deferring;
use serde::Deserialize;

use super::archive::{self, Archive, OnUnsupported};
use super::options;
use docmill_pdf_core::Libraries;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Options {
    level: Level,
    on_unsupported: OnUnsupported,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let Options { level, on_unsupported }: Options = options(request)?;
    let opened = open_deferring(libraries, request, 0)?.with_sound_streams();
    archive::make(libraries, request, opened, Archive { level, on_unsupported, option: "onUnsupported", schema: None })
}
