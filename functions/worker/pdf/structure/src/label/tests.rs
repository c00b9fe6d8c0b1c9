//! Labels as other programs read and draw them.

use std::process::Command;

use docmill_pdf_core::fonts::emoji;
use lopdf::{Document, Object, Stream, dictionary};

use super::*;

/// A document with a page for each text.
fn drawn(texts: &[&str]) -> (Document, Missing) {
    let fonts = Fonts::load();
    let mut document = Document::with_version("1.7");
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let look = Look { size: 20.0, color: "#000080", align: Align::Start };
    let (labels, missing) = add(&fonts, &mut document, &texts, look).unwrap();
    let root = document.new_object_id();
    let pages: Vec<Object> = labels
        .into_iter()
        .map(|label| {
            let label = label.expect("a label");
            let content =
                document.add_object(Stream::new(lopdf::Dictionary::new(), b"1 0 0 1 20 20 cm /L Do".to_vec()));
            let size = [0.0, 0.0, label.width + 40.0, label.height + 40.0].map(Object::Real).to_vec();
            let resources = dictionary! { "XObject" => dictionary! { "L" => label.form } };
            let page = dictionary! {
                "Type" => "Page", "Parent" => root, "MediaBox" => size, "Contents" => content, "Resources" => resources,
            };
            document.add_object(page).into()
        })
        .collect();
    let count = i64::try_from(pages.len()).unwrap();
    document.objects.insert(root, dictionary! { "Type" => "Pages", "Count" => count, "Kids" => pages }.into());
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => root });
    document.trailer.set("Root", catalog);
    (document, missing)
}

struct Read {
    /// The text of each page, as poppler reads it.
    texts: Vec<String>,
    /// The names of the fonts.
    fonts: String,
    folder: tempfile::TempDir,
}

fn read(document: &mut Document) -> Read {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.pdf");
    document.save(&path).unwrap();
    if let Some(kept) = std::env::var_os("DOCMILL_KEEP_LABELS") {
        std::fs::copy(&path, kept).unwrap();
    }
    let run = |program: &str, rest: &[&str]| {
        let output = Command::new(program).arg(&path).args(rest).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let texts = run("pdftotext", &["-"]).split('\u{c}').map(|page| page.trim().to_owned()).collect();
    let fonts = run("pdffonts", &[]);
    Read { texts, fonts, folder }
}

/// The page as a picture.
fn picture(read: &Read, page: usize) -> image::RgbImage {
    let (page, to) = (page.to_string(), read.folder.path().join("page"));
    let status = Command::new("pdftoppm")
        .args(["-r", "72", "-png", "-singlefile", "-f", &page, "-l", &page])
        .args([&read.folder.path().join("labels.pdf"), &to])
        .status();
    assert!(status.unwrap().success());
    image::open(to.with_extension("png")).unwrap().to_rgb8()
}

const TEXTS: [&str; 18] = [
    "Draft 🍺",
    "日本語 Ελλάδα",
    "مرحبا بالعالم",
    "שלום עולם",
    "नमस्ते दुनिया",
    "สวัสดีชาวโลก ที่นี่",
    "e\u{301}galite\u{301} Ǆ ﬁ office",
    "👨\u{200D}👩\u{200D}👧 🇨🇭 👍🏽 1\u{FE0F}\u{20E3}",
    "한국어 中文",
    "Привет, мир",
    "∑ ∀x ∈ ℝ → ∞ 𝒜",
    "ᚠᛇᚻ",
    "বাংলা தமிழ் తెలుగు",
    "ქართული հայերեն አማርኛ",
    "ខ្មែរ မြန်မာ ລາວ",
    "two\nlines",
    "שלום עולם 123",
    "☎✓★♥€",
];

#[test]
fn every_script_is_drawn_and_read() {
    let (mut document, missing) = drawn(&TEXTS);
    assert_eq!(missing, Missing::default());
    let read = read(&mut document);
    let plain = |text: &str| {
        use unicode_normalization::UnicodeNormalization as _;
        let shown = text.chars().filter(|letter| !emoji::is_ignorable(*letter) || *letter == '\n');
        let text: String = shown.collect::<String>().nfkc().collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (text, found) in TEXTS.iter().zip(&read.texts) {
        assert_eq!(plain(found), plain(text));
    }
    // Formulas are the only text that may need a font for them.
    assert!(!read.fonts.contains("TeXGyre"), "{}", read.fonts);
}

#[test]
fn an_emoji_has_its_colors() {
    let (mut document, _) = drawn(&["🍺", "🇨🇭", "b"]);
    let read = read(&mut document);
    let has = |page, color: fn([u8; 3]) -> bool| picture(&read, page).pixels().filter(|pixel| color(pixel.0)).count();
    let yellow = |[red, green, blue]: [u8; 3]| red > 200 && green > 130 && blue < 120;
    assert!(has(1, yellow) > 20);
    let red = |[red, green, blue]: [u8; 3]| red > 180 && green < 80 && blue < 80;
    assert!(has(2, red) > 20);
    assert_eq!(has(3, yellow) + has(3, red), 0);
}

#[test]
fn what_no_font_has_is_a_box_and_a_warning() {
    let (mut document, missing) = drawn(&["a\u{E123}b", "ab"]);
    let warning = missing.warning().unwrap();
    assert_eq!((warning.code.as_str(), warning.detail.as_deref()), ("missing_glyph", Some("\u{E123}")));
    let read = read(&mut document);
    assert_eq!(read.texts[0], "a\u{E123}b");
    let ink = |page| picture(&read, page).pixels().filter(|pixel| pixel.0[0] < 128).count();
    assert!(ink(1) > ink(2) + 20, "{} {}", ink(1), ink(2));
}

#[test]
fn text_that_shows_nothing_is_no_label() {
    let fonts = Fonts::load();
    let texts = ["".to_owned(), "  \n ".to_owned(), "\u{200B}".to_owned()];
    let look = Look { size: 20.0, color: "#000000", align: Align::End };
    let mut document = Document::new();
    let (labels, missing) = add(&fonts, &mut document, &texts, look).unwrap();
    assert!(labels.iter().all(Option::is_none), "{labels:?}");
    assert_eq!(missing.warning(), None);
}

/// A machine without fonts draws boxes.
#[test]
fn no_fonts_are_no_mistake() {
    let look = Look { size: 20.0, color: "#000000", align: Align::Center };
    let mut document = Document::new();
    let (labels, missing) = add(&Fonts::none(), &mut document, &["Aé🍺".to_owned()], look).unwrap();
    assert!(labels[0].is_some());
    assert_eq!(missing.warning().unwrap().detail.as_deref(), Some("Aé🍺"));
}
