//! The folder of a local run, which only its user can read. It is removed at the end, and after a kill by the next run.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::failure::{Doing, Outcome};

const PREFIX: &str = "docmill-local-";
/// Locked by the process that the folder belongs to.
const OWNER: &str = "owner";
/// How long engines that were killed may still write before a folder is left to the next run.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(super) struct Scratch {
    folder: PathBuf,
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
        Ok(Self { folder: folder.keep(), _owner: owner })
    }

    pub(super) fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Removes a folder, although processes that were killed may still add to it. What can't be removed is left to the next run.
fn remove(folder: &Path) {
    let started = Instant::now();
    while remove_once(folder).is_err() && folder.exists() && started.elapsed() < PATIENCE {
        std::thread::sleep(PAUSE);
    }
}

/// The owner's file goes last: the next run recognizes the folder by it.
fn remove_once(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            std::fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != OWNER {
            std::fs::remove_file(entry.path())?;
        }
    }
    match std::fs::remove_file(folder.join(OWNER)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => std::fs::remove_dir(folder),
    }
}

/// Removes the folders of runs that were killed.
fn remove_abandoned(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        // A run that has just begun has no such file yet.
        if is_ours
            && let Ok(owner) = File::open(entry.path().join(OWNER))
            && is_abandoned(&owner)
        {
            remove(&entry.path());
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

    #[test]
    fn a_folder_is_removed_although_a_process_still_writes_to_it() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::within(parent.path()).unwrap();
        let folder = scratch.path().to_owned();
        let mut writer = std::process::Command::new("sh")
            .args(["-c", "for i in $(seq 5000); do mkdir -p a/$i; : > a/$i/b; done 2>/dev/null"])
            .current_dir(&folder)
            .spawn()
            .unwrap();
        while !folder.join("a").exists() {
            std::thread::yield_now();
        }
        drop(scratch);
        assert!(!folder.exists());
        writer.wait().unwrap();
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
