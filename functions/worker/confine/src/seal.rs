//! Notices changes of files that all children of a helper can see. Where Landlock is missing, a document that takes a child over
//! could change them for the next document.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The state of everything below a directory, except what belongs to one document only.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seal(BTreeMap<PathBuf, Stamp>);

/// Identifies an unchanged file. Nobody can set back the time of change (ctime) without the right to set the clock.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    /// Type and permissions.
    mode: u32,
    size: u64,
    changed: (i64, i64),
}

impl Seal {
    /// # Errors
    /// If the directory can't be read.
    pub(crate) fn of(directory: &Path) -> io::Result<Self> {
        let mut found = BTreeMap::new();
        collect(directory, &mut found)?;
        Ok(Self(found))
    }
}

fn collect(directory: &Path, found: &mut BTreeMap<PathBuf, Stamp>) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let about = std::fs::symlink_metadata(&path)?;
        if about.is_dir() {
            // Its times change whenever a document's own files come and go.
            collect(&path, found)?;
            continue;
        }
        let changed = (about.ctime(), about.ctime_nsec());
        found.insert(path, Stamp { inode: about.ino(), mode: about.mode(), size: about.size(), changed });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn changed_replaced_and_added_files_break_a_seal() {
        let home = tempfile::tempdir().unwrap();
        let [kept, added] = ["fonts.conf", "more.conf"].map(|name| home.path().join(name));
        fs::write(&kept, "one").unwrap();
        let sealed = Seal::of(home.path()).unwrap();
        assert_eq!(Seal::of(home.path()).unwrap(), sealed);
        // The same size and time of modification.
        let modified = fs::metadata(&kept).unwrap().modified().unwrap();
        fs::write(&kept, "two").unwrap();
        fs::File::options().write(true).open(&kept).unwrap().set_modified(modified).unwrap();
        assert_ne!(Seal::of(home.path()).unwrap(), sealed);
        let sealed = Seal::of(home.path()).unwrap();
        fs::write(&added, "").unwrap();
        assert_ne!(Seal::of(home.path()).unwrap(), sealed);
        fs::remove_file(&added).unwrap();
        assert_eq!(Seal::of(home.path()).unwrap(), sealed);
    }
}
