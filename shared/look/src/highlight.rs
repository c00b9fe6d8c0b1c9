//! Colors for code: its comments, strings, numbers, keywords and names.
//!
//! Only tokens are told apart. Libraries with whole grammars would cost a function megabytes, or much of a cold start.

use maud::{Markup, html};

/// The language of a text in a code box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// POSIX, as terminals have it.
    Shell,
    /// Python 3.
    Python,
    /// And JavaScript.
    TypeScript,
    /// The Rust language.
    Rust,
    /// The Go language.
    Go,
    /// And JSON lines.
    Json,
    /// Settings of packages.
    Toml,
    /// Headers, with or without the lines around them.
    Http,
}

/// What a token is, if it has a color of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Up to the end of its line or its sign.
    Comment,
    /// A string, with its quotation marks.
    Text,
    /// With its fraction and exponent.
    Number,
    /// A word of the language, or a constant such as `true`.
    Keyword,
    /// A property of JSON, a header, or an option of a command.
    Name,
}

impl Kind {
    /// The style sheet's class.
    const fn class(self) -> &'static str {
        match self {
            Self::Comment => "c",
            Self::Text => "s",
            Self::Number => "n",
            Self::Keyword => "k",
            Self::Name => "p",
        }
    }
}

/// What tokens look like in a language.
struct Grammar {
    /// Begins a comment, up to the end of its line.
    comment: Option<&'static str>,
    /// What is around strings, longer marks first.
    quotes: &'static [Quote],
    keywords: &'static str,
}

struct Quote {
    open: &'static str,
    close: &'static str,
    /// Whether a backslash keeps the next character from closing it.
    escapes: bool,
}

const DOUBLE: Quote = Quote { open: "\"", close: "\"", escapes: true };
const SINGLE: Quote = Quote { open: "'", close: "'", escapes: true };
const BACKTICK: Quote = Quote { open: "`", close: "`", escapes: true };
const PYTHON: Quote = Quote { open: "\"\"\"", close: "\"\"\"", escapes: true };
const RUST: Quote = Quote { open: "r#\"", close: "\"#", escapes: false };

impl Syntax {
    /// The language that a fence in Markdown names.
    pub fn named(name: &str) -> Option<Self> {
        let known = [
            // The tests run what is in fences named `sh`.
            ("sh", Self::Shell),
            ("shell", Self::Shell),
            ("python", Self::Python),
            ("ts", Self::TypeScript),
            ("rust", Self::Rust),
            ("go", Self::Go),
            ("json", Self::Json),
            ("toml", Self::Toml),
            ("http", Self::Http),
        ];
        known.into_iter().find(|(known, _)| *known == name).map(|(_, syntax)| syntax)
    }

    const fn grammar(self) -> Grammar {
        let (comment, quotes, keywords): (_, &[_], _) = match self {
            Self::Shell => (
                Some("#"),
                &[DOUBLE, Quote { escapes: false, ..SINGLE }],
                "case curl do docmill done echo elif else esac exit export fi for function if in jq local printf return set shift then until \
                 while",
            ),
            Self::Python => (
                Some("#"),
                &[PYTHON, DOUBLE, SINGLE],
                "False None True and as assert async await break class continue def del elif else except finally for from global if \
                 import in is lambda not or pass raise return try while with yield",
            ),
            Self::TypeScript => (
                Some("//"),
                &[DOUBLE, SINGLE, BACKTICK],
                "as async await break case catch class const continue default do else export extends false finally for from function \
                 if import in instanceof interface let new null of return switch this throw true try type typeof undefined while",
            ),
            // A single quote also begins a lifetime.
            Self::Rust => (
                Some("//"),
                &[RUST, DOUBLE],
                "Self as async await break const continue else enum false fn for if impl in let loop match mod move mut pub ref return \
                 self static struct trait true type unsafe use where while",
            ),
            Self::Go => (
                Some("//"),
                &[DOUBLE, SINGLE, Quote { escapes: false, ..BACKTICK }],
                "break case chan const continue default defer else false for func go goto if import interface map nil package range \
                 return select struct switch true type var",
            ),
            Self::Json => (None, &[DOUBLE], "false null true"),
            Self::Toml => (Some("#"), &[DOUBLE, Quote { escapes: false, ..SINGLE }], "false true"),
            Self::Http => (None, &[DOUBLE], "DELETE GET HTTP PATCH POST PUT false null true"),
        };
        Grammar { comment, quotes, keywords }
    }

    /// The token at the start of `rest`, which is not empty, and its length in bytes.
    fn next(self, before: &str, rest: &str) -> (Option<Kind>, usize) {
        let grammar = self.grammar();
        let is_apart = before.chars().next_back().is_none_or(char::is_whitespace);
        let has_value = |length: usize| rest.get(length..).is_some_and(|rest| rest.trim_start().starts_with(':'));
        if is_apart && grammar.comment.is_some_and(|comment| rest.starts_with(comment)) {
            return (Some(Kind::Comment), rest.find('\n').unwrap_or(rest.len()));
        }
        if let Some(length) = grammar.quotes.iter().find_map(|quote| quote.length(rest)) {
            let is_name = matches!(self, Self::Json | Self::Http) && has_value(length);
            return (Some(if is_name { Kind::Name } else { Kind::Text }), length);
        }
        let first = rest.chars().next().unwrap_or_default();
        let has_hyphens = matches!(self, Self::Shell | Self::Http);
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || (letter == '-' && has_hyphens);
        let word = rest.split(|letter| !is_word(letter)).next().unwrap_or_default();
        // In a shell, digits in a URL or a name are no numbers.
        if first.is_ascii_digit() && (is_apart || self != Self::Shell) {
            let number = rest.split(|letter| !(is_word(letter) || letter == '.')).next().unwrap_or(word);
            (Some(Kind::Number), number.trim_end_matches('.').len())
        } else if word.is_empty() {
            // In a shell, a backslash also keeps a quote from beginning a string.
            let escaped = rest.strip_prefix('\\').and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            (None, first.len_utf8() + escaped)
        } else if grammar.keywords.split_whitespace().any(|keyword| keyword == word) {
            (Some(Kind::Keyword), word.len())
        } else {
            let is_option = first == '-' && is_apart && word.len() > 1;
            let is_header =
                self == Self::Http && (before.is_empty() || before.ends_with('\n')) && has_value(word.len());
            ((is_option || is_header).then_some(Kind::Name), word.len())
        }
    }
}

impl Quote {
    /// The length of the string that begins here, if one does and it ends.
    fn length(&self, text: &str) -> Option<usize> {
        let mut rest = text.strip_prefix(self.open)?;
        while !rest.starts_with(self.close) {
            let mut letters = rest.chars();
            if letters.next()? == '\\' && self.escapes {
                letters.next()?;
            }
            rest = letters.as_str();
        }
        Some(text.len() - rest.len() + self.close.len())
    }
}

/// The parts of a code, which are the code when they are joined. What has no color is one part up to what has.
pub fn parts(code: &str, syntax: Syntax) -> Vec<(Option<Kind>, &str)> {
    let (mut parts, mut at, mut plain) = (Vec::new(), 0, 0);
    while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty()) {
        let (kind, length) = syntax.next(&code[..at], rest);
        if kind.is_some() {
            parts.extend((plain < at).then(|| (None, &code[plain..at])));
            parts.push((kind, &rest[..length]));
            plain = at + length;
        }
        at += length;
    }
    parts.extend((plain < code.len()).then(|| (None, &code[plain..])));
    parts
}

/// The code with a `span` around each part that has a color.
pub fn highlighted(code: &str, syntax: Syntax) -> Markup {
    html! {
        @for (kind, text) in parts(code, syntax) {
            @match kind { Some(kind) => span class=(kind.class()) { (text) }, None => (text) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Kind::{Comment, Keyword, Name, Number, Text};
    use proptest::prelude::*;

    const ALL: [Syntax; 8] = [
        Syntax::Shell,
        Syntax::Python,
        Syntax::TypeScript,
        Syntax::Rust,
        Syntax::Go,
        Syntax::Json,
        Syntax::Toml,
        Syntax::Http,
    ];

    /// The parts with a color.
    fn colored(code: &str, syntax: Syntax) -> Vec<(Kind, &str)> {
        parts(code, syntax).into_iter().filter_map(|(kind, text)| Some((kind?, text))).collect()
    }

    #[test]
    fn each_language_has_its_own_strings_comments_and_words() {
        type Colored<'a> = &'a [(Kind, &'a str)];
        let cases: [(Syntax, &str, Colored<'_>); 9] = [
            (
                Syntax::Shell,
                "curl -sS \"$A/x#y\" -d '{\\' 4 a:5 # it's\nfor-all \\'x",
                &[
                    (Keyword, "curl"),
                    (Name, "-sS"),
                    (Text, "\"$A/x#y\""),
                    (Name, "-d"),
                    (Text, "'{\\'"),
                    (Number, "4"),
                    (Comment, "# it's"),
                ],
            ),
            (
                Syntax::Python,
                "x1 = 1.5 + len(\"a\\\"#\") # don't\nreturn_ = \"\"\"it's \"so\"\"\"\"",
                &[(Number, "1.5"), (Text, "\"a\\\"#\""), (Comment, "# don't"), (Text, "\"\"\"it's \"so\"\"\"")],
            ),
            (
                Syntax::TypeScript,
                "const a = `${b}`; // 'c'",
                &[(Keyword, "const"), (Text, "`${b}`"), (Comment, "// 'c'")],
            ),
            (
                Syntax::Rust,
                "fn f<'a>(b: &'a str) -> r#\"c\"d\"# \"//e\"",
                &[(Keyword, "fn"), (Text, "r#\"c\"d\"#"), (Text, "\"//e\"")],
            ),
            (Syntax::Go, "func f() { return `\\` }", &[(Keyword, "func"), (Keyword, "return"), (Text, "`\\`")]),
            (
                Syntax::Json,
                "{\"a\" : [\"b: c\", -2, true]}",
                &[(Name, "\"a\""), (Text, "\"b: c\""), (Number, "2"), (Keyword, "true")],
            ),
            (Syntax::Toml, "a = 'b\\' # c", &[(Text, "'b\\'"), (Comment, "# c")]),
            (
                Syntax::Http,
                "POST /a HTTP/1.1\nwebhook-id: evt_1:x\n\n{\"b\": 1}",
                &[
                    (Keyword, "POST"),
                    (Keyword, "HTTP"),
                    (Number, "1.1"),
                    (Name, "webhook-id"),
                    (Name, "\"b\""),
                    (Number, "1"),
                ],
            ),
            // A quote that is not closed colors nothing.
            (Syntax::Json, "\"a", &[]),
        ];
        for (syntax, code, expected) in cases {
            assert_eq!(colored(code, syntax), expected, "{syntax:?}: {code}");
        }
    }

    #[test]
    fn an_address_without_quotes_is_one_part() {
        let code = "export DOCMILL_URL=https://api.example.com\n";
        let expected = [(Some(Keyword), "export"), (None, " DOCMILL_URL=https://api.example.com\n")];
        assert_eq!(parts(code, Syntax::Shell), expected);
        let shown = highlighted(code, Syntax::Shell).into_string();
        assert_eq!(shown, "<span class=\"k\">export</span> DOCMILL_URL=https://api.example.com\n");
    }

    proptest! {
        #[test]
        fn no_text_is_lost_or_added(code in r#"([a-z0-9.é€ \n\\"'`\#/:-]|r\#"|"""|.){0,60}"#) {
            for syntax in ALL {
                let joined: String = parts(&code, syntax).into_iter().map(|(_, text)| text).collect();
                prop_assert_eq!(&joined, &code);
            }
        }
    }
}
