//! The forking helper under various failures. One test, so that this process has one helper.

#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "helper/processes.rs"]
mod processes;

use std::path::Path;
use std::time::Duration;

use docmill_confine::Launcher;
use docmill_domain::job::JobErrorCode;
use docmill_engine::Inspection;
use docmill_engine::{Engine, Failure, Source};
use docmill_formats::Format;
use docmill_office::{DEFAULT_PROGRAM_DIRECTORY, OfficeEngine};
use rustix::process::{Pid, Signal, kill_process};

use processes::{LONG, assert_gone, helpers, outlives_kills, prepared};

const ZYGOTE: &str = "office-zygote";

fn engine() -> OfficeEngine {
    OfficeEngine::new(Path::new(DEFAULT_PROGRAM_DIRECTORY), Launcher::new(env!("CARGO_BIN_EXE_worker"))).unwrap()
}

fn letter() -> Source {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/office/letter.docx");
    Source::Document { path, name: None, format: Format::Docx, inspection: Inspection::default() }
}

async fn convert(engine: &OfficeEngine, patience: Duration) -> Result<usize, Failure> {
    processes::convert(engine, letter(), patience).await
}

#[tokio::test]
async fn whatever_befalls_the_helper_the_next_document_is_converted() {
    let engine = engine();
    engine.get_ready().await;
    assert_eq!(convert(&engine, LONG).await.unwrap(), 1);
    let [helper, child] = prepared(&engine, ZYGOTE).await;

    // Preparing again, or without need, does no harm.
    engine.get_ready().await;
    engine.get_ready().await;

    // Each document gets the child that was forked before it arrived, and no other document gets the same.
    assert_eq!(convert(&engine, LONG).await.unwrap(), 1);
    let [same, next] = prepared(&engine, ZYGOTE).await;
    assert!(same == helper && next != child, "one helper, and a child per document");

    // A deadline only ends the child.
    assert_eq!(convert(&engine, Duration::from_millis(5)).await.unwrap_err().code, JobErrorCode::ConversionTimeout);
    assert_eq!(convert(&engine, LONG).await.unwrap(), 1);
    assert_eq!(prepared(&engine, ZYGOTE).await[0], helper);

    // Lambda freezes everything between invocations.
    let [_, child] = prepared(&engine, ZYGOTE).await;
    [helper, child].into_iter().for_each(|pid| kill_process(pid, Signal::STOP).unwrap());
    tokio::time::sleep(Duration::from_secs(1)).await;
    [helper, child].into_iter().for_each(|pid| kill_process(pid, Signal::CONT).unwrap());
    assert_eq!(convert(&engine, LONG).await.unwrap(), 1);
    assert_eq!(prepared(&engine, ZYGOTE).await[0], helper);

    let [other, child] = outlives_kills(&engine, ZYGOTE, letter).await;

    // Nothing survives the engine.
    drop(engine);
    assert_gone([other, child]).await;

    goes_without_uno_where_it_crashes().await;
}

/// Like a LibreOffice with an unexpected UNO interface: the next helper is slower but works.
async fn goes_without_uno_where_it_crashes() {
    let engine = engine();
    tokio::join!(engine.get_ready(), async {
        kill_process(starting().await, Signal::SEGV).unwrap();
    });
    assert_eq!(convert(&engine, LONG).await.unwrap(), 1);
    let [helper, child] = prepared(&engine, ZYGOTE).await;
    let command = std::fs::read_to_string(format!("/proc/{}/cmdline", helper.as_raw_nonzero())).unwrap();
    assert!(command.split('\0').any(|word| word == "--without-uno"), "{command:?}");
    assert_eq!(convert(&engine, LONG).await.unwrap(), 1);
    assert_eq!(prepared(&engine, ZYGOTE).await[0], helper);
    drop(engine);
    assert_gone([helper, child]).await;
}

/// Returns a helper as soon as it exists, long before LibreOffice is loaded.
async fn starting() -> Pid {
    loop {
        if let [helper, ..] = helpers(ZYGOTE)[..] {
            return helper;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
