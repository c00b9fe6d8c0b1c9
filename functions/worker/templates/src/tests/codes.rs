//! Codes in templates: LibreOffice prints what is filled, poppler draws it, and another program reads the codes.

use std::io::Cursor;
use std::process::Command;

use base64::Engine as _;
use docmill_codes::Symbology;
use serde_json::{Value, json};
use zip::{ZipArchive, ZipWriter};

use super::fixture::*;
use crate::{Format, Reason, Warning};

const NAMESPACES: &str = "xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" \
    xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\" \
    xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
    xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"";

/// What another program reads from each page of the printed document: the code's format, and its text.
fn read(document: &[u8], extension: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("filled.{extension}"));
    std::fs::write(&file, document).unwrap();
    let printed = Command::new("soffice")
        .arg(format!("-env:UserInstallation=file://{}", folder.path().join("profile").display()))
        .args(["--headless", "--convert-to", "pdf", "--outdir"])
        .args([folder.path(), &file])
        .output()
        .expect("LibreOffice is missing: run infra/setup.sh system");
    assert!(printed.status.success(), "{printed:?}");
    assert_eq!(pictures_of(&folder.path().join("filled.pdf")), 0, "codes are vectors");
    let pages = folder.path().join("page");
    let drawn = Command::new("pdftoppm")
        // With 300, this reader crashes on a bar code.
        .args(["-r", "200", "-png"])
        .args([&folder.path().join("filled.pdf"), &pages])
        .status()
        .unwrap();
    assert!(drawn.success());
    let mut pages: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|file| file.extension().is_some_and(|extension| extension == "png"));
    pages.sort();
    let output = Command::new("ZXingReader").arg("-1").args(&pages).output().expect("zxing-cpp-tools is missing");
    assert!(output.status.code().is_some(), "{output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| line.split_once(' ').map_or(line, |(_, read)| read).trim().to_owned()).collect()
}

/// How many pictures of pixels a PDF has.
fn pictures_of(file: &std::path::Path) -> usize {
    let listed = Command::new("pdfimages").arg("-list").arg(file).output().unwrap();
    assert!(listed.status.success(), "{listed:?}");
    String::from_utf8(listed.stdout).unwrap().lines().skip(2).count()
}

/// A document with a page for each content, and the page's height in twentieths of a point.
fn pages_of(contents: &[(String, u32)]) -> Vec<u8> {
    let page = |height| {
        format!(
            "<w:sectPr><w:pgSz w:w=\"5103\" w:h=\"{height}\"/><w:pgMar w:top=\"400\" w:right=\"400\" w:bottom=\"400\" w:left=\"400\" \
             w:header=\"0\" w:footer=\"0\" w:gutter=\"0\"/></w:sectPr>"
        )
    };
    let last = contents.len() - 1;
    let paragraph = |(index, (run, height)): (usize, &(String, u32))| {
        let (inside, after) =
            if index < last { (page(*height), String::new()) } else { (String::new(), page(*height)) };
        format!("<w:p><w:pPr><w:jc w:val=\"center\"/>{inside}</w:pPr><w:r>{run}</w:r></w:p>{after}")
    };
    docx(&contents.iter().enumerate().map(paragraph).collect::<String>())
}

fn data() -> Value {
    json!({
        "url": "https://docmill.example/42",
        "number": 400_638_133_393_u64,
        "sku": "INV-2026-00042",
        "payment": {"name": "Ada & Söhne", "iban": "DE89370400440532013000", "amount": 12.5, "text": "42"},
        "bill": {
            "iban": "CH9300762011623852957", "amount": "5.00",
            "creditor": {"name": "Ada", "postalCode": "8000", "town": "Zürich", "country": "CH"},
        },
    })
}

#[test]
fn codes_in_a_word_document_are_read_from_its_printed_pages() {
    let placeholder = format!(
        "<w:drawing {NAMESPACES}><wp:inline><wp:extent cx=\"1800000\" cy=\"900000\"/><wp:docPr id=\"1\" name=\"x\" descr=\"{{%url|qr}}\"/>\
         <a:graphic><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:pic><pic:nvPicPr>\
         <pic:cNvPr id=\"1\" name=\"x\"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed=\"rId9\"/><a:stretch><a:fillRect/>\
         </a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"1800000\" cy=\"900000\"/></a:xfrm>\
         <a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>"
    );
    const HIGH: u32 = 4500;
    // The reader looks for a Data Matrix in the middle of the page.
    let tags = [
        ("url | qr:30", HIGH),
        ("number | ean13", HIGH),
        ("sku|code128", HIGH),
        ("sku | datamatrix:12", 1700),
        ("sku | pdf417", HIGH),
        ("payment|epc", HIGH),
        ("bill|swiss-qr", HIGH),
    ];
    let mut contents: Vec<_> = tags.iter().map(|(tag, high)| (format!("<w:t>{{%{tag}}}</w:t>"), *high)).collect();
    contents.push((placeholder, HIGH));
    let result = render(pages_of(&contents), Format::Docx, &data());
    assert_eq!(result.warnings, []);
    let xml = part(&result.bytes, "word/document.xml");
    // 25 modules of 30 mm, and 4 around; in the placeholder, as high as that.
    assert!(xml.contains("<wp:extent cx=\"1425600\" cy=\"1425600\"/>"), "{xml}");
    assert!(xml.contains("<wp:extent cx=\"900000\" cy=\"900000\"/>"), "{xml}");
    let found = read(&result.bytes, "docx");
    assert_eq!(found.len(), 8, "{found:#?}");
    for (found, (format, text)) in found.iter().zip([
        ("QRCode", "https://docmill.example/42"),
        ("EAN-13", "4006381333931"),
        ("Code128", "INV-2026-00042"),
        ("DataMatrix", "INV-2026-00042"),
        ("PDF417", "INV-2026-00042"),
        (
            "QRCode",
            "BCD<LF>002<LF>1<LF>SCT<LF><LF>Ada & S<U+F6>hne<LF>DE89370400440532013000<LF>EUR12.50<LF><LF><LF>42",
        ),
        ("QRCode", "SPC<LF>0200<LF>1<LF>CH9300762011623852957<LF>"),
        ("QRCode", "https://docmill.example/42"),
    ]) {
        assert!(found.starts_with(format) && found.contains(text), "{found}, not {format} {text}");
    }
}

#[test]
fn a_code_takes_the_place_of_a_picture_on_a_slide() {
    let picture = "<p:pic><p:nvPicPr><p:cNvPr id=\"90\" name=\"x\" descr=\"{%url|qr}\"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr>\
        <p:blipFill><a:blip r:embed=\"rId99\"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm><a:off x=\"3000000\" \
        y=\"2000000\"/><a:ext cx=\"1500000\" cy=\"1500000\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr></p:pic>";
    let talk = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/office/talk.pptx")).unwrap();
    let slide = part(&talk, "ppt/slides/slide1.xml").replace("</p:spTree>", &format!("{picture}</p:spTree>"));
    let (mut source, mut template) =
        (ZipArchive::new(Cursor::new(talk)).unwrap(), ZipWriter::new(Cursor::new(Vec::new())));
    for index in 0..source.len() {
        let entry = source.by_index_raw(index).unwrap();
        if entry.name().unwrap() != "ppt/slides/slide1.xml" {
            template.raw_copy_file(entry).unwrap();
        }
    }
    template.start_file("ppt/slides/slide1.xml", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut template, slide.as_bytes()).unwrap();
    let result =
        render(template.finish().unwrap().into_inner(), Format::Pptx, &json!({"url": "https://docmill.example/42"}));
    let found = read(&result.bytes, "pptx");
    assert!(found[0].starts_with("QRCode") && found[0].contains("https://docmill.example/42"), "{found:?}");
}

#[test]
fn a_code_takes_the_place_of_a_picture_in_a_sheet() {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let packages = "http://schemas.openxmlformats.org/package/2006";
    let drawing = "http://schemas.openxmlformats.org/drawingml/2006";
    let related = |entries: &[(&str, &str)]| {
        let entry = |(kind, target): &(&str, &str)| {
            format!("<Relationship Id=\"{kind}\" Type=\"{office}/{kind}\" Target=\"/{target}\"/>")
        };
        let entries: String = entries.iter().map(entry).collect();
        format!("<Relationships xmlns=\"{packages}/relationships\">{entries}</Relationships>")
    };
    let kind = "application/vnd.openxmlformats-officedocument";
    let types = format!(
        "<Types xmlns=\"{packages}/content-types\"><Default Extension=\"xml\" ContentType=\"application/xml\"/>\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Override PartName=\"/xl/workbook.xml\" ContentType=\"{kind}.spreadsheetml.sheet.main+xml\"/>\
         <Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"{kind}.spreadsheetml.worksheet+xml\"/>\
         <Override PartName=\"/xl/drawings/drawing1.xml\" ContentType=\"{kind}.drawing+xml\"/></Types>"
    );
    let at = |name: &str, column, row| {
        format!(
            "<xdr:{name}><xdr:col>{column}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>{row}</xdr:row>\
             <xdr:rowOff>0</xdr:rowOff></xdr:{name}>"
        )
    };
    let picture = format!(
        "<xdr:wsDr xmlns:xdr=\"{drawing}/spreadsheetDrawing\" {NAMESPACES}><xdr:twoCellAnchor editAs=\"oneCell\">{}{}<xdr:pic>\
         <xdr:nvPicPr><xdr:cNvPr id=\"2\" name=\"x\" descr=\"{{%url|qr}}\"/><xdr:cNvPicPr/></xdr:nvPicPr><xdr:blipFill>\
         <a:blip r:embed=\"rId1\"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill><xdr:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/>\
         <a:ext cx=\"1200000\" cy=\"900000\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic>\
         <xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>",
        at("from", 1, 2),
        at("to", 3, 9)
    );
    let template = archive(&[
        ("[Content_Types].xml", &types),
        ("_rels/.rels", &related(&[("officeDocument", "xl/workbook.xml")])),
        (
            "xl/workbook.xml",
            &format!(
                "<workbook xmlns=\"{main}\" xmlns:r=\"{office}\"><sheets><sheet name=\"A\" sheetId=\"1\" r:id=\"worksheet\"/>\
                 </sheets></workbook>"
            ),
        ),
        ("xl/_rels/workbook.xml.rels", &related(&[("worksheet", "xl/worksheets/sheet1.xml")])),
        (
            "xl/worksheets/sheet1.xml",
            &format!(
                "<worksheet xmlns=\"{main}\" xmlns:r=\"{office}\"><sheetData/><drawing r:id=\"drawing\"/></worksheet>"
            ),
        ),
        ("xl/worksheets/_rels/sheet1.xml.rels", &related(&[("drawing", "xl/drawings/drawing1.xml")])),
        ("xl/drawings/drawing1.xml", &picture),
    ]);
    let result = render(template, Format::Xlsx, &data());
    let drawing = part(&result.bytes, "xl/drawings/drawing1.xml");
    assert!(drawing.contains("<xdr:ext cx=\"900000\" cy=\"900000\"/>") && !drawing.contains("xdr:to"), "{drawing}");
    let found = read(&result.bytes, "xlsx");
    assert!(found[0].starts_with("QRCode") && found[0].contains("https://docmill.example/42"), "{found:?}");
}

#[test]
fn codes_stand_in_the_text_and_in_frames_of_an_open_document() {
    let names = "urn:oasis:names:tc:opendocument:xmlns";
    let content = format!(
        "<office:document-content xmlns:office=\"{names}:office:1.0\" xmlns:text=\"{names}:text:1.0\" xmlns:style=\"{names}:style:1.0\" \
         xmlns:draw=\"{names}:drawing:1.0\" xmlns:svg=\"{names}:svg-compatible:1.0\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
         xmlns:fo=\"{names}:xsl-fo-compatible:1.0\" office:version=\"1.3\"><office:automatic-styles><style:style style:name=\"B\" \
         style:family=\"paragraph\"><style:paragraph-properties fo:break-before=\"page\"/></style:style></office:automatic-styles>\
         <office:body><office:text><text:p>Scan: {{%url|qr:30}}</text:p><text:p text:style-name=\"B\"><draw:frame \
         text:anchor-type=\"as-char\" svg:width=\"8cm\" svg:height=\"3cm\"><draw:image xlink:href=\"Pictures/x.png\"/>\
         <svg:title>{{%sku|code128}}</svg:title></draw:frame></text:p></office:text></office:body></office:document-content>"
    );
    let manifest = "<manifest:manifest xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\"><manifest:file-entry \
        manifest:full-path=\"/\" manifest:media-type=\"application/vnd.oasis.opendocument.text\"/><manifest:file-entry \
        manifest:full-path=\"content.xml\" manifest:media-type=\"text/xml\"/></manifest:manifest>";
    let kind = "application/vnd.oasis.opendocument.text";
    let template = archive(&[("mimetype", kind), ("META-INF/manifest.xml", manifest), ("content.xml", &content)]);
    let result = render(template, Format::Odt, &data());
    let xml = part(&result.bytes, "content.xml");
    assert!(xml.contains("svg:width=\"3.9600cm\" svg:height=\"3.9600cm\""), "{xml}");
    let found = read(&result.bytes, "odt");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("QRCode") && found[0].contains("https://docmill.example/42"), "{found:?}");
    assert!(found[1].starts_with("Code128") && found[1].contains("INV-2026-00042"), "{found:?}");
}

#[test]
fn html_has_codes_as_vectors() {
    let page = "<p>{#rows}{%.|qr}{/rows}</p><img src=\"{%id|code128}\">";
    let result = render(page.into(), Format::Html, &json!({"rows": ["a", "b"], "id": "X1"}));
    let uri = |symbology, text: &str| {
        let svg = docmill_codes::encode_text(symbology, text).unwrap().svg();
        format!("data:image/svg+xml;base64,{}", base64::engine::general_purpose::STANDARD.encode(svg))
    };
    let (first, second) = (uri(Symbology::Qr, "a"), uri(Symbology::Qr, "b"));
    assert_eq!(
        String::from_utf8(result.bytes).unwrap(),
        format!(
            "<p><img src=\"{first}\" alt=\"\"><img src=\"{second}\" alt=\"\"></p><img src=\"{}\">",
            uri(Symbology::Code128, "X1")
        )
    );
}

#[test]
fn what_a_code_can_not_hold_is_told_with_its_place() {
    for (tag, value, message) in [
        (
            "{%x|ean13}",
            json!("4006381333932"),
            "The value can't be drawn as an EAN-13: the check digit is wrong: it should be 1.",
        ),
        (
            "{%x|qr}",
            json!("a".repeat(4000)),
            "The value can't be drawn as a QR code: the value is too long for a QR code:",
        ),
        ("{%x|qr}", json!({"a": 1}), "The value can't be drawn as a QR code: a QR code needs text: give a string."),
        ("{%x|epc}", json!({"iban": "DE1"}), "The value can't be drawn as an EPC payment code: `name` "),
    ] {
        let found = problems(docx(&paragraph(&format!("Pay: {tag}"))), Format::Docx, &json!({"x": value}));
        assert!(found[0].message.starts_with(message), "{}", found[0].message);
        assert_eq!((found[0].reason, found[0].tag.as_str()), (Reason::UnusableValue, tag));
        assert_eq!(found[0].place.text, format!("Pay: {tag}"));
    }
    let result = render(docx(&paragraph("{%x|qr}")), Format::Docx, &json!({"x": null}));
    assert_eq!(result.warnings, [Warning::PictureMissing(vec!["{%x|qr}".to_owned()])]);
}

#[test]
fn mistakes_in_tags_of_codes_are_told() {
    for (tag, reason, message) in [
        ("{x|qr}", Reason::InvalidTag, "`qr` draws a picture: begin the tag with `%`, and end it with this filter."),
        (
            "{%x|qr|upper}",
            Reason::InvalidTag,
            "`qr` draws a picture: begin the tag with `%`, and end it with this filter.",
        ),
        ("{%x|qr:0}", Reason::InvalidTag, "A code's width is a number of millimeters: `qr:30`."),
        ("{%x|qr:'big'}", Reason::InvalidTag, "A code's width is a number of millimeters: `qr:30`."),
        ("{%x|code182}", Reason::UnknownFilter, "There is no filter `code182`. Did you mean `code128`?"),
    ] {
        let found = problems(docx(&paragraph(tag)), Format::Docx, &json!({"x": "1"}));
        assert_eq!((found[0].reason, found[0].message.as_str()), (reason, message), "{tag}");
    }
}

#[test]
fn the_example_of_the_data_can_be_drawn() {
    let tags: Vec<String> =
        Symbology::ALL.map(|code| format!("{{%{}|{}}}", code.name().replace('-', "_"), code.name())).into();
    let template = open(docx(&paragraph(&tags.concat())), Format::Docx);
    let expected = template.expected();
    assert_eq!(expected.schema["properties"]["epc"]["type"], json!(["object", "null"]));
    assert_eq!(expected.schema["properties"]["ean13"]["type"], json!(["string", "integer", "null"]));
    let rendered = template.render(&expected.example).unwrap();
    assert_eq!(rendered.warnings, []);
    assert_eq!(part(&rendered.bytes, "word/document.xml").matches("<w:drawing>").count(), 9);
}
