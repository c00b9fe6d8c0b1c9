//! How high glyphs are: a small letter ends where others do, and a comma reaches below the line. If the glyphs of a font are as high as the
//! texts that somebody supposes for them, these are right: a wrong order of glyphs does not fit.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;

/// Of so many glyphs, one may be higher or lower than in the usual fonts.
const PER_MISFIT: usize = 10;
/// Class of combining marks below a letter, up to which all are below.
const BELOW: std::ops::Range<u8> = 1..230;
/// The most doubt about the height of a glyph by which its size is told, in ems.
const CLEAR: f64 = 0.25;
/// How many heights there must be among the glyphs: those of one height may be any.
const KINDS: usize = 3;

/// From where a glyph reaches to where, in ems above the line.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Of its lowest point.
    pub bottom: f64,
    /// Of its highest point.
    pub top: f64,
}

/// The same for glyphs whose size is not known, and that may be upside down: they get the size that fits the texts.
pub fn best_of_any_size(
    supposed: impl Iterator<Item = Vec<String>>,
    spans: &[Span],
    least: usize,
) -> Option<Vec<String>> {
    let mut found: Vec<Vec<String>> = supposed
        .filter_map(|texts| {
            let scale = size(&texts, spans)?;
            let scaled = |span: &Span| Span { bottom: span.bottom * scale, top: span.top * scale };
            let spans: Vec<Span> = spans.iter().map(scaled).collect();
            best(std::iter::once(texts), &spans, least)
        })
        .collect();
    let first = found.pop()?;
    found.iter().all(|other| *other == first).then_some(first)
}

/// By how much glyphs must be larger to be as high as their texts.
fn size(texts: &[String], spans: &[Span]) -> Option<f64> {
    let scale = |(text, span): (&String, &Span)| {
        let [_, _, least, most] = usual(text)?;
        (most - least < CLEAR && span.top != 0.0).then(|| (least + most) / 2.0 / span.top)
    };
    let mut scales: Vec<f64> = texts.iter().zip(spans).filter_map(scale).collect();
    scales.sort_by(f64::total_cmp);
    scales.get(scales.len() / 2).copied()
}

/// The texts, one for each glyph, that fit the glyphs best among those that are supposed. `None` if none fit, or several do. `least`: how
/// many glyphs there must be.
pub fn best(supposed: impl Iterator<Item = Vec<String>>, spans: &[Span], least: usize) -> Option<Vec<String>> {
    let mut best: Option<(usize, Vec<String>)> = None;
    let mut is_doubtful = false;
    for texts in supposed {
        let Some(misfits) = misfits(&texts, spans).filter(|_| spans.len() >= least) else { continue };
        match &best {
            Some((fewest, known)) if misfits == *fewest => is_doubtful |= *known != texts,
            Some((fewest, _)) if misfits > *fewest => {}
            Some(_) | None => (best, is_doubtful) = (Some((misfits, texts)), false),
        }
    }
    best.filter(|_| !is_doubtful).map(|(_, texts)| texts)
}

/// Whether all texts are quotation marks, and as high as these: no other glyph of a font for text or mathematics begins so far above the
/// line, so a few are enough.
pub fn are_quotes(texts: &[String], spans: &[Span]) -> bool {
    let fits = |(text, span): (&String, &Span)| {
        let is_quote = ["’", "‘", "“", "”"].contains(&text.as_str());
        let is_high = |[lowest, low, least, most]: [f64; 4]| {
            (lowest..=low).contains(&span.bottom) && (least..=most).contains(&span.top)
        };
        is_quote && usual(text).is_some_and(is_high)
    };
    texts.iter().zip(spans).all(fits)
}

/// How many glyphs are not as high as their texts. `None`: too many, or too few heights, or nobody knows how high one should be.
fn misfits(texts: &[String], spans: &[Span]) -> Option<usize> {
    let usual: Option<Vec<[f64; 4]>> = texts.iter().map(|text| usual(text)).collect();
    let usual = usual?;
    let mut kinds: Vec<[u64; 4]> = usual.iter().map(|heights| heights.map(f64::to_bits)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let fits = |(span, [lowest, low, least, most]): &(&Span, [f64; 4])| {
        (*lowest..=*low).contains(&span.bottom) && (*least..=*most).contains(&span.top)
    };
    let misfits = spans.len() - spans.iter().zip(usual).filter(fits).count();
    (kinds.len() >= KINDS && misfits * PER_MISFIT <= spans.len()).then_some(misfits)
}

/// Between which heights glyphs of a text begin and end in usual fonts, upright or not, bold or of a typewriter.
fn usual(text: &str) -> Option<[f64; 4]> {
    if text.starts_with('f') {
        return Some([-0.26, 0.04, 0.6, 0.78]);
    }
    let letter = text.chars().next()?;
    let span = match letter {
        'a' | 'c' | 'e' | 'm'..='o' | 'r' | 's' | 'u'..='x' | 'z' | 'ı' | 'æ' | 'œ' => [-0.04, 0.04, 0.36, 0.57],
        'в' | 'г' | 'ж' | 'з' | 'и' | 'к'..='п' | 'т' | 'ч' | 'ш' | 'ъ'..='я' => [-0.04, 0.04, 0.36, 0.57],
        'а' | 'е' | 'с' | 'х' | 'љ' | 'њ' | 'є' | 'ѕ' => [-0.04, 0.04, 0.36, 0.57],
        'д' | 'ц' | 'щ' | 'џ' => [-0.28, 0.04, 0.36, 0.57],
        'р' | 'у' | 'g' | 'p' | 'q' | 'y' | 'ȷ' | '¡' | '¿' => [-0.28, -0.1, 0.36, 0.57],
        'b' | 'd' | 'h' | 'k' | 'l' | 'б' | 'ћ' => [-0.04, 0.04, 0.6, 0.78],
        'ß' | 'J' | 'Q' => [-0.26, 0.04, 0.56, 0.78],
        'ф' | 'ђ' => [-0.28, -0.1, 0.56, 0.78],
        't' => [-0.04, 0.04, 0.5, 0.76],
        'i' | 'ё' | 'ї' | 'ў' => [-0.04, 0.04, 0.54, 0.76],
        'й' => [-0.04, 0.04, 0.54, 0.78],
        'j' => [-0.28, -0.12, 0.58, 0.76],
        'Д' | 'Ц' | 'Щ' | 'Џ' => [-0.28, 0.04, 0.56, 0.76],
        'Й' | 'Ё' | 'Ї' | 'Ў' => [-0.05, 0.04, 0.74, 1.06],
        'A'..='Z' | 'Æ' | 'Œ' | 'Ø' | 'А'..='Я' | 'Γ'..='Ω' | '№' | 'Ђ' | 'Ћ' | 'Љ' | 'Њ' | 'Є' | 'Ѕ' => {
            [-0.08, 0.06, 0.56, 0.78]
        }
        '0'..='9' => [-0.06, 0.05, 0.56, 0.74],
        '.' => [-0.03, 0.04, 0.06, 0.2],
        ',' | '‚' | '„' => [-0.28, -0.06, 0.06, 0.2],
        ':' => [-0.03, 0.04, 0.36, 0.5],
        ';' => [-0.28, -0.06, 0.36, 0.5],
        '-' => [0.12, 0.32, 0.18, 0.4],
        '–' | '—' => [0.16, 0.34, 0.2, 0.4],
        '(' | ')' | '[' | ']' | '{' | '}' | '/' | '|' | '\\' => [-0.34, -0.03, 0.6, 0.82],
        '!' | '?' => [-0.04, 0.04, 0.58, 0.78],
        '’' | '‘' | '“' | '”' | '"' | '\'' | '`' | '´' | 'ˆ' | '˜' | '¨' | '˝' | '˚' | 'ˇ' | '˘' | '¯' | '˙' | '^' => {
            [0.28, 0.72, 0.5, 0.82]
        }
        '«' | '»' | '‹' | '›' => [-0.02, 0.2, 0.32, 0.52],
        '%' | '&' | '$' | '#' | '@' | '§' => [-0.24, 0.05, 0.56, 0.84],
        '+' | '<' | '>' => [-0.2, 0.12, 0.4, 0.7],
        '=' => [0.06, 0.24, 0.26, 0.46],
        '*' => [0.1, 0.45, 0.5, 0.82],
        '_' => [-0.4, 0.03, -0.3, 0.1],
        '~' => [0.1, 0.6, 0.25, 0.8],
        other => return with_marks(other),
    };
    Some(span)
}

/// The same for a letter with an accent.
fn with_marks(letter: char) -> Option<[f64; 4]> {
    let mut parts = letter.nfd();
    let (base, mark) = (parts.next()?, parts.next()?);
    let [lowest, low, least, most] = usual(base.encode_utf8(&mut [0; 4]))?;
    if BELOW.contains(&canonical_combining_class(mark)) {
        return Some([-0.32, -0.06, least, most]);
    }
    Some(if base.is_lowercase() { [lowest, low, 0.54, 0.84] } else { [lowest, low, 0.74, 1.06] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_other_heights_do_not_fit() {
        let spans = [[0.0, 0.45], [0.0, 0.68], [-0.2, 0.45], [0.0, 0.66]].map(|[bottom, top]| Span { bottom, top });
        let texts = |text: &str| text.chars().map(String::from).collect::<Vec<String>>();
        assert_eq!(best([texts("abpA"), texts("pbaA")].into_iter(), &spans, 4), Some(texts("abpA")));
        assert_eq!(best([texts("abpA"), texts("ohgB")].into_iter(), &spans, 4), None, "both fit");
        assert_eq!(best([texts("abpA")].into_iter(), &spans, 5), None, "too few");
        assert_eq!(best([texts("aaaa")].into_iter(), &spans, 4), None, "of one height");
    }

    #[test]
    fn glyphs_of_any_size_are_compared_with_each_other() {
        let heights = [[0.0, 43.0], [0.0, 69.0], [-19.0, 43.0], [0.0, 68.0], [0.0, 69.0]];
        let texts = ["a", "b", "p", "A", "fi"].map(str::to_owned).to_vec();
        for scale in [1.0, 0.4, -1.0] {
            let spans = heights.map(|[bottom, top]| Span { bottom: bottom * scale, top: top * scale });
            assert_eq!(best_of_any_size(std::iter::once(texts.clone()), &spans, 4), Some(texts.clone()));
            let mut others = texts.clone();
            others.reverse();
            assert_eq!(best_of_any_size(std::iter::once(others), &spans, 4), None);
        }
    }

    #[test]
    fn accents_make_letters_higher_or_lower() {
        assert_eq!(usual("é"), Some([-0.04, 0.04, 0.54, 0.84]));
        assert_eq!(usual("ç"), Some([-0.32, -0.06, 0.36, 0.57]));
        assert_eq!(usual("ffi"), usual("fl"));
        assert_eq!(usual("☃"), None);
    }
}
