//! Heights of lines in paragraphs with Chinese, Japanese or Korean letters.

use super::east_asian::{Fallback, NOTO, is_east_asian, line_height};
use super::paragraph_styles::{EastAsianFont, ParagraphStyles, Properties};

/// A single line (ECMA-376-1, 17.3.1.33).
const SINGLE: i64 = 240;
/// Half points (ECMA-376-1, 17.3.2.38).
const USUAL_SIZE: i64 = 20;
const TWENTIETHS_IN_HALF_A_POINT: i64 = 10;
/// The height of lines of other scripts, in percent of their letters' size, in most fonts.
const OTHERS: i64 = 123;

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
    /// The size of the largest other ones.
    others: Option<i64>,
    /// Something that may be higher than letters.
    pub(super) has_objects: bool,
}

struct EastAsian {
    /// All different fonts and sizes.
    runs: Vec<(Option<EastAsianFont>, Option<i64>)>,
    fallback: Fallback,
}

impl Letters {
    /// `run`: the properties of the letters.
    pub(super) fn add(&mut self, text: &str, run: &Properties, styles: &ParagraphStyles) {
        let size = run.size.or_else(|| styles.size_of(run.style.as_deref()));
        if !text.chars().any(is_east_asian) {
            self.others = self.others.max(size);
            return;
        }
        let fallback = Fallback::of(text);
        let letters = self.east_asian.get_or_insert(EastAsian { runs: Vec::new(), fallback });
        let run = (run.font.clone(), size);
        if !letters.runs.contains(&run) {
            letters.runs.push(run);
        }
        letters.fallback = letters.fallback.max(fallback);
    }

    /// The height of a paragraph's lines, if it changes: the least height, as it may have letters of other scripts too, whose lines are
    /// lower. Where LibreOffice's would be higher, it is the exact one. `complete`: the paragraph's properties. `theme`: the theme's font for
    /// East Asian text.
    pub(super) fn line(&self, complete: &Properties, theme: Option<&str>) -> Option<Line> {
        let EastAsian { runs, fallback } = self.east_asian.as_ref()?;
        let usual = complete.size.unwrap_or(USUAL_SIZE);
        let height_of = |font: Option<&EastAsianFont>| match font.or(complete.font.as_ref()) {
            Some(EastAsianFont::Named(name)) => line_height(name),
            Some(EastAsianFont::OfTheme) | None => line_height(theme.unwrap_or(fallback.name())),
        };
        let sized = runs.iter().filter_map(|(font, size)| Some((size.unwrap_or(usual), height_of(font.as_ref())?)));
        let sized: Vec<_> = sized.collect();
        let height = sized.iter().map(|(size, height)| in_percent(*size, height.percent)).max()?;
        let stand_ins = sized.iter().filter(|(_, height)| height.is_noto).map(|(size, _)| in_percent(*size, NOTO));
        let is_too_high = stand_ins.max() > Some(height);
        let is_known = sized.len() == runs.len() && !self.has_objects;
        // The paragraph's mark counts too.
        let others = in_percent(self.others.unwrap_or(usual).max(usual), OTHERS);
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
}

/// Twentieths of a point. `size`: in half points.
const fn in_percent(size: i64, percent: i64) -> i64 {
    size.saturating_mul(TWENTIETHS_IN_HALF_A_POINT).saturating_mul(percent) / 100
}
