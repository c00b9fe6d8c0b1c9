//! flatten-pdf: makes the appearance of fields, annotations and layers part of the pages.

use std::path::Path;

use docmill_domain::counted;
use docmill_pdf_core::pages;
use docmill_pdf_request::{Failure, Outcome, Request, Warning};
use docmill_pdf_structure::assembly::{Assembled, Source};
use docmill_pdf_structure::flatten::{self, Annotations, Flattened, What};
use docmill_pdf_structure::{Assembly, open_deferring, visible};
use serde::Deserialize;

use super::{options, pdf};
use docmill_pdf_core::Libraries;

const RESULT: &str = "result.pdf";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    annotations: bool,
    forms: bool,
    layers: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { annotations: true, forms: true, layers: false }
    }
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = options(request)?;
    let annotations = if options.annotations { Annotations::All } else { Annotations::None };
    let what = What { annotations, forms: options.forms };
    let layers = if options.layers { Layers::Drawn } else { Layers::Stay };
    let (assembled, warnings) = flattened(libraries, request, what, layers, &request.directory.join(RESULT))?;
    Ok(Outcome { artifacts: vec![pdf(RESULT, assembled.pages)], report: None, warnings })
}

/// Writes a copy of the first source in which the text of fields and annotations is content of the pages.
pub(super) fn draw_texts(libraries: &Libraries, request: &Request, path: &Path) -> Result<(), Failure> {
    let what = What { annotations: Annotations::Texts, forms: true };
    flattened(libraries, request, what, Layers::Stay, path).map(drop)
}

/// What becomes of layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layers {
    Stay,
    Drawn,
}

fn flattened(
    libraries: &Libraries,
    request: &Request,
    what: What,
    layers: Layers,
    path: &Path,
) -> Result<(Assembled, Vec<Warning>), Failure> {
    let opened = open_deferring(libraries, request, 0)?.without_claim();
    let mut warnings = opened.warnings;
    let mut document = opened.document;
    let tree = pages::read(&mut document, request.limits.pages)?;
    // Remove hidden annotations with their layers before drawing the others.
    if layers == Layers::Drawn {
        visible::flatten_layers(&mut document, &tree.pages)?;
    }
    let Flattened { kept, missing } = flatten::flatten(&mut document, &tree.pages, what, libraries.fonts())?;
    warnings.extend(missing.warning());
    if kept > 0 {
        warnings.push(Warning::new(
            "annotations_kept",
            format!("Left as they are, since they have no appearance: {}.", counted(kept as u64, "annotation")),
        ));
    }
    let mut source = Source::read(document, request.limits.pages)?.deferring(opened.held);
    let mut assembled = Assembly::whole(path, &request.limits, &mut source)?;
    warnings.append(&mut assembled.warnings);
    Ok((assembled, warnings))
}
