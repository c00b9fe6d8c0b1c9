//! The words of an expression.

use super::Mistake;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name without a prefix, which may be a keyword.
    Name(String),
    Prefixed(String, String),
    /// `prefix:*`
    AnyIn(String),
    /// `*:name`
    AnySpace(String),
    Variable(String),
    Number(String),
    Text(String),
    Symbol(&'static str),
    End,
}

/// The longer ones first.
const SYMBOLS: [&str; 24] = [
    "!=", "<=", ">=", "::", "//", "..", "||", "(", ")", "[", "]", ",", "/", "|", "@", "=", "<", ">", "+", "-", "*",
    "?", ".", "!",
];

pub(super) fn tokens(source: &str) -> Result<Vec<Token>, Mistake> {
    let mut tokens = Vec::new();
    let mut rest = source.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, after) = if rest.starts_with("(:") {
            rest = comment(rest)?.trim_start();
            continue;
        } else if first == '\'' || first == '"' {
            text(rest, first)?
        } else if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            number(rest)
        } else if first == '$' {
            let (name, after) = qualified(&rest[1..]);
            if name.is_empty() {
                return Err(Mistake::Syntax("a variable without a name".to_owned()));
            }
            (Token::Variable(name.to_owned()), after)
        } else if let Some(after) = rest.strip_prefix("*:") {
            let length = name_length(after);
            (Token::AnySpace(after[..length].to_owned()), &after[length..])
        } else if starts_name(first) {
            name(rest)
        } else {
            let symbol = SYMBOLS
                .into_iter()
                .find(|symbol| rest.starts_with(symbol))
                .ok_or_else(|| Mistake::Syntax(format!("the character {first}")))?;
            (Token::Symbol(symbol), &rest[symbol.len()..])
        };
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens.push(Token::End);
    Ok(tokens)
}

fn starts_name(character: char) -> bool {
    character.is_alphabetic() || character == '_'
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).unwrap_or(text.len())
}

fn comment(text: &str) -> Result<&str, Mistake> {
    text.find(":)").map(|end| &text[end + 2..]).ok_or_else(|| Mistake::Syntax("a comment without an end".to_owned()))
}

/// A name with or without a prefix, and what follows.
fn qualified(text: &str) -> (&str, &str) {
    let first = name_length(text);
    let rest = &text[first..];
    match rest.strip_prefix(':') {
        Some(local) if local.starts_with(starts_name) => text.split_at(first + 1 + name_length(local)),
        _ => text.split_at(first),
    }
}

fn name(text: &str) -> (Token, &str) {
    let (name, after) = qualified(text);
    if let Some((prefix, local)) = name.split_once(':') {
        return (Token::Prefixed(prefix.to_owned(), local.to_owned()), after);
    }
    match after.strip_prefix(":*") {
        Some(after) => (Token::AnyIn(name.to_owned()), after),
        None => (Token::Name(name.to_owned()), after),
    }
}

fn number(text: &str) -> (Token, &str) {
    let mut end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    if let Some(exponent) = text[end..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let digits = exponent[sign..].find(|c: char| !c.is_ascii_digit()).unwrap_or(exponent.len() - sign);
        if digits > 0 {
            end += 1 + sign + digits;
        }
    }
    (Token::Number(text[..end].to_owned()), &text[end..])
}

/// A text, in which two quotes stand for one.
fn text(source: &str, quote: char) -> Result<(Token, &str), Mistake> {
    let mut value = String::new();
    let mut rest = &source[1..];
    loop {
        let (part, after) =
            rest.split_once(quote).ok_or_else(|| Mistake::Syntax("a text without an end".to_owned()))?;
        value.push_str(part);
        match after.strip_prefix(quote) {
            Some(more) => {
                value.push(quote);
                rest = more;
            }
            None => return Ok((Token::Text(value), after)),
        }
    }
}
