//! Pictures and remote resources that a body refers to.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::File;

/// Most bytes of pictures in a page. Each reference to a picture repeats it.
const MOST_BYTES: usize = 40 << 20;
/// Most different addresses that are counted.
const MOST_COUNTED: usize = 10_000;

/// The files that bodies may refer to, and the results of their references.
#[derive(Debug)]
pub(super) struct Pictures {
    files: Arc<Vec<File>>,
    allow_remote: bool,
    room: usize,
    /// Files that are shown.
    pub(super) shown: BTreeSet<usize>,
    /// Addresses that are not loaded.
    pub(super) blocked: BTreeSet<String>,
    /// The number of references without a target.
    pub(super) missing: u32,
    /// The number of pictures that are too large.
    pub(super) too_large: u32,
}

impl Pictures {
    fn new(files: Arc<Vec<File>>, allow_remote: bool) -> Self {
        let (shown, blocked) = (BTreeSet::new(), BTreeSet::new());
        Self { files, allow_remote, room: MOST_BYTES, shown, blocked, missing: 0, too_large: 0 }
    }

    /// The replacement of a reference. `None` shows nothing.
    pub(super) fn resolve(&mut self, reference: &str) -> Option<String> {
        let reference = reference.trim();
        let lower = reference.get(..8).unwrap_or(reference).to_ascii_lowercase();
        if lower.starts_with("data:") {
            return self.take(reference.len()).then(|| reference.replace('<', "%3C"));
        }
        if reference.is_empty() || reference.starts_with('#') {
            return None;
        }
        if lower.starts_with("cid:") {
            let id = percent_decoded(reference.get(4..).unwrap_or_default());
            let found = self
                .files
                .iter()
                .position(|file| file.content_id.as_deref().is_some_and(|known| known.eq_ignore_ascii_case(&id)));
            return self.show_or_miss(found);
        }
        let found = self.files.iter().position(|file| file.location.as_deref() == Some(reference));
        if found.is_some() {
            return self.show_or_miss(found);
        }
        let is_remote = lower.starts_with("http:") || lower.starts_with("https:") || lower.starts_with("//");
        if !is_remote {
            return self.show_or_miss(None);
        }
        if self.allow_remote {
            return Some(if lower.starts_with("//") {
                format!("https:{reference}")
            } else {
                reference.replace('<', "%3C")
            });
        }
        if self.blocked.len() < MOST_COUNTED {
            self.blocked.insert(reference.to_owned());
        }
        None
    }

    /// A file as a data URL.
    pub(super) fn show(&mut self, index: usize) -> Option<String> {
        let files = Arc::clone(&self.files);
        let file = files.get(index)?;
        if !self.take(file.bytes.len().div_ceil(3) * 4) {
            self.too_large = self.too_large.saturating_add(1);
            return None;
        }
        self.shown.insert(index);
        Some(format!("data:{};base64,{}", picture_type(file), BASE64.encode(&file.bytes)))
    }

    fn show_or_miss(&mut self, found: Option<usize>) -> Option<String> {
        if found.is_none() {
            self.missing = self.missing.saturating_add(1);
        }
        self.show(found?)
    }

    fn take(&mut self, bytes: usize) -> bool {
        let left = self.room.checked_sub(bytes);
        self.room = left.unwrap_or(self.room);
        left.is_some()
    }
}

/// Shared access for the attribute filter, which can't borrow mutably.
#[derive(Debug)]
pub(super) struct Shared(Mutex<Pictures>);

impl Shared {
    pub(super) fn new(files: Arc<Vec<File>>, allow_remote: bool) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Pictures::new(files, allow_remote))))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Pictures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Browsers recognise pictures by content, except for SVG, which needs the right type.
fn picture_type(file: &File) -> &str {
    let declared = file.media_type.as_deref().filter(|kind| kind.starts_with("image/"));
    let is_plain = |kind: &&str| kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/+-.".contains(&byte));
    declared.filter(is_plain).unwrap_or("image/png")
}

/// Whether the file is a picture that pages can show.
pub(super) fn is_picture(file: &File) -> bool {
    let kind = file.media_type.as_deref().unwrap_or_default();
    matches!(
        kind,
        "image/png" | "image/jpeg" | "image/jpg" | "image/gif" | "image/webp" | "image/bmp" | "image/svg+xml"
    )
}

fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
