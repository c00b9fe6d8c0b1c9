//! The helper itself: a process that has an engine loaded and warm, and forks one child per document.
//!
//! It speaks JSON lines: `Request`s on its standard input, and one `Reply` for each on its standard output; besides, it
//! says `Ready` once it is warm, and for each child that is. A child is forked ahead of its document, and never sees two.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Resource, Signal};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::memory::{self, Span};
use super::system::{self, Fork};
use crate::confine::usage::{Allowance, Excess, Watch, Watched};
use crate::confine::{self, End, Narrowing};
use crate::tree;

/// One document, and what its conversion may take.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request<D> {
    pub(crate) bounds: Bounds,
    pub(crate) document: D,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Bounds {
    /// This document's own directory, where its child writes.
    pub(crate) directory: PathBuf,
    /// What its child reads besides.
    pub(crate) reads: Vec<PathBuf>,
    pub(crate) timeout_ms: u64,
    pub(crate) address_space: u64,
    pub(crate) cpu_seconds: u64,
    pub(crate) file_bytes: u64,
    /// Together with what it starts.
    pub(crate) memory_bytes: u64,
}

/// Of a request, what its child is not left to keep by itself.
#[derive(Debug, Deserialize)]
pub(crate) struct Bounded {
    bounds: Bounds,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply<W> {
    Ready,
    /// The helper itself ends, for this reason.
    Failed(String),
    /// The child's own answer.
    Answered(W),
    Exited(i32),
    Signaled(i32),
    TimedOut,
    Exceeded(Excess),
}

/// What a helper keeps warm, and what its children do with a document.
pub(crate) trait Handler {
    /// The request for a child. Paths are absolute and are not checked any further.
    type Document: DeserializeOwned;
    /// The outcome.
    type Answer: Serialize + DeserializeOwned;

    /// What children read, besides the system's files.
    fn reads(&self) -> Vec<PathBuf>;

    /// Where children write besides their document's directory. It is emptied before the next one starts.
    fn shared_room(&self) -> Option<&Path>;

    /// Whether a second child is kept ready, for helpers whose next request follows at once.
    fn keeps_spare(&self) -> bool {
        false
    }

    /// Preparation for all later documents that must not delay the first one.
    fn settle(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Converts documents of the helper's own.
    fn rehearse(&self) -> io::Result<()>;

    /// In a child, confined.
    fn convert(&self, document: Self::Document) -> io::Result<Self::Answer>;
}

/// Enough for a thousand files. A compromised child may write anything.
const MAX_REPLY_BYTES: usize = 512 << 10;

/// Far more than paths, a password and options take.
const MAX_REQUEST_BYTES: usize = 256 << 10;

/// Time limit for the documents of the rehearsal. No job waits for it.
const LEARNING: Duration = Duration::from_secs(4);

/// Without a request for this long, there is time to make a spare child.
const QUIET: Duration = Duration::from_millis(5);

/// Takes the standard output for replies alone: libraries may write there too.
pub(crate) fn take_stdout() -> io::Result<File> {
    let replies = File::from(rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?);
    rustix::stdio::dup2_stdout(null()?)?;
    Ok(replies)
}

/// Runs the helper's work, and reports to the worker why it had to stop.
pub(crate) fn or_tell(replies: &mut File, work: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let done = work(replies);
    if let Err(error) = &done {
        tell(replies, &Reply::<()>::Failed(error.to_string()))?;
    }
    done
}

/// Serves documents until standard input ends.
pub(crate) fn serve<C: Handler>(handler: &mut C, replies: &mut File) -> io::Result<()> {
    let mut own = Own { requests: File::from(rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?), replies };
    let room = handler.shared_room().map(Room::of).transpose()?;
    tell(own.replies, &Reply::<C::Answer>::Ready)?;
    let mut usage = None;
    let mut served = false;
    let mut spare: Option<Child> = None;
    loop {
        // What the last child left behind is gone before the next one could see it.
        room.as_ref().map_or(Ok(()), Room::clean)?;
        // If the next document is already here, there is no time to prepare; nor before the first one.
        let idle = !request_comes_within(Duration::ZERO)?;
        if idle && served && usage.is_none() {
            if let Some(unprepared) = spare.take() {
                unprepared.end::<()>(&Allowance::new([], u64::MAX))?;
            }
            handler.settle()?;
            usage = Some(learn_usage(handler, &mut own)?);
            // What this process has used to get here, and no child needs. None of them runs now.
            confine::showing_own_memory(system::drop_unchanged_pages)?;
            room.as_ref().map_or(Ok(()), Room::clean)?;
        }
        let prepared = usage.as_deref().filter(|_| idle).unwrap_or_default();
        let child = match spare.take() {
            Some(child) => child,
            None => Child::fork(&mut own, |socket| serve_one(handler, socket, prepared))?,
        };
        if child.is_ready_first()? {
            tell(own.replies, &Reply::<C::Answer>::Ready)?;
            if handler.keeps_spare() && !request_comes_within(QUIET)? {
                spare = Some(Child::fork(&mut own, |socket| serve_one(handler, socket, prepared))?);
            }
        }
        let Some(line) = next_line(&own.requests)? else { return Ok(()) };
        served = true;
        let bounds = serde_json::from_slice::<Bounded>(&line)?.bounds;
        let allowance = Allowance::new(directories(handler, &bounds), bounds.memory_bytes);
        let said = child.convert(&line, &bounds, &allowance)?;
        // When the answer is sent, no process can change the files any more.
        let ended = child.end(&allowance)?;
        tell::<C::Answer>(own.replies, &said.unwrap_or(ended))?;
    }
}

/// What a conversion does with its memory, by the word of a child that converts what is rehearsed.
fn learn_usage(handler: &impl Handler, own: &mut Own<'_>) -> io::Result<Vec<Span>> {
    let child = Child::fork(own, |socket| {
        handler.rehearse()?;
        let used = confine::showing_own_memory(memory::used_by_this_process)?;
        send_line(socket, &used)
    })?;
    child.socket.set_read_timeout(Some(LEARNING))?;
    let learned = serde_json::from_reader(BufReader::new(&child.socket));
    child.end::<()>(&Allowance::new([], u64::MAX))?;
    // Without it children are slower, and no worse.
    Ok(learned.unwrap_or_default())
}

fn tell<W: Serialize>(replies: &mut File, reply: &Reply<W>) -> io::Result<()> {
    send_line(replies, reply)
}

fn null() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/null")
}

/// A directory in which children write one after the other, and what belongs there.
struct Room {
    directory: PathBuf,
    own: BTreeSet<PathBuf>,
}

impl Room {
    fn of(directory: &Path) -> io::Result<Self> {
        Ok(Self { own: files_below(directory)?, directory: directory.to_owned() })
    }

    fn clean(&self) -> io::Result<()> {
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

/// Removes everything below a directory that is not to be kept.
fn remove_all_but(directory: &Path, keep: &BTreeSet<PathBuf>) -> io::Result<()> {
    // A child may have taken away even the right to remove.
    tree::unlock(directory)?;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let (path, is_directory) = (entry.path(), entry.file_type()?.is_dir());
        match (keep.contains(&path), is_directory) {
            (true, true) => remove_all_but(&path, keep)?,
            (true, false) => {}
            (false, true | false) => tree::remove(&path)?,
        }
    }
    Ok(())
}

/// What the helper talks to the worker by, and no child may have: it could answer in the helper's name, and read what is asked
/// next.
struct Own<'a> {
    requests: File,
    replies: &'a mut File,
}

impl Own<'_> {
    fn forget(&mut self) -> io::Result<()> {
        self.requests = null()?;
        *self.replies = null()?;
        Ok(())
    }
}

/// A forked copy of this process, waiting for its one document.
struct Child {
    pid: Pid,
    socket: UnixStream,
    /// What it says on its standard error, as far as a pipe holds it.
    said: OwnedFd,
}

impl Child {
    /// Forks this process. The child does its `work` with a socket to its parent, and ends.
    fn fork(own: &mut Own<'_>, work: impl FnOnce(&UnixStream) -> io::Result<()>) -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        let (said, says) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        match system::fork()? {
            Fork::Parent(pid) => Ok(Self { pid, socket, said }),
            Fork::Child => {
                drop((socket, said));
                let live = || own.forget().and_then(|()| leave_parent(says)).and_then(|()| work(&theirs));
                let ended = catch_unwind(AssertUnwindSafe(live));
                // A panic would unwind into the parent's frames.
                system::exit_now(match ended {
                    Ok(Ok(())) => 0,
                    Ok(Err(_)) => 1,
                    Err(_panic) => 101,
                });
            }
        }
    }

    /// Waits until this child is ready, or a request comes, or standard input ends; says whether it was the first.
    fn is_ready_first(&self) -> io::Result<bool> {
        let stdin = io::stdin();
        let mut streams = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(&self.socket, PollFlags::IN)];
        loop {
            match rustix::event::poll(&mut streams, None) {
                Ok(_) => return Ok(streams[0].revents().is_empty()),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Hands the request over and waits for the reply. None if the child ended without one.
    fn convert<W: DeserializeOwned>(
        &self,
        line: &[u8],
        bounds: &Bounds,
        allowance: &Allowance,
    ) -> io::Result<Option<Reply<W>>> {
        let mut watch = Watch::new(allowance, Watched::Process(self.pid));
        let mut socket = &self.socket;
        if socket.write_all(line).is_err() {
            return Ok(None);
        }
        let deadline = Instant::now() + Duration::from_millis(bounds.timeout_ms.max(1));
        let mut reply = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left.min(watch.interval())).map_err(io::Error::other)?;
            match rustix::event::poll(&mut [PollFd::new(&self.socket, PollFlags::IN)], Some(&timeout)) {
                Ok(0) if left.is_zero() => return Ok(Some(Reply::TimedOut)),
                Ok(0) => {
                    if let Some(excess) = watch.excess()? {
                        return Ok(Some(Reply::Exceeded(excess)));
                    }
                }
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) => match take_reply(socket, &mut reply) {
                    Taken::Part => {}
                    Taken::Whole => return Ok(serde_json::from_slice(&reply).ok().map(Reply::Answered)),
                    Taken::Nothing => return Ok(None),
                },
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Kills the rest of the child and its group, and reaps them.
    fn end<W>(self, allowance: &Allowance) -> io::Result<Reply<W>> {
        confine::kill_group(self.pid)?;
        let (status, peak_rss_bytes) = system::reap(self.pid)?;
        let lacked = allowance.was_nearly_used_up(peak_rss_bytes) || self.tells_of_memory();
        Ok(match End::of(status).or_of_memory(lacked) {
            End::Exited(code) => Reply::Exited(code),
            End::Signaled(signal) => Reply::Signaled(signal),
            End::TimedOut => Reply::TimedOut,
            End::Exceeded(excess) => Reply::Exceeded(excess),
        })
    }

    /// Whether it said that it got no memory. A document may have made it say so, and harms itself.
    fn tells_of_memory(&self) -> bool {
        let mut said = vec![0; 1 << 16];
        let read = rustix::io::read(&self.said, &mut said).unwrap_or(0);
        confine::tells_of_memory(&String::from_utf8_lossy(&said[..read]))
    }
}

/// How far a reply has come.
enum Taken {
    Part,
    Whole,
    /// Closed by the child's end, or no reply of ours.
    Nothing,
}

/// Takes what there is of a reply: a line, which ends the conversation.
fn take_reply(mut socket: &UnixStream, reply: &mut Vec<u8>) -> Taken {
    let mut bytes = [0; 4096];
    let Ok(read @ 1..) = socket.read(&mut bytes) else { return Taken::Nothing };
    // What it said before was that it is ready: an empty line.
    let said = bytes[..read].iter().position(|byte| *byte != b'\n' || !reply.is_empty()).unwrap_or(read);
    reply.extend_from_slice(&bytes[said..read]);
    match reply.iter().position(|byte| *byte == b'\n') {
        Some(end) => {
            reply.truncate(end);
            Taken::Whole
        }
        None if reply.len() > MAX_REPLY_BYTES => Taken::Nothing,
        None => Taken::Part,
    }
}

/// Where a child may write, and what it fills together.
fn directories(handler: &impl Handler, bounds: &Bounds) -> Vec<PathBuf> {
    handler.shared_room().into_iter().chain([bounds.directory.as_path()]).map(Path::to_owned).collect()
}

/// The next line of requests, or none at their end. Not a byte of it stays in this process: what is in its memory is in
/// that of all later children, and a request may hold a password.
pub(crate) fn next_line(mut requests: &File) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    let mut line = Zeroizing::new(vec![0; MAX_REQUEST_BYTES]);
    let mut length = 0;
    loop {
        match requests.read(&mut line[length..]) {
            Ok(0) if length == MAX_REQUEST_BYTES => return Err(io::Error::other("a request is too long")),
            Ok(0) => return Ok(None),
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if line[..length].ends_with(b"\n") {
            line.truncate(length);
            return Ok(Some(line));
        }
    }
}

/// Parts a child from its parent, but for the socket between them, and what it `says`.
fn leave_parent(says: OwnedFd) -> io::Result<()> {
    rustix::process::setpgid(None, None)?;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // What the parent is asked is not for the child to read.
    rustix::stdio::dup2_stdin(null()?)?;
    // What a document makes an engine say is not for the log, as the parent's own words are.
    Ok(rustix::stdio::dup2_stderr(says)?)
}

/// Child main: populate, prepare, await one request, confine, convert, reply.
fn serve_one<C: Handler>(handler: &C, mut socket: &UnixStream, used: &[Span]) -> io::Result<()> {
    used.iter().for_each(system::populate);
    let narrowing = Narrowing::prepare(&handler.reads())?;
    // An empty line: ready.
    writeln!(socket)?;
    let mut line = String::new();
    if BufReader::new(socket).read_line(&mut line)? == 0 {
        return Ok(());
    }
    let Request { bounds, document } = serde_json::from_str::<Request<C::Document>>(&line)?;
    confine::limit(Resource::As, bounds.address_space, bounds.address_space)?;
    // The kernel keeps to this at once; the watch, which counts shared memory too, some milliseconds later.
    confine::limit(Resource::Data, bounds.memory_bytes, bounds.memory_bytes)?;
    confine::limit(Resource::Fsize, bounds.file_bytes, bounds.file_bytes)?;
    confine::limit(Resource::Cpu, bounds.cpu_seconds, bounds.cpu_seconds.saturating_add(1))?;
    narrowing.apply(&bounds.reads, &directories(handler, &bounds))?;
    send_line(socket, &handler.convert(document)?)
}

/// In one piece: each piece would wake the reader.
fn send_line(mut to: impl Write, said: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(said)?;
    line.push(b'\n');
    to.write_all(&line)
}

/// Whether the next document is here by then.
fn request_comes_within(time: Duration) -> io::Result<bool> {
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    let stdin = io::stdin();
    Ok(rustix::event::poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&time))? > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_child_leaves_behind_goes_and_what_the_engine_needs_stays() {
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
