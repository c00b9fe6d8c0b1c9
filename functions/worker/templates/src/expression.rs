//! Expressions in tags: names, literals, comparisons, arithmetic, choices and filters. Nothing in them runs code.

use serde_json::{Number, Value};

use crate::problem::Fault;

/// Deepest nesting of an expression.
const DEPTH: usize = 32;
/// Longest expression.
const MOST_BYTES: usize = 4096;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Literal(Value),
    Path(Path),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    Filter { name: String, input: Box<Expression>, arguments: Vec<Expression> },
}

/// A name in the data, and what is under it. Without steps it is the current element: `.`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Name(String),
    Index(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    /// Whether it needs both of its operands.
    pub(crate) fn calculates(self) -> bool {
        match self {
            Self::Add | Self::Subtract | Self::Multiply | Self::Divide | Self::Remainder => true,
            Self::Or
            | Self::And
            | Self::Equal
            | Self::Unequal
            | Self::Less
            | Self::LessOrEqual
            | Self::Greater
            | Self::GreaterOrEqual => false,
        }
    }
}

impl Expression {
    /// Those of which this one is made.
    pub(crate) fn parts(&self) -> Vec<&Expression> {
        match self {
            Self::Literal(_) | Self::Path(_) => Vec::new(),
            Self::Not(inner) | Self::Negative(inner) => vec![inner],
            Self::Binary(_, left, right) => vec![left, right],
            Self::Choice(condition, yes, no) => vec![condition, yes, no],
            Self::Filter { input, arguments, .. } => std::iter::once(input.as_ref()).chain(arguments).collect(),
        }
    }

    /// The names of all filters in it.
    pub(crate) fn filters(&self) -> impl Iterator<Item = &str> {
        let mut left = vec![self];
        std::iter::from_fn(move || {
            while let Some(expression) = left.pop() {
                left.extend(expression.parts());
                if let Self::Filter { name, .. } = expression {
                    return Some(name.as_str());
                }
            }
            None
        })
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.steps.is_empty() {
            return f.write_str(".");
        }
        for (position, step) in self.steps.iter().enumerate() {
            match step {
                Step::Name(name) if position > 0 => write!(f, ".{name}")?,
                Step::Name(name) => f.write_str(name)?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

pub(crate) fn parse(text: &str) -> Result<Expression, Fault> {
    if text.len() > MOST_BYTES {
        return Err(Fault::invalid("The tag is too long."));
    }
    let tokens = tokens(text)?;
    if let Some(name) = name_with_spaces(&tokens) {
        return Ok(Expression::Path(Path { steps: vec![Step::Name(name)] }));
    }
    let mut parser = Parser { tokens, next: 0, depth: 0 };
    let expression = parser.filtered()?;
    match parser.peek() {
        None => Ok(expression),
        Some(token) => Err(Fault::invalid(format!("`{}` is not expected here.", token.shown()))),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Number(Number),
    Sign(&'static str),
}

impl Token {
    fn shown(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Text(text) => format!("'{text}'"),
            Self::Number(number) => number.to_string(),
            Self::Sign(sign) => (*sign).to_owned(),
        }
    }
}

/// `first name`: keys with spaces, as docxtemplater takes them without its expression parser.
fn name_with_spaces(tokens: &[Token]) -> Option<String> {
    if tokens.len() < 2 {
        return None;
    }
    let words: Option<Vec<_>> = tokens
        .iter()
        .map(|token| match token {
            Token::Name(name) => Some(name.as_str()),
            Token::Text(_) | Token::Number(_) | Token::Sign(_) => None,
        })
        .collect();
    words.map(|words| words.join(" "))
}

/// Longer signs first.
const SIGNS: [&str; 25] = [
    "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "(", ")", "[", "]", "?", ":", "|", "!", "-", "*", "/", "%", "+",
    "<", ">", ".", ",",
];

fn tokens(text: &str) -> Result<Vec<Token>, Fault> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, after) = if let Some(end) = closing_quote(first) {
            quoted(rest.get(first.len_utf8()..).unwrap_or_default(), end)?
        } else if first.is_ascii_digit() {
            number(rest)?
        } else if is_name_start(first) {
            name(rest)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Token::Sign(sign), rest.get(sign.len()..).unwrap_or_default())
        } else {
            return Err(Fault::invalid(format!("`{first}` is not expected in a tag.")));
        };
        tokens.push(token);
        rest = after.trim_start();
    }
    Ok(tokens)
}

/// Word turns straight quotes into typographic ones.
fn closing_quote(open: char) -> Option<&'static [char]> {
    match open {
        '\'' => Some(&['\'']),
        '"' => Some(&['"']),
        '‘' | '’' | '‚' => Some(&['’', '‘']),
        '“' | '”' | '„' => Some(&['”', '“']),
        _ => None,
    }
}

fn quoted<'a>(text: &'a str, end: &[char]) -> Result<(Token, &'a str), Fault> {
    let (position, quote) = text
        .char_indices()
        .find(|(_, c)| end.contains(c))
        .ok_or_else(|| Fault::invalid("A quotation mark is not closed."))?;
    let inner = text.get(..position).unwrap_or_default().to_owned();
    Ok((Token::Text(inner), text.get(position + quote.len_utf8()..).unwrap_or_default()))
}

fn number(text: &str) -> Result<(Token, &str), Fault> {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let mut end = digits(text);
    if let Some(fraction) = text.get(end..).and_then(|rest| rest.strip_prefix('.')) {
        let length = digits(fraction);
        end += if length > 0 { 1 + length } else { 0 };
    }
    let (number, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let parsed = serde_json::from_str(number)
        .or_else(|_| serde_json::from_str(number.trim_start_matches('0')))
        .map_err(|_| Fault::invalid(format!("`{number}` is not a number.")))?;
    Ok((Token::Number(parsed), rest))
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$')
}

/// A hyphen between letters belongs to the name (`first-name`); one with spaces around it subtracts.
fn name(text: &str) -> (Token, &str) {
    let mut characters = text.char_indices().peekable();
    let mut end = 0;
    while let Some((position, c)) = characters.next() {
        let hyphen = c == '-' && characters.peek().is_some_and(|(_, next)| next.is_alphabetic());
        if !(c.is_alphanumeric() || matches!(c, '_' | '$') || hyphen) {
            break;
        }
        end = position + c.len_utf8();
    }
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    (Token::Name(name.to_owned()), rest)
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next)
    }

    fn advance(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.next).cloned();
        self.next += 1;
        token
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(next)) if *next == sign);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Fault> {
        if self.takes(sign) { Ok(()) } else { Err(Fault::invalid(format!("`{sign}` is missing."))) }
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Fault::invalid("The tag is nested too deeply."));
        }
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn filtered(&mut self) -> Result<Expression, Fault> {
        let mut input = self.nested(Self::choice)?;
        let mut filters = 0;
        while self.takes("|") {
            filters += 1;
            if filters > DEPTH {
                return Err(Fault::invalid("The tag has too many filters."));
            }
            let name = match self.advance() {
                Some(Token::Name(name)) => name,
                Some(Token::Text(_) | Token::Number(_) | Token::Sign(_)) | None => {
                    return Err(Fault::invalid("A filter's name is missing after `|`."));
                }
            };
            let mut arguments = Vec::new();
            while self.takes(":") {
                arguments.push(self.binary(0)?);
            }
            input = Expression::Filter { name, input: Box::new(input), arguments };
        }
        Ok(input)
    }

    fn choice(&mut self) -> Result<Expression, Fault> {
        let condition = self.binary(0)?;
        if !self.takes("?") {
            return Ok(condition);
        }
        let yes = self.nested(Self::choice)?;
        self.expect(":")?;
        let no = self.nested(Self::choice)?;
        Ok(Expression::Choice(Box::new(condition), Box::new(yes), Box::new(no)))
    }

    /// Operators that bind at least as closely as `level`.
    fn binary(&mut self, level: u8) -> Result<Expression, Fault> {
        self.nested(|parser| {
            let mut left = parser.unary()?;
            let mut length = 0;
            while let Some((operator, binds)) = parser.operator().filter(|(_, binds)| *binds >= level) {
                length += 1;
                if length > DEPTH {
                    return Err(Fault::invalid("The tag has too many operators."));
                }
                parser.next += 1;
                let right = parser.binary(binds + 1)?;
                left = Expression::Binary(operator, Box::new(left), Box::new(right));
            }
            Ok(left)
        })
    }

    fn operator(&self) -> Option<(Operator, u8)> {
        let Some(Token::Sign(sign)) = self.peek() else { return None };
        Some(match *sign {
            "||" => (Operator::Or, 1),
            "&&" => (Operator::And, 2),
            "==" | "===" => (Operator::Equal, 3),
            "!=" | "!==" => (Operator::Unequal, 3),
            "<" => (Operator::Less, 4),
            "<=" => (Operator::LessOrEqual, 4),
            ">" => (Operator::Greater, 4),
            ">=" => (Operator::GreaterOrEqual, 4),
            "+" => (Operator::Add, 5),
            "-" => (Operator::Subtract, 5),
            "*" => (Operator::Multiply, 6),
            "/" => (Operator::Divide, 6),
            "%" => (Operator::Remainder, 6),
            _ => return None,
        })
    }

    fn unary(&mut self) -> Result<Expression, Fault> {
        if self.takes("!") {
            return Ok(Expression::Not(Box::new(self.nested(Self::unary)?)));
        }
        if self.takes("-") {
            return Ok(Expression::Negative(Box::new(self.nested(Self::unary)?)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Result<Expression, Fault> {
        match self.advance() {
            Some(Token::Text(text)) => Ok(Expression::Literal(Value::String(text))),
            Some(Token::Number(number)) => Ok(Expression::Literal(Value::Number(number))),
            Some(Token::Name(name)) => match name.as_str() {
                "true" => Ok(Expression::Literal(Value::Bool(true))),
                "false" => Ok(Expression::Literal(Value::Bool(false))),
                "null" | "undefined" => Ok(Expression::Literal(Value::Null)),
                "this" => self.path(Vec::new()),
                _ => self.path(vec![Step::Name(name)]),
            },
            Some(Token::Sign(".")) => match self.peek() {
                Some(Token::Name(name)) => {
                    let name = name.clone();
                    self.next += 1;
                    self.path(vec![Step::Name(name)])
                }
                Some(Token::Text(_) | Token::Number(_) | Token::Sign(_)) | None => self.path(Vec::new()),
            },
            Some(Token::Sign("(")) => {
                let inner = self.nested(Self::filtered)?;
                self.expect(")")?;
                Ok(inner)
            }
            Some(token @ Token::Sign(_)) => Err(Fault::invalid(format!("`{}` is not expected here.", token.shown()))),
            None => Err(Fault::invalid("A name is missing.")),
        }
    }

    fn path(&mut self, mut steps: Vec<Step>) -> Result<Expression, Fault> {
        loop {
            if self.takes(".") {
                match self.advance() {
                    Some(Token::Name(name)) => steps.push(Step::Name(name)),
                    Some(Token::Text(_) | Token::Number(_) | Token::Sign(_)) | None => {
                        return Err(Fault::invalid("A name is missing after `.`."));
                    }
                }
            } else if self.takes("[") {
                steps.push(match self.advance() {
                    Some(Token::Text(name)) => Step::Name(name),
                    Some(Token::Number(number)) => number
                        .as_u64()
                        .and_then(|index| usize::try_from(index).ok())
                        .map(Step::Index)
                        .ok_or_else(|| Fault::invalid("An index is a whole number."))?,
                    Some(Token::Name(_) | Token::Sign(_)) | None => {
                        return Err(Fault::invalid("`[` must be followed by a number or a name in quotation marks."));
                    }
                });
                self.expect("]")?;
            } else {
                return Ok(Expression::Path(Path { steps }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> String {
        fn show(expression: &Expression) -> String {
            match expression {
                Expression::Literal(value) => value.to_string(),
                Expression::Path(path) => path.to_string(),
                Expression::Not(inner) => format!("!{}", show(inner)),
                Expression::Negative(inner) => format!("-{}", show(inner)),
                Expression::Binary(operator, left, right) => format!("({} {operator:?} {})", show(left), show(right)),
                Expression::Choice(condition, yes, no) => {
                    format!("({} ? {} : {})", show(condition), show(yes), show(no))
                }
                Expression::Filter { name, input, arguments } => {
                    let arguments: Vec<_> = arguments.iter().map(show).collect();
                    format!("{name}({}; {})", show(input), arguments.join(", "))
                }
            }
        }
        show(&parse(text).unwrap())
    }

    #[test]
    fn operators_bind_as_in_javascript() {
        assert_eq!(shown("a + b * c"), "(a Add (b Multiply c))");
        assert_eq!(shown("a - b - c"), "((a Subtract b) Subtract c)");
        assert_eq!(shown("a > 1 && !b || c"), "(((a Greater 1) And !b) Or c)");
        assert_eq!(shown("a == 1 ? 'x' : b ? 2 : 3"), "((a Equal 1) ? \"x\" : (b ? 2 : 3))");
        assert_eq!(shown("(a + b) * c"), "((a Add b) Multiply c)");
    }

    #[test]
    fn filters_follow_each_other_and_take_arguments() {
        assert_eq!(shown("price | round:2 | currency:'EUR'"), "currency(round(price; 2); \"EUR\")");
        assert_eq!(shown("name | default:“none”"), "default(name; \"none\")");
    }

    #[test]
    fn names_have_dots_indices_hyphens_and_spaces() {
        assert_eq!(shown("a.b[0]['c d']"), "a.b[0].c d");
        assert_eq!(shown("first-name"), "first-name");
        assert_eq!(shown("first name"), "first name");
        assert_eq!(shown("a - b"), "(a Subtract b)");
        assert_eq!(shown("."), ".");
        assert_eq!(shown("größe"), "größe");
    }

    #[test]
    fn what_is_no_expression_says_why() {
        for (text, message) in [
            ("a +", "A name is missing."),
            ("'abc", "A quotation mark is not closed."),
            ("a | ", "A filter's name is missing after `|`."),
            ("(a", "`)` is missing."),
            ("a ; b", "`;` is not expected in a tag."),
        ] {
            assert_eq!(parse(text).unwrap_err().message, message, "{text}");
        }
        assert!(parse(&"(".repeat(4000)).is_err());
        assert!(parse(&"!".repeat(4000)).is_err());
        assert!(parse(&format!("a{}", "+a".repeat(2000))).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "[a-c0-9.|:'?!()\\[\\]<>=&+* -]{0,60}") {
            let _ = parse(&text);
        }
    }
}
