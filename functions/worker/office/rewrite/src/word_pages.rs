//! Where Word broke the pages of a document: `w:lastRenderedPageBreak` marks the begin of each page after the first, as it was when
//! Word saved the document, and the document's properties have the number of pages.

use std::io;
use std::ops::Range;

use docmill_package::markup;
use serde::{Deserialize, Serialize};

use super::edit::{Tag, plain, scan};
use super::paragraph_styles::ParagraphStyles;
use super::{Package, page_heights};

pub(super) const PART: &str = "word/document.xml";
const PROPERTIES: &str = "docProps/app.xml";

/// What does not stand in the text of the pages as they are laid out.
const SKIPPED: [&str; 8] =
    ["w:pPr", "w:rPr", "w:sdtPr", "w:del", "w:moveFrom", "w:instrText", "w:txbxContent", "mc:Fallback"];
/// Where what is written may be followed by something that is not.
const ENDS: [&str; 15] = [
    "w:tab",
    "w:ptab",
    "w:br",
    "w:cr",
    "w:sym",
    "w:noBreakHyphen",
    "w:footnoteReference",
    "w:endnoteReference",
    "w:fldChar",
    "w:fldSimple",
    "w:drawing",
    "w:pict",
    "w:object",
    "m:oMath",
    "w:p",
];
const PAGE_BREAK: &str = "w:lastRenderedPageBreak";

/// Fewer letters and digits are found on too many pages.
const LEAST_LETTERS: usize = 8;
/// Words are quoted up to so many characters: less than a line.
const MOST_CHARACTERS: usize = 48;
/// Documents with more pages are not compared.
const MOST_BREAKS: usize = 5000;

/// The pages of a document, as Word laid them out when it saved it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordPages {
    /// How many.
    pub count: u32,
    /// The breaks between them.
    pub breaks: Vec<WordBreak>,
}

/// A break between two pages.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordBreak {
    /// The last words of the page before it. Empty if none can be recognized.
    pub before: String,
    /// The first words of the page after it. Empty likewise.
    pub after: String,
}

/// A document's text is not printed.
impl std::fmt::Debug for WordBreak {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WordBreak").finish_non_exhaustive()
    }
}

/// `None` if Word did not save the document last, or does not say where it broke all pages.
pub(super) fn of(package: &mut Package, document: &str) -> io::Result<Option<WordPages>> {
    let Some(properties) = package.decoded(PROPERTIES)? else { return Ok(None) };
    let Some(Properties { pages, characters }) = Properties::read(&properties)? else { return Ok(None) };
    let mut text = Text { xml: document, ..Text::default() };
    scan(document, |range, tag| text.visit(range, &tag))?;
    let agrees = pages as usize == text.breaks.len() + 1 && is_about(text.characters, characters);
    let is_words = agrees && text.breaks.len() <= MOST_BREAKS && package.has_dates_of_office();
    let styles = ParagraphStyles::read(&super::part(package, super::styles::PART)?)?;
    let is_whole = is_words && page_heights::are_possible(document, &styles)?;
    Ok(is_whole.then(|| WordPages { count: pages, breaks: text.finish() }))
}

/// Whether the text is as long as Word counted, which includes the numbers of lists and leaves out some fields. Otherwise another
/// program has filled it in or changed it.
const fn is_about(found: usize, counted: usize) -> bool {
    /// For documents with hardly any text.
    const SOME: usize = 10;
    found <= counted + counted / 20 + SOME && found + counted / 4 + SOME >= counted
}

struct Properties {
    pages: u32,
    /// Without white space.
    characters: usize,
}

impl Properties {
    /// `None` if they are not by Word.
    fn read(source: &str) -> io::Result<Option<Self>> {
        let markup = markup::scan(source)?;
        let value = |name| markup.named(name).next().map(|(element, _)| markup.text(element));
        let is_word = |program: &String| program.starts_with("Microsoft ") && program.contains("Word");
        if !value("Application").as_ref().is_some_and(is_word) {
            return Ok(None);
        }
        let number = |name| value(name).and_then(|text| text.trim().parse::<u32>().ok());
        let (Some(pages), Some(characters)) = (number("Pages"), number("Characters")) else { return Ok(None) };
        Ok(Some(Self { pages, characters: characters as usize }))
    }
}

/// The text of a document, as far as it was read.
#[derive(Default)]
struct Text<'x> {
    xml: &'x str,
    /// Open elements, from the first that is skipped.
    skipped: usize,
    /// Where the content of the open `w:t` begins.
    open: usize,
    characters: usize,
    /// What stands in one piece on the page.
    piece: String,
    /// The last words of the page so far.
    before: String,
    breaks: Vec<WordBreak>,
}

impl Text<'_> {
    fn visit(&mut self, range: Range<usize>, tag: &Tag<'_>) {
        match tag {
            Tag::Start(_) if self.skipped > 0 => self.skipped += 1,
            Tag::Start(tag) if SKIPPED.contains(&tag.name().as_ref()) => self.skipped = 1,
            Tag::Start(tag) if tag.name().as_ref() == "w:t" => self.open = range.end,
            Tag::Start(tag) => self.meet(tag.name().as_ref()),
            Tag::Empty(tag) if self.skipped == 0 => self.meet(tag.name().as_ref()),
            Tag::Empty(_) => {}
            Tag::End(_) if self.skipped > 0 => self.skipped -= 1,
            Tag::End(name) if name == "w:t" => self.add(self.open..range.start),
            Tag::End(name) => self.meet(name),
        }
    }

    fn add(&mut self, range: Range<usize>) {
        let text = plain(self.xml, &range).unwrap_or_default();
        self.characters += text.chars().filter(|letter| !letter.is_whitespace()).count();
        self.piece.push_str(&text);
    }

    fn meet(&mut self, name: &str) {
        if name == PAGE_BREAK {
            self.end_piece();
            self.breaks.push(WordBreak { before: std::mem::take(&mut self.before), after: String::new() });
        } else if ENDS.contains(&name) {
            self.end_piece();
        }
    }

    fn end_piece(&mut self) {
        let piece = std::mem::take(&mut self.piece);
        if piece.chars().filter(|letter| letter.is_alphanumeric()).take(LEAST_LETTERS).count() < LEAST_LETTERS {
            return;
        }
        if let Some(last) = self.breaks.last_mut().filter(|last| last.after.is_empty()) {
            last.after = first_words(&piece);
        }
        self.before = last_words(&piece);
    }

    fn finish(mut self) -> Vec<WordBreak> {
        self.end_piece();
        self.breaks
    }
}

/// Whole words, unless the first one is too long.
fn first_words(piece: &str) -> String {
    let piece = piece.trim();
    let Some((end, _)) = piece.char_indices().nth(MOST_CHARACTERS) else { return piece.to_owned() };
    let cut = piece.get(..end).unwrap_or_default();
    cut.rsplit_once(char::is_whitespace).map_or(cut, |(words, _)| words).to_owned()
}

/// Whole words, unless the last one is too long.
fn last_words(piece: &str) -> String {
    let piece = piece.trim();
    let Some((start, _)) = piece.char_indices().rev().nth(MOST_CHARACTERS - 1).filter(|(start, _)| *start > 0) else {
        return piece.to_owned();
    };
    let cut = piece.get(start..).unwrap_or_default();
    cut.split_once(char::is_whitespace).map_or(cut, |(_, words)| words).to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use zip::write::SimpleFileOptions;
    use zip::{DateTime, ZipWriter};

    use super::*;

    const LINE: &str = "<w:p><w:r><w:t>A line of text</w:t></w:r></w:p>";
    const BREAK: &str = "<w:lastRenderedPageBreak/>";

    fn properties(program: &str, pages: u32, characters: usize) -> String {
        format!(
            "<Properties><Application>{program}</Application><Pages>{pages}</Pages>\
             <Characters>{characters}</Characters></Properties>"
        )
    }

    fn pages(body: &str, properties: &str, date: DateTime) -> Option<WordPages> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.docx");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        let document = format!("<w:document><w:body>{body}</w:body></w:document>");
        for (name, content) in [(PART, document.as_str()), (PROPERTIES, properties)] {
            zip.start_file(name, SimpleFileOptions::default().last_modified_time(date)).unwrap();
            zip.write_all(content.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        of(&mut super::super::open(&path).unwrap(), &document).unwrap()
    }

    #[test]
    fn each_break_has_the_words_around_it() {
        let long = "the seventh word of this paragraph is where Word began a new page of the document";
        let body = format!(
            "{LINE}<w:p><w:pPr><w:t>x</w:t></w:pPr><w:r><w:t xml:space=\"preserve\">Up to </w:t>{BREAK}<w:t>{long}</w:t></w:r></w:p>\
             <w:p><w:r><w:t>{long}</w:t></w:r></w:p><w:p><w:r><w:tab/><w:t>2</w:t>{BREAK}<w:t>&amp;c</w:t></w:r></w:p>\
             <w:p><w:del><w:r><w:t>Deleted words</w:t></w:r></w:del><w:r><w:t>Last words</w:t></w:r></w:p>"
        );
        let letters = body.split(['<', '>']).skip(2).step_by(2).filter(|text| *text != "x" && *text != "Deleted words");
        let letters = letters.flat_map(str::chars).filter(|letter| !letter.is_whitespace()).count();
        let found = pages(&body, &properties("Microsoft Office Word", 3, letters), DateTime::default()).unwrap();
        let words = |found: &WordBreak| [found.before.clone(), found.after.clone()];
        assert_eq!(found.count, 3);
        assert_eq!(
            found.breaks.iter().map(words).collect::<Vec<_>>(),
            [
                ["A line of text".to_owned(), "the seventh word of this paragraph is where".to_owned()],
                ["is where Word began a new page of the document".to_owned(), "Last words".to_owned()],
            ]
        );
    }

    #[test]
    fn only_documents_that_word_saved_last_tell_their_pages() {
        let body = [LINE, BREAK, LINE].concat();
        let word = properties("Microsoft Office Word", 2, 22);
        let first = DateTime::default();
        assert_eq!(pages(&body, &word, first).unwrap().count, 2);
        let today = DateTime::from_date_and_time(2026, 11, 29, 12, 0, 0).unwrap();
        assert_eq!(pages(&body, &word, today), None, "another program has packed it");
        assert_eq!(pages(&[&body, BREAK].concat(), &word, first), None, "the numbers of pages differ");
        assert_eq!(pages(&body.repeat(3), &properties("Microsoft Office Word", 4, 22), first), None, "text was added");
        assert_eq!(pages(&body, &properties("Microsoft Office Word", 2, 200), first), None, "text was removed");
        assert_eq!(pages(&body, &properties("LibreOffice", 2, 22), first), None);
        assert_eq!(pages(&body, "<Properties/>", first), None);
        let mac = properties("Microsoft Macintosh Word", 1, 11);
        assert_eq!(pages(LINE, &mac, first), Some(WordPages { count: 1, breaks: Vec::new() }));
    }

    #[test]
    fn long_words_are_cut() {
        assert_eq!(first_words(&"語".repeat(60)), "語".repeat(48));
        assert_eq!(last_words(&"語".repeat(60)), "語".repeat(48));
        assert_eq!(last_words(" short "), "short");
    }
}
