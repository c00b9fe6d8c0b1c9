//! Regular expressions of XPath, which are nearly those of the crate `regex`.

use regex::{Regex, RegexBuilder};

/// Bounds the memory of one expression. Those of the rules need a few kilobytes.
const SIZE: usize = 1 << 20;

pub(super) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(SIZE).build()
}

/// A replacement, in which `$1` is a group and a backslash takes the meaning from the next character.
pub(super) fn replacement(text: &str) -> String {
    let mut result = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('$') => result.push_str("$$"),
                Some(other) => result.push(other),
                None => {}
            },
            '$' => {
                result.push_str("${");
                while let Some(digit) = characters.next_if(char::is_ascii_digit) {
                    result.push(digit);
                }
                result.push('}');
            }
            other => result.push(other),
        }
    }
    result
}
