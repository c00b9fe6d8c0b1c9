//! Names of files, made from a pattern with tags such as `{invoice.number}.pdf`.

use std::borrow::Cow;

use docmill_formats::Format;
use serde_json::Value;

use crate::data::{Scope, Work};
use crate::fill::Filler;
use crate::filters::Formats;
use crate::notes::Notes;
use crate::options::{Missing, Options};
use crate::plain::{self, Language};
use crate::problem::{Failure, Fault, Place, Problem};
use crate::tree::Part;

/// The option, as mistakes name it.
const OPTION: &str = "filenamePattern";
/// Longest name: room for a number and an extension is left in what file systems allow.
const MOST_CHARACTERS: usize = 120;
const MOST_BYTES: usize = 200;
/// Bytes that a pattern may become.
const FILLED_BYTES: usize = 64 << 10;

/// A pattern, read once and filled for each file.
#[derive(Debug)]
pub struct FilenamePattern {
    part: Part,
    formats: Formats,
    steps: usize,
}

impl FilenamePattern {
    /// Reads the tags of a name.
    ///
    /// # Errors
    /// All mistakes, if there are any.
    pub fn parse(pattern: &str, options: &Options) -> Result<Self, Failure> {
        let mut problems = Vec::new();
        let mut part = plain::read(pattern.to_owned(), Language::Name, &options.delimiters, &mut problems)?;
        if !problems.is_empty() {
            return Err(Failure::Template(problems.into_iter().map(in_pattern).collect()));
        }
        for written in &mut part.tags {
            written.place = place();
        }
        Ok(Self { part, formats: Formats::new(options)?, steps: options.limits.steps })
    }

    /// A name without path and extension that any file system takes. Each tag must have a value.
    ///
    /// # Errors
    /// If a tag has no value, or the data does not fit.
    pub fn fill(&self, data: &Value, notes: &mut Notes) -> Result<String, Failure> {
        let work = Work::new(self.steps, std::mem::take(&mut notes.uses));
        let mut filler = Filler::new(&self.formats, Missing::Error, &work, FILLED_BYTES);
        let filled = filler.fill(&self.part, &Scope::root(data, &work));
        let Filler { mut problems, empty, .. } = filler;
        notes.uses = work.uses.into_inner();
        let name = safe(without_extension(&filled?.text));
        for tag in empty {
            problems.push(mistake(&tag, "The value is empty, but the name of the file needs it."));
        }
        if problems.is_empty() && name.is_empty() {
            problems.push(mistake(OPTION, "The name of the file is empty."));
        }
        if problems.is_empty() { Ok(name) } else { Err(Failure::Template(problems)) }
    }
}

fn mistake(tag: &str, message: &str) -> Problem {
    Fault::unusable(message).at(tag, &place())
}

/// Without the text around a tag: the pattern is never shown again.
fn place() -> Place {
    Place { part: OPTION.to_owned(), ..Place::default() }
}

fn in_pattern(problem: Problem) -> Problem {
    Problem { place: place(), ..problem }
}

/// Extensions are those of the result, whatever the pattern says.
fn without_extension(name: &str) -> &str {
    let is_result = |format| matches!(format, Format::Pdf | Format::Zip) || crate::Format::of(format).is_some();
    match name.rsplit_once('.') {
        Some((stem, extension)) if Format::from_extension(extension).is_some_and(is_result) => stem,
        Some(_) | None => name,
    }
}

/// What paths, shells and other systems' file systems understand differently becomes an underline.
fn safe(name: &str) -> String {
    let plain = sanitize_filename::Options { windows: true, truncate: false, replacement: "_" };
    let spaced: String = name.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let visible: String = spaced.chars().filter(|c| !is_invisible(*c)).collect();
    let trimmed = visible.trim_matches(|c: char| c == ' ' || c == '.');
    let name = sanitize_filename::sanitize_with_options(trimmed, plain);
    let mut short = Cow::Borrowed(name.as_str());
    if let Some((end, _)) = name
        .char_indices()
        .enumerate()
        .map(|(count, (at, _))| (at, count))
        .find(|(at, count)| *at > MOST_BYTES - char::MAX.len_utf8() || *count >= MOST_CHARACTERS)
    {
        short = Cow::Borrowed(name.get(..end).unwrap_or_default());
    }
    short.trim_matches(|c: char| c == ' ' || c == '.').to_owned()
}

/// Marks that hide in a name, or turn its end around.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Reason;
    use serde_json::json;

    fn filled(pattern: &str, data: &Value) -> Result<String, Vec<Problem>> {
        let named = FilenamePattern::parse(pattern, &Options::default())
            .and_then(|pattern| pattern.fill(data, &mut Notes::default()));
        named.map_err(|failure| match failure {
            Failure::Template(mistakes) => mistakes,
            other @ (Failure::Corrupt(_) | Failure::TooLarge(_) | Failure::Options(_)) => panic!("{other}"),
        })
    }

    #[test]
    fn names_have_values_and_filters() {
        let data = json!({"invoice": {"number": "2026.11", "date": "2026-11-25"}, "customer": "Müller & Søn <A>"});
        assert_eq!(filled("{invoice.number}.pdf", &data).unwrap(), "2026.11");
        assert_eq!(filled("{invoice.date | date:'iso'} {customer}", &data).unwrap(), "2026-11-25 Müller & Søn _A_");
        assert_eq!(filled("Letter.docx", &data).unwrap(), "Letter");
    }

    #[test]
    fn a_name_can_neither_leave_its_folder_nor_deceive() {
        let name = |value: &str| filled("{a}.pdf", &json!({ "a": value })).unwrap();
        assert_eq!(name("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!(name("C:\\temp\\a|b?*\"<>"), "C__temp_a_b_____");
        assert_eq!(name("CON"), "_");
        assert_eq!(name("invoice\u{202e}fdp.exe"), "invoicefdp.exe");
        assert_eq!(name("two\nlines\tof\0text"), "two lines oftext");
        assert_eq!(name(" . hidden . "), "hidden");
        assert_eq!(name(&"ä".repeat(1_000)).chars().count(), 99);
        assert_eq!(name(&"a".repeat(1_000)).len(), MOST_CHARACTERS);
    }

    #[test]
    fn a_name_without_its_values_is_a_mistake() {
        let of = |pattern: &str, data: Value| {
            let mistakes = filled(pattern, &data).unwrap_err();
            let mistake = mistakes.into_iter().next().unwrap();
            assert_eq!(mistake.place.part, "filenamePattern");
            (mistake.reason, mistake.tag, mistake.suggestion)
        };
        let data = json!({"number": null, "name": "..."});
        assert_eq!(of("{numbr}.pdf", data.clone()), (Reason::UnknownName, "{numbr}".into(), Some("number".into())));
        assert_eq!(of("{number}.pdf", data.clone()), (Reason::UnusableValue, "{number}".into(), None));
        assert_eq!(of("{name}.pdf", data.clone()), (Reason::UnusableValue, "filenamePattern".into(), None));
        let mistakes = filled("for Jane Doe {numbr}", &data).unwrap_err();
        assert!(mistakes.iter().all(|mistake| mistake.place.text.is_empty()), "{mistakes:?}");
        let unclosed = filled("for Jane Doe {name", &data).unwrap_err();
        assert!(!format!("{unclosed:?}").contains("Jane"), "{unclosed:?}");
        assert_eq!(of("{name", data.clone()).0, Reason::UnclosedTag);
        assert_eq!(of("{%name}", data.clone()).0, Reason::InvalidTag);
        assert_eq!(of("{@name}", data).0, Reason::InvalidTag);
    }
}
