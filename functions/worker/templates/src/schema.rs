//! The data that a template expects: a JSON Schema, and an example.
//!
//! A name in a section belongs to the section's elements, unless a tag around the section uses it too.

use std::collections::HashMap;

use docmill_codes::Symbology;
use serde_json::{Map, Value, json};

use crate::expression::{Expression, Operator, Path, Step};
use crate::filters::{self, Expects, Shape};
use crate::subtemplates::Library;
use crate::tag::{Link, Opening, Shown, Tag};
use crate::tree::{Node, Part};

/// What a template expects.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// A JSON Schema of the data.
    pub schema: Value,
    /// Data that meets the schema.
    pub example: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unknown,
    Text,
    Picture,
    Code(Symbology),
    Link,
    Number,
    Date(Shape),
    Flag,
    Object,
    List,
}

/// A name in the data. All elements of a list are one place.
#[derive(Debug)]
struct Place {
    kind: Kind,
    members: Vec<(String, usize)>,
    /// How many names lead to it.
    depth: usize,
    /// The template can't do without it.
    is_required: bool,
}

/// A section whose content is still to be read, with the places around it, outermost first.
struct Task<'p> {
    part: &'p Part,
    nodes: &'p [Node],
    around: Vec<usize>,
    /// The section's own place.
    own: Option<usize>,
}

#[derive(Debug, Default)]
struct Reader<'p> {
    library: Option<&'p Library>,
    /// How often sub-templates were read.
    included: usize,
    places: Vec<Place>,
    /// The members of places by name: a template may have many.
    names: HashMap<usize, HashMap<String, usize>>,
}

const ROOT: usize = 0;
/// Names that lead deeper are left out: JSON has limits too.
const DEEPEST: usize = 60;
/// Tags for sub-templates that are followed.
const MOST_INCLUDED: usize = 1000;
/// One pixel.
const EXAMPLE_PICTURE: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Parts that are filled together, and what repeats them.
pub(crate) type Group<'p> = (Option<&'p Opening>, Vec<&'p Part>);

pub(crate) fn expected<'p>(groups: Vec<Group<'p>>, library: &'p Library) -> Expected {
    let mut reader = Reader { library: Some(library), ..Reader::default() };
    reader.add(Kind::Object, 0);
    let (mut tasks, mut repeated) = (Vec::new(), Vec::new());
    for (opening, parts) in groups {
        let own = opening.and_then(|opening| reader.read(&opening.expression, &[ROOT], Kind::Unknown, true));
        let around: Vec<_> = std::iter::once(ROOT).chain(own).collect();
        let list = if opening.is_some() { &mut repeated } else { &mut tasks };
        list.extend(parts.into_iter().map(|part| Task { part, nodes: &part.nodes, around: around.clone(), own }));
    }
    let mut sections = Vec::new();
    // From outside to inside, so that a section's content meets the names around it.
    while !(tasks.is_empty() && repeated.is_empty()) {
        let mut inner = std::mem::take(&mut repeated);
        for task in &tasks {
            reader.level(task, &mut inner);
        }
        sections.extend(inner.iter().filter_map(|task: &Task<'_>| task.own));
        tasks = inner;
    }
    for section in sections {
        reader.settle(section);
    }
    let mut schema = reader.schema(ROOT);
    if let Value::Object(members) = &mut schema {
        members.shift_insert(0, "$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
    }
    Expected { schema, example: reader.example(ROOT, "") }
}

impl<'p> Reader<'p> {
    fn add(&mut self, kind: Kind, depth: usize) -> usize {
        self.places.push(Place { kind, members: Vec::new(), depth, is_required: false });
        self.places.len() - 1
    }

    fn member(&self, place: usize, name: &str) -> Option<usize> {
        self.names.get(&place)?.get(name).copied()
    }

    fn member_or_new(&mut self, place: usize, name: &str) -> usize {
        if let Some(member) = self.member(place, name) {
            return member;
        }
        let depth = self.places.get(place).map_or(0, |place| place.depth);
        if depth == DEEPEST {
            return place;
        }
        let new = self.add(Kind::Unknown, depth + 1);
        if let Some(place) = self.places.get_mut(place) {
            place.members.push((name.to_owned(), new));
        }
        self.names.entry(place).or_default().insert(name.to_owned(), new);
        new
    }

    fn set(&mut self, place: usize, kind: Kind) {
        if let Some(place) = self.places.get_mut(place).filter(|place| place.kind == Kind::Unknown) {
            place.kind = kind;
        }
    }

    fn require(&mut self, place: usize) {
        if let Some(place) = self.places.get_mut(place) {
            place.is_required = true;
        }
    }

    /// Reads the tags that are directly in a section: values first, so that its inner sections know them.
    fn level(&mut self, task: &Task<'p>, inner: &mut Vec<Task<'p>>) {
        let tag = |index: usize| task.part.tags.get(index).map(|written| &written.tag);
        for node in task.nodes {
            if let Node::Write(index) = node
                && let Some(expression) = tag(*index).and_then(Tag::expression)
            {
                let kind = match tag(*index) {
                    Some(Tag::Picture(Shown { code: Some(code), .. })) => Kind::Code(code.symbology),
                    Some(Tag::Picture(Shown { code: None, .. })) => Kind::Picture,
                    Some(Tag::Link(_)) => Kind::Link,
                    Some(
                        Tag::Value(_)
                        | Tag::Raw(_)
                        | Tag::Rich(_)
                        | Tag::Include(_)
                        | Tag::Address(_)
                        | Tag::Open(_)
                        | Tag::Slide(_)
                        | Tag::Close(_)
                        | Tag::Delimiters(_),
                    )
                    | None => Kind::Text,
                };
                self.read(expression, &task.around, kind, true);
                if let Some(Tag::Link(Link { text: Some(text), .. })) = tag(*index) {
                    self.read(text, &task.around, Kind::Text, true);
                }
            }
        }
        for node in task.nodes {
            if let Node::Write(index) = node
                && let Some(Tag::Include(name)) = tag(*index)
                && let Some(content) = self.library.and_then(|library| library.get(name))
                && self.included < MOST_INCLUDED
            {
                self.included += 1;
                let part = content.part();
                inner.push(Task { part, nodes: &part.nodes, around: task.around.clone(), own: None });
            }
            let Node::Section { tag: index, body } = node else { continue };
            let Some(Tag::Open(Opening { inverted, expression, .. })) = tag(*index) else { continue };
            let own = self.read(expression, &task.around, Kind::Unknown, !inverted);
            let mut around = task.around.clone();
            around.extend(own.filter(|_| !inverted));
            inner.push(Task { part: task.part, nodes: body, around, own });
        }
    }

    /// Notes the names in an expression. Returns the place whose value it has, if it is one in the data.
    fn read(&mut self, expression: &Expression, around: &[usize], kind: Kind, required: bool) -> Option<usize> {
        match expression {
            Expression::Literal(_) => None,
            Expression::Path(path) => self.path(path, around, kind, required),
            Expression::Not(inner) => {
                self.read(inner, around, Kind::Unknown, false);
                None
            }
            Expression::Negative(inner) => {
                self.read(inner, around, Kind::Number, required);
                None
            }
            Expression::Binary(operator, left, right) => {
                let kind = operand(*operator, left, right);
                let required = required && operator.calculates();
                self.read(left, around, kind, required);
                self.read(right, around, kind, required);
                None
            }
            Expression::Choice(condition, yes, no) => {
                self.read(condition, around, Kind::Unknown, false);
                self.read(yes, around, kind, false);
                self.read(no, around, kind, false);
                None
            }
            Expression::Filter { name, input, arguments } => {
                for argument in arguments {
                    self.read(argument, around, Kind::Unknown, required);
                }
                let input_kind = match filters::expects(name) {
                    Expects::Number => Kind::Number,
                    Expects::Date(shape) => Kind::Date(shape),
                    Expects::List => Kind::List,
                    Expects::Text => Kind::Text,
                    Expects::Anything => kind,
                };
                let place = self.read(input, around, input_kind, required && name != "default")?;
                if let (Some(Expression::Literal(Value::String(member))), "sum" | "sortBy") =
                    (arguments.first(), name.as_str())
                {
                    let member = self.member_or_new(place, member);
                    self.set(member, if name == "sum" { Kind::Number } else { Kind::Unknown });
                }
                (filters::keeps_elements(name) || filters::expects(name) == Expects::Anything).then_some(place)
            }
        }
    }

    fn path(&mut self, path: &Path, around: &[usize], kind: Kind, required: bool) -> Option<usize> {
        let innermost = around.last().copied()?;
        let Some((first, rest)) = path.steps.split_first() else {
            if innermost != ROOT {
                // Each element of a section's list is this.
                self.set(innermost, Kind::List);
                let element = self.member_or_new(innermost, "");
                self.set(element, kind);
                return Some(element);
            }
            return None;
        };
        let Step::Name(name) = first else { return None };
        if name.starts_with('$') {
            return None;
        }
        let owner = around.iter().rev().copied().find(|place| self.member(*place, name).is_some()).unwrap_or(innermost);
        let mut place = self.member_or_new(owner, name);
        if required {
            self.require(place);
        }
        for step in rest {
            match step {
                Step::Name(name) if name == "length" => {
                    self.set(place, Kind::List);
                    return None;
                }
                Step::Name(name) => {
                    self.set(place, Kind::Object);
                    place = self.member_or_new(place, name);
                }
                Step::Index(_) => self.set(place, Kind::List),
            }
            if required {
                self.require(place);
            }
        }
        self.set(place, kind);
        Some(place)
    }

    /// A section without a kind of its own: with members it is a list, without them a condition.
    fn settle(&mut self, section: usize) {
        let has_members = self.places.get(section).is_some_and(|place| !place.members.is_empty());
        self.set(section, if has_members { Kind::List } else { Kind::Flag });
    }

    fn schema(&self, place: usize) -> Value {
        let Some(Place { kind, members, .. }) = self.places.get(place) else { return json!({}) };
        match kind {
            Kind::Unknown => json!({}),
            Kind::Text => json!({"type": ["string", "number", "boolean", "null"]}),
            Kind::Picture => {
                json!({"type": ["string", "null"], "contentEncoding": "base64", "description": "A picture."})
            }
            Kind::Code(symbology) => {
                let kinds =
                    if symbology.is_payment() { ["object", "null"].as_slice() } else { &["string", "integer", "null"] };
                json!({"type": kinds, "description": format!("The content of {symbology}.")})
            }
            Kind::Link => {
                let description = "The address of a link, or an object with its `url` and `text`.";
                json!({"type": ["string", "object", "null"], "description": description})
            }
            Kind::Number => json!({"type": "number"}),
            Kind::Date(Shape::Date) => json!({"type": "string", "format": "date"}),
            Kind::Date(Shape::Time) => json!({"type": "string", "format": "time"}),
            Kind::Date(Shape::Both) => json!({"type": "string", "format": "date-time"}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Object => self.object_schema(members),
            Kind::List => match members.as_slice() {
                [] => json!({"type": "array"}),
                [(name, element)] if name.is_empty() => json!({"type": "array", "items": self.schema(*element)}),
                members => json!({"type": "array", "items": self.object_schema(members)}),
            },
        }
    }

    fn object_schema(&self, members: &[(String, usize)]) -> Value {
        let named = || members.iter().filter(|(name, _)| !name.is_empty());
        let properties: Map<_, _> = named().map(|(name, place)| (name.clone(), self.schema(*place))).collect();
        let is_required = |place: &usize| self.places.get(*place).is_some_and(|place| place.is_required);
        let required: Vec<_> = named().filter(|(_, place)| is_required(place)).map(|(name, _)| name.as_str()).collect();
        json!({"type": "object", "properties": properties, "required": required})
    }

    fn example(&self, place: usize, name: &str) -> Value {
        let Some(Place { kind, members, .. }) = self.places.get(place) else { return Value::Null };
        match kind {
            Kind::Unknown | Kind::Text => Value::String(name.to_owned()),
            Kind::Picture => json!(EXAMPLE_PICTURE),
            Kind::Code(symbology) => code_example(*symbology, name),
            Kind::Link => json!("https://example.com"),
            Kind::Number => json!(1),
            Kind::Date(Shape::Date) => json!("2026-01-31"),
            Kind::Date(Shape::Time) => json!("14:30:00"),
            Kind::Date(Shape::Both) => json!("2026-01-31T14:30:00Z"),
            Kind::Flag => json!(true),
            Kind::Object => self.object_example(members),
            Kind::List => match members.as_slice() {
                [] => json!([]),
                [(inner, element)] if inner.is_empty() => json!([self.example(*element, name)]),
                members => json!([self.object_example(members)]),
            },
        }
    }

    fn object_example(&self, members: &[(String, usize)]) -> Value {
        let named = members.iter().filter(|(name, _)| !name.is_empty());
        Value::Object(named.map(|(name, place)| (name.clone(), self.example(*place, name))).collect())
    }
}

/// What such a code can hold.
fn code_example(symbology: Symbology, name: &str) -> Value {
    match symbology {
        Symbology::Qr | Symbology::Code128 | Symbology::DataMatrix | Symbology::Pdf417 => json!(name),
        Symbology::Ean13 => json!("4006381333931"),
        Symbology::Ean8 => json!("96385074"),
        Symbology::UpcA => json!("036000291452"),
        Symbology::Epc => json!({"name": "Ada Lovelace", "iban": "DE89370400440532013000", "amount": 12.5}),
        Symbology::SwissQr => {
            let creditor = json!({"name": "Ada Lovelace", "postalCode": "8000", "town": "Zürich", "country": "CH"});
            json!({"iban": "CH9300762011623852957", "creditor": creditor, "amount": 12.5, "currency": "CHF"})
        }
    }
}

/// The kind of an operator's operands, as far as the operator tells.
fn operand(operator: Operator, left: &Expression, right: &Expression) -> Kind {
    let has = |wanted: fn(&Value) -> bool| {
        [left, right].into_iter().any(|side| matches!(side, Expression::Literal(value) if wanted(value)))
    };
    match operator {
        Operator::Or | Operator::And => Kind::Unknown,
        Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder => Kind::Number,
        Operator::Equal
        | Operator::Unequal
        | Operator::Less
        | Operator::LessOrEqual
        | Operator::Greater
        | Operator::GreaterOrEqual
        | Operator::Add => {
            if has(Value::is_number) {
                Kind::Number
            } else if has(Value::is_string) {
                Kind::Text
            } else if has(Value::is_boolean) {
                Kind::Flag
            } else {
                Kind::Unknown
            }
        }
    }
}
