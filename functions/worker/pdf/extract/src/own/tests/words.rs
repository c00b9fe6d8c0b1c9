use std::path::{Path, PathBuf};

use docmill_formats::Format;
use roxmltree::Node;

use super::*;

/// Elements with text that is not the document's: deleted, for older programs, or remarks.
const LEFT_OUT: [&str; 5] = ["Fallback", "moveFrom", "tracked-changes", "annotation", "master-page"];

#[test]
fn no_word_of_real_documents_vanishes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../..");
    let mut read = 0;
    for path in ["tests/fixtures/office", "tests/corpus/documents", "samples"]
        .iter()
        .flat_map(|folder| files(&root.join(folder)))
    {
        let file = match path.extension().and_then(|extension| extension.to_str()) {
            Some("docx") => Format::Docx,
            Some("pptx") => Format::Pptx,
            Some("odt") => Format::Odt,
            Some("ods") => Format::Ods,
            Some("odp") => Format::Odp,
            Some(_) | None => continue,
        };
        // A million paragraphs take long to compare.
        if path.ends_with("bomb.docx") {
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let Ok((document, _)) = try_read(file, &bytes, &LIMITS) else { continue };
        let mut found: String = document.blocks.iter().map(|block| format!("{}\n", block.text)).collect();
        found
            .extend(document.tables.iter().flat_map(|table| table.cells.iter().map(|cell| format!("{}\n", cell.text))));
        found.extend(document.hidden.iter().map(|hidden| format!("{}\n", hidden.text)));
        for word in words(file, bytes) {
            assert!(found.contains(&word), "{}: {word:?} has vanished", path.display());
        }
        read += 1;
    }
    assert!(read > 15, "{read} documents");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// The words in a document's own parts, as far as no run divides them.
fn words(file: Format, bytes: Vec<u8>) -> Vec<String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let names: Vec<_> = archive.file_names_raw().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let is_slide = |name: &String| name.starts_with("ppt/slides/") && name.ends_with(".xml");
    let is_read = |name: &&String| match file {
        Format::Docx => *name == "word/document.xml",
        Format::Pptx => is_slide(name),
        _ => *name == "content.xml",
    };
    let mut words = Vec::new();
    for name in names.iter().filter(is_read) {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut archive.by_name(name).unwrap(), &mut text).unwrap();
        let tree = roxmltree::Document::parse(&text).unwrap();
        let own = |node: &Node<'_, '_>| match file {
            Format::Docx | Format::Pptx => node.parent().is_some_and(|parent| parent.tag_name().name() == "t"),
            _ => node.ancestors().any(|above| matches!(above.tag_name().name(), "p" | "h")),
        };
        let left_out = |node: &Node<'_, '_>| node.ancestors().any(|above| LEFT_OUT.contains(&above.tag_name().name()));
        for node in tree.descendants().filter(Node::is_text).filter(own).filter(|node| !left_out(node)) {
            words.extend(node.text().unwrap_or_default().split_whitespace().map(|word| word.replace('\u{ad}', "")));
        }
    }
    words
}
