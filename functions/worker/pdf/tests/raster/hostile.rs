//! A hundred damaged files for each tool, or 40 if it recognizes text, which takes seconds: each gives a result or a typed failure.

use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Tool};
use serde_json::{Value, json};

use crate::{fixture, run, source};

const MUTANTS: u64 = 100;
const RECOGNIZED_MUTANTS: u64 = 40;
const PDFS: [&str; 5] = ["forms.pdf", "render.pdf", "layouts/code.pdf", "layouts/table-ruled.pdf", "images.pdf"];

/// A xorshift generator: the same damage on every run.
struct Damage(u64);

impl Damage {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below.max(1) as u64).unwrap()
    }

    fn mutate(&mut self, data: &mut Vec<u8>) {
        for _ in 0..1 + self.next(12) {
            let at = self.next(data.len());
            match self.next(5) {
                0 => data[at] = self.next(256) as u8,
                1 => data[at] ^= 1 << self.next(8),
                2 => drop(data.drain(at..(at + self.next(64)).min(data.len()))),
                3 => {
                    let copy = data[at..(at + self.next(64)).min(data.len())].to_vec();
                    let to = self.next(data.len());
                    data.splice(to..to, copy);
                }
                _ => {
                    // Numbers are sizes, counts and references.
                    if let Some(digit) = data[at..].iter().position(u8::is_ascii_digit) {
                        data[at + digit] = b"0123456789"[self.next(10)];
                    }
                }
            }
            if data.is_empty() {
                data.push(b'%');
            }
        }
    }
}

fn survive(tool: Tool, media: Format, originals: &[Vec<u8>], options: &Value) {
    survive_some(MUTANTS, &[], tool, media, originals, options);
}

fn survive_beside(sound: &[&str], tool: Tool, media: Format, originals: &[Vec<u8>], options: &Value) {
    survive_some(MUTANTS, sound, tool, media, originals, options);
}

/// Each damaged file is the last source, after sound ones.
fn survive_some(mutants: u64, sound: &[&str], tool: Tool, media: Format, originals: &[Vec<u8>], options: &Value) {
    let files = tempfile::tempdir().unwrap();
    for seed in 1..=mutants {
        let mut damage = Damage(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut data = originals[damage.next(originals.len())].clone();
        damage.mutate(&mut data);
        let path = files.path().join("mutant");
        std::fs::write(&path, &data).unwrap();
        let others = sound.iter().map(|name| source(&fixture(name), media));
        let run = run(tool, others.chain([source(&path, media)]).collect(), options.clone());
        match &run.result {
            Ok(outcome) => assert!(!outcome.artifacts.is_empty(), "{tool:?} {seed}"),
            Err(failure) => assert_ne!(failure.code, ErrorCode::Internal, "{tool:?} {seed}: {failure}"),
        }
    }
}

fn pdfs() -> Vec<Vec<u8>> {
    PDFS.iter().map(|name| std::fs::read(fixture(name)).unwrap()).collect()
}

#[test]
fn damaged_pdfs_become_pdf_a_or_are_refused() {
    survive(Tool::PdfToPdfa, Format::Pdf, &pdfs(), &json!({"level": "3b", "onUnsupported": "warn"}));
    survive(Tool::PdfToPdfa, Format::Pdf, &pdfs(), &json!({"level": "1b", "onUnsupported": "warn"}));
}

#[test]
fn damaged_pdfs_are_drawn_or_refused() {
    survive(Tool::PdfToImages, Format::Pdf, &pdfs(), &json!({"dpi": 36, "format": "jpeg"}));
    survive(Tool::Thumbnail, Format::Pdf, &pdfs(), &json!({"width": 64, "height": 64}));
}

#[test]
fn damaged_pdfs_are_read_or_refused() {
    survive(Tool::PdfToText, Format::Pdf, &pdfs(), &json!({}));
    survive(Tool::PdfToText, Format::Pdf, &pdfs(), &json!({"format": "markdown"}));
    survive(Tool::InspectDocument, Format::Pdf, &pdfs(), &json!({}));
}

#[test]
fn damaged_pdfs_are_compressed_or_refused() {
    survive(Tool::CompressPdf, Format::Pdf, &pdfs(), &json!({"preset": "small"}));
}

#[test]
fn damaged_pdfs_are_changed_or_refused() {
    for (tool, options) in [
        (Tool::MergePdf, json!({})),
        (Tool::SplitPdf, json!({"mode": "every"})),
        (Tool::OrganizePdf, json!({"pages": "z-1"})),
        (Tool::WatermarkPdf, json!({"text": "Draft"})),
        (Tool::EditMetadata, json!({"set": {"title": "New"}})),
        (Tool::FlattenPdf, json!({})),
        (Tool::ProtectPdf, json!({"userPassword": "open"})),
    ] {
        survive(tool, Format::Pdf, &pdfs(), &options);
    }
}

#[test]
fn damaged_forms_are_filled_or_refused() {
    let form = std::fs::read(fixture("forms.pdf")).unwrap();
    let fields = json!({"Listbox_MultiSelect": ["Kiwi", "Banana"], "Listbox_ReadOnly": "Frog"});
    survive(Tool::FillForm, Format::Pdf, &[form], &json!({ "fields": fields }));
}

#[test]
fn damaged_pdfs_are_recognized_or_refused() {
    let originals: Vec<Vec<u8>> =
        ["render.pdf", "images.pdf"].iter().map(|name| std::fs::read(fixture(name)).unwrap()).collect();
    let options = json!({"dpi": 100, "mode": "redo", "deskew": true});
    survive_some(RECOGNIZED_MUTANTS, &[], Tool::OcrPdf, Format::Pdf, &originals, &options);
}

#[test]
fn damaged_pdfs_are_redacted_or_refused() {
    let originals: Vec<Vec<u8>> = ["forms.pdf", "layouts/code.pdf", "redact/jbig2.pdf"]
        .iter()
        .map(|name| std::fs::read(fixture(name)).unwrap())
        .collect();
    let options = json!({"text": [{"literal": "the"}, {"literal": "Harvest"}], "regions": [{"page": 1, "box": [50, 50, 200, 120]}]});
    survive_some(RECOGNIZED_MUTANTS, &[], Tool::RedactPdf, Format::Pdf, &originals, &options);
}

#[test]
fn damaged_pdfs_are_compared_or_refused() {
    for options in [json!({"dpi": 36}), json!({"mode": "text", "format": "json"})] {
        survive_beside(&["layouts/code.pdf"], Tool::CompareDocuments, Format::Pdf, &pdfs(), &options);
    }
}

#[test]
fn damaged_pdfs_are_unlocked_or_refused() {
    let encrypted = std::fs::read(fixture("encrypted.pdf")).unwrap();
    survive(Tool::UnlockPdf, Format::Pdf, &[encrypted], &json!({"password": "test_user"}));
}

#[test]
fn damaged_images_are_embedded_or_refused() {
    let image = image::DynamicImage::ImageRgb8(image::RgbImage::from_fn(64, 48, |x, y| {
        image::Rgb([x as u8 * 4, y as u8 * 5, 99])
    }));
    for (media, format) in [
        (Format::Png, image::ImageFormat::Png),
        (Format::Jpeg, image::ImageFormat::Jpeg),
        (Format::Tiff, image::ImageFormat::Tiff),
        (Format::Gif, image::ImageFormat::Gif),
        (Format::Webp, image::ImageFormat::WebP),
        (Format::Bmp, image::ImageFormat::Bmp),
    ] {
        let mut data = std::io::Cursor::new(Vec::new());
        image.write_to(&mut data, format).unwrap();
        survive(Tool::ImagesToPdf, media, &[data.into_inner()], &json!({}));
    }
}
