//! Proprietary fonts that documents name, and the free fonts that replace them.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use Widths::{Differ, Near, Same};

use crate::OwnFonts;

/// The widths of a substitute's letters, compared with the requested font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widths {
    /// All widths are equal: text does not move.
    Same,
    /// English text has the same width to within 1 %: most lines break in the same places.
    Near,
    /// Lines break elsewhere.
    Differ,
}

/// A family that stands in for another one.
#[derive(Clone, Copy, Debug)]
pub struct Relative {
    /// In lower case.
    pub asked: &'static str,
    /// The family that is used instead, as it is written.
    pub stand_in: &'static str,
    /// How its widths compare.
    pub widths: Widths,
    bold: bool,
}

const fn relative(asked: &'static str, stand_in: &'static str, widths: Widths) -> Relative {
    Relative { asked, stand_in, widths, bold: false }
}

/// A family whose regular weight is another family's bold.
const fn heavy(asked: &'static str, stand_in: &'static str, widths: Widths) -> Relative {
    Relative { asked, stand_in, widths, bold: true }
}

const SANS: &str = "Liberation Sans";
const SERIF: &str = "Liberation Serif";
const MONO: &str = "Liberation Mono";
const FIXED: &str = "DejaVu Sans Mono";
const JAPANESE: &str = "Noto Sans CJK JP";
const KOREAN: &str = "Noto Sans CJK KR";
const CHINESE: &str = "Noto Sans CJK SC";
const CHINESE_SERIF: &str = "Noto Serif CJK SC";
const TAIWANESE: &str = "Noto Sans CJK TC";
const TAIWANESE_SERIF: &str = "Noto Serif CJK TC";
const SYMBOLS: &str = "OpenSymbol";
// Their lines are as high as those of the fonts that they replace (`infra/worker/fonts`).
const CAMBRIA: &str = "Caladea Tall";
const SEGOE_UI: &str = "Arimo Extra Tall";
/// Its letters are as wide too, as far as they are known.
const APTOS: &str = "Arimo Fitted";
/// LibreOffice takes it for Cambria without asking fontconfig.
const TAKEN_FOR_CAMBRIA: &str = "Caladea";
const COLORED: &str = "Noto Color Emoji";
const HEBREW: &str = "Arimo Hebrew Narrow";
const ARABIC: &str = "DejaVu Arabic Narrow";
/// What stands in for a family that nobody knows, by the kinds of families that fontconfig knows, and by what LibreOffice calls them.
/// Debian prefers Noto's, whose letters are a fifth wider than those of most fonts of Office, and whose lines are as much higher.
const UNKNOWN: [(&str, &str); 5] =
    [("serif", SERIF), ("sans-serif", SANS), ("sans", SANS), ("monospace", MONO), ("mono", MONO)];
/// What draws the letters that a stand-in lacks: as wide as the Hebrew and Arabic letters of Windows' fonts.
const ALPHABETS: [&str; 2] = [HEBREW, ARABIC];
/// Languages in these alphabets: their text has these letters even in a font that nobody knows.
const LANGUAGES: [(&str, &str); 6] =
    [("he", HEBREW), ("yi", HEBREW), ("ar", ARABIC), ("fa", ARABIC), ("ur", ARABIC), ("ps", ARABIC)];

/// Each substitute was either designed with the same widths (`Same`) or measured to be close for English text. Ideographs have
/// the same width in all fonts, so only other letters differ.
pub const RELATIVES: &[Relative] = &[
    relative("arial", SANS, Same),
    // Its lines are higher than Arial's, by where Word breaks pages.
    relative("arial nova", "Arimo Tall", Differ),
    relative("arial narrow", "Liberation Sans Narrow", Same),
    relative("helvetica", SANS, Same),
    relative("helvetica neue", SANS, Near),
    relative("times new roman", SERIF, Same),
    relative("times", SERIF, Same),
    // By their PostScript names, as some programs write them.
    relative("timesnewromanpsmt", SERIF, Same),
    relative("arialmt", SANS, Same),
    relative("couriernewpsmt", MONO, Same),
    // Of times when each alphabet had a font of its own.
    relative("arial cyr", SANS, Same),
    relative("times new roman cyr", SERIF, Same),
    relative("times new (w1)", SERIF, Near),
    relative("cg times (w1)", SERIF, Near),
    relative("courier new", MONO, Same),
    relative("courier", MONO, Same),
    relative("calibri", "Carlito", Same),
    relative("calibri light", "Carlito", Near),
    relative("cambria", CAMBRIA, Same),
    relative("cambria math", CAMBRIA, Same),
    relative("caladea", CAMBRIA, Same),
    relative("georgia", "Gelasio", Same),
    relative("consolas", "Inconsolata Semi Wide", Same),
    relative("comic sans ms", "Comic Relief", Same),
    relative("century gothic", "TeX Gyre Adventor", Same),
    relative("bookman old style", "TeX Gyre Bonum", Same),
    relative("century schoolbook", "TeX Gyre Schola", Same),
    relative("book antiqua", "TeX Gyre Pagella", Same),
    relative("palatino", "TeX Gyre Pagella", Same),
    relative("palatino linotype", "TeX Gyre Pagella", Near),
    relative("monotype corsiva", "TeX Gyre Chorus", Same),
    relative("verdana", "DejaVu Sans Tall", Near),
    relative("tahoma", "Arimo Tall", Near),
    relative("segoe ui", SEGOE_UI, Near),
    relative("segoe ui light", SEGOE_UI, Near),
    relative("segoe ui emoji", SEGOE_UI, Near),
    heavy("segoe ui semibold", SEGOE_UI, Near),
    relative("microsoft sans serif", SANS, Near),
    relative("ms sans serif", SANS, Near),
    relative("trebuchet ms", SANS, Differ),
    relative("lucida console", FIXED, Same),
    relative("menlo", FIXED, Same),
    relative("menlo regular", FIXED, Same),
    relative("bitstream vera sans mono", FIXED, Same),
    relative("hack", FIXED, Same),
    // All letters are 0.6 of their size wide.
    relative("jetbrains mono", FIXED, Near),
    relative("fira code", FIXED, Near),
    relative("fira code retina", FIXED, Near),
    relative("fira mono", FIXED, Near),
    relative("source code pro", FIXED, Near),
    relative("roboto mono", FIXED, Near),
    relative("ibm plex mono", FIXED, Near),
    relative("monaco", FIXED, Near),
    relative("cascadia code", "Cascadia Mono", Same),
    relative("lucida sans unicode", "DejaVu Sans", Differ),
    relative("open sans", "Noto Sans", Near),
    // LibreOffice would take them for serif fonts.
    relative("fira sans", SANS, Differ),
    relative("inter", SANS, Differ),
    relative("lato", SANS, Differ),
    relative("montserrat", SANS, Differ),
    relative("nunito", SANS, Differ),
    relative("poppins", SANS, Differ),
    relative("pt sans", SANS, Differ),
    relative("raleway", SANS, Differ),
    relative("roboto", SANS, Differ),
    relative("source sans pro", SANS, Differ),
    relative("ubuntu", SANS, Differ),
    heavy("arial black", "DejaVu Sans", Near),
    heavy("impact", "Liberation Sans Narrow", Differ),
    relative("aptos", APTOS, Near),
    relative("aptos display", APTOS, Differ),
    relative("aptos narrow", "Liberation Sans Narrow", Differ),
    relative("candara", "Carlito", Differ),
    relative("corbel", "Carlito", Near),
    relative("gill sans mt", "Carlito", Near),
    relative("speak pro", "Carlito", Near),
    relative("tw cen mt", "Carlito", Differ),
    relative("tw cen mt condensed", "Liberation Sans Narrow", Differ),
    relative("avenir next lt pro", SANS, Differ),
    relative("avenir next lt pro light", SANS, Differ),
    relative("franklin gothic book", SANS, Differ),
    relative("franklin gothic medium", SANS, Differ),
    relative("constantia", "Gelasio", Differ),
    relative("garamond", SERIF, Differ),
    relative("ms gothic", "IPAGothic", Same),
    relative("ｍｓ ゴシック", "IPAGothic", Same),
    relative("ms pgothic", "IPAPGothic", Near),
    relative("ｍｓ ｐゴシック", "IPAPGothic", Near),
    relative("ms ui gothic", "IPAPGothic", Near),
    relative("ms mincho", "IPAMincho", Same),
    relative("ｍｓ 明朝", "IPAMincho", Same),
    relative("ms pmincho", "IPAPMincho", Near),
    relative("ｍｓ ｐ明朝", "IPAPMincho", Near),
    relative("meiryo", JAPANESE, Differ),
    relative("メイリオ", JAPANESE, Differ),
    // Their kana are narrower than ideographs, and so are those of this one.
    relative("meiryo ui", "IPAPGothic", Differ),
    relative("yu gothic ui", "IPAPGothic", Differ),
    relative("yu gothic", JAPANESE, Differ),
    relative("游ゴシック", JAPANESE, Differ),
    relative("yu mincho", "Noto Serif CJK JP", Differ),
    relative("游明朝", "Noto Serif CJK JP", Differ),
    relative("dotum", "Baekmuk Dotum", Near),
    relative("돋움", "Baekmuk Dotum", Near),
    relative("dotumche", "Baekmuk Dotum", Differ),
    relative("gulim", "Baekmuk Gulim", Near),
    relative("굴림", "Baekmuk Gulim", Near),
    relative("gulimche", "Baekmuk Gulim", Differ),
    relative("batang", "Baekmuk Batang", Near),
    relative("바탕", "Baekmuk Batang", Near),
    relative("batangche", "Baekmuk Batang", Differ),
    relative("malgun gothic", KOREAN, Near),
    relative("맑은 고딕", KOREAN, Near),
    relative("simsun", CHINESE_SERIF, Differ),
    relative("宋体", CHINESE_SERIF, Differ),
    relative("nsimsun", CHINESE_SERIF, Differ),
    relative("新宋体", CHINESE_SERIF, Differ),
    relative("simhei", CHINESE, Differ),
    relative("黑体", CHINESE, Differ),
    relative("microsoft yahei", CHINESE, Differ),
    relative("微软雅黑", CHINESE, Differ),
    relative("dengxian", CHINESE, Differ),
    relative("等线", CHINESE, Differ),
    relative("microsoft jhenghei", TAIWANESE, Differ),
    relative("微軟正黑體", TAIWANESE, Differ),
    relative("pmingliu", TAIWANESE_SERIF, Differ),
    relative("新細明體", TAIWANESE_SERIF, Differ),
    relative("microsoft yahei ui", CHINESE, Differ),
    relative("microsoft jhenghei ui", TAIWANESE, Differ),
    relative("等线 light", CHINESE, Differ),
    relative("dengxian light", CHINESE, Differ),
    relative("fangsong", CHINESE_SERIF, Differ),
    relative("仿宋", CHINESE_SERIF, Differ),
    relative("kaiti", CHINESE_SERIF, Differ),
    relative("楷体", CHINESE_SERIF, Differ),
    relative("mingliu", TAIWANESE_SERIF, Differ),
    relative("細明體", TAIWANESE_SERIF, Differ),
    relative("dfkai-sb", TAIWANESE_SERIF, Differ),
    relative("標楷體", TAIWANESE_SERIF, Differ),
    relative("yu gothic light", JAPANESE, Differ),
    relative("yu gothic medium", JAPANESE, Differ),
    relative("游ゴシック light", JAPANESE, Differ),
    relative("游ゴシック medium", JAPANESE, Differ),
    relative("gungsuh", "Baekmuk Batang", Differ),
    relative("궁서", "Baekmuk Batang", Differ),
    relative("arabic typesetting", ARABIC, Differ),
    relative("sakkal majalla", ARABIC, Differ),
    relative("simplified arabic", ARABIC, Differ),
    relative("simplified arabic fixed", ARABIC, Differ),
    relative("traditional arabic", ARABIC, Differ),
    relative("b nazanin", ARABIC, Near),
    relative("aharoni", HEBREW, Differ),
    relative("david", HEBREW, Differ),
    relative("frankruehl", HEBREW, Differ),
    relative("gisha", HEBREW, Differ),
    relative("miriam", HEBREW, Differ),
    relative("symbol", SYMBOLS, Differ),
    relative("wingdings", SYMBOLS, Differ),
    relative("wingdings 2", SYMBOLS, Differ),
    relative("wingdings 3", SYMBOLS, Differ),
    relative("webdings", SYMBOLS, Differ),
];

/// The substitute for a missing family, if it is installed. Both names are in lower case.
pub fn of(family: &str, installed: &BTreeSet<String>) -> Option<&'static Relative> {
    let relative = RELATIVES.iter().find(|relative| relative.asked == family)?;
    installed.contains(&relative.stand_in.to_lowercase()).then_some(relative)
}

/// Whether LibreOffice can print colored fonts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emoji {
    /// It prints them in color.
    Colored,
    /// It leaves colored glyphs blank, so another font is used.
    Plain,
}

/// The program that uses fontconfig, and which of its fonts it can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// LibreOffice, and whether its version prints colored glyphs.
    LibreOffice(Emoji),
    /// Chromium, which prints all of them.
    Chromium,
}

/// Fontconfig's configuration: the system's, the substitutes, and excluded fonts. Fonts of other programs, such as Ghostscript,
/// are excluded so that all machines print alike. `own` fonts are included and preferred to substitutes.
fn configuration(asker: Asker, own: &OwnFonts) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE fontconfig SYSTEM \"urn:fontconfig:fonts.dtd\">\n<fontconfig>\n",
    );
    if let Asker::LibreOffice(_) = asker {
        xml.push_str(&unknown());
    }
    xml.push_str(concat!(
        "<include ignore_missing=\"yes\">/etc/fonts/fonts.conf</include>\n<selectfont>\n",
        "<rejectfont><glob>/usr/share/fonts/opentype/urw-base35/*</glob></rejectfont>\n",
        "<rejectfont><glob>/usr/share/fonts/type1/*</glob></rejectfont>\n",
    ));
    match asker {
        Asker::LibreOffice(Emoji::Plain) => xml.push_str(&[rejected(TAKEN_FOR_CAMBRIA), rejected(COLORED)].concat()),
        Asker::LibreOffice(Emoji::Colored) => xml.push_str(&rejected(TAKEN_FOR_CAMBRIA)),
        Asker::Chromium => {}
    }
    xml.push_str("</selectfont>\n");
    if let Some(directory) = own.directory() {
        let directory = directory.to_string_lossy();
        xml.push_str(&format!("<dir>{}</dir>\n", quick_xml::escape::escape(directory.as_ref())));
    }
    for relative in RELATIVES.iter().filter(|relative| !own.has(relative.asked)) {
        match asker {
            // Put after the requested family, so that an installed one is still preferred.
            Asker::LibreOffice(_) => xml.push_str(&rule(relative, "append")),
            // It ignores a substitute unless that is the only family requested.
            Asker::Chromium if relative.serves_pages() => xml.push_str(&rule(relative, "assign")),
            Asker::Chromium => {}
        }
    }
    if let Asker::LibreOffice(_) = asker {
        xml.push_str(&alphabets());
    }
    xml.push_str("</fontconfig>\n");
    xml
}

/// Rules for families that nobody knows. They come before the system's, which would otherwise be the first to be heeded.
fn unknown() -> String {
    let by_kind = UNKNOWN.iter().map(|(kind, stand_in)| {
        format!(
            "<match target=\"pattern\"><test name=\"family\"><string>{kind}</string></test>\
             <edit name=\"family\" mode=\"prepend\" binding=\"weak\"><string>{stand_in}</string></edit></match>\n"
        )
    });
    // Older versions of LibreOffice name no kind.
    let has_none = UNKNOWN.iter().map(|(kind, _)| {
        format!("<test qual=\"all\" name=\"family\" compare=\"not_eq\"><string>{kind}</string></test>")
    });
    let has_none: String = has_none.collect();
    let without_kind = format!(
        "<match target=\"pattern\">{has_none}\
         <edit name=\"family\" mode=\"append_last\" binding=\"weak\"><string>{SANS}</string></edit></match>\n"
    );
    by_kind.chain([without_kind]).collect()
}

/// LibreOffice asks for the letters that a font lacks by the name of that font. Without these rules it would get those of DejaVu Sans,
/// whose Arabic is a third wider than Arial's.
fn alphabets() -> String {
    let stand_ins: BTreeSet<&str> = RELATIVES.iter().map(|relative| relative.stand_in).collect();
    let after = stand_ins.into_iter().map(|stand_in| {
        let others = ALPHABETS.iter().filter(|other| **other != stand_in);
        let others: String = others.map(|other| format!("<string>{other}</string>")).collect();
        format!(
            "<match target=\"pattern\"><test name=\"family\"><string>{stand_in}</string></test>\
             <edit name=\"family\" mode=\"append\" binding=\"same\">{others}</edit></match>\n"
        )
    });
    let of_languages = LANGUAGES.iter().map(|(language, family)| {
        format!(
            "<match target=\"pattern\"><test name=\"lang\" compare=\"contains\"><string>{language}</string></test>\
             <edit name=\"family\" mode=\"append_last\" binding=\"strong\"><string>{family}</string></edit></match>\n"
        )
    });
    after.chain(of_languages).collect()
}

/// Writes the configuration to `directory`, for `FONTCONFIG_FILE`.
///
/// # Errors
/// If the file can't be written.
pub fn write_configuration(directory: &Path, asker: Asker, own: &OwnFonts) -> io::Result<PathBuf> {
    let path = directory.join("fonts.conf");
    std::fs::write(&path, configuration(asker, own))?;
    Ok(path)
}

impl Relative {
    /// Pages list several fonts, and the next one may be closer than a merely similar substitute. Icons and emoji are found by
    /// character.
    pub fn serves_pages(&self) -> bool {
        self.widths != Differ && self.asked != "segoe ui emoji"
    }

    /// What the warning says about lines and pages.
    pub const fn consequence(widths: Widths) -> &'static str {
        match widths {
            Same | Near => "Its letters are about as wide, so most line breaks stay the same.",
            Differ => "Its letters have other widths, so lines and pages may break at other places.",
        }
    }
}

fn rejected(family: &str) -> String {
    format!("<rejectfont><pattern><patelt name=\"family\"><string>{family}</string></patelt></pattern></rejectfont>\n")
}

fn rule(relative: &Relative, mode: &str) -> String {
    let Relative { asked, stand_in, bold, .. } = relative;
    let weight =
        if *bold { "<edit name=\"weight\" mode=\"assign\" binding=\"same\"><const>bold</const></edit>" } else { "" };
    format!(
        "<match target=\"pattern\"><test name=\"family\"><string>{asked}</string></test>\
         <edit name=\"family\" mode=\"{mode}\" binding=\"same\"><string>{stand_in}</string></edit>{weight}</match>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NO_FONTS;

    #[test]
    fn each_family_has_one_relative_and_is_written_in_lower_case() {
        let asked: BTreeSet<_> = RELATIVES.iter().map(|relative| relative.asked).collect();
        assert_eq!(asked.len(), RELATIVES.len());
        assert!(RELATIVES.iter().all(|relative| relative.asked == relative.asked.to_lowercase()));
    }

    #[test]
    fn families_that_nobody_knows_get_fonts_as_wide_as_those_of_office() {
        let found = configuration(Asker::LibreOffice(Emoji::Colored), &NO_FONTS);
        let rule = "<string>serif</string></test><edit name=\"family\" mode=\"prepend\" binding=\"weak\">\
                    <string>Liberation Serif</string>";
        let (ours, system) = (found.find(rule).unwrap(), found.find("<include").unwrap());
        assert!(ours < system, "the first rule counts");
        assert!(!configuration(Asker::Chromium, &NO_FONTS).contains(rule));
    }

    #[test]
    fn colored_emoji_are_kept_from_a_libreoffice_that_leaves_them_blank() {
        assert!(configuration(Asker::LibreOffice(Emoji::Plain), &NO_FONTS).contains("Noto Color Emoji"));
        assert!(!configuration(Asker::LibreOffice(Emoji::Colored), &NO_FONTS).contains("Noto Color Emoji"));
        assert!(!configuration(Asker::Chromium, &NO_FONTS).contains("Noto Color Emoji"));
    }

    #[test]
    fn a_font_of_the_account_has_no_stand_in() {
        let families = BTreeSet::from(["verdana".to_owned()]);
        let own = OwnFonts::new(PathBuf::from("/a&b"), vec![PathBuf::from("/a&b/0.ttf")], families);
        let found = configuration(Asker::Chromium, &own);
        assert!(found.contains("<dir>/a&amp;b</dir>") && !found.contains("verdana") && found.contains("arial"));
        assert!(configuration(Asker::Chromium, &NO_FONTS).contains("verdana"));
    }

    #[test]
    fn other_alphabets_come_after_each_stand_in() {
        let found = configuration(Asker::LibreOffice(Emoji::Colored), &NO_FONTS);
        let rule = "<string>Carlito</string></test><edit name=\"family\" mode=\"append\" binding=\"same\">\
                    <string>Arimo Hebrew Narrow</string><string>DejaVu Arabic Narrow</string>";
        assert!(found.contains(rule), "{found}");
        assert!(!configuration(Asker::Chromium, &NO_FONTS).contains(HEBREW));
    }

    /// A missing substitute would go unnoticed, because fontconfig takes the next font.
    #[test]
    fn every_stand_in_is_installed() {
        let fonts = crate::InstalledFonts::default();
        let installed = fonts.families().unwrap();
        let missing: BTreeSet<_> = RELATIVES
            .iter()
            .map(|relative| relative.stand_in)
            .chain(ALPHABETS)
            .filter(|stand_in| !installed.contains(&stand_in.to_lowercase()))
            .collect();
        assert!(missing.is_empty(), "run `make setup`: {missing:?}");
    }
}
