//! The functions about texts.

use std::rc::Rc;

use smallvec::smallvec;

use super::ast::{Atomic, Expr};
use super::evaluation::{Evaluation, Focus};
use super::functions::Function;
use super::number::Decimal;
use super::regexes::replacement;
use super::value::{Failure, Item, Outcome, Value};

/// Memory of all texts is bounded by the work that making them takes.
pub(super) const BYTES_OF_WORK: usize = 16;

impl<'a> Evaluation<'a> {
    /// The text of an expression, as functions of texts want it. Most are texts already, which are shared.
    pub(super) fn text_of(&mut self, expr: &'a Expr, focus: &Focus) -> Outcome<Rc<str>> {
        if let Expr::Literal(Item::Text(text)) = expr {
            return Ok(text.clone());
        }
        if let Expr::Call(function, arguments) = expr
            && function.is_text()
        {
            return self.text_of_call(*function, arguments, focus);
        }
        let value = self.value(expr, focus)?;
        self.optional_text(value)
    }

    /// The functions that make one text of another one.
    pub(super) fn text_of_call(
        &mut self,
        function: Function,
        arguments: &'a [Expr],
        focus: &Focus,
    ) -> Outcome<Rc<str>> {
        let text = match (arguments.first(), &focus.item) {
            (Some(argument), _) => self.text_of(argument, focus)?,
            (None, Some(item)) => self.item_text(item)?,
            (None, None) => return Err(Failure::Count("no item", "one")),
        };
        let text = self.worked(text)?;
        self.spend(1)?;
        if function == Function::NormalizeSpace {
            return Ok(if is_normalized(&text) { text } else { Rc::from(normalized(&text)) });
        }
        let is_upper = |byte: u8| byte.is_ascii() && !byte.is_ascii_lowercase();
        if function == Function::UpperCase {
            return Ok(if text.bytes().all(is_upper) { text } else { Rc::from(text.to_uppercase()) });
        }
        Ok(if function == Function::LowerCase { Rc::from(text.to_lowercase()) } else { text })
    }

    pub(super) fn call_text(&self, function: Function, arguments: impl IntoIterator<Item = Value>) -> Outcome<Value> {
        let mut given = arguments.into_iter();
        let mut next = || given.next().unwrap_or_default();
        if function == Function::CodepointsToString || function == Function::StringJoin {
            let first = next();
            return self.of_many(function, &first, next());
        }
        let text = self.worked(self.optional_text(next())?)?;
        let result = match function {
            Function::StringLength => return Ok(smallvec![Item::integer(text.chars().count())]),
            Function::StringToCodepoints => {
                self.spend(text.len())?;
                return Ok(text.chars().map(|c| Item::Integer(Decimal::from(i64::from(u32::from(c))))).collect());
            }
            Function::SubstringBefore => {
                let mark = self.optional_text(next())?;
                text.split_once(&*mark).map_or("", |(before, _)| before).to_owned()
            }
            Function::SubstringAfter => {
                let mark = self.optional_text(next())?;
                text.split_once(&*mark).map_or("", |(_, after)| after).to_owned()
            }
            Function::Substring => {
                let from = next();
                self.part(&text, &from, given.next().as_deref())?
            }
            Function::Translate => {
                let (from, to) = (self.optional_text(next())?, self.optional_text(next())?);
                translated(&text, &from, &to)
            }
            Function::Concat => {
                let mut all = String::from(&*text);
                for value in given {
                    all.push_str(&self.optional_text(value)?);
                }
                return Ok(smallvec![Item::Text(self.worked(Rc::from(all))?)]);
            }
            Function::Replace => {
                let (pattern, by) = (self.optional_text(next())?, self.optional_text(next())?);
                let regex = self.regex(&pattern)?;
                regex.replace_all(&text, replacement(&by).as_str()).into_owned()
            }
            Function::Tokenize => {
                let regex = self.regex(&self.optional_text(next())?)?;
                if text.is_empty() {
                    return Ok(Value::new());
                }
                let tokens: Value = regex.split(&text).map(Item::text).collect();
                self.spend(tokens.len())?;
                return Ok(tokens);
            }
            // Those of other kinds are not called here.
            Function::Abs
            | Function::Boolean
            | Function::Ceiling
            | Function::CodepointsToString
            | Function::Contains
            | Function::Count
            | Function::DistinctValues
            | Function::Empty
            | Function::EndsWith
            | Function::Exists
            | Function::False
            | Function::Floor
            | Function::Last
            | Function::LocalName
            | Function::LowerCase
            | Function::Matches
            | Function::Max
            | Function::Min
            | Function::Name
            | Function::NormalizeSpace
            | Function::Not
            | Function::Number
            | Function::Position
            | Function::Reverse
            | Function::Round
            | Function::StartsWith
            | Function::String
            | Function::StringJoin
            | Function::Sum
            | Function::True
            | Function::UpperCase => return Err(Failure::Undefined(format!("{function:?}"))),
        };
        Ok(smallvec![Item::text(result)])
    }

    fn of_many(&self, function: Function, items: &Value, separator: Value) -> Outcome<Value> {
        let items = self.atoms(items)?;
        if function == Function::StringJoin {
            let separator = self.optional_text(separator)?;
            let texts: Outcome<Vec<Rc<str>>> = items.iter().map(|item| self.item_text(item)).collect();
            return Ok(smallvec![Item::Text(self.worked(Rc::from(texts?.join(&*separator)))?)]);
        }
        let mut text = String::new();
        for item in items {
            let Item::Integer(code) = self.cast_item(&item, Atomic::Integer)? else { continue };
            let character = code.to_i64().and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32);
            text.push(character.ok_or(Failure::Types("a number", "a character"))?);
        }
        Ok(smallvec![Item::text(text)])
    }

    fn worked(&self, text: Rc<str>) -> Outcome<Rc<str>> {
        self.spend(text.len() / BYTES_OF_WORK)?;
        Ok(text)
    }
}

/// Whether there is no white space around a text, and only single spaces within.
fn is_normalized(text: &str) -> bool {
    let mut is_after_space = true;
    for byte in text.bytes() {
        let is_space = byte == b' ';
        if matches!(byte, b'\t' | b'\r' | b'\n') || (is_space && is_after_space) {
            return false;
        }
        is_after_space = is_space;
    }
    text.is_empty() || !is_after_space
}

/// Without white space around it, and single spaces within.
pub(crate) fn normalized(text: &str) -> String {
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n');
    let mut result = String::with_capacity(text.len());
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        if !result.is_empty() {
            result.push(' ');
        }
        result.push_str(word);
    }
    result
}

fn translated(text: &str, from: &str, to: &str) -> String {
    let to: Vec<char> = to.chars().collect();
    let changed = |c: char| match from.chars().position(|known| known == c) {
        Some(place) => to.get(place).copied(),
        None => Some(c),
    };
    text.chars().filter_map(changed).collect()
}
