//! The bookmarks of a document.

use super::ffi::Handle;
use super::{Document, utf16};

/// Most bookmarks, and how deeply they are nested: the file may make circles of them.
const MOST: usize = 10_000;
const DEPTH: u8 = 32;

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bookmark {
    /// From 1.
    pub level: u8,
    /// As viewers show it.
    pub title: String,
    /// Counted from 0. `None` if it leads to no page.
    pub page: Option<u32>,
}

impl Document<'_> {
    /// The bookmarks in order.
    pub fn bookmarks(&self) -> Vec<Bookmark> {
        let mut found = Vec::new();
        self.bookmarks_below(std::ptr::null_mut(), 1, &mut found);
        found
    }

    fn bookmarks_below(&self, parent: Handle, level: u8, found: &mut Vec<Bookmark>) -> Option<()> {
        let api = self.session.api;
        let (first, next, title) =
            (api.FPDFBookmark_GetFirstChild?, api.FPDFBookmark_GetNextSibling?, api.FPDFBookmark_GetTitle?);
        // SAFETY: The document is open. Null is the parent of the first level.
        let mut bookmark = unsafe { first(self.handle, parent) };
        while !bookmark.is_null() && found.len() < MOST && level <= DEPTH {
            // SAFETY: The bookmark is the open document's, and the buffer has the length that is said.
            let title = utf16(|buffer, length| unsafe { title(bookmark, buffer, length) });
            found.push(Bookmark { level, title, page: self.page_of(bookmark) });
            self.bookmarks_below(bookmark, level + 1, found);
            // SAFETY: As above.
            bookmark = unsafe { next(self.handle, bookmark) };
        }
        Some(())
    }

    fn page_of(&self, bookmark: Handle) -> Option<u32> {
        let api = self.session.api;
        let (destination, action, of_action, page) = (
            api.FPDFBookmark_GetDest?,
            api.FPDFBookmark_GetAction?,
            api.FPDFAction_GetDest?,
            api.FPDFDest_GetDestPageIndex?,
        );
        // SAFETY: The bookmark is the open document's, and so is what it leads to. What there is not is null, which is not used.
        unsafe {
            let mut place = destination(self.handle, bookmark);
            if place.is_null() {
                let action = action(bookmark);
                place = if action.is_null() { place } else { of_action(self.handle, action) };
            }
            if place.is_null() { None } else { u32::try_from(page(self.handle, place)).ok() }
        }
    }
}
