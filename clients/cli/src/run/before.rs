//! What is checked before anything is sent: sources that can't be read, folders that can't be written, files that would be replaced.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::place;
use crate::failure::{Doing, Failure, Outcome};
use crate::journal::{self, Journal, State};
use crate::made::Made;
use crate::plan::Task;
use crate::plan::inputs::Input;
use crate::plan::outputs::Target;

/// Most files that a message names.
const MOST_NAMED: usize = 5;

/// Fails if a task can't end well. Files of an interrupted run may be replaced.
pub(super) fn check(tasks: &[Task], journal: &Journal, made: &Made) -> Outcome<()> {
    let mut folders = HashSet::new();
    let mut taken = Vec::new();
    for task in tasks {
        for input in task.inputs.iter().chain(&task.recipe.extra) {
            if let Input::File { path, shown, .. } = input {
                std::fs::File::open(path).doing(format!("Reading {shown}"))?;
            }
        }
        let folder = match &task.target {
            Target::StandardOutput => continue,
            Target::File(path) => path.parent().map(Path::to_path_buf).unwrap_or_default(),
            Target::Folder(folder) => folder.clone(),
        };
        if folders.insert(folder.clone()) {
            writable(&folder)?;
        }
        let own = made.of(task.origin(), task.command());
        if let Target::File(path) = &task.target
            && (!task.recipe.makes_several(task.inputs.len()) || place::keeps_archive(&task.target))
            && !own.is_free(path)
        {
            if is_ours(journal.state(&journal::document(task)?), path) {
                made.allow(path);
            } else {
                taken.push((path, own.is_of_another(path)));
            }
        }
    }
    if taken.is_empty() { Ok(()) } else { Err(replaced(&taken)) }
}

/// Whether an earlier, interrupted run wrote the file: a kill can come before that is noted.
fn is_ours(state: Option<&State>, path: &Path) -> bool {
    match state {
        Some(State::Sent { .. } | State::Created { .. }) => true,
        Some(State::Done { bytes, .. }) => path.metadata().is_ok_and(|metadata| metadata.len() == *bytes),
        Some(State::Uploaded { .. } | State::Failed { .. }) | None => false,
    }
}

/// `taken`: files, each with whether the command made it of another document.
fn replaced(taken: &[(&PathBuf, bool)]) -> Failure {
    let named: Vec<_> = taken.iter().take(MOST_NAMED).map(|(path, _)| path.display().to_string()).collect();
    let more = taken.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let exist = if taken.len() == 1 { "exists already, and was" } else { "exist already, and were" };
    let why = if taken.iter().all(|(_, of_another)| *of_another) {
        "made of another document"
    } else {
        "not made by this command"
    };
    Failure::usage(format!("{}{more} {exist} {why}. Nothing was sent.", named.join(", ")))
        .with_hint("Choose another name with -o, or allow it with --overwrite.")
}

/// Tries to write where the folder is or will be.
fn writable(folder: &Path) -> Outcome<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let doing = format!("Writing to {}", folder.display());
    let mut there = folder;
    while !there.exists() {
        match there.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => there = parent,
            Some(_) | None => there = Path::new("."),
        }
    }
    if !there.is_dir() {
        return Err(Failure::machine(format!("{doing}: {} is not a folder", there.display())));
    }
    tempfile::Builder::new().prefix(".docmill-").tempfile_in(there).doing(&doing).map(drop)
}
