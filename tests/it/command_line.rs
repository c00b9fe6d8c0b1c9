//! `docmill` against the deployed stack, and with the worker's engines on this machine.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

use crate::clients::root;
use crate::support::{deployed_url, pdf};

/// A program of the workspace, which `make test` builds.
fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(Path::parent).unwrap().join(name)
}

/// The command in a folder that is also its home.
fn docmill(folder: &TempDir, words: &[&str]) -> Command {
    let mut command = Command::new(program("docmill"));
    command.args(words).current_dir(folder.path()).env("HOME", folder.path()).kill_on_drop(true);
    for variable in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "DBUS_SESSION_BUS_ADDRESS"] {
        command.env_remove(variable);
    }
    command
}

fn lines(output: &Output) -> Vec<Value> {
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn folder_with_sources() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(root().join("samples/small.docx"), folder.path().join("small.docx")).unwrap();
    std::fs::write(folder.path().join("notes.md"), "# Notes\n\nOne and two.\n").unwrap();
    folder
}

#[tokio::test]
async fn files_are_converted_and_merged_and_their_jobs_deleted() {
    let Some(url) = deployed_url() else { return };
    let key = std::env::var("DOCMILL_LIVE_KEY").expect("it is set with DOCMILL_URL");
    let folder = folder_with_sources();
    let run = async |words: &[&str]| {
        docmill(&folder, words).env("DOCMILL_URL", &url).env("DOCMILL_KEY", &key).output().await.unwrap()
    };
    let text = |name: &str| pdf::text(&std::fs::read(folder.path().join(name)).unwrap());

    let tag = format!("run={}", docmill_domain::job::JobId::new());
    let words = ["convert", "small.docx", "notes.md", "--to", "pdf", "-o", "out/", "--tag", &tag, "--json"];
    let said = lines(&run(&words).await);
    let summary = said.last().unwrap();
    assert_eq!((&summary["completed"], &summary["credits"]), (&2.into(), &2.into()), "{said:?}");
    assert!(text("out/small.pdf").contains("Amet aliqua dolor") && text("out/notes.pdf").contains("One and two."));

    lines(&run(&["merge", "out/small.pdf", "notes.md", "-o", "all.pdf", "--tag", &tag, "--json"]).await);
    let all = text("all.pdf");
    assert!(all.find("Amet aliqua dolor").unwrap() < all.find("One and two.").unwrap());
    lines(&run(&["pdf-to-images", "all.pdf", "--dpi", "36", "-o", "pages/", "--tag", &tag, "--json"]).await);
    assert!(std::fs::read_dir(folder.path().join("pages")).unwrap().count() > 1, "a picture of each page");

    let jobs = lines(&run(&["jobs", "list", "--tag", &tag, "--json"]).await);
    let ids: Vec<_> = jobs.iter().map(|line| line["job"]["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 4);
    lines(&run(&["jobs", "download", ids[0], "-o", "pages.zip", "--json"]).await);
    assert!(std::fs::read(folder.path().join("pages.zip")).unwrap().starts_with(b"PK"));
    lines(&run(&[&["jobs", "delete", "--json"], ids.as_slice()].concat()).await);
    assert!(lines(&run(&["jobs", "list", "--tag", &tag, "--json"]).await).is_empty());

    let refused = run(&["jobs", "show", ids[0], "--url", "http://127.0.0.1:9"]).await;
    assert_eq!(refused.status.code(), Some(5), "{}", String::from_utf8_lossy(&refused.stderr));
}

#[tokio::test]
async fn a_file_that_cannot_be_converted_is_named_with_its_reason() {
    let Some(url) = deployed_url() else { return };
    let key = std::env::var("DOCMILL_LIVE_KEY").expect("it is set with DOCMILL_URL");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.docx"), "no document").unwrap();
    let mut command = docmill(&folder, &["convert", "report.docx", "--to", "pdf"]);
    let output = command.env("DOCMILL_URL", &url).env("DOCMILL_KEY", &key).output().await.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(said.contains("report.docx: ") && said.contains("[corrupt_document]"), "{said}");
}

#[tokio::test]
async fn files_are_converted_on_this_machine_without_a_service() {
    let folder = folder_with_sources();
    std::fs::copy(root().join("tests/fixtures/pdf/text.pdf"), folder.path().join("text.pdf")).unwrap();
    let run = async |words: &[&str]| {
        docmill(&folder, words).env_remove("DOCMILL_URL").env_remove("DOCMILL_KEY").output().await.unwrap()
    };
    let said = lines(&run(&["--local", "convert", "small.docx", "--to", "pdf", "-o", "small.pdf", "--json"]).await);
    assert_eq!((&said[0]["status"], &said[1]["credits"]), (&"completed".into(), &0.into()));
    assert!(pdf::text(&std::fs::read(folder.path().join("small.pdf")).unwrap()).contains("Amet aliqua dolor"));

    let locked = ["--local", "protect", "small.pdf", "--user-password", "open sesame", "-o", "locked.pdf", "--json"];
    lines(&run(&locked).await);
    let refused = run(&["--local", "pdf-to-text", "locked.pdf", "-o", "-"]).await;
    assert_eq!(refused.status.code(), Some(7));
    let opened = run(&["--local", "pdf-to-text", "locked.pdf", "--password", "open sesame", "-o", "-"]).await;
    assert!(String::from_utf8_lossy(&opened.stdout).contains("Amet aliqua dolor"));

    std::fs::write(folder.path().join("password.txt"), "open sesame\n").unwrap();
    lines(
        &run(&["--local", "convert", "locked.pdf", "-o", "opened.txt", "--password", "@password.txt", "--json"]).await,
    );
    assert!(std::fs::read_to_string(folder.path().join("opened.txt")).unwrap().contains("Amet aliqua dolor"));
}

/// A worker that says that it has begun, and never answers.
const SILENT_WORKER: &str = "#!/bin/sh\nmkdir $TMPDIR/begun\ncat > /dev/null\ntrue\n";

#[tokio::test]
async fn a_local_run_leaves_nothing_behind_and_lets_nobody_read_along() {
    let folder = folder_with_sources();
    let silent = folder.path().join("silent-worker");
    std::fs::write(&silent, SILENT_WORKER).unwrap();
    std::fs::set_permissions(&silent, std::fs::Permissions::from_mode(0o700)).unwrap();
    let working = tempfile::tempdir().unwrap();
    let command = || {
        let mut command = docmill(&folder, &["--local", "convert", "small.docx", "--to", "pdf", "-o", "small.pdf"]);
        command.env("TMPDIR", working.path()).env_remove("DOCMILL_URL");
        command
    };
    let folders = || std::fs::read_dir(working.path()).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();

    for signal in ["-INT", "-TERM", "-KILL"] {
        let mut run = command().env("DOCMILL_WORKER", &silent).spawn().unwrap();
        while !folders().iter().any(|folder| folder.join("begun").exists()) {
            assert!(run.try_wait().unwrap().is_none(), "it ended before it was interrupted");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(folders()[0].metadata().unwrap().permissions().mode() & 0o777, 0o700);
        let pid = run.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().await.unwrap().success());
        let ended = run.wait().await.unwrap();
        if signal != "-KILL" {
            assert_eq!(ended.code(), Some(130), "{signal}");
            assert_eq!(folders(), Vec::<PathBuf>::new(), "after {signal}");
        }
    }
    assert_eq!(folders().len(), 1, "after a kill");
    assert!(command().status().await.unwrap().success());
    assert_eq!(folders(), Vec::<PathBuf>::new(), "after the run that follows a kill");
}

#[tokio::test]
async fn a_local_run_that_is_killed_takes_its_engines_with_it() {
    let folder = folder_with_sources();
    let mut command = docmill(&folder, &["--local", "convert", "small.docx", "--to", "pdf", "-o", "small.pdf"]);
    let mut run = command.env("TMPDIR", folder.path()).env_remove("DOCMILL_URL").spawn().unwrap();
    let (mut engines, run_id) = (Vec::new(), run.id().unwrap());
    while engines.len() < 2 {
        assert!(run.try_wait().unwrap().is_none(), "it ended before its engines were seen");
        engines = descendants(run_id);
    }
    run.kill().await.unwrap();
    let all_ended = async {
        while running().iter().any(|(id, _)| engines.contains(id)) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), all_ended).await.expect("no engine outlives the command");
}

/// Ids of the running processes, each with that of its parent. A process that has ended but was not waited for does not run.
fn running() -> Vec<(u32, u32)> {
    let of_entry = |path: PathBuf| {
        let id = path.file_name()?.to_str()?.parse().ok()?;
        let status = std::fs::read_to_string(path.join("stat")).ok()?;
        let (_, fields) = status.rsplit_once(") ")?;
        let mut fields = fields.split(' ');
        let (state, parent) = (fields.next()?, fields.next()?);
        (state != "Z").then_some((id, parent.parse().ok()?))
    };
    std::fs::read_dir("/proc").unwrap().filter_map(|entry| of_entry(entry.unwrap().path())).collect()
}

fn descendants(ancestor: u32) -> Vec<u32> {
    let all = running();
    let mut found = vec![ancestor];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(all.iter().filter(|(_, its_parent)| *its_parent == parent).map(|(id, _)| id));
        next += 1;
    }
    found.split_off(1)
}
