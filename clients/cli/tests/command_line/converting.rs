//! From sources to results.

use std::path::Path;

use crate::service::Manners;
use crate::{Ran, User, with_input};

#[tokio::test]
async fn the_suffix_decides() {
    let user = User::new(Manners::default()).await;
    user.write("report.docx", "report");
    let ran = user.run(&["convert", "report.docx", "-o", "result.pdf"]).await.ends_with(0);
    assert_eq!(user.read("result.pdf"), "PDF of report");
    assert!(ran.stdout.is_empty() && ran.stderr.contains("report.docx → result.pdf (1 page"), "{}", ran.stderr);
}

#[tokio::test]
async fn standard_input_becomes_standard_output() {
    let user = User::new(Manners::default()).await;
    let command = user.docmill(&["office-to-pdf", "-", "-o", "-", "--json"]);
    let ran = with_input(command, "typed").await.ends_with(0);
    assert_eq!(ran.stdout, "PDF of typed", "nothing but the document");
    assert!(ran.stderr.contains("\"type\":\"summary\""), "{}", ran.stderr);
}

#[tokio::test]
async fn a_dry_run_sends_nothing_and_tells_the_credits() {
    let user = User::new(Manners::default()).await;
    user.write("a.docx", "a");
    user.write("b.odt", "b");
    let words = ["convert", "a.docx", "b.odt", "--to", "pdf", "--then", "watermark --text Draft", "--dry-run"];
    let ran = user.run(&words).await.ends_with(0);
    assert!(ran.stdout.contains("a.docx → a.pdf (office-to-pdf, watermark-pdf)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("2 jobs, 10 credits"), "{}", ran.stdout);
    assert_eq!(user.service.world().creates, 0);
}

#[tokio::test]
async fn errors_say_what_to_do() {
    let user = User::new(Manners::default()).await;
    user.write("a.docx", "a");
    user.write("a.pdf", "a");
    for (words, code, expected) in [
        (vec!["convert", "a.docx"], 2, "--to pdf"),
        (vec!["convert", "no.docx", "--to", "pdf"], 2, "There is no file no.docx"),
        (vec!["convert", "a.pdf", "--to", "pdf", "-o", "b/"], 2, "docmill compress"),
        (vec!["convert", "a.docx", "a.pdf", "--to", "txt", "-o", "b.txt"], 2, "docmill merge"),
        (vec!["compress", "a.pdf", "-o", "a.pdf"], 2, "would be overwritten"),
        (vec!["pdf-to-images", "a.pdf", "--dpi", "9000"], 2, "--dpi must be at most 600"),
        (vec!["jobs", "show", "../account/usage"], 2, "is not an id"),
        (vec!["jobs", "show", "4711"], 6, "[job_not_found] (request req-4711)"),
    ] {
        let ran = user.run(&words).await.ends_with(code);
        assert!(ran.stderr.contains(expected), "{words:?}: {}", ran.stderr);
    }
    assert_eq!(user.service.world().creates, 0);
}

#[tokio::test]
async fn a_pipeline_and_a_watched_folder_convert_files() {
    let user = User::new(Manners::default()).await;
    user.write("in/letter.docx", "letter");
    user.write("pipeline.toml", "inputs = ['in']\noutput = 'out/'\n[[step]]\nto = 'pdf'\n");
    user.run(&["run", "pipeline.toml"]).await.ends_with(0);
    assert_eq!(user.read("out/letter.pdf"), "PDF of letter");
    user.run(&["watch", "in", "--once"]).await.ends_with(0);
    assert_eq!(user.read("in/converted/letter.pdf"), "PDF of letter");
    let charged = user.service.world().charged;
    user.run(&["watch", "in", "--once"]).await.ends_with(0);
    assert_eq!(user.service.world().charged, charged, "what is done is not converted again");
}

#[tokio::test]
async fn manual_pages_and_completions_have_the_options_of_tools() {
    let user = User::new(Manners::default()).await;
    user.run(&["man", "pages"]).await.ends_with(0);
    assert!(user.read("pages/docmill-pdf-to-images.1").contains("\\-\\-dpi"));
    assert!(user.read("pages/docmill.1").contains("docmill convert"));
    for shell in ["bash", "zsh", "fish"] {
        let ran = user.run(&["completions", shell]).await.ends_with(0);
        assert!(ran.stdout.contains("max-image-dpi") && ran.stdout.contains("docmill"), "{shell}");
    }
}

/// Journals and the rest of the home are the user's alone, and no file has the key.
#[tokio::test]
async fn nothing_keeps_a_key_or_a_password() {
    let user = User::new(Manners::default()).await;
    user.write("bad.docx", "bad");
    let words = ["office-to-pdf", "bad.docx", "--password", "canary"];
    let Ran { stdout, stderr, .. } = user.run(&words).await.ends_with(7);
    let mut said = stdout + &stderr;
    collect(&user.home().join(".local"), &mut said);
    assert!(said.contains("\"state\":\"sent\""), "there is a journal: {said}");
    assert!(!said.contains("canary") && !said.contains(crate::service::KEY), "{said}");
}

fn collect(folder: &Path, said: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { collect(&path, said) } else { said.push_str(&std::fs::read_to_string(&path).unwrap()) }
    }
}
