use std::process::Command;

use super::*;

#[test]
fn words_of_scripts_that_join_letters_are_looked_at_once() {
    assert_eq!(words("Grüße नमस्ते a\u{308} नमस्ते 日本語 สวัสดี"), ["a\u{308}", "नमस्ते", "สวัสดี"]);
    assert!(words("plain text, 😀").is_empty());
}

/// What the layout engine makes of a text, and what is copied from it.
fn copied(text: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let pdf = directory.path().join("page.pdf");
    let page = format!("<!doctype html><meta charset=utf-8><p>{text}</p>");
    sghtmltopdf::with_render_stack(|| {
        let sink = sghtmltopdf::FileSink::create(&pdf).unwrap();
        let mut engine = sghtmltopdf::Engine::new(sghtmltopdf::EngineOptions::default(), sink);
        engine.feed(page.as_bytes()).unwrap();
        engine.finish().unwrap();
    });
    let drawn = |name: &str| {
        let made = Command::new("pdftoppm").args(["-r", "40", "-png"]).arg(&pdf).output().unwrap();
        assert!(made.status.success(), "{name}");
        made.stdout
    };
    let before = drawn("before");
    mend(&pdf, &words(text)).unwrap();
    assert!(before == drawn("after"), "{text} looks different");
    let read = Command::new("pdftotext").arg(&pdf).arg("-").output().unwrap();
    String::from_utf8(read.stdout)
        .unwrap()
        .chars()
        .filter(|letter| !matches!(letter, '\u{202a}'..='\u{202e}' | '\u{c}'))
        .collect()
}

#[test]
fn what_is_copied_is_what_was_written() {
    let texts = ["नमस्ते दुनिया क्षत्रिय हिन्दी", "বাংলা কর্মের", "สวัสดีชาวโลก น้ำ", "a\u{308}\u{323} plain", "office waffle"];
    for text in texts {
        assert_eq!(copied(text).trim(), text);
    }
}

#[test]
fn a_line_of_a_table_is_corrected_only_for_its_glyph() {
    let clusters = Clusters::default();
    assert_eq!(corrected(b"<0041> <0061>", &clusters), None);
    assert_eq!(corrected(b"endbfchar", &clusters), None);
}
