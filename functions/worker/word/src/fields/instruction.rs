//! What a field is told to show, such as `TOC \o "1-3" \h`.

/// A field's instruction (ECMA-376-1, 17.16.5).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Instruction {
    /// In capitals.
    pub(super) kind: String,
    words: Vec<Word>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Switch(char),
    Text(String),
}

impl Instruction {
    pub(super) fn read(text: &str) -> Self {
        let mut words = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let (word, after) = match first {
                '"' | '\u{201c}' | '\u{201d}' => quoted(rest),
                '\\' if rest.chars().nth(1).is_some_and(|switch| !switch.is_whitespace()) => switch(rest),
                _ => plain(rest),
            };
            words.push(word);
            rest = after.trim_start();
        }
        let kind = match words.first() {
            Some(Word::Text(kind)) => kind.to_uppercase(),
            Some(Word::Switch(_)) | None => String::new(),
        };
        words.drain(..1.min(words.len()));
        Self { kind, words }
    }

    /// The first argument, before all switches.
    pub(super) fn argument(&self) -> Option<&str> {
        self.words.first().and_then(Word::text)
    }

    pub(super) fn has(&self, switch: char) -> bool {
        self.words.contains(&Word::Switch(switch))
    }

    /// What follows a switch.
    pub(super) fn after(&self, switch: char) -> Option<&str> {
        self.all_after(switch).next()
    }

    pub(super) fn all_after(&self, switch: char) -> impl Iterator<Item = &str> {
        let pairs = self.words.iter().zip(self.words.iter().skip(1));
        pairs.filter(move |(word, _)| **word == Word::Switch(switch)).filter_map(|(_, next)| next.text())
    }

    /// Whether it has no other switches than these, and those of the look.
    pub(super) fn has_only(&self, switches: &[char]) -> bool {
        self.words.iter().all(|word| match word {
            Word::Switch(switch) => matches!(switch, '*' | 'h' | '@' | '#') || switches.contains(switch),
            Word::Text(_) => true,
        })
    }
}

impl Word {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Switch(_) => None,
        }
    }
}

fn quoted(text: &str) -> (Word, &str) {
    let mut letters = text.char_indices();
    letters.next();
    let mut inner = String::new();
    let mut escaped = false;
    for (at, letter) in letters {
        match letter {
            '"' | '\u{201c}' | '\u{201d}' if !escaped => {
                return (Word::Text(inner), text.get(at + letter.len_utf8()..).unwrap_or_default());
            }
            '\\' if !escaped => escaped = true,
            letter => {
                inner.push(letter);
                escaped = false;
            }
        }
    }
    (Word::Text(inner), "")
}

fn switch(text: &str) -> (Word, &str) {
    let name = text.chars().nth(1).unwrap_or_default();
    (Word::Switch(name.to_ascii_lowercase()), text.get(1 + name.len_utf8()..).unwrap_or_default())
}

fn plain(text: &str) -> (Word, &str) {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (Word::Text(word.to_owned()), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_have_what_follows_them() {
        let contents = Instruction::read(r#" TOC \o "1-3" \h \z \t "Chapter \"A\",1;Box,2" "#);
        assert_eq!((contents.kind.as_str(), contents.argument()), ("TOC", None));
        assert_eq!((contents.after('o'), contents.after('t')), (Some("1-3"), Some(r#"Chapter "A",1;Box,2"#)));
        assert!(contents.has('h') && !contents.has('u'));
        let page = Instruction::read("pageref _Toc1 \\h\\* MERGEFORMAT");
        assert_eq!(
            (page.kind.as_str(), page.argument(), page.after('*')),
            ("PAGEREF", Some("_Toc1"), Some("MERGEFORMAT"))
        );
        assert_eq!(page.after('h'), None);
        assert_eq!(Instruction::read(""), Instruction::default());
    }
}
