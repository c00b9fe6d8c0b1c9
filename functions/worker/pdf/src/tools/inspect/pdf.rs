//! The description of a PDF.

use std::collections::{BTreeMap, HashSet};

use docmill_pdf_core::objects::{DEPTH, Lookup, decode, tree, unpacked};
use docmill_pdf_core::qpdf::Encryption;
use docmill_pdf_core::space;
use docmill_pdf_core::{pages, pdfium};
use docmill_pdf_request::{Failure, Request, Source};
use docmill_pdf_structure::fields::{self, Field, Kind};
use docmill_pdf_structure::open::Opened;
use docmill_pdf_structure::open_deferring;
use docmill_pdf_structure::repair::is_mended;
use lopdf::{Dictionary, Document, Object, ObjectId};
use serde_json::{Value, json};

use super::super::raster;
use docmill_pdf_core::Libraries;

/// The most entries in one list. Further ones are only counted.
const LISTED: usize = 5_000;

pub(super) fn inspect(libraries: &Libraries, request: &Request, source: &Source) -> Result<Value, Failure> {
    let bytes = std::fs::metadata(&source.path).map_err(|error| Failure::io(&error))?.len();
    let session = libraries.pdfium()?.session();
    let shown = raster::open(libraries, &session, request, source)?;
    let Opened { mut document, warnings, .. } = open_deferring(libraries, request, 0)?;
    let tree = pages::read(&mut document, request.limits.pages)?;
    let catalog = document.catalog().cloned().unwrap_or_default();
    let warned = |code: &str| warnings.iter().any(|warning| warning.code == code);
    Ok(json!({
        "format": "pdf",
        "bytes": bytes,
        "version": shown.version().map(|version| format!("{}.{}", version / 10, version % 10)),
        "damaged": warned("repaired") || is_mended(source),
        "pageCount": tree.pages.len(),
        "pages": page_list(&shown, &document, &tree.pages)?,
        "encryption": encryption(libraries, source)?,
        "signatures": signatures(&document),
        "form": form(&document, &catalog),
        "outline": outline(&document, &catalog),
        "attachments": attachments(&document, &catalog),
        "fonts": fonts(&document),
        "images": images(&document),
        "metadata": metadata(&document, &shown),
        "pdfa": pdfa(&document, &catalog),
        "tagged": shown.is_tagged(),
        "language": document.value(&catalog, b"Lang").and_then(decode),
        "layers": document.child(&catalog, b"OCProperties").map_or(0, |layers| document.array(layers, b"OCGs").len()),
        "javascript": has_javascript(&document),
    }))
}

fn page_list(shown: &pdfium::Document<'_>, document: &Document, ids: &[ObjectId]) -> Result<Vec<Value>, Failure> {
    let page = |(index, id): (usize, &ObjectId)| {
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        let dict = document.get_dictionary(*id).ok();
        let (width, height) = dict.map_or((0.0, 0.0), |dict| space::shown_size(document, dict));
        // A page that can't be opened has no text.
        let characters = shown.page(number).and_then(|page| page.text().map(|text| text.count())).unwrap_or(0);
        Ok(json!({
            "page": index + 1,
            "label": Some(shown.page_label(number)).filter(|label| !label.is_empty()),
            "width": round(width),
            "height": round(height),
            "rotation": dict.map_or(0, |dict| space::rotation(document, dict)),
            "characters": characters,
            "annotations": dict.map_or(0, |dict| document.array(dict, b"Annots").len()),
        }))
    };
    ids.iter().enumerate().map(page).collect()
}

fn encryption(libraries: &Libraries, source: &Source) -> Result<Value, Failure> {
    let qpdf = libraries.qpdf()?;
    if !qpdf.is_encrypted(&source.path) {
        return Ok(Value::Null);
    }
    let Encryption { revision, permissions } = qpdf.encryption(&source.path, source.password.as_deref())?;
    let may = |bit: u32| permissions & (1 << (bit - 1)) != 0;
    Ok(json!({
        "revision": revision,
        "permissions": {
            "print": may(3), "printHighQuality": may(12), "modify": may(4), "copy": may(5), "annotate": may(6),
            "fillForms": may(9), "extractForAccessibility": may(10), "assemble": may(11),
        },
    }))
}

fn signatures(document: &Document) -> Vec<Value> {
    let fields = document
        .objects
        .values()
        .filter_map(|object| object.as_dict().ok())
        .filter(|dict| document.name(dict, b"FT") == Some(b"Sig"));
    let describe = |field: &Dictionary| {
        let value = document.child(field, b"V");
        let text = |key: &[u8]| value.and_then(|value| document.value(value, key)).and_then(decode);
        json!({
            "field": document.value(field, b"T").and_then(decode),
            "signed": value.is_some(),
            "name": text(b"Name"),
            "reason": text(b"Reason"),
            "date": text(b"M"),
            "format": value.and_then(|value| document.name(value, b"SubFilter")).map(lossy),
        })
    };
    fields.take(LISTED).map(describe).collect()
}

fn form(document: &Document, catalog: &Dictionary) -> Value {
    let Some(form) = document.child(catalog, b"AcroForm") else { return Value::Null };
    let describe = |field: Field| {
        json!({
            "name": field.name,
            "type": field.kind.as_str(),
            "value": field.value,
            "required": field.is_required(),
            "readOnly": field.is_read_only(),
            "choices": choices(document, &field),
        })
    };
    let fields: Vec<Value> = fields::read(document, form, LISTED).into_iter().map(describe).collect();
    json!({ "xfa": form.has(b"XFA"), "fields": fields })
}

/// The values that a field can take, if the form lists them.
fn choices(document: &Document, field: &Field) -> Option<Vec<String>> {
    match field.kind {
        Kind::Dropdown | Kind::List => {
            let stored = fields::choices(document, document.get_dictionary(field.id?).ok()?);
            Some(stored.into_iter().map(|(stored, _)| stored).take(LISTED).collect())
        }
        Kind::Radio | Kind::Checkbox => {
            Some(fields::button_choices(document, field).into_iter().map(|(name, _)| name).take(LISTED).collect())
        }
        Kind::Text | Kind::Button | Kind::Signature | Kind::Unknown => None,
    }
}

/// All bookmarks in order, each with its level from 1.
fn outline(document: &Document, catalog: &Dictionary) -> Vec<Value> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let first = document.child(catalog, b"Outlines").and_then(|outlines| outlines.get(b"First").ok());
    let mut stack: Vec<(&Object, usize)> = first.map(|first| (first, 1)).into_iter().collect();
    while let Some((object, level)) = stack.pop() {
        let new = object.as_reference().is_ok_and(|id| seen.insert(id));
        let Some(item) = document.dictionary(object).filter(|_| new && level < DEPTH && found.len() < LISTED) else {
            continue;
        };
        found.push(json!({ "title": document.value(item, b"Title").and_then(decode), "level": level }));
        stack.extend(item.get(b"Next").ok().map(|next| (next, level)));
        stack.extend(item.get(b"First").ok().map(|first| (first, level + 1)));
    }
    found
}

fn attachments(document: &Document, catalog: &Dictionary) -> Vec<Value> {
    let files = document.child(catalog, b"Names").and_then(|names| document.child(names, b"EmbeddedFiles"));
    let mut pairs = files.map(|files| tree(document, files, b"Names")).unwrap_or_default();
    let shown: Vec<_> =
        attached_to_pages(document).into_iter().filter(|file| pairs.iter().all(|(_, known)| known != file)).collect();
    pairs.extend(shown.into_iter().map(|file| (Object::Null, file)));
    let describe = |(key, value): &(Object, Object)| {
        let file = document.dictionary(value)?;
        let name = document.value(file, b"UF").or_else(|| document.value(file, b"F")).and_then(decode);
        let stream = document.child(file, b"EF").and_then(|files| document.child(files, b"F"));
        let parameters = stream.and_then(|stream| document.child(stream, b"Params"));
        Some(json!({
            "name": name.or_else(|| decode(key)),
            "description": document.value(file, b"Desc").and_then(decode),
            "contentType": stream.and_then(|stream| document.name(stream, b"Subtype")).map(lossy),
            "bytes": parameters.and_then(|parameters| document.integer(parameters, b"Size")),
            "relationship": document.name(file, b"AFRelationship").map(lossy),
        }))
    };
    pairs.iter().take(LISTED).filter_map(describe).collect()
}

/// The files that pages show as icons.
fn attached_to_pages(document: &Document) -> Vec<Object> {
    let pages = document.page_iter().filter_map(|page| document.get_dictionary(page).ok());
    let annotations = pages.flat_map(|page| document.array(page, b"Annots"));
    let shown = annotations.filter_map(|annotation| document.dictionary(annotation));
    let attachments = shown.filter(|shown| document.name(shown, b"Subtype") == Some(b"FileAttachment"));
    attachments.filter_map(|attachment| attachment.get(b"FS").ok().cloned()).take(LISTED).collect()
}

fn fonts(document: &Document) -> Vec<Value> {
    let mut found: BTreeMap<(String, String), (bool, bool)> = BTreeMap::new();
    for font in document.objects.values().filter_map(|object| object.as_dict().ok()) {
        let kind = document.name(font, b"Subtype").unwrap_or_default();
        // A composite font is listed by its parts.
        if !font.has_type(b"Font") || kind == b"Type0" {
            continue;
        }
        let descriptor = document.child(font, b"FontDescriptor");
        let embedded = kind == b"Type3"
            || descriptor.is_some_and(|font| {
                [b"FontFile".as_slice(), b"FontFile2", b"FontFile3"].iter().any(|key| font.has(key))
            });
        let name = document.name(font, b"BaseFont").map(lossy).unwrap_or_default();
        let (subset, name) = match name.split_once('+') {
            Some((prefix, rest)) if prefix.len() == 6 => (true, rest.to_owned()),
            _ => (false, name),
        };
        let known = found.entry((name, lossy(kind))).or_insert((true, false));
        *known = (known.0 && embedded, known.1 || subset);
    }
    let describe = |((name, kind), (embedded, subset)): ((String, String), (bool, bool))| json!({ "name": name, "type": kind, "embedded": embedded, "subset": subset });
    found.into_iter().take(LISTED).map(describe).collect()
}

fn images(document: &Document) -> Vec<Value> {
    let ids: Vec<ObjectId> = document.page_iter().collect();
    let placements = docmill_pdf_shrink::placements(document, &ids);
    let mut found: Vec<_> = placements.sizes.iter().collect();
    found.sort_by_key(|(id, _)| **id);
    let describe = |(id, size): (&ObjectId, &(f32, f32))| {
        let dict = &document.get_object(*id).ok()?.as_stream().ok()?.dict;
        let (width, height) = (document.integer(dict, b"Width")?, document.integer(dict, b"Height")?);
        let dpi = |pixels: i64, points: f32| (points > 0.0).then(|| (pixels as f32 / points * 72.0).round());
        let space = document.value(dict, b"ColorSpace").and_then(|space| {
            space.as_name().ok().or_else(|| document.resolve(space.as_array().ok()?.first()?)?.as_name().ok())
        });
        let filter = document
            .value(dict, b"Filter")
            .and_then(|filter| filter.as_name().ok().or_else(|| filter.as_array().ok()?.last()?.as_name().ok()));
        let pages: Vec<u32> = placements.pages.get(id)?.iter().take(LISTED).map(|page| page + 1).collect();
        Some(json!({
            "pages": pages, "width": width, "height": height,
            "dpi": dpi(width, size.0).zip(dpi(height, size.1)).map(|(x, y)| x.min(y)),
            "colorSpace": space.map(lossy), "filter": filter.map(lossy),
            "bitsPerComponent": document.integer(dict, b"BitsPerComponent"),
        }))
    };
    found.into_iter().take(LISTED).filter_map(describe).collect()
}

fn metadata(document: &Document, shown: &pdfium::Document<'_>) -> Value {
    let text = |key: &std::ffi::CStr| Some(shown.metadata(key)).filter(|text| !text.is_empty());
    let root = document.catalog().ok();
    json!({
        "title": text(c"Title"), "author": text(c"Author"), "subject": text(c"Subject"), "keywords": text(c"Keywords"),
        "creator": text(c"Creator"), "producer": text(c"Producer"), "created": text(c"CreationDate"),
        "modified": text(c"ModDate"), "xmp": root.is_some_and(|root| document.value(root, b"Metadata").is_some()),
    })
}

/// The PDF/A level that the document claims, such as `2b`. Not verified.
fn pdfa(document: &Document, catalog: &Dictionary) -> Option<String> {
    const MOST: usize = 4 << 20;
    let stream = document.value(catalog, b"Metadata")?.as_stream().ok()?;
    let content = unpacked(stream, MOST)?;
    let text = String::from_utf8_lossy(&content);
    // As an element or as an attribute.
    let value = |name: &str| {
        let after = text.split_once(name)?.1;
        let value: String = after
            .trim_start_matches(['>', '=', '"', '\'', ' '])
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        (1..=2).contains(&value.len()).then_some(value)
    };
    let part = value("pdfaid:part")?;
    Some(part + &value("pdfaid:conformance").unwrap_or_default().to_ascii_lowercase())
}

fn has_javascript(document: &Document) -> bool {
    document
        .objects
        .values()
        .filter_map(|object| object.as_dict().ok())
        .any(|dict| dict.has(b"JS") || document.name(dict, b"S") == Some(b"JavaScript") || dict.has(b"JavaScript"))
}

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn round(points: f32) -> f64 {
    (f64::from(points) * 100.0).round() / 100.0
}
