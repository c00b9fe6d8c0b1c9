use docmill_formats::Format;

use super::*;
use fixture::plain;

fn verified(content: &[u8], media: Format) -> Result<docmill_pdf_request::Artifact, Failure> {
    let mut run = Run::new();
    run.push(content, media);
    run.run(Tool::Verify, json!({})).map(|outcome| outcome.artifacts[0].clone())
}

#[test]
fn whole_files_are_accepted() {
    assert_eq!(verified(&plain("one", 3), Format::Pdf).unwrap().pages, Some(3));
    assert!(verified(br#"{"a": [1, 2]}"#, Format::Json).is_ok());
    let text = "ä".repeat(50_000);
    assert!(verified(format!("x{text}").as_bytes(), Format::Txt).is_ok());
    assert!(verified(b"", Format::Txt).is_ok(), "a scan has no words");
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(7, 5).write_to(&mut png, image::ImageFormat::Png).unwrap();
    let artifact = verified(png.get_ref(), Format::Png).unwrap();
    assert_eq!((artifact.width, artifact.height), (Some(7), Some(5)));
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("a.txt", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut archive, b"hello hello hello").unwrap();
    let mut archive = archive.finish().unwrap().into_inner();
    assert!(verified(&archive, Format::Zip).is_ok());
    archive[40] ^= 0xFF;
    assert!(verified(&archive, Format::Zip).is_err());
}

fn package(parts: &[&str]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for part in parts {
        archive.start_file(*part, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut archive, b"<xml/>").unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn office_files_have_the_declared_format() {
    let is = |content: &[u8], file| verified(content, file).is_ok();
    for file in Format::ALL.iter().copied() {
        if let Some(part) = file.main_part() {
            assert!(is(&package(&["other.xml", part]), file), "{file:?}");
            assert!(!is(&package(&["other.xml"]), file) && !is(b"{\\rtf1 }", file), "{file:?}");
        }
    }
    assert!(is(b"{\\rtf1\\ansi words}\n", Format::Rtf) && is(b"{\\rtf1\\ansi words}\n\0", Format::Rtf));
    assert!(!is(b"{\\rtf1\\ansi wor", Format::Rtf) && !is(b"words in a text}", Format::Rtf));
    assert!(is(b"", Format::Csv) && is(b"Zo\xEB;1\n", Format::Csv) && !is(b"a\0b", Format::Csv));
}

#[test]
fn damaged_files_are_refused() {
    let pdf = plain("one", 3);
    assert!(verified(&pdf[..pdf.len() - 100], Format::Pdf).is_err());
    assert!(verified(&plain("one", 0), Format::Pdf).is_err());
    assert!(verified(b"GIF89a", Format::Pdf).is_err());
    assert!(verified(b"", Format::Pdf).is_err());
    assert!(verified(b"", Format::Html).is_err());
    assert!(verified(b"{", Format::Json).is_err());
    assert!(verified(b"{}\n[1]\n", Format::JsonLines).is_ok() && verified(b"", Format::JsonLines).is_ok());
    assert!(verified(b"{}\n{\n", Format::JsonLines).is_err());
    assert!(verified(b"ab\xFFcd", Format::Txt).is_err());
    assert!(verified(b"abc\xC3", Format::Txt).is_err());
    assert!(verified(b"\x89PNG\r\n\x1A\n", Format::Png).is_err());
}

#[test]
fn fuzz_results() {
    docmill_fuzz::fuzz("pdf", &[], |content| {
        let run = Run::new().with(content);
        if run.run(Tool::Verify, json!({ "pictures": { "dpi": 75, "quality": 40 } })).is_ok() {
            drop(run.run(Tool::MarkTest, json!({})));
        }
    });
}
