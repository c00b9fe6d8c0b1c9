//! Word documents (ECMA-376, part 1, 17).

mod boxes;
mod lists;
mod notes;
mod paragraph;
mod pictures;
mod sections;
mod styles;
mod table;

use docmill_package::NewPackage;
use docmill_pdf_extract::model::{Block, Document, Role};

use crate::Layout;
use crate::flow::{self, Piece};
use crate::geometry::{Area, Bodies};
use crate::parts::{self, Index, Links, Pictures, Source, kind};
use crate::running::{self, Section, Sections};
use crate::theme;
use crate::xml::{Attributes, Xml};
use lists::Lists;
use notes::Notes;
use paragraph::Paragraph;
use styles::Styles;

const MAIN: &str = "word/document.xml";
const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml";
/// The namespaces of all parts.
const NAMESPACES: Attributes<'static> = &[
    ("xmlns:w", "http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
    ("xmlns:r", parts::RELATIONS),
    ("xmlns:wp", "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"),
    ("xmlns:a", parts::DRAWING),
    ("xmlns:pic", "http://schemas.openxmlformats.org/drawingml/2006/picture"),
    ("xmlns:mc", "http://schemas.openxmlformats.org/markup-compatibility/2006"),
    ("xmlns:wps", "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"),
];

/// The package of a Word document.
pub fn docx(source: &Source<'_>, layout: Layout) -> NewPackage {
    let bodies = Bodies::of(source.document);
    let sections = running::sections(source.document, &bodies);
    let mut writer = Writer::new(source);
    let mut body = Xml::part();
    body.open("w:document", NAMESPACES).open("w:body", &[]);
    match layout {
        Layout::Flow => writer.flow(&mut body, &sections, &bodies),
        Layout::Exact => writer.pages(&mut body),
    }
    body.close("w:body").close("w:document");
    writer.finish(body, source, layout == Layout::Flow && sections.has_even())
}

/// Writes the parts of one document.
struct Writer<'s> {
    document: &'s Document,
    package: NewPackage,
    index: Index<'s>,
    links: Links,
    pictures: Pictures<'s>,
    styles: Styles,
    lists: Lists,
    notes: Notes<'s>,
    /// The part that is being written.
    part: String,
    /// Where the text is on the pages of the open section.
    text: Area,
    /// Pictures and boxes so far.
    drawings: usize,
    /// Headers and footers so far.
    margins: usize,
}

impl<'s> Writer<'s> {
    fn new(source: &Source<'s>) -> Self {
        let document = source.document;
        Self {
            document,
            package: NewPackage::new(),
            index: Index::of(document),
            links: Links::default(),
            pictures: Pictures::new(source.pictures, "word/media"),
            styles: Styles::of(document),
            lists: Lists::default(),
            notes: Notes::default(),
            part: MAIN.to_owned(),
            text: Area { left: 72.0, top: 72.0, right: 523.0, bottom: 770.0 },
            drawings: 0,
            margins: 0,
        }
    }

    /// All of the text, section by section.
    fn flow(&mut self, xml: &mut Xml, sections: &Sections<'s>, bodies: &Bodies) {
        let pieces = flow::flow(self.document, bodies);
        self.notes = Notes::of(self.document, &pieces);
        let mut loose = sections.loose.iter().copied().peekable();
        let mut rest = pieces.as_slice();
        for (at, section) in sections.all.iter().enumerate() {
            self.text = section.sheet.text;
            let next = sections.all.get(at + 1);
            let count = next.map_or(rest.len(), |next| {
                let is_later = |piece: &Piece<'_>| piece.first_place().is_some_and(|place| place.page >= next.page);
                rest.iter().position(is_later).unwrap_or(rest.len())
            });
            let (own, others) = rest.split_at(count);
            rest = others;
            for (index, piece) in own.iter().enumerate() {
                let page = piece.first_place().map_or(u32::MAX, |place| place.page);
                while let Some(block) = loose.next_if(|block| page_of(block) <= page) {
                    self.framed(xml, block);
                }
                self.piece(xml, piece, index > 0 && piece.breaks_page);
            }
            let until = next.map_or(u32::MAX, |next| next.page);
            while let Some(block) = loose.next_if(|block| page_of(block) < until || next.is_none()) {
                self.framed(xml, block);
            }
            self.end_section(xml, section, sections, next.is_none());
        }
    }

    /// The end of a section: its properties are in its last paragraph, or at the end of the body.
    fn end_section(&mut self, xml: &mut Xml, section: &Section<'s>, sections: &Sections<'s>, is_last: bool) {
        let properties = self.section(section, sections);
        if is_last {
            xml.raw(&properties);
        } else {
            let spacing: Attributes<'_> =
                &[("w:before", "0"), ("w:after", "0"), ("w:line", "20"), ("w:lineRule", "exact")];
            xml.open("w:p", &[]).open("w:pPr", &[]).empty("w:spacing", spacing).raw(&properties);
            xml.close("w:pPr").close("w:p");
        }
    }

    /// One piece of the flow.
    fn piece(&mut self, xml: &mut Xml, piece: &Piece<'s>, breaks_page: bool) {
        let block = piece.block;
        match &block.role {
            Role::Table { table } => {
                if let Some(table) = self.index.table(table) {
                    if breaks_page {
                        self.page_break(xml);
                    }
                    let width = self.text.width();
                    self.table(xml, table, block, width);
                    return;
                }
            }
            Role::Figure { figure } => {
                if let Some(figure) = self.index.figure(figure) {
                    self.figure(xml, figure, block, breaks_page);
                    return;
                }
            }
            Role::Footnote { mark } => {
                if !self.notes.has(&block.id) {
                    self.loose_note(xml, piece, mark);
                }
                return;
            }
            Role::Title
            | Role::Heading { .. }
            | Role::Paragraph
            | Role::Item { .. }
            | Role::Caption { .. }
            | Role::Header
            | Role::Footer
            | Role::Code
            | Role::Formula
            | Role::FormField { .. } => {}
        }
        let paragraph = Paragraph { breaks_page, ..self.paragraph_of(piece) };
        self.paragraph(xml, &paragraph, &piece.spans, Some(piece));
    }

    fn page_break(&self, xml: &mut Xml) {
        xml.open("w:p", &[]).open("w:pPr", &[]).empty("w:spacing", &[("w:before", "0"), ("w:after", "0")]);
        xml.close("w:pPr").open("w:r", &[]).empty("w:br", &[("w:type", "page")]).close("w:r").close("w:p");
    }

    /// Adds a part beside the main one, and gives the relation's id.
    fn add(&mut self, file: &str, what: &str, xml: Xml) -> String {
        let name = format!("word/{file}.xml");
        self.package.add(&name, &format!("{WORD}.{what}+xml"), xml.finish());
        self.package.relate(MAIN, &kind(what), &name)
    }

    fn finish(mut self, body: Xml, source: &Source<'_>, has_even: bool) -> NewPackage {
        self.package.add(MAIN, &format!("{WORD}.document.main+xml"), body.finish());
        self.package.relate("", &kind("officeDocument"), MAIN);
        let styles = self.styles.part(self.document.language.as_deref());
        self.add("styles", "styles", styles);
        let fonts = self.styles.fonts();
        self.add("fontTable", "fontTable", fonts);
        let notes = self.footnotes();
        self.add("footnotes", "footnotes", notes);
        let numbering = self.lists.part();
        self.add("numbering", "numbering", numbering);
        self.add("settings", "settings", sections::settings(has_even));
        theme::add(&mut self.package, MAIN, "word/theme/theme1.xml");
        parts::properties(&mut self.package, source);
        self.package
    }
}

fn page_of(block: &Block) -> u32 {
    block.places.first().map_or(0, |place| place.page)
}
