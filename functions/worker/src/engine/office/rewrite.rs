//! Small changes to an Office Open XML package before LibreOffice reads it: where it would print something else than the
//! program that the document comes from, and has no option for it.
//!
//! Runs in the confined child. A package that can't be read as it is expected is left as it is: LibreOffice has its own
//! opinion of it then.

mod edit;
mod slides;
mod symbols;
mod tabs;
mod texts;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use memchr::memmem;
use serde::{Deserialize, Serialize};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use edit::Edited;

type Package = ZipArchive<BufReader<File>>;

/// A part beyond this is left as it is, and so is what comes after this much was changed.
const MOST_BYTES: u64 = 64 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    Text,
    Presentation,
}

/// What of a document could not be mended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Losses {
    /// Equations that have no picture of themselves.
    pub(super) equations: u32,
    /// A paragraph has tab stops that LibreOffice drops.
    pub(super) tab_stops: bool,
}

impl Losses {
    fn add(&mut self, other: Self) {
        self.equations = self.equations.saturating_add(other.equations);
        self.tab_stops |= other.tab_stops;
    }
}

/// Writes a changed copy of a document into `directory`, under its own name, which it may print. The document that is to be
/// read from now on, and what is lost all the same.
pub(super) fn rewrite(source: &Path, kind: Kind, directory: &Path) -> (PathBuf, Losses) {
    let target = directory.join(source.file_name().unwrap_or_default());
    match changed(source, kind, &target, directory) {
        Ok((true, losses)) => (target, losses),
        Ok((false, losses)) => (source.to_owned(), losses),
        Err(error) => {
            eprintln!("a document is read as it is: {:?}", error.kind());
            (source.to_owned(), Losses::default())
        }
    }
}

fn changed(source: &Path, kind: Kind, target: &Path, directory: &Path) -> io::Result<(bool, Losses)> {
    let mut package = ZipArchive::new(BufReader::new(File::open(source)?))?;
    let numbers = match kind {
        Kind::Text => BTreeMap::new(),
        Kind::Presentation => slides::numbers(&mut package)?,
    };
    let (mut parts, mut losses, mut left) = (BTreeMap::new(), Losses::default(), MOST_BYTES);
    for index in 0..package.len() {
        let name = package.by_index_raw(index)?.name()?.into_owned();
        let number = numbers.get(&name).copied();
        let Some(xml) = interesting(&mut package, index, &name, kind, number.is_some(), left)? else { continue };
        let Edited { xml, losses: lost } = match kind {
            Kind::Text => texts::edited(&xml)?,
            Kind::Presentation => slides::edited(&xml, number)?,
        };
        losses.add(lost);
        if let Some(xml) = xml {
            left = left.saturating_sub(xml.len() as u64);
            parts.insert(index, xml);
        }
    }
    if !parts.is_empty() {
        std::fs::create_dir_all(directory)?;
        copy(&mut package, &parts, target)?;
    }
    Ok((!parts.is_empty(), losses))
}

/// A part that may have something to change.
fn interesting(
    package: &mut Package,
    index: usize,
    name: &str,
    kind: Kind,
    is_numbered: bool,
    most_bytes: u64,
) -> io::Result<Option<String>> {
    let (is_page, signs): (_, &[&str]) = match kind {
        Kind::Text => (texts::is_page(name), &texts::SIGNS),
        Kind::Presentation => (slides::is_page(name), &slides::SIGNS),
    };
    if !is_page {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    package.by_index(index)?.take(most_bytes + 1).read_to_end(&mut bytes)?;
    let has_sign = is_numbered || signs.iter().any(|sign| memmem::find(&bytes, sign.as_bytes()).is_some());
    if !has_sign || bytes.len() as u64 > most_bytes {
        return Ok(None);
    }
    // Office writes nothing but UTF-8.
    Ok(String::from_utf8(bytes).ok())
}

/// Copies a package, with other contents for some of its parts.
fn copy(package: &mut Package, parts: &BTreeMap<usize, String>, target: &Path) -> io::Result<()> {
    let mut copy = ZipWriter::new(BufWriter::new(File::create(target)?));
    for index in 0..package.len() {
        let part = package.by_index_raw(index)?;
        match parts.get(&index) {
            Some(xml) => {
                copy.start_file(part.name()?, SimpleFileOptions::default())?;
                copy.write_all(xml.as_bytes())?;
            }
            None => copy.raw_copy_file(part)?,
        }
    }
    copy.finish()?.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(parts: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deck.pptx");
        let mut package = ZipWriter::new(File::create(&path).unwrap());
        for (name, content) in parts {
            package.start_file(*name, SimpleFileOptions::default()).unwrap();
            package.write_all(content.as_bytes()).unwrap();
        }
        package.finish().unwrap();
        (directory, path)
    }

    fn part(path: &Path, name: &str) -> String {
        let mut text = String::new();
        let mut package = ZipArchive::new(File::open(path).unwrap()).unwrap();
        package.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn only_what_has_to_change_is_changed_and_the_source_never_is() {
        let slide = "<p:sld><a:r><a:rPr><a:latin typeface=\"Wingdings\"/></a:rPr><a:t>J</a:t></a:r></p:sld>";
        let parts = [("ppt/presentation.xml", "<p:presentation/>"), ("ppt/slides/slide1.xml", slide), ("other", "J")];
        let (directory, source) = package(&parts);
        let (target, losses) = rewrite(&source, Kind::Presentation, &directory.path().join("rewritten"));
        assert_eq!((target.file_name(), losses), (source.file_name(), Losses::default()));
        assert!(part(&target, "ppt/slides/slide1.xml").contains("<a:t>☺</a:t>"));
        assert_eq!(part(&target, "other"), "J");
        assert_eq!(part(&source, "ppt/slides/slide1.xml"), slide);
        let plain = slide.replace("Wingdings", "Arial");
        let (directory, source) = package(&[("ppt/slides/slide1.xml", &plain)]);
        let (target, _) = rewrite(&source, Kind::Presentation, &directory.path().join("rewritten"));
        assert_eq!(target, source);
    }

    #[test]
    fn an_invalid_package_is_left_unchanged() {
        let directory = tempfile::tempdir().unwrap();
        let source = directory.path().join("a.docx");
        std::fs::write(&source, b"PK\x03\x04 and no more").unwrap();
        let rewritten = rewrite(&source, Kind::Text, &directory.path().join("rewritten"));
        assert_eq!(rewritten, (source, Losses::default()));
    }

    #[test]
    fn fuzz_rewriting() {
        docmill_fuzz::fuzz("rewrite", &[], |bytes| {
            let xml = String::from_utf8_lossy(bytes);
            // Either answer will do.
            let _ = texts::edited(&xml);
            let _ = slides::edited(&xml, Some(3));
        });
    }
}
