//! Tests confined children, started through the real binary.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use docmill_confine::usage::{Allowance, Excess};
use docmill_confine::{Confinement, End, Launcher, Means, NOT_CONFINED, Narrowing, Network, Outcome, Processes, run};
use tempfile::TempDir;

fn confinement() -> Confinement {
    Confinement {
        address_space: Some(1 << 30),
        cpu_seconds: Some(20),
        file_bytes: 1 << 20,
        open_files: 64,
        network: Network::Denied,
        processes: Processes::InGroup,
        reads: Vec::new(),
        writes: Vec::new(),
    }
}

async fn shell(confinement: &Confinement, script: &str, patience: Duration) -> (Outcome, TempDir) {
    shell_within(confinement, script, patience, |_| {}).await
}

async fn shell_within(
    confinement: &Confinement,
    script: &str,
    patience: Duration,
    narrow: impl FnOnce(&mut Allowance),
) -> (Outcome, TempDir) {
    let scratch = TempDir::new().unwrap();
    let launcher = Launcher::new(env!("CARGO_BIN_EXE_worker"));
    let mut command = launcher.command(confinement, Path::new("/bin/bash"), scratch.path());
    command.args(["-c", script]);
    let mut allowance = launcher.allowance([scratch.path().to_owned()]);
    narrow(&mut allowance);
    let outcome = run(command, Instant::now() + patience, allowance).await.unwrap();
    (outcome, scratch)
}

/// More than any child here needs on a busy machine, and less than the sleeping ones take.
const LONG: Duration = Duration::from_secs(120);

#[tokio::test]
async fn a_child_knows_nothing_of_its_parent() {
    let script = "env | cut -d= -f1 | sort | tr '\\n' ' ' >&2; pwd >&2; echo $TMPDIR >&2; exit 3";
    let (outcome, scratch) = shell(&confinement(), script, LONG).await;
    let path = scratch.path().display();
    // The shell itself sets the first three.
    assert_eq!(outcome.stderr, format!("OLDPWD PWD SHLVL TMPDIR _ {path}\n{path}").replace("OLDPWD ", ""));
    assert_eq!(outcome.end, End::Exited(3));
    assert!(outcome.peak_rss_bytes > 100_000);
}

#[tokio::test]
async fn sockets_to_other_machines_are_denied_and_pipes_are_not() {
    let script = "echo piped | cat >&2; echo > /dev/tcp/127.0.0.1/9; echo > /dev/udp/127.0.0.1/9";
    let (outcome, _scratch) = shell(&confinement(), script, LONG).await;
    assert!(outcome.stderr.starts_with("piped\n"), "{}", outcome.stderr);
    for denied in ["tcp/127.0.0.1/9: Operation not permitted", "udp/127.0.0.1/9: Operation not permitted"] {
        assert!(outcome.stderr.contains(denied), "{}", outcome.stderr);
    }
}

#[tokio::test]
async fn a_browser_may_reach_its_proxy() {
    let allowed = Confinement { network: Network::Proxied, ..confinement() };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (outcome, _scratch) = shell(&allowed, &format!("echo > /dev/tcp/127.0.0.1/{port}"), LONG).await;
    assert_eq!(outcome.end, End::Exited(0), "{}", outcome.stderr);
}

#[tokio::test]
async fn limits_are_enforced() {
    let (outcome, scratch) =
        shell(&confinement(), "head -c 2M /dev/zero > big; echo $? >&2; ulimit -n -c >&2", LONG).await;
    assert_eq!(std::fs::metadata(scratch.path().join("big")).unwrap().len(), 1 << 20);
    assert!(
        outcome.stderr.contains("64") && outcome.stderr.lines().any(|line| line.ends_with(" 0")),
        "{}",
        outcome.stderr
    );
    let little = Confinement { cpu_seconds: Some(1), ..confinement() };
    let (outcome, _scratch) = shell(&little, "while :; do :; done", LONG).await;
    assert_eq!(outcome.end, End::TimedOut);
    assert!(outcome.cpu >= Duration::from_millis(500), "{:?}", outcome.cpu);
}

#[tokio::test]
async fn usage_of_several_processes_is_added_up() {
    let files = "for i in {1..200}; do head -c 100K /dev/zero > $i; done; sleep 600";
    let (outcome, _scratch) = shell_within(&confinement(), files, LONG, |all| all.disk_bytes = 5 << 20).await;
    assert_eq!(outcome.end, End::Exceeded(Excess::Disk));
    let processes = "for i in {1..200}; do sleep 600 & done; wait";
    let (outcome, _scratch) = shell(&confinement(), processes, LONG).await;
    assert_eq!(outcome.end, End::Exceeded(Excess::Processes));
    // A shell whose last command is `sleep` would exec it and release its memory.
    let memory = "for i in {1..12}; do (printf -v text '%20000000s' x; sleep 600; :) & done; wait";
    let (outcome, _scratch) = shell_within(&confinement(), memory, LONG, |all| all.memory_bytes = 100 << 20).await;
    assert_eq!(outcome.end, End::Exceeded(Excess::Memory));
}

#[tokio::test]
async fn a_deadline_ends_the_whole_group() {
    let (outcome, scratch) =
        shell(&confinement(), "sleep 600 & echo $! > straggler; wait", Duration::from_secs(2)).await;
    assert_eq!(outcome.end, End::TimedOut);
    assert!(outcome.wall < LONG);
    assert_gone(&scratch);
}

#[tokio::test]
async fn stragglers_end_with_the_child() {
    let (outcome, scratch) = shell(&confinement(), "sleep 600 & echo $! > straggler", LONG).await;
    assert_eq!(outcome.end, End::Exited(0));
    assert!(outcome.wall < LONG);
    assert_gone(&scratch);
}

/// A killed orphan may wait to be reaped, but does not run.
fn assert_gone(scratch: &TempDir) {
    let pid = std::fs::read_to_string(scratch.path().join("straggler")).unwrap();
    let deadline = Instant::now() + Duration::from_secs(5);
    while let Ok(stat) = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())) {
        if stat.contains(") Z ") || stat.contains(") X ") {
            return;
        }
        assert!(Instant::now() < deadline, "still running: {stat}");
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn a_crash_differs_from_an_exit_and_a_missing_program_never_runs() {
    let (outcome, _scratch) = shell(&confinement(), "kill -SEGV $$", LONG).await;
    assert_eq!(outcome.end, End::Signaled(11));
    let scratch = TempDir::new().unwrap();
    let launcher = Launcher::new(env!("CARGO_BIN_EXE_worker"));
    let command = launcher.command(&confinement(), Path::new("/nowhere"), scratch.path());
    let outcome = run(command, Instant::now() + LONG, launcher.allowance([])).await.unwrap();
    assert_eq!(outcome.end, End::Exited(NOT_CONFINED.into()));
    assert!(outcome.stderr.contains("not started"), "{}", outcome.stderr);
}

/// Filters and rules apply to this thread, so other tests are not affected.
#[test]
fn a_narrowed_child_has_its_own_directory_and_nobody_to_talk_to() {
    let [own, given, other] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    std::fs::write(given.path().join("font"), "a font").unwrap();
    std::fs::write(other.path().join("secret"), "of another job").unwrap();
    let narrowed = || {
        Narrowing::prepare(&[], Means::Calls)
            .unwrap()
            .apply(&[given.path().to_owned()], &[own.path().to_owned()])
            .unwrap();
        File::create(own.path().join("mine")).unwrap();
        assert_eq!(std::fs::read_to_string("/dev/null").unwrap(), "");
        assert_eq!(std::fs::read_to_string(given.path().join("font")).unwrap(), "a font");
        assert!(File::create(given.path().join("font")).is_err(), "writes what it may read");
        assert!(File::open(other.path().join("secret")).is_err(), "reads another's file");
        assert!(File::create(other.path().join("new")).is_err(), "writes elsewhere");
        assert!(std::net::TcpListener::bind("127.0.0.1:0").is_err(), "has TCP");
        assert!(std::net::UdpSocket::bind("127.0.0.1:0").is_err(), "has UDP");
        assert!(std::os::unix::net::UnixDatagram::unbound().is_err(), "has datagrams");
        assert!(Command::new("/bin/true").status().is_err(), "starts processes");
        assert!(rustix::process::setsid().is_err() && rustix::process::setpgid(None, None).is_err());
        // Threads are still allowed.
        assert_eq!(std::thread::spawn(|| 7).join().unwrap(), 7);
    };
    std::thread::scope(|scope| scope.spawn(narrowed).join()).unwrap();
}
