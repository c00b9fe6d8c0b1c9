//! What a helper's children share, one after the other: a directory, and the files that all of them see.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

use crate::scratch;
use crate::seal::Seal;
use crate::{ForkedBy, environment};

/// A directory that children use one after the other, and the files that belong there.
pub(super) struct Room {
    directory: PathBuf,
    own: BTreeSet<PathBuf>,
}

impl Room {
    pub(super) fn of(directory: &Path) -> io::Result<Self> {
        Ok(Self { own: files_below(directory)?, directory: directory.to_owned() })
    }

    pub(super) fn clean(&self) -> io::Result<()> {
        remove_all_but(&self.directory, &self.own)
    }
}

/// Everything below a directory.
fn files_below(directory: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(files_below(&entry.path())?);
        }
        found.insert(entry.path());
    }
    Ok(found)
}

/// Removes everything below a directory except `keep`.
fn remove_all_but(directory: &Path, keep: &BTreeSet<PathBuf>) -> io::Result<()> {
    // A child may have removed permissions.
    scratch::unlock(directory)?;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let (path, is_directory) = (entry.path(), entry.file_type()?.is_dir());
        match (keep.contains(&path), is_directory) {
            (true, true) => remove_all_but(&path, keep)?,
            (true, false) => {}
            (false, true | false) => scratch::remove(&path)?,
        }
    }
    Ok(())
}

/// Looks for what a document may have left for the next one, where the kernel does not prevent it.
pub(super) struct Guard {
    /// The files that all children see.
    sealed: Option<Seal>,
}

impl Guard {
    /// `home`: the helper's own directory.
    pub(super) fn of(home: &Path, forked_by: ForkedBy) -> io::Result<Self> {
        Ok(Self { sealed: forked_by.is_watched().then(|| Seal::of(home)).transpose()? })
    }

    /// Fails, which ends this helper, if the last document left a process or changed a file.
    pub(super) fn check(&self, home: &Path, spare: Option<Pid>) -> io::Result<()> {
        let Some(sealed) = &self.sealed else { return Ok(()) };
        if environment::has_other_children(spare)? {
            return Err(io::Error::other("a document left a process behind"));
        }
        if Seal::of(home)? != *sealed {
            return Err(io::Error::other("a document changed the files of the next ones"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_of_a_child_are_removed_and_files_of_the_engine_are_kept() {
        let home = tempfile::TempDir::new().unwrap();
        let (kept, left) = (home.path().join("tmp/lu1/key.db"), home.path().join("tmp/lu1/left/over"));
        std::fs::create_dir_all(kept.parent().unwrap()).unwrap();
        std::fs::write(&kept, "").unwrap();
        let room = Room::of(home.path()).unwrap();
        std::fs::create_dir_all(left.parent().unwrap()).unwrap();
        std::fs::write(&left, "").unwrap();
        std::fs::create_dir_all(home.path().join("profile/user/basic")).unwrap();
        for locked in ["profile/user", "profile", "tmp"] {
            std::fs::set_permissions(home.path().join(locked), std::os::unix::fs::PermissionsExt::from_mode(0o000))
                .unwrap();
        }
        room.clean().unwrap();
        assert_eq!(files_below(home.path()).unwrap(), room.own);
        assert!(kept.exists());
    }
}
