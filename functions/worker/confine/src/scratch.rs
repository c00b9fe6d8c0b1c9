//! Directories that children have written: finds and removes their content at any depth and with any permissions.

use std::fs::{self, File, Permissions, ReadDir};
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open, openat};
use tempfile::TempDir;

/// A job's own directory. It goes, with all that is in it, when this is dropped.
#[derive(Debug)]
pub struct Scratch(TempDir);

impl Scratch {
    /// A new directory in the system's temporary one, for this user alone.
    ///
    /// # Errors
    /// If it can't be created.
    pub fn new() -> io::Result<Self> {
        TempDir::new().map(Self)
    }

    /// Of the directory.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = remove(self.path()) {
            tracing::error!(%error, "a job's directory could not be removed");
        }
    }
}

/// The entries of a directory, also of one that a child has made unreadable.
///
/// # Errors
/// If it is not a directory, or its permissions can't be set.
pub fn entries(directory: &Path) -> io::Result<ReadDir> {
    match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            unlock(directory)?;
            fs::read_dir(directory)
        }
        result => result,
    }
}

/// Opens what a child wrote, once no process writes it any more. A child may put a link there, or in the place of a directory that
/// leads there, or a pipe at which a reader would wait for ever: only a file is opened, and no link is followed.
///
/// # Errors
/// If it is no file, or can't be opened.
pub fn open_written(path: &Path) -> io::Result<File> {
    open_file(path, OFlags::RDONLY)
}

/// The same, to be changed in its place.
///
/// # Errors
/// If it is no file, or can't be opened.
pub fn open_to_change(path: &Path) -> io::Result<File> {
    open_file(path, OFlags::RDWR)
}

fn open_file(path: &Path, flags: OFlags) -> io::Result<File> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    let directory = open_directory(path.parent().unwrap_or(Path::new("")))?;
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(&directory, name, flags, Mode::empty())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::new(ErrorKind::InvalidData, "not a file")) }
}

/// Follows no link below the temporary directory. Children write nowhere else.
fn open_directory(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let top = std::env::temp_dir();
    let (top, below) = path.strip_prefix(&top).map_or((path, Path::new("")), |below| (top.as_path(), below));
    let top = if top == Path::new("") { Path::new(".") } else { top };
    let mut directory = open(top, flags, Mode::empty())?;
    for component in below.components() {
        directory = openat(&directory, component.as_os_str(), flags | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Ok(directory)
}

/// Puts a file where a child sees it, in the place of what an earlier attempt left there. Links the file that was
/// opened, even if its name leads elsewhere by now.
///
/// # Errors
/// If the file can't be linked, or what lies there can't be removed.
pub fn place(file: &Path, to: &Path) -> io::Result<()> {
    let mut file = open_written(file)?;
    match remove(to) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let opened = format!("/proc/self/fd/{}", file.as_raw_fd());
    if linkat(CWD, opened, CWD, to, AtFlags::SYMLINK_FOLLOW).is_err() {
        // Another file system, or one without links, or another owner's file.
        io::copy(&mut file, &mut File::create_new(to)?)?;
    }
    Ok(())
}

/// Lets the owner, which children share, do everything with a directory again.
pub(crate) fn unlock(directory: &Path) -> io::Result<()> {
    fs::set_permissions(directory, Permissions::from_mode(0o700))
}

/// Removes a file, or a directory with all that is in it.
///
/// # Errors
/// If something of it is still there.
pub fn remove(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path);
    }
    match fs::remove_dir_all(path) {
        // Removes everything despite missing permissions, depth, or path names that are too long.
        Err(_) if path.exists() => {
            empty(path)?;
            fs::remove_dir(path)
        }
        result => result,
    }
}

/// Empties a directory without going deeper than one level: what is found there is moved up first.
fn empty(top: &Path) -> io::Result<()> {
    let mut number = 0_u64;
    unlock(top)?;
    loop {
        let mut directories: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(top)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() { directories.push(entry.path()) } else { fs::remove_file(entry.path())? }
        }
        if directories.is_empty() {
            return Ok(());
        }
        for directory in directories {
            unlock(&directory)?;
            for entry in fs::read_dir(&directory)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    // What is moved must be open too: its entry for its parent changes.
                    unlock(&entry.path())?;
                    move_up(&entry.path(), top, &mut number)?;
                } else {
                    fs::remove_file(entry.path())?;
                }
            }
            fs::remove_dir(directory)?;
        }
    }
}

/// Moves a directory to a name that nothing has yet.
fn move_up(directory: &Path, top: &Path, number: &mut u64) -> io::Result<()> {
    loop {
        *number += 1;
        match fs::rename(directory, top.join(format!("removed-{number}"))) {
            Err(error) if matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::NotADirectory) => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked(directory: &Path) {
        fs::set_permissions(directory, Permissions::from_mode(0o000)).unwrap();
    }

    #[test]
    fn directories_without_rights_are_read_and_removed() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.path().to_owned();
        fs::create_dir_all(path.join("outer/inner")).unwrap();
        fs::write(path.join("outer/inner/secret"), "of a customer").unwrap();
        fs::write(path.join("outer/removed-1"), "in the way").unwrap();
        fs::create_dir(path.join("removed-1")).unwrap();
        fs::write(path.join("removed-1/file"), "in the way").unwrap();
        locked(&path.join("outer/inner"));
        assert_eq!(entries(&path.join("outer/inner")).unwrap().count(), 1);
        locked(&path.join("outer/inner"));
        locked(&path.join("outer"));
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn directories_too_deep_for_a_path_are_removed() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.path().to_owned();
        // Built from the inside out, since no path would lead to the innermost.
        let name = "n".repeat(200);
        fs::create_dir(path.join("0")).unwrap();
        fs::write(path.join("0/file"), "deep").unwrap();
        for depth in 1..60 {
            fs::create_dir(path.join(depth.to_string())).unwrap();
            fs::rename(path.join((depth - 1).to_string()), path.join(depth.to_string()).join(&name)).unwrap();
        }
        locked(&path.join("59"));
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn only_files_are_opened() {
        let scratch = Scratch::new().unwrap();
        let at = |name| scratch.path().join(name);
        fs::write(at("file"), "written").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
            .unwrap();
        assert_eq!(io::read_to_string(open_written(&at("file")).unwrap()).unwrap(), "written");
        for other in ["link", "pipe", ".", "missing"] {
            assert!(open_written(&at(other)).is_err(), "{other}");
            assert!(place(&at(other), &at("placed")).is_err() && !at("placed").exists(), "{other}");
        }
        // This process's environment is a file: a directory that leads to it is a link.
        std::os::unix::fs::symlink("/proc/self", at("results")).unwrap();
        assert!(open_written(&at("results/environ")).is_err());
        assert!(open_written(&at("results/../file")).is_err());
    }

    #[test]
    fn files_are_placed_over_what_was_there() {
        let scratch = Scratch::new().unwrap();
        let at = |name| scratch.path().join(name);
        fs::write(at("file"), "new").unwrap();
        fs::write(at("kept"), "kept").unwrap();
        std::os::unix::fs::symlink(at("kept"), at("placed")).unwrap();
        place(&at("file"), &at("placed")).unwrap();
        assert_eq!(fs::read_to_string(at("placed")).unwrap(), "new");
        assert_eq!(fs::read_to_string(at("kept")).unwrap(), "kept");
        place(&at("file"), &at("placed")).unwrap();
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "new", "it is not copied onto itself");
    }

    #[test]
    fn links_are_removed_and_not_followed() {
        let (scratch, elsewhere) = (Scratch::new().unwrap(), tempfile::tempdir().unwrap());
        let path = scratch.path().to_owned();
        fs::write(elsewhere.path().join("kept"), "").unwrap();
        fs::create_dir(path.join("locked")).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), path.join("locked/link")).unwrap();
        locked(&path.join("locked"));
        drop(scratch);
        assert!(!path.exists() && elsewhere.path().join("kept").exists());
    }
}
