use std::io::{Cursor, Write};

use docmill_engine::{Encoding, Inspection, Limits};
use tempfile::NamedTempFile;
use url::Url;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
const EXCEL: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml";
const DOCTYPE: &str = "<!DOCTYPE a [<!ENTITY b 'x'>]><a/>";
const NESTED_DOCTYPE: &str = "<!DOCTYPE a [<!ENTITY b 'x'><!ENTITY c '&b;&b;'>]><a/>";
const PUBLIC_DOCTYPE: &str = "<!DOCTYPE a PUBLIC '-//X//Y' 'a.dtd'><a/>";

pub(super) fn file(content: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(content).expect("written");
    file
}

pub(super) fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        zip.write_all(content).expect("written");
    }
    zip.finish().expect("an archive").into_inner()
}

/// A package whose main part has this name and content type, with more parts.
pub(super) fn ooxml(main: &str, content_type: &str, body: &str, more: &[(&str, &[u8])]) -> Vec<u8> {
    let types = format!("<Types><Override PartName='/{main}' ContentType='{content_type}'/></Types>");
    let relationships = format!(
        "<Relationships><Relationship Type='http://x/thumbnail' Target='t.png'/>\
         <Relationship Type='http://x/officeDocument' Target='{main}'/></Relationships>"
    );
    let description =
        [("[Content_Types].xml", types.as_bytes()), ("_rels/.rels", relationships.as_bytes()), (main, body.as_bytes())];
    archive(&[&description, more].concat())
}

fn docx(more: &[(&str, &[u8])]) -> Vec<u8> {
    ooxml("word/document.xml", WORD, "<w:document/>", more)
}

fn odt(more: &[(&str, &[u8])]) -> Vec<u8> {
    let description = [("mimetype", &b"application/vnd.oasis.opendocument.text"[..]), ("content.xml", b"<office:d/>")];
    archive(&[&description, more].concat())
}

pub(super) fn compound(streams: &[(&str, &[u8])]) -> Vec<u8> {
    let mut compound = cfb::CompoundFile::create(Cursor::new(Vec::new())).expect("a compound file");
    for (name, content) in streams {
        compound.create_stream(name).expect("a stream").write_all(content).expect("written");
    }
    compound.into_inner().into_inner()
}

fn identified(content: &[u8], hints: Hints<'_>) -> Result<Format, (JobErrorCode, String)> {
    identify(file(content).path(), hints).map_err(|failure| (failure.code, failure.message))
}

fn format(content: &[u8]) -> Format {
    identified(content, Hints::default()).expect("taken")
}

fn refusal(content: &[u8]) -> (JobErrorCode, String) {
    identified(content, Hints::default()).expect_err("refused")
}

fn checked(content: &[u8], format: Format) -> Result<Inspection, (JobErrorCode, String)> {
    checked_within(content, format, &Limits::default())
}

fn checked_within(content: &[u8], format: Format, limits: &Limits) -> Result<Inspection, (JobErrorCode, String)> {
    check(file(content).path(), format, limits).map_err(|failure| (failure.code, failure.message))
}

fn assert_refused<T: std::fmt::Debug>(result: Result<T, (JobErrorCode, String)>, code: JobErrorCode, words: &str) {
    let (actual, message) = result.expect_err(words);
    assert!(actual == code && message.contains(words), "{actual:?}: {message}");
}

#[test]
fn ooxml_is_what_its_main_part_is() {
    let cases = [
        (WORD, Format::Docx),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml", Format::Dotx),
        (EXCEL, Format::Xlsx),
        ("application/vnd.ms-excel.sheet.macroEnabled.main+xml", Format::Xlsm),
        ("application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml", Format::Pptx),
    ];
    for (content_type, expected) in cases {
        // The main part may have any name, and the file's name does not override its content.
        let hints = Hints { filename: Some("x.csv"), content_type: Some("text/html"), url: None };
        assert_eq!(identified(&ooxml("any/Name.xml", content_type, "<a/>", &[]), hints), Ok(expected));
    }
    let by_default = archive(&[
        ("[Content_Types].xml", format!("<Types><Default Extension='XML' ContentType='{WORD}'/></Types>").as_bytes()),
        (
            "_rels/.rels",
            b"<R><Relationship Target='/document.xml' Type='http://purl.oclc.org/ooxml/officeDocument'/></R>",
        ),
        ("document.xml", b"<a/>"),
    ]);
    assert_eq!(format(&by_default), Format::Docx);
}

#[test]
fn unsupported_relatives_are_named() {
    let macros = "application/vnd.ms-word.document.macroEnabled.main+xml";
    let message = "a Word document with macros (docm)";
    assert_refused(
        Err::<(), _>(refusal(&ooxml("a.xml", macros, "<a/>", &[]))),
        JobErrorCode::UnsupportedFormat,
        message,
    );
    let cases: [(&[u8], &str); 16] = [
        (b"<!DOCTYPE html><p>", "an HTML page"),
        (b"\xEF\xBB\xBF <?xml version='1.0'?><!-- x --><html xmlns='x'/>", "an HTML page"),
        (b"\n<TABLE border=1>", "an HTML page"),
        (b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n\0", "a PDF"),
        (b"%PDF-1.4\nall text", "a PDF"),
        (b"\x89PNG\r\n\x1A\n\0\0", "a picture (PNG)"),
        (b"<?xml version='1.0'?><svg/>", "an XML file"),
        (b"<?xml version='1.0'?><?mso-application progid='Excel.Sheet'?><Workbook/>", "an XML file"),
        (b"MIME-Version: 1.0\r\nContent-Type: multipart/related", "a saved web page"),
        (b"text\0text", "a binary file"),
        (&archive(&[("a.txt", b"a")]), "a ZIP archive"),
        (&archive(&[("mimetype", b"application/epub+zip")]), "an EPUB book"),
        (&archive(&[("mimetype", b"application/vnd.oasis.opendocument.base")]), "an OpenDocument file of another kind"),
        (&compound(&[("VisioDocument", b"")]), "a Visio drawing"),
        (&compound(&[("else", b"")]), "a compound file"),
        (b"\x1F\x8B\x08", "a gzip archive"),
    ];
    for (content, words) in cases {
        let (code, message) = refusal(content);
        assert_eq!(code, JobErrorCode::UnsupportedFormat, "{words}");
        assert!(message.contains(words) && !message.contains("docx, doc"), "{message}");
    }
    assert!(refusal(b"<html>").1.contains("html-to-pdf"));
}

#[test]
fn empty_and_incomplete_files_are_corrupt() {
    let whole = docx(&[]);
    let main_missing = archive(&[("[Content_Types].xml", b"<Types/>"), ("_rels/.rels", b"<R/>")]);
    let dangling = archive(&[
        ("[Content_Types].xml", format!("<T><Override PartName='/w.xml' ContentType='{WORD}'/></T>").as_bytes()),
        ("_rels/.rels", b"<R><Relationship Type='x/officeDocument' Target='w.xml'/></R>"),
    ]);
    let undescribed = archive(&[("word/document.xml", b"<a/>")]);
    let cut = &whole[..whole.len() / 2];
    for content in [&b""[..], cut, b"PK\x03\x04", &main_missing, &dangling, &undescribed, compound::MAGIC] {
        assert_eq!(refusal(content).0, JobErrorCode::CorruptDocument);
    }
}

#[test]
fn opendocument_is_what_its_media_type_says() {
    for (kind, expected) in
        [("text", Format::Odt), ("spreadsheet", Format::Ods), ("presentation", Format::Odp), ("graphics", Format::Odg)]
    {
        let media_type = format!("application/vnd.oasis.opendocument.{kind}");
        assert_eq!(format(&archive(&[("mimetype", media_type.as_bytes())])), expected);
        assert_eq!(format(&archive(&[("mimetype", format!("{media_type}-template").as_bytes())])), expected);
        let manifest = format!("<m:m><m:file-entry m:media-type='{media_type}' m:full-path='/'/></m:m>");
        assert_eq!(format(&archive(&[("META-INF/manifest.xml", manifest.as_bytes())])), expected);
        let flat = format!("<?xml version='1.0'?><office:document office:mimetype='{media_type}'/>");
        match kind {
            "graphics" => assert_eq!(refusal(flat.as_bytes()).0, JobErrorCode::UnsupportedFormat),
            _ => assert_eq!(format(flat.as_bytes()).extension(), format!("f{}", expected.extension())),
        }
    }
}

#[test]
fn binary_formats_are_what_their_streams_show() {
    assert_eq!(format(&compound(&[("WordDocument", b"")])), Format::Doc);
    assert_eq!(format(&compound(&[("Workbook", b"")])), Format::Xls);
    assert_eq!(format(&compound(&[("Book", b"")])), Format::Xls);
    assert_eq!(format(&compound(&[("PowerPoint Document", b"")])), Format::Ppt);
    assert_eq!(format(b"\x09\x04\x06\0\0\0\x10\0rest"), Format::Xls);
    assert_eq!(format(b"{\\rtf1 text}"), Format::Rtf);
    assert_eq!(format(b"{\\rtf1 \\bin2 \0\x01}"), Format::Rtf);
}

#[test]
fn an_encrypted_package_is_identified_by_its_name() {
    let package = compound(&[("EncryptedPackage", b""), ("EncryptionInfo", b"")]);
    let sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet; x=y";
    let url = Url::parse("https://example.com/a.pptx?b.xlsx").expect("a URL");
    let cases = [
        (Hints { filename: Some("A.XLSM"), content_type: Some(sheet), url: Some(&url) }, Format::Xlsm),
        (Hints { filename: Some("a.txt"), content_type: Some(sheet), url: Some(&url) }, Format::Xlsx),
        (Hints { filename: Some("a"), content_type: Some("application/octet-stream"), url: Some(&url) }, Format::Pptx),
        (Hints::default(), Format::Docx),
    ];
    for (hints, expected) in cases {
        assert_eq!(identified(&package, hints), Ok(expected));
        assert_eq!(checked(&package, expected), Ok(Inspection { encrypted: true, ..Inspection::default() }));
    }
}

#[test]
fn plain_text_is_identified_by_its_name_and_then_by_its_content() {
    let table = b"a,b,c\n1,\"2,2\",3\n4,5,6\n";
    let csv_url = Url::parse("https://example.com/a.csv").expect("a URL");
    let bare_url = Url::parse("https://example.com/a").expect("a URL");
    type Case<'a> = (&'a [u8], Option<&'a str>, Option<&'a str>, &'a Url, Format);
    let cases: [Case<'_>; 11] = [
        (b"x", Some("a.CSV"), Some("text/tab-separated-values"), &bare_url, Format::Csv),
        (table, Some("a.txt"), Some("text/csv"), &csv_url, Format::Txt),
        (b"x", Some("a.docx"), Some("text/tab-separated-values; charset=x"), &csv_url, Format::Tsv),
        (b"x", None, Some("Text/CSV"), &bare_url, Format::Csv),
        (b"x", None, Some("text/plain"), &csv_url, Format::Csv),
        (table, None, Some("text/plain; charset=utf-8"), &bare_url, Format::Txt),
        (table, None, Some("application/octet-stream"), &bare_url, Format::Csv),
        (table, None, None, &bare_url, Format::Csv),
        (b"a\tb\nc\td\ne\tf\n", None, None, &bare_url, Format::Tsv),
        (b"Hello, world, yes.\nNo, not here.\nEnd.\n", None, None, &bare_url, Format::Txt),
        (b"\xFF\xFEa\0;\0b\0;\0\n\0c\0;\0d\0;\0\n\0e\0;\0;\0\n\0", None, None, &bare_url, Format::Csv),
    ];
    for (content, filename, content_type, url, expected) in cases {
        let hints = Hints { filename, content_type, url: Some(url) };
        assert_eq!(identified(content, hints), Ok(expected), "{hints:?}");
    }
}

#[test]
fn plain_text_that_is_called_an_office_document_is_refused() {
    let hints = |filename| Hints { filename: Some(filename), content_type: Some("text/plain"), url: None };
    for name in ["report.docx", "Table.XLSX", "talk.odp"] {
        let words = "plain text, although its name";
        assert_refused(identified(b"Please sign in.\n", hints(name)), JobErrorCode::CorruptDocument, words);
    }
    let url = Url::parse("https://example.com/report.docx?key=x").expect("a URL");
    let from_url = Hints { url: Some(&url), ..Hints::default() };
    assert_refused(identified(b"Please sign in.\n", from_url), JobErrorCode::CorruptDocument, "plain text");
    // Programs write tables as text under Excel's old extension, and Excel opens them.
    assert_eq!(identified(b"a\tb\nc\td\ne\tf\n", Hints { content_type: None, ..hints("table.xls") }), Ok(Format::Tsv));
}

#[test]
fn the_encoding_of_text_is_detected() {
    let long = [vec![b'x'; (1 << 16) - 1], "ü".repeat(1 << 16).into_bytes()].concat();
    let russian = "Первая строка\n".repeat(9);
    let russian: Vec<u8> = russian.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let (stray, strays) = ([&[b'x'; 99][..], b"\x16"].concat(), [&[b'x'; 98][..], b"\x16\x01"].concat());
    let cases: [(&[u8], Option<Encoding>); 16] = [
        (&stray, Some(Encoding::Utf8)),
        (&strays, None),
        (b"deleted\x7F", Some(Encoding::Utf8)),
        (&russian, Some(Encoding::Utf16Be)),
        (b"plain\r\n\x0C\x1A", Some(Encoding::Utf8)),
        ("\u{feff}mit Umlaut: ü".as_bytes(), Some(Encoding::Utf8)),
        (&long, Some(Encoding::Utf8)),
        (&long[..long.len() - 1], Some(Encoding::Legacy)),
        (b"mit Umlaut: \xFC", Some(Encoding::Legacy)),
        (b"\xFF\xFEa\0\n\0", Some(Encoding::Utf16Le)),
        (b"\xFE\xFF\0a\x20\x14", Some(Encoding::Utf16Be)),
        (b"w\0i\0t\0h\0o\0u\0t\0", Some(Encoding::Utf16Le)),
        (b"\0w\0i\0t\0h\0o\0u\0t", Some(Encoding::Utf16Be)),
        (b"\xFF\xFEa\0\0\0", None),
        (b"\xFF\xFE\0\0a\0\0\0", None),
        (b"bell\x07", None),
    ];
    for (content, expected) in cases {
        let found = checked(content, Format::Txt).ok().and_then(|inspection| inspection.encoding);
        assert_eq!(found, expected, "{:?}", content.get(..20).unwrap_or(content));
    }
}

#[test]
fn sound_packages_pass() {
    let svg = format!("<?xml version='1.0'?>{PUBLIC_DOCTYPE}");
    let html = b"<!DOCTYPE html><p>";
    let parts = [("word/media/a.svg", svg.as_bytes()), ("word/afchunk.htm", html), ("customXml/broken.xml", b"<a>")];
    assert_eq!(checked(&docx(&parts), Format::Docx), Ok(Inspection::default()));
    let parts = [
        ("META-INF/manifest.xml", PUBLIC_DOCTYPE.as_bytes()),
        ("Basic/Standard/Module1.xml", PUBLIC_DOCTYPE.as_bytes()),
    ];
    assert_eq!(checked(&odt(&parts), Format::Odt), Ok(Inspection { has_macros: true, ..Inspection::default() }));
    let flat = b"<?xml version='1.0'?><office:document/>";
    assert_eq!(checked(flat, Format::Fodt), Ok(Inspection::default()));
}

#[test]
fn parts_of_pages_must_be_well_formed() {
    let words = "not well-formed";
    let broken = ooxml("word/document.xml", WORD, "<a><b></a>", &[]);
    assert_refused(checked(&broken, Format::Docx), JobErrorCode::CorruptDocument, words);
    let sheet = ooxml("xl/workbook.xml", EXCEL, "<a/>", &[("xl/worksheets/sheet1.xml", b"<a")]);
    assert_refused(checked(&sheet, Format::Xlsx), JobErrorCode::CorruptDocument, words);
    let media_type = &b"application/vnd.oasis.opendocument.text"[..];
    let content = archive(&[("mimetype", media_type), ("content.xml", b"")]);
    assert_refused(checked(&content, Format::Odt), JobErrorCode::CorruptDocument, words);
    let missing = archive(&[("mimetype", media_type)]);
    assert_refused(checked(&missing, Format::Odt), JobErrorCode::CorruptDocument, "missing");
    assert_refused(checked(b"<office:document>", Format::Fodt), JobErrorCode::CorruptDocument, words);
}

#[test]
fn document_types_are_refused_in_every_part_that_could_declare_something() {
    let utf16: Vec<u8> = DOCTYPE.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cases = [
        (ooxml("word/document.xml", WORD, DOCTYPE, &[]), Format::Docx),
        (docx(&[("word/styles.xml", PUBLIC_DOCTYPE.as_bytes())]), Format::Docx),
        (docx(&[("word/_rels/document.xml.rels", PUBLIC_DOCTYPE.as_bytes())]), Format::Docx),
        (docx(&[("word/media/a.emf", DOCTYPE.as_bytes())]), Format::Docx),
        (docx(&[("word/media/a.svg", NESTED_DOCTYPE.as_bytes())]), Format::Docx),
        (odt(&[("Pictures/a.svg", NESTED_DOCTYPE.as_bytes())]), Format::Odt),
        (docx(&[("any.bin", &utf16)]), Format::Docx),
        (odt(&[("styles.xml", DOCTYPE.as_bytes())]), Format::Odt),
        (odt(&[("META-INF/manifest.xml", DOCTYPE.as_bytes())]), Format::Odt),
        (format!("<?xml version='1.0'?>{PUBLIC_DOCTYPE}").into_bytes(), Format::Fodt),
    ];
    for (content, format) in cases {
        assert_refused(checked(&content, format), JobErrorCode::CorruptDocument, "document type declaration");
    }
}

#[test]
fn an_archive_is_limited_by_its_actual_unpacked_size() {
    let limits = Limits { unpacked_bytes: 2 << 20, archive_entries: 5, ..Limits::default() };
    let large = vec![0; (2 << 20) + 1];
    let mut bomb = docx(&[("word/media/a.bin", &large)]);
    assert_refused(
        checked_within(&bomb, Format::Docx, &limits),
        JobErrorCode::SourceTooLarge,
        "unpacks to more than 2 MiB",
    );
    // The same with headers that declare a small size.
    let declared = u32::try_from(large.len()).expect("small").to_le_bytes();
    while let Some(at) = bomb.windows(4).position(|window| window == declared) {
        bomb[at..at + 4].copy_from_slice(&[1, 0, 0, 0]);
    }
    assert_refused(
        checked_within(&bomb, Format::Docx, &limits),
        JobErrorCode::SourceTooLarge,
        "unpacks to more than 2 MiB",
    );
    // The limit applies to the total, including the parsed part.
    let body = format!("<a>{}</a>", " ".repeat(3 << 20));
    let long = ooxml("word/document.xml", WORD, &body, &[]);
    assert_refused(
        checked_within(&long, Format::Docx, &limits),
        JobErrorCode::SourceTooLarge,
        "unpacks to more than 2 MiB",
    );

    let many = docx(&[("a", b""), ("b", b""), ("c", b"")]);
    assert_refused(checked_within(&many, Format::Docx, &limits), JobErrorCode::SourceTooLarge, "more than 5 entries");
    assert!(checked_within(&docx(&[("a", b""), ("b", b"")]), Format::Docx, &limits).is_ok());
}

#[test]
fn a_workbook_is_limited_by_the_text_of_its_cells() {
    let relationships = b"<R><Relationship Type='http://x/sharedStrings' Target='any.xml'/>\
        <Relationship Type='http://x/worksheet' Target='/xl/sheet.xml'/></R>";
    let workbook = |strings: &str, cells: usize| {
        let sheet = format!("<s><c t='n'><v>0</v></c>{}</s>", "<c t='s'><f>A1</f><v>1</v></c>".repeat(cells));
        let parts = [
            ("xl/_rels/workbook.xml.rels", &relationships[..]),
            ("xl/any.xml", strings.as_bytes()),
            ("xl/sheet.xml", sheet.as_bytes()),
        ];
        let package = ooxml("xl/workbook.xml", EXCEL, "<workbook/>", &parts);
        let started = std::time::Instant::now();
        let checked = checked(&package, Format::Xlsx);
        assert!(started.elapsed().as_secs() < 60, "it is refused by the text, and not by the clock");
        (package.len(), checked)
    };
    let long = format!("<sst><si><t>a</t></si><si><r><t>{}</t></r></si></sst>", "x".repeat(1 << 20));
    assert!(workbook(&long, 64).1.is_ok());
    // Each cell shows the same mebibyte.
    let (size, shown) = workbook(&long, 65);
    assert_refused(shown, JobErrorCode::SourceTooLarge, "unpacks to more than 64 MiB");
    assert!(size < 10_000, "{size}");
    // Strings that no cell shows are read all the same.
    let many =
        format!("<sst>{}</sst>", "<si><t>xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx</t></si>".repeat(1 << 21));
    assert_refused(workbook(&many, 0).1, JobErrorCode::SourceTooLarge, "unpacks to more than 64 MiB");
}

#[test]
fn entries_that_overlap_or_share_a_name_are_refused() {
    let whole = docx(&[("first.bin", b"content"), ("other.bin", b"content")]);
    let mut same_name = whole.clone();
    while let Some(at) = same_name.windows(9).position(|window| window == b"other.bin") {
        same_name[at..at + 9].copy_from_slice(b"first.bin");
    }
    assert_refused(checked(&same_name, Format::Docx), JobErrorCode::CorruptDocument, "same name");

    // The offset in the last directory header (at 42) is changed to the first entry.
    let mut overlapping = whole;
    let header = overlapping.windows(4).rposition(|window| window == b"PK\x01\x02").expect("a header");
    overlapping[header + 42..header + 46].copy_from_slice(&[0; 4]);
    assert_eq!(checked(&overlapping, Format::Docx).expect_err("overlapping").0, JobErrorCode::CorruptDocument);
}

#[test]
fn pictures_are_bounded_by_their_pixels() {
    let png = |width: u32, height: u32| {
        [b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR".as_slice(), &width.to_be_bytes(), &height.to_be_bytes(), &[8, 6, 0, 0, 0]]
            .concat()
    };
    let jpeg = |width: u16, height: u16| {
        let metadata = [&[0xFF, 0xE1, 0xFF, 0xFF][..], &[0; 65_533]].concat();
        let frame = [&[0xFF, 0xC0, 0, 17, 8][..], &height.to_be_bytes(), &width.to_be_bytes(), &[3; 12]].concat();
        [&[0xFF, 0xD8][..], &metadata, &metadata, &frame].concat()
    };
    for (picture, sound) in [
        (png(10_000, 10_000), true),
        (png(10_001, 10_000), false),
        (jpeg(10_000, 10_000), true),
        (jpeg(65_000, 10_000), false),
    ] {
        match checked(&docx(&[("word/media/image1", &picture)]), Format::Docx) {
            Ok(_) => assert!(sound),
            Err((code, message)) => {
                assert!(!sound && message.contains("100 megapixels"), "{message}");
                assert_eq!(code, JobErrorCode::SourceTooLarge);
            }
        }
    }
}

#[test]
fn encryption_is_detected_in_every_format() {
    let word = |flags: u8| compound(&[("WordDocument", &[0xEC, 0xA5, 0xC1, 0, 0, 0, 0, 0, 0, 0, 0, flags, 0, 0])]);
    let bof = [9, 8, 4, 0, 0, 6, 5, 0];
    let excel = |record: &[u8]| compound(&[("Workbook", &[&bof[..], record, &[10, 0, 0, 0, 0x2F, 0, 0, 0]].concat())]);
    let powerpoint = |token: [u8; 4]| {
        let atom = [&[0, 0, 0xF6, 0x0F, 20, 0, 0, 0, 20, 0, 0, 0][..], &token, &[0; 8]].concat();
        compound(&[("PowerPoint Document", b""), ("Current User", &atom)])
    };
    let manifest = b"<m:manifest><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>";
    // Parts of an encrypted document are not XML.
    let encrypted_odt = archive(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", manifest),
        ("content.xml", &[0xA5; 64]),
    ]);
    let cases = [
        (word(0x01), Format::Doc, true),
        (word(0x12), Format::Doc, false),
        (excel(&[0x2F, 0, 2, 0, 0, 0]), Format::Xls, true),
        (excel(&[0x86, 0, 0, 0]), Format::Xls, false),
        (powerpoint([0xDF, 0xC4, 0xD1, 0xF3]), Format::Ppt, true),
        (powerpoint([0x5F, 0xC0, 0x91, 0xE3]), Format::Ppt, false),
        (encrypted_odt, Format::Odt, true),
        (odt(&[]), Format::Odt, false),
        (compound(&[("WordDocument", b"")]), Format::Doc, false),
    ];
    for (content, format, encrypted) in cases {
        assert_eq!(checked(&content, format), Ok(Inspection { encrypted, ..Inspection::default() }), "{format:?}");
    }
}
