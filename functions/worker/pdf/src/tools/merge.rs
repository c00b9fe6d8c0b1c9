//! merge-pdf: makes one file of several.

use docmill_domain::paper::Paper;
use docmill_pdf_core::space;
use docmill_pdf_core::transform;
use docmill_pdf_request::{Failure, Outcome, Request};
use docmill_pdf_structure::assembly::{Bookmarks, Source};
use docmill_pdf_structure::metadata::{self, Information, PdfUa, Statement};
use docmill_pdf_structure::{Assembly, PageUse, Part, open_deferring};
use lopdf::{Document, ObjectId};
use serde::Deserialize;

use super::{options, page_indices, pdf, stem};
use docmill_pdf_core::Libraries;

const RESULT: &str = "result.pdf";

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Options {
    bookmarks: Outlines,
    page_size: PageSize,
    blank_pages: BlankPages,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outlines {
    #[default]
    Keep,
    Titles,
    /// Not the documents' own, which those of one template share.
    Names,
    None,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Fitting {
    #[default]
    Keep,
    First,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum PageSize {
    Fitting(Fitting),
    Paper(Paper),
}

impl Default for PageSize {
    fn default() -> Self {
        Self::Fitting(Fitting::Keep)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BlankPages {
    #[default]
    None,
    /// Each source starts on a right-hand page.
    Odd,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = options(request)?;
    let mut assembly = Assembly::create(&request.directory.join(RESULT), &request.limits, true)?;
    let mut warnings = Vec::new();
    let mut size = match options.page_size {
        PageSize::Paper(paper) => Some(paper.points()),
        PageSize::Fitting(_) => None,
    };
    let mut last_size = Paper::A4.points();
    let mut description: Option<Description> = None;
    for (position, source) in request.sources.iter().enumerate() {
        let opened = open_deferring(libraries, request, position)?;
        warnings.extend(opened.warnings);
        description = Some(Description::with(description, &opened.document));
        let mut document = Source::read(opened.document, request.limits.pages)?.deferring(opened.held);
        let chosen = page_indices(
            source.page_range.as_deref(),
            &format!("sources[{position}].pageRange"),
            document.pages.len(),
            request.limits.pages,
        )?;
        if matches!(options.page_size, PageSize::Fitting(Fitting::First)) && size.is_none() {
            size = chosen.first().and_then(|page| shown_size(&document, *page));
        }
        if let Some(size) = size {
            fit_pages(&mut document, &chosen, size);
        }
        if options.blank_pages == BlankPages::Odd && assembly.pages() % 2 == 1 {
            assembly.add_blank(last_size.0, last_size.1)?;
        }
        last_size = chosen.last().and_then(|page| shown_size(&document, *page)).unwrap_or(last_size);
        let own = document.title().filter(|_| options.bookmarks != Outlines::Names);
        let title = title(request, position, own);
        let bookmarks = match (options.bookmarks, source.title.as_deref()) {
            (Outlines::Keep, Some(title)) => Bookmarks::Below(title),
            (Outlines::Keep, None) => Bookmarks::Keep,
            (Outlines::Titles | Outlines::Names, _) => Bookmarks::Title(&title),
            (Outlines::None, _) => Bookmarks::None,
        };
        let pages: Vec<PageUse> = chosen.iter().map(|page| PageUse::of(*page as usize)).collect();
        assembly.add(&mut document, &Part { pages: &pages, bookmarks, attachments: true, again: false })?;
    }
    if let Some(Description { information, statement }) = description {
        assembly.describe(&information, &statement)?;
    }
    let assembled = assembly.finish()?;
    warnings.extend(assembled.warnings);
    warnings.dedup_by(|a, b| a.code == b.code);
    Ok(Outcome { artifacts: vec![pdf(RESULT, assembled.pages)], report: None, warnings })
}

/// What the result says of itself: what the first source does, and that it is PDF/UA if all of them are.
struct Description {
    information: Information,
    statement: Statement,
}

impl Description {
    fn with(so_far: Option<Self>, document: &Document) -> Self {
        let is_accessible = metadata::statement(document).pdfua() == Some("1");
        let mut all = so_far.unwrap_or_else(|| {
            let mut statement = Statement::default();
            if is_accessible {
                statement.claim_pdfua(PdfUa::One);
            }
            Self { information: metadata::read(document), statement }
        });
        if !is_accessible {
            all.statement.renounce_pdfua();
        }
        all
    }
}

/// A source's title in the outline: the client's, the document's own, its file name, or its number.
fn title(request: &Request, position: usize, own: Option<String>) -> String {
    let source = request.sources.get(position);
    source
        .and_then(|source| source.title.clone())
        .or(own)
        .or_else(|| stem(source?.name.as_deref()))
        .unwrap_or_else(|| format!("Document {}", position + 1))
}

fn shown_size(source: &Source, page: u32) -> Option<(f32, f32)> {
    Some(space::shown_size(&source.document, source.page(page as usize)?))
}

fn fit_pages(source: &mut Source, chosen: &[u32], size: (f32, f32)) {
    let mut chosen: Vec<ObjectId> =
        chosen.iter().filter_map(|page| source.pages.get(*page as usize)).copied().collect();
    chosen.sort_unstable();
    chosen.dedup();
    for page in chosen {
        transform::fit_page(&mut source.document, page, size);
    }
}
