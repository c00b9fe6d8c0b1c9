//! Heights of lines in paragraphs with Chinese, Japanese or Korean letters, and of empty lines.

use super::east_asian::{Fallback, LineHeight, NOTO, is_east_asian, line_height};
use super::paragraph_styles::{EastAsianFont, Face, ParagraphStyles, Properties};
use super::theme::ThemeFonts;

/// A single line (ECMA-376-1, 17.3.1.33).
pub(super) const SINGLE: i64 = 240;
/// Half points (ECMA-376-1, 17.3.2.38).
const USUAL_SIZE: i64 = 20;
const TWENTIETHS_IN_HALF_A_POINT: i64 = 10;
/// The height of lines of other scripts, in percent of their letters' size, in most fonts.
const OTHERS: i64 = 120;
/// The same on a grid: of Times New Roman.
const OTHERS_ON_GRID: i64 = 115;

/// A line's height in twentieths of a point, and its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) height: i64,
    pub(super) rule: &'static str,
}

/// What stands in a paragraph. What its letters don't have themselves comes from its style.
#[derive(Default)]
pub(super) struct Letters {
    east_asian: Option<EastAsian>,
    /// All different fonts and sizes of the other ones.
    others: Vec<(Option<Face>, Option<i64>)>,
    /// Something that may be higher than letters.
    pub(super) has_objects: bool,
    pub(super) has_text: bool,
}

struct EastAsian {
    /// All different fonts and sizes.
    runs: Vec<(Option<EastAsianFont>, Option<i64>)>,
    fallback: Fallback,
}

/// Letters of one font and size.
struct Sized {
    /// In half points.
    size: i64,
    /// If it is a font for East Asian text that is known.
    height: Option<LineHeight>,
    is_east_asian: bool,
}

impl Letters {
    /// `run`: the properties of the letters.
    pub(super) fn add(&mut self, text: &str, run: &Properties, styles: &ParagraphStyles) {
        self.has_text |= !text.is_empty();
        let size = run.size.or_else(|| styles.size_of(run.style.as_deref()));
        if text.chars().any(|letter| letter.is_alphanumeric() && !is_east_asian(letter)) {
            add_new(&mut self.others, (run.face.clone(), size));
        }
        if text.chars().any(is_east_asian) {
            let fallback = Fallback::of(text);
            let letters = self.east_asian.get_or_insert(EastAsian { runs: Vec::new(), fallback });
            add_new(&mut letters.runs, (run.font.clone(), size));
            letters.fallback = letters.fallback.max(fallback);
        }
    }

    /// The end of a line or a tab.
    pub(super) const fn add_space(&mut self) {
        self.has_text = true;
    }

    /// The height of an empty line that is lower than a single one, which LibreOffice makes as high as that. `size`: of the paragraph's mark.
    pub(super) fn empty_line(&self, complete: &Properties, size: Option<i64>) -> Option<Line> {
        let is_automatic = matches!(complete.line_rule.as_deref(), None | Some("auto"));
        let line = complete.line.filter(|line| (1..SINGLE).contains(line) && is_automatic)?;
        let height = in_percent(size.or(complete.size).unwrap_or(USUAL_SIZE), OTHERS).saturating_mul(line) / SINGLE;
        (!self.has_text && !self.has_objects).then_some(Line { height: height.max(1), rule: "exact" })
    }

    /// The height of a paragraph's lines, if it changes: the least height, as it may have letters of other fonts too, whose lines are
    /// lower. Where LibreOffice's would be higher, it is the exact one. `complete`: the paragraph's properties.
    pub(super) fn line(&self, complete: &Properties, theme: &ThemeFonts) -> Option<Line> {
        let all = self.sized(complete, theme);
        let known: Vec<_> = all.iter().filter_map(|letters| Some((letters.size, letters.height?))).collect();
        let height = known.iter().map(|(size, height)| in_percent(*size, height.percent)).max()?;
        let stand_ins = known.iter().filter(|(_, height)| height.is_noto).map(|(size, _)| in_percent(*size, NOTO));
        let is_too_high = stand_ins.max() > Some(height);
        let is_known =
            all.iter().all(|letters| !letters.is_east_asian || letters.height.is_some()) && !self.has_objects;
        // The paragraph's mark counts too.
        let of_mark = theme.name(complete.face.as_ref()).and_then(line_height);
        let mark = in_percent(complete.size.unwrap_or(USUAL_SIZE), of_mark.map_or(OTHERS, |height| height.percent));
        let others = all.iter().filter(|letters| letters.height.is_none()).map(|letters| letters.size).max();
        let others = mark.max(others.map_or(0, |size| in_percent(size, OTHERS)));
        let line = complete.line.unwrap_or(SINGLE);
        let must_be_exact = is_too_high && is_known && others <= height;
        let rule = if must_be_exact { "exact" } else { "atLeast" };
        match complete.line_rule.as_deref() {
            None | Some("auto") => Some(Line { height: height.saturating_mul(line) / SINGLE, rule }),
            Some("atLeast") if must_be_exact => Some(Line { height: height.max(line), rule }),
            Some("atLeast") => (height > line).then_some(Line { height, rule }),
            Some(_) => None,
        }
    }

    /// The height of a line by its fonts, in twentieths of a point, where what stands in for a font for East Asian text is higher.
    pub(super) fn height_on_grid(&self, complete: &Properties, mark: Option<i64>, theme: &ThemeFonts) -> Option<i64> {
        if self.has_objects {
            return None;
        }
        if !self.has_text {
            let font = self.height_of(complete.font.as_ref(), theme)?;
            return font.is_noto.then(|| in_percent(mark.or(complete.size).unwrap_or(USUAL_SIZE), OTHERS_ON_GRID));
        }
        let all = self.sized(complete, theme);
        let is_known = all.iter().all(|letters| !letters.is_east_asian || letters.height.is_some());
        let is_noto = all.iter().any(|letters| letters.height.is_some_and(|height| height.is_noto));
        let percent = |height: Option<LineHeight>| height.map_or(OTHERS_ON_GRID, LineHeight::percent_on_grid);
        let heights = all.iter().map(|letters| in_percent(letters.size, percent(letters.height)));
        heights.max().filter(|_| is_known && is_noto)
    }

    fn sized(&self, complete: &Properties, theme: &ThemeFonts) -> Vec<Sized> {
        let usual = complete.size.unwrap_or(USUAL_SIZE);
        let others = self.others.iter().map(|(face, size)| {
            let name = theme.name(face.as_ref().or(complete.face.as_ref()));
            Sized { size: size.unwrap_or(usual), height: name.and_then(line_height), is_east_asian: false }
        });
        let east_asian = self.east_asian.iter().flat_map(|letters| &letters.runs).map(|(font, size)| {
            let height = self.height_of(font.as_ref().or(complete.font.as_ref()), theme);
            Sized { size: size.unwrap_or(usual), height, is_east_asian: true }
        });
        others.chain(east_asian).collect()
    }

    fn height_of(&self, font: Option<&EastAsianFont>, theme: &ThemeFonts) -> Option<LineHeight> {
        match font {
            Some(EastAsianFont::Named(name)) => line_height(name),
            Some(EastAsianFont::OfTheme) | None => {
                let fallback = self.east_asian.as_ref().map(|letters| letters.fallback.name());
                line_height(theme.east_asian.as_deref().or(fallback)?)
            }
        }
    }
}

fn add_new<T: PartialEq>(all: &mut Vec<T>, one: T) {
    if !all.contains(&one) {
        all.push(one);
    }
}

/// Twentieths of a point. `size`: in half points.
const fn in_percent(size: i64, percent: i64) -> i64 {
    size.saturating_mul(TWENTIETHS_IN_HALF_A_POINT).saturating_mul(percent) / 100
}

#[cfg(test)]
mod tests {
    use super::super::paragraphs::{Layout, Paragraphs, Part, SpaceAbove};
    use super::super::texts::edited;
    use super::*;

    const STYLES: &str = "<w:styles><w:docDefaults><w:rPr><w:rFonts w:eastAsiaTheme=\"minorEastAsia\"/></w:rPr></w:docDefaults>\
         <w:style w:styleId=\"Wide\"><w:pPr><w:spacing w:line=\"480\"/></w:pPr>\
         <w:rPr><w:rFonts w:eastAsia=\"Gulim\"/><w:sz w:val=\"32\"/></w:rPr></w:style>\
         <w:style w:styleId=\"Thin\"><w:rPr><w:rFonts w:ascii=\"DengXian\"/></w:rPr></w:style></w:styles>";

    fn changed(xml: &str) -> Option<String> {
        changed_with(Some("맑은 고딕"), xml)
    }

    fn changed_with(theme: Option<&str>, xml: &str) -> Option<String> {
        let styles = ParagraphStyles::read(STYLES).unwrap();
        let layout = Layout { space_above: Some(SpaceAbove::Dropped), styles, fonts: ThemeFonts::of_east_asia(theme) };
        edited(xml, Some(Paragraphs::new(xml, &layout, Part::Body))).unwrap().xml
    }

    #[test]
    fn lines_of_east_asian_text_are_at_least_as_high_as_words() {
        let text = |spacing: &str, run: &str| {
            format!(
                "<w:p><w:pPr>{spacing}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t>a漢</w:t></w:r><w:r><w:rPr>{run}</w:rPr><w:t>字</w:t></w:r></w:p>"
            )
        };
        let least = |line: i64| format!("<w:spacing w:line=\"{line}\" w:lineRule=\"atLeast\"/>");
        let gothic = "<w:rFonts w:ascii=\"Calibri\" w:eastAsia=\"ＭＳ ゴシック\"/><w:sz w:val=\"24\"/>";
        assert_eq!(changed(&text("", gothic)).unwrap(), text(&least(312), gothic), "12 points, 1.3 times");
        assert_eq!(changed(&text("", "")).unwrap(), text(&least(346), ""), "the theme's font and usual size");
        let both = |spacing: &str| text(spacing, gothic).replacen(&format!("<w:rPr>{gothic}</w:rPr>"), "", 1);
        assert_eq!(changed(&both("")).unwrap(), both(&least(346)), "the higher of both");
        let style = "<w:pStyle w:val=\"Wide\"/>";
        assert_eq!(changed(&text(style, "")).unwrap(), text(&format!("{style}{}", least(832)), ""));
        let own = |rule: &str| format!("<w:spacing w:after=\"9\" w:line=\"276\" w:lineRule=\"{rule}\"/>");
        let higher = |line: i64| format!("<w:spacing w:line=\"{line}\" w:lineRule=\"atLeast\" w:after=\"9\"/>");
        assert_eq!(changed(&text(&own("auto"), gothic)).unwrap(), text(&higher(358), gothic));
        assert_eq!(changed(&text(&own("atLeast"), gothic)).unwrap(), text(&higher(312), gothic));
        let on_grid = format!("{}<w:sectPr><w:docGrid w:type=\"lines\"/></w:sectPr>", text("", gothic));
        assert_ne!(changed(&on_grid.replace("\"lines\"", "\"default\"")), None);
        let without = text("", gothic).replace(['漢', '字'], "b");
        for stays in [on_grid, text(&own("exact"), gothic), text("", "<w:rFonts w:eastAsia=\"Unknown\"/>"), without] {
            assert_eq!(changed(&stays), None);
        }
    }

    #[test]
    fn lines_without_a_font_are_as_high_as_their_letters_need() {
        let text = |spacing: &str, letters: [&str; 2]| {
            let runs = letters.map(|letters| format!("<w:r><w:t>{letters}</w:t></w:r>")).concat();
            format!("<w:p>{spacing}{runs}</w:p>")
        };
        for (letters, line) in
            [(["ねこ", "a"], 260), (["ねこ", "猫"], 260), (["ねこ", "这"], 346), (["这", "ねこ"], 346)]
        {
            let xml = text("", letters);
            let changed = changed_with(None, &xml).unwrap();
            let spacing = format!("<w:pPr><w:spacing w:line=\"{line}\" w:lineRule=\"atLeast\"/></w:pPr>");
            assert_eq!(changed, text(&spacing, letters));
        }
    }

    #[test]
    fn lines_are_exact_where_the_stand_in_would_be_higher_than_words() {
        let text = |spacing: &str, run: &str, more: &str| {
            let run = format!("<w:rFonts w:eastAsia=\"SimSun\"/>{run}");
            format!("<w:p><w:pPr>{spacing}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t>字</w:t></w:r>{more}</w:p>")
        };
        let line = |line: i64, rule: &str| format!("<w:spacing w:line=\"{line}\" w:lineRule=\"{rule}\"/>");
        let larger = "<w:r><w:rPr><w:sz w:val=\"48\"/></w:rPr><w:t>x</w:t></w:r>";
        let larger_style = "<w:r><w:rPr><w:rStyle w:val=\"Wide\"/></w:rPr><w:t>x</w:t></w:r>";
        let smaller = larger.replace("48", "18");
        for (more, rule) in [
            ("", "exact"),
            (&*smaller, "exact"),
            (larger, "atLeast"),
            (larger_style, "atLeast"),
            ("<w:drawing><wp:inline></wp:inline></w:drawing>", "atLeast"),
        ] {
            assert_eq!(changed(&text("", "", more)).unwrap(), text(&line(260, rule), "", more), "{more}");
        }
        let small = "<w:sz w:val=\"16\"/>";
        assert_eq!(
            changed(&text("", small, "")).unwrap(),
            text(&line(208, "atLeast"), small, ""),
            "the mark is larger"
        );
        for (own, expected) in [(240, 260), (300, 300)] {
            assert_eq!(changed(&text(&line(own, "atLeast"), "", "")).unwrap(), text(&line(expected, "exact"), "", ""));
        }
        assert_eq!(changed(&text(&line(480, "auto"), "", "")).unwrap(), text(&line(520, "exact"), "", ""));
        assert_eq!(changed(&text(&line(200, "exact"), "", "")), None);
    }

    #[test]
    fn lines_on_a_grid_are_as_high_as_their_fonts_need() {
        let document = |spacing: &str, run: &str, letters: &str| {
            let grid = "<w:sectPr><w:docGrid w:type=\"lines\" w:linePitch=\"312\"/></w:sectPr>";
            let run = format!("<w:rPr>{run}</w:rPr><w:t>{letters}</w:t>");
            format!("<w:p><w:pPr>{spacing}</w:pPr><w:r>{run}</w:r></w:p>{grid}")
        };
        let song = |size: u32| format!("<w:rFonts w:eastAsia=\"宋体\"/><w:sz w:val=\"{size}\"/>");
        let exact =
            |line: u32| format!("<w:snapToGrid w:val=\"0\"/><w:spacing w:line=\"{line}\" w:lineRule=\"exact\"/>");
        for (size, letters, line) in
            [(24, "实验", 312), (27, "实验", 312), (28, "实验", 624), (44, "实验", 624), (27, "实验 1", 312)]
        {
            let expected = document(&exact(line), &song(size), letters);
            assert_eq!(changed(&document("", &song(size), letters)).unwrap(), expected, "{size} {letters}");
        }
        let three = "<w:spacing w:line=\"720\" w:lineRule=\"auto\"/>";
        assert_eq!(changed(&document(three, &song(32), "实")).unwrap(), document(&exact(936), &song(32), "实"));
        let off = "<w:snapToGrid w:val=\"0\"/>";
        for (spacing, run) in
            [(off, song(24)), ("", song(24).replace("宋体", "Unknown")), ("", song(24).replace("宋体", "MS Mincho"))]
        {
            assert_eq!(changed(&document(spacing, &run, "实验")), None, "{run}");
        }
        assert_eq!(changed(&document("", &song(24), "Latin")), None);
    }

    #[test]
    fn latin_letters_in_a_font_for_east_asian_text_are_as_high_as_others_in_it() {
        let text = |spacing: &str, face: &str| {
            let run = format!("<w:rPr><w:rFonts w:ascii=\"{face}\"/></w:rPr><w:t>Task 1</w:t>");
            format!("<w:p><w:pPr>{spacing}</w:pPr><w:r>{run}</w:r></w:p>")
        };
        let line = |line: u32, rule: &str| format!("<w:spacing w:line=\"{line}\" w:lineRule=\"{rule}\"/>");
        assert_eq!(changed(&text("", "맑은 고딕")).unwrap(), text(&line(346, "atLeast"), "맑은 고딕"));
        assert_eq!(
            changed(&text("", "SimSun")).unwrap(),
            text(&line(260, "exact"), "SimSun"),
            "the stand-in is higher"
        );
        let of_style = |line: &str| {
            format!("<w:p><w:pPr><w:pStyle w:val=\"Thin\"/>{line}</w:pPr>{}</w:p>", "<w:r><w:t>x</w:t></w:r>")
        };
        assert_eq!(changed(&of_style("")).unwrap(), of_style(&line(228, "exact")), "as high as its mark");
        assert_eq!(changed(&text("", "Calibri")), None);
    }

    #[test]
    fn empty_lines_can_be_lower_than_single_ones() {
        let empty = |spacing: &str, mark: &str, content: &str| {
            format!("<w:p><w:pPr>{spacing}<w:rPr>{mark}</w:rPr></w:pPr>{content}</w:p>")
        };
        let line = |line: i64, rule: &str| format!("<w:spacing w:line=\"{line}\" w:lineRule=\"{rule}\"/>");
        let (low, mark) = (line(14, "auto"), "<w:sz w:val=\"40\"/>");
        assert_eq!(changed(&empty(&low, "", "")).unwrap(), empty(&line(14, "exact"), "", ""), "10 points");
        assert_eq!(changed(&empty(&line(216, "auto"), mark, "")).unwrap(), empty(&line(432, "exact"), mark, ""));
        let anchored = "<w:r><w:drawing><wp:anchor></wp:anchor></w:drawing></w:r>";
        assert_eq!(changed(&empty(&low, "", anchored)).unwrap(), empty(&line(14, "exact"), "", anchored));
        for content in ["<w:r><w:t>x</w:t></w:r>", "<w:r><w:tab/></w:r>", "<w:r><w:br/></w:r>", "<w:pict></w:pict>"] {
            assert_eq!(changed(&empty(&low, "", content)), None, "{content}");
        }
        for stays in [line(240, "auto"), line(14, "exact"), line(14, "atLeast")] {
            assert_eq!(changed(&empty(&stays, "", "")), None);
        }
    }
}
