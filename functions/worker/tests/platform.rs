//! How the worker finds means to confine children, even where some are missing: this test removes system calls from itself and
//! its children.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

use std::collections::BTreeMap;
use std::io::Read;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use docmill_confine::{Isolation, Means, Platform, hide_own_memory};
use rustix::event::{PollFd, PollFlags, Timespec};
use seccompiler::{
    SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

const WORKER: &str = env!("CARGO_BIN_EXE_worker");

#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Filters,
    FiltersAndNamespaces,
}

/// Runs `work` on a thread that may not install filters, or use namespaces either.
fn without<T: Send>(missing: Missing, work: impl FnOnce() -> T + Send) -> T {
    let is_seccomp = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, libc::PR_SET_SECCOMP as u64);
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::from([
        (libc::SYS_seccomp, Vec::new()),
        (libc::SYS_prctl, vec![SeccompRule::new(vec![is_seccomp.unwrap()]).unwrap()]),
    ]);
    if missing == Missing::FiltersAndNamespaces {
        rules.insert(libc::SYS_unshare, Vec::new());
    }
    let architecture = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let denied = SeccompAction::Errno(libc::EPERM as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, denied, architecture).unwrap();
    let filter: seccompiler::BpfProgram = filter.try_into().unwrap();
    let confined = || {
        seccompiler::apply_filter(&filter).unwrap();
        work()
    };
    std::thread::scope(|scope| scope.spawn(confined).join().unwrap())
}

fn probe() -> Platform {
    hide_own_memory().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(Platform::probe(WORKER.as_ref())).unwrap()
}

#[test]
fn filters_are_the_first_choice() {
    let platform = probe();
    assert_eq!((platform.means, platform.isolation()), (Means::Calls, Some(Isolation::Files)), "{platform}");
}

#[test]
fn without_filters_children_get_an_empty_network_if_there_are_namespaces() {
    let namespaces = Command::new("unshare").args(["--user", "--net", "true"]).stderr(Stdio::null()).status();
    let expected = if namespaces.is_ok_and(|status| status.success()) { Means::Namespace } else { Means::None };
    assert_eq!(without(Missing::Filters, probe).means, expected);
}

#[test]
fn without_any_means_children_only_start_if_that_is_accepted() {
    let platform = without(Missing::FiltersAndNamespaces, probe);
    assert_eq!(platform.means, Means::None);
    let error = platform.launcher(WORKER.into(), Some(Isolation::Network)).unwrap_err();
    assert!(error.to_string().contains("can reach TCP connections"), "{error}");
    assert!(platform.launcher(WORKER.into(), Some(Isolation::Worker)).unwrap().is_watched());
}

#[test]
fn the_table_of_a_platform_says_what_was_tried() {
    let table = probe().to_string();
    assert!(table.starts_with("isolation: files (by seccomp)\n"), "{table}");
    for line in ["worker    EACCES     the worker's environment", "network   EPERM      TCP connections"] {
        assert!(table.contains(line), "{table}");
    }
    let table = without(Missing::FiltersAndNamespaces, probe).to_string();
    assert!(table.contains("network   REACHED    TCP connections"), "{table}");
}

/// The worker as on Lambda, with a Runtime API that only listens.
fn start_function(runtime_api: &TcpListener, temporary: &tempfile::TempDir, least: Option<&str>) -> Child {
    let mut command = Command::new(WORKER);
    command.env_clear().env("TMPDIR", temporary.path()).env("ENGINES", "html").env("LOG_LEVEL", "info");
    command.env("AWS_LAMBDA_RUNTIME_API", runtime_api.local_addr().unwrap().to_string());
    for name in ["FUNCTION_NAME", "FUNCTION_VERSION", "LOG_GROUP_NAME", "LOG_STREAM_NAME"] {
        command.env(format!("AWS_LAMBDA_{name}"), "test");
    }
    command.env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "2048");
    command.env("AWS_REGION", "us-east-1").env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", "test");
    for name in ["KEYS", "USAGE", "JOBS", "SETTINGS", "EVENTS", "SESSIONS"] {
        command.env(format!("{name}_TABLE"), "none");
    }
    command
        .env("FILES_BUCKET", "none")
        .env("OFFICE_QUEUE_URL", "none")
        .env("HTML_QUEUE_URL", "none")
        .env("PDF_QUEUE_URL", "none")
        .env("EVENTS_QUEUE_URL", "none")
        .env("BATCHES_QUEUE_URL", "none")
        .env("DELIVERIES_QUEUE_URL", "none");
    if let Some(least) = least {
        command.env("LEAST_ISOLATION", least);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn in_production_the_worker_refuses_to_start_without_any_means() {
    let (runtime_api, temporary) = (TcpListener::bind("127.0.0.1:0").unwrap(), tempfile::tempdir().unwrap());
    runtime_api.set_nonblocking(true).unwrap();
    let start = || start_function(&runtime_api, &temporary, None).wait_with_output().unwrap();
    let output = without(Missing::FiltersAndNamespaces, start);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("LEAST_ISOLATION is `network`"), "{said}");
    assert!(runtime_api.accept().is_err(), "it never asked for a job");
}

#[test]
fn a_worker_starts_without_any_means_if_that_is_accepted() {
    let (runtime_api, temporary) = (TcpListener::bind("127.0.0.1:0").unwrap(), tempfile::tempdir().unwrap());
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut asked = false;
    without(Missing::FiltersAndNamespaces, || {
        let mut function = start_function(&runtime_api, &temporary, Some("worker"));
        while !asked && Instant::now() < deadline && function.try_wait().unwrap().is_none() {
            let moment = Timespec::try_from(Duration::from_millis(100)).unwrap();
            asked = rustix::event::poll(&mut [PollFd::new(&runtime_api, PollFlags::IN)], Some(&moment)).unwrap() > 0;
        }
        function.kill().unwrap();
        let mut said = String::new();
        function.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        function.wait().unwrap();
        assert!(asked, "it never asked for a job: {said}");
    });
}
