//! What a command says: bars on a terminal, lines elsewhere, or JSON.
//!
//! Progress goes to standard error; results of lists and JSON go to standard output, unless a document goes there.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use docmill_domain::counted;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use crate::api::transfer::Advance;
use crate::args::Globals;
use crate::failure::Failure;
use crate::plan::Task;
use crate::plan::inputs::{PassedOver, Why};
use crate::pointer;

/// Most files that a line names.
const MOST_NAMED: usize = 3;

#[derive(Debug)]
enum Mode {
    Bars { all: MultiProgress, total: ProgressBar },
    Lines,
    Quiet,
    Json,
}

#[derive(Debug)]
pub struct Report {
    mode: Mode,
    /// A document is written to standard output.
    is_stdout_taken: bool,
    started: Instant,
}

/// What became of a document.
#[derive(Clone, Debug, Default)]
pub struct Done {
    pub outputs: Vec<String>,
    pub job_id: Option<String>,
    pub credits: u64,
    pub bytes: u64,
    pub pages: Option<u64>,
    pub warnings: Vec<Value>,
    /// What the tool found, as sentences.
    pub findings: Vec<String>,
    /// By an earlier run.
    pub was_done: bool,
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub completed: u64,
    pub failed: u64,
    pub skipped: u64,
    pub left: u64,
    pub credits: u64,
    /// Of the failed ones, those whose file could not be read or written, and those that will fail again.
    pub of_machine: u64,
    pub hopeless: u64,
    /// Of the completed ones, those with a warning that counts as a failure.
    pub warned: u64,
}

impl Report {
    pub fn new(globals: &Globals, documents: usize, is_stdout_taken: bool) -> Self {
        let mode = if globals.json {
            Mode::Json
        } else if globals.quiet {
            Mode::Quiet
        } else if io::stderr().is_terminal() {
            let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
            let total = all.add(ProgressBar::new(documents as u64));
            total.set_style(style("{bar:24} {pos}/{len} {msg} {elapsed}"));
            if documents < 2 {
                total.set_draw_target(ProgressDrawTarget::hidden());
            }
            Mode::Bars { all, total }
        } else {
            Mode::Lines
        };
        Self { mode, is_stdout_taken, started: Instant::now() }
    }

    /// Shows that a document is being worked on.
    pub fn begin(&self, task: &Task) -> Progress {
        self.progress(&task.name())
    }

    pub fn progress(&self, name: &str) -> Progress {
        let Mode::Bars { all, total } = &self.mode else { return Progress(None) };
        let bar = all.insert_before(total, ProgressBar::new_spinner());
        bar.set_style(style("{spinner} {prefix} {msg}"));
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        Progress(Some(bar))
    }

    pub fn end(&self, task: &Task, progress: &Progress, outcome: &Result<Done, Failure>, time: Duration) {
        if let (Mode::Bars { all, total }, Some(bar)) = (&self.mode, &progress.0) {
            bar.finish_and_clear();
            all.remove(bar);
            total.inc(1);
        }
        match (&self.mode, outcome) {
            (Mode::Json, _) => self.json(&document_view(task, outcome, time)),
            (Mode::Quiet, Ok(_)) => {}
            (Mode::Bars { .. } | Mode::Lines, Ok(done)) => self.say(&described(task, done, time)),
            (Mode::Bars { .. } | Mode::Lines | Mode::Quiet, Err(failure)) => {
                self.line(&format!("{}: {failure}", task.name()));
            }
        }
    }

    pub fn summarize(&self, counts: Counts) {
        let Counts { completed, failed, skipped, left, credits, of_machine: _, hopeless: _, warned: _ } = counts;
        if matches!(self.mode, Mode::Json) {
            let duration = millis(self.started.elapsed());
            self.json(&json!({"type": "summary", "completed": completed, "failed": failed, "skipped": skipped,
                "left": left, "credits": credits, "durationMs": duration}));
            return;
        }
        if let Mode::Bars { total, .. } = &self.mode {
            total.finish_and_clear();
        }
        if completed + failed + skipped + left < 2 {
            return;
        }
        let part = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
        let parts = [
            part(completed, "converted"),
            part(failed, "failed"),
            part(skipped, "already done"),
            part(left, "not started"),
        ];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        self.say(&format!("{text}, {}, {:.1} s", counted(credits, "credit"), self.started.elapsed().as_secs_f64()));
    }

    /// Says what was decided for the user.
    pub fn note(&self, text: &str) {
        if self.is_json() {
            self.json(&json!({"type": "note", "message": text}));
        } else {
            self.say(text);
        }
    }

    /// Says which files are not converted, and why.
    pub fn passed_over(&self, files: &[PassedOver]) {
        if self.is_json() {
            for file in files {
                self.json(&json!({"type": "passedOver", "source": file.shown, "reason": file.why.as_str()}));
            }
            return;
        }
        for (why, what) in [(Why::Format, "of other formats left out"), (Why::Twice, "named twice and taken once")] {
            let shown: Vec<_> = files.iter().filter(|file| file.why == why).map(|file| file.shown.as_str()).collect();
            let count = match shown.len() {
                0 => continue,
                1 => "1 file".to_owned(),
                more => format!("{more} files"),
            };
            let more = if shown.len() > MOST_NAMED { ", …" } else { "" };
            let named = shown.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
            self.say(&format!("{count} {what}: {named}{more}"));
        }
    }

    /// A line for people, unless they want none.
    pub fn say(&self, text: &str) {
        match &self.mode {
            Mode::Quiet | Mode::Json => {}
            Mode::Lines | Mode::Bars { .. } => self.line(text),
        }
    }

    fn line(&self, text: &str) {
        match &self.mode {
            Mode::Bars { all, .. } => all.suspend(|| to_stderr(text)),
            Mode::Lines | Mode::Quiet | Mode::Json => to_stderr(text),
        }
    }

    /// A line of JSON.
    pub fn json(&self, value: &Value) {
        if self.is_stdout_taken { to_stderr(&value.to_string()) } else { to_stdout(&value.to_string()) }
    }

    pub const fn is_json(&self) -> bool {
        matches!(self.mode, Mode::Json)
    }
}

/// How far a document is.
#[derive(Clone, Debug)]
pub struct Progress(Option<ProgressBar>);

impl Progress {
    pub fn stage(&self, text: impl Into<Cow<'static, str>>) {
        if let Some(bar) = &self.0 {
            bar.set_style(style("{spinner} {prefix} {msg}"));
            bar.set_message(text);
        }
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }

    /// A transfer of so many bytes.
    pub fn transfer(&self, text: &'static str, bytes: u64) -> Advance {
        if let Some(bar) = &self.0 {
            bar.set_length(bytes);
            bar.set_position(0);
            bar.set_style(style("{spinner} {prefix} {msg} {bar:20} {bytes}/{total_bytes}"));
            bar.set_message(text);
        }
        Advance(self.0.clone())
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

fn described(task: &Task, done: &Done, time: Duration) -> String {
    let outputs = match done.outputs.as_slice() {
        [first, _, ..] => format!("{} files, {first}, …", done.outputs.len()),
        outputs => outputs.join(", "),
    };
    let pages = match done.pages {
        Some(1) => "1 page, ".to_owned(),
        Some(pages) => format!("{pages} pages, "),
        None => String::new(),
    };
    let mut text = if done.was_done {
        format!("{} → {outputs} (already done)", task.name())
    } else {
        format!("{} → {outputs} ({pages}{}, {:.1} s)", task.name(), size(done.bytes), time.as_secs_f64())
    };
    for finding in &done.findings {
        text.push_str(&format!("\n  {finding}"));
    }
    for warning in &done.warnings {
        let part = |name: &str| warning[name].as_str().unwrap_or_default();
        let message = pointer::with_entries(part("message"), &task.recipe.last().options);
        let pages = warning["pages"].as_str().map(|pages| format!(" Pages: {pages}.")).unwrap_or_default();
        let detail = Some(part("detail")).filter(|detail| !detail.is_empty() && !message.contains(detail));
        let detail = detail.map(|detail| format!(" Detail: {}.", shortened(detail))).unwrap_or_default();
        text.push_str(&format!("\n  {message}{pages}{detail} [{}]", part("code")));
    }
    text
}

/// At most so much of a detail that the line can be read; `--json` has all of it.
fn shortened(detail: &str) -> String {
    const MOST: usize = 300;
    let short: String = detail.chars().take(MOST).collect();
    if short.len() < detail.len() { format!("{short}…") } else { short }
}

fn document_view(task: &Task, outcome: &Result<Done, Failure>, time: Duration) -> Value {
    let mut view = json!({"type": "document", "source": task.name(), "output": task.target.text()});
    if task.inputs.len() > 1 {
        view["sources"] = task.inputs.iter().map(ToString::to_string).collect();
    }
    match outcome {
        Ok(done) => {
            view["status"] = json!(if done.was_done { "skipped" } else { "completed" });
            view["outputs"] = json!(done.outputs);
            view["bytes"] = json!(done.bytes);
            view["credits"] = json!(done.credits);
            if let Some(pages) = done.pages {
                view["pages"] = json!(pages);
            }
            if let Some(job) = &done.job_id {
                view["jobId"] = json!(job);
            }
            if !done.findings.is_empty() {
                view["findings"] = json!(done.findings);
            }
            if !done.warnings.is_empty() {
                view["warnings"] = json!(done.warnings);
            }
        }
        Err(failure) => {
            view["status"] = json!("failed");
            view["error"] = failure.view();
        }
    }
    view["durationMs"] = json!(millis(time));
    view
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A size for people.
pub fn size(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}

/// A reader that has gone, such as `head`, is no reason to fail.
pub fn to_stdout(text: &str) {
    drop(writeln!(io::stdout().lock(), "{text}"));
}

pub fn to_stderr(text: &str) {
    drop(writeln!(io::stderr().lock(), "{text}"));
}

/// Columns, as wide as their widest entry.
pub fn table(rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).max();
    let widths: Vec<_> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    for row in rows {
        let cells: Vec<_> =
            row.iter().zip(&widths).map(|(text, width)| format!("{text:width$}", width = *width)).collect();
        to_stdout(cells.join("  ").trim_end());
    }
}
