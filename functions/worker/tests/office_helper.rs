//! The forking helper, through what may befall it. One test, so that this process has one helper.

#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::path::Path;
use std::time::{Duration, Instant};

use docmill::domain::job::JobErrorCode;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;
use worker::confine::Launcher;
use worker::engine::office::{DEFAULT_PROGRAM_DIRECTORY, OfficeEngine};
use worker::engine::{Engine, Failure, Limits, Source, Task};
use worker::sniff::{Format, Inspection};

async fn convert(engine: &OfficeEngine, patience: Duration) -> Result<u32, Failure> {
    let scratch = TempDir::new().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/office/letter.docx");
    let source = Source::Document { path, name: None, format: Format::Docx, inspection: Inspection::default() };
    let (options, limits) = (json!({}), Limits::default());
    let deadline = Instant::now() + patience;
    let task = Task { source, options: &options, scratch: scratch.path(), deadline, limits: &limits };
    engine.convert(task).await.map(|conversion| conversion.pages)
}

/// The running processes that this one started, directly or not, as `office-zygote`, the helper first.
fn helpers() -> Vec<Pid> {
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
                .is_ok_and(|line| line.split(|byte| *byte == 0).any(|word| word == b"office-zygote"))
        })
        .collect();
    let helper = zygotes.iter().copied().find(|pid| parent(*pid) == Some(own));
    let children = zygotes.iter().copied().filter(|pid| helper.is_some() && parent(*pid) == helper);
    helper.into_iter().chain(children).filter_map(Pid::from_raw).collect()
}

/// Waits for a helper with a child forked ahead.
async fn prepared() -> [Pid; 2] {
    for _ in 0..1000 {
        if let [helper, child] = helpers()[..] {
            return [helper, child];
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no helper with a child, but {:?}", helpers());
}

const LONG: Duration = Duration::from_secs(100);

#[tokio::test]
async fn whatever_befalls_the_helper_the_next_document_is_converted() {
    let launcher = Launcher::new(env!("CARGO_BIN_EXE_worker"));
    let engine = OfficeEngine::new(Path::new(DEFAULT_PROGRAM_DIRECTORY), launcher).unwrap();
    engine.get_ready().await;
    assert_eq!(convert(&engine, LONG).await.unwrap(), 1);
    let [helper, child] = prepared().await;

    // Getting ready again, or for nothing, is no harm.
    engine.get_ready().await;
    engine.get_ready().await;

    // A document has the child that was forked before it came, and no other has the same.
    assert_eq!(convert(&engine, LONG).await.unwrap(), 1);
    let [same, next] = prepared().await;
    assert!(same == helper && next != child, "one helper, and a child per document");

    // A deadline ends the child alone.
    assert_eq!(convert(&engine, Duration::from_millis(5)).await.unwrap_err().code, JobErrorCode::ConversionTimeout);
    assert_eq!(convert(&engine, LONG).await.unwrap(), 1);
    assert_eq!(prepared().await[0], helper);

    // Lambda freezes everything between invocations.
    let [_, child] = prepared().await;
    [helper, child].into_iter().for_each(|pid| kill_process(pid, Signal::STOP).unwrap());
    tokio::time::sleep(Duration::from_secs(1)).await;
    [helper, child].into_iter().for_each(|pid| kill_process(pid, Signal::CONT).unwrap());
    assert_eq!(convert(&engine, LONG).await.unwrap(), 1);
    assert_eq!(prepared().await[0], helper);

    // A child that dies, even before its document, is one crash; the converter gives the document another try.
    kill_process(prepared().await[1], Signal::KILL).unwrap();
    assert_eq!(convert(&engine, LONG).await.unwrap_err().code, JobErrorCode::EngineCrashed);
    assert_eq!(convert(&engine, LONG).await.unwrap(), 1);
    assert_eq!(prepared().await[0], helper);

    // Without a helper a fresh process converts, and then there is a helper again.
    kill_process(helper, Signal::KILL).unwrap();
    assert_eq!(convert(&engine, LONG).await.unwrap(), 1);
    assert_eq!(convert(&engine, LONG).await.unwrap(), 1);
    let [other, child] = prepared().await;
    assert_ne!(other, helper);

    // Nothing survives the engine.
    drop(engine);
    for pid in [other, child] {
        let gone = || helpers().iter().all(|left| *left != pid);
        for _ in 0..500 {
            if gone() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(gone(), "{pid:?} is still there");
    }
}
