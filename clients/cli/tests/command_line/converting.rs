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

/// A file that somebody else wrote stays as it is, and nothing is paid for a result that has no place.
#[tokio::test]
async fn a_file_that_the_command_did_not_make_is_never_replaced() {
    let user = User::new(Manners::default()).await;
    user.write("letters/survey.docx", "survey");
    user.write("letters/other.docx", "other");
    user.write("letters/survey.pdf", "somebody's own");
    let words = ["convert", "letters/", "--to", "pdf"];
    let ran = user.run(&words).await.ends_with(2);
    assert!(
        ran.stderr.contains("letters/survey.pdf exists already") && ran.stderr.contains("--overwrite"),
        "{}",
        ran.stderr
    );
    assert_eq!((user.read("letters/survey.pdf").as_str(), user.service.world().creates), ("somebody's own", 0));
    user.run(&["convert", "letters/", "--to", "pdf", "--overwrite"]).await.ends_with(0);
    assert_eq!(user.read("letters/survey.pdf"), "PDF of survey");
    // What the command made it may make anew, until somebody changes it.
    user.run(&words).await.ends_with(0);
    user.write("letters/other.pdf", "changed by hand");
    user.run(&words).await.ends_with(2);
    assert_eq!(user.read("letters/other.pdf"), "changed by hand");
}

/// A script must not go on as if a text were gone.
#[tokio::test]
async fn a_redaction_that_finds_nothing_and_chosen_warnings_end_with_a_code_of_their_own() {
    let user = User::new(Manners::default()).await;
    user.write("a.pdf", "without the word");
    user.write("b.pdf", "with it");
    let redact = ["redact", "a.pdf", "b.pdf", "--text", "word", "-o", "out/"];
    let ran = user.run(&redact).await.ends_with(8);
    assert!(ran.stderr.contains("1 result is written, but with a warning"), "{}", ran.stderr);
    assert_eq!(user.read("out/a.pdf"), "PDF of without the word");
    let fresh = |more: &[&'static str]| [&redact[..], &["--fresh"], more].concat();
    user.run(&fresh(&["--fail-on", "none"])).await.ends_with(0);
    user.run(&fresh(&["--fail-on", "any"])).await.ends_with(8);
    user.run(&["redact", "b.pdf", "--text", "word", "-o", "c.pdf"]).await.ends_with(0);
}

#[tokio::test]
async fn outputs_are_checked_before_anything_is_paid() {
    let user = User::new(Manners::default()).await;
    user.write("a.docx", "a");
    user.write("file", "no folder");
    for output in ["/proc/nope/x.pdf", "file/x.pdf"] {
        let ran = user.run(&["convert", "a.docx", "-o", output]).await.ends_with(1);
        assert!(ran.stderr.contains("Writing to"), "{}", ran.stderr);
    }
    assert_eq!(user.service.world().creates, 0);
}

#[tokio::test]
async fn what_is_left_out_is_named_and_nothing_is_converted_twice() {
    let user = User::new(Manners::default()).await;
    user.write("in/a.docx", "a");
    user.write("in/b.pdf", "b");
    let ran = user.run(&["convert", "in", "in/a.docx", "--to", "pdf", "-o", "out/"]).await.ends_with(0);
    assert!(ran.stderr.contains("1 file of other formats left out: in/b.pdf"), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 file named twice and taken once: in/a.docx"), "{}", ran.stderr);
    assert_eq!(user.service.world().charged, 1);
}

#[tokio::test]
async fn the_name_of_the_output_says_its_format() {
    let user = User::new(Manners::default()).await;
    user.write("template.docx", "template");
    let words = ["render-template", "template.docx", "--data", "{\"a\": 1}", "-o", "inv.pdf"];
    let ran = user.run(&words).await.ends_with(0);
    assert!(ran.stderr.contains("office-to-pdf is added"), "{}", ran.stderr);
    assert_eq!(user.service.world().requests[0]["then"][0]["toolSlug"], "office-to-pdf");
    user.write("a.pdf", "a");
    let ran = user.run(&["compress", "a.pdf", "-o", "b.odt"]).await.ends_with(2);
    assert!(ran.stderr.contains("b.odt says odt"), "{}", ran.stderr);
    let ran = user.run(&["redact", "template.docx", "--text", "xx", "-o", "b.pdf"]).await.ends_with(2);
    assert!(ran.stderr.contains("does not take docx") && ran.stderr.contains("--then redact"), "{}", ran.stderr);
    assert_eq!(user.service.world().creates, 1, "only the first command sent something");
}

#[tokio::test]
async fn a_stored_template_is_filled_in_and_its_mistakes_are_listed() {
    let user = User::new(Manners::default()).await;
    let words = ["render-template", "template:invoice@2", "--data", "{\"a\": 1}", "-o", "inv.pdf"];
    user.run(&words).await.ends_with(0);
    let request = user.service.world().requests[0].clone();
    assert_eq!(request["input"]["template"], serde_json::json!({"name": "invoice", "version": 2}));
    assert_eq!(request["then"][0]["toolSlug"], "office-to-pdf", "the service knows that it is a docx");
    let ran = user.run(&["render-template", "invoice", "--data", "{}"]).await.ends_with(2);
    assert!(ran.stderr.contains("template:invoice"), "{}", ran.stderr);

    user.write("bad.docx", "bad template");
    let ran = user.run(&["render-template", "bad.docx", "--data", "{\"a\": 1}", "--json"]).await.ends_with(7);
    let error = &ran.lines()[0]["error"];
    assert!(error["jobId"].is_string() && error["retryable"] == false, "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("the body, page 2: The data has no value `date`. Did you mean `dates`?"), "{message}");
    assert!(message.contains("no value `total`") && !message.contains("see `details`"), "{message}");
    assert!(
        ran.stderr.contains("\"code\":\"documents\"") && !ran.stderr.contains("Run the same command again"),
        "{}",
        ran.stderr
    );
}

#[tokio::test]
async fn a_reader_that_goes_is_no_failure() {
    let user = User::new(Manners::default()).await;
    user.write("large.docx", &"x".repeat(4 << 20));
    for words in [&["convert", "large.docx", "--to", "pdf", "-o", "-"][..], &["completions", "bash"]] {
        let mut child = user.docmill(words).spawn().unwrap();
        drop(child.stdout.take());
        let ran = Ran::of(child.wait_with_output().await.unwrap()).ends_with(0);
        assert!(!ran.stderr.contains("pipe") && !ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
}

#[tokio::test]
async fn events_are_listed_from_the_newest_on() {
    let user = User::new(Manners::default()).await;
    let event = |number: usize| serde_json::json!({"id": format!("evt_{number}"), "type": "job.completed", "data": {}});
    user.service.world().events = (0..5).map(event).collect();
    let ran = user.run(&["events", "--limit", "2"]).await.ends_with(0);
    let ids: Vec<_> = ran.stdout.split_whitespace().filter(|word| word.starts_with("evt_")).collect();
    assert_eq!(ids, ["evt_4", "evt_3"]);
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
async fn a_result_is_never_replaced_by_that_of_another_document() {
    let user = User::new(Manners::default()).await;
    user.write("in/report.html", "first");
    user.run(&["watch", "in", "--to", "pdf", "--once"]).await.ends_with(0);
    user.write("in/report.md", "second");
    user.run(&["watch", "in", "--to", "pdf", "--once"]).await.ends_with(0);
    assert_eq!(user.read("in/converted/report.pdf"), "PDF of first");
    assert_eq!(user.read("in/converted/report.md.pdf"), "PDF of second");
    let charged = user.service.world().charged;
    user.run(&["watch", "in", "--to", "pdf", "--once"]).await.ends_with(0);
    assert_eq!(user.service.world().charged, charged, "both are done");

    user.write("a.docx", "first");
    user.write("a.odt", "second");
    user.run(&["convert", "a.docx", "--to", "pdf"]).await.ends_with(0);
    let ran = user.run(&["convert", "a.odt", "--to", "pdf"]).await.ends_with(2);
    assert!(ran.stderr.contains("a.pdf exists already, and was made of another document."), "{}", ran.stderr);
    assert_eq!(user.read("a.pdf"), "PDF of first");
    user.run(&["convert", "a.odt", "--to", "pdf", "--overwrite"]).await.ends_with(0);
    assert_eq!(user.read("a.pdf"), "PDF of second");
}

#[tokio::test]
async fn a_result_is_never_replaced_by_that_of_another_command() {
    let user = User::new(Manners::default()).await;
    user.write("a.pdf", "document");
    user.run(&["inspect", "a.pdf"]).await.ends_with(0);
    let charged = user.service.world().charged;
    let ran = user.run(&["extract", "a.pdf"]).await.ends_with(2);
    assert!(ran.stderr.contains("a.json exists already, and was not made by this command."), "{}", ran.stderr);
    assert_eq!(user.service.world().charged, charged);
    let watermark = ["watermark", "a.pdf", "-o", "b.pdf", "--text"];
    user.run(&[&watermark[..], &["One"]].concat()).await.ends_with(0);
    user.run(&[&watermark[..], &["Two"]].concat()).await.ends_with(2);
    user.run(&[&watermark[..], &["One", "--tag", "run=2"]].concat()).await.ends_with(0);
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
