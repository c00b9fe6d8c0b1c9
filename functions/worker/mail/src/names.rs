//! Names of attachments for display and for files.

use std::collections::HashSet;

use super::File;

/// Longer names are cut, before their extension.
const LONGEST: usize = 100;
const LONGEST_EXTENSION: usize = 16;

/// Gives each file a unique name.
#[derive(Debug, Default)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// `number`: the attachment's number, from 1.
    pub fn of(&mut self, file: &File, number: usize) -> String {
        let plain = plain(file.name.as_deref().unwrap_or_default());
        let name = if plain.is_empty() { format!("attachment-{number}{}", extension(file)) } else { plain };
        if self.taken.insert(name.to_lowercase()) {
            return name;
        }
        let (stem, extension) = split(&name);
        let numbered = format!("{stem} ({number}){extension}");
        self.taken.insert(numbered.to_lowercase());
        numbered
    }
}

/// A name without folders, control characters and changes of text direction: `exe.pdf` must not look like `fdp.exe`.
fn plain(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let shown = |character: &char| !character.is_control() && !is_direction(*character);
    let name: String = last.chars().filter(shown).collect();
    let name = name.trim().trim_start_matches('.');
    let (stem, extension) = split(name);
    let stem: String = stem.chars().take(LONGEST).collect();
    format!("{stem}{extension}")
}

fn split(name: &str) -> (&str, &str) {
    let at = name.rfind('.').filter(|at| *at > 0 && name.len() - at <= LONGEST_EXTENSION);
    name.split_at(at.unwrap_or(name.len()))
}

/// Characters that change the direction of text (Unicode's bidirectional algorithm).
pub(super) fn is_direction(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The extension for a file without a name.
fn extension(file: &File) -> &'static str {
    match file.media_type.as_deref() {
        Some("application/pdf") => ".pdf",
        Some("image/jpeg") => ".jpg",
        Some("image/png") => ".png",
        Some("image/gif") => ".gif",
        Some("message/rfc822") => ".eml",
        Some("text/plain") => ".txt",
        Some("text/html") => ".html",
        Some("text/calendar") => ".ics",
        Some(_) | None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> File {
        File { name: Some(name.to_owned()), ..File::default() }
    }

    #[test]
    fn names_are_plain_and_distinct() {
        let mut names = Names::default();
        assert_eq!(names.of(&named("../../etc/passwd"), 1), "passwd");
        assert_eq!(names.of(&named("C:\\x\\Report.pdf"), 2), "Report.pdf");
        assert_eq!(names.of(&named("report.PDF"), 3), "report (3).PDF");
        assert_eq!(names.of(&named("a\u{202e}fdp.exe"), 4), "afdp.exe");
        assert_eq!(names.of(&named("\r\n"), 5), "attachment-5");
        let picture = File { media_type: Some("image/png".into()), ..File::default() };
        assert_eq!(names.of(&picture, 6), "attachment-6.png");
        assert_eq!(names.of(&named(&"x".repeat(1000)), 7).len(), LONGEST);
    }
}
