//! Reads schemas. Each element `schema` of a pack is one of the published files.

use std::collections::HashMap;
use std::rc::Rc;

use quick_xml::NsReader;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{Namespace, QName, ResolveResult};

use super::values::{Builtin, Simple};
use super::{Attribute, Content, Grammar, Part, Symbol, Type, TypeId, Wanted, key};
use crate::schematron::LoadError;

const XSD: &str = "http://www.w3.org/2001/XMLSchema";

pub(crate) fn load(source: &str) -> Result<Grammar, LoadError> {
    let mut loader = Loader::default();
    for part in parse(source)?.only_child()?.children.iter().flat_map(|schema| &schema.children) {
        let name = key(&part.space, part.needed("name")?);
        match part.kind.as_str() {
            "element" => loader.declared.insert(name, Rc::new(part.clone())),
            "complexType" | "simpleType" => loader.sources.insert(name, Rc::new(part.clone())),
            other => return Err(unknown(other)),
        };
    }
    for (name, element) in loader.declared.clone() {
        let of = loader.type_of(&element)?;
        let symbol = loader.symbol(&name);
        loader.grammar.elements.insert(symbol, of);
    }
    Ok(loader.grammar)
}

fn unknown(what: &str) -> LoadError {
    LoadError::Damaged(format!("the schemas have something that is not understood: {what}"))
}

/// An element of a schema, without its documentation.
#[derive(Clone, Debug, Default)]
struct Tag {
    kind: String,
    /// The namespace that its schema is about.
    space: Rc<str>,
    /// Names of other parts are written out as they are looked up.
    attributes: HashMap<String, String>,
    children: Vec<Tag>,
}

impl Tag {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    fn needed(&self, name: &str) -> Result<&str, LoadError> {
        self.attribute(name).ok_or_else(|| LoadError::Damaged(format!("{} has no {name}", self.kind)))
    }

    fn only_child(&self) -> Result<&Self, LoadError> {
        match self.children.as_slice() {
            [child] => Ok(child),
            _ => Err(unknown(&self.kind)),
        }
    }
}

/// The schemas as they are written. What is only for people is left out, and so are imports: all files are in the pack.
fn parse(source: &str) -> Result<Tag, LoadError> {
    let mut reader = NsReader::from_str(source);
    let mut open = vec![Tag::default()];
    loop {
        match reader.read_event().map_err(damaged)? {
            Event::Start(start) if is_hidden(&start) => {
                reader.read_to_end(start.name()).map_err(damaged)?;
            }
            Event::Empty(start) if is_hidden(&start) => {}
            Event::Start(start) => {
                let tag = tag(&reader, &start, open.last())?;
                open.push(tag);
            }
            Event::Empty(start) => {
                let tag = tag(&reader, &start, open.last())?;
                close(&mut open, tag)?;
            }
            Event::End(_) => {
                let tag = open.pop().ok_or_else(|| unknown("an end"))?;
                close(&mut open, tag)?;
            }
            Event::Eof => return open.pop().ok_or_else(|| unknown("nothing")),
            Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::GeneralRef(_) => {}
        }
    }
}

fn damaged(error: impl std::fmt::Display) -> LoadError {
    LoadError::Damaged(error.to_string())
}

fn is_hidden(start: &BytesStart<'_>) -> bool {
    matches!(start.local_name().as_ref(), "annotation" | "import" | "include")
}

fn close(open: &mut [Tag], tag: Tag) -> Result<(), LoadError> {
    open.last_mut().ok_or_else(|| unknown("an end"))?.children.push(tag);
    Ok(())
}

fn tag(reader: &NsReader<&[u8]>, start: &BytesStart<'_>, parent: Option<&Tag>) -> Result<Tag, LoadError> {
    let mut tag = Tag {
        kind: start.local_name().as_ref().to_owned(),
        space: parent.map(|parent| parent.space.clone()).unwrap_or_default(),
        ..Tag::default()
    };
    for attribute in start.attributes() {
        let attribute = attribute.map_err(damaged)?;
        let name: &str = attribute.key.as_ref();
        let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).map_err(damaged)?;
        let value = match name {
            "type" | "ref" | "base" => expanded(reader, &value)?,
            _ => value.into_owned(),
        };
        if name == "targetNamespace" {
            tag.space = Rc::from(value.as_str());
        }
        tag.attributes.insert(name.to_owned(), value);
    }
    Ok(tag)
}

/// A name with a prefix, as it is looked up.
fn expanded(reader: &NsReader<&[u8]>, name: &str) -> Result<String, LoadError> {
    match reader.resolver().resolve_element(QName(name)) {
        (ResolveResult::Bound(Namespace(space)), local) => Ok(key(space, local.as_ref())),
        (ResolveResult::Unbound | ResolveResult::Unknown(_), _) => Err(unknown(name)),
    }
}

#[derive(Default)]
struct Loader {
    grammar: Grammar,
    /// Types that have a name, as they are written.
    sources: HashMap<String, Rc<Tag>>,
    /// Elements that may stand alone, and the names of their types.
    declared: HashMap<String, Rc<Tag>>,
    /// Types that were read, or are being read.
    known: HashMap<String, TypeId>,
}

impl Loader {
    fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(symbol) = self.grammar.names.get(name) {
            return *symbol;
        }
        let symbol = Symbol::try_from(self.grammar.names.len()).unwrap_or(Symbol::MAX);
        self.grammar.names.insert(name.to_owned(), symbol);
        symbol
    }

    fn add(&mut self, of: Type) -> TypeId {
        self.grammar.types.push(of);
        self.grammar.types.len() - 1
    }

    /// The type of an element that is declared here.
    fn type_of(&mut self, element: &Tag) -> Result<TypeId, LoadError> {
        if let Some(name) = element.attribute("type") {
            return self.named(name);
        }
        let of = self.complex(element.only_child()?)?;
        Ok(self.add(of))
    }

    fn named(&mut self, name: &str) -> Result<TypeId, LoadError> {
        if let Some(id) = self.known.get(name) {
            return Ok(*id);
        }
        // Types contain each other, so a type has its place before it is read.
        let id = self.add(Type { attributes: Vec::new(), content: Content::Sequence(Rc::new([])) });
        self.known.insert(name.to_owned(), id);
        let source = self.sources.get(name).filter(|source| source.kind == "complexType").cloned();
        let of = match source {
            Some(source) => self.complex(&source)?,
            None => Type { attributes: Vec::new(), content: Content::Text(self.simple(name)?) },
        };
        if let Some(place) = self.grammar.types.get_mut(id) {
            *place = of;
        }
        Ok(id)
    }

    fn simple(&self, name: &str) -> Result<Simple, LoadError> {
        if let Some(builtin) = name.strip_prefix(XSD) {
            return Builtin::named(builtin.trim_start()).map(Simple::of).ok_or_else(|| unknown(name));
        }
        let source =
            self.sources.get(name).filter(|source| source.kind == "simpleType").ok_or_else(|| unknown(name))?;
        let restriction = source.only_child()?;
        let mut simple = self.simple(restriction.needed("base")?)?;
        narrow(&mut simple, restriction)?;
        Ok(simple)
    }

    fn complex(&mut self, source: &Tag) -> Result<Type, LoadError> {
        if source.children.is_empty() {
            return Ok(Type { attributes: Vec::new(), content: Content::Sequence(Rc::new([])) });
        }
        let content = source.only_child()?;
        match content.kind.as_str() {
            "sequence" => Ok(Type { attributes: Vec::new(), content: Content::Sequence(self.parts(content)?) }),
            "choice" => Ok(Type { attributes: Vec::new(), content: Content::Choice(self.parts(content)?) }),
            "simpleContent" => self.text(content.only_child()?),
            other => Err(unknown(other)),
        }
    }

    /// A text with attributes, made from another one.
    fn text(&mut self, derived: &Tag) -> Result<Type, LoadError> {
        let base = self.named(derived.needed("base")?)?;
        let mut of = self.grammar.types.get(base).cloned().ok_or_else(|| unknown("a type in itself"))?;
        let Content::Text(simple) = &mut of.content else { return Err(unknown(&derived.kind)) };
        narrow(simple, derived)?;
        for child in derived.children.iter().filter(|child| child.kind == "attribute") {
            let attribute = self.attribute(child)?;
            of.attributes.retain(|other| other.name != attribute.name);
            of.attributes.push(attribute);
        }
        Ok(of)
    }

    fn attribute(&self, source: &Tag) -> Result<Attribute, LoadError> {
        Ok(Attribute {
            name: source.needed("name")?.to_owned(),
            value: self.simple(source.needed("type")?)?,
            is_required: source.attribute("use") == Some("required"),
            fixed: source.attribute("fixed").map(str::to_owned),
        })
    }

    fn parts(&mut self, group: &Tag) -> Result<Rc<[Part]>, LoadError> {
        // A group that repeats is in none of the schemas.
        if !group.attributes.is_empty() {
            return Err(unknown(&group.kind));
        }
        group.children.iter().map(|child| self.part(child)).collect()
    }

    fn part(&mut self, source: &Tag) -> Result<Part, LoadError> {
        let (wanted, label) = match (source.kind.as_str(), source.attribute("ref")) {
            ("element", Some(name)) => {
                let declared = self.declared.get(name).cloned().ok_or_else(|| unknown(name))?;
                let of = self.type_of(&declared)?;
                (Wanted::Element(self.symbol(name), of), declared.needed("name")?.to_owned())
            }
            ("element", None) => {
                let label = source.needed("name")?;
                let of = self.type_of(source)?;
                (Wanted::Element(self.symbol(&key(&source.space, label)), of), label.to_owned())
            }
            ("any", _) if source.attribute("namespace") == Some("##other") => {
                (Wanted::Other(source.space.to_string()), "an element of another namespace".to_owned())
            }
            (other, _) => return Err(unknown(other)),
        };
        let occurs = |name: &str| match source.attribute(name) {
            None => Ok(1),
            Some("unbounded") => Ok(u32::MAX),
            Some(number) => number.parse().map_err(|_| unknown(number)),
        };
        Ok(Part { wanted, label, least: occurs("minOccurs")?, most: occurs("maxOccurs")? })
    }
}

/// Adds what a restriction asks for.
fn narrow(simple: &mut Simple, restriction: &Tag) -> Result<(), LoadError> {
    let number = |facet: &Tag| facet.needed("value")?.parse().map_err(|_| unknown(&facet.kind));
    for facet in &restriction.children {
        match facet.kind.as_str() {
            "enumeration" => simple.one_of.push(facet.needed("value")?.to_owned()),
            "minLength" => simple.least = Some(number(facet)?),
            "maxLength" => simple.most = Some(number(facet)?),
            "attribute" => {}
            other => return Err(unknown(other)),
        }
    }
    Ok(())
}
