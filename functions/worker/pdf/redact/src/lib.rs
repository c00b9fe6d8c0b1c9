//! Redaction with proof: a [`Redaction`] finds the places (`find`), removes them (`apply`), and searches for leftovers by other means
//! (`prove`).
//!
//! Pages are edited in their structure: glyphs, paths and pixels in an area are removed, and everything else stays. What can't be
//! edited safely becomes a picture with the area painted over. No step is trusted: `prove` reads the finished file.

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
#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

mod annotations;
mod apply;
mod boxes;
mod confirmed_words;
mod content;
mod files;
mod find;
mod hidden;
mod needle;
mod ocr_pool;
mod ocr_search;
mod page_picture;
mod paths;
mod pictures;
mod prove;
mod prune;
mod reading;
mod shapes;
mod strings;
mod tags;
mod unread;

use std::collections::{BTreeMap, BTreeSet};

use docmill_pdf_core::pdfium::Rect;
use docmill_pdf_request::{Failure, Request};

pub use apply::Applied;
use files::Files;
pub use hidden::Removed;
pub use needle::{Needles, Wanted, texts};
pub use ocr_pool::OcrPool;
pub use prove::Checks;

use docmill_pdf_core::Libraries;

/// One redaction: the files, what is to be removed from them, and what takes its place.
#[derive(Debug)]
pub struct Redaction<'r> {
    libraries: &'r Libraries,
    request: &'r Request,
    needles: &'r Needles,
    cover: Cover<'r>,
    steps: Steps,
    /// The files in its directory.
    pub files: Files,
    /// What is redacted. It grows if the proof finds something.
    pub plan: Plan,
}

/// What a client wants to be redacted.
#[derive(Debug)]
pub struct Order<'r> {
    /// Texts to find.
    pub needles: &'r Needles,
    /// By page, counted from 0.
    pub regions: &'r [(u32, Rect)],
    /// All metadata, not only what mentions a needle.
    pub metadata: bool,
    /// What takes the place of what is removed.
    pub cover: Cover<'r>,
    /// The result's file name.
    pub result: &'r str,
}

impl<'r> Redaction<'r> {
    /// Removes hidden content from the source, and plans the rest.
    ///
    /// # Errors
    /// If the source can't be read, or is too large.
    pub fn prepare(
        libraries: &'r Libraries,
        request: &'r Request,
        order: Order<'r>,
        steps: Steps,
    ) -> Result<Self, Failure> {
        let Order { needles, regions, metadata, cover, result } = order;
        let files = Files::prepare(libraries, request, needles, metadata, result)?;
        let plan = find::find(libraries, &files.flat, regions, needles)?;
        Ok(Self { libraries, request, needles, cover, steps, files, plan })
    }

    /// The needles, and the text of regions, which must not remain elsewhere in the file.
    fn hidden_needles(&self) -> Needles {
        self.needles.with_literals(self.plan.hidden.iter().cloned())
    }
}

/// Why a page can't be edited in its structure, so that it becomes a picture.
#[derive(Clone, Copy, Debug)]
pub struct Unsafe(pub &'static str);

/// What to redact on a page. Areas are in points from the upper left corner of the page as shown.
#[derive(Clone, Debug, Default)]
pub struct PagePlan {
    /// Those of the client, and those of found texts.
    pub areas: Vec<Rect>,
    /// The number of areas named by the client, which come first.
    pub regions: usize,
    /// How often each entry of `text` was found.
    pub matches: BTreeMap<usize, usize>,
    /// The page becomes a picture.
    pub as_picture: bool,
}

/// What to redact by page, counted from 0.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Only pages with something to redact.
    pub pages: BTreeMap<u32, PagePlan>,
    /// The text in regions that the client named, which must not remain invisibly elsewhere in the file.
    pub hidden: BTreeSet<String>,
}

/// Leftovers on a page.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// Each with the entry of `text` that is found there.
    pub areas: Vec<(Rect, usize)>,
    /// Something is left or was lost that more areas can't fix.
    pub unclean: bool,
}

/// Leftovers in the finished file.
#[derive(Clone, Debug, Default)]
pub struct Leftovers {
    /// Only pages with leftovers.
    pub pages: BTreeMap<u32, Left>,
    /// The number of objects with redacted text.
    pub objects: usize,
}

impl Leftovers {
    /// Whether the proof has succeeded.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.objects == 0
    }

    /// Adds leftovers of a page, if there are any.
    fn add(&mut self, page: u32, areas: Vec<(Rect, usize)>, unclean: bool) {
        if unclean || !areas.is_empty() {
            let left = self.pages.entry(page).or_default();
            left.unclean |= unclean;
            left.areas.extend(areas);
        }
    }
}

impl Plan {
    fn areas(&self, page: u32) -> &[Rect] {
        self.pages.get(&page).map_or(&[], |page| &page.areas)
    }

    /// Adds findings in a finished file. Returns whether they change the plan, so that another try makes sense.
    pub fn learn(&mut self, leftovers: &Leftovers) -> bool {
        let mut learned = false;
        for (number, left) in &leftovers.pages {
            let page = self.pages.entry(*number).or_default();
            let mut old = left.unclean;
            let before = page.areas.clone();
            for (area, entry) in &left.areas {
                let holds = |known: &Rect| known.contains(area.center());
                if page.areas.iter().any(holds) && !before.iter().any(holds) {
                    // Found in several ways.
                    continue;
                }
                let known = before.iter().any(holds);
                if known {
                    old = true;
                } else {
                    page.areas.push(*area);
                    *page.matches.entry(*entry).or_default() += 1;
                    learned = true;
                }
            }
            if old && !page.as_picture {
                page.as_picture = true;
                learned = true;
            }
        }
        learned
    }
}

/// The look of redacted areas.
#[derive(Clone, Debug)]
pub struct Cover<'a> {
    /// Red, green and blue.
    pub color: [u8; 3],
    /// Written into each area that has room.
    pub label: Option<&'a str>,
}

/// Whether a label is read as it is written, so that the proof can tell it from what is left: the letters of some scripts are joined or
/// reordered when they are drawn, and emoji have colors.
pub fn reads_back(label: &str) -> bool {
    label.chars().all(|letter| {
        matches!(letter, ' '..='\u{2ff}' | '\u{370}'..='\u{482}' | '\u{48a}'..='\u{58f}' | '\u{1e00}'..='\u{1fff}'
            | '\u{2010}'..='\u{2027}' | '\u{20a0}'..='\u{20cf}' | '\u{3000}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
    })
}

impl Cover<'_> {
    /// White on dark boxes, black on light ones.
    pub(crate) fn label_color(&self) -> [u8; 3] {
        let [r, g, b] = self.color.map(u32::from);
        if r * 3 + g * 6 + b < 1280 { [255; 3] } else { [0; 3] }
    }
}

/// The steps to take. Tests skip some to see that the proof fails.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// Remove glyphs and paths.
    pub content: bool,
    /// Paint over pixels.
    pub pictures: bool,
    /// Remove annotations and fields.
    pub annotations: bool,
    /// Remove words from titles, names and values.
    pub words: bool,
    /// Pages that can't be edited become pictures.
    pub as_pictures: bool,
}

impl Steps {
    /// Those of every redaction.
    pub const ALL: Self = Self { content: true, pictures: true, annotations: true, words: true, as_pictures: true };
}
