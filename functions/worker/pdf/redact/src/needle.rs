//! The texts to redact as search patterns: regular expressions on text with normalised ligatures, widths and dashes.

use docmill_domain::tool::PATTERN_BYTES;
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Deserializer};
use strsim::levenshtein;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{compose, is_combining_mark};

/// A text to redact wherever it occurs, as given by clients.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Wanted {
    /// A text as it is. A pattern beside it has no effect.
    pub literal: Option<String>,
    /// A regular expression.
    pub pattern: Option<String>,
    /// Whether capitals differ from small letters.
    pub case_sensitive: bool,
    /// Whether letters and digits must not stand beside it.
    pub whole_words: bool,
}

/// The same as clients may write it: a string is a literal.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Written {
    Literal(String),
    Full(Wanted),
}

/// Reads a request's texts.
///
/// # Errors
/// If an entry has another form.
pub fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Wanted>, D::Error> {
    Ok(Vec::<Written>::deserialize(deserializer)?.into_iter().map(Wanted::from).collect())
}

impl From<Written> for Wanted {
    fn from(written: Written) -> Self {
        match written {
            Written::Literal(text) => Self { literal: Some(text), ..Self::default() },
            Written::Full(wanted) => wanted,
        }
    }
}

/// A compiled text.
#[derive(Clone, Debug)]
struct Needle {
    regex: Regex,
    /// The same with characters that OCR confuses made equal. Only for literals.
    alike: Option<Regex>,
    /// A literal of several letters without its spaces.
    squeezed: Option<Regex>,
    /// The words of a literal as [`blurred`] makes them. Patterns have none.
    words: Vec<String>,
    whole_words: bool,
}

/// Literals with at least this many letters are also found with spaces inside: their letters rarely follow each other in other
/// words by chance.
const LETTERS: usize = 6;

/// Shortest part of a word that may stand for it, and the number of letters per allowed mistake.
const PART: usize = 3;
const MISTAKES: usize = 3;

/// All texts to redact.
#[derive(Clone, Debug, Default)]
pub struct Needles(Vec<Needle>);

/// A match: bytes of the haystack, and the index of the request's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) entry: usize,
}

impl Needles {
    /// Compiles the requested texts. An error names the entry.
    ///
    /// # Errors
    /// If an entry has neither text nor pattern, matches where there is nothing, or can't be compiled.
    pub fn new(wanted: &[Wanted]) -> Result<Self, String> {
        let needle = |(number, wanted): (usize, &Wanted)| {
            let build = |pattern: &str| {
                RegexBuilder::new(pattern)
                    .case_insensitive(!wanted.case_sensitive)
                    .size_limit(PATTERN_BYTES)
                    .build()
                    .map_err(|_| {
                        format!("`text[{number}].pattern` is not a valid regular expression, or is too large.")
                    })
            };
            let (regex, alike) = match (&wanted.literal, &wanted.pattern) {
                (Some(literal), _) => {
                    (build(&spaced(&normal(literal)))?, Some(build(&spaced(&alike(&normal(literal))))?))
                }
                (None, Some(pattern)) => (build(pattern)?, None),
                (None, None) => return Err(format!("`text[{number}]` needs `literal` or `pattern`.")),
            };
            if regex.as_str().is_empty() || regex.is_match("") {
                return Err(format!("`text[{number}]` matches empty text. Make it match at least one character."));
            }
            let letters: String = normal(wanted.literal.as_deref().unwrap_or_default()).split_whitespace().collect();
            let squeezed =
                if letters.chars().count() >= LETTERS { Some(build(&regex::escape(&letters))?) } else { None };
            let words = wanted.literal.as_deref().unwrap_or_default().split_whitespace().map(blurred).collect();
            Ok(Needle { regex, alike, squeezed, words, whole_words: wanted.whole_words })
        };
        wanted.iter().enumerate().map(needle).collect::<Result<_, _>>().map(Self)
    }

    /// These texts too, in any case, as whole words.
    pub(super) fn with_literals(&self, literals: impl IntoIterator<Item = String>) -> Self {
        let build = |literal: String| {
            let regex = RegexBuilder::new(&spaced(&normal(&literal))).case_insensitive(true).build().ok()?;
            Some(Needle { regex, alike: None, squeezed: None, words: Vec::new(), whole_words: true })
        };
        Self(self.0.iter().cloned().chain(literals.into_iter().filter_map(build)).collect())
    }

    /// Whether only regions are redacted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// All matches in normalised text.
    pub(super) fn find(&self, text: &str) -> Vec<Hit> {
        self.hits(text, |needle| Some(&needle.regex))
    }

    /// The same in text from OCR: similar characters are equal in literals.
    pub(super) fn find_alike(&self, text: &str) -> Vec<Hit> {
        let alike = alike(text);
        let mut hits = self.find(text);
        // Replaced characters and their replacements have one byte.
        hits.extend(self.hits(&alike, |needle| needle.alike.as_ref()));
        hits
    }

    /// Long literals in text without spaces, and whether each must be a whole word.
    pub(super) fn find_squeezed(&self, text: &str) -> Vec<(Hit, bool)> {
        let mut found = Vec::new();
        for (entry, needle) in self.0.iter().enumerate() {
            let Some(regex) = &needle.squeezed else { continue };
            let hits = regex.find_iter(text).map(|hit| Hit { start: hit.start(), end: hit.end(), entry });
            found.extend(hits.map(|hit| (hit, needle.whole_words)));
        }
        found
    }

    fn hits<'n>(&'n self, text: &str, regex: impl Fn(&'n Needle) -> Option<&'n Regex>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (entry, needle) in self.0.iter().enumerate() {
            let Some(regex) = regex(needle) else { continue };
            let found = regex.find_iter(text).filter(|found| !found.as_str().trim().is_empty());
            let whole = |start, end| !needle.whole_words || is_whole(text, start, end);
            hits.extend(found.filter(|found| whole(found.start(), found.end())).map(|found| Hit {
                start: found.start(),
                end: found.end(),
                entry,
            }));
        }
        hits
    }

    /// Whether any of the texts occurs in unnormalised text.
    pub fn occurs_in(&self, text: &str) -> bool {
        !self.find(&normal(text)).is_empty()
    }

    /// The characters of the longest match in unnormalised text, or 0.
    pub(super) fn longest_in(&self, text: &str) -> usize {
        let text = normal(text);
        let length = |hit: &Hit| text.get(hit.start..hit.end).map_or(0, |found| found.trim().chars().count());
        self.find(&text).iter().map(length).max().unwrap_or(0)
    }

    /// Whether a word, as made by [`blurred`], may be a misread word of a literal or a part of one.
    pub(super) fn resemble(&self, word: &str) -> bool {
        let letters = word.chars().count();
        let is_part = |one: &str, other: &str| letters.min(other.chars().count()) >= PART && one.contains(other);
        self.0.iter().flat_map(|needle| &needle.words).any(|own| {
            let most = (own.chars().count() / MISTAKES).max(1);
            let is_near = letters > 2 && letters.abs_diff(own.chars().count()) <= most;
            word == own || is_part(own, word) || is_part(word, own) || is_near && levenshtein(own, word) <= most
        })
    }

    /// Whether there are patterns, whose matches can't be guessed from a part.
    pub(super) fn have_patterns(&self) -> bool {
        self.0.iter().any(|needle| needle.alike.is_none())
    }

    /// A text with `[redacted]` in place of what is to be redacted. `None` if there is nothing.
    pub(super) fn without(&self, text: &str) -> Option<String> {
        let mut text = normal(text);
        let mut changed = false;
        // The rest may match again: `aab` without `ab` in `aaabb`.
        for _ in 0..3 {
            let mut hits = self.find(&text);
            if hits.is_empty() {
                return changed.then_some(text);
            }
            changed = true;
            hits.sort_by_key(|hit| (hit.start, std::cmp::Reverse(hit.end)));
            let (mut left, mut at) = (String::new(), 0);
            for hit in hits {
                if hit.start >= at {
                    left.push_str(text.get(at..hit.start).unwrap_or_default());
                    left.push_str(MARK);
                }
                at = at.max(hit.end);
            }
            left.push_str(text.get(at..).unwrap_or_default());
            text = left;
        }
        // The mark itself matches, or the pattern matches everything.
        Some(if self.find(&text).is_empty() { text } else { String::new() })
    }
}

/// What takes the place of redacted text in titles and the like.
const MARK: &str = "█";

fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = text.get(..start).and_then(|text| text.chars().next_back());
    let after = text.get(end..).and_then(|text| text.chars().next());
    let inside = |c: Option<char>| c.is_some_and(is_word);
    let first = text.get(start..end).and_then(|text| text.chars().next());
    let last = text.get(start..end).and_then(|text| text.chars().next_back());
    !(inside(first) && inside(before) || inside(last) && inside(after))
}

/// A literal as a pattern: spaces may be missing or repeated.
fn spaced(literal: &str) -> String {
    literal.split_whitespace().map(regex::escape).collect::<Vec<_>>().join(r"\s*")
}

/// The text with one form of each character.
pub(super) fn normal(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for c in text.chars() {
        push_normal(&mut normal, c);
    }
    normal
}

/// Adds a character in its plain form: ligatures as letters, any dash as a hyphen, marks combined with their letters.
pub(super) fn push_normal(text: &mut String, c: char) {
    match c {
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {}
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => text.push('-'),
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' => text.push('\''),
        '\u{201c}' | '\u{201d}' | '\u{201f}' => text.push('"'),
        c if c.is_whitespace() || c.is_control() => text.push(' '),
        c if is_combining_mark(c) => {
            let joined = text.chars().next_back().and_then(|last| compose(last, c));
            if joined.is_some() {
                text.pop();
            }
            text.push(joined.unwrap_or(c));
        }
        c => text.extend(std::iter::once(c).nfkc()),
    }
}

/// The text with one of each group of characters that look alike.
fn alike(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            'O' | 'o' | 'Q' => '0',
            'I' | 'L' | 'l' | 'i' | '|' | '!' => '1',
            'S' | 's' => '5',
            'B' => '8',
            'Z' | 'z' => '2',
            other => other,
        })
        .collect()
}

/// The letters and digits of a text, with similar ones made equal in either case.
pub(super) fn blurred(text: &str) -> String {
    alike(&normal(text).to_lowercase()).chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn needles(wanted: serde_json::Value) -> Needles {
        let wanted: Vec<Wanted> = serde_json::from_value(wanted).unwrap();
        Needles::new(&wanted).unwrap()
    }

    #[test]
    fn text_is_found_in_any_of_its_forms() {
        let office = needles(json!([{"literal": "Office"}]));
        for text in ["O\u{fb03}ce", "OFFICE", "Of\u{ad}fice", "Ｏｆｆｉｃｅ"] {
            assert!(office.occurs_in(text), "{text}");
        }
        let zoe = needles(json!([{"literal": "Zoë Müller"}]));
        assert!(zoe.occurs_in("Zoe\u{308}  Mu\u{308}ller") && zoe.occurs_in("Zoë\nMüller") && !zoe.occurs_in("Zoe"));
        let dash = needles(json!([{"literal": "A-1", "caseSensitive": true}]));
        assert!(dash.occurs_in("A\u{2013}1") && !dash.occurs_in("a-1"));
    }

    #[test]
    fn whole_words_end_where_words_end() {
        let ann = needles(json!([{"literal": "Ann", "wholeWords": true}]));
        assert!(
            ann.occurs_in("(Ann)") && ann.occurs_in("Mary Ann") && !ann.occurs_in("Annex") && !ann.occurs_in("Joann")
        );
        let number = needles(json!([{"pattern": r"\d{3}-\d{2}"}]));
        assert!(number.occurs_in("123-45") && !number.occurs_in("12-345"));
    }

    #[test]
    fn matches_are_replaced_until_none_is_left() {
        let needles = needles(json!([{"literal": "ab"}]));
        assert_eq!(needles.without("x aab y").as_deref(), Some("x a█ y"));
        assert_eq!(needles.without("none"), None);
        let everything = self::needles(json!([{"pattern": "."}]));
        assert_eq!(everything.without("all of it").as_deref(), Some(""));
    }

    #[test]
    fn what_ocr_confuses_is_found() {
        let needles = needles(json!([{"literal": "SOLID 105"}]));
        assert!(!needles.find_alike("so1id IO5").is_empty());
    }

    #[test]
    fn words_that_may_be_a_word_with_mistakes_resemble_it() {
        let needles = needles(json!([{"literal": "Griffinshire Hall"}]));
        for word in ["Griffinshire", "Griffonshine", "GriffinshireX", "Griff", "shire", "Hali", "Halls"] {
            assert!(needles.resemble(&blurred(word)), "{word}");
        }
        for word in ["Harvest", "of", "the", "Grind", "Half-baked"] {
            assert!(!needles.resemble(&blurred(word)), "{word}");
        }
    }

    #[test]
    fn a_pattern_that_is_wrong_or_matches_nothing_is_refused() {
        for pattern in ["(", "a*", "(a{999}){999}"] {
            let wanted: Vec<Wanted> = serde_json::from_value(json!([{ "pattern": pattern }])).unwrap();
            assert!(Needles::new(&wanted).unwrap_err().contains("text[0]"), "{pattern}");
        }
    }
}
