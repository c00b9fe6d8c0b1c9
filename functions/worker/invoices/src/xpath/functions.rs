//! The functions of XPath that the rules call.

use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

use super::ast::{Atomic, Expr};
use super::evaluation::{Evaluation, Focus};
use super::number::Decimal;
use super::operators::{double, from_count};
use super::texts::BYTES_OF_WORK;
use super::value::{Failure, Item, Outcome, Value, boolean};

macro_rules! functions {
    ($($variant:ident $name:literal $least:literal $most:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Function { $($variant,)* }

        impl Function {
            /// A function by its name and the number of its arguments.
            pub(super) fn find(name: &str, arguments: usize) -> Option<Self> {
                let (function, least, most) = match name {
                    $($name => (Self::$variant, $least, $most),)*
                    _ => return None,
                };
                (least..=most).contains(&arguments).then_some(function)
            }
        }
    };
}

functions! {
    Abs "abs" 1 1,
    Boolean "boolean" 1 1,
    Ceiling "ceiling" 1 1,
    CodepointsToString "codepoints-to-string" 1 1,
    Concat "concat" 2 99,
    Contains "contains" 2 2,
    Count "count" 1 1,
    DistinctValues "distinct-values" 1 1,
    Empty "empty" 1 1,
    EndsWith "ends-with" 2 2,
    Exists "exists" 1 1,
    False "false" 0 0,
    Floor "floor" 1 1,
    Last "last" 0 0,
    LocalName "local-name" 0 1,
    LowerCase "lower-case" 1 1,
    Matches "matches" 2 2,
    Max "max" 1 1,
    Min "min" 1 1,
    Name "name" 0 1,
    NormalizeSpace "normalize-space" 0 1,
    Not "not" 1 1,
    Number "number" 0 1,
    Position "position" 0 0,
    Replace "replace" 3 3,
    Reverse "reverse" 1 1,
    Round "round" 1 1,
    StartsWith "starts-with" 2 2,
    String "string" 0 1,
    StringJoin "string-join" 1 2,
    StringLength "string-length" 0 1,
    StringToCodepoints "string-to-codepoints" 1 1,
    Substring "substring" 2 3,
    SubstringAfter "substring-after" 2 2,
    SubstringBefore "substring-before" 2 2,
    Sum "sum" 1 1,
    Tokenize "tokenize" 2 2,
    Translate "translate" 3 3,
    True "true" 0 0,
    UpperCase "upper-case" 1 1,
}

impl Function {
    /// Whether its value is always one text, made of one text.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::NormalizeSpace | Self::UpperCase | Self::LowerCase | Self::String)
    }

    /// Whether its value is always a truth value.
    pub(super) fn is_truth(self) -> bool {
        matches!(
            self,
            Self::Boolean
                | Self::Contains
                | Self::Empty
                | Self::EndsWith
                | Self::Exists
                | Self::False
                | Self::Matches
                | Self::Not
                | Self::StartsWith
                | Self::True
        )
    }
}

/// Arguments of most calls.
type Values = SmallVec<[Value; 2]>;

impl<'a> Evaluation<'a> {
    pub(super) fn call(&mut self, function: Function, arguments: &'a [Expr], focus: &Focus) -> Outcome<Value> {
        if function.is_truth() {
            return self.truth_of(function, arguments, focus).map(boolean);
        }
        if function.is_text() {
            return Ok(smallvec![Item::Text(self.text_of_call(function, arguments, focus)?)]);
        }
        let mut values: Values = SmallVec::new();
        for argument in arguments {
            values.push(self.value(argument, focus)?);
        }
        if values.is_empty() && uses_focus(function) {
            values.push(focus.item.clone().map(|item| smallvec![item]).ok_or(Failure::Count("no item", "one"))?);
        }
        let mut values = values.into_iter();
        let mut next = || values.next().unwrap_or_default();
        match function {
            Function::Count => Ok(smallvec![Item::integer(next().len())]),
            Function::Position => Ok(smallvec![Item::integer(focus.position)]),
            Function::Last => Ok(smallvec![Item::integer(focus.size)]),
            Function::Reverse => Ok(next().into_iter().rev().collect()),
            Function::DistinctValues => self.distinct(&next()),
            Function::Sum => self.sum(&next()),
            Function::Max => self.extreme(&next(), |candidate, best| candidate > best),
            Function::Min => self.extreme(&next(), |candidate, best| candidate < best),
            Function::Abs => self.numeric(&next(), Decimal::absolute, f64::abs),
            Function::Round => self.numeric(&next(), Decimal::rounded, |value| (value + 0.5).floor()),
            Function::Floor => self.numeric(&next(), Decimal::floor, f64::floor),
            Function::Ceiling => self.numeric(&next(), |value| value.negated().floor().negated(), f64::ceil),
            Function::Number => {
                let number = match self.single(&next())? {
                    Some(item) => self.cast_item(&item, Atomic::Double).unwrap_or(Item::Double(f64::NAN)),
                    None => Item::Double(f64::NAN),
                };
                Ok(smallvec![number])
            }
            Function::String => Ok(smallvec![Item::Text(self.optional_text(next())?)]),
            Function::Name | Function::LocalName => {
                let name = match next().as_slice() {
                    [] => Rc::from(""),
                    [Item::Node(id)] => self.document.name(*id).map_or(Rc::from(""), |name| {
                        if function == Function::Name { name.written.clone() } else { name.local.clone() }
                    }),
                    _ => return Err(Failure::Types("a value", "a node")),
                };
                Ok(smallvec![Item::Text(name)])
            }
            Function::CodepointsToString
            | Function::Concat
            | Function::LowerCase
            | Function::NormalizeSpace
            | Function::Replace
            | Function::StringJoin
            | Function::StringLength
            | Function::StringToCodepoints
            | Function::Substring
            | Function::SubstringAfter
            | Function::SubstringBefore
            | Function::Tokenize
            | Function::Translate
            | Function::UpperCase => self.call_text(function, values),
            // They were called above.
            Function::Boolean
            | Function::Contains
            | Function::Empty
            | Function::EndsWith
            | Function::Exists
            | Function::False
            | Function::Matches
            | Function::Not
            | Function::StartsWith
            | Function::True => Err(Failure::Undefined(format!("{function:?}"))),
        }
    }

    fn relates(&self, function: Function, text: &str, part: &Rc<str>) -> Outcome<bool> {
        if function == Function::Contains {
            return Ok(text.contains(&**part));
        }
        if function == Function::StartsWith {
            return Ok(text.starts_with(&**part));
        }
        if function == Function::EndsWith {
            return Ok(text.ends_with(&**part));
        }
        Ok(self.regex(part)?.is_match(text))
    }

    /// The functions whose value is a truth value.
    pub(super) fn truth_of(&mut self, function: Function, arguments: &'a [Expr], focus: &Focus) -> Outcome<bool> {
        self.spend(1)?;
        match (function, arguments) {
            (Function::True, []) => Ok(true),
            (Function::False, []) => Ok(false),
            (Function::Not, [argument]) => Ok(!self.truth(argument, focus)?),
            (Function::Boolean, [argument]) => self.truth(argument, focus),
            (Function::Exists, [argument]) => self.is_there(argument, focus),
            (Function::Empty, [argument]) => Ok(!self.is_there(argument, focus)?),
            (Function::EndsWith, [Expr::Call(Function::Name, none), Expr::Literal(Item::Text(end))])
                if none.is_empty() && matches!(focus.item, Some(Item::Node(_))) =>
            {
                let node = focus.item.as_ref().and_then(Item::node);
                Ok(node.is_some_and(|node| self.document.written(node).ends_with(&**end)))
            }
            (_, [text, part]) => {
                let text = self.text_of(text, focus)?;
                self.spend(text.len() / BYTES_OF_WORK)?;
                let part = self.text_of(part, focus)?;
                self.relates(function, &text, &part)
            }
            _ => Err(Failure::Undefined(format!("{function:?}"))),
        }
    }

    /// The one item as a number: the text of a node is a double.
    fn one_number(&self, value: &[Item]) -> Outcome<Option<Item>> {
        let Some(item) = self.single(value)? else { return Ok(None) };
        match item {
            Item::Untyped(_) => self.cast_item(&item, Atomic::Double).map(Some),
            Item::Integer(_) | Item::Decimal(_) | Item::Double(_) => Ok(Some(item)),
            Item::Node(_) | Item::Text(_) | Item::Boolean(_) | Item::Date(..) => {
                Err(Failure::Types(item.kind(), "a number"))
            }
        }
    }

    fn numeric(
        &self,
        value: &[Item],
        exact: impl Fn(&Decimal) -> Decimal,
        floating: impl Fn(f64) -> f64,
    ) -> Outcome<Value> {
        Ok(match self.one_number(value)? {
            Some(Item::Integer(value)) => smallvec![Item::Integer(exact(&value))],
            Some(Item::Decimal(value)) => smallvec![Item::Decimal(exact(&value))],
            Some(Item::Double(value)) => smallvec![Item::Double(floating(value))],
            _ => Value::new(),
        })
    }

    fn sum(&self, value: &[Item]) -> Outcome<Value> {
        self.spend(value.len())?;
        let mut total = Item::Integer(Decimal::from(0));
        for item in value {
            let Some(number) = self.one_number(std::slice::from_ref(item))? else { continue };
            total = match (&total, &number) {
                (Item::Integer(total), Item::Integer(number)) => Item::Integer(total.plus(number)),
                (Item::Integer(total) | Item::Decimal(total), Item::Integer(number) | Item::Decimal(number)) => {
                    Item::Decimal(total.plus(number))
                }
                (total, number) => Item::Double(double(total).unwrap_or(f64::NAN) + double(number).unwrap_or(f64::NAN)),
            };
        }
        Ok(smallvec![total])
    }

    fn extreme(&self, value: &[Item], wins: impl Fn(f64, f64) -> bool) -> Outcome<Value> {
        let mut best: Option<(f64, Item)> = None;
        for item in value {
            let Some(number) = self.one_number(std::slice::from_ref(item))? else { continue };
            let candidate = double(&number).unwrap_or(f64::NAN);
            if best.as_ref().is_none_or(|(best, _)| wins(candidate, *best)) {
                best = Some((candidate, number));
            }
        }
        Ok(best.map(|(_, item)| item).into_iter().collect())
    }

    /// Each text or number once. Numbers are compared as texts here: the rules ask only about codes.
    fn distinct(&self, value: &[Item]) -> Outcome<Value> {
        self.spend(value.len())?;
        let mut seen = std::collections::HashSet::new();
        let mut kept = Value::new();
        for item in self.atoms(value)? {
            if seen.insert(self.item_text(&item)?) {
                kept.push(item);
            }
        }
        Ok(kept)
    }

    /// The characters of `substring`: from a place and of a length, both rounded.
    pub(super) fn part(&self, text: &str, from: &[Item], length: Option<&[Item]>) -> Outcome<String> {
        let number = |value: &[Item]| match self.one_number(value)? {
            Some(item) => Ok((double(&item).unwrap_or(f64::NAN) + 0.5).floor()),
            None => Ok(f64::NAN),
        };
        let from = number(from)?;
        let until = match length {
            Some(length) => from + number(length)?,
            None => f64::INFINITY,
        };
        let within = |place: f64| place >= from && place < until;
        Ok(text.chars().enumerate().filter(|(index, _)| within(from_count(index + 1))).map(|(_, c)| c).collect())
    }
}

/// Functions that are about the focus if they have no argument.
fn uses_focus(function: Function) -> bool {
    matches!(
        function,
        Function::LocalName
            | Function::Name
            | Function::NormalizeSpace
            | Function::Number
            | Function::String
            | Function::StringLength
    )
}
