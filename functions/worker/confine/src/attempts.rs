//! What a converter that has been taken over would try first. Each attempt is made by a confined child when a worker starts and by
//! `worker probe`, so that what is said of a platform is what was seen on it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use clap::ValueEnum;
use rustix::process::Pid;
use rustix::thread::UnshareFlags;

/// One of the things that a converter must not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
#[expect(missing_docs, reason = "`reach` says what each is after")]
pub enum Attempt {
    ReadMemory,
    ReadCredentials,
    ReadDescriptors,
    Connect,
    SendDatagram,
    ReadFile,
    WriteFile,
    SignalWorker,
    StartProcess,
    LeaveGroup,
    CreateNamespace,
}

impl Attempt {
    /// What the attempt would reach.
    pub fn reach(self) -> &'static str {
        match self {
            Self::ReadMemory => "the worker's memory",
            Self::ReadCredentials => "the worker's environment, with the role's credentials",
            Self::ReadDescriptors => "the worker's open files and connections",
            Self::Connect => "TCP connections",
            Self::SendDatagram => "UDP sockets",
            Self::ReadFile => "files of other documents",
            Self::WriteFile => "files outside its own directory",
            Self::SignalWorker => "signals to the worker",
            Self::StartProcess => "other processes",
            Self::LeaveGroup => "a process group that the worker does not kill",
            Self::CreateNamespace => "a user namespace of its own",
        }
    }

    /// The name on the command line.
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// The arguments of `worker attempt`: the targets, which the parent has prepared.
#[derive(Debug, clap::Args)]
pub struct AttemptArgs {
    /// Process id of the worker.
    #[arg(long)]
    worker: i32,
    /// A listener of the worker's.
    #[arg(long)]
    listener: SocketAddr,
    /// A file that the child was not given.
    #[arg(long)]
    file: PathBuf,
    /// A directory that the child was not given.
    #[arg(long)]
    directory: PathBuf,
}

const PATIENCE: Duration = Duration::from_secs(3);

/// Makes each attempt, and writes a line for each that was refused to standard error: its name and the reason.
pub fn attempt_all(args: &AttemptArgs) -> ExitCode {
    let mut report = String::new();
    for attempt in Attempt::value_variants() {
        if let Err(refusal) = make(*attempt, args) {
            let reason = refusal.raw_os_error().map_or_else(|| refusal.kind().to_string(), errno_name);
            report.push_str(&format!("{}={reason}\n", attempt.name()));
        }
    }
    match io::stderr().write_all(report.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_unreported) => ExitCode::FAILURE,
    }
}

fn make(attempt: Attempt, args: &AttemptArgs) -> io::Result<()> {
    let of_worker = |name: &str| format!("/proc/{}/{name}", args.worker);
    match attempt {
        Attempt::ReadMemory => File::open(of_worker("mem")).map(drop),
        Attempt::ReadCredentials => fs::read(of_worker("environ")).map(drop),
        Attempt::ReadDescriptors => fs::read_dir(of_worker("fd")).map(drop),
        Attempt::Connect => TcpStream::connect_timeout(&args.listener, PATIENCE).map(drop),
        Attempt::SendDatagram => UdpSocket::bind("127.0.0.1:0")?.send_to(b"x", args.listener).map(drop),
        Attempt::ReadFile => fs::read(&args.file).map(drop),
        Attempt::WriteFile => fs::write(args.directory.join("written"), "x"),
        Attempt::SignalWorker => {
            let worker = Pid::from_raw(args.worker).ok_or(io::ErrorKind::InvalidInput)?;
            Ok(rustix::process::test_kill_process(worker)?)
        }
        Attempt::StartProcess => Command::new("/bin/true").stdin(Stdio::null()).status().map(drop),
        // This process leads its group, so only another one can leave it.
        Attempt::LeaveGroup => Command::new("/bin/true").stdin(Stdio::null()).process_group(0).status().map(drop),
        #[allow(deprecated, reason = "the other form can share file descriptors unsafely, which this one does not do")]
        Attempt::CreateNamespace => Ok(rustix::thread::unshare(UnshareFlags::NEWUSER)?),
    }
}

fn errno_name(code: i32) -> String {
    match code {
        libc::EPERM => "EPERM".to_owned(),
        libc::EACCES => "EACCES".to_owned(),
        libc::ENOSYS => "ENOSYS".to_owned(),
        libc::ENETUNREACH => "ENETUNREACH".to_owned(),
        libc::EINVAL => "EINVAL".to_owned(),
        other => format!("errno {other}"),
    }
}

/// Reads a report of [`attempt_all`]: the attempts that were refused, with the reasons.
pub(super) fn refused(report: &str) -> Vec<(Attempt, String)> {
    let lines = report.lines().filter_map(|line| line.split_once('='));
    lines.filter_map(|(name, reason)| Some((Attempt::from_str(name, false).ok()?, reason.to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_back() {
        let report = "read-memory=EACCES\nconnect=EPERM\nunknown=EPERM\nnoise\n";
        let expected = [(Attempt::ReadMemory, "EACCES".to_owned()), (Attempt::Connect, "EPERM".to_owned())];
        assert_eq!(refused(report), expected);
    }
}
