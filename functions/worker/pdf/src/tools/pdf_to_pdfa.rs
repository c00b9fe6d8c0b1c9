//! `pdf-to-pdfa`: converts a document to PDF/A, or lists the rules that it breaks.

use serde::Deserialize;

use super::archive::{self, Archive, OnUnsupported};
use super::options;
use crate::pdfa::Level;
use crate::structure::open_deferring;
use crate::{Engines, Failure, Outcome, Request};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Options {
    level: Level,
    on_unsupported: OnUnsupported,
}

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let Options { level, on_unsupported }: Options = options(request)?;
    let opened = open_deferring(engines, request, 0)?;
    archive::make(engines, request, opened, Archive { level, on_unsupported, option: "onUnsupported", schema: None })
}
