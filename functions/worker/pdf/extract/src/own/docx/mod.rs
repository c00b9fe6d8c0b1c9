//! Word documents by their styles, lists and tables.

mod drawing;
mod inline;
mod paragraph;
mod table;

use std::collections::{HashMap, HashSet};
use std::mem;
use std::path::Path;
use std::rc::Rc;

use docmill_package::Relations;
use docmill_pdf_request::Failure;
use docmill_pdf_text::HeadersFooters;
use docmill_word::numbering::Numbering;
use docmill_word::styles::Styles;
use roxmltree::Node;

use self::drawing::Picture;
use self::inline::Field;
use super::builder::Builder;
use super::package::{Package, attribute, child, core_title, damaged, elements, is, main_part, tree};
use super::text::Text;
use crate::model::{Reason, Role, Why};

/// Tables and boxes in each other. What is deeper is left out of documents that no program makes.
const DEPTH: usize = 64;

pub(super) fn read(path: &Path, headers_footers: HeadersFooters, builder: &mut Builder<'_, '_>) -> Result<(), Failure> {
    let mut package = Package::open(path)?;
    if let Some(title) = core_title(&mut package)? {
        builder.title(&title);
    }
    let main = main_part(&mut package, "word/document.xml")?;
    let relations = package.relations(&main)?;
    let mut part = |kind| match relations.of_kind(kind) {
        Some(part) => package.text(part),
        None => Ok(None),
    };
    let styles = match part("styles")? {
        Some(text) => Styles::read(tree(&text)?.root_element()),
        None => Styles::default(),
    };
    let numbering = match part("numbering")? {
        Some(text) => Numbering::read(tree(&text)?.root_element()),
        None => Numbering::default(),
    };
    if let Some(language) = styles.language() {
        builder.document_language(language);
    }
    let text = package.required(&main)?;
    let tree = tree(&text)?;
    let body = child(tree.root_element(), "body").ok_or_else(|| damaged("no body"))?;
    let mut reader = Reader::new(builder, &mut package, styles, numbering, relations);
    if headers_footers == HeadersFooters::Keep {
        reader.margins(body, "headerReference", &Role::Header)?;
    }
    reader.blocks(body)?;
    reader.end_code();
    if headers_footers == HeadersFooters::Keep {
        reader.margins(body, "footerReference", &Role::Footer)?;
    }
    reader.notes()
}

/// Goes through a part in its order, and makes blocks of it.
struct Reader<'a, 'p, 'r> {
    builder: &'a mut Builder<'p, 'r>,
    package: &'a mut Package,
    styles: Styles,
    numbering: Numbering,
    /// Of the part at hand.
    relations: Relations,
    /// Of the main part.
    main: Option<Relations>,
    fields: Vec<Field>,
    /// The paragraph at hand.
    line: Text,
    /// Hidden text in it.
    hidden: String,
    /// Whether all of its text so far is in a typewriter's letters, and there is some.
    monospaced: Option<bool>,
    /// Lines of code, which go on while paragraphs are code.
    code: Option<Text>,
    /// Pictures in the paragraph, which follow it.
    pictures: Vec<Picture>,
    /// Marks of notes, in their order.
    notes: Vec<Note>,
    footnotes: u32,
    endnotes: u32,
    /// In a cell or a note, which is one text.
    in_text: bool,
    /// The list that items at the outermost level belong to.
    list: Option<u32>,
    depth: usize,
}

struct Note {
    kind: NoteKind,
    id: String,
    mark: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoteKind {
    Footnote,
    Endnote,
}

impl NoteKind {
    fn key(self, id: &str) -> Rc<str> {
        match self {
            Self::Footnote => format!("footnote {id}").into(),
            Self::Endnote => format!("endnote {id}").into(),
        }
    }
}

impl<'a, 'p, 'r> Reader<'a, 'p, 'r> {
    fn new(
        builder: &'a mut Builder<'p, 'r>,
        package: &'a mut Package,
        styles: Styles,
        numbering: Numbering,
        relations: Relations,
    ) -> Self {
        Self {
            builder,
            package,
            styles,
            numbering,
            relations,
            main: None,
            fields: Vec::new(),
            line: Text::default(),
            hidden: String::new(),
            monospaced: None,
            code: None,
            pictures: Vec::new(),
            notes: Vec::new(),
            footnotes: 0,
            endnotes: 0,
            in_text: false,
            list: None,
            depth: 0,
        }
    }

    /// Reads what a body, cell, box or note contains.
    fn blocks(&mut self, node: Node<'_, '_>) -> Result<(), Failure> {
        if self.depth >= DEPTH {
            return Err(damaged("nested too deeply"));
        }
        self.depth += 1;
        for part in node.children().filter(Node::is_element) {
            match part.tag_name().name() {
                "p" => self.paragraph(part)?,
                "tbl" => self.table(part)?,
                "sdt" => {
                    if let Some(content) = child(part, "sdtContent") {
                        self.blocks(content)?;
                    }
                }
                "customXml" | "smartTag" | "ins" | "moveTo" => self.blocks(part)?,
                "AlternateContent" => {
                    if let Some(choice) = choice(part) {
                        self.blocks(choice)?;
                    }
                }
                _ => {}
            }
            if self.builder.is_full() {
                break;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// All text in a cell or note, as one.
    fn inside(&mut self, node: Node<'_, '_>) -> Result<Text, Failure> {
        let around = (mem::take(&mut self.line), mem::replace(&mut self.in_text, true));
        self.blocks(node)?;
        let (line, in_text) = around;
        self.in_text = in_text;
        Ok(mem::replace(&mut self.line, line).trimmed())
    }

    fn end_code(&mut self) {
        if let Some(code) = self.code.take() {
            self.builder.block_by(Reason::Style, Role::Code, code);
        }
    }

    fn hide(&mut self, text: &str) {
        self.builder.hide(text, Why::Invisible);
    }

    /// Headers or footers of all sections, each once.
    fn margins(&mut self, body: Node<'_, '_>, name: &str, role: &Role) -> Result<(), Failure> {
        let references = body.descendants().filter(|node| is(*node, name)).filter_map(|node| attribute(node, "id"));
        let mut named = HashSet::new();
        let parts = references.filter_map(|id| self.relations.part(id)).filter(|part| named.insert(*part));
        let parts: Vec<String> = parts.map(str::to_owned).collect();
        let mut known = HashSet::new();
        for part in parts {
            let Some(source) = self.package.text(&part)? else { continue };
            let tree = tree(&source)?;
            self.open(&part)?;
            let text = self.inside(tree.root_element())?;
            self.close();
            if known.insert(text.to_plain()) {
                self.builder.block(role.clone(), text);
            }
            self.show_pictures()?;
        }
        Ok(())
    }

    /// Footnotes and endnotes, in the order of their marks.
    fn notes(&mut self) -> Result<(), Failure> {
        let of = |reader: &Self, kind| reader.relations.of_kind(kind).map(str::to_owned);
        let parts = [(NoteKind::Footnote, of(self, "footnotes")), (NoteKind::Endnote, of(self, "endnotes"))];
        for (kind, part) in parts {
            let Some(part) = part else { continue };
            let Some(source) = self.package.text(&part)? else { continue };
            let tree = tree(&source)?;
            let root = tree.root_element();
            let name = if kind == NoteKind::Footnote { "footnote" } else { "endnote" };
            let nodes: HashMap<_, _> =
                elements(root, name).filter_map(|node| Some((attribute(node, "id")?, node))).collect();
            self.open(&part)?;
            let notes = mem::take(&mut self.notes);
            let (own, others) = notes.into_iter().partition(|note| note.kind == kind);
            self.notes = others;
            let own: Vec<Note> = own;
            for note in own {
                let Some(node) = nodes.get(note.id.as_str()) else { continue };
                let text = self.inside(*node)?;
                self.builder.footnote(&kind.key(&note.id), &note.mark, text);
                self.show_pictures()?;
            }
            self.close();
        }
        Ok(())
    }

    /// Goes over to another part.
    fn open(&mut self, part: &str) -> Result<(), Failure> {
        let relations = self.package.relations(part)?;
        self.main = Some(mem::replace(&mut self.relations, relations));
        self.fields.clear();
        Ok(())
    }

    fn close(&mut self) {
        if let Some(main) = self.main.take() {
            self.relations = main;
        }
        self.fields.clear();
    }
}

/// What programs of today show: the first choice, or else what is there for older ones.
fn choice<'a, 'i>(node: Node<'a, 'i>) -> Option<Node<'a, 'i>> {
    child(node, "Choice").or_else(|| child(node, "Fallback"))
}
