//! Reads expressions.

use std::rc::Rc;

use super::Mistake;
use super::ast::{Arithmetic, Atomic, Axis, Comparison, Expr, Quantifier, Step, Symbol, Test, Type};
use super::functions::Function;
use super::lexer::{Token, tokens};
use super::names::Names;
use super::number::Decimal;
use super::value::Item;

pub(crate) fn parse(source: &str, names: &mut Names) -> Result<Expr, Mistake> {
    let mut parser = Parser { tokens: tokens(source)?, at: 0, names };
    let expr = parser.sequence()?;
    let last = parser.peek();
    if *last == Token::End { Ok(expr) } else { Err(Mistake::Syntax(format!("{last:?} after the end"))) }
}

/// A type as attributes have it: `xs:string?`.
pub(crate) fn parse_type(source: &str) -> Result<Type, Mistake> {
    let name = source.trim_end_matches('?');
    let atomic = match name.strip_prefix("xs:").unwrap_or(name) {
        "string" => Atomic::String,
        "boolean" => Atomic::Boolean,
        "decimal" => Atomic::Decimal,
        "integer" => Atomic::Integer,
        "double" => Atomic::Double,
        "date" => Atomic::Date,
        _ => return Err(Mistake::Syntax(format!("the type {source}"))),
    };
    Ok(Type { atomic, optional: source.ends_with('?') })
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    names: &'a mut Names,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    fn after(&self) -> &Token {
        self.tokens.get(self.at + 1).unwrap_or(&Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let is = matches!(self.peek(), Token::Symbol(found) if *found == symbol);
        self.at += usize::from(is);
        is
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(found) if found == word)
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        self.at += usize::from(is);
        is
    }

    fn needs(&mut self, symbol: &str) -> Result<(), Mistake> {
        if self.takes(symbol) { Ok(()) } else { Err(Mistake::Syntax(format!("{:?} instead of {symbol}", self.peek()))) }
    }

    fn needs_word(&mut self, word: &str) -> Result<(), Mistake> {
        if self.takes_word(word) {
            Ok(())
        } else {
            Err(Mistake::Syntax(format!("{:?} instead of {word}", self.peek())))
        }
    }

    fn sequence(&mut self) -> Result<Expr, Mistake> {
        let first = self.single()?;
        if !matches!(self.peek(), Token::Symbol(",")) {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.takes(",") {
            all.push(self.single()?);
        }
        Ok(Expr::Sequence(all))
    }

    fn single(&mut self) -> Result<Expr, Mistake> {
        let binds = matches!(self.after(), Token::Variable(_));
        if binds && self.takes_word("for") {
            let bindings = self.bindings()?;
            self.needs_word("return")?;
            return Ok(Expr::For(bindings, Box::new(self.single()?)));
        }
        for (word, quantifier) in [("some", Quantifier::Some), ("every", Quantifier::Every)] {
            if binds && self.takes_word(word) {
                let bindings = self.bindings()?;
                self.needs_word("satisfies")?;
                return Ok(Expr::Quantified(quantifier, bindings, Box::new(self.single()?)));
            }
        }
        if self.is_word("if") && matches!(self.after(), Token::Symbol("(")) {
            self.at += 2;
            let condition = self.sequence()?;
            self.needs(")")?;
            self.needs_word("then")?;
            let then = self.single()?;
            self.needs_word("else")?;
            return Ok(Expr::If(Box::new(condition), Box::new(then), Box::new(self.single()?)));
        }
        self.or()
    }

    fn bindings(&mut self) -> Result<Vec<(Symbol, Expr)>, Mistake> {
        let mut bindings = Vec::new();
        loop {
            let Token::Variable(name) = self.next() else { return Err(Mistake::Syntax("no variable".to_owned())) };
            self.needs_word("in")?;
            let values = self.single()?;
            let symbol = self.names.symbol(&name);
            self.names.bind(symbol);
            bindings.push((symbol, values));
            if !self.takes(",") {
                return Ok(bindings);
            }
        }
    }

    fn or(&mut self) -> Result<Expr, Mistake> {
        let mut left = self.and()?;
        while self.takes_word("or") {
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr, Mistake> {
        let mut left = self.comparison()?;
        while self.takes_word("and") {
            left = Expr::And(Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Expr, Mistake> {
        let left = self.range()?;
        let Some((single, comparison)) = comparison(self.peek()) else { return Ok(left) };
        self.at += 1;
        let right = Box::new(self.range()?);
        let left = Box::new(left);
        Ok(if single { Expr::Single(comparison, left, right) } else { Expr::General(comparison, left, right) })
    }

    fn range(&mut self) -> Result<Expr, Mistake> {
        let left = self.sum()?;
        if self.takes_word("to") {
            return Ok(Expr::Range(Box::new(left), Box::new(self.sum()?)));
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Expr, Mistake> {
        let mut left = self.product()?;
        loop {
            let operation = if self.takes("+") {
                Arithmetic::Plus
            } else if self.takes("-") {
                Arithmetic::Minus
            } else {
                return Ok(left);
            };
            left = Expr::Arithmetic(operation, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Expr, Mistake> {
        let mut left = self.union()?;
        loop {
            let operation = if self.takes("*") {
                Arithmetic::Times
            } else if self.takes_word("div") {
                Arithmetic::Divided
            } else if self.takes_word("idiv") {
                Arithmetic::DividedWhole
            } else if self.takes_word("mod") {
                Arithmetic::Remainder
            } else {
                return Ok(left);
            };
            left = Expr::Arithmetic(operation, Box::new(left), Box::new(self.union()?));
        }
    }

    fn union(&mut self) -> Result<Expr, Mistake> {
        let mut left = self.cast()?;
        while self.takes("|") || self.takes_word("union") {
            left = Expr::Union(Box::new(left), Box::new(self.cast()?));
        }
        Ok(left)
    }

    fn cast(&mut self) -> Result<Expr, Mistake> {
        let value = self.unary()?;
        let is_cast = self.is_word("cast");
        if !is_cast && !self.is_word("castable") {
            return Ok(value);
        }
        self.at += 1;
        self.needs_word("as")?;
        let token = self.next();
        let Token::Prefixed(prefix, local) = token else {
            return Err(Mistake::Syntax(format!("{token:?} instead of a type")));
        };
        let mut target = parse_type(&format!("{prefix}:{local}"))?;
        target.optional = self.takes("?");
        let value = Box::new(value);
        Ok(if is_cast { Expr::Cast(value, target) } else { Expr::Castable(value, target) })
    }

    fn unary(&mut self) -> Result<Expr, Mistake> {
        if self.takes("-") {
            return Ok(Expr::Negated(Box::new(self.unary()?)));
        }
        if self.takes("+") {
            return self.unary();
        }
        self.path()
    }

    fn path(&mut self) -> Result<Expr, Mistake> {
        let mut steps = Vec::new();
        let start = if self.takes("//") {
            self.step_within(&mut steps)?;
            Expr::Root
        } else if self.takes("/") {
            if !self.starts_step() {
                return Ok(Expr::Root);
            }
            steps.push(self.step()?);
            Expr::Root
        } else {
            match self.step()? {
                Step::Each(expr) => expr,
                axis @ Step::Axis(..) => {
                    steps.push(axis);
                    Expr::Context
                }
            }
        };
        loop {
            if self.takes("//") {
                self.step_within(&mut steps)?;
            } else if self.takes("/") {
                steps.push(self.step()?);
            } else {
                break;
            }
        }
        Ok(if steps.is_empty() { start } else { Expr::Path(Box::new(start), steps) })
    }

    /// The step after `//`. All elements of a name are found at once, unless a predicate may be about their place.
    fn step_within(&mut self, steps: &mut Vec<Step>) -> Result<(), Mistake> {
        let step = self.step()?;
        match step {
            Step::Axis(Axis::Child, test, predicates) if !predicates.iter().any(Expr::may_be_place) => {
                steps.push(Step::Axis(Axis::Descendant, test, predicates));
            }
            step @ (Step::Axis(..) | Step::Each(_)) => {
                steps.push(Step::Axis(Axis::DescendantOrSelf, Test::Node, Vec::new()));
                steps.push(step);
            }
        }
        Ok(())
    }

    fn starts_step(&self) -> bool {
        match self.peek() {
            Token::Symbol(symbol) => matches!(*symbol, "(" | "." | ".." | "@" | "*"),
            Token::Name(_) | Token::Prefixed(..) | Token::AnyIn(_) | Token::AnySpace(_) | Token::Variable(_) => true,
            Token::Number(_) | Token::Text(_) | Token::End => false,
        }
    }

    fn step(&mut self) -> Result<Step, Mistake> {
        if self.takes("..") {
            let predicates = self.predicates()?;
            return Ok(Step::Axis(Axis::Parent, Test::Node, predicates));
        }
        if self.takes("@") {
            return self.axis_step(Axis::Attribute);
        }
        if let (Token::Name(name), Token::Symbol("::")) = (self.peek(), self.after()) {
            let axis = axis(name).ok_or_else(|| Mistake::Syntax(format!("the axis {name}")))?;
            self.at += 2;
            return self.axis_step(axis);
        }
        let is_call = matches!(self.after(), Token::Symbol("("));
        let is_test = match self.peek() {
            Token::Name(name) => !is_call || kind_test(name).is_some(),
            Token::Prefixed(..) => !is_call,
            Token::AnyIn(_) | Token::AnySpace(_) | Token::Symbol("*") => true,
            Token::Variable(_) | Token::Number(_) | Token::Text(_) | Token::Symbol(_) | Token::End => false,
        };
        if is_test {
            return self.axis_step(Axis::Child);
        }
        let primary = self.primary()?;
        let predicates = self.predicates()?;
        Ok(Step::Each(if predicates.is_empty() { primary } else { Expr::Filter(Box::new(primary), predicates) }))
    }

    fn axis_step(&mut self, axis: Axis) -> Result<Step, Mistake> {
        let test = match self.next() {
            Token::Symbol("*") => Test::AnyName,
            Token::AnyIn(prefix) => Test::Space(self.names.space(&prefix)?),
            Token::AnySpace(local) => Test::Local(Rc::from(local)),
            Token::Prefixed(prefix, local) => {
                let space = self.names.space(&prefix)?;
                Test::Name(self.names.node(space, local))
            }
            Token::Name(name) => {
                if self.takes("(") {
                    self.needs(")")?;
                    kind_test(&name).ok_or_else(|| Mistake::Syntax(format!("the test {name}")))?
                } else {
                    Test::Name(self.names.node(Rc::from(""), name))
                }
            }
            other @ (Token::Variable(_) | Token::Number(_) | Token::Text(_) | Token::Symbol(_) | Token::End) => {
                return Err(Mistake::Syntax(format!("{other:?} instead of a name")));
            }
        };
        Ok(Step::Axis(axis, test, self.predicates()?))
    }

    fn predicates(&mut self) -> Result<Vec<Expr>, Mistake> {
        let mut predicates = Vec::new();
        while self.takes("[") {
            predicates.push(self.sequence()?);
            self.needs("]")?;
        }
        Ok(predicates)
    }

    fn primary(&mut self) -> Result<Expr, Mistake> {
        match self.next() {
            Token::Symbol(".") => Ok(Expr::Context),
            Token::Symbol("(") => {
                if self.takes(")") {
                    return Ok(Expr::Sequence(Vec::new()));
                }
                let inner = self.sequence()?;
                self.needs(")")?;
                Ok(inner)
            }
            Token::Variable(name) => {
                let symbol = self.names.symbol(&name);
                let constant = self.names.constant(symbol).cloned();
                Ok(constant.map_or(Expr::Variable(symbol), Expr::Literal))
            }
            Token::Text(text) => Ok(Expr::Literal(Item::text(text))),
            Token::Number(text) => number(&text).map(Expr::Literal),
            Token::Name(name) => self.call("", &name),
            Token::Prefixed(prefix, name) => self.call(&prefix, &name),
            other @ (Token::AnyIn(_) | Token::AnySpace(_) | Token::Symbol(_) | Token::End) => {
                Err(Mistake::Syntax(format!("{other:?} instead of a value")))
            }
        }
    }

    fn call(&mut self, prefix: &str, name: &str) -> Result<Expr, Mistake> {
        self.needs("(")?;
        let mut arguments = Vec::new();
        if !self.takes(")") {
            loop {
                arguments.push(self.single()?);
                if !self.takes(",") {
                    break;
                }
            }
            self.needs(")")?;
        }
        match prefix {
            "" | "fn" => {
                let function = Function::find(name, arguments.len())
                    .ok_or_else(|| Mistake::Function(format!("{name}/{}", arguments.len())))?;
                self.known(function, arguments)
            }
            "xs" => {
                let target = parse_type(name)?;
                match (arguments.pop(), arguments.is_empty()) {
                    (Some(value), true) => Ok(Expr::Cast(Box::new(value), Type { optional: true, ..target })),
                    _ => Err(Mistake::Function(format!("xs:{name}"))),
                }
            }
            _ => Ok(Expr::Own(self.names.symbol(&format!("{prefix}:{name}()")), arguments)),
        }
    }

    /// What is known of a call before there is a document: regular expressions that are written out, and texts made of such texts.
    fn known(&mut self, function: Function, mut arguments: Vec<Expr>) -> Result<Expr, Mistake> {
        let pattern = match (function, arguments.get(1)) {
            (Function::Matches | Function::Replace | Function::Tokenize, Some(Expr::Literal(Item::Text(pattern)))) => {
                Some(self.names.add_regex(pattern)?)
            }
            _ => None,
        };
        if let (Function::Matches, Some(regex)) = (function, pattern)
            && let Some(text) = arguments.drain(..).next()
        {
            return Ok(Expr::Matches(Box::new(text), regex));
        }
        if function == Function::Concat
            && let Some(all) = arguments.iter().map(Expr::text).collect::<Option<String>>()
        {
            return Ok(Expr::Literal(Item::text(all)));
        }
        Ok(Expr::Call(function, arguments))
    }
}

/// A comparison, and whether it is of single items.
fn comparison(token: &Token) -> Option<(bool, Comparison)> {
    let Token::Symbol(text) = token else {
        let Token::Name(word) = token else { return None };
        return Some(match word.as_str() {
            "eq" => (true, Comparison::Equal),
            "ne" => (true, Comparison::NotEqual),
            "lt" => (true, Comparison::Less),
            "le" => (true, Comparison::LessOrEqual),
            "gt" => (true, Comparison::Greater),
            "ge" => (true, Comparison::GreaterOrEqual),
            _ => return None,
        });
    };
    Some(match *text {
        "=" => (false, Comparison::Equal),
        "!=" => (false, Comparison::NotEqual),
        "<" => (false, Comparison::Less),
        "<=" => (false, Comparison::LessOrEqual),
        ">" => (false, Comparison::Greater),
        ">=" => (false, Comparison::GreaterOrEqual),
        _ => return None,
    })
}

fn number(text: &str) -> Result<Item, Mistake> {
    let wrong = || Mistake::Syntax(format!("the number {text}"));
    if text.contains(['e', 'E']) {
        return Ok(Item::Double(text.parse().map_err(|_| wrong())?));
    }
    let value = Decimal::parse(text).ok_or_else(wrong)?;
    Ok(if text.contains('.') { Item::Decimal(value) } else { Item::Integer(value) })
}

fn kind_test(name: &str) -> Option<Test> {
    match name {
        "node" => Some(Test::Node),
        "text" => Some(Test::Text),
        "comment" => Some(Test::Comment),
        "element" => Some(Test::Element),
        _ => None,
    }
}

fn axis(name: &str) -> Option<Axis> {
    Some(match name {
        "child" => Axis::Child,
        "descendant" => Axis::Descendant,
        "descendant-or-self" => Axis::DescendantOrSelf,
        "parent" => Axis::Parent,
        "ancestor" => Axis::Ancestor,
        "ancestor-or-self" => Axis::AncestorOrSelf,
        "following-sibling" => Axis::FollowingSibling,
        "preceding-sibling" => Axis::PrecedingSibling,
        "following" => Axis::Following,
        "preceding" => Axis::Preceding,
        "attribute" => Axis::Attribute,
        "self" => Axis::OneSelf,
        _ => return None,
    })
}
