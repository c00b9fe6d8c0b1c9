//! Fonts of accounts: fetched for jobs that draw text, and cached for the account's later jobs.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use docmill_aws::files::{Files, ObjectKey};
use docmill_domain::font::{FontId, StoredFont};
use docmill_domain::tool::EngineKind;
use docmill_engine::Failure;
use docmill_fonts::{Format, MOST_BYTES, NO_FONTS, OwnFonts};
use docmill_store::fonts::Fonts;

/// Most cached bytes for all accounts.
const MOST_KEPT_BYTES: u64 = 256 << 20;

/// The source of a job's own fonts.
#[derive(Clone, Copy, Debug)]
pub enum FontSource<'a> {
    None,
    Account(AccountFonts<'a>),
    /// Files that [`docmill_fonts::read`] has checked in this process.
    Read(&'a [docmill_fonts::Font]),
}

/// The fonts of one account.
#[derive(Clone, Copy, Debug)]
pub struct AccountFonts<'a> {
    pub fonts: &'a Fonts,
    pub files: &'a Files,
    pub cache: &'a FontCache,
    pub account: &'a str,
}

/// Whether an engine draws text.
pub(crate) const fn uses_fonts(engine: EngineKind) -> bool {
    match engine {
        EngineKind::LibreOffice | EngineKind::Chromium | EngineKind::Sghtmltopdf | EngineKind::Markdown => true,
        EngineKind::PdfTools | EngineKind::Signer => false,
    }
}

impl FontSource<'_> {
    /// Whose fonts, and so whose job it is. `None` on a machine of one's own.
    pub(crate) const fn account(&self) -> Option<&str> {
        match self {
            Self::Account(fonts) => Some(fonts.account),
            Self::None | Self::Read(_) => None,
        }
    }

    /// Puts the fonts into their own directory below `scratch`.
    pub async fn obtain(&self, scratch: &Path) -> Result<OwnFonts, Failure> {
        match self {
            Self::None => Ok(NO_FONTS.clone()),
            Self::Account(account) => account.obtain(scratch).await,
            Self::Read(fonts) => {
                let mut placed = Placed::in_directory(scratch);
                for font in *fonts {
                    let faces = font.faces.iter();
                    let families = faces.flat_map(|face| face.aliases.iter().chain([&face.family]));
                    placed.put(&font.file, families.map(|name| name.to_lowercase())).map_err(unplaced)?;
                }
                Ok(placed.fonts())
            }
        }
    }
}

impl AccountFonts<'_> {
    async fn obtain(&self, scratch: &Path) -> Result<OwnFonts, Failure> {
        let fonts = self.fonts.of_account(self.account).await.map_err(|error| Failure::internal(error.to_string()))?;
        let mut fonts: Vec<_> = fonts.into_iter().collect();
        fonts.sort_by(|(one, font), (other, next)| (font.created_at, one).cmp(&(next.created_at, other)));
        let mut placed = Placed::in_directory(scratch);
        for (id, font) in fonts {
            let Some(bytes) = self.bytes(&id, &font).await? else { continue };
            placed.put(&bytes, font.families()).map_err(unplaced)?;
        }
        Ok(placed.fonts())
    }

    /// `None` if the font was deleted in the meantime.
    async fn bytes(&self, id: &FontId, font: &StoredFont) -> Result<Option<Vec<u8>>, Failure> {
        if let Some(bytes) = self.cache.find(self.account, id).map_err(unplaced)? {
            return Ok(Some(bytes));
        }
        let key = ObjectKey::Font { account: self.account, upload: &font.upload }.to_string();
        let fetched = self.files.get_bytes(&key, MOST_BYTES).await;
        let fetched = fetched.map_err(|error| Failure::internal(format!("reading a font: {error}")))?;
        if let Some(bytes) = &fetched {
            self.cache.keep(self.account, id, bytes).map_err(unplaced)?;
        } else {
            tracing::warn!(account = self.account, "a listed font is missing in the bucket");
        }
        Ok(fetched)
    }
}

fn unplaced(error: io::Error) -> Failure {
    Failure::internal(format!("placing a font: {error}"))
}

/// Fonts that are being placed in a job's directory.
struct Placed {
    directory: PathBuf,
    files: Vec<PathBuf>,
    families: BTreeSet<String>,
}

impl Placed {
    fn in_directory(scratch: &Path) -> Self {
        Self { directory: scratch.join("fonts"), files: Vec::new(), families: BTreeSet::new() }
    }

    fn put(&mut self, font: &[u8], families: impl Iterator<Item = String>) -> io::Result<()> {
        std::fs::create_dir_all(&self.directory)?;
        // LibreOffice recognises collections by their extension.
        let extension = Format::of(font).map_or("ttf", Format::as_str);
        let path = self.directory.join(format!("{}.{extension}", self.files.len()));
        std::fs::write(&path, font)?;
        self.files.push(path);
        self.families.extend(families);
        Ok(())
    }

    fn fonts(self) -> OwnFonts {
        OwnFonts::new(self.directory, self.files, self.families)
    }
}

/// Caches fonts of earlier jobs in unnamed files, which children can't open.
#[derive(Debug, Default)]
pub struct FontCache(Mutex<Vec<Kept>>);

/// Least recently used first.
#[derive(Debug)]
struct Kept {
    account: String,
    id: FontId,
    file: File,
    bytes: u64,
}

impl FontCache {
    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, account: &str, id: &FontId) -> io::Result<Option<Vec<u8>>> {
        let mut all = self.lock();
        let Some(position) = all.iter().position(|kept| kept.account == account && kept.id == *id) else {
            return Ok(None);
        };
        let mut kept = all.remove(position);
        let mut bytes = Vec::new();
        kept.file.rewind()?;
        io::Read::read_to_end(&mut kept.file, &mut bytes)?;
        all.push(kept);
        Ok(Some(bytes))
    }

    fn keep(&self, account: &str, id: &FontId, font: &[u8]) -> io::Result<()> {
        let mut file = tempfile::tempfile()?;
        file.write_all(font)?;
        let mut all = self.lock();
        all.push(Kept { account: account.to_owned(), id: id.clone(), file, bytes: font.len() as u64 });
        let mut total: u64 = all.iter().map(|kept| kept.bytes).sum();
        while total > MOST_KEPT_BYTES && all.len() > 1 {
            total -= all.remove(0).bytes;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_font_is_kept_for_its_account_alone() {
        let (cache, id) = (FontCache::default(), FontId::of(b"font"));
        cache.keep("one", &id, b"font").unwrap();
        assert_eq!(cache.find("one", &id).unwrap().as_deref(), Some(&b"font"[..]));
        assert_eq!(cache.find("one", &id).unwrap().as_deref(), Some(&b"font"[..]), "read again");
        assert_eq!(cache.find("two", &id).unwrap(), None);
        assert_eq!(cache.find("one", &FontId::of(b"other")).unwrap(), None);
    }

    #[test]
    fn the_least_recently_used_font_is_dropped_first() {
        let cache = FontCache::default();
        let large = vec![0; usize::try_from(MOST_KEPT_BYTES / 3).unwrap()];
        let ids = [b"a", b"b", b"c", b"d"].map(|name| FontId::of(name));
        for id in &ids[..3] {
            cache.keep("one", id, &large).unwrap();
        }
        assert!(cache.find("one", &ids[0]).unwrap().is_some());
        cache.keep("one", &ids[3], &large).unwrap();
        let kept = ids.map(|id| cache.find("one", &id).unwrap().is_some());
        assert_eq!(kept, [true, false, true, true]);
    }
}
