//! Heights of lines in Chinese, Japanese and Korean. Word makes a line of a font for East Asian text 1.3 times as high as the font
//! says, and LibreOffice does not.

use std::io;

use encoding_rs::SHIFT_JIS;

use super::edit::{Tag, scan, value};

/// The height of lines of Noto's fonts, in percent of their letters' size.
pub(super) const NOTO: i64 = 145;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineHeight {
    /// Of Word's lines, of their letters' size.
    pub(super) percent: i64,
    /// One of Noto's fonts stands in.
    pub(super) is_noto: bool,
}

impl LineHeight {
    /// Of lines on a grid, of their letters' size: what these fonts say, with what they leave between lines.
    pub(super) const fn percent_on_grid(self) -> i64 {
        if self.percent == WIDE { 133 } else { 114 }
    }
}

/// Of Malgun Gothic and Microsoft JhengHei.
const WIDE: i64 = 173;

/// `None` if nobody has measured it. Measured on PDFs that Word made, for MS Gothic, Gulim, Malgun Gothic, Microsoft JhengHei and
/// SimSun, and for DengXian by where Word breaks pages. The others are of the same makers and have the same heights.
pub(super) fn line_height(font: &str) -> Option<LineHeight> {
    let (percent, is_noto) = match font.to_lowercase().as_str() {
        "ms gothic" | "ｍｓ ゴシック" | "ms pgothic" | "ｍｓ ｐゴシック" | "ms ui gothic" => (130, false),
        "ms mincho" | "ｍｓ 明朝" | "ms pmincho" | "ｍｓ ｐ明朝" => (130, false),
        "gulim" | "굴림" | "gulimche" | "dotum" | "돋움" | "dotumche" | "batang" | "바탕" | "batangche" => {
            (130, false)
        }
        "malgun gothic" | "맑은 고딕" | "microsoft jhenghei" | "微軟正黑體" => (WIDE, true),
        "simsun" | "宋体" | "nsimsun" | "新宋体" | "simhei" | "黑体" | "pmingliu" | "新細明體" => {
            (130, true)
        }
        "fangsong" | "仿宋" | "kaiti" | "楷体" => (130, true),
        "dengxian" | "等线" | "dengxian light" | "等线 light" => (114, true),
        _ => return None,
    };
    Some(LineHeight { percent, is_noto })
}

/// Whether Word sets it in the font for East Asian text. Signs that other scripts share are left out.
pub(super) const fn is_east_asian(letter: char) -> bool {
    matches!(
        letter,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}'
    )
}

/// What Word takes if neither a run, nor the theme, nor its language names a font, the font of the higher lines last: seen in PDFs of
/// documents that pandoc wrote. Each letter that MS Mincho has is in MS Mincho.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fallback {
    MsMincho,
    MicrosoftJhengHei,
}

impl Fallback {
    pub(super) fn of(text: &str) -> Self {
        let letters: String = text.chars().filter(|letter| is_east_asian(*letter)).collect();
        // MS Mincho has the letters of Japan's standards.
        let (_, _, has_others) = SHIFT_JIS.encode(&letters);
        if has_others { Self::MicrosoftJhengHei } else { Self::MsMincho }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::MsMincho => "MS Mincho",
            Self::MicrosoftJhengHei => "Microsoft JhengHei",
        }
    }
}

/// The theme's font for East Asian text: its own, or else the one for the document's East Asian language, if it has one.
pub(super) fn of_theme(theme: &str, language: Option<&str>) -> io::Result<Option<String>> {
    let script = match language.map(str::to_lowercase).as_deref() {
        Some("zh-tw" | "zh-hk" | "zh-mo") => Some("Hant"),
        Some(language) if language.starts_with("zh") => Some("Hans"),
        Some(language) if language.starts_with("ja") => Some("Jpan"),
        Some(language) if language.starts_with("ko") => Some("Hang"),
        Some(_) | None => None,
    };
    let (mut is_minor, mut own, mut of_script) = (false, None, None);
    scan(theme, |_, tag| match tag {
        Tag::Start(tag) => is_minor |= tag.name().as_ref() == "a:minorFont",
        Tag::End(name) => is_minor &= name != "a:minorFont",
        Tag::Empty(tag) if is_minor => match tag.name().as_ref() {
            "a:ea" => own = value(&tag, "typeface").filter(|font| !font.is_empty()),
            "a:font" if script.is_some() && value(&tag, "script").as_deref() == script => {
                of_script = value(&tag, "typeface");
            }
            _ => {}
        },
        Tag::Empty(_) => {}
    })?;
    Ok(own.or(of_script))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_are_known_by_all_their_names() {
        let height = |percent, is_noto| Some(LineHeight { percent, is_noto });
        assert_eq!(line_height("ＭＳ ゴシック"), height(130, false));
        assert_eq!(line_height("MS Mincho"), height(130, false));
        assert_eq!(line_height("맑은 고딕"), height(173, true));
        assert_eq!(line_height("宋体"), height(130, true));
        assert_eq!(line_height("等线 Light"), height(114, true));
        assert_eq!(line_height("Calibri"), None);
        assert!("漢かカ한（".chars().all(is_east_asian));
        assert!(!"aé“…✓→".chars().any(is_east_asian));
    }

    #[test]
    fn the_fallback_follows_the_letters() {
        assert_eq!(Fallback::of("e.g. ねこ or O'Hara"), Fallback::MsMincho);
        assert_eq!(Fallback::of("名字，如ねこ或"), Fallback::MsMincho);
        assert_eq!(Fallback::of("名字，这个"), Fallback::MicrosoftJhengHei, "simplified Chinese");
        assert_eq!(Fallback::of("한글"), Fallback::MicrosoftJhengHei);
        let percent = |fallback: Fallback| line_height(fallback.name()).unwrap().percent;
        assert!(percent(Fallback::MsMincho) < percent(Fallback::MicrosoftJhengHei));
    }

    #[test]
    fn the_themes_font_is_its_own_or_the_languages() {
        let theme = |own: &str| {
            let fonts = "<a:font script=\"Jpan\" typeface=\"J\"/><a:font script=\"Hang\" typeface=\"K\"/>";
            format!(
                "<a:majorFont><a:ea typeface=\"M\"/></a:majorFont><a:minorFont><a:ea typeface=\"{own}\"/>{fonts}</a:minorFont>"
            )
        };
        let of = |own, language| of_theme(&theme(own), language).unwrap();
        assert_eq!(of("", Some("ko-KR")).as_deref(), Some("K"));
        assert_eq!(of("", Some("ja-JP")).as_deref(), Some("J"));
        assert_eq!(of("Own", Some("ja-JP")).as_deref(), Some("Own"));
        assert_eq!(of("", Some("en-US")), None);
        assert_eq!(of("", None), None);
    }
}
