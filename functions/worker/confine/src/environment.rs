//! The state of this execution environment, which is one worker process and everything that it started.
//!
//! Where the kernel can't confine children completely (AWS Lambda), a document that takes one over could leave a process or a file
//! behind for the next document. So the worker looks for both after each document, and an environment in which a document did
//! anything unusual starts afresh after it has answered.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rustix::process::{Pid, Signal};

static SUSPICION: OnceLock<&str> = OnceLock::new();
static STARTED: Mutex<BTreeMap<i32, Life>> = Mutex::new(BTreeMap::new());

/// A process that the worker started to serve documents, as long as this value exists.
#[derive(Debug)]
pub struct Started(i32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Serving,
    /// Its whole process group was killed.
    Ending,
}

impl Started {
    /// The process is the leader of its own group.
    pub fn note(pid: Pid) -> Self {
        let pid = pid.as_raw_nonzero().get();
        started().insert(pid, Life::Serving);
        Self(pid)
    }
}

/// Notes that a started process and its group were killed. They may not be gone yet.
pub fn note_ending(pid: Pid) {
    if let Some(life) = started().get_mut(&pid.as_raw_nonzero().get()) {
        *life = Life::Ending;
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        started().remove(&self.0);
    }
}

fn started() -> MutexGuard<'static, BTreeMap<i32, Life>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes that a document did something unusual: an environment that can't confine children must not serve another one. Only the
/// first reason is kept.
pub fn suspect(why: &'static str) {
    SUSPICION.get_or_init(|| why);
}

/// Why this environment should end. `None` as long as nothing unusual has happened.
pub fn suspicion() -> Option<&'static str> {
    SUSPICION.get().copied()
}

/// Kills processes that a document left: descendants of this process that no started process has started. This process must be a
/// subreaper, so that orphans become its children. Returns how many there were.
///
/// # Errors
/// If `/proc` can't be read, or a process can't be signaled.
pub fn kill_strays() -> io::Result<usize> {
    let known = started().clone();
    // A process can join a group after that was killed.
    for (pid, _) in known.iter().filter(|(_, life)| **life == Life::Ending) {
        Pid::from_raw(*pid).map_or(Ok(()), super::kill_group)?;
    }
    kill_all(&strays(&running()?, own_id(), &known))
}

/// Kills everything that this process has started, and everything that came of it. Returns how many processes there were.
///
/// # Errors
/// If `/proc` can't be read, or a process can't be signaled.
pub fn kill_descendants() -> io::Result<usize> {
    kill_all(&strays(&running()?, own_id(), &BTreeMap::new()))
}

fn kill_all(processes: &[i32]) -> io::Result<usize> {
    for process in processes {
        let signaled = Pid::from_raw(*process).map_or(Ok(()), |pid| rustix::process::kill_process(pid, Signal::KILL));
        super::ended_is_fine(signaled)?;
    }
    Ok(processes.len())
}

fn own_id() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// Whether this process has other children than `known`: a document can give its child away to its parent.
pub(crate) fn has_other_children(known: Option<Pid>) -> io::Result<bool> {
    let known = known.map(|pid| (pid.as_raw_nonzero().get(), Life::Serving)).into_iter().collect();
    Ok(!strays(&running()?, own_id(), &known).is_empty())
}

/// A line of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    parent: i32,
    group: i32,
}

impl Process {
    /// `None` if the process has ended. The name, in parentheses, can contain anything.
    fn parse(stat: &str) -> Option<Self> {
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_whitespace();
        let state = fields.next()?;
        let mut number = || fields.next()?.parse().ok();
        let process = Self { parent: number()?, group: number()? };
        (!matches!(state, "Z" | "X")).then_some(process)
    }
}

/// All running processes. Zombies run nothing.
fn running() -> io::Result<BTreeMap<i32, Process>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir("/proc")? {
        let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // A process can end at any moment.
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        found.extend(Process::parse(&stat).map(|process| (pid, process)));
    }
    Ok(found)
}

/// The descendants of `root` that have no serving process among their ancestors and are in no group that ends.
fn strays(running: &BTreeMap<i32, Process>, root: i32, known: &BTreeMap<i32, Life>) -> Vec<i32> {
    let is_stray = |(pid, process): (&i32, &Process)| {
        if known.get(&process.group) == Some(&Life::Ending) {
            return None;
        }
        let mut ancestor = *pid;
        // Ids are read one after the other, so a reused one could make a circle.
        for _ in 0..running.len() {
            if known.contains_key(&ancestor) {
                return None;
            }
            match running.get(&ancestor)?.parent {
                parent if parent == root => return Some(*pid),
                parent => ancestor = parent,
            }
        }
        None
    };
    running.iter().filter_map(is_stray).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn strays_are_descendants_that_nobody_knows() {
        let process = |parent, group| Process { parent, group };
        // 10 is the worker, 20 a helper with a child, 30 was adopted and has a child itself, 40 belongs to somebody else.
        let running = BTreeMap::from([
            (10, process(1, 10)),
            (20, process(10, 20)),
            (21, process(20, 21)),
            (30, process(10, 20)),
            (31, process(30, 31)),
            (40, process(1, 40)),
        ]);
        assert_eq!(strays(&running, 10, &BTreeMap::from([(20, Life::Serving)])), [30, 31]);
        assert_eq!(strays(&running, 10, &BTreeMap::from([(20, Life::Ending)])), [31], "its group was killed");
        assert_eq!(strays(&running, 20, &BTreeMap::from([(21, Life::Serving)])), [0; 0]);
        assert_eq!(strays(&running, 20, &BTreeMap::new()), [21]);
    }

    #[test]
    fn names_of_processes_and_zombies_do_not_confuse() {
        assert_eq!(Process::parse("7 (a ) S 9) S 3 5 7 0"), Some(Process { parent: 3, group: 5 }));
        assert_eq!(Process::parse("7 (soffice) Z 3 5 7 0"), None);
        assert_eq!(Process::parse("nonsense"), None);
    }

    #[test]
    fn a_child_that_nobody_noted_is_found() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        let pid = Pid::from_child(&child);
        assert!(has_other_children(None).unwrap());
        let seen = running().unwrap().remove(&pid.as_raw_nonzero().get()).unwrap();
        assert_eq!(seen.parent, rustix::process::getpid().as_raw_nonzero().get());
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
