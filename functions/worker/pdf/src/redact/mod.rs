//! Redaction with proof: a [`Redaction`] finds the places (`find`), removes them (`apply`), and searches for leftovers by other means
//! (`prove`).
//!
//! Pages are edited in their structure: glyphs, paths and pixels in an area are removed, and everything else stays. What can't be
//! edited safely becomes a picture with the area painted over. No step is trusted: `prove` reads the finished file.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

mod annotations;
mod apply;
mod boxes;
mod confirmed_words;
mod content;
mod files;
mod find;
mod fonts;
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
mod state;
mod strings;
mod tags;
mod unread;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use apply::Applied;
use files::Files;
pub(crate) use hidden::Removed;
pub(crate) use needle::{Needles, Wanted, texts};
pub(crate) use ocr_pool::OcrPool;
pub(crate) use prove::Checks;

use crate::pdfium::Rect;
use crate::{Engines, Failure, Request};

/// One redaction: the files, what is to be removed from them, and what takes its place.
#[derive(Debug)]
pub(crate) struct Redaction<'r> {
    engines: &'r Engines,
    request: &'r Request,
    needles: &'r Needles,
    cover: Cover<'r>,
    steps: Steps,
    pub(crate) files: Files,
    pub(crate) plan: Plan,
}

/// What a client wants to be redacted.
#[derive(Debug)]
pub(crate) struct Order<'r> {
    pub(crate) needles: &'r Needles,
    /// By page, counted from 0.
    pub(crate) regions: &'r [(u32, Rect)],
    /// All metadata, not only what mentions a needle.
    pub(crate) metadata: bool,
    pub(crate) cover: Cover<'r>,
    /// The result's file name.
    pub(crate) result: &'r str,
}

impl<'r> Redaction<'r> {
    /// Removes hidden content from the source, and plans the rest.
    pub(crate) fn prepare(
        engines: &'r Engines,
        request: &'r Request,
        order: Order<'r>,
        steps: Steps,
    ) -> Result<Self, Failure> {
        let Order { needles, regions, metadata, cover, result } = order;
        let files = Files::prepare(engines, request, needles, metadata, result)?;
        let plan = find::find(engines, &files.flat, regions, needles)?;
        Ok(Self { engines, request, needles, cover, steps, files, plan })
    }

    /// The needles, and the text of regions, which must not remain elsewhere in the file.
    fn hidden_needles(&self) -> Needles {
        self.needles.with_literals(self.plan.hidden.iter().cloned())
    }
}

/// Why a page can't be edited in its structure, so that it becomes a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unsafe(pub(crate) &'static str);

/// What to redact on a page. Areas are in points from the upper left corner of the page as shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct PagePlan {
    pub(crate) areas: Vec<Rect>,
    /// The number of areas named by the client, which come first.
    pub(crate) regions: usize,
    /// How often each entry of `text` was found.
    pub(crate) matches: BTreeMap<usize, usize>,
    /// The page becomes a picture.
    pub(crate) as_picture: bool,
}

/// What to redact by page, counted from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) pages: BTreeMap<u32, PagePlan>,
    /// The text in regions that the client named, which must not remain invisibly elsewhere in the file.
    pub(crate) hidden: BTreeSet<String>,
}

/// Leftovers on a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Left {
    pub(crate) areas: Vec<(Rect, usize)>,
    /// Something is left or was lost that more areas can't fix.
    pub(crate) unclean: bool,
}

/// Leftovers in the finished file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leftovers {
    pub(crate) pages: BTreeMap<u32, Left>,
    /// The number of objects with redacted text.
    pub(crate) objects: usize,
}

impl Leftovers {
    pub(crate) fn is_empty(&self) -> bool {
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
    pub(crate) fn learn(&mut self, leftovers: &Leftovers) -> bool {
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
pub(crate) struct Cover<'a> {
    pub(crate) color: [u8; 3],
    pub(crate) label: Option<&'a str>,
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
pub(crate) struct Steps {
    pub(crate) content: bool,
    pub(crate) pictures: bool,
    pub(crate) annotations: bool,
    pub(crate) words: bool,
    /// Pages that can't be edited become pictures.
    pub(crate) as_pictures: bool,
}

impl Steps {
    pub(crate) const ALL: Self =
        Self { content: true, pictures: true, annotations: true, words: true, as_pictures: true };
}
