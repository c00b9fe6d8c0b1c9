//! The helper that forks a child per page, under various failures. One test, so that this process has one helper.

#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "helper/processes.rs"]
mod processes;

use std::time::Duration;

use docmill_confine::Launcher;
use docmill_domain::job::JobErrorCode;
use docmill_egress::{EgressPolicy, SourceExceptions};
use docmill_engine::{Engine, Failure, Source};
use docmill_fetch::Fetcher;
use docmill_html_basic::HtmlBasic;
use rustix::process::Pid;

use processes::{LONG, assert_gone, outlives_kills, prepared};

const ZYGOTE: &str = "html-zygote";
async fn convert(engine: &HtmlBasic, html: &str, patience: Duration) -> Result<usize, Failure> {
    processes::convert(engine, Source::html(html.to_owned()), patience).await
}

/// A line of proc(5)'s status.
fn status(pid: Pid, field: &str) -> String {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim_start_matches(':').trim().to_owned()
}

#[tokio::test]
async fn whatever_befalls_the_helper_the_next_page_is_printed() {
    let policy = EgressPolicy::new("".parse::<SourceExceptions>().unwrap());
    let launcher = Launcher::new(env!("CARGO_BIN_EXE_worker"));
    let engine = HtmlBasic::new(launcher, Fetcher::new(policy).unwrap());
    engine.get_ready().await;
    assert_eq!(convert(&engine, "<p>x", LONG).await.unwrap(), 1);
    engine.get_ready().await;
    let [helper, child] = prepared(&engine, ZYGOTE).await;

    // Even before it has a page, a child has no privileges, can't gain any, and is filtered.
    for pid in [helper, child] {
        let found = ["CapEff", "NoNewPrivs", "Seccomp"].map(|field| status(pid, field));
        assert_eq!(found, ["0000000000000000", "1", "2"]);
    }

    // Each page gets the child that was forked before it arrived, and no other page gets the same.
    assert_eq!(convert(&engine, "<p>x", LONG).await.unwrap(), 1);
    let [same, next] = prepared(&engine, ZYGOTE).await;
    assert!(same == helper && next != child, "one helper, and a child per page");

    // A deadline only ends the child.
    let rows = "<tr><td>a cell with words</td><td>another one</td></tr>".repeat(30_000);
    let failure = convert(&engine, &format!("<table>{rows}</table>"), Duration::from_millis(600)).await.unwrap_err();
    assert_eq!(failure.code, JobErrorCode::ConversionTimeout);
    assert_eq!(convert(&engine, "<p>x", LONG).await.unwrap(), 1);
    assert_eq!(prepared(&engine, ZYGOTE).await[0], helper);

    let [other, child] = outlives_kills(&engine, ZYGOTE, || Source::html("<p>x")).await;

    // Nothing survives the engine.
    drop(engine);
    assert_gone([other, child]).await;
}
