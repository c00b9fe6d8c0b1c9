//! A forking helper and its processes, as the worker sees them.

use std::time::{Duration, Instant};

use docmill_domain::job::JobErrorCode;
use docmill_domain::tool::Slug;
use docmill_engine::{Engine, Failure, Limits, Operation, Source, Task};
use docmill_fonts::NO_FONTS;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;

/// More than a conversion takes on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(100);

/// The number of files that the engine makes from a source.
pub(crate) async fn convert(engine: &dyn Engine, source: Source, patience: Duration) -> Result<usize, Failure> {
    let scratch = TempDir::new().unwrap();
    let (options, limits) = (json!({}), Limits::default());
    let task = Task {
        operation: Operation::Tool(Slug::OFFICE_TO_PDF),
        sources: vec![source],
        options: &options,
        scratch: scratch.path(),
        deadline: Instant::now() + patience,
        limits: &limits,
        fonts: &NO_FONTS,
        account: None,
    };
    engine.convert(task).await.map(|conversion| conversion.artifacts.len())
}

/// Kills a child, and then the helper. Returns the new helper and child.
pub(crate) async fn outlives_kills(engine: &dyn Engine, subcommand: &str, source: impl Fn() -> Source) -> [Pid; 2] {
    let [helper, child] = prepared(engine, subcommand).await;
    // A child that dies, even before its source arrives, is one crash; the converter tries the source again.
    kill_process(child, Signal::KILL).unwrap();
    let crashed = convert(engine, source(), LONG).await.unwrap_err();
    assert_eq!(crashed.code, JobErrorCode::EngineCrashed);
    assert_eq!(convert(engine, source(), LONG).await.unwrap(), 1);
    assert_eq!(prepared(engine, subcommand).await[0], helper);

    // Without a helper, a fresh process converts. After that, there is a helper again.
    kill_process(helper, Signal::KILL).unwrap();
    assert_eq!(convert(engine, source(), LONG).await.unwrap(), 1);
    assert_eq!(convert(engine, source(), LONG).await.unwrap(), 1);
    let [other, child] = prepared(engine, subcommand).await;
    assert_ne!(other, helper);
    [other, child]
}

/// Running descendants of this process with this subcommand, the helper first.
pub(crate) fn helpers(subcommand: &str) -> Vec<Pid> {
    let parent = |pid: i32| -> Option<i32> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        if fields[0] == "Z" { None } else { fields[1].parse().ok() }
    };
    let own = i32::try_from(std::process::id()).unwrap();
    let pids =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    let zygotes: Vec<i32> = pids
        .filter(|pid| {
            std::fs::read(format!("/proc/{pid}/cmdline"))
                .is_ok_and(|line| line.split(|byte| *byte == 0).any(|word| word == subcommand.as_bytes()))
        })
        .collect();
    let helper = zygotes.iter().copied().find(|pid| parent(*pid) == Some(own));
    let children = zygotes.iter().copied().filter(|pid| helper.is_some() && parent(*pid) == helper);
    helper.into_iter().chain(children).filter_map(Pid::from_raw).collect()
}

/// Waits for a helper with a waiting child. An engine that is ready has reaped the child before.
pub(crate) async fn prepared(engine: &dyn Engine, subcommand: &str) -> [Pid; 2] {
    engine.get_ready().await;
    for _ in 0..1000 {
        if let [helper, child] = helpers(subcommand)[..] {
            return [helper, child];
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no helper with a child, but {:?}", helpers(subcommand));
}

/// Waits until none of these processes is left, whatever their parent is.
pub(crate) async fn assert_gone(pids: [Pid; 2]) {
    let is_left = |pid: &Pid| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
    };
    for _ in 0..500 {
        if !pids.iter().any(is_left) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("still there: {pids:?}");
}
