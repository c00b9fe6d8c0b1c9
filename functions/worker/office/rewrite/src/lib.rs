//! Small changes to an Office Open XML package before LibreOffice reads it, where LibreOffice would print it differently from the
//! program that made it and has no option for that.
//!
//! Runs in the confined child. A package with an unexpected structure is left unchanged for LibreOffice to read.

#![warn(missing_docs, clippy::missing_errors_doc)]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod anchors;
mod blanks;
mod cell_spacing;
mod cells;
mod columns;
mod commented_breaks;
mod comments;
mod east_asian;
mod edit;
mod equations;
mod footnotes;
mod grid;
mod header_rows;
mod layouts;
mod lines;
mod lists;
mod math;
mod notes;
mod page_heights;
mod paragraph_styles;
mod paragraphs;
mod row_heights;
mod rtl_links;
mod settings;
mod sheets;
mod slides;
mod styles;
mod tabs;
mod texts;
mod theme;
mod upright;
mod word_pages;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use docmill_package::{Changes, Disk, Error, Limits, Packing};
use memchr::memmem;
use serde::{Deserialize, Serialize};

use edit::Edited;
use paragraph_styles::ParagraphStyles;
use paragraphs::{Layout, Paragraphs, Part};
use settings::Settings;
use theme::ThemeFonts;

pub use cells::{Cell, printed_cells};
pub use footnotes::Separator;
pub use row_heights::{Rows, rows_without_height};
pub use settings::Compression;
pub use word_pages::{WordBreak, WordPages};

type Package = docmill_package::Package<Disk>;

/// Larger parts are left unchanged, and so is everything after this total size of changed parts.
const MOST_BYTES: u64 = 64 << 20;

/// What is prepared, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A text document to be printed.
    Text,
    /// Only what keeps LibreOffice from opening it is changed.
    EditableText,
    /// A workbook.
    Spreadsheet,
    /// Slides.
    Presentation {
        /// Whether the notes are printed too.
        with_notes: bool,
    },
}

/// The LibreOffice that reads what is prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// It keeps all space above a paragraph that a break moves to a new page: seen in 7.4.
    Older,
    /// It keeps as much as Word: seen in 25.2.
    Current,
}

/// Problems that could not be repaired.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Losses {
    /// Equations without a picture, which are printed as text.
    pub equations: u32,
    /// Boxes whose text is printed as a picture only.
    pub pictures: u32,
    /// A paragraph has tab stops that LibreOffice drops.
    pub tab_stops: bool,
    /// Comments in headers and footers, which were left out.
    pub comments: u32,
    /// Slides on which links are printed as text.
    pub links: BTreeSet<u32>,
}

impl Losses {
    fn add(&mut self, other: Self) {
        self.equations = self.equations.saturating_add(other.equations);
        self.pictures = self.pictures.saturating_add(other.pictures);
        self.tab_stops |= other.tab_stops;
        self.comments = self.comments.saturating_add(other.comments);
        self.links.extend(other.links);
    }
}

/// Settings of a text document that LibreOffice does not read from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// What gives way in lines of East Asian text.
    pub compression: Compression,
    /// The space above the footnotes of a page.
    pub separator: Option<Separator>,
}

/// What LibreOffice should read, and how.
#[derive(Debug, PartialEq, Eq)]
pub struct Reading {
    /// The source itself, or a changed copy of it.
    pub document: PathBuf,
    /// What could not be repaired.
    pub losses: Losses,
    /// What LibreOffice is told besides.
    pub unread: Unread,
    /// Where Word broke the pages of a document that it saved.
    pub word: Option<WordPages>,
}

impl Reading {
    /// The source as it is.
    pub fn unchanged(source: &Path) -> Self {
        Self { document: source.to_owned(), losses: Losses::default(), unread: Unread::default(), word: None }
    }
}

/// Writes a changed copy of a document to `directory`, with the same name, which may be printed.
pub fn rewrite(source: &Path, kind: Kind, reader: Reader, directory: &Path) -> Reading {
    changed(source, kind, reader, directory).unwrap_or_else(|error| {
        eprintln!("a document is read as it is: {:?}", error.kind());
        Reading::unchanged(source)
    })
}

/// Every part contains this sign.
const ALWAYS: [&str; 1] = [""];

/// Facts from other parts that are needed to change a part.
enum Context {
    Text { cleared: lists::Cleared, table_styles: Option<styles::Named>, layout: Box<Layout>, unread: Unread },
    EditableText,
    Spreadsheet(sheets::Wrapping),
    Presentation { numbers: BTreeMap<String, slides::Number>, layouts: layouts::Unused, with_notes: bool },
}

impl Context {
    fn read(package: &mut Package, kind: Kind, reader: Reader) -> io::Result<Self> {
        Ok(match kind {
            Kind::Text => {
                let styles = part(package, styles::PART)?;
                let Settings { space_above, compression, east_asian_language } = Settings::read(package)?;
                let paragraph_styles = ParagraphStyles::read(&styles)?;
                let fonts = ThemeFonts::read(package, east_asian_language.as_deref())?;
                let separator = footnotes::separator(package, &paragraph_styles, &fonts)?;
                let unread = Unread { compression, separator };
                let space_above = (reader == Reader::Older).then_some(space_above);
                let layout = Box::new(Layout { space_above, styles: paragraph_styles, fonts });
                Self::Text {
                    cleared: lists::cleared_by(&styles)?,
                    table_styles: styles::named(package, &styles)?,
                    layout,
                    unread,
                }
            }
            Kind::EditableText => Self::EditableText,
            Kind::Spreadsheet => Self::Spreadsheet(sheets::wrapping(package)?),
            Kind::Presentation { with_notes } => Self::Presentation {
                numbers: slides::numbers(package)?,
                layouts: layouts::unused(package)?,
                with_notes,
            },
        })
    }

    fn unread(&self) -> Unread {
        match self {
            Self::Text { unread, .. } => *unread,
            Self::EditableText | Self::Spreadsheet(_) | Self::Presentation { .. } => Unread::default(),
        }
    }

    /// A part needs changes only if it contains one of these. `None`: it never does.
    fn signs(&self, part: &str) -> Option<&'static [&'static str]> {
        match self {
            Self::Text { .. } if Part::named(part).is_some() => Some(&ALWAYS),
            Self::Text { .. } if texts::is_page(part) => Some(&texts::SIGNS),
            Self::Text { cleared, .. } if part == lists::PART && !cleared.is_empty() => Some(&lists::SIGNS),
            Self::Text { table_styles: Some(_), .. } if part == styles::PART => Some(&styles::SIGNS),
            Self::Spreadsheet(_) if sheets::is_page(part) => Some(&sheets::SIGNS),
            Self::Presentation { numbers, .. } if slides::is_page(part) => {
                let must_be_written = numbers.get(part).is_some_and(|number| number.must_be_written);
                Some(if must_be_written { &ALWAYS } else { &slides::SIGNS })
            }
            Self::Presentation { with_notes: false, .. } if notes::is_relations(part) => Some(&notes::SIGNS),
            Self::Presentation { layouts, .. } if layouts::in_part(layouts, part).is_some() => Some(&ALWAYS),
            Self::EditableText if comments::is_page(part) => Some(&comments::SIGNS),
            Self::Text { .. } | Self::EditableText | Self::Spreadsheet(_) | Self::Presentation { .. } => None,
        }
    }

    fn edited(&self, part: &str, xml: &str) -> io::Result<Edited> {
        match self {
            Self::Text { cleared, .. } if part == lists::PART => lists::edited(xml, cleared),
            Self::Text { table_styles: Some(named), .. } if part == styles::PART => styles::edited(xml, named),
            Self::Text { layout, .. } => {
                let Edited { xml: opened, losses } = loadable(part, xml)?;
                let xml = opened.as_deref().unwrap_or(xml);
                let paragraphs = Part::named(part).map(|part| Paragraphs::new(xml, layout, part));
                let printed = texts::edited(xml, paragraphs)?.xml;
                Ok(Edited { xml: printed.or(opened), losses })
            }
            Self::EditableText => loadable(part, xml),
            Self::Spreadsheet(wrapping) => sheets::edited(xml, wrapping),
            Self::Presentation { .. } if notes::is_relations(part) => notes::edited(xml),
            Self::Presentation { layouts, .. } if let Some(unused) = layouts::in_part(layouts, part) => {
                layouts::edited(part, xml, unused)
            }
            Self::Presentation { numbers, .. } => slides::edited(xml, numbers.get(part).copied().unwrap_or_default()),
        }
    }
}

/// What LibreOffice can open.
fn loadable(part: &str, xml: &str) -> io::Result<Edited> {
    if comments::is_page(part) { comments::edited(xml) } else { Ok(Edited { xml: None, losses: Losses::default() }) }
}

fn changed(source: &Path, kind: Kind, reader: Reader, directory: &Path) -> io::Result<Reading> {
    let mut package = open(source)?;
    let context = Context::read(&mut package, kind, reader)?;
    let (mut changes, mut left) = (Changes::default(), MOST_BYTES);
    let mut reading = Reading { unread: context.unread(), ..Reading::unchanged(source) };
    for name in package.names() {
        let Some(signs) = context.signs(&name) else { continue };
        let Some(xml) = interesting(&mut package, &name, signs, left)? else { continue };
        if kind == Kind::Text && name == word_pages::PART {
            reading.word = pages_in_word(&mut package, &xml);
        }
        let Edited { xml, losses } = context.edited(&name, &xml)?;
        reading.losses.add(losses);
        if let Some(xml) = xml {
            left = left.saturating_sub(xml.len() as u64);
            changes.texts.insert(name, xml);
        }
    }
    if !changes.texts.is_empty() {
        reading.document = directory.join(source.file_name().unwrap_or_default());
        std::fs::create_dir_all(directory)?;
        // LibreOffice reads it next, so compression would only take time.
        let target = BufWriter::new(File::create(&reading.document)?);
        package.write(changes, Packing::Stored, target)?.flush()?;
    }
    Ok(reading)
}

/// A document whose properties can't be read is printed all the same.
fn pages_in_word(package: &mut Package, document: &str) -> Option<WordPages> {
    word_pages::of(package, document).unwrap_or_else(|error| {
        eprintln!("a document's pages in Word are not known: {:?}", error.kind());
        None
    })
}

/// A part, if it contains one of the signs.
fn interesting(package: &mut Package, name: &str, signs: &[&str], most_bytes: u64) -> io::Result<Option<String>> {
    let has_sign = |xml: &String| signs.iter().any(|sign| memmem::find(xml.as_bytes(), sign.as_bytes()).is_some());
    Ok(short_part(package, name, most_bytes)?.filter(has_sign))
}

fn open(source: &Path) -> io::Result<Package> {
    Ok(Package::open(source, Limits { part_bytes: MOST_BYTES, ..Limits::CHECKED })?)
}

/// A part in UTF-8, the only encoding that Office writes, without a byte order mark: the reader does not count that in its positions. `None`
/// for others, for longer parts and for missing ones.
fn short_part(package: &mut Package, name: &str, most_bytes: u64) -> io::Result<Option<String>> {
    match package.bytes(name, most_bytes) {
        Ok(bytes) => {
            let xml = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).filter(|xml| !xml.contains('\0'));
            Ok(xml.map(|xml| xml.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(xml)))
        }
        Err(Error::TooLarge) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A part that others depend on. A missing part is empty.
fn part(package: &mut Package, name: &str) -> io::Result<String> {
    Ok(package.text(name)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use zip::write::SimpleFileOptions;
    use zip::{ZipArchive, ZipWriter};

    use super::paragraphs::SpaceAbove;
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
    fn only_affected_parts_change_and_the_source_never_does() {
        let slide = "<p:sld><a:r><a:rPr><a:latin typeface=\"Wingdings\"/></a:rPr><a:t>J</a:t></a:r></p:sld>";
        let parts = [("ppt/presentation.xml", "<p:presentation/>"), ("ppt/slides/slide1.xml", slide), ("other", "J")];
        let (directory, source) = package(&parts);
        let deck = |source: &Path| {
            rewrite(
                source,
                Kind::Presentation { with_notes: true },
                Reader::Current,
                &directory.path().join("rewritten"),
            )
        };
        let Reading { document: target, losses, .. } = deck(&source);
        assert_eq!((target.file_name(), losses), (source.file_name(), Losses::default()));
        assert!(part(&target, "ppt/slides/slide1.xml").contains("<a:t>☺</a:t>"));
        assert_eq!(part(&target, "other"), "J");
        assert_eq!(part(&source, "ppt/slides/slide1.xml"), slide);
        let plain = slide.replace("Wingdings", "Arial");
        let (_other, source) = package(&[("ppt/slides/slide1.xml", &plain)]);
        assert_eq!(deck(&source), Reading::unchanged(&source));
    }

    #[test]
    fn parts_with_a_byte_order_mark_are_changed_in_the_right_places() {
        let slide = "<p:sld><a:r><a:rPr><a:latin typeface=\"Wingdings\"/></a:rPr><a:t>J</a:t></a:r></p:sld>";
        let rewritten = |slide: &str| {
            let (directory, source) = package(&[("ppt/slides/slide1.xml", slide)]);
            let reading = rewrite(
                &source,
                Kind::Presentation { with_notes: true },
                Reader::Current,
                &directory.path().join("rewritten"),
            );
            part(&reading.document, "ppt/slides/slide1.xml")
        };
        let expected = rewritten(slide);
        assert!(expected.contains("<a:t>☺</a:t>"));
        assert_eq!(rewritten(&format!("\u{feff}{slide}")), expected);
    }

    #[test]
    fn unused_table_styles_are_removed_where_there_are_many() {
        let style = |number| format!("<w:style w:type=\"table\" w:styleId=\"T{number}\"><w:rPr/></w:style>");
        let styles = |numbers: &[u32]| numbers.iter().copied().map(style).collect::<String>();
        let rewritten = |numbers: &[u32], footer: &str| {
            let text = "<w:document><w:tblStyle w:val=\"T2\"/></w:document>";
            let parts = [
                ("word/document.xml", text),
                ("word/styles.xml", &format!("<w:styles>{}</w:styles>", styles(numbers))),
                ("word/footer1.xml", footer),
            ];
            let (directory, source) = package(&parts);
            let reading = rewrite(&source, Kind::Text, Reader::Older, &directory.path().join("rewritten"));
            part(&reading.document, "word/styles.xml")
        };
        let many = (0..12).collect::<Vec<_>>();
        let kept = |numbers| format!("<w:styles>{}</w:styles>", styles(numbers));
        assert_eq!(rewritten(&many, "<w:ftr><x:tblStyle x:val=\"T7\"/></w:ftr>"), kept(&[2, 7]));
        assert_eq!(rewritten(&many[..3], "<w:ftr/>"), kept(&[0, 1, 2]), "too few for a search");
        assert_eq!(rewritten(&many, "<\0w\0:\0f\0t\0r\0"), kept(&many), "a part in another encoding may name any");
    }

    #[test]
    fn layouts_that_no_slide_uses_are_removed() {
        let relation = |id: u32| {
            let target = format!("../slideLayouts/slideLayout{id}.xml");
            format!("<R Id=\"rId{id}\" Type=\"http://x/relationships/slideLayout\" Target=\"{target}\"/>")
        };
        let relations = |ids: &[u32]| format!("<Rs>{}</Rs>", ids.iter().copied().map(relation).collect::<String>());
        let entry = |id: &u32| format!("<p:sldLayoutId id=\"99\" r:id=\"rId{id}\"/>");
        let list = |ids: &[u32]| format!("<p:sldMaster>{}</p:sldMaster>", ids.iter().map(entry).collect::<String>());
        let (master, of_master) = ("ppt/slideMasters/slideMaster1.xml", "ppt/slideMasters/_rels/slideMaster1.xml.rels");
        let rewritten = |used: &[u32], listed: &[u32]| {
            let parts = [
                ("ppt/presentation.xml", "<p:presentation/>"),
                ("ppt/slides/_rels/slide1.xml.rels", &relations(used)),
                ("ppt/slideLayouts/_rels/slideLayout3.xml.rels", &relations(&[3])),
                (of_master, &relations(&[1, 2, 3])),
                (master, &list(listed)),
            ];
            let (directory, source) = package(&parts);
            let kind = Kind::Presentation { with_notes: true };
            let target = rewrite(&source, kind, Reader::Current, &directory.path().join("rewritten")).document;
            (part(&target, of_master), part(&target, master))
        };
        let all = [1, 2, 3];
        assert_eq!(rewritten(&[2], &all), (relations(&[2]), list(&[2])));
        assert_eq!(rewritten(&all, &all), (relations(&all), list(&all)));
        assert_eq!(rewritten(&[], &all), (relations(&all), list(&all)), "a master that no slide uses");
        assert_eq!(rewritten(&[2], &[2, 3]), (relations(&all), list(&[2, 3])), "a list of another form");
    }

    #[test]
    fn an_invalid_package_is_left_unchanged() {
        let directory = tempfile::tempdir().unwrap();
        let source = directory.path().join("a.docx");
        std::fs::write(&source, b"PK\x03\x04 and no more").unwrap();
        let rewritten = rewrite(&source, Kind::Text, Reader::Older, &directory.path().join("rewritten"));
        assert_eq!(rewritten, Reading::unchanged(&source));
    }

    #[test]
    fn fuzz_rewriting() {
        docmill_fuzz::fuzz("rewrite", &[], |bytes| {
            let xml = String::from_utf8_lossy(bytes);
            // Both results are valid.
            let layout = ParagraphStyles::read(&xml).map(|styles| Layout {
                space_above: Some(SpaceAbove::WithoutSpaceBelow),
                styles,
                fonts: ThemeFonts::of_east_asia(Some("ms gothic")),
            });
            for part in [Part::Body, Part::Footer] {
                let paragraphs = layout.as_ref().ok().map(|layout| Paragraphs::new(&xml, layout, part));
                let _ = texts::edited(&xml, paragraphs);
            }
            let _ = slides::edited(&xml, slides::Number { shown: 3, must_be_written: true });
            let _ = notes::edited(&xml);
            let _ = layouts::edited("ppt/slideMasters/a.xml", &xml, &["A".to_owned()].into());
            let _ = sheets::edited(&xml, &Some(vec![true]));
            let _ = lists::edited(&xml, &[("H1".to_owned(), "432".to_owned())].into());
            let _ = styles::edited(&xml, &["A".to_owned()].into());
        });
    }
}
