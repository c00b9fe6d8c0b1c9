//! Front matter: YAML between two lines of `---` before the text of a Markdown file.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

/// The metadata of a document. A list of authors or keywords is one text, with commas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FrontMatter {
    /// `title`.
    pub title: Option<String>,
    /// `author` or `authors`.
    pub author: Option<String>,
    /// `date`, as written.
    pub date: Option<String>,
    /// `subject` or `description`.
    pub subject: Option<String>,
    /// `keywords` or `tags`.
    pub keywords: Option<String>,
    /// As in HTML: `de`, `pt-BR`.
    pub lang: Option<String>,
    /// Sender and recipient of a letter, line by line.
    #[serde(skip)]
    pub from: Vec<String>,
    /// As for `from`.
    #[serde(skip)]
    pub to: Vec<String>,
}

/// It looks like front matter but is not YAML, or is not a flat mapping.
#[derive(Debug, PartialEq, Eq)]
pub struct Unreadable;

impl FrontMatter {
    /// Separates the front matter from the text. Text between two rulers without names and values is not front matter.
    ///
    /// # Errors
    /// If it looks like front matter, and is not a flat mapping in YAML.
    pub fn split(markdown: &str) -> Result<(Self, &str), Unreadable> {
        let whole = (Self::default(), markdown);
        let Some((yaml, text)) = parts(markdown) else { return Ok(whole) };
        match serde_saphyr::from_str::<Value>(yaml) {
            Ok(Value::Object(entries)) => Ok((Self::of(entries.into_iter().collect()), text)),
            // Rulers with text between them: a heading looks like a YAML comment.
            Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => Ok(whole),
            Err(_) if yaml.contains(':') => Err(Unreadable),
            Err(_) => Ok(whole),
        }
    }

    fn of(entries: HashMap<String, Value>) -> Self {
        let one = |names: &[&str]| names.iter().find_map(|name| line(entries.get(*name)?));
        let lines = |name: &str| entries.get(name).map(lines).unwrap_or_default();
        Self {
            title: one(&["title"]),
            author: one(&["author", "authors"]),
            date: one(&["date"]),
            subject: one(&["subject", "description"]),
            keywords: one(&["keywords", "tags"]),
            lang: one(&["lang", "language"]).filter(|lang| is_language(lang)),
            from: lines("from"),
            to: lines("to"),
        }
    }
}

/// The text between the rulers, and the rest.
fn parts(markdown: &str) -> Option<(&str, &str)> {
    let markdown = markdown.trim_start_matches('\u{feff}');
    let (first, mut rest) = markdown.split_once('\n')?;
    if first.trim_end() != "---" {
        return None;
    }
    let start = rest;
    loop {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        if matches!(line.trim_end(), "---" | "...") {
            return Some((start.get(..start.len() - rest.len())?, after));
        }
        if after.is_empty() {
            return None;
        }
        rest = after;
    }
}

/// A value on one line: lists are joined by commas, and a person is shown by name.
fn line(value: &Value) -> Option<String> {
    let parts = lines(value);
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::Bool(_) | Value::Number(_) => vec![value.to_string()],
        Value::String(text) => text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect(),
        Value::Array(entries) => entries.iter().flat_map(lines).collect(),
        Value::Object(entries) => entries.get("name").map(lines).unwrap_or_default(),
    }
}

fn is_language(text: &str) -> bool {
    text.len() <= 35
        && text.split('-').all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_removed_from_the_text() {
        let (front_matter, text) = FrontMatter::split(
            "---\ntitle: \"On: colons\"\nauthor:\n  - Ada\n  - name: Bob\ndate: 2026-11-22\ntags: [a, 7]\nlang: de\n---\n# Text\n",
        )
        .unwrap();
        assert_eq!(front_matter.title.as_deref(), Some("On: colons"));
        assert_eq!(front_matter.author.as_deref(), Some("Ada, Bob"));
        assert_eq!(front_matter.date.as_deref(), Some("2026-11-22"));
        assert_eq!(front_matter.keywords.as_deref(), Some("a, 7"));
        assert_eq!(front_matter.lang.as_deref(), Some("de"));
        assert_eq!(text, "# Text\n");
        let letter = "---\r\nfrom: |\r\n  Ada\r\n  1 Street\r\nto: [B, C]\r\n---\r\nHi";
        let (front_matter, text) = FrontMatter::split(letter).unwrap();
        assert_eq!(
            (front_matter.from, front_matter.to),
            (vec!["Ada".into(), "1 Street".into()], vec!["B".into(), "C".into()])
        );
        assert_eq!(text, "Hi");
    }

    #[test]
    fn rulers_in_a_text_are_not_front_matter() {
        for text in
            ["---\n\n# Title\n\n---\nmore", "---\nno end: here\n", "text\n---\na: b\n---\n", "---\n---\n", "---"]
        {
            let (front_matter, rest) = FrontMatter::split(text).unwrap();
            assert_eq!((front_matter, rest), (FrontMatter::default(), text));
        }
    }

    #[test]
    fn broken_yaml_and_bombs_are_unreadable() {
        assert_eq!(FrontMatter::split("---\ntitle: [\n---\nx"), Err(Unreadable));
        let mut bomb = "---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let below = format!("*a{}, ", level - 1).repeat(10);
            bomb += &format!("a{level}: &a{level} [{}]\n", below.trim_end_matches(", "));
        }
        assert_eq!(FrontMatter::split(&(bomb + "---\nx")), Err(Unreadable));
    }
}
