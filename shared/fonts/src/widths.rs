//! Widths of the fonts in `infra/worker/fonts`: lines break where they do in Office if letters are as wide.

use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// Version 1.001 of the font has other widths. Cambria's, in thousandths of its size, are those in PDFs that Word made.
#[test]
fn the_stand_in_for_cambria_has_its_widths() {
    const CAMBRIA: &[(char, f32)] = &[
        (' ', 220.0),
        ('e', 488.0),
        ('o', 531.0),
        ('t', 338.0),
        ('0', 554.0),
        ('A', 623.0),
        ('m', 832.0),
        ('е', 488.0),
        ('и', 589.0),
        ('т', 511.0),
    ];
    for &(letter, expected) in CAMBRIA {
        let width = width("CaladeaTall", "Regular", letter).unwrap();
        assert!((width - expected).abs() < 1.0, "{letter}: {width}");
    }
}

/// Consolas and Cascadia Mono, which code is set in, have all letters equally wide. Lines with comments would break elsewhere.
#[test]
fn stand_ins_for_fonts_of_code_have_one_width_in_all_alphabets() {
    for (name, expected) in [("InconsolataSemiWide", 1126.0 / 2.048), ("CascadiaMono", 1200.0 / 2.048)] {
        for style in ["Regular", "Bold"] {
            for letter in ['i', 'Ж', 'я', 'Σ'] {
                let width = width(name, style, letter).unwrap();
                assert!((width - expected).abs() < 0.3, "{name} {style}, {letter}: {width}");
            }
        }
    }
}

/// In thousandths of the size.
fn width(name: &str, style: &str, letter: char) -> Option<f32> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../infra/worker/fonts");
    let bytes = std::fs::read(format!("{folder}/{name}-{style}.ttf")).unwrap();
    let font = FontRef::new(&bytes).unwrap();
    let glyph = font.charmap().map(letter)?;
    font.glyph_metrics(Size::new(1000.0), LocationRef::default()).advance_width(glyph)
}

/// In thousandths of the size, in a PDF that PowerPoint made.
#[test]
fn hebrew_and_arabic_are_about_as_wide_as_in_arial() {
    const HEBREW_LETTERS: [(char, f32); 5] = [('ה', 602.0), ('ד', 508.0), ('ב', 542.0), ('מ', 601.0), ('ש', 694.0)];
    let width = |name, letter| width(name, "Regular", letter);
    for (letter, expected) in HEBREW_LETTERS {
        let width = width("ArimoHebrewNarrow", letter).unwrap();
        assert!((width / expected - 1.0).abs() < 0.06, "{letter}: {width}");
    }
    // DejaVu Sans's is 942 wide.
    let beh = width("DejaVuArabicNarrow", 'ب').unwrap();
    assert!((beh - 730.0).abs() < 2.0, "{beh}");
    assert_eq!(width("DejaVuArabicNarrow", '\u{640}'), None, "LibreOffice would justify lines with it");
}
