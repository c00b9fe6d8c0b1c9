//! Several stamps in one step, and the options that are older than they.

use std::process::Command;

use docmill_formats::Format;
use docmill_pdf_request::ErrorCode;

use super::*;
use fixture::{plain, plain_document, rich, save};

/// Three pages: upright, turned with a crop box, and upside down.
fn turned(name: &str) -> Vec<u8> {
    let mut document = plain_document(name, 3, (300.0, 400.0));
    let pages: Vec<_> = document.page_iter().collect();
    let sides = [Object::Integer(20), Object::Integer(40), Object::Integer(280), Object::Integer(380)];
    let second = document.get_dictionary_mut(pages[1]).unwrap();
    second.set("Rotate", 90);
    second.set("CropBox", sides.to_vec());
    document.get_dictionary_mut(pages[2]).unwrap().set("Rotate", 180);
    save(&mut document)
}

fn red_png() -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbaImage::from_pixel(8, 4, image::Rgba([255, 0, 0, 128]))
        .write_to(&mut png, image::ImageFormat::Png)
        .unwrap();
    png.into_inner()
}

fn contents(document: &Document) -> Vec<String> {
    let pages: Vec<_> = document.page_iter().collect();
    pages.iter().map(|page| String::from_utf8(document.get_page_content(*page)).unwrap()).collect()
}

/// What the options without `stamps` draw, recorded before `stamps` came.
#[test]
fn older_options_draw_what_they_drew() {
    let mut run = Run::new().with(&turned("one"));
    run.push(&red_png(), Format::Png);
    let cases = [
        json!({}),
        json!({"position": "top-left", "opacity": 1, "margin": 5}),
        json!({"position": "bottom-right", "rotation": 30, "width": 100}),
        json!({"position": "tile", "rotation": 45, "width": 150, "opacity": 0.5}),
        json!({"position": "left", "layer": "under", "pages": "z-2", "margin": 200}),
    ];
    let mut found = String::new();
    for options in cases {
        let result = run.result(Tool::WatermarkPdf, options.clone());
        let pages = contents(&result).join("\n---\n");
        found.push_str(&format!("=== {options}\n{pages}\n"));
    }
    assert_eq!(found.trim_end(), include_str!("watermarks.txt").trim_end());
}

/// A page's text as poppler reads it.
fn text_of(run: &Run, page: usize) -> String {
    let page = page.to_string();
    let pages = ["-f", &page, "-l", &page];
    let output = Command::new("pdftotext").args(pages).arg(run.path("result.pdf")).arg("-").output().unwrap();
    String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The code that another program finds on a page that poppler drew.
fn code_on(run: &Run, page: usize) -> String {
    let (page, picture) = (page.to_string(), run.path("page"));
    let range = ["-r", "200", "-png", "-singlefile", "-cropbox", "-f", &page, "-l", &page];
    let drawn = Command::new("pdftoppm").args(range).arg(run.path("result.pdf")).arg(&picture).status();
    assert!(drawn.unwrap().success());
    let output = Command::new("ZXingReader").arg("-bytes").arg(picture.with_extension("png")).output();
    String::from_utf8(output.expect("zxing-cpp-tools is missing").stdout).unwrap()
}

#[test]
fn one_step_draws_many_stamps() {
    let mut run = Run::new().with(&turned("one"));
    run.push(&red_png(), Format::Png);
    run.push(&plain("letterhead", 1), Format::Pdf);
    let stamps = json!([
        {"text": "{page}/{pages}", "position": "bottom", "margin": 10},
        {"text": "{bates}", "position": "top-right", "pages": "2-3", "bates": {"prefix": "ACME-", "start": 41, "digits": 4, "suffix": "-X"}},
        {"text": "on {date}", "position": "top-left", "date": {"format": "%d.%m.%Y %H:%M", "timeZone": "Asia/Tokyo"}},
        {"source": 1, "position": "right", "opacity": 0.5},
        {"source": 2, "layer": "under", "width": 100},
        {"source": 1, "position": "left", "pages": "1"},
        {"barcode": {"type": "qr", "value": "page {page} {bates}", "size": 80}, "position": "bottom-left"},
    ]);
    let result = run.result(Tool::WatermarkPdf, json!({"stamps": stamps}));
    for page in 1..=3 {
        let text = text_of(&run, page);
        assert!(text.contains(&format!("{page}/3")), "{text}");
        assert!(text.contains("on 22.11.2026 07:30"), "{text}");
        assert!(text.contains("letterhead 1"), "{text}");
        assert_eq!(text.contains(&format!("ACME-{:04}-X", 39 + page)), page > 1, "{text}");
        assert_eq!(code_on(&run, page), format!("page {page} 00000{page}"));
    }
    // A picture is one object, however many stamps show it.
    let pictures =
        result.objects.values().filter(|object| object.as_stream().is_ok_and(|stream| stream.dict.has(b"SMask")));
    assert_eq!(pictures.count(), 1);
    // Two more streams under the page's content, and two over it.
    let pages: Vec<_> = result.page_iter().collect();
    let counted = |page| result.array(result.get_dictionary(page).unwrap(), b"Contents").len();
    assert_eq!(pages.iter().map(|page| counted(*page)).collect::<Vec<_>>(), [5, 5, 5]);
}

#[test]
fn every_code_is_read_from_turned_pages() {
    let payment = json!({"name": "Ada & Söhne", "iban": "DE89370400440532013000", "amount": 12.5, "text": "42"});
    let creditor = json!({"name": "Ada", "postalCode": "8000", "town": "Zürich", "country": "CH"});
    let bill = json!({"iban": "CH9300762011623852957", "creditor": creditor, "amount": "5.00"});
    let run = Run::new().with(&turned("one"));
    for (code, expected) in [
        (json!({"type": "qr", "value": "{page}"}), "*"),
        (json!({"type": "code128", "value": "INV-{page}"}), "INV-*"),
        (json!({"type": "ean13", "value": "400638133393"}), "4006381333931"),
        (json!({"type": "ean8", "value": "96385074"}), "96385074"),
        (json!({"type": "upc-a", "value": "036000291452"}), "036000291452"),
        (json!({"type": "datamatrix", "value": "page {page} of {pages}", "quietZone": 3}), "page * of 3"),
        (json!({"type": "pdf417", "value": "Docmill {page}"}), "Docmill *"),
        (
            json!({"type": "epc", "payment": payment}),
            "BCD\n002\n1\nSCT\n\nAda & Söhne\nDE89370400440532013000\nEUR12.50\n\n\n42",
        ),
    ] {
        // In the middle, where the reader looks for a Data Matrix.
        let stamp = json!({"barcode": code, "color": "#002244"});
        run.result(Tool::WatermarkPdf, json!({"stamps": [stamp]}));
        for page in 1..=3 {
            assert_eq!(code_on(&run, page), expected.replace('*', &page.to_string()), "{code} on page {page}");
        }
    }
    run.result(
        Tool::WatermarkPdf,
        json!({"stamps": [{"barcode": {"type": "swiss-qr", "bill": bill}, "rotation": 90}]}),
    );
    assert!(code_on(&run, 2).contains("\nZürich\nCH\n"));
}

#[test]
fn a_code_has_the_size_that_is_asked_for() {
    let run = Run::new().with(&plain("one", 1));
    let result = run.result(
        Tool::WatermarkPdf,
        json!({"stamps": [{"barcode": {"type": "qr", "value": "1", "size": 42, "quietZone": 2}, "position": "bottom-left", "margin": 0}]}),
    );
    // 21 modules of 2 points, and 2 modules around.
    assert!(contents(&result)[0].contains("q 2 0 0 2 0 0 cm"), "{}", contents(&result)[0]);
    let form =
        result.objects.values().filter_map(|object| object.as_stream().ok()).find(|stream| stream.dict.has(b"BBox"));
    let form = form.unwrap();
    assert_eq!(
        result.array(&form.dict, b"BBox").iter().filter_map(|edge| result.number(edge)).collect::<Vec<f32>>(),
        [0.0, 0.0, 25.0, 25.0]
    );
    let content = String::from_utf8(form.get_plain_content().unwrap()).unwrap();
    assert!(content.starts_with("1 g 0 0 25 25 re f\n0 g\n"), "{content}");
    // The upper left corner of the finder pattern.
    assert!(content.contains("2 22 7 1 re"), "{content}");
}

#[test]
fn tagged_documents_keep_their_structure() {
    let run = Run::new().with(&rich("one", 2));
    let stamps = json!([{"text": "{bates}", "layer": "under"}, {"barcode": {"type": "qr", "value": "a"}}]);
    let result = run.result(Tool::WatermarkPdf, json!({"stamps": stamps}));
    assert_eq!(structure(&result), "Document(Para([1])Para([2]))");
    for content in contents(&result) {
        assert_eq!(content.matches("/Artifact BMC").count(), 2, "{content}");
        assert_eq!(content.matches(" Do Q").count(), 2);
    }
}

#[test]
fn wrong_stamps_say_where_they_are() {
    let run = Run::new().with(&plain("one", 2));
    let refused = |run: &Run, stamps: Value| {
        let failure = run.run(Tool::WatermarkPdf, json!({"stamps": stamps})).unwrap_err();
        assert_eq!(failure.code, ErrorCode::RenderFailed);
        failure.message
    };
    let wrong = json!([{"text": "a"}, {"barcode": {"type": "ean8", "value": "96385075"}}]);
    let message = "`stamps[1].barcode` cannot be drawn: the check digit is wrong: it should be 4. Correct the number, or leave \
        the check digit out.";
    assert_eq!(refused(&run, wrong), message);
    let unknown = json!([{"text": "{date}", "date": {"timeZone": "Mars/Olympus"}}]);
    assert_eq!(refused(&run, unknown), "`stamps[0].date.timeZone` is no time zone. Use e.g. `Europe/Vienna`.");
    let pattern = json!([{"text": "{date}", "date": {"format": "%!"}}]);
    assert!(refused(&run, pattern).starts_with("`stamps[0].date.format` is no pattern of dates."));
    assert!(
        refused(&run, json!([{"source": 1}])).starts_with("`stamps[0].source` names source 1, which does not exist")
    );
    assert!(refused(&run, json!([{"text": "a", "pages": "9"}])).starts_with("`stamps[0].pages`: "));
    let mut two = Run::new().with(&plain("one", 1));
    two.push(&red_png(), Format::Png);
    assert!(refused(&two, json!([{"text": "a"}])).starts_with("No stamp shows source 1"));
    two.push(&red_png(), Format::Png);
    let failure = two.run(Tool::WatermarkPdf, json!({})).unwrap_err();
    assert!(failure.message.starts_with("Several stamps belong in `stamps`"), "{}", failure.message);
}

#[test]
fn a_picture_without_a_pdf_before_it_is_told_so() {
    let mut run = Run::new();
    run.push(&red_png(), Format::Png);
    let failure = run.run(Tool::WatermarkPdf, json!({"text": "Draft"})).unwrap_err();
    let message = "The first source is a png file. Send the PDF first, then pictures.";
    assert_eq!((failure.code, failure.message.as_str()), (ErrorCode::UnsupportedFormat, message));
}

/// The codes of a document that poppler draws, in the order of its pages.
fn codes_in(run: &Run) -> String {
    let folder = run.path("drawn");
    std::fs::create_dir(&folder).unwrap();
    let source = run.path("result.pdf");
    let drawn = Command::new("pdftoppm").args(["-r", "144", "-png"]).arg(source).arg(folder.join("page")).status();
    assert!(drawn.unwrap().success());
    let mut pages: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    let output = Command::new("ZXingReader").arg("-bytes").args(pages).output().expect("zxing-cpp-tools is missing");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn two_thousand_pages_have_codes_of_their_own() {
    let mut run = Run::new().with(&save(&mut plain_document("one", 2000, (100.0, 100.0))));
    run.limits.pages = 2000;
    let stamp = json!({"barcode": {"type": "qr", "value": "page {page};", "size": 60}});
    let result = run.result(Tool::WatermarkPdf, json!({"stamps": [stamp]}));
    let expected: Vec<String> = (1..=2000).map(|page| format!("page {page};")).collect();
    assert_eq!(codes_in(&run), expected.concat());
    // The codes are kept as they are written: compressed.
    let forms =
        result.objects.values().filter_map(|object| object.as_stream().ok()).filter(|form| form.dict.has(b"BBox"));
    let sizes: Vec<usize> = forms.map(|form| form.content.len()).collect();
    assert!(sizes.len() == 2000 && sizes.iter().sum::<usize>() < 2000 * 1500, "{sizes:?}");
}

#[test]
fn codes_together_have_a_limit_and_equal_ones_are_drawn_once() {
    let mut run = Run::new().with(&plain("one", 40));
    // Codes may take an eighth of it.
    run.limits.memory_bytes = 256 << 10;
    let filling = "Docmill 0123456789 ".repeat(60);
    let stamps = |value: String| json!({"stamps": vec![json!({"barcode": {"type": "qr", "value": value}}); 20]});
    let result = run.result(Tool::WatermarkPdf, stamps(filling.clone()));
    let forms = result.objects.values().filter(|object| object.as_stream().is_ok_and(|form| form.dict.has(b"BBox")));
    assert_eq!(forms.count(), 1);
    let failure = run.run(Tool::WatermarkPdf, stamps(format!("{{page}} {filling}"))).unwrap_err();
    assert_eq!(failure.code, ErrorCode::RenderFailed);
    assert!(failure.message.starts_with("`stamps[0].barcode` makes the codes larger than"), "{}", failure.message);
}

#[test]
fn a_mark_is_one_resource_of_its_page_however_many_tiles() {
    let run = Run::new().with(&plain("one", 1));
    let tiles = json!({"text": "a", "position": "tile", "fontSize": 10, "pages": "1"});
    let result = run.result(Tool::WatermarkPdf, json!({"stamps": [tiles]}));
    let content = &contents(&result)[0];
    assert!(content.matches("/Docmill0 Do").count() > 100 && !content.contains("Docmill1"), "{content}");
}

#[test]
fn emoji_and_characters_that_no_font_has_never_end_a_job() {
    let run = Run::new().with(&plain("one", 1));
    let stamps = json!([{"text": "Draft 🍺 日本語 Ελλάδα"}, {"text": "Page {page} \u{E123}", "position": "bottom"}]);
    let outcome = run.run(Tool::WatermarkPdf, json!({"stamps": stamps})).unwrap();
    let text = text_of(&run, 1);
    assert!(text.contains("Draft 🍺 日本語 Ελλάδα") && text.contains("Page 1"), "{text}");
    let missing: Vec<_> =
        outcome.warnings.iter().map(|warning| (warning.code.as_str(), warning.detail.as_deref())).collect();
    assert_eq!(missing, [("missing_glyph", Some("\u{E123}"))]);
}
