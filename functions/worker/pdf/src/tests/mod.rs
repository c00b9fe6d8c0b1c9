//! The structure tools, tested on documents made here by checking the contents of results.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test looks for one shape")]

mod accessibility;
mod compare;
mod compress;
mod fit;
mod fixture;
mod form;
mod hostile;
mod hostile_tags;
mod invoices;
mod large_pictures;
mod marks;
mod merge;
mod metadata;
mod organize;
mod picture_kinds;
mod pictures;
mod protect;
mod redact;
mod signatures;
mod signing;
mod split;
mod stamps;
mod templates;
mod verify;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use docmill_formats::Format;
use docmill_pdf_core::objects::{Lookup, bytes, decode, tree};
use docmill_pdf_request::{Failure, Limits, Outcome, Request, Source, Tool};
use lopdf::{Dictionary, Document, Object};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Engines;

pub(super) const LIMITS: Limits =
    Limits { pages: 200, output_bytes: 64 << 20, pixels: 10_000_000, memory_bytes: 1 << 30 };

/// Loaded once, because reading all fonts takes a while.
pub(super) fn engines() -> &'static Engines {
    static ENGINES: std::sync::LazyLock<Engines> = std::sync::LazyLock::new(Engines::load);
    &ENGINES
}

/// A run of a tool in its own directory.
pub(super) struct Run {
    directory: TempDir,
    sources: Vec<Source>,
    pub(super) limits: Limits,
}

impl Run {
    pub(super) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), sources: Vec::new(), limits: LIMITS }
    }

    pub(super) fn with(mut self, content: &[u8]) -> Self {
        self.push(content, Format::Pdf);
        self
    }

    pub(super) fn push(&mut self, content: &[u8], media: Format) -> &mut Source {
        let number = self.sources.len();
        let path = self.directory.path().join(format!("in-{number}"));
        std::fs::write(&path, content).unwrap();
        let name = Some(format!("file {number}.pdf"));
        self.sources.push(Source { name, ..Source::new(path, media) });
        self.sources.last_mut().unwrap()
    }

    pub(super) fn run(&self, tool: Tool, options: Value) -> Result<Outcome, Failure> {
        engines().run(&self.request(tool, options))
    }

    /// A request with an empty directory for its results.
    pub(super) fn request(&self, tool: Tool, options: Value) -> Request {
        let directory = self.directory.path().join("out");
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir(&directory).unwrap();
        Request {
            tool,
            sources: self.sources.clone(),
            options,
            directory,
            limits: self.limits,
            now: docmill_domain::time::Timestamp(1_795_300_200_000),
        }
    }

    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.directory.path().join("out").join(file)
    }

    /// Runs a tool and opens its results, which qpdf must find valid.
    pub(super) fn results(&self, tool: Tool, options: Value) -> (Outcome, Vec<Document>) {
        let outcome = self.run(tool, options).unwrap();
        let documents = outcome
            .artifacts
            .iter()
            .map(|artifact| {
                check(&self.path(&artifact.file));
                let document = Document::load(self.path(&artifact.file)).unwrap();
                assert_eq!(artifact.pages.map(|pages| pages as usize), Some(document.get_pages().len()));
                document
            })
            .collect();
        (outcome, documents)
    }

    pub(super) fn result(&self, tool: Tool, options: Value) -> Document {
        let (_, mut documents) = self.results(tool, options);
        assert_eq!(documents.len(), 1);
        documents.remove(0)
    }
}

/// Makes qpdf read every object and stream of a file. Any warning is a failure.
pub(super) fn check(path: &Path) {
    let report = engines().libraries.qpdf().unwrap().run(&json!({"inputFile": path, "check": ""})).unwrap();
    assert!(!report.repaired, "qpdf warns: {}", report.text);
}

pub(super) fn page_texts(document: &Document) -> Vec<String> {
    let numbers: Vec<u32> = document.get_pages().into_keys().collect();
    numbers.iter().map(|page| document.extract_text(&[*page]).unwrap().trim().to_owned()).collect()
}

pub(super) fn catalog(document: &Document) -> &Dictionary {
    document.catalog().unwrap()
}

/// Page numbers by their objects.
pub(super) fn page_numbers(document: &Document) -> BTreeMap<lopdf::ObjectId, u32> {
    document.get_pages().into_iter().map(|(number, id)| (id, number)).collect()
}

/// Named destinations, and the pages that they show.
pub(super) fn destinations(document: &Document) -> BTreeMap<String, Option<u32>> {
    let numbers = page_numbers(document);
    let root = document.child(catalog(document), b"Names").and_then(|names| document.child(names, b"Dests"));
    let pairs = root.map_or_else(Vec::new, |root| tree(document, root, b"Names"));
    pairs
        .into_iter()
        .map(|(name, target)| {
            let target = match document.resolve(&target) {
                Some(Object::Dictionary(holder)) => holder.get(b"D").unwrap().clone(),
                other => other.unwrap().clone(),
            };
            let page = document.resolve(&target).and_then(|array| array.as_array().ok()?.first()?.as_reference().ok());
            (text(&name), page.and_then(|page| numbers.get(&page).copied()))
        })
        .collect()
}

pub(super) fn text(object: &Object) -> String {
    decode(object).unwrap_or_else(|| String::from_utf8_lossy(bytes(object).unwrap()).into_owned())
}

/// The outline, one line per item: depth, title, page, and `closed` if its children are hidden.
pub(super) fn outline(document: &Document) -> Vec<String> {
    fn walk(document: &Document, parent: &Dictionary, depth: usize, lines: &mut Vec<String>) {
        let numbers = page_numbers(document);
        let mut next = parent.get(b"First").and_then(Object::as_reference).ok();
        while let Some(item) = next.map(|id| document.get_dictionary(id).unwrap()) {
            let target = item.get(b"Dest").ok().or_else(|| document.child(item, b"A")?.get(b"D").ok());
            let page = match target.and_then(|target| document.resolve(target)) {
                Some(Object::Array(parts)) => parts[0].as_reference().ok().and_then(|page| numbers.get(&page).copied()),
                Some(name) => destinations(document).get(&text(name)).copied().flatten(),
                None => None,
            };
            let page = page.map_or("-".to_owned(), |page| page.to_string());
            let closed = if document.integer(item, b"Count").is_some_and(|count| count < 0) { " closed" } else { "" };
            lines.push(format!("{depth} {} {page}{closed}", text(document.value(item, b"Title").unwrap())));
            walk(document, item, depth + 1, lines);
            next = item.get(b"Next").and_then(Object::as_reference).ok();
        }
    }
    let mut lines = Vec::new();
    if let Some(root) = document.child(catalog(document), b"Outlines") {
        walk(document, root, 0, &mut lines);
    }
    lines
}

/// The target pages of each page's links, by name or directly; 0 if there is no such page.
pub(super) fn links(document: &Document) -> Vec<Vec<u32>> {
    let numbers = page_numbers(document);
    let names = destinations(document);
    let target = |annotation: &Dictionary| {
        let target = annotation.get(b"Dest").ok().or_else(|| document.child(annotation, b"A")?.get(b"D").ok())?;
        match document.resolve(target)? {
            Object::Array(parts) => parts[0].as_reference().ok().and_then(|page| numbers.get(&page).copied()),
            name => names.get(&text(name)).copied().flatten(),
        }
    };
    document
        .get_pages()
        .values()
        .map(|page| {
            let page = document.get_dictionary(*page).unwrap();
            let annotations = document.array(page, b"Annots").iter();
            annotations
                .filter_map(|annotation| document.dictionary(annotation))
                .filter(|annotation| document.name(annotation, b"Subtype") == Some(b"Link"))
                .map(|annotation| target(annotation).unwrap_or(0))
                .collect()
        })
        .collect()
}

/// The form's root fields by name, with the number of widgets of each.
pub(super) fn fields(document: &Document) -> Vec<(String, usize)> {
    let Some(form) = document.child(catalog(document), b"AcroForm") else { return Vec::new() };
    let fields = document.array(form, b"Fields").iter().filter_map(|field| document.dictionary(field));
    fields
        .map(|field| {
            let kids = document.array(field, b"Kids").len();
            (text(document.value(field, b"T").unwrap()), kids.max(1))
        })
        .collect()
}

/// Attachments by name, with their content.
pub(super) fn attachments(document: &Document) -> BTreeMap<String, Vec<u8>> {
    let root = document.child(catalog(document), b"Names").and_then(|names| document.child(names, b"EmbeddedFiles"));
    root.map_or_else(Vec::new, |root| tree(document, root, b"Names"))
        .into_iter()
        .map(|(name, file)| {
            let file = document.child(document.dictionary(&file).unwrap(), b"EF").unwrap();
            let content = document.value(file, b"F").unwrap().as_stream().unwrap().get_plain_content().unwrap();
            (text(&name), content)
        })
        .collect()
}

/// The structure as nested types: `Document(P[1]P<2>)`, with the page of each piece of content, or of the form that has it.
pub(super) fn structure(document: &Document) -> String {
    fn walk(document: &Document, element: &Dictionary, line: &mut String) {
        let numbers = page_numbers(document);
        let page = element.get(b"Pg").and_then(Object::as_reference).ok().and_then(|page| numbers.get(&page).copied());
        for kid in document.array(element, b"K") {
            match document.resolve(kid) {
                Some(Object::Integer(_)) => line.push_str(&format!("[{}]", page.unwrap_or(0))),
                Some(Object::Dictionary(kid)) if kid.has(b"Obj") => line.push_str("{link}"),
                Some(Object::Dictionary(kid)) if kid.has(b"Stm") => {
                    let sheet = kid.get(b"Pg").and_then(Object::as_reference).ok();
                    line.push_str(&format!("<{}>", sheet.and_then(|sheet| numbers.get(&sheet)).unwrap_or(&0)));
                }
                Some(Object::Dictionary(kid)) => {
                    line.push_str(&format!("{}(", text(document.value(kid, b"S").unwrap())));
                    walk(document, kid, line);
                    line.push(')');
                }
                other => line.push_str(&format!("<{other:?}>")),
            }
        }
    }
    let mut line = String::new();
    if let Some(root) = document.child(catalog(document), b"StructTreeRoot") {
        walk(document, root, &mut line);
    }
    line
}

/// Whether each page's parent entries name elements of the tree.
pub(super) fn parents_resolve(document: &Document) {
    let Some(root) = document.child(catalog(document), b"StructTreeRoot") else { return };
    let parents: BTreeMap<i64, Object> = tree(document, document.child(root, b"ParentTree").unwrap(), b"Nums")
        .into_iter()
        .map(|(key, value)| (key.as_i64().unwrap(), value))
        .collect();
    for page in document.get_pages().values() {
        let page = document.get_dictionary(*page).unwrap();
        let Some(key) = document.integer(page, b"StructParents") else { continue };
        let owners = document.resolve(&parents[&key]).unwrap().as_array().unwrap();
        assert!(!owners.is_empty());
        for owner in owners {
            assert!(document.dictionary(owner).unwrap().has(b"S"));
        }
    }
}

pub(super) fn layers(document: &Document) -> (Vec<String>, Vec<String>) {
    let names = |list: &[Object]| -> Vec<String> {
        list.iter().map(|group| text(document.value(document.dictionary(group).unwrap(), b"Name").unwrap())).collect()
    };
    let Some(properties) = document.child(catalog(document), b"OCProperties") else { return Default::default() };
    let settings = document.child(properties, b"D").unwrap();
    (names(document.array(properties, b"OCGs")), names(document.array(settings, b"OFF")))
}

/// Whether any object or stream of a file contains these bytes.
pub(super) fn holds(document: &Document, needle: &str) -> bool {
    document.objects.values().any(|object| {
        let content = match object {
            Object::Stream(stream) => stream.get_plain_content().unwrap_or_else(|_| stream.content.clone()),
            other => format!("{other:?}").into_bytes(),
        };
        content.windows(needle.len()).any(|window| window == needle.as_bytes())
    })
}
