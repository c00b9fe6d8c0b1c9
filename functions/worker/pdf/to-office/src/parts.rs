//! What all packages have: properties, pictures, links.

use std::collections::HashMap;
use std::path::Path;

use docmill_domain::time::Timestamp;
use docmill_package::NewPackage;
use docmill_pdf_extract::model::{Block, Document, Figure, Id, Role, Table};
use docmill_pdf_extract::write::is_safe;

use crate::xml::Xml;

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006";
const CORE: &str = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties";
pub(crate) const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
pub(crate) const DRAWING: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";

/// What is written.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// The structure that is written.
    pub document: &'s Document,
    /// The folder with the files of figures.
    pub pictures: &'s Path,
    /// The time in the file's properties.
    pub now: Timestamp,
}

/// The kind of a relation that Office defines.
pub(crate) fn kind(name: &str) -> String {
    format!("{RELATIONS}/{name}")
}

/// Adds the document's properties.
pub(crate) fn properties(package: &mut NewPackage, source: &Source<'_>) {
    let Source { document, now, .. } = source;
    let mut core = Xml::part();
    core.open(
        "cp:coreProperties",
        &[
            ("xmlns:cp", "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"),
            ("xmlns:dc", "http://purl.org/dc/elements/1.1/"),
            ("xmlns:dcterms", "http://purl.org/dc/terms/"),
            ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
        ],
    );
    for (name, value) in
        [("dc:title", &document.title), ("dc:creator", &document.author), ("dc:language", &document.language)]
    {
        if let Some(value) = value {
            core.holding(name, &[], value);
        }
    }
    let now = now.to_string();
    for name in ["dcterms:created", "dcterms:modified"] {
        core.holding(name, &[("xsi:type", "dcterms:W3CDTF")], &now);
    }
    core.close("cp:coreProperties");
    package.add("docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml", core.finish());
    package.relate("", CORE, "docProps/core.xml");
    let mut app = Xml::part();
    app.open("Properties", &[("xmlns", &format!("{OFFICE}/extended-properties"))])
        .holding("Application", &[], "Docmill")
        .close("Properties");
    let media = "application/vnd.openxmlformats-officedocument.extended-properties+xml";
    package.add("docProps/app.xml", media, app.finish());
    package.relate("", &kind("extended-properties"), "docProps/app.xml");
}

/// The addresses that parts link to, each related once.
#[derive(Debug, Default)]
pub(crate) struct Links(HashMap<(String, String), String>);

impl Links {
    /// The id of a link's relation, if its address is one of the web or of mail.
    pub(crate) fn relate(&mut self, package: &mut NewPackage, part: &str, address: &str) -> Option<String> {
        // An address has no spaces: those of strangers do.
        if !is_safe(address) || address.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return None;
        }
        let own = self.0.entry((part.to_owned(), address.to_owned()));
        Some(own.or_insert_with(|| package.relate_outside(part, &kind("hyperlink"), address)).clone())
    }
}

/// The pictures of a package, each added once.
#[derive(Debug)]
pub(crate) struct Pictures<'s> {
    folder: &'s Path,
    /// Where they are in the package, such as `word/media`.
    media: &'static str,
    count: usize,
}

impl<'s> Pictures<'s> {
    pub(crate) fn new(folder: &'s Path, media: &'static str) -> Self {
        Self { folder, media, count: 0 }
    }

    /// Adds the picture of a figure, and gives the id of its relation to a part. `None` if the figure has no file.
    pub(crate) fn relate(&mut self, package: &mut NewPackage, part: &str, figure: &Figure) -> Option<String> {
        let file = figure.file.as_ref()?;
        self.count += 1;
        let name = format!("{}/image{}.png", self.media, self.count);
        package.add_file(&name, "image/png", self.folder.join(file));
        Some(package.relate(part, &kind("image"), &name))
    }
}

/// Tables, figures and captions by the ids that blocks name.
#[derive(Debug)]
pub(crate) struct Index<'d> {
    tables: HashMap<&'d str, &'d Table>,
    figures: HashMap<&'d str, &'d Figure>,
    captions: HashMap<&'d str, &'d Block>,
}

impl<'d> Index<'d> {
    pub(crate) fn of(document: &'d Document) -> Self {
        let caption = |block: &'d Block| match &block.role {
            Role::Caption { of: Some(of) } => Some((of.0.as_str(), block)),
            Role::Caption { of: None }
            | Role::Title
            | Role::Heading { .. }
            | Role::Paragraph
            | Role::Item { .. }
            | Role::Table { .. }
            | Role::Figure { .. }
            | Role::Header
            | Role::Footer
            | Role::Footnote { .. }
            | Role::Code
            | Role::Formula
            | Role::FormField { .. } => None,
        };
        Self {
            tables: document.tables.iter().map(|table| (table.id.0.as_str(), table)).collect(),
            figures: document.figures.iter().map(|figure| (figure.id.0.as_str(), figure)).collect(),
            captions: document.blocks.iter().filter_map(caption).collect(),
        }
    }

    pub(crate) fn table(&self, id: &Id) -> Option<&'d Table> {
        self.tables.get(id.0.as_str()).copied()
    }

    pub(crate) fn figure(&self, id: &Id) -> Option<&'d Figure> {
        self.figures.get(id.0.as_str()).copied()
    }

    /// What a picture shows, in words: its own alternative text, what is written in it, or its caption.
    pub(crate) fn description(&self, figure: &'d Figure, block: &'d Block) -> &'d str {
        let caption = || self.captions.get(block.id.0.as_str()).map_or("", |caption| caption.text.as_str());
        let own = figure.text.as_deref().filter(|text| !text.trim().is_empty());
        own.or_else(|| Some(block.text.as_str()).filter(|text| !text.trim().is_empty())).unwrap_or_else(caption)
    }
}
