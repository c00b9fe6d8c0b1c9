//! What the items of a list begin with: bullets, numbers, and letters.

use super::order::Line;
use super::words::Word;

const BULLETS: [char; 19] =
    ['•', '‣', '▪', '●', '○', '■', '□', '–', '−', '∙', '·', '◦', '➢', '➤', '►', '▸', '✓', '*', '-'];
/// Symbol fonts: any character in them can be a bullet.
const SIGNS: [&str; 2] = ["Wingdings", "Webdings"];
/// The letters that Cyrillic lists use.
const CYRILLIC: &str = "абвгдежзиклмнопрстуфхцчшщэюя";
const ROMAN: [&str; 12] = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"];
/// Lists are not nested deeper.
const OPEN: usize = 8;

/// The number of an item, if it is in an ordered list, and the line without bullet or number.
pub(super) fn marker(line: &Line) -> Option<(Option<u32>, Line)> {
    let first = line.words.first()?;
    let number = || {
        let digits = first.text.strip_suffix(['.', ')'])?;
        let digits = digits.strip_prefix('(').unwrap_or(digits);
        (digits.len() <= 3).then(|| digits.parse::<u32>().ok()).flatten()
    };
    let number = if is_bullet(first) { None } else { Some(number()?) };
    if line.words.len() < 2 {
        return None;
    }
    let mut rest = line.clone();
    rest.words.remove(0);
    rest.area = rest.words.iter().map(|word| word.area).reduce(|a, b| a.union(&b))?;
    Some((number, rest))
}

fn is_bullet(word: &Word) -> bool {
    let mut chars = word.text.chars();
    let (Some(only), None) = (chars.next(), chars.next()) else { return false };
    BULLETS.contains(&only)
        || ('\u{e000}'..='\u{f8ff}').contains(&only)
        || SIGNS.iter().any(|font| word.font.name.contains(font))
        // Word's bullet of the second level.
        || only == 'o' && word.font.fixed
}

/// Letters, and numbers in square brackets. They begin sentences, too, so each has to follow the one before.
#[derive(Default)]
pub(super) struct Lettered {
    open: Vec<Mark>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Mark {
    kind: Kind,
    /// What is around it, such as `(` and `)`.
    around: (Option<char>, char),
    value: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Letter,
    Roman,
    Cyrillic,
    /// As of references.
    Number,
}

impl Lettered {
    /// Whether a line begins an item. `is_first`: of its column, where a list of references may go on.
    pub(super) fn is_item(&mut self, line: &Line, is_first: bool) -> bool {
        let found = match line.words.as_slice() {
            // "a) b)" are the names of two pictures.
            [first, second, ..] if marks(&second.text).is_empty() => marks(&first.text),
            _ => Vec::new(),
        };
        let follows = |mark: &Mark| {
            let before = Mark { value: mark.value.saturating_sub(1), ..*mark };
            mark.value == 1 || is_first && mark.kind == Kind::Number || self.open.contains(&before)
        };
        let Some(mark) = found.into_iter().find(follows) else { return false };
        self.open.retain(|open| (open.kind, open.around) != (mark.kind, mark.around));
        self.open.push(mark);
        let many = self.open.len().saturating_sub(OPEN);
        self.open.drain(..many);
        true
    }
}

/// What a word can stand for: "(i)" is a letter, or one in Roman numbers.
fn marks(text: &str) -> Vec<Mark> {
    let opening = text.chars().next().filter(|c| matches!(c, '(' | '['));
    let Some(closing) = text.chars().next_back().filter(|c| matches!(c, '.' | ')' | ']')) else { return Vec::new() };
    let inner = text.trim_start_matches(['(', '[']).trim_end_matches(['.', ')', ']']);
    let place = |kind, value: Option<usize>| value.map(|at| Mark { kind, around: (opening, closing), value: at + 1 });
    if (opening, closing) == (Some('['), ']') {
        let number = inner.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        return place(Kind::Number, number).into_iter().collect();
    }
    let mut chars = inner.chars();
    let letter = chars.next().filter(|_| chars.next().is_none());
    // "A. Smith" is a name, and "A. Results" a heading.
    let latin = letter.filter(|c| c.is_ascii_lowercase() || c.is_ascii_uppercase() && closing == ')');
    let latin = latin.map(|c| usize::from(c.to_ascii_lowercase() as u8 - b'a'));
    let roman = ROMAN.iter().position(|number| *number == inner);
    let cyrillic = letter.and_then(|c| CYRILLIC.chars().position(|one| one == c));
    [place(Kind::Letter, latin), place(Kind::Roman, roman), place(Kind::Cyrillic, cyrillic)]
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::order;
    use super::*;

    fn line(text: &str) -> Line {
        let words =
            text.split(' ').enumerate().map(|(at, word)| Word::at(word, 50.0 + at as f32 * 40.0, 20.0, 8.0, false));
        order::lines(words.collect()).remove(0)
    }

    fn items(lines: &[&str]) -> Vec<bool> {
        let mut lettered = Lettered::default();
        lines.iter().map(|text| lettered.is_item(&line(text), false)).collect()
    }

    #[test]
    fn letters_that_follow_each_other_are_items() {
        assert_eq!(items(&["a. one", "b. two", "d. four", "c. three"]), [true, true, false, true]);
        assert_eq!(items(&["(a) one", "(i) inner", "(ii) inner", "(b) two"]), [true; 4]);
        assert_eq!(items(&["а) раз", "б) два", "A) choice", "B) choice"]), [true; 4]);
        assert_eq!(items(&["[1] Smith", "[2] Jones", "[4] shows"]), [true, true, false]);
    }

    #[test]
    fn names_headings_and_abbreviations_are_none() {
        assert_eq!(
            items(&["A. Smith", "e.g. this", "z. B. das", "b. two", "a.", "text (a)", "a) b) Fig. 1"]),
            [false; 7]
        );
    }

    #[test]
    fn references_go_on_in_the_next_column() {
        let mut lettered = Lettered::default();
        assert!(lettered.is_item(&line("[17] Smith"), true) && lettered.is_item(&line("[18] Jones"), false));
        assert!(!Lettered::default().is_item(&line("b. two"), true), "a letter is too often a sentence's");
    }

    #[test]
    fn signs_of_symbol_fonts_are_bullets() {
        let with_font = |name: &str, fixed: bool| {
            let mut line = line("o text");
            let font = docmill_pdf_core::pdfium::Font { name: name.to_owned(), fixed, ..Default::default() };
            line.words[0].font = std::rc::Rc::new(font);
            marker(&line).is_some()
        };
        assert!(with_font("Wingdings-Regular", false) && with_font("CourierNewPSMT", true));
        assert!(!with_font("Arial", false));
    }
}
