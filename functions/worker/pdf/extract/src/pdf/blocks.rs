//! Makes the model's blocks of the engine's, page by page.

use docmill_pdf_core::pdfium::Rect;
use docmill_pdf_text::{Block, Content, Element, HeadersFooters, Line, PageBlocks, Raised, Tagged, TaggedRole, Word};

use super::{Facts, fields, look};
use crate::model::{self, Look, Place, Reason, Role, Span};

/// Type up to this size, in that of the body, is small.
const SMALL: f32 = 0.95;
/// How sure a role is that the document's own tags say.
const BY_TAGS: f32 = 0.98;
/// Type from this size on is larger than the body for sure.
const LARGE: f32 = 1.12;

/// A block whose number is not known yet.
#[derive(Debug)]
pub(super) struct Draft {
    pub role: Role,
    pub reason: Reason,
    pub confidence: f32,
    pub places: Vec<Place>,
    /// On its first page, as that is shown.
    pub area: Rect,
    pub text: String,
    pub spans: Vec<Span>,
    /// The em of most of its type. 0 if it has none.
    pub size: f32,
    pub lines: usize,
    /// Words in type for formulas.
    pub formulas: usize,
    /// What it goes on with on the next page.
    pub element: Option<Element>,
    pub look: Option<Look>,
    pub words: Vec<model::Word>,
}

impl Draft {
    pub(super) fn is_small(&self, body: f32) -> bool {
        self.size <= body * SMALL
    }

    pub(super) fn is_italic(&self) -> bool {
        !self.spans.is_empty() && self.spans.iter().all(|span| span.italic)
    }

    /// Whether it is part of the running text of its page.
    pub(super) fn is_text(&self) -> bool {
        !matches!(
            self.role,
            Role::Header | Role::Footer | Role::Footnote { .. } | Role::Figure { .. } | Role::Caption { .. }
        )
    }

    pub(super) fn is_margin(&self) -> bool {
        matches!(self.role, Role::Header | Role::Footer)
    }
}

/// What a page's blocks are made with.
pub(super) struct Maker<'m> {
    pub page: &'m PageBlocks,
    pub facts: &'m Facts,
    pub body: f32,
    pub headers_footers: HeadersFooters,
    /// Whether drafts have their words with places.
    pub words: bool,
}

impl Maker<'_> {
    /// The drafts of a block that is not a table.
    pub(super) fn drafts(&self, block: &Block) -> Vec<Draft> {
        let mut drafts = self.untagged(block);
        if let Some(tagged) = block.tagged {
            drafts.iter_mut().for_each(|draft| by_tags(draft, tagged));
        }
        drafts
    }

    fn untagged(&self, block: &Block) -> Vec<Draft> {
        match &block.content {
            Content::Heading { level, lines } => {
                let size = lines.first().map_or(0.0, Line::size);
                let confidence = if size > self.body * LARGE { 0.95 } else { 0.8 };
                self.draft(lines, Role::Heading { level: *level }, Reason::Style, confidence).into_iter().collect()
            }
            Content::Paragraph { lines } => self.paragraph(lines),
            Content::Item { number, depth, lines, .. } => self.item(*number, *depth, lines),
            Content::Code { lines } => {
                let draft = self.draft(lines, Role::Code, Reason::Style, 0.9);
                draft
                    .map(|draft| Draft { text: docmill_pdf_text::code(lines), spans: Vec::new(), ..draft })
                    .into_iter()
                    .collect()
            }
            Content::Aside { lines } => self.draft(lines, Role::Paragraph, Reason::Default, 0.6).into_iter().collect(),
            Content::Running { lines } => match self.headers_footers {
                HeadersFooters::Drop => Vec::new(),
                HeadersFooters::Keep => self.running(lines),
            },
            Content::Table(_) => Vec::new(),
        }
    }

    fn paragraph(&self, lines: &[Line]) -> Vec<Draft> {
        let mut drafts = Vec::new();
        for (field, lines) in fields::part(lines, &self.facts.fields) {
            match field.and_then(|field| self.facts.fields.get(field)) {
                Some(field) => {
                    let name = (!field.name.is_empty()).then(|| field.name.clone());
                    drafts.extend(self.draft(&lines, Role::FormField { name }, Reason::Structure, 1.0));
                }
                None => drafts.extend(self.notes(&lines).into_iter().filter_map(|lines| self.text(lines))),
            }
        }
        drafts
    }

    fn item(&self, number: Option<u32>, depth: u8, lines: &[Line]) -> Vec<Draft> {
        let mut drafts = self.paragraph(lines);
        if let Some(first) = drafts.first_mut().filter(|draft| matches!(draft.role, Role::Paragraph | Role::Formula)) {
            // Lists are numbered when all blocks are known.
            (first.role, first.reason) = (Role::Item { list: 0, depth, number }, Reason::Marker);
        }
        drafts
    }

    fn text(&self, lines: &[Line]) -> Option<Draft> {
        let draft = self.draft(lines, Role::Paragraph, Reason::Default, 0.9)?;
        let words: usize = lines.iter().map(|line| line.words.len()).sum();
        if draft.formulas * 2 > words {
            return Some(Draft { role: Role::Formula, reason: Reason::Style, confidence: 0.7, ..draft });
        }
        Some(draft)
    }

    /// Small lines, parted where one begins with a raised mark: each is a footnote.
    fn notes<'l>(&self, lines: &'l [Line]) -> Vec<&'l [Line]> {
        let begins = |line: &Line| {
            line.size() <= self.body * SMALL && line.words.first().is_some_and(|word| is_mark(word, line))
        };
        lines.chunk_by(|_, next| !begins(next)).collect()
    }

    fn running(&self, lines: &[Line]) -> Vec<Draft> {
        let is_top = |line: &Line| {
            docmill_pdf_text::place(line.words.iter()).is_some_and(|area| area.center().1 < self.page.height / 2.0)
        };
        let (top, bottom): (Vec<Line>, Vec<Line>) = lines.iter().cloned().partition(is_top);
        let header = self.draft(&top, Role::Header, Reason::Position, 0.9);
        header.into_iter().chain(self.draft(&bottom, Role::Footer, Reason::Position, 0.9)).collect()
    }

    fn draft(&self, lines: &[Line], role: Role, reason: Reason, confidence: f32) -> Option<Draft> {
        let words = || lines.iter().flat_map(|line| &line.words);
        let area = docmill_pdf_text::place(words())?;
        let spans: Vec<Span> = docmill_pdf_text::runs(lines).into_iter().map(span).collect();
        let text = spans.iter().map(|span| span.text.as_str()).collect();
        let is_plain = spans.iter().all(Span::is_plain);
        Some(Draft {
            role,
            reason,
            confidence,
            places: vec![Place { page: self.page.number, corners: docmill_pdf_text::corners(&area) }],
            area,
            text,
            spans: if is_plain { Vec::new() } else { spans },
            size: lines.iter().max_by_key(|line| line.words.len()).map_or(0.0, Line::size),
            lines: lines.len(),
            formulas: words().filter(|word| is_formula(word)).count(),
            element: None,
            look: Some(look::of(lines)),
            words: words().filter(|_| self.words).map(|word| placed(word, self.page.number)).collect(),
        })
    }
}

/// A word of a page.
pub(super) fn placed(word: &Word, page: u32) -> model::Word {
    model::Word { place: Place { page, corners: docmill_pdf_text::corners(&word.place) }, text: word.text.clone() }
}

/// Gives a draft the role that its tags say, unless it is known to be something in its text, such as a form field.
fn by_tags(draft: &mut Draft, tagged: Tagged) {
    let role = match (tagged.role, &draft.role) {
        (_, Role::FormField { .. }) => return,
        (TaggedRole::Title, _) => Role::Title,
        (TaggedRole::Caption, _) => Role::Caption { of: None },
        (TaggedRole::Formula, _) => Role::Formula,
        (TaggedRole::Heading(_), role)
        | (
            TaggedRole::Paragraph | TaggedRole::Item(_) | TaggedRole::Note | TaggedRole::Code | TaggedRole::Table,
            role,
        ) => role.clone(),
    };
    (draft.role, draft.reason, draft.confidence) = (role, Reason::Structure, BY_TAGS);
    draft.element = Some(tagged.of);
}

pub(super) fn span(span: docmill_pdf_text::Span) -> Span {
    let docmill_pdf_text::Span { text, bold, italic, code, superscript, link } = span;
    Span { text, bold, italic, code, superscript, subscript: false, link }
}

/// Whether a line begins with a raised mark.
fn is_mark(word: &Word, line: &Line) -> bool {
    matches!(word.raised, Some(Raised::Start(_)))
        || docmill_pdf_text::is_raised(&word.area, word.size, &line.area, line.size())
}

/// Whether a word is in type for formulas, or has signs that only they have.
fn is_formula(word: &Word) -> bool {
    const FONTS: [&str; 7] = ["math", "cmmi", "cmsy", "cmex", "msam", "msbm", "stix"];
    let is_sign = |c: char| matches!(c, '\u{2200}'..='\u{22ff}' | '\u{2a00}'..='\u{2aff}' | '\u{1d400}'..='\u{1d7ff}' | '\u{27c0}'..='\u{27ef}');
    let has = |font: &&str| {
        word.font.name.as_bytes().windows(font.len()).any(|part| part.eq_ignore_ascii_case(font.as_bytes()))
    };
    word.text.chars().any(is_sign) || FONTS.iter().any(has)
}
