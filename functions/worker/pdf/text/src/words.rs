//! Groups characters into words.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use docmill_pdf_core::pdfium::{Character, Font, Rect, Tag};
use serde::{Deserialize, Serialize};
use unicode_bidi::{BidiInfo, Level};

use super::letterspaced::glued;
use super::radicals::unified;
use super::scripts::is_rtl;
use super::turned::upright;

/// The widest gap and the largest overlap between characters of one word, in ems.
const GAP: f32 = 0.25;
const OVERLAP: f32 = 0.5;
/// How far apart, in ems, a word may be drawn twice to make it bold.
const OVERPRINT: f32 = 0.1;
/// Characters that are closer than this belong to one word, even if the text has a space between them.
pub(super) const JOINED: f32 = 0.08;

/// Raised characters are at most this large, and stand at least that far above others, in ems of these.
const RAISED_SIZE: f32 = 0.82;
const RAISED_BY: f32 = 0.12;
/// How far the box of a font reaches below its baseline, in ems.
const DESCENT: f32 = 0.22;

/// Which bytes of a word are raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Raised {
    /// Those before.
    Start(usize),
    /// Those from here on.
    End(usize),
}

/// Characters without space between them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Word {
    /// With the text upright: a page whose text runs upwards is rotated.
    pub area: Rect,
    /// As the page is shown.
    pub place: Rect,
    /// How far down it is in the area's coordinates, if that is known.
    pub baseline: Option<f32>,
    /// The em, in points.
    pub size: f32,
    /// That of most of its characters.
    pub font: Rc<Font>,
    /// In reading order.
    pub text: String,
    /// The start and font of closing punctuation in another style.
    pub tail: Option<(usize, Rc<Font>)>,
    /// A part of it that is raised, such as a footnote's mark.
    pub raised: Option<Raised>,
    /// Where it leads.
    pub link: Option<Rc<str>>,
    /// The marked content that it is in.
    pub tag: Tag,
}

impl Word {
    /// Whether it is read from right to left.
    pub fn is_rtl(&self) -> bool {
        self.text.chars().any(is_rtl)
    }

    /// Whether it is a bullet, as those that are drawn.
    pub(super) fn is_bullet(&self) -> bool {
        self.text == "•"
    }
}

#[cfg(test)]
impl Word {
    /// An upright word whose characters are half as wide as high.
    pub(super) fn at(text: &str, x0: f32, y0: f32, size: f32, bold: bool) -> Self {
        let area = Rect { x0, y0, x1: x0 + size * 0.5 * text.chars().count() as f32, y1: y0 + size };
        let font = Rc::new(Font { name: "F".to_owned(), bold, italic: false, fixed: false });
        Self {
            area,
            place: area,
            baseline: None,
            size,
            font,
            text: text.to_owned(),
            tail: None,
            raised: None,
            link: None,
            tag: Tag::None,
        }
    }
}

/// A word of a line, with its characters from left to right as they stand on the page.
pub fn visual_order(word: &str, is_line_rtl: bool) -> Cow<'_, str> {
    if !is_line_rtl && !word.chars().any(is_rtl) {
        return Cow::Borrowed(word);
    }
    let levels = BidiInfo::new(word, is_line_rtl.then(Level::rtl));
    match levels.paragraphs.first() {
        Some(paragraph) => levels.reorder_line(paragraph, paragraph.range.clone()),
        None => Cow::Borrowed(word),
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6ed}')
}

/// The words in the page's main direction, the others, and that direction.
pub(super) fn words(characters: &[Character], page: (f32, f32), most: usize) -> (Vec<Word>, Vec<Word>, u16) {
    let count = |angle| characters.iter().filter(|c| c.angle == angle).count();
    let main = [0, 90, 270, 180].into_iter().rev().max_by_key(|angle| count(*angle)).unwrap_or(0);
    let (mut words, mut aside) = (Vec::new(), Vec::new());
    let mut current: Option<(Word, u16)> = None;
    let mut before = Rect::default();
    let mut after_ligature = false;
    let glued = glued(characters, page);
    for (character, is_glued) in characters.iter().zip(glued) {
        let area = upright(&character.area, character.angle, page);
        let place = std::mem::replace(&mut before, area);
        let same_place = place == area;
        let in_ligature = place.starts_like(&area) && character.value.is_alphabetic() && !is_rtl(character.value);
        let follows_ligature = std::mem::replace(&mut after_ligature, in_ligature);
        if let Some((word, angle)) = &mut current
            && *angle == character.angle
            && word.tag == character.tag
            && (in_ligature || is_glued || belongs(word, character, &area, follows_ligature))
        {
            word.raised = raised(word, character, &area);
            word.area =
                if in_ligature { Rect { x1: area.x1, ..word.area.union(&area) } } else { word.area.union(&area) };
            word.place = word.place.union(&character.area);
            push(word, character, same_place);
            continue;
        }
        let word = Word {
            area,
            place: character.area,
            baseline: character.baseline.map(|place| upright(&place, character.angle, page).y0),
            size: character.size,
            font: Rc::clone(&character.font),
            text: unified(character.value).to_string(),
            tail: None,
            raised: None,
            link: None,
            tag: character.tag,
        };
        if let Some((word, angle)) = current.replace((word, character.angle)) {
            if angle == main { words.push(word) } else { aside.push(word) }
        }
        if words.len() + aside.len() >= most {
            break;
        }
    }
    if let Some((word, angle)) = current {
        if angle == main { words.push(word) } else { aside.push(word) }
    }
    drop_overprinted(&mut words);
    (join_numbers(words), aside, main)
}

/// In text from right to left, pdfium has the parts of a number such as `77,915` from right to left: `915,` and `77`.
fn join_numbers(words: Vec<Word>) -> Vec<Word> {
    if !words.iter().any(Word::is_rtl) {
        return words;
    }
    words.chunk_by(goes_on_leftwards).filter_map(joined).collect()
}

/// Whether two words are parts of a number, the second right before the first.
fn goes_on_leftwards(first: &Word, second: &Word) -> bool {
    let is_part = |word: &Word| word.text.chars().all(|c| c.is_numeric() || is_in_numbers(c));
    let gap = first.area.x0 - second.area.x1;
    let is_beside = (first.area.center().1 - second.area.center().1).abs() < first.size * 0.3;
    is_part(first) && is_part(second) && is_beside && gap.abs() < first.size * JOINED
}

fn is_in_numbers(c: char) -> bool {
    matches!(c, '.' | ',' | ':' | '/' | '%' | '-' | '+')
}

/// One word of these, which are from right to left, as are the signs after the digits of each.
fn joined(parts: &[Word]) -> Option<Word> {
    let mut word = parts.first()?.clone();
    if parts.len() == 1 {
        return Some(word);
    }
    let leftwards = parts.iter().rev().flat_map(|part| {
        let digits = part.text.trim_end_matches(is_in_numbers);
        [part.text.get(digits.len()..).unwrap_or_default(), digits]
    });
    let number: String = leftwards.collect();
    // What is left of all digits comes after them.
    let digits = number.trim_start_matches(['.', ',', ':']);
    let end = number.get(..number.len() - digits.len()).unwrap_or_default();
    word.text = format!("{digits}{end}");
    for part in parts {
        (word.area, word.place) = (word.area.union(&part.area), word.place.union(&part.place));
    }
    Some(word)
}

/// Drops words that are drawn over themselves, as programs do for bold type: readers see each once.
fn drop_overprinted(words: &mut Vec<Word>) {
    let mut seen: HashMap<&str, BTreeSet<(i32, i32)>> = HashMap::new();
    let mut is_new = Vec::with_capacity(words.len());
    for word in words.iter() {
        let step = (word.size * OVERPRINT).max(0.1);
        #[expect(clippy::cast_possible_truncation, reason = "the casts saturate")]
        let (x, y) = ((word.area.x0 / step).round() as i32, (word.area.y0 / step).round() as i32);
        let near = |value: i32| value.saturating_sub(1)..=value.saturating_add(1);
        let places = seen.entry(&word.text).or_default();
        let is_over = near(x).any(|x| places.range((x, *near(y).start())..=(x, *near(y).end())).next().is_some());
        is_new.push(!is_over);
        if !is_over {
            places.insert((x, y));
        }
    }
    let mut is_new = is_new.into_iter();
    words.retain(|_| is_new.next().unwrap_or(true));
}

/// Whether a character continues a word.
fn belongs(word: &Word, character: &Character, area: &Rect, follows_ligature: bool) -> bool {
    let size = word.size.max(character.size);
    let leftwards = word.is_rtl() && (is_rtl(character.value) || !character.value.is_alphanumeric());
    let gap = if leftwards { word.area.x0 - area.x1 } else { area.x0 - word.area.x1 };
    // pdfium reports spaces after ligatures that are not there.
    let joined = if follows_ligature { 2.0 * JOINED } else { JOINED };
    if character.spaced && !(-size * OVERLAP <= gap && gap < size * joined) {
        return false;
    }
    if is_mark(character.value) {
        return true;
    }
    if (word.area.center().1 - area.center().1).abs() > size * 0.6 {
        return false;
    }
    // The letters of a ligature share one place.
    let inside = leftwards && area.x0 >= word.area.x0 && area.x1 <= word.area.x1;
    inside || (-size * OVERLAP <= gap && gap < size * GAP)
}

/// Whether type of this size and place is raised above other type in the same line.
pub fn is_raised(area: &Rect, size: f32, other: &Rect, other_size: f32) -> bool {
    let baseline = |area: &Rect, size: f32| area.y1 - size * DESCENT;
    size < other_size * RAISED_SIZE && baseline(area, size) < baseline(other, other_size) - other_size * RAISED_BY
}

/// What is raised in a word that goes on with this character.
fn raised(word: &Word, character: &Character, area: &Rect) -> Option<Raised> {
    match word.raised {
        Some(Raised::Start(end)) => Some(Raised::Start(end)),
        None if is_raised(&word.area, word.size, area, character.size) => Some(Raised::Start(word.text.len())),
        None if is_raised(area, character.size, &word.area, word.size) => Some(Raised::End(word.text.len())),
        None => None,
        // Characters after raised ones: the word is a formula.
        Some(Raised::End(start)) => {
            is_raised(area, character.size, &word.area, word.size).then_some(Raised::End(start))
        }
    }
}

/// Adds a character. pdfium reports the lam-alef ligature in visual order.
fn push(word: &mut Word, character: &Character, same_place: bool) {
    let (value, font) = (unified(character.value), &character.font);
    if value.is_alphanumeric() {
        word.tail = None;
    } else if word.tail.is_none() && !font.looks_like(&word.font) {
        word.tail = Some((word.text.len(), Rc::clone(font)));
    }
    let is_alef = |c| matches!(c, '\u{622}' | '\u{623}' | '\u{625}' | '\u{627}');
    if value == '\u{644}' && same_place && word.text.chars().next_back().is_some_and(is_alef) {
        let alef = word.text.pop();
        word.text.push(value);
        word.text.extend(alef);
    } else {
        word.text.push(value);
    }
}

/// Sets the addresses of the links over words.
pub(super) fn link(words: &mut [Word], links: &[(Rect, String)]) {
    for (area, address) in links {
        let address: Rc<str> = address.as_str().into();
        for word in words.iter_mut().filter(|word| area.contains(word.place.center())) {
            word.link = Some(Rc::clone(&address));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_text_from_right_to_left_are_whole() {
        let joined = |beside: &str, parts: &[(&str, f32)]| {
            let parts = parts.iter().map(|(text, left)| Word::at(text, *left, 100.0, 10.0, false));
            let words = [Word::at(beside, 200.0, 100.0, 10.0, false)].into_iter().chain(parts);
            join_numbers(words.collect()).into_iter().map(|word| word.text).collect::<Vec<_>>()
        };
        assert_eq!(joined("של", &[("915,", 60.0), ("77", 50.0)]), ["של", "77,915"]);
        assert_eq!(joined("של", &[("%", 80.0), ("0.", 70.0), ("60.", 55.0)]), ["של", "60.0%."]);
        assert_eq!(joined("של", &[("915", 60.0), ("77", 40.0)]), ["של", "915", "77"]);
        assert_eq!(joined("of", &[("915,", 60.0), ("77", 50.0)]), ["of", "915,", "77"]);
    }
}
