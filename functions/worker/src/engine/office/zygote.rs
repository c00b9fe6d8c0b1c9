//! The helper process that has LibreOffice loaded and warm, and forks one child per document.
//!
//! It speaks JSON lines: `Request`s on its standard input, and one `Reply` for each on its standard output; besides, it
//! says `Ready` once it is warm, and for each child that is. A child is forked ahead of its document, and never sees two.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{DumpableBehavior, Pid, Resource, Signal};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::lok::{self, Fork, Office};
use super::memory::{self, Report, Span};
use super::warm::WarmOffice;
use crate::confine;
use crate::confine::usage::{Allowance, Excess, INTERVAL};

/// One document. Paths are absolute; the helper does not look at what it is given any further.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) source: PathBuf,
    /// Name and options of the import filter, for documents that don't say themselves how they are to be read.
    pub(super) import: Option<(String, String)>,
    pub(super) password: Option<String>,
    pub(super) output: PathBuf,
    /// `pdf`, or the extension of another format.
    pub(super) format: String,
    /// The export filter of that format.
    pub(super) filter: String,
    /// Where fontconfig's log goes.
    pub(super) fonts_log: PathBuf,
    /// FilterData of the export, as JSON text.
    pub(super) filter_data: String,
    pub(super) timeout_ms: u64,
    pub(super) address_space: u64,
    pub(super) cpu_seconds: u64,
    pub(super) file_bytes: u64,
    /// Together with what it starts.
    pub(super) memory_bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Reply {
    Ready,
    Written,
    NotLoaded,
    NeedsPassword,
    WrongPassword,
    NotSaved,
    /// It takes an import filter to read the document, and here is no way to name one.
    Unable,
    Exited(i32),
    Signaled(i32),
    TimedOut,
    Exceeded(Excess),
}

/// The arguments of `worker office-zygote`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// LibreOffice's program directory.
    #[arg(long)]
    program: PathBuf,
    /// The helper's own directory: `profile` in it was prepared, `tmp` is LibreOffice's directory for temporary files.
    #[arg(long)]
    home: PathBuf,
}

/// Of a request, what its child is not left to keep by itself.
#[derive(Debug, Deserialize)]
struct Bounds {
    output: PathBuf,
    timeout_ms: u64,
    memory_bytes: u64,
}

/// A reply is one word; a child that a document has taken over may say anything.
const MAX_REPLY_BYTES: usize = 256;

/// Far more than paths, a password and options take.
const MAX_REQUEST_BYTES: usize = 256 << 10;

/// How long the documents of the warm-up may take a child. It is nobody's fault, and nothing waits for it.
const LEARNING: Duration = Duration::from_secs(4);

/// Serves until standard input ends. Returns only what kept it from serving.
pub fn run(args: &Args) -> io::Error {
    match serve(args) {
        Ok(()) => io::Error::other("LibreOffice ended by itself"),
        Err(error) => error,
    }
}

fn serve(args: &Args) -> io::Result<()> {
    confine::hide_own_memory()?;
    // Libraries may write to the standard output: it is not for them.
    let mut replies = File::from(rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?);
    rustix::stdio::dup2_stdout(null()?)?;
    let office = Office::start(&args.program, &file_url(&args.home.join("profile"))?)?;
    let mut failure = None;
    office.run(&mut |office| {
        // The loop inside ends with the process, or with what keeps it from going on.
        let warm = WarmOffice::warm_up(office, &args.home);
        let ended = warm.and_then(|office| serve_documents(&office, args, &mut replies));
        failure = ended.err();
        lok::exit_now(if failure.is_some() { 1 } else { 0 });
    });
    failure.map_or(Ok(()), Err)
}

fn serve_documents(office: &WarmOffice<'_>, args: &Args, replies: &mut File) -> io::Result<()> {
    let home = args.home.as_path();
    let requests = File::from(rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?);
    // The profile was read; what is there from now on could only be some document's.
    std::fs::remove_dir_all(home.join("profile"))?;
    let own = files_below(home)?;
    tell(replies, Reply::Ready)?;
    let mut usage = None;
    let mut served = false;
    loop {
        // What the last child left behind is gone before the next one could see it.
        remove_all_but(home, &own)?;
        // With the next document here already, there is no time to prepare for it; nor is there before the first one.
        let idle = !request_waits()?;
        if idle && served && usage.is_none() {
            let report = learn_usage(office, home, replies)?;
            // What this process has used to get here, and no child needs.
            report.of_files.into_iter().for_each(lok::let_go);
            usage = Some(report.used);
            remove_all_but(home, &own)?;
        }
        let prepared = usage.as_deref().filter(|_| idle).unwrap_or_default();
        let child = Child::fork(replies, |socket| serve_one(office, args, socket, prepared))?;
        if child.is_ready_first()? {
            tell(replies, Reply::Ready)?;
        }
        let Some(line) = next_line(&requests)? else { return Ok(()) };
        served = true;
        match child.convert(&line, home)? {
            // Whoever waits for the document need not wait for the child's end.
            Some(reply) => tell(replies, reply).and(child.end().map(drop))?,
            None => tell(replies, child.end()?)?,
        }
    }
}

/// What a conversion does with its memory, by the word of a child that converts what LibreOffice was warmed up with.
fn learn_usage(office: &WarmOffice<'_>, home: &Path, replies: &mut File) -> io::Result<Report> {
    let child = Child::fork(replies, |socket| {
        office.repeat_warm_up(home)?;
        // It holds nobody's secrets; and whoever hides its memory may not look at it either.
        rustix::process::set_dumpable_behavior(DumpableBehavior::Dumpable)?;
        Ok(serde_json::to_writer(socket, &memory::of_this_process()?)?)
    })?;
    child.socket.set_read_timeout(Some(LEARNING))?;
    let learned = serde_json::from_reader(BufReader::new(&child.socket));
    child.end()?;
    // Without it children are slower, and no worse.
    Ok(learned.unwrap_or_default())
}

fn tell(replies: &mut File, reply: Reply) -> io::Result<()> {
    let mut line = serde_json::to_vec(&reply)?;
    line.push(b'\n');
    replies.write_all(&line)
}

fn null() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/null")
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
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let (path, is_directory) = (entry.path(), entry.file_type()?.is_dir());
        match (keep.contains(&path), is_directory) {
            (true, true) => remove_all_but(&path, keep)?,
            (true, false) => {}
            (false, true) => std::fs::remove_dir_all(path)?,
            (false, false) => std::fs::remove_file(path)?,
        }
    }
    Ok(())
}

/// A forked copy of this process, waiting for its one document.
struct Child {
    pid: Pid,
    socket: UnixStream,
}

impl Child {
    /// Forks this process. The child does its `work` with a socket to its parent, and ends.
    fn fork(replies: &mut File, work: impl FnOnce(&UnixStream) -> io::Result<()>) -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        match lok::fork()? {
            Fork::Parent(pid) => Ok(Self { pid, socket }),
            Fork::Child => {
                // The parent's ends are not the child's: it could speak in the parent's name.
                drop(socket);
                let leave = |null| {
                    *replies = null;
                    leave_parent()
                };
                let ended = null().and_then(leave).and_then(|()| work(&theirs));
                lok::exit_now(if ended.is_ok() { 0 } else { 1 });
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
    fn convert(&self, line: &[u8], home: &Path) -> io::Result<Option<Reply>> {
        let bounds: Bounds = serde_json::from_slice(line)?;
        let allowance = Allowance::new(room_of(home, &bounds.output), bounds.memory_bytes);
        let mut socket = &self.socket;
        if socket.write_all(line).is_err() {
            return Ok(None);
        }
        let deadline = Instant::now() + Duration::from_millis(bounds.timeout_ms.max(1));
        let mut reply = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left.min(INTERVAL)).map_err(io::Error::other)?;
            match rustix::event::poll(&mut [PollFd::new(&self.socket, PollFlags::IN)], Some(&timeout)) {
                Ok(0) if left.is_zero() => return Ok(Some(Reply::TimedOut)),
                Ok(0) => {
                    if let Some(excess) = allowance.excess(self.pid)? {
                        return Ok(Some(Reply::Exceeded(excess)));
                    }
                }
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) => match read_byte(socket) {
                    // What it said before was that it is ready.
                    Some(b'\n') if reply.is_empty() => {}
                    Some(b'\n') => return Ok(serde_json::from_slice(&reply).ok()),
                    Some(byte) if reply.len() < MAX_REPLY_BYTES => reply.push(byte),
                    // Closed by the child's end, or no reply of ours.
                    Some(_) | None => return Ok(None),
                },
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Kills whatever is left of the child and its group, and reaps it.
    fn end(self) -> io::Result<Reply> {
        confine::kill_group(self.pid)?;
        let status = rustix::process::waitpid(Some(self.pid), rustix::process::WaitOptions::empty())?;
        let status = status.map(|(_, status)| status);
        Ok(match status.and_then(|status| status.terminating_signal()) {
            Some(libc::SIGXCPU) => Reply::TimedOut,
            Some(signal) => Reply::Signaled(signal),
            None => Reply::Exited(status.and_then(|status| status.exit_status()).unwrap_or_default()),
        })
    }
}

fn read_byte(mut socket: &UnixStream) -> Option<u8> {
    let mut byte = [0];
    matches!(socket.read(&mut byte), Ok(1)).then_some(byte[0])
}

/// Where a child may write, and what it fills together: LibreOffice's directory, and that of its document.
fn room_of(home: &Path, output: &Path) -> [PathBuf; 2] {
    [home.to_owned(), output.parent().map_or_else(|| output.to_owned(), Path::to_owned)]
}

/// The next line of requests, or none at their end. Not a byte of it stays in this process: what is in its memory is in
/// that of all later children, and a request may hold a password.
fn next_line(mut requests: &File) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
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

/// Parts a child from its parent, but for the socket between them.
fn leave_parent() -> io::Result<()> {
    rustix::process::setpgid(None, None)?;
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // What the parent is asked is not for the child to read.
    rustix::stdio::dup2_stdin(null()?)?;
    // Nor is what a document makes LibreOffice say for the log, as the parent's own words are.
    Ok(rustix::stdio::dup2_stderr(null()?)?)
}

/// What a child does with its life.
fn serve_one(office: &WarmOffice<'_>, args: &Args, mut socket: &UnixStream, used: &[Span]) -> io::Result<()> {
    used.iter().for_each(lok::populate);
    // An empty line: ready.
    writeln!(socket)?;
    let mut line = String::new();
    if BufReader::new(socket).read_line(&mut line)? == 0 {
        return Ok(());
    }
    let request: Request = serde_json::from_str(&line)?;
    confine::limit(Resource::As, request.address_space, request.address_space)?;
    confine::limit(Resource::Fsize, request.file_bytes, request.file_bytes)?;
    confine::limit(Resource::Cpu, request.cpu_seconds, request.cpu_seconds.saturating_add(1))?;
    confine::narrow(&[args.program.join("..")], &room_of(&args.home, &request.output))?;
    rustix::stdio::dup2_stdout(File::create(&request.fonts_log)?)?;
    let reply = office.convert(&request)?;
    lok::flush_libraries_output();
    serde_json::to_writer(&mut socket, &reply)?;
    writeln!(socket)
}

/// Whether the next document is here already: then there is no time to prepare for it.
fn request_waits() -> io::Result<bool> {
    let at_once = Timespec::try_from(Duration::ZERO).map_err(io::Error::other)?;
    let stdin = io::stdin();
    Ok(rustix::event::poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&at_once))? > 0)
}

pub(super) fn file_url(path: &Path) -> io::Result<String> {
    let url = url::Url::from_file_path(path).map_err(|()| io::Error::other("a path is not absolute"))?;
    Ok(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Seek;

    #[test]
    fn what_a_child_leaves_behind_goes_and_what_libreoffice_needs_stays() {
        let home = tempfile::TempDir::new().unwrap();
        let (kept, left) = (home.path().join("tmp/lu1/key.db"), home.path().join("tmp/lu1/left/over"));
        std::fs::create_dir_all(kept.parent().unwrap()).unwrap();
        std::fs::write(&kept, "").unwrap();
        let own = files_below(home.path()).unwrap();
        std::fs::create_dir_all(left.parent().unwrap()).unwrap();
        std::fs::write(&left, "").unwrap();
        std::fs::create_dir_all(home.path().join("profile/user/basic")).unwrap();
        remove_all_but(home.path(), &own).unwrap();
        assert_eq!(files_below(home.path()).unwrap(), own);
        assert!(kept.exists());
    }

    #[test]
    fn fuzz_lines_between_worker_helper_and_child() {
        docmill_fuzz::fuzz("zygote-lines", &[], |bytes| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            file.rewind().unwrap();
            if let Ok(Some(line)) = next_line(&file) {
                let bounds = serde_json::from_slice::<Bounds>(&line);
                // Whatever a child takes, its parent has understood.
                assert!(bounds.is_ok() || serde_json::from_slice::<Request>(&line).is_err());
                drop(serde_json::from_slice::<Reply>(&line));
            }
        });
    }
}
