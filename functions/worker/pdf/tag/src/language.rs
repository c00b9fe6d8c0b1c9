//! The language of a document, by its words.

use docmill_pdf_extract::model::Document;
use whatlang::{Detector, Lang};

/// Text with fewer letters tells no language.
const LEAST: usize = 60;
/// So much of a text is looked at, in bytes.
const MOST: usize = 20_000;

/// Languages that documents are in.
const KNOWN: [Lang; 40] = [
    Lang::Ara,
    Lang::Bul,
    Lang::Cat,
    Lang::Ces,
    Lang::Cmn,
    Lang::Dan,
    Lang::Deu,
    Lang::Ell,
    Lang::Eng,
    Lang::Est,
    Lang::Fin,
    Lang::Fra,
    Lang::Heb,
    Lang::Hin,
    Lang::Hrv,
    Lang::Hun,
    Lang::Ind,
    Lang::Ita,
    Lang::Jpn,
    Lang::Kor,
    Lang::Lav,
    Lang::Lit,
    Lang::Nld,
    Lang::Nob,
    Lang::Pes,
    Lang::Pol,
    Lang::Por,
    Lang::Ron,
    Lang::Rus,
    Lang::Slk,
    Lang::Slv,
    Lang::Spa,
    Lang::Srp,
    Lang::Swe,
    Lang::Tha,
    Lang::Tur,
    Lang::Ukr,
    Lang::Urd,
    Lang::Vie,
    Lang::Ben,
];

/// BCP 47. `None` if the text is too short, or of a language that is not known for sure.
pub(super) fn detect(document: &Document) -> Option<String> {
    let mut text = String::new();
    for block in &document.blocks {
        text.push_str(&block.text);
        text.push('\n');
        if text.len() > MOST {
            break;
        }
    }
    if text.chars().filter(|c| c.is_alphabetic()).count() < LEAST {
        return document.blocks.iter().find_map(|block| block.language.clone());
    }
    // Rare languages are taken for common ones less often than the other way round.
    let found = Detector::with_allowlist(KNOWN.to_vec()).detect(&text)?;
    found.is_reliable().then(|| tag(found.lang()).to_owned())
}

/// Languages have the shorter of their two codes.
fn tag(language: Lang) -> &'static str {
    const SHORT: [(&str, &str); 40] = [
        ("ara", "ar"),
        ("ben", "bn"),
        ("bul", "bg"),
        ("cat", "ca"),
        ("ces", "cs"),
        ("cmn", "zh"),
        ("dan", "da"),
        ("deu", "de"),
        ("ell", "el"),
        ("eng", "en"),
        ("est", "et"),
        ("fin", "fi"),
        ("fra", "fr"),
        ("heb", "he"),
        ("hin", "hi"),
        ("hrv", "hr"),
        ("hun", "hu"),
        ("ind", "id"),
        ("ita", "it"),
        ("jpn", "ja"),
        ("kor", "ko"),
        ("lav", "lv"),
        ("lit", "lt"),
        ("nld", "nl"),
        ("nob", "nb"),
        ("pes", "fa"),
        ("pol", "pl"),
        ("por", "pt"),
        ("ron", "ro"),
        ("rus", "ru"),
        ("slk", "sk"),
        ("slv", "sl"),
        ("spa", "es"),
        ("srp", "sr"),
        ("swe", "sv"),
        ("tha", "th"),
        ("tur", "tr"),
        ("ukr", "uk"),
        ("urd", "ur"),
        ("vie", "vi"),
    ];
    let code = language.code();
    SHORT.iter().find(|(long, _)| *long == code).map_or(code, |(_, short)| short)
}
