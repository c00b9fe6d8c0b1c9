//! Cursors: places in lists, opaque to clients. A cursor is refused in other lists, with other filters and in other accounts.
//!
//! They are not signed, because they grant nothing: each list reads only what belongs to its caller, wherever it begins.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use docmill_domain::breach::Breach;
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::error::ApiError;

/// Enough bytes of a digest that no cursor fits another list by accident.
const TAG_BYTES: usize = 8;

/// The cursors of one list.
#[derive(Clone, Debug)]
pub struct Cursors(String);

impl Cursors {
    /// Those of the list of an account with these filters. `list`: its path.
    pub fn of(list: &str, account: &str, filters: impl Serialize) -> Self {
        Self(json!([list, account, filters]).to_string())
    }

    /// The cursor of a place.
    pub fn write(&self, place: impl std::fmt::Display) -> String {
        let place = place.to_string();
        BASE64.encode([&self.tag(&place), place.as_bytes()].concat())
    }

    /// Where a page begins, read by `parse`. `None` without a cursor: at the beginning.
    ///
    /// # Errors
    /// If the cursor is not one of this list.
    pub fn start<P>(&self, cursor: Option<&str>, parse: impl FnOnce(&str) -> Option<P>) -> Result<Option<P>, ApiError> {
        let Some(cursor) = cursor else { return Ok(None) };
        let message = "must be the `nextCursor` of a page of this list, with the same filters";
        match self.place(cursor).as_deref().and_then(parse) {
            Some(place) => Ok(Some(place)),
            None => Err(ApiError::validation(vec![Breach::new("?cursor", message)])),
        }
    }

    fn place(&self, cursor: &str) -> Option<String> {
        let bytes = BASE64.decode(cursor).ok()?;
        let (tag, place) = bytes.split_at_checked(TAG_BYTES)?;
        let place = std::str::from_utf8(place).ok()?;
        (self.tag(place) == tag).then(|| place.to_owned())
    }

    fn tag(&self, place: &str) -> [u8; TAG_BYTES] {
        // A place has no line break, so that no place runs into the list.
        let digest = Sha256::new().chain_update(place).chain_update("\n").chain_update(&self.0).finalize();
        let mut tag = [0; TAG_BYTES];
        tag.iter_mut().zip(digest).for_each(|(byte, digest)| *byte = digest);
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursors(filter: &str) -> Cursors {
        Cursors::of("/v1/jobs", "acc_a", json!({"tool": filter}))
    }

    fn read(cursors: &Cursors, cursor: &str) -> Option<String> {
        cursors.start(Some(cursor), |place| Some(place.to_owned())).ok().flatten()
    }

    #[test]
    fn a_cursor_only_works_for_its_list_account_and_filters() {
        let cursor = cursors("a").write(17951);
        assert_eq!(read(&cursors("a"), &cursor).as_deref(), Some("17951"));
        let filters = json!({"tool": "a"});
        for other in
            [cursors("b"), Cursors::of("/v1/jobs", "acc_b", &filters), Cursors::of("/v1/batches", "acc_a", &filters)]
        {
            assert_eq!(read(&other, &cursor), None, "{other:?}");
        }
        assert!(!cursor.contains("17951"), "opaque");
        assert!(cursors("a").start(Some(&cursor), |_| None::<u32>).is_err(), "not a place of the list");
        assert_eq!(cursors("a").start(None, |_| Some(1)).ok(), Some(None));
    }

    #[test]
    fn a_changed_cursor_is_invalid() {
        let cursors = cursors("a");
        let cursor = cursors.write("1795176000007.01935f6b");
        for place in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(read(&cursors, &changed), None, "{changed}");
        }
        for text in ["", "A", "AAAAAAAAAAA", "not base64!", &cursor[1..], &format!("{cursor}A")] {
            assert_eq!(read(&cursors, text), None, "{text}");
        }
    }
}
