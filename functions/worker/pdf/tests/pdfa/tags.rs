//! `tag-pdf`: pages look the same, text is the same, and veraPDF agrees with what a result says of itself.

use std::process::Command;

use super::*;

pub(super) fn tagged(source: &Path, options: Value, directory: &Path) -> (PathBuf, Outcome) {
    let outcome = run(Tool::TagPdf, &[(source, Format::Pdf)], options, directory).unwrap();
    (directory.join("result.pdf"), outcome)
}

/// Every pixel of all pages.
pub(super) fn pictures(path: &Path, directory: &Path) -> Vec<Vec<u8>> {
    let options = json!({"format": "png", "dpi": 72});
    let outcome = run(Tool::PdfToImages, &[(path, Format::Pdf)], options, directory).unwrap();
    let pixels = |artifact: &docmill_pdf_request::Artifact| {
        image::open(directory.join(&artifact.file)).unwrap().to_rgba8().into_raw()
    };
    outcome.artifacts.iter().map(pixels).collect()
}

/// What poppler reads, without the places of words.
pub(super) fn words(path: &Path) -> Vec<String> {
    let output = Command::new("pdftotext").arg(path).arg("-").output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().split_whitespace().map(str::to_owned).collect()
}

/// The roles and texts of a document's blocks, as `extract-document` reads them.
fn blocks(path: &Path, directory: &Path) -> Vec<(String, String)> {
    let options = json!({"format": "json", "ocr": "never", "headersFooters": "drop"});
    let outcome = run(Tool::ExtractDocument, &[(path, Format::Pdf)], options, directory).unwrap();
    let read = std::fs::read(directory.join(&outcome.artifacts[0].file)).unwrap();
    let document: Value = serde_json::from_slice(&read).unwrap();
    let said = |block: &Value| {
        let role = block["role"].as_str().unwrap();
        // A title is a heading of the first level.
        let role = if role == "title" { "heading" } else { role };
        (role.to_owned(), block["text"].as_str().unwrap().to_owned())
    };
    document["blocks"].as_array().unwrap().iter().map(said).collect()
}

#[test]
fn pages_and_text_stay_the_same_and_results_are_what_they_say() {
    let scratch = TempDir::new().unwrap();
    let mut made = Vec::new();
    for (number, source) in fixtures().iter().enumerate() {
        let name = source.file_stem().unwrap().to_string_lossy().into_owned();
        let at = |what: &str| scratch.path().join(format!("{number}-{what}"));
        let (result, outcome) = tagged(source, json!({"existing": "replace", "language": "en"}), &at("tagged"));
        let after = pictures(&result, &at("after"));
        // Sizes of pages are written with fewer digits by every tool, which can move glyphs by a pixel.
        let copy = || {
            run(Tool::EditMetadata, &[(source, Format::Pdf)], json!({"set": {"title": "x"}}), &at("copy")).unwrap();
            pictures(&at("copy").join("result.pdf"), &at("copied"))
        };
        assert!(after == pictures(source, &at("before")) || after == copy(), "{name} looks different");
        assert_eq!(words(source), words(&result), "{name}");
        made.push((name, result, outcome.report.unwrap()));
    }
    let files: Vec<(String, PathBuf)> = made.iter().map(|(_, result, _)| ("ua".to_owned(), result.clone())).collect();
    let mut conforming = Vec::new();
    for (verdict, (name, _, report)) in judge(&files).iter().zip(&made) {
        assert_eq!(report["conforms"] == true, verdict == "pass", "{name}: {verdict}\n{report}");
        if verdict == "pass" {
            conforming.push(name.as_str());
        }
    }
    for name in ["headings", "lists", "table-ruled", "table-plain", "columns", "running", "code", "rtl"] {
        assert!(conforming.contains(&name), "{name}: {conforming:?}");
    }
}

#[test]
fn the_structure_that_was_found_is_read_back_from_the_tags() {
    let scratch = TempDir::new().unwrap();
    for name in ["headings", "lists", "table-ruled", "columns", "running"] {
        let source = root().join(format!("tests/fixtures/pdf/layouts/{name}.pdf"));
        let at = |what: &str| scratch.path().join(format!("{name}-{what}"));
        let (untagged, _) = tagged(&source, json!({"existing": "replace"}), &at("once"));
        let before = blocks(&source, &at("before"));
        assert_eq!(blocks(&untagged, &at("after")), before, "{name}");
    }
}

/// A page with a link, a field, a figure of lines, and a picture that nothing describes.
pub(super) fn page_with_all() -> Document {
    let mut document = Document::with_version("1.7");
    let pages = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
    });
    let picture = Stream::new(
        dictionary! { "Type" => "XObject", "Subtype" => "Image", "Width" => 1, "Height" => 1, "BitsPerComponent" => 8, "ColorSpace" => "DeviceGray" },
        vec![90],
    );
    let picture = document.add_object(picture);
    let content = "BT /F 24 Tf 40 700 Td (A report on rivers) Tj /F 11 Tf 0 -40 Td (Read more about it on our page, which has all) Tj \
        0 -14 Td (figures and the way in which they were found.) Tj ET q 200 0 0 100 40 400 cm /P Do Q";
    let content = document.add_object(Stream::new(Dictionary::new(), content.as_bytes().to_vec()));
    let link = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "Link", "Rect" => vec![40.into(), 655.into(), 110.into(), 672.into()],
        "A" => dictionary! { "S" => "URI", "URI" => Object::string_literal("https://example.com/more") },
    });
    let field = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "Widget", "FT" => "Tx", "T" => Object::string_literal("Name"),
        "Rect" => vec![40.into(), 300.into(), 200.into(), 320.into()],
    });
    let page = document.add_object(dictionary! {
        "Type" => "Page", "Parent" => pages, "Contents" => content,
        "MediaBox" => vec![0.into(), 0.into(), 600.into(), 800.into()],
        "Resources" => dictionary! { "Font" => dictionary! { "F" => font }, "XObject" => dictionary! { "P" => picture } },
        "Annots" => vec![link.into(), field.into()],
    });
    document.objects.insert(pages, dictionary! { "Type" => "Pages", "Count" => 1, "Kids" => vec![page.into()] }.into());
    let form = dictionary! { "Fields" => vec![field.into()] };
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages, "AcroForm" => form });
    document.trailer.set("Root", catalog);
    document
}

/// The elements of a type.
fn elements<'d>(document: &'d Document, kind: &[u8]) -> Vec<&'d Dictionary> {
    let all = document.objects.values().filter_map(|object| object.as_dict().ok());
    all.filter(|entries| entries.get(b"S").and_then(Object::as_name).is_ok_and(|name| name == kind))
        .filter(|entries| entries.has_type(b"StructElem"))
        .collect()
}

#[test]
fn figures_links_and_fields_are_described_by_what_is_known_only() {
    let scratch = TempDir::new().unwrap();
    let source = saved(page_with_all(), &scratch.path().join("all.pdf"));
    let (result, outcome) = tagged(&source, json!({}), &scratch.path().join("plain"));
    let report = outcome.report.unwrap();
    assert_eq!(report["conforms"], false);
    let rules: Vec<&str> =
        report["failed"].as_array().unwrap().iter().map(|failed| failed["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["7.3-1"]);
    assert_eq!(report["standIns"], json!(["Helvetica"]));
    assert_eq!(report["figuresWithoutText"], json!([{"page": 1, "box": [40.0, 300.0, 240.0, 400.0]}]));
    assert!(outcome.warnings.iter().any(|warning| warning.code == "alternative_text_missing"));
    let document = Document::load(&result).unwrap();
    assert!(!elements(&document, b"Figure")[0].has(b"Alt"), "a text was made up");
    let annotation = |kind: &[u8], key: &[u8]| {
        let all = document.objects.values().filter_map(|object| object.as_dict().ok());
        let mut of_kind =
            all.filter(|entries| entries.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == kind));
        lopdf::decode_text_string(of_kind.next().unwrap().get(key).unwrap()).unwrap()
    };
    assert_eq!(annotation(b"Link", b"Contents"), "Read more");
    assert_eq!(annotation(b"Widget", b"TU"), "Name");
    for (kind, count) in [(b"Link".as_slice(), 1), (b"Form", 1), (b"H1", 1), (b"P", 2)] {
        assert_eq!(elements(&document, kind).len(), count, "{}", String::from_utf8_lossy(kind));
    }
    assert_eq!(lopdf::decode_text_string(document.catalog().unwrap().get(b"Lang").unwrap()).unwrap(), "en");
    let texts = json!({"alternativeTexts": [{"page": 1, "box": [30, 290, 250, 410], "text": "A map of the river"}], "title": "Rivers"});
    let (result, outcome) = tagged(&source, texts, &scratch.path().join("described"));
    assert_eq!(outcome.report.unwrap()["figuresWithoutText"], json!([]));
    let document = Document::load(&result).unwrap();
    let said = elements(&document, b"Figure")[0].get(b"Alt").unwrap();
    assert_eq!(lopdf::decode_text_string(said).unwrap(), "A map of the river");
}

#[test]
fn the_caller_corrects_headings() {
    let scratch = TempDir::new().unwrap();
    let source = saved(page_with_all(), &scratch.path().join("all.pdf"));
    let count = |headings: Value, name: &str| {
        let (result, outcome) = tagged(&source, json!({ "headings": headings }), &scratch.path().join(name));
        let document = Document::load(&result).unwrap();
        let found = [b"H1".as_slice(), b"H2", b"P"].map(|kind| elements(&document, kind).len());
        (found, outcome.warnings.iter().any(|warning| warning.code == "heading_not_found"))
    };
    assert_eq!(count(json!([]), "plain"), ([1, 0, 2], false));
    let none = json!([{"page": 1, "text": "A  report", "level": 0}, {"page": 1, "text": "A report of", "level": 2}]);
    assert_eq!(count(none, "none"), ([0, 0, 3], true));
    let more = json!([{"page": 1, "text": "Read more about it", "level": 2}]);
    assert_eq!(count(more, "more"), ([1, 1, 1], false));
}

/// `page_with_all`, to which a link, a bookmark and the start lead: by a name, by its place and by an action. A file is attached.
fn page_with_ways() -> Document {
    let mut document = page_with_all();
    let page = *document.get_pages().values().next().unwrap();
    let place = |kind: &'static str| -> Vec<Object> { vec![page.into(), kind.into()] };
    let link = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "Link", "Rect" => vec![40.into(), 640.into(), 100.into(), 654.into()],
        "Dest" => Object::string_literal("figures"),
    });
    let annotations = document.get_dictionary_mut(page).unwrap().get_mut(b"Annots").unwrap();
    annotations.as_array_mut().unwrap().push(link.into());
    let outline = document.new_object_id();
    let item = document.add_object(dictionary! {
        "Title" => Object::string_literal("Rivers"), "Parent" => outline, "Dest" => place("Fit"),
    });
    let entries = dictionary! { "Type" => "Outlines", "First" => item, "Last" => item, "Count" => 1 };
    document.objects.insert(outline, entries.into());
    let file = document.add_object(Stream::new(dictionary! { "Type" => "EmbeddedFile" }, b"a,b".to_vec()));
    let file = dictionary! {
        "Type" => "Filespec", "F" => Object::string_literal("rivers.csv"), "EF" => dictionary! { "F" => file },
    };
    let file = document.add_object(file);
    let names = dictionary! {
        "Dests" => dictionary! { "Names" => vec![Object::string_literal("figures"), place("FitB").into()] },
        "EmbeddedFiles" => dictionary! { "Names" => vec![Object::string_literal("rivers.csv"), file.into()] },
    };
    let start = dictionary! { "S" => "GoTo", "D" => place("Fit") };
    let catalog = document.catalog_mut().unwrap();
    catalog.set("Outlines", outline);
    catalog.set("Names", names);
    catalog.set("OpenAction", start);
    document
}

#[test]
fn results_are_pdf_ua_2_if_asked() {
    let scratch = TempDir::new().unwrap();
    let ways = saved(page_with_ways(), &scratch.path().join("ways.pdf"));
    let mut made = Vec::new();
    for (number, source) in fixtures().iter().chain([&ways]).enumerate() {
        let texts = json!([{"page": 1, "box": [30, 290, 250, 410], "text": "A map of the river"}]);
        let options = json!({
            "existing": "replace", "language": "en", "title": "Rivers", "alternativeTexts": texts, "standard": "pdfua2",
        });
        let (result, outcome) = tagged(source, options, &scratch.path().join(number.to_string()));
        made.push((source.clone(), result, outcome.report.unwrap()));
    }
    let files: Vec<(String, PathBuf)> = made.iter().map(|(_, result, _)| ("u2".to_owned(), result.clone())).collect();
    for (verdict, (source, _, report)) in judge(&files).iter().zip(&made) {
        assert_eq!(report["conforms"] == true, verdict == "pass", "{}: {verdict}\n{report}", source.display());
    }
    let (_, result, report) = made.last().unwrap();
    assert_eq!(report["conforms"], true, "{report}");
    let document = Document::load(result).unwrap();
    let start = document.catalog().unwrap().get(b"OpenAction").unwrap().as_dict().unwrap();
    let page = start.get(b"D").unwrap().as_array().unwrap()[0].as_reference().unwrap();
    assert_eq!(document.get_pages()[&1], page, "viewers of PDF 1.7 go to the page");
    let element = start.get(b"SD").unwrap().as_array().unwrap()[0].as_reference().unwrap();
    let element = document.get_dictionary(element).unwrap();
    assert_eq!(element.get(b"S").unwrap().as_name().unwrap(), b"H1", "others go to its first element");
}

#[test]
fn tags_stay_unless_they_are_to_be_replaced() {
    let scratch = TempDir::new().unwrap();
    let source = saved(page_with_all(), &scratch.path().join("all.pdf"));
    let (once, _) = tagged(&source, json!({}), &scratch.path().join("once"));
    let (twice, outcome) = tagged(&once, json!({"title": "Rivers"}), &scratch.path().join("twice"));
    assert_eq!(outcome.report.unwrap()["tags"], "kept");
    assert!(outcome.warnings.iter().any(|warning| warning.code == "tags_kept"));
    let titles = |path: &Path| {
        let document = Document::load(path).unwrap();
        elements(&document, b"H1").len()
    };
    assert_eq!((titles(&once), titles(&twice)), (1, 1));
    let (again, outcome) = tagged(&once, json!({"existing": "replace"}), &scratch.path().join("again"));
    assert_eq!(outcome.report.unwrap()["tags"], "made");
    assert_eq!(blocks(&again, &scratch.path().join("a")), blocks(&once, &scratch.path().join("b")));
}

#[test]
fn tags_are_repaired_and_stay() {
    let scratch = TempDir::new().unwrap();
    let source = saved(page_with_all(), &scratch.path().join("all.pdf"));
    let (once, _) = tagged(&source, json!({}), &scratch.path().join("once"));
    let mut document = Document::load(&once).unwrap();
    document.catalog_mut().unwrap().remove(b"ViewerPreferences");
    for object in document.objects.values_mut() {
        if let Object::Dictionary(entries) = object {
            entries.remove(b"Tabs");
            if entries.has(b"Rect") {
                entries.remove(b"Contents");
            }
            if entries.get(b"S").and_then(Object::as_name).is_ok_and(|name| name == b"H1") {
                entries.set("S", "H3");
            }
        }
    }
    let damaged = saved(document, &scratch.path().join("damaged.pdf"));
    let options = json!({"existing": "repair", "alternativeTexts": [{"page": 1, "text": "A map"}]});
    let (repaired, outcome) = tagged(&damaged, options, &scratch.path().join("repaired"));
    let report = outcome.report.unwrap();
    assert_eq!((&report["tags"], &report["failed"]), (&json!("repaired"), &json!([])));
    assert_eq!(judge(&[("ua".to_owned(), repaired.clone())]), ["pass"]);
    assert_eq!(blocks(&repaired, &scratch.path().join("a")), blocks(&once, &scratch.path().join("b")));
}

#[test]
fn a_structure_that_a_person_has_corrected_decides() {
    let scratch = TempDir::new().unwrap();
    let source = saved(page_with_all(), &scratch.path().join("all.pdf"));
    let extracted = scratch.path().join("extracted");
    let options = json!({"format": "json", "ocr": "never"});
    let outcome = run(Tool::ExtractDocument, &[(&source, Format::Pdf)], options, &extracted).unwrap();
    let read = std::fs::read(extracted.join(&outcome.artifacts[0].file)).unwrap();
    let mut structure: Value = serde_json::from_slice(&read).unwrap();
    for block in structure["blocks"].as_array_mut().unwrap() {
        if block["role"] == "paragraph" {
            block["role"] = json!("heading");
            block["level"] = json!(2);
        }
    }
    for figure in structure["figures"].as_array_mut().unwrap() {
        figure["text"] = json!("A map of the river");
    }
    let options = json!({"structure": structure, "language": "en"});
    let (result, outcome) = tagged(&source, options, &scratch.path().join("made"));
    let report = outcome.report.unwrap();
    assert_eq!((&report["elements"]["H2"], &report["failed"]), (&json!(1), &json!([])), "{report}");
    assert_eq!(judge(&[("ua".to_owned(), result.clone())]), ["pass"]);
    assert_eq!(words(&result), words(&source));
    let refused = run(Tool::TagPdf, &[(&source, Format::Pdf)], json!({"structure": {"blocks": [1]}}), &extracted);
    assert!(refused.unwrap_err().message.contains("`structure`"));
}

#[test]
fn cells_that_claim_one_place_share_it() {
    let scratch = TempDir::new().unwrap();
    let source = Path::new("../../../samples/tree-survey.pdf");
    let options = json!({"format": "json", "ocr": "never"});
    let outcome = run(Tool::ExtractDocument, &[(source, Format::Pdf)], options, scratch.path()).unwrap();
    let read = std::fs::read(scratch.path().join(&outcome.artifacts[0].file)).unwrap();
    let mut structure: Value = serde_json::from_slice(&read).unwrap();
    let cell = structure["tables"][0]["cells"].as_array_mut().unwrap().iter_mut().find(|cell| cell["text"] == "Lime");
    cell.unwrap()["columnSpan"] = json!(2);
    let options = json!({"structure": structure, "existing": "replace", "title": "Trees", "language": "en"});
    let (result, outcome) = tagged(source, options, &scratch.path().join("made"));
    let report = outcome.report.unwrap();
    assert!(failed_rules(&report).is_empty(), "{report}");
    assert_eq!(judge(&[("ua".to_owned(), result.clone())]), ["pass"]);
    let document = Document::load(&result).unwrap();
    // Without the place that two cells share.
    assert_eq!(
        (elements(&document, b"TR").len(), elements(&document, b"TD").len() + elements(&document, b"TH").len()),
        (4, 15)
    );
    assert_eq!(words(&result), words(source));
}

/// A page with the text, as a PDF string, in each of these fonts, none of which is embedded.
pub(super) fn page_in(fonts: Vec<Dictionary>, text: &str) -> Document {
    let mut document = Document::with_version("1.7");
    let pages = document.new_object_id();
    let mut resources = Dictionary::new();
    let mut content = String::from("BT 40 760 Td ");
    for (number, font) in fonts.into_iter().enumerate() {
        resources.set(format!("F{number}"), document.add_object(font));
        content += &format!("/F{number} 18 Tf ({text}) Tj 0 -40 Td ");
    }
    content += "ET";
    let content = document.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
    let page = document.add_object(dictionary! {
        "Type" => "Page", "Parent" => pages, "Contents" => content,
        "MediaBox" => vec![0.into(), 0.into(), 600.into(), 800.into()],
        "Resources" => dictionary! { "Font" => resources },
    });
    document.objects.insert(pages, dictionary! { "Type" => "Pages", "Count" => 1, "Kids" => vec![page.into()] }.into());
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    document.trailer.set("Root", catalog);
    document
}

pub(super) fn font(kind: &str, name: &str) -> Dictionary {
    dictionary! { "Type" => "Font", "Subtype" => kind, "BaseFont" => name }
}

#[test]
fn fonts_that_are_missing_are_embedded_as_they_are_drawn() {
    let scratch = TempDir::new().unwrap();
    let mut named = font("TrueType", "Verdana,Bold");
    named.set("Encoding", "WinAnsiEncoding");
    named.set("FirstChar", 32);
    named.set("Widths", vec![Object::Integer(612); 224]);
    let fonts = ["Helvetica", "Times-BoldItalic", "Courier", "Symbol", "ZapfDingbats"].map(|name| font("Type1", name));
    let source = saved(
        page_in(fonts.into_iter().chain([named]).collect(), "Letters aQW \\267 4"),
        &scratch.path().join("missing.pdf"),
    );
    let options = json!({"language": "en", "title": "Letters"});
    let (result, outcome) = tagged(&source, options, &scratch.path().join("made"));
    let report = outcome.report.unwrap();
    assert_eq!(report["conforms"], true, "{report}");
    let all = ["Courier", "Helvetica", "Symbol", "Times-BoldItalic", "Verdana,Bold", "ZapfDingbats"];
    assert_eq!(report["standIns"], json!(all));
    assert_eq!(judge(&[("ua".to_owned(), result.clone())]), ["pass"]);
    assert!(pictures(&source, &scratch.path().join("before")) == pictures(&result, &scratch.path().join("after")));
    assert_eq!(words(&source), words(&result));
    assert!(words(&result).iter().any(|word| word.contains('α')), "the letters of Symbol are known");
    let document = Document::load(&result).unwrap();
    let widths = document.objects.values().filter_map(|object| object.as_dict().ok()).filter_map(|font| {
        let name = font.get(b"BaseFont").and_then(Object::as_name).ok()?;
        name.ends_with(b"Verdana,Bold").then(|| font.get(b"Widths").and_then(Object::as_array).ok()).flatten()
    });
    assert!(widths.flatten().all(|width| matches!(width, Object::Integer(0 | 612))));
}

fn failed_rules(report: &Value) -> Vec<&str> {
    report["failed"].as_array().unwrap().iter().map(|failed| failed["rule"].as_str().unwrap()).collect()
}

#[test]
fn a_font_of_codes_that_nothing_explains_is_said_to_be_so() {
    let scratch = TempDir::new().unwrap();
    let mut unknown = font("Type1", "NoSuchSigns");
    unknown.set(
        "FontDescriptor",
        dictionary! {
            "Type" => "FontDescriptor", "FontName" => "NoSuchSigns", "Flags" => 4, "ItalicAngle" => 0, "StemV" => 80,
            "FontBBox" => vec![0.into(), 0.into(), 1000.into(), 1000.into()], "Ascent" => 800, "Descent" => -200,
        },
    );
    let source = saved(page_in(vec![unknown], "a\\267"), &scratch.path().join("unknown.pdf"));
    let (_, outcome) = tagged(&source, json!({"language": "en", "title": "Signs"}), &scratch.path().join("made"));
    assert_eq!(failed_rules(&outcome.report.unwrap()), ["7.21.7-1"]);
}

/// Helvetica's own encoding has no character for 0o344, for which PDFium draws one anyway.
#[test]
fn a_font_that_would_look_different_stays_missing() {
    let scratch = TempDir::new().unwrap();
    let source = saved(page_in(vec![font("Type1", "Helvetica")], "a\\344"), &scratch.path().join("undefined.pdf"));
    let (result, outcome) =
        tagged(&source, json!({"language": "en", "title": "Letters"}), &scratch.path().join("made"));
    let report = outcome.report.unwrap();
    assert_eq!(report["standIns"], json!([]));
    assert_eq!(failed_rules(&report), ["7.21.4.1-1", "7.21.7-1"]);
    assert!(pictures(&source, &scratch.path().join("before")) == pictures(&result, &scratch.path().join("after")));
}

#[test]
fn windows_of_notes_say_what_the_notes_do_and_empty_boxes_say_nothing() {
    let scratch = TempDir::new().unwrap();
    let mut document = page_in(vec![font("Type1", "Helvetica")], "Letters");
    let page = document.get_pages()[&1];
    let (note, window) = (document.new_object_id(), document.new_object_id());
    let corners = |left: i64, top: i64| vec![left.into(), (top - 20).into(), (left + 20).into(), top.into()];
    let entries = dictionary! {
        "Type" => "Annot", "Subtype" => "Text", "Rect" => corners(300, 700), "Popup" => window, "P" => page, "F" => 4,
        "Contents" => Object::string_literal("Too short"),
    };
    document.objects.insert(note, entries.into());
    let entries = dictionary! {
        "Type" => "Annot", "Subtype" => "Popup", "Rect" => corners(340, 700), "Parent" => note, "F" => 28,
    };
    document.objects.insert(window, entries.into());
    let look = document.add_object(Stream::new(dictionary! { "Subtype" => "Form" }, b"q Q".to_vec()));
    let empty = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "FreeText", "Rect" => corners(400, 700), "F" => 4,
        "AP" => dictionary! { "N" => look },
    });
    let entries = document.get_dictionary_mut(page).unwrap();
    entries.set("Annots", vec![Object::Reference(window), note.into(), empty.into()]);
    let source = saved(document, &scratch.path().join("notes.pdf"));
    let options = json!({"language": "en", "title": "Letters"});
    let (result, outcome) = tagged(&source, options, &scratch.path().join("made"));
    let report = outcome.report.unwrap();
    assert_eq!(report["conforms"], true, "{report}");
    assert_eq!(judge(&[("ua".to_owned(), result.clone())]), ["pass"]);
    let document = Document::load(&result).unwrap();
    let texts = |kind: &[u8]| -> Vec<Vec<u8>> {
        let all = document.objects.values().filter_map(|object| object.as_dict().ok());
        let own =
            all.filter(|entries| entries.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == kind));
        own.map(|entries| entries.get(b"Contents").and_then(Object::as_str).unwrap_or_default().to_vec()).collect()
    };
    assert_eq!(texts(b"Popup"), [b"Too short"]);
    assert_eq!(texts(b"FreeText"), [b""]);
}
