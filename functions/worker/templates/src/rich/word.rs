//! Safe HTML as paragraphs of a Word document.

use std::cell::RefCell;

use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use quick_xml::escape::escape;

/// Deepest list, which still has room on a page.
const DEEPEST: usize = 8;
/// A level's indent, and the room of a list's sign, in twentieths of a point.
const INDENT: usize = 720;
const HANGING: usize = 360;

/// The children of a run's properties, in the order of the format's schema.
const ORDER: [&str; 39] = [
    "rStyle",
    "rFonts",
    "b",
    "bCs",
    "i",
    "iCs",
    "caps",
    "smallCaps",
    "strike",
    "dstrike",
    "outline",
    "shadow",
    "emboss",
    "imprint",
    "noProof",
    "snapToGrid",
    "vanish",
    "webHidden",
    "color",
    "spacing",
    "w",
    "kern",
    "position",
    "sz",
    "szCs",
    "highlight",
    "u",
    "effect",
    "bdr",
    "shd",
    "fitText",
    "vertAlign",
    "rtl",
    "cs",
    "em",
    "lang",
    "eastAsianLayout",
    "specVanish",
    "oMath",
];

/// How the template formats the tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looks {
    /// `w:pPr` of its paragraph.
    pub(crate) paragraph: String,
    /// `w:pStyle` of its paragraph.
    pub(crate) style: String,
    /// The children of `w:rPr` of its run, with their local names.
    pub(crate) run: Vec<(String, String)>,
}

/// Word's paragraphs with the texts of this HTML, which is safe and well-formed. At least one.
pub(crate) fn paragraphs(html: &str, looks: &Looks) -> String {
    let writer = Writer { looks: looks.clone(), ..Writer::default() };
    let input = BufferQueue::default();
    input.push_back(html.into());
    let tokenizer = Tokenizer::new(Sink(RefCell::new(writer)), TokenizerOpts::default());
    while !input.is_empty() {
        // Safe HTML has no scripts, for which the tokenizer would stop.
        drop(tokenizer.feed(&input));
    }
    tokenizer.end();
    tokenizer.sink.0.into_inner().finish()
}

/// The runs of a link with a text. The address has no quotation marks.
pub(crate) fn link(address: &str, text: &str, looks: &Looks) -> String {
    let mut writer = Writer { looks: looks.clone(), ..Writer::default() };
    writer.begin_link(address);
    writer.run(&printable(text));
    writer.close_link();
    writer.runs
}

struct Sink(RefCell<Writer>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut writer = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) => match tag.kind {
                TagKind::StartTag => writer.open(&tag),
                TagKind::EndTag => writer.close(&tag.name),
            },
            Token::CharacterTokens(text) => writer.text(&text),
            Token::NullCharacterToken
            | Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::EOFToken
            | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

struct List {
    /// The next number.
    number: Option<usize>,
}

/// How many elements of each kind are open.
#[derive(Default)]
struct Marks {
    bold: usize,
    italic: usize,
    underline: usize,
    strike: usize,
    code: usize,
    above: usize,
    below: usize,
    links: usize,
}

impl Marks {
    fn of(&mut self, element: &str) -> Option<&mut usize> {
        match element {
            "b" | "strong" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Some(&mut self.bold),
            "i" | "em" => Some(&mut self.italic),
            "u" => Some(&mut self.underline),
            "s" | "del" => Some(&mut self.strike),
            "code" => Some(&mut self.code),
            "sup" => Some(&mut self.above),
            "sub" => Some(&mut self.below),
            _ => None,
        }
    }
}

#[derive(Default)]
struct Writer {
    looks: Looks,
    written: String,
    /// The runs of the paragraph that is being written.
    runs: String,
    /// The properties of the last run with text.
    last_run: Option<String>,
    marks: Marks,
    lists: Vec<List>,
    quotes: usize,
    /// The sign of the list's entry that begins.
    sign: Option<String>,
    /// Spaces at the begin of a line have no width, nor do several in a row.
    after_space: bool,
}

impl Writer {
    fn open(&mut self, tag: &Tag) {
        match &*tag.name {
            "br" => self.runs.push_str("<w:r><w:br/></w:r>"),
            "a" => self.open_link(tag),
            "ul" => self.open_list(None),
            "ol" => self.open_list(Some(1)),
            "li" => {
                self.end_paragraph();
                let list = self.lists.last_mut();
                self.sign = Some(match list.and_then(|list| list.number.as_mut()) {
                    Some(number) => {
                        *number += 1;
                        format!("{}.", *number - 1)
                    }
                    None => "•".to_owned(),
                });
            }
            "blockquote" => {
                self.end_paragraph();
                self.quotes += 1;
            }
            name => {
                if is_block(name) {
                    self.end_paragraph();
                }
                if let Some(count) = self.marks.of(name) {
                    *count += 1;
                }
            }
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "a" => self.close_link(),
            "ul" | "ol" => {
                self.end_paragraph();
                self.lists.pop();
            }
            "li" => {
                // An empty entry has its sign all the same.
                if self.sign.is_some() {
                    self.begin_paragraph();
                }
                self.end_paragraph();
            }
            "blockquote" => {
                self.end_paragraph();
                self.quotes = self.quotes.saturating_sub(1);
            }
            name => {
                if let Some(count) = self.marks.of(name) {
                    *count = count.saturating_sub(1);
                }
                if is_block(name) {
                    self.end_paragraph();
                }
            }
        }
    }

    fn open_list(&mut self, number: Option<usize>) {
        self.end_paragraph();
        self.lists.push(List { number });
    }

    /// A field, which needs no relationship. Its address is between quotation marks.
    fn open_link(&mut self, tag: &Tag) {
        self.begin_paragraph();
        let address = tag.attrs.iter().find(|attribute| &*attribute.name.local == "href");
        let Some(address) = address.map(|attribute| attribute.value.replace('"', "%22").replace('\\', "%5C")) else {
            return;
        };
        self.begin_link(&address);
    }

    fn begin_link(&mut self, address: &str) {
        self.marks.links += 1;
        let address = escape(printable(address));
        self.runs.push_str(
            "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText xml:space=\"preserve\"> HYPERLINK \"",
        );
        self.runs.push_str(&address);
        self.runs.push_str("\" </w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>");
    }

    fn close_link(&mut self) {
        if self.marks.links > 0 {
            self.marks.links -= 1;
            self.runs.push_str("<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>");
        }
    }

    fn text(&mut self, text: &str) {
        let mut shown = String::with_capacity(text.len());
        for sign in printable(text).chars() {
            let is_space = matches!(sign, ' ' | '\t' | '\n' | '\r' | '\u{c}');
            if !is_space {
                shown.push(sign);
            } else if !(self.after_space || self.runs.is_empty() && shown.is_empty()) {
                shown.push(' ');
            }
            self.after_space = is_space;
        }
        if !shown.is_empty() {
            self.begin_paragraph();
            self.run(&shown);
        }
    }

    /// Writes a text into the run before, if that looks the same.
    fn run(&mut self, text: &str) {
        const END: &str = "</w:t></w:r>";
        let (properties, text) = (self.run_properties(), escape(text));
        if self.last_run.as_ref() == Some(&properties) && self.runs.ends_with(END) {
            self.runs.truncate(self.runs.len() - END.len());
        } else {
            self.runs.push_str(&format!("<w:r>{properties}<w:t xml:space=\"preserve\">"));
            self.last_run = Some(properties);
        }
        self.runs.push_str(&text);
        self.runs.push_str(END);
    }

    fn run_properties(&self) -> String {
        let Marks { bold, italic, underline, strike, code, above, below, links } = &self.marks;
        let own = [
            (*bold > 0, "b", "<w:b/>"),
            (*italic > 0, "i", "<w:i/>"),
            (*strike > 0, "strike", "<w:strike/>"),
            (*underline + *links > 0, "u", "<w:u w:val=\"single\"/>"),
            (*links > 0, "color", "<w:color w:val=\"0563C1\"/>"),
            (*code > 0, "rFonts", "<w:rFonts w:ascii=\"Courier New\" w:hAnsi=\"Courier New\" w:cs=\"Courier New\"/>"),
            (*above > 0, "vertAlign", "<w:vertAlign w:val=\"superscript\"/>"),
            (*below > 0 && *above == 0, "vertAlign", "<w:vertAlign w:val=\"subscript\"/>"),
        ];
        let own = own.iter().filter(|(applies, ..)| *applies).map(|(_, name, xml)| (*name, *xml));
        let own: Vec<_> = own.collect();
        let kept = self.looks.run.iter().map(|(name, xml)| (name.as_str(), xml.as_str()));
        let mut all: Vec<_> = kept.filter(|(name, _)| own.iter().all(|(owned, _)| owned != name)).collect();
        all.extend(&own);
        all.sort_by_key(|(name, _)| ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len()));
        if all.is_empty() {
            return String::new();
        }
        format!("<w:rPr>{}</w:rPr>", all.iter().map(|(_, xml)| *xml).collect::<String>())
    }

    /// Writes what comes before a paragraph's first text.
    fn begin_paragraph(&mut self) {
        if let Some(sign) = self.sign.take() {
            let properties = self.run_properties();
            let sign = format!("<w:r>{properties}<w:t>{sign}</w:t><w:tab/></w:r>");
            self.runs.insert_str(0, &sign);
        }
    }

    fn end_paragraph(&mut self) {
        self.after_space = false;
        if self.runs.is_empty() {
            return;
        }
        let runs = std::mem::take(&mut self.runs);
        let level = (self.lists.len() + self.quotes).min(DEEPEST);
        let properties = match level {
            0 => self.looks.paragraph.clone(),
            level => {
                let (left, style) = (level * INDENT, &self.looks.style);
                let hanging = if self.lists.is_empty() { 0 } else { HANGING };
                format!("<w:pPr>{style}<w:ind w:left=\"{left}\" w:hanging=\"{hanging}\"/></w:pPr>")
            }
        };
        self.written.push_str(&format!("<w:p>{properties}{runs}</w:p>"));
    }

    fn finish(mut self) -> String {
        self.end_paragraph();
        if self.written.is_empty() {
            return format!("<w:p>{}</w:p>", self.looks.paragraph);
        }
        self.written
    }
}

fn is_block(name: &str) -> bool {
    matches!(name, "p" | "div" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Without what XML can't have.
fn printable(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::safe;
    use super::*;

    fn word(html: &str, looks: &Looks) -> String {
        paragraphs(&safe(html), looks)
    }

    #[test]
    fn paragraphs_lists_and_marks_are_words_own() {
        let xml = word(
            "<p>One  <b>two <i>three</i></b></p><ul><li>A<ol><li>B</li><li>C</li></ol></li></ul>x<br>y",
            &Looks::default(),
        );
        let text = |mark: &str, text: &str| format!("<w:r>{mark}<w:t xml:space=\"preserve\">{text}</w:t></w:r>");
        let entry = |level: usize, sign: &str, content: &str| {
            let left = level * 720;
            let sign = format!("<w:r><w:t>{sign}</w:t><w:tab/></w:r>");
            format!("<w:p><w:pPr><w:ind w:left=\"{left}\" w:hanging=\"360\"/></w:pPr>{sign}{}</w:p>", text("", content))
        };
        let first =
            [text("", "One "), text("<w:rPr><w:b/></w:rPr>", "two "), text("<w:rPr><w:b/><w:i/></w:rPr>", "three")];
        let expected = [
            format!("<w:p>{}</w:p>", first.concat()),
            entry(1, "•", "A"),
            entry(2, "1.", "B"),
            entry(2, "2.", "C"),
            format!("<w:p>{}<w:r><w:br/></w:r>{}</w:p>", text("", "x"), text("", "y")),
        ];
        assert_eq!(xml, expected.concat());
    }

    #[test]
    fn the_looks_of_the_tag_stay_in_the_schemas_order() {
        let run = [("b", "<w:b w:val=\"0\"/>"), ("sz", "<w:sz w:val=\"30\"/>")];
        let run = run.map(|(name, xml)| (name.to_owned(), xml.to_owned())).to_vec();
        let looks = Looks { paragraph: "<w:pPr><w:jc w:val=\"both\"/></w:pPr>".into(), style: String::new(), run };
        assert_eq!(
            word("<b><u>x</u></b>", &looks),
            "<w:p><w:pPr><w:jc w:val=\"both\"/></w:pPr><w:r><w:rPr><w:b/><w:sz w:val=\"30\"/><w:u w:val=\"single\"/></w:rPr>\
             <w:t xml:space=\"preserve\">x</w:t></w:r></w:p>"
        );
        assert_eq!(word("", &looks), "<w:p><w:pPr><w:jc w:val=\"both\"/></w:pPr></w:p>");
    }

    #[test]
    fn a_links_address_can_not_leave_its_field() {
        let xml = word("<a href='https://a.example/\" \\o \"x&amp;y'>z</a>", &Looks::default());
        assert!(xml.contains(" HYPERLINK &quot;") || xml.contains(" HYPERLINK \"https://a.example/%22"), "{xml}");
        assert!(!xml.contains("\\o") && xml.contains("&amp;y"), "{xml}");
        assert_eq!(xml.matches("fldCharType").count(), 3);
        let without = word("<a href=\"javascript:x()\">z</a>", &Looks::default());
        assert!(!without.contains("fldChar") && without.contains(">z<"), "{without}");
    }
}
