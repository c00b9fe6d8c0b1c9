//! Cursors: a place in an account's filtered list, opaque and signed. Cursors of other accounts or filters are refused.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use docmill_store::jobs::{JobFilter, JobMark};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;

type HmacSha256 = Hmac<Sha256>;

/// The setting with the secret, resolved at deployment so that requests need not read it. It signs nothing else: this function
/// must not be able to sign the dashboard's cookies.
const SECRET: &str = "CURSOR_KEY";
const SHORTEST_SECRET: usize = 32;
/// Separates this key from others that are derived from the same secret.
const PURPOSE: &[u8] = b"cursors of the list of jobs, version 1";
/// Length of the sent signature: 128 bits can't be guessed.
const TAG_BYTES: usize = 16;

#[derive(Debug, thiserror::Error)]
#[error("the environment variable {SECRET} must hold at least {SHORTEST_SECRET} characters")]
pub struct NoSecret;

#[derive(Clone)]
pub struct CursorKey(HmacSha256);

impl std::fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CursorKey(..)")
    }
}

impl CursorKey {
    pub fn of_environment() -> Result<Self, NoSecret> {
        Self::derived_from(&std::env::var(SECRET).unwrap_or_default())
    }

    pub fn derived_from(secret: &str) -> Result<Self, NoSecret> {
        if secret.len() < SHORTEST_SECRET {
            return Err(NoSecret);
        }
        let key = keyed(secret.as_bytes())?.chain_update(PURPOSE).finalize().into_bytes();
        keyed(&key).map(Self)
    }

    pub fn sign(&self, mark: JobMark, account: &str, filter: &JobFilter) -> String {
        let mark = mark.to_string();
        let mut signed = self.tag(&mark, account, filter).finalize().into_bytes()[..TAG_BYTES].to_vec();
        signed.extend(mark.as_bytes());
        BASE64.encode(signed)
    }

    /// `None` if the cursor is invalid or belongs to another list.
    pub fn read(&self, cursor: &str, account: &str, filter: &JobFilter) -> Option<JobMark> {
        let signed = BASE64.decode(cursor).ok()?;
        let (tag, mark) = signed.split_at_checked(TAG_BYTES)?;
        let mark = std::str::from_utf8(mark).ok()?;
        self.tag(mark, account, filter).verify_truncated_left(tag).ok()?;
        JobMark::parse(mark)
    }

    /// Signs the parts as JSON, so that no part can run into the next.
    fn tag(&self, mark: &str, account: &str, filter: &JobFilter) -> HmacSha256 {
        self.0.clone().chain_update(json!([mark, account, filter]).to_string())
    }
}

fn keyed(key: &[u8]) -> Result<HmacSha256, NoSecret> {
    HmacSha256::new_from_slice(key).map_err(|_| NoSecret)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn a_cursor_only_works_for_its_account_and_filter() {
        let key = CursorKey::derived_from(SECRET).unwrap();
        let mark = JobMark::parse("1795176000007.01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90").unwrap();
        let all = JobFilter::default();
        let some = JobFilter { tool: Some("html-to-pdf".into()), ..JobFilter::default() };
        let cursor = key.sign(mark, "acc_a", &all);
        assert_eq!(key.read(&cursor, "acc_a", &all), Some(mark));
        assert_eq!(key.read(&cursor, "acc_b", &all), None);
        assert_eq!(key.read(&cursor, "acc_a", &some), None);
        let other = CursorKey::derived_from(&SECRET.replace('0', "1")).unwrap();
        assert_eq!(other.read(&cursor, "acc_a", &all), None);
        assert!(!cursor.contains("1795176000007"), "opaque");
    }

    #[test]
    fn a_changed_cursor_is_invalid() {
        let key = CursorKey::derived_from(SECRET).unwrap();
        let mark = JobMark::parse("1795176000007.01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90").unwrap();
        let cursor = key.sign(mark, "acc_a", &JobFilter::default());
        for place in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(key.read(&changed, "acc_a", &JobFilter::default()), None, "{changed}");
        }
        for text in ["", "A", "AAAAAAAAAAAAAAAAAAAAAA", "not base64!", &cursor[1..], &format!("{cursor}A")] {
            assert_eq!(key.read(text, "acc_a", &JobFilter::default()), None, "{text}");
        }
    }

    #[test]
    fn a_secret_that_is_too_short_is_refused() {
        assert!(CursorKey::derived_from("short").is_err());
    }
}
