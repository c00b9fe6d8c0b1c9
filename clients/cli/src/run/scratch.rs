//! The folder of a local run, which only its user can read. It is removed at the end, and after a kill by the next run.

use std::fs::{File, TryLockError};
use std::path::Path;

use tempfile::TempDir;

use crate::failure::{Doing, Outcome};

const PREFIX: &str = "docmill-local-";
/// Locked by the process that the folder belongs to.
const OWNER: &str = "owner";

#[derive(Debug)]
pub(super) struct Scratch {
    folder: TempDir,
    _owner: File,
}

impl Scratch {
    pub(super) fn new() -> Outcome<Self> {
        Self::within(&std::env::temp_dir())
    }

    fn within(parent: &Path) -> Outcome<Self> {
        let doing = "Making a temporary folder";
        remove_abandoned(parent);
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.tempdir_in(parent).doing(doing)?;
        let owner = File::create(folder.path().join(OWNER)).doing(doing)?;
        owner.lock().doing(doing)?;
        Ok(Self { folder, _owner: owner })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of runs that were killed. What can't be read or removed now is left to the next run.
fn remove_abandoned(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        // A run that has just begun has no such file yet.
        if is_ours
            && let Ok(owner) = File::open(entry.path().join(OWNER))
            && is_abandoned(&owner)
        {
            drop(std::fs::remove_dir_all(entry.path()));
        }
    }
}

fn is_abandoned(owner: &File) -> bool {
    match owner.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_abandoned_folders_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let running = Scratch::within(parent.path()).unwrap();
        let abandoned = parent.path().join("docmill-local-1");
        std::fs::create_dir(&abandoned).unwrap();
        File::create(abandoned.join(OWNER)).unwrap();
        std::fs::write(abandoned.join("private.pdf"), "x").unwrap();
        let foreign = parent.path().join("foreign");
        std::fs::create_dir(&foreign).unwrap();
        File::create(foreign.join(OWNER)).unwrap();
        let next = Scratch::within(parent.path()).unwrap();
        assert!(running.path().exists() && foreign.exists() && !abandoned.exists());
        let path = next.path().to_owned();
        drop(next);
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::within(parent.path()).unwrap();
        assert_eq!(scratch.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
}
