//! The helper process: keeps an engine loaded and warm, and forks a child for each document.
//!
//! It reads `Request`s as JSON lines on its standard input and writes a `Reply` for each to its standard output, plus `Ready`
//! when it or a new child is warm. A child is forked before its document arrives and never sees a second one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Resource};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::memory::{self, Span};
use super::room::{Guard, Room};
use super::system::{self, Fork};
use crate::usage::{Allowance, Excess, Watch, Watched};
use crate::{End, ForkedBy, Narrowing};

/// A document and the limits of its conversion.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request<D> {
    /// What the child may use.
    pub bounds: Bounds,
    /// What it is to do.
    pub document: D,
}

/// The limits of one child.
#[derive(Debug, Serialize, Deserialize)]
pub struct Bounds {
    /// The directory of this document, which its child can write to.
    pub directory: PathBuf,
    /// Further paths that its child can read.
    pub reads: Vec<PathBuf>,
    /// From the request on, in milliseconds.
    pub timeout_ms: u64,
    /// Bytes.
    pub address_space: u64,
    /// Of the child, its preparation included.
    pub cpu_seconds: u64,
    /// The largest file that it may write.
    pub file_bytes: u64,
    /// For the child and everything that it starts.
    pub memory_bytes: u64,
}

/// The limits in a request that the parent enforces.
#[derive(Debug, Deserialize)]
pub struct Bounded {
    bounds: Bounds,
}

/// What a helper says to the worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply<W> {
    /// The next document can come.
    Ready,
    /// The helper ends for this reason.
    Failed(String),
    /// The child's own answer.
    Answered(W),
    /// The child ended with this code and without an answer.
    Exited(i32),
    /// The child was killed by this signal, which does not tell whose fault it was.
    Signaled(i32),
    /// The child was killed at its deadline or CPU time limit.
    TimedOut,
    /// The child was killed for exceeding its limits.
    Exceeded(Excess),
}

impl<W> Reply<W> {
    /// Notes in the environment that a child did not end by itself.
    pub fn noted(self) -> Self {
        match &self {
            Self::Ready | Self::Failed(_) | Self::Answered(_) | Self::Exited(_) => {}
            Self::Signaled(signal) => End::Signaled(*signal).note(),
            Self::TimedOut => End::TimedOut.note(),
            Self::Exceeded(excess) => End::Exceeded(*excess).note(),
        }
        self
    }
}

/// What a helper keeps warm, and what its children do.
pub trait Handler {
    /// The request for a child. Its paths are absolute and not checked.
    type Document: DeserializeOwned;
    /// The result.
    type Answer: Serialize + DeserializeOwned;

    /// What children can read, besides the system's files.
    fn reads(&self) -> Vec<PathBuf>;

    /// The helper's own directory.
    fn home(&self) -> &Path;

    /// A directory that all children write to. It is emptied before the next child starts.
    fn shared_room(&self) -> Option<&Path>;

    /// Whether a second child is kept ready, for helpers that get requests in quick succession.
    fn keeps_spare(&self) -> bool {
        false
    }

    /// Notes what a request was for. Returns whether `settle` has more to prepare now.
    fn note(&mut self, _request: &[u8]) -> bool {
        false
    }

    /// Preparation for later documents, which must not delay the first one. It is repeated if a request calls for more.
    ///
    /// # Errors
    /// If the engine failed. The helper ends.
    fn settle(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Converts documents of the helper's own.
    ///
    /// # Errors
    /// If the engine failed. The helper ends.
    fn rehearse(&self) -> io::Result<()>;

    /// Runs in a confined child.
    ///
    /// # Errors
    /// If there is no answer, whosever fault it is. The child ends.
    fn convert(&self, document: Self::Document) -> io::Result<Self::Answer>;
}

/// Enough for a thousand files. A child under a document's control may write anything.
const MAX_REPLY_BYTES: usize = 512 << 10;

/// Far more than paths, a password and options need.
const MAX_REQUEST_BYTES: usize = 256 << 10;

/// Time limit for the rehearsal. No job waits for it.
const LEARNING: Duration = Duration::from_secs(4);

/// After this long without a request, there is time to fork a spare child.
const QUIET: Duration = Duration::from_millis(5);

/// Reserves standard output for replies, since libraries may write there too.
///
/// # Errors
/// If the kernel refuses another descriptor.
pub fn take_stdout() -> io::Result<File> {
    let replies = File::from(rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?);
    rustix::stdio::dup2_stdout(null()?)?;
    Ok(replies)
}

/// Runs the helper and reports to the worker why it stopped.
///
/// # Errors
/// What `work` fails with.
pub fn or_tell(replies: &mut File, work: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let done = work(replies);
    if let Err(error) = &done {
        tell(replies, &Reply::<()>::Failed(error.to_string()))?;
    }
    done
}

/// Serves documents until standard input ends.
///
/// # Errors
/// If the engine or the system fails. The worker then starts another helper.
pub fn serve<C: Handler>(handler: &mut C, replies: &mut File, forked_by: ForkedBy) -> io::Result<()> {
    let mut own = Own { requests: File::from(rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?), replies };
    let room = handler.shared_room().map(Room::of).transpose()?;
    let mut guard = Guard::of(handler.home(), forked_by)?;
    tell(own.replies, &Reply::<C::Answer>::Ready)?;
    let mut usage = None;
    let mut served = false;
    let mut spare: Option<Child> = None;
    loop {
        // Removes everything that the last child left, before the next one could see it.
        room.as_ref().map_or(Ok(()), Room::clean)?;
        guard.check(handler.home(), spare.as_ref().map(|child| child.pid))?;
        // If the next document is already waiting, there is no time to prepare. The same holds before the first one.
        let idle = !request_comes_within(Duration::ZERO)?;
        if idle && served && usage.is_none() {
            if let Some(unprepared) = spare.take() {
                unprepared.end::<()>(&Allowance::new([], u64::MAX))?;
            }
            handler.settle()?;
            usage = Some(learn_usage(handler, &mut own)?);
            // Pages that this process used for its start and that no child needs. No child is running now.
            crate::showing_own_memory(system::drop_unchanged_pages)?;
            room.as_ref().map_or(Ok(()), Room::clean)?;
            guard = Guard::of(handler.home(), forked_by)?;
        }
        let prepared = usage.as_deref().filter(|_| idle).unwrap_or_default();
        let child = match spare.take() {
            Some(child) => child,
            None => Child::fork(&mut own, |socket| serve_one(handler, socket, prepared, forked_by))?,
        };
        if child.is_ready_first()? {
            tell(own.replies, &Reply::<C::Answer>::Ready)?;
            if handler.keeps_spare() && !request_comes_within(QUIET)? {
                spare = Some(Child::fork(&mut own, |socket| serve_one(handler, socket, prepared, forked_by))?);
            }
        }
        let Some(line) = next_line(&own.requests)? else { return Ok(()) };
        served = true;
        let bounds = serde_json::from_slice::<Bounded>(&line)?.bounds;
        let allowance = Allowance::new(directories(handler, &bounds), bounds.memory_bytes);
        // When the reply is sent, no process can change the files any more.
        if let Some(said) = child.convert::<C::Answer>(&line, &bounds, &allowance)? {
            crate::halt(child.pid)?;
            tell(own.replies, &said)?;
            child.end::<C::Answer>(&allowance)?;
        } else {
            let ended = child.end::<C::Answer>(&allowance)?;
            tell(own.replies, &ended)?;
        }
        if handler.note(&line) {
            usage = None;
        }
    }
}

/// How a conversion uses memory, as reported by a child that converts the rehearsal's documents.
fn learn_usage(handler: &impl Handler, own: &mut Own<'_>) -> io::Result<Vec<Span>> {
    let child = Child::fork(own, |socket| {
        handler.rehearse()?;
        let used = crate::showing_own_memory(memory::used_by_this_process)?;
        send_line(socket, &used)
    })?;
    child.socket.set_read_timeout(Some(LEARNING))?;
    let learned = serde_json::from_reader(BufReader::new(&child.socket));
    child.end::<()>(&Allowance::new([], u64::MAX))?;
    // Without it, children are slower but work.
    Ok(learned.unwrap_or_default())
}

fn tell<W: Serialize>(replies: &mut File, reply: &Reply<W>) -> io::Result<()> {
    send_line(replies, reply)
}

fn null() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/null")
}

/// The helper's channels to the worker, which children must not have: they could reply in its name or read the next request.
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

/// A forked copy of this process that waits for its one document.
struct Child {
    pid: Pid,
    socket: UnixStream,
    /// Its standard error, as far as it fits into a pipe.
    said: OwnedFd,
}

impl Child {
    /// Forks this process. The child runs `work` with a socket to its parent, and exits.
    fn fork(own: &mut Own<'_>, work: impl FnOnce(&UnixStream) -> io::Result<()>) -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        let (said, says) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        match system::fork()? {
            Fork::Parent(pid) => Ok(Self { pid, socket, said }),
            Fork::Child => {
                drop((socket, said));
                let live = || own.forget().and_then(|()| leave_parent(says)).and_then(|()| work(&theirs));
                let ended = catch_unwind(AssertUnwindSafe(live));
                // A panic must not unwind into the parent's frames.
                system::exit_now(match ended {
                    Ok(Ok(())) => 0,
                    Ok(Err(_)) => 1,
                    Err(_panic) => 101,
                });
            }
        }
    }

    /// Waits until this child is ready, a request arrives, or standard input ends. Returns whether the child was first.
    fn is_ready_first(&self) -> io::Result<bool> {
        let stdin = io::stdin();
        let mut streams = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(&self.socket, PollFlags::IN)];
        loop {
            match rustix::event::poll(&mut streams, None) {
                Ok(_) => {
                    let [request, _] = &streams;
                    return Ok(request.revents().is_empty());
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Passes the request to the child and waits for its reply. `None` if the child ended without one.
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

    /// Kills and reaps the child and its group.
    fn end<W>(self, allowance: &Allowance) -> io::Result<Reply<W>> {
        crate::kill_child(self.pid)?;
        let (status, peak_rss_bytes) = system::reap(self.pid)?;
        let lacked = allowance.was_nearly_used_up(peak_rss_bytes) || self.tells_of_memory();
        Ok(match End::of(status).or_of_memory(lacked) {
            End::Exited(code) => Reply::Exited(code),
            End::Signaled(signal) => Reply::Signaled(signal),
            End::TimedOut => Reply::TimedOut,
            End::Exceeded(excess) => Reply::Exceeded(excess),
        })
    }

    /// Whether it reported a failed allocation. A document that fakes this only harms itself.
    fn tells_of_memory(&self) -> bool {
        let mut said = vec![0; 1 << 16];
        let read = rustix::io::read(&self.said, &mut said).unwrap_or(0);
        crate::tells_of_memory(&String::from_utf8_lossy(said.get(..read).unwrap_or_default()))
    }
}

/// The state of a reply.
enum Taken {
    Part,
    Whole,
    /// The child has ended, or the reply is invalid.
    Nothing,
}

/// Reads the available part of a reply. A reply is one line.
fn take_reply(mut socket: &UnixStream, reply: &mut Vec<u8>) -> Taken {
    let mut bytes = [0; 4096];
    let Ok(read @ 1..) = socket.read(&mut bytes) else { return Taken::Nothing };
    // A leading empty line only means that the child is ready.
    let is_leading = reply.is_empty();
    reply.extend(bytes.iter().take(read).skip_while(|byte| is_leading && **byte == b'\n'));
    match reply.iter().position(|byte| *byte == b'\n') {
        Some(end) => {
            reply.truncate(end);
            Taken::Whole
        }
        None if reply.len() > MAX_REPLY_BYTES => Taken::Nothing,
        None => Taken::Part,
    }
}

/// The directories that a child can write to, and whose size is limited in total.
fn directories(handler: &impl Handler, bounds: &Bounds) -> Vec<PathBuf> {
    handler.shared_room().into_iter().chain([bounds.directory.as_path()]).map(Path::to_owned).collect()
}

/// The next request line, or `None` at the end. No byte of it stays in this process: all later children would have it in memory,
/// and a request may contain a password.
///
/// # Errors
/// If the worker is gone, or the line is too long.
pub fn next_line(mut requests: &File) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    let mut line = Zeroizing::new(vec![0; MAX_REQUEST_BYTES]);
    let mut length = 0;
    loop {
        match requests.read(line.get_mut(length..).unwrap_or_default()) {
            Ok(0) if length == MAX_REQUEST_BYTES => return Err(io::Error::other("a request is too long")),
            Ok(0) => return Ok(None),
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if line.get(..length).is_some_and(|line| line.ends_with(b"\n")) {
            line.truncate(length);
            return Ok(Some(line));
        }
    }
}

/// Detaches a child from its parent, except for their socket and the `says` pipe.
fn leave_parent(says: OwnedFd) -> io::Result<()> {
    rustix::process::setpgid(None, None)?;
    crate::end_with_parent()?;
    // Requests to the parent must not reach the child.
    rustix::stdio::dup2_stdin(null()?)?;
    // Engine output that a document may have caused must not reach the log, unlike the parent's own.
    Ok(rustix::stdio::dup2_stderr(says)?)
}

/// The main function of a child: populate memory, prepare, wait for a request, confine, convert, reply.
fn serve_one<C: Handler>(handler: &C, mut socket: &UnixStream, used: &[Span], forked_by: ForkedBy) -> io::Result<()> {
    used.iter().for_each(system::populate);
    let narrowing = Narrowing::prepare(&handler.reads(), forked_by.means())?;
    // An empty line means ready.
    writeln!(socket)?;
    let mut line = String::new();
    if BufReader::new(socket).read_line(&mut line)? == 0 {
        return Ok(());
    }
    let Request { bounds, document } = serde_json::from_str::<Request<C::Document>>(&line)?;
    crate::limit(Resource::As, bounds.address_space, bounds.address_space)?;
    // The kernel enforces this at once. The watch, which also counts shared memory, follows some milliseconds later.
    crate::limit(Resource::Data, bounds.memory_bytes, bounds.memory_bytes)?;
    crate::limit(Resource::Fsize, bounds.file_bytes, bounds.file_bytes)?;
    crate::limit(Resource::Cpu, bounds.cpu_seconds, bounds.cpu_seconds.saturating_add(1))?;
    narrowing.apply(&bounds.reads, &directories(handler, &bounds))?;
    send_line(socket, &handler.convert(document)?)?;
    // Stays until the parent ends it, which is faster than waiting for its exit.
    socket.read_exact(&mut [0]).or(Ok(()))
}

/// Written in one piece, since each piece would wake the reader.
fn send_line(mut to: impl Write, said: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(said)?;
    line.push(b'\n');
    to.write_all(&line)
}

/// Whether the next document arrives within this time.
fn request_comes_within(time: Duration) -> io::Result<bool> {
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    let stdin = io::stdin();
    Ok(rustix::event::poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&time))? > 0)
}
