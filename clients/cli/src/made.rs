//! What this command has made, so that it replaces nothing else.
//!
//! A file in the state folder has a line for each result: a digest of its path, its size, the time of its last change, and digests
//! of what it was made of and of the command that made it. A result that somebody changed since then is no longer the command's own.
//! A result of one document or command is never replaced by that of another.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use docmill_domain::sha256_hex;
use serde::{Deserialize, Serialize};

use crate::failure::{Doing, Outcome};
use crate::folders;
use crate::plan::outputs::with_stem;

const NAME: &str = "made.jsonl";
/// A list of more lines is cut to its newest half.
const MOST_LINES: usize = 20_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Line {
    file: String,
    bytes: u64,
    modified: u64,
    /// Older lines do not say.
    #[serde(default)]
    source: String,
    #[serde(default)]
    command: String,
}

impl Line {
    /// How the file looks now, as a result of this source and command; `None` if it does not exist.
    fn of(path: &Path, source: &str, command: &str) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        let absolute = path.canonicalize().ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let modified = u64::try_from(modified.as_nanos()).ok()?;
        let file = digest(&absolute.display().to_string());
        Some(Self { file, bytes: metadata.len(), modified, source: digest(source), command: digest(command) })
    }
}

fn digest(text: &str) -> String {
    sha256_hex(text.as_bytes())[..32].to_owned()
}

/// Decides which files may be written.
#[derive(Debug)]
pub struct Made {
    /// `None` on a machine without a folder for such things: then every file that exists is somebody else's.
    list: Option<PathBuf>,
    known: RefCell<HashMap<String, Line>>,
    /// Files that may be replaced whoever made them.
    allowed: RefCell<HashSet<PathBuf>>,
    may_replace_all: bool,
}

impl Made {
    /// `may_replace_all`: the user asked for it.
    pub fn open(may_replace_all: bool) -> Outcome<Self> {
        match folders::state_folder() {
            Ok(folder) => Self::in_folder(&folder, may_replace_all),
            Err(_) => Ok(Self { list: None, known: RefCell::default(), allowed: RefCell::default(), may_replace_all }),
        }
    }

    fn in_folder(folder: &Path, may_replace_all: bool) -> Outcome<Self> {
        let list = folder.join(NAME);
        let doing = format!("Reading {}", list.display());
        let text = if list.exists() { std::fs::read_to_string(&list).doing(&doing)? } else { String::new() };
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() > MOST_LINES {
            let kept = lines[lines.len() - MOST_LINES / 2..].join("\n");
            std::fs::write(&list, kept + "\n").doing(&doing)?;
        }
        // A line that a kill cut off is left out.
        let known = lines.iter().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let known = known.map(|line| (line.file.clone(), line)).collect();
        Ok(Self { list: Some(list), known: RefCell::new(known), allowed: RefCell::default(), may_replace_all })
    }

    /// The results of one source by one command, each named in any way that tells it from others.
    pub fn of(&self, source: impl Into<String>, command: impl Into<String>) -> MadeOf<'_> {
        MadeOf { made: self, source: source.into(), command: command.into() }
    }

    pub fn allow(&self, path: &Path) {
        self.allowed.borrow_mut().insert(path.to_path_buf());
    }

    fn append(&self, text: &str) -> std::io::Result<()> {
        let Some(list) = &self.list else { return Ok(()) };
        if let Some(folder) = list.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        // Options can be guessed by their digest.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.create(true).append(true).open(list)?.write_all(format!("{text}\n").as_bytes())
    }
}

/// Decides which files the results of one source by one command may replace.
#[derive(Clone, Debug)]
pub struct MadeOf<'a> {
    made: &'a Made,
    source: String,
    command: String,
}

impl MadeOf<'_> {
    /// Whether a result may have this name.
    pub fn is_free(&self, path: &Path) -> bool {
        let Made { may_replace_all, allowed, .. } = self.made;
        *may_replace_all || !path.exists() || allowed.borrow().contains(path) || self.is_own(path)
    }

    fn now(&self, path: &Path) -> Option<Line> {
        Line::of(path, &self.source, &self.command)
    }

    /// Whether this command made the file of this source, and nobody has changed it since.
    pub fn is_own(&self, path: &Path) -> bool {
        self.now(path).is_some_and(|now| self.made.known.borrow().get(&now.file) == Some(&now))
    }

    /// Whether this command made the file of another source.
    pub fn is_of_another(&self, path: &Path) -> bool {
        let Some(now) = self.now(path) else { return false };
        self.made.known.borrow().get(&now.file).is_some_and(|line| line.source != now.source)
    }

    /// The path, or the first one like it that is free: `page-2.png`.
    pub fn free(&self, path: PathBuf) -> PathBuf {
        if self.is_free(&path) {
            return path;
        }
        let mut numbered = (2..u32::MAX).map(|number| with_stem(&path, |stem| format!("{stem}-{number}")));
        numbered.find(|path| self.is_free(path)).unwrap_or_else(|| path.clone())
    }

    /// Writes down that this result was made. What can't be written down is only protected more than needed.
    pub fn note(&self, path: &Path) {
        let Some(line) = self.now(path) else { return };
        let written = serde_json::to_string(&line).ok().and_then(|text| self.made.append(&text).ok());
        if written.is_some() {
            self.made.known.borrow_mut().insert(line.file.clone(), line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_results_may_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let made = Made::in_folder(&at("state"), false).unwrap();
        std::fs::write(at("foreign.pdf"), "x").unwrap();
        std::fs::write(at("own.pdf"), "x").unwrap();
        made.of("a.docx", "pdf").note(&at("own.pdf"));
        let made = Made::in_folder(&at("state"), false).unwrap();
        let (again, other) = (made.of("a.docx", "pdf"), made.of("a.odt", "pdf"));
        assert!(again.is_free(&at("own.pdf")) && again.is_free(&at("new.pdf")));
        assert!(!other.is_free(&at("own.pdf")), "a result of another document is not replaced");
        assert!(other.is_of_another(&at("own.pdf")) && !again.is_of_another(&at("own.pdf")));
        let other_options = made.of("a.docx", "pdf, landscape");
        assert!(!other_options.is_free(&at("own.pdf")), "nor is one of another command");
        assert!(!other_options.is_of_another(&at("own.pdf")));
        assert!(!again.is_free(&at("foreign.pdf")) && !again.is_of_another(&at("foreign.pdf")));
        assert_eq!(again.free(at("foreign.pdf")), at("foreign-2.pdf"));
        std::fs::write(at("foreign-2.pdf"), "x").unwrap();
        again.note(&at("foreign-2.pdf"));
        assert_eq!(again.free(at("foreign.pdf")), at("foreign-2.pdf"), "the same name each time");
        std::fs::write(at("own.pdf"), "changed by somebody").unwrap();
        assert!(!again.is_free(&at("own.pdf")), "it is somebody's work now");
        assert!(Made::in_folder(&at("state"), true).unwrap().of("a.odt", "pdf").is_free(&at("foreign.pdf")));
        made.allow(&at("foreign.pdf"));
        assert_eq!(again.free(at("foreign.pdf")), at("foreign.pdf"));
    }
}
