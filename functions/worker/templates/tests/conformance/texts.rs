//! The texts of documents.

use std::io::{Cursor, Read};

use docmill_templates::Format;
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;
use zip::ZipArchive;

/// A part of an archive.
pub(super) fn part(archive: &[u8], name: &str) -> String {
    let mut text = String::new();
    ZipArchive::new(Cursor::new(archive)).unwrap().by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// The names of an archive's parts.
pub(super) fn names(archive: &[u8]) -> Vec<String> {
    let archive = ZipArchive::new(Cursor::new(archive)).unwrap();
    archive.file_names_raw().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// The texts of paragraphs on a slide or in its notes.
pub(super) fn texts_of(file: &[u8], name: &str) -> Vec<String> {
    of_elements(&part(file, name), "a:p", &["a:t"])
}

/// The texts of paragraphs in a document or on its first slide, or of cells in its first sheet.
pub(super) fn texts(file: &[u8], format: Format) -> Vec<String> {
    match format {
        Format::Docx => of_elements(&part(file, "word/document.xml"), "w:p", &["w:t"]),
        Format::Pptx => texts_of(file, "ppt/slides/slide1.xml"),
        Format::Xlsx => of_elements(&part(file, "xl/worksheets/sheet1.xml"), "c", &["t", "v", "f"]),
        Format::Odt => of_elements(&part(file, "content.xml"), "text:p", &["text:p", "text:span", "text:a"]),
        Format::Html | Format::Markdown => vec![String::from_utf8(file.to_vec()).unwrap()],
    }
}

/// The texts in each `block`, as far as they are directly in `leaves`. Line breaks are `|`, and pictures `[picture]`.
fn of_elements(xml: &str, block: &str, leaves: &[&str]) -> Vec<String> {
    let mut reader = Reader::from_str(xml);
    let (mut around, mut open, mut done): (Vec<String>, Vec<(usize, String)>, _) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let event = reader.read_event().unwrap();
        let is_leaf = around.last().is_some_and(|name| leaves.contains(&name.as_str()));
        let text = match &event {
            Event::Start(start) => {
                let name = start.name().as_ref().to_owned();
                if name == block {
                    // Blocks in others, as in text boxes, come in the order in which they begin.
                    open.push((done.len(), String::new()));
                    done.push(String::new());
                }
                around.push(name);
                None
            }
            Event::Empty(empty) => match empty.name().as_ref() {
                name if name == block => {
                    done.push(String::new());
                    None
                }
                "w:br" | "a:br" | "text:line-break" => Some("|".to_owned()),
                "a:blip" | "draw:image" => Some("[picture]".to_owned()),
                _ => None,
            },
            Event::End(end) => {
                around.pop();
                if end.name().as_ref() == block {
                    let (index, text) = open.pop().unwrap();
                    done[index] = text;
                }
                (end.name().as_ref() == "a:br").then(|| "|".to_owned())
            }
            Event::Text(text) if is_leaf => Some(text.to_string()),
            Event::GeneralRef(reference) if is_leaf => Some(match reference.resolve_char_ref().unwrap() {
                Some(character) => character.to_string(),
                None => resolve_predefined_entity(reference).unwrap().to_owned(),
            }),
            Event::Eof => return done,
            _ => None,
        };
        if let (Some(text), Some((_, block))) = (text, open.last_mut()) {
            block.push_str(&text);
        }
    }
}
