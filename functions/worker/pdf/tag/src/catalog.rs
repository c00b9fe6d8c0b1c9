//! What a document says of itself as a whole: its language, its title, and how it is shown.

use docmill_pdf_core::language::is_tag;
use docmill_pdf_core::objects::{Lookup, decode, string, text};
use docmill_pdf_extract::model::{Block, Role};
use docmill_pdf_request::Warning;
use docmill_pdf_structure::metadata::{self, PdfUa};
use lopdf::{Dictionary, Document, Object};

use super::Options;

/// Most characters of a title that is taken from the text.
const TITLE: usize = 200;

/// Sets language and title. `None` for each that is not known.
pub(super) fn set(
    document: &mut Document,
    structure: &docmill_pdf_extract::model::Document,
    options: &Options,
    warnings: &mut Vec<Warning>,
) -> (Option<String>, Option<String>) {
    let language =
        options.language.clone().or_else(|| own_language(document)).or_else(|| super::language::detect(structure));
    let mut information = metadata::read(document);
    let own =
        information.get("Title").map(|title| title.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned());
    let title = options.title.clone().or_else(|| own.filter(|title| !title.is_empty())).or_else(|| heading(structure));
    let mut preferences = document
        .catalog()
        .ok()
        .and_then(|catalog| document.child(catalog, b"ViewerPreferences"))
        .cloned()
        .unwrap_or_default();
    preferences.set("DisplayDocTitle", true);
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("ViewerPreferences", preferences);
        if let Some(language) = &language {
            catalog.set("Lang", string(language.as_bytes()));
        }
    }
    if let Some(title) = &title {
        information.insert("Title".to_owned(), title.clone());
    }
    information.retain(|_, value| !value.trim_matches('\0').is_empty());
    let statement = metadata::statement(document);
    warnings.extend(statement.lost());
    metadata::write(document, &information, &statement);
    (language, title)
}

/// Says in the metadata whether the document is PDF/UA, of this part.
pub(super) fn claim(document: &mut Document, standard: PdfUa, conforms: bool) {
    let mut statement = metadata::statement(document);
    if conforms {
        statement.claim_pdfua(standard);
    } else {
        statement.renounce_pdfua();
    }
    metadata::restate(document, &statement);
}

fn own_language(document: &Document) -> Option<String> {
    let language = document.value(document.catalog().ok()?, b"Lang").and_then(decode)?;
    let language = language.trim();
    is_tag(language).then(|| language.to_owned())
}

/// The title by the document's text: its title, its first heading, or else its first line.
fn heading(structure: &docmill_pdf_extract::model::Document) -> Option<String> {
    let find =
        |is: fn(&Block) -> bool| structure.blocks.iter().find(|block| is(block) && !block.text.trim().is_empty());
    let found = find(|block| block.role == Role::Title)
        .or_else(|| find(|block| matches!(block.role, Role::Heading { .. })))
        .or_else(|| find(|block| matches!(block.role, Role::Paragraph)))
        .or_else(|| structure.blocks.iter().find(|block| !block.text.trim().is_empty()));
    let title = structure.title.clone().or_else(|| Some(found?.text.clone()))?;
    let words = title.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(words.chars().filter(|c| !c.is_control()).take(TITLE).collect()).filter(|title: &String| !title.is_empty())
}

/// Mends what PDF/UA asks of layers and attached files: layers have names and no automatic states, files their names twice.
pub(super) fn mend(document: &mut Document) {
    let layers = document.catalog().ok().and_then(|catalog| document.child(catalog, b"OCProperties")).cloned();
    if let Some(mut layers) = layers {
        if let Some(mut settings) = document.child(&layers, b"D").cloned() {
            name_layers(document, &mut settings, 0);
            layers.set("D", settings);
        }
        let configs = document.array(&layers, b"Configs").to_vec();
        let configs: Vec<Object> = (1..)
            .zip(&configs)
            .filter_map(|(number, config)| {
                let mut config = document.dictionary(config)?.clone();
                name_layers(document, &mut config, number);
                Some(config.into())
            })
            .collect();
        if !configs.is_empty() {
            layers.set("Configs", configs);
        }
        if let Ok(catalog) = document.catalog_mut() {
            catalog.set("OCProperties", layers);
        }
    }
    edit_files(document, &name_file);
}

/// Edits the specifications of files, those in other objects too.
pub(super) fn edit_files(document: &mut Document, edit: &impl Fn(&mut Dictionary)) {
    document.objects.values_mut().for_each(|object| edit_files_in(object, docmill_pdf_core::objects::DEPTH, edit));
}

fn edit_files_in(object: &mut Object, depth: usize, edit: &impl Fn(&mut Dictionary)) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let entries = match object {
        Object::Dictionary(entries) => entries,
        Object::Stream(stream) => &mut stream.dict,
        Object::Array(elements) => return elements.iter_mut().for_each(|element| edit_files_in(element, depth, edit)),
        _ => return,
    };
    if entries.has(b"EF") {
        edit(entries);
    }
    entries.iter_mut().for_each(|(_, entry)| edit_files_in(entry, depth, edit));
}

/// Gives the specification of a file both names.
fn name_file(file: &mut Dictionary) {
    for (key, other) in [("F", "UF"), ("UF", "F")] {
        if let (false, Ok(name)) = (file.has(key.as_bytes()), file.get(other.as_bytes()).cloned()) {
            file.set(key, name);
        }
    }
}

fn name_layers(document: &Document, settings: &mut Dictionary, number: usize) {
    settings.remove(b"AS");
    let named = document.value(settings, b"Name").and_then(decode).is_some_and(|name| !name.is_empty());
    if !named {
        settings.set("Name", text(&format!("Layers {}", number + 1)));
    }
}
