//! `pdf-to-pdfa`: the same document as archives take it, or the rules that it breaks.

use std::path::Path;

use lopdf::Document;
use serde::Deserialize;
use serde_json::json;

use super::{options, pdf};
use crate::pdfa::{self, Level, Verdict};
use crate::structure::writer::PdfWriter;
use crate::structure::{open, pages};
use crate::{Engines, ErrorCode, Failure, Outcome, Request};

const RESULT: &str = "result.pdf";

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Options {
    level: Level,
    on_unsupported: OnUnsupported,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OnUnsupported {
    #[default]
    Fail,
    Warn,
}

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = options(request)?;
    let opened = open(engines, request, 0)?;
    let mut warnings = opened.warnings;
    let mut document = opened.document;
    let pages = pages::read(&mut document, request.limits.pages)?.pages;
    let verdict = pdfa::mend(&mut document, &pages, options.level, engines.fonts())?;
    if !verdict.conforms() && options.on_unsupported == OnUnsupported::Fail {
        return Err(refuse(&verdict));
    }
    pdfa::claim(&mut document, options.level, verdict.conforms());
    write(engines, request, document, options.level)?;
    warnings.extend(pdfa::warnings(&verdict));
    let pages = u32::try_from(pages.len()).unwrap_or(u32::MAX);
    Ok(Outcome { artifacts: vec![pdf(RESULT, pages)], report: Some(verdict.report()), warnings })
}

fn refuse(verdict: &Verdict) -> Failure {
    let message = format!(
        "This PDF cannot become PDF/A-{}. {} Set `onUnsupported` to `warn` to get it as far as it can be converted.",
        verdict.level.as_str(),
        verdict.summary()
    );
    Failure::new(ErrorCode::RenderFailed, message, format!("not PDF/A: {}", verdict.clauses()))
}

/// Writes all objects. Level 1b is of a time before object streams: qpdf unpacks them.
fn write(engines: &Engines, request: &Request, mut document: Document, level: Level) -> Result<(), Failure> {
    document.prune_objects();
    document.renumber_objects();
    let root = document.trailer.get(b"Root").and_then(lopdf::Object::as_reference);
    let root = root.map_err(|_| super::internal("a document without a root after it was opened"))?;
    let info = document.trailer.get(b"Info").and_then(lopdf::Object::as_reference).ok();
    let result = request.directory.join(RESULT);
    let mut writer = PdfWriter::create(&result, request.limits.output_bytes)?;
    // They were numbered anew, from 1 and without gaps. The writer's own objects come after them.
    for _ in &document.objects {
        writer.reserve();
    }
    for (id, object) in document.objects {
        writer.put(id, object)?;
    }
    writer.finish(root, info)?;
    if level == Level::One { unpack(engines, request, &result) } else { Ok(()) }
}

fn unpack(engines: &Engines, request: &Request, result: &Path) -> Result<(), Failure> {
    let plain = request.directory.join("plain.pdf");
    let job = json!({
        "inputFile": result, "outputFile": plain, "deterministicId": "", "objectStreams": "disable", "forceVersion": "1.4",
        "newlineBeforeEndstream": "", "decodeLevel": "none", "compressStreams": "n",
    });
    engines.qpdf()?.run(&job)?;
    std::fs::rename(&plain, result).map_err(|error| super::io_failure(&error))
}
