//! watermark-pdf: puts text, pictures, pages and codes on pages, also page numbers, headers and Bates numbers.

mod fields;
mod marks;
mod options;
mod place;

use std::collections::{BTreeMap, HashMap};

use lopdf::{Document, ObjectId};

use self::marks::Maker;
use self::options::{Options, Stamp};
use super::{options, page_indices, pdf};
use crate::structure::assembly::Source;
use crate::structure::overlay::{self, Drawing, Layer, Role};
use crate::structure::pages::{self, Rectangle};
use crate::structure::{Assembly, open_deferring};
use crate::{Engines, ErrorCode, Failure, Outcome, Request};

const RESULT: &str = "result.pdf";

/// What to draw over and under each page, by its index.
type Drawings = BTreeMap<u32, [Vec<Drawing>; 2]>;

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let stamps = options::<Options>(request)?.stamps(request)?;
    let opened = open_deferring(engines, request, 0)?.without_claim();
    let mut warnings = opened.warnings;
    let mut source = Source::read(opened.document, request.limits.pages)?.deferring(opened.held);
    let (mut maker, mut drawings) = (Maker::new(engines, request), Drawings::new());
    for stamp in &stamps {
        let option = format!("{}pages", stamp.path);
        let chosen = page_indices(stamp.look.pages.as_deref(), &option, source.pages.len(), request.limits.pages)?;
        add(&mut maker, stamp, &mut source, &chosen, &mut drawings)?;
    }
    warnings.append(&mut maker.warnings);
    for (index, [over, under]) in drawings {
        let Some(page) = source.pages.get(index as usize).copied() else { continue };
        for (drawings, layer) in [(under, Layer::Under), (over, Layer::Over)] {
            if !drawings.is_empty() {
                overlay::draw(&mut source.document, page, &drawings, layer, Role::Artifact);
            }
        }
    }
    let assembled = Assembly::whole(&request.directory.join(RESULT), &request.limits, &mut source)?;
    warnings.extend(assembled.warnings);
    Ok(Outcome { artifacts: vec![pdf(RESULT, assembled.pages)], report: None, warnings })
}

fn refuse(message: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::RenderFailed, message, "watermark: options do not fit together")
}

/// Adds a stamp to the drawings of the chosen pages.
fn add(
    maker: &mut Maker<'_>,
    stamp: &Stamp,
    source: &mut Source,
    chosen: &[u32],
    drawings: &mut Drawings,
) -> Result<(), Failure> {
    let marks = maker.marks(stamp, source, chosen)?;
    let mut translucent = HashMap::new();
    for (index, mark) in chosen.iter().zip(marks) {
        let (Some(mark), Some(page)) = (mark, source.pages.get(*index as usize)) else { continue };
        let Ok(dictionary) = source.document.get_dictionary(*page) else { continue };
        let visible = pages::visible_box(&source.document, dictionary);
        let rotation = pages::rotation(&source.document, dictionary);
        let form = if stamp.look.opacity < 1.0 {
            *translucent
                .entry(mark.form)
                .or_insert_with(|| see_through(&mut source.document, mark.form, stamp.look.opacity))
        } else {
            mark.form
        };
        let places = place::place(&stamp.look, &mark, visible, rotation);
        let [over, under] = drawings.entry(*index).or_default();
        let list = match stamp.look.layer {
            Layer::Over => over,
            Layer::Under => under,
        };
        list.extend(places.into_iter().map(|matrix| Drawing { form, matrix: mark.matrix.then(matrix) }));
    }
    Ok(())
}

fn see_through(document: &mut Document, form: ObjectId, opacity: f32) -> ObjectId {
    let bounds = document
        .get_object(form)
        .ok()
        .and_then(|form| form.as_stream().ok()?.dict.get(b"BBox").ok().cloned())
        // A picture is the unit square.
        .unwrap_or_else(|| Rectangle::of_size(1.0, 1.0).to_object());
    overlay::translucent(document, form, bounds, opacity)
}
