//! The journal of a run: what was sent and what is done, so that an interrupted run goes on and pays nothing twice.
//!
//! One file for each kind of run: the same service, key, current folder and output. Each line is a JSON object. A document's
//! line is written before its request is sent, with the idempotency key that the request carries: if the answer is lost, the same
//! request leads to the same job. The file has no document, option, address or key.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use docmill_domain::sha256_hex;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::credentials::open_private;
use crate::failure::{Doing, Failure, Outcome};
use crate::plan::Task;
use crate::plan::inputs::Input;

/// An upload can be used for an hour.
const UPLOAD_LIFETIME: Duration = Duration::from_secs(50 * 60);

/// What is known about a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum State {
    /// Its sources are there.
    Uploaded { uploads: Vec<String>, at: u64 },
    /// Its request is about to be sent, or was.
    Sent { uploads: Vec<String>, attempt: u32 },
    #[serde(rename_all = "camelCase")]
    Created { job_id: String, attempt: u32 },
    #[serde(rename_all = "camelCase")]
    Done { job_id: String, bytes: u64 },
    /// The next run begins this document anew.
    Failed { attempt: u32 },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Start {
        docmill: u32,
        run: Uuid,
    },
    Document {
        document: String,
        #[serde(flatten)]
        state: State,
    },
}

/// The version of the file's form.
const VERSION: u32 = 1;

#[derive(Debug)]
pub struct Journal {
    /// `None` where nothing is kept.
    file: Option<RefCell<File>>,
    path: PathBuf,
    run: Uuid,
    states: HashMap<String, State>,
}

impl Journal {
    /// Opens the journal of this kind of run. Fails if another process has it.
    pub fn open(folder: &Path, identity: &str, is_fresh: bool) -> Outcome<Self> {
        let path = folder.join("runs").join(format!("{}.jsonl", &sha256_hex(identity.as_bytes())[..32]));
        let doing = format!("Opening the journal {}", path.display());
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).doing(&doing)?;
        }
        let file = open_private(&path).doing(&doing)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(
                    Failure::usage("The same command is running already.").with_hint("Wait for it, or end it first.")
                );
            }
            Err(TryLockError::Error(error)) => return Err(error).doing(&doing),
        }
        if is_fresh {
            file.set_len(0).doing(&doing)?;
        }
        let (run, states) = read(&file).doing(&doing)?;
        let is_new = run.is_none();
        let run = run.unwrap_or_else(Uuid::now_v7);
        let journal = Self { file: Some(RefCell::new(file)), path, run, states };
        if is_new {
            journal.append(&Line::Start { docmill: VERSION, run }, true)?;
        }
        Ok(journal)
    }

    /// A journal that keeps nothing.
    pub fn none() -> Self {
        Self { file: None, path: PathBuf::new(), run: Uuid::now_v7(), states: HashMap::new() }
    }

    pub fn state(&self, document: &str) -> Option<&State> {
        self.states.get(document)
    }

    /// The idempotency key of a document's request.
    pub fn key(&self, document: &str, attempt: u32) -> String {
        let digest = sha256_hex(format!("{} {document} {attempt}", self.run).as_bytes());
        format!("docmill-cli-{}", &digest[..40])
    }

    /// Writes a state down. A kill loses nothing. A failure of the power can lose the last lines, but not the run's name, from which the
    /// keys are derived: then the service refuses a second request with the same key, and nothing is paid twice.
    pub fn note(&self, document: &str, state: State) -> Outcome<()> {
        self.append(&Line::Document { document: document.to_owned(), state }, false)
    }

    fn append(&self, line: &Line, must_last: bool) -> Outcome<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let mut file = file.borrow_mut();
        let doing = format!("Writing the journal {}", self.path.display());
        let mut text = serde_json::to_vec(line).doing(&doing)?;
        text.push(b'\n');
        file.write_all(&text).doing(&doing)?;
        if must_last { file.sync_data().doing(&doing) } else { Ok(()) }
    }

    /// Forgets a run that has nothing left to do.
    pub fn finish(self) -> Outcome<()> {
        match self.file {
            Some(_) => std::fs::remove_file(&self.path).doing(format!("Removing the journal {}", self.path.display())),
            None => Ok(()),
        }
    }
}

/// The run and the last state of each document. A line that was cut off by a kill or a failure of the power is left out.
fn read(file: &File) -> std::io::Result<(Option<Uuid>, HashMap<String, State>)> {
    let (mut run, mut states) = (None, HashMap::new());
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        let is_whole = line.ends_with(b"\n");
        match serde_json::from_slice::<Line>(&line) {
            Ok(Line::Start { docmill: VERSION, run: found }) => run = Some(found),
            Ok(Line::Document { document, state }) => {
                states.insert(document, state);
            }
            Ok(Line::Start { .. }) | Err(_) => {}
        }
        if !is_whole {
            // The next line must not continue this one.
            (&*file).write_all(b"\n")?;
        }
        line.clear();
    }
    Ok((run, states))
}

/// A task's name in the journal: a digest of its sources as they are now, of what is done with them, and of its target.
pub fn document(task: &Task) -> Outcome<String> {
    let sources = task.inputs.iter().map(|input| task.recipe.source_of(input, ""));
    let request = task.recipe.body(sources.collect::<Outcome<_>>()?);
    let mut text = format!("{}\n{request}", task.target.text());
    for input in task.inputs.iter().chain(&task.recipe.extra) {
        text.push('\n');
        match input {
            Input::Address(url) => text.push_str(url.as_str()),
            // The request names it.
            Input::Template { .. } => {}
            Input::File { path, shown, .. } => {
                let metadata = std::fs::metadata(path).doing(format!("Reading {shown}"))?;
                let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                let absolute = std::path::absolute(path).doing(format!("Reading {shown}"))?;
                let modified = modified.map_or(0, |time| time.as_nanos());
                text.push_str(&format!("{} {} {modified}", absolute.display(), metadata.len()));
            }
        }
    }
    Ok(sha256_hex(text.as_bytes())[..32].to_owned())
}

pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Whether uploads can still be used.
pub fn are_usable(at: u64) -> bool {
    now().saturating_sub(at) < UPLOAD_LIFETIME.as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(attempt: u32) -> State {
        State::Sent { uploads: vec!["upl_1".into()], attempt }
    }

    #[test]
    fn a_journal_goes_on_with_the_same_keys() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), "a", false).unwrap();
        journal.note("one", sent(0)).unwrap();
        journal.note("two", State::Created { job_id: "j".into(), attempt: 0 }).unwrap();
        let (key, path) = (journal.key("one", 0), journal.path.clone());
        drop(journal);
        // A kill in the middle of a line.
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"document\": \"thr").unwrap();
        let journal = Journal::open(folder.path(), "a", false).unwrap();
        assert_eq!((journal.key("one", 0), journal.state("one")), (key.clone(), Some(&sent(0))));
        journal.note("three", State::Failed { attempt: 1 }).unwrap();
        drop(journal);
        let journal = Journal::open(folder.path(), "a", false).unwrap();
        assert_eq!(journal.state("three"), Some(&State::Failed { attempt: 1 }));
        assert_ne!(journal.key("one", 1), key);
        drop(journal);
        let fresh = Journal::open(folder.path(), "a", true).unwrap();
        assert!(fresh.state("one").is_none() && fresh.key("one", 0) != key);
    }

    #[test]
    fn two_processes_never_share_a_journal() {
        let folder = tempfile::tempdir().unwrap();
        let _first = Journal::open(folder.path(), "a", false).unwrap();
        assert!(Journal::open(folder.path(), "a", false).unwrap_err().to_string().contains("running already"));
        Journal::open(folder.path(), "b", false).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_can_read_a_journal() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), "a", false).unwrap();
        assert_eq!(journal.path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}
