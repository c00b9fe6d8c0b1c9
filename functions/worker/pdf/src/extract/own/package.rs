//! Archives of parts, such as office documents. Only so much is unpacked from each.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use roxmltree::{Document, Node};
use zip::ZipArchive;

use crate::xml::{self, Fault};
use crate::{ErrorCode, Failure};

/// How a compound file begins: encrypted documents are packed into one.
const COMPOUND: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const MOST_PARTS: usize = 100_000;
/// Most bytes that are unpacked from one document.
const MOST_BYTES: u64 = 1 << 30;
/// Most bytes of one part that is read into a tree.
const MOST_XML: u64 = 128 << 20;
/// Most nodes of such a tree.
const NODES: u32 = 4_000_000;

pub(super) struct Package {
    archive: ZipArchive<BufReader<File>>,
    left: u64,
}

impl Package {
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let mut file = File::open(path).map_err(|error| Failure::io(&error))?;
        let mut start = [0; COMPOUND.len()];
        if file.read_exact(&mut start).is_ok() && start == COMPOUND {
            return Err(encrypted());
        }
        file.rewind().map_err(|error| Failure::io(&error))?;
        let archive = ZipArchive::new(BufReader::new(file)).map_err(|_| damaged("its archive is broken"))?;
        if archive.len() > MOST_PARTS {
            return Err(too_large("too many parts"));
        }
        Ok(Self { archive, left: MOST_BYTES })
    }

    pub(super) fn has(&self, part: &str) -> bool {
        self.archive.index_for_name(part).is_some()
    }

    /// The bytes of a part. `None`: there is none, or it is damaged.
    pub(super) fn bytes(&mut self, part: &str, most: u64) -> Result<Option<Vec<u8>>, Failure> {
        let Ok(file) = self.archive.by_name(part) else { return Ok(None) };
        let most = most.min(self.left);
        let mut bytes = Vec::new();
        let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
        if bytes.len() as u64 > most {
            return Err(too_large("a part unpacks to too much"));
        }
        self.left -= bytes.len() as u64;
        Ok(read.is_ok().then_some(bytes))
    }

    /// The text of a part in XML.
    pub(super) fn text(&mut self, part: &str) -> Result<Option<String>, Failure> {
        Ok(self.bytes(part, MOST_XML)?.map(decoded))
    }

    /// The text of a part that documents of this kind must have.
    pub(super) fn required(&mut self, part: &str) -> Result<String, Failure> {
        self.text(part)?.ok_or_else(|| damaged("a part is missing or damaged"))
    }

    /// How a part refers to others, by their ids. Empty if it doesn't.
    pub(super) fn relations(&mut self, part: &str) -> Result<Relations, Failure> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = if folder.is_empty() { format!("_rels/{file}.rels") } else { format!("{folder}/_rels/{file}.rels") };
        let Some(text) = self.text(&name)? else { return Ok(Relations::default()) };
        let tree = tree(&text)?;
        let mut relations = Relations::default();
        for node in elements(tree.root_element(), "Relationship") {
            let (Some(id), Some(target)) = (node.attribute("Id"), node.attribute("Target")) else { continue };
            let kind = node.attribute("Type").and_then(|kind| kind.rsplit('/').next()).unwrap_or_default().to_owned();
            let is_external = node.attribute("TargetMode") == Some("External");
            let target = if is_external { target.to_owned() } else { resolved(folder, target) };
            relations.in_order.push(id.to_owned());
            relations.by_id.insert(id.to_owned(), Relation { kind, target, is_external });
        }
        Ok(relations)
    }
}

#[derive(Debug, Default)]
pub(super) struct Relations {
    by_id: HashMap<String, Relation>,
    in_order: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Relation {
    /// The last part of its type, such as `image`.
    pub(super) kind: String,
    /// The part's name in the archive, or an address.
    pub(super) target: String,
    pub(super) is_external: bool,
}

impl Relations {
    /// The name of a part by its id.
    pub(super) fn part(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).filter(|relation| !relation.is_external).map(|relation| relation.target.as_str())
    }

    /// An address by its id.
    pub(super) fn address(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).filter(|relation| relation.is_external).map(|relation| relation.target.as_str())
    }

    /// The first part of a kind.
    pub(super) fn of_kind(&self, kind: &str) -> Option<&str> {
        let all = self.in_order.iter().filter_map(|id| self.by_id.get(id));
        all.filter(|relation| !relation.is_external && relation.kind == kind)
            .map(|relation| relation.target.as_str())
            .next()
    }
}

/// A part's name, from its address relative to a folder.
fn resolved(folder: &str, target: &str) -> String {
    if let Some(whole) = target.strip_prefix('/') {
        return whole.to_owned();
    }
    let mut steps: Vec<_> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in target.split('/') {
        match step {
            ".." => drop(steps.pop()),
            "." | "" => {}
            step => steps.push(step),
        }
    }
    steps.join("/")
}

/// XML in UTF-8, or in UTF-16 with a byte order mark.
pub(super) fn decoded(bytes: Vec<u8>) -> String {
    // Without a copy, if it can be.
    let text = match bytes.as_slice() {
        [0xfe, 0xff, ..] | [0xff, 0xfe, ..] | [0xef, 0xbb, 0xbf, ..] => Err(bytes),
        _ => String::from_utf8(bytes).map_err(|error| error.into_bytes()),
    };
    text.unwrap_or_else(|bytes| encoding_rs::UTF_8.decode(&bytes).0.into_owned())
}

pub(super) fn tree(text: &str) -> Result<Document<'_>, Failure> {
    xml::parse(text, NODES).map_err(|fault| match fault {
        Fault::TooLarge => too_large("a tree beyond the limit"),
        Fault::Doctype | Fault::Malformed { .. } => damaged("a part is not well-formed"),
    })
}

pub(super) fn damaged(cause: &str) -> Failure {
    let message = "The document is damaged. Save it again in the program that it comes from, and retry.";
    Failure::new(ErrorCode::CorruptDocument, message, cause)
}

pub(super) fn encrypted() -> Failure {
    let message = "The document is protected. Save it without a password, and retry.";
    Failure::new(ErrorCode::PasswordRequired, message, "an encrypted document")
}

pub(super) fn too_large(cause: &str) -> Failure {
    let message = "The document has too much content to read at once. Split it.";
    Failure::new(ErrorCode::RenderFailed, message, cause)
}

/// Names are compared without namespaces, whose addresses differ between editions of the standards.
pub(super) fn is(node: Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

/// Children that are elements with this name.
pub(super) fn elements<'a, 'i>(node: Node<'a, 'i>, name: &str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| is(*child, name))
}

pub(super) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| is(*child, name))
}

/// The child of a child, and so on.
pub(super) fn path<'a, 'i>(node: Node<'a, 'i>, names: &[&str]) -> Option<Node<'a, 'i>> {
    names.iter().try_fold(node, |node, name| child(node, name))
}

/// An attribute by its name without a prefix.
pub(super) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.attributes().find(|attribute| attribute.name() == name).map(|attribute| attribute.value())
}

/// The value of an element's switch, such as `<w:b/>`: on without a value.
pub(super) fn switch(node: Node<'_, '_>) -> bool {
    !matches!(attribute(node, "val"), Some("0" | "false" | "off" | "none"))
}

/// The title of an office document, from its properties.
pub(super) fn core_title(package: &mut Package) -> Result<Option<String>, Failure> {
    let part = package.relations("")?.of_kind("core-properties").unwrap_or("docProps/core.xml").to_owned();
    let Some(text) = package.text(&part)? else { return Ok(None) };
    let Ok(tree) = tree(&text) else { return Ok(None) };
    Ok(child(tree.root_element(), "title").and_then(|title| title.text()).map(str::to_owned))
}

/// The main part of an Office Open XML document.
pub(super) fn main_part(package: &mut Package, usual: &str) -> Result<String, Failure> {
    let part = package.relations("")?.of_kind("officeDocument").unwrap_or(usual).to_owned();
    if package.has(&part) { Ok(part) } else { Err(damaged("no main part")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_from_the_archives_root() {
        assert_eq!(resolved("xl/worksheets", "../tables/t.xml"), "xl/tables/t.xml");
        assert_eq!(resolved("word", "/media/a.png"), "media/a.png");
        assert_eq!(resolved("", "./../word/document.xml"), "word/document.xml");
    }
}
