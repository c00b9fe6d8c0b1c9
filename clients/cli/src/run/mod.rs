//! Runs tasks: many at once, with a journal, until all are done or one failure ends the run.

mod before;
pub mod local;
pub mod place;
pub mod remote;
mod scratch;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use docmill_domain::counted;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use self::local::Local;
use self::remote::Remote;
use crate::api::{Api, Call};
use crate::args::{Globals, JobArgs};
use crate::config;
use crate::failure::{Doing, Exit, Failure, Outcome};
use crate::folders;
use crate::journal::{self, Journal};
use crate::made::Made;
use crate::plan::inputs::{Input, STANDARD_INPUT};
use crate::plan::outputs::Target;
use crate::plan::{Plan, Task};
use crate::report::{self, Counts, Done, Progress, Report};

/// Documents at once: twice as many as an account's running jobs, so that uploads and downloads go on meanwhile.
const AT_ONCE: usize = 32;

/// The warning of a redaction that found nothing.
const NOTHING_REDACTED: &str = "nothing_redacted";

/// Where jobs run.
enum Engine {
    Service(Box<Remote>),
    Here(Local),
}

impl Engine {
    async fn convert(&self, task: &Task, document: &str, journal: &Journal, progress: &Progress) -> Outcome<Done> {
        match self {
            Self::Service(remote) => remote.convert(task, document, journal, progress).await,
            Self::Here(local) => local.convert(task, progress).await,
        }
    }
}

/// Does all tasks of a command.
pub async fn run(plan: Plan, globals: &Globals, job: &JobArgs) -> Outcome<()> {
    let Plan { tasks, passed_over, notes } = plan;
    let is_stdout_taken = tasks.iter().any(|task| task.target == Target::StandardOutput);
    let report = Report::new(globals, tasks.len(), is_stdout_taken);
    notes.iter().for_each(|note| report.note(note));
    report.passed_over(&passed_over);
    let made = Rc::new(Made::open(job.overwrite)?);
    if globals.local {
        if job.dry_run {
            return preview(&tasks, None, &report);
        }
        before::check(&tasks, &Journal::none(), &made)?;
        let local = Local::new(at_once(job, Local::at_once()), made)?;
        return finish(all(&tasks, &Engine::Here(local), &Journal::none(), job, &report).await, Journal::none());
    }
    let api = Api::new(config::access(globals.url.as_deref())?)?;
    if job.dry_run {
        let tools = api.call(Call::get("/v1/tools")).await?;
        return preview(&tasks, Some(&tools.body["tools"]), &report);
    }
    let journal = open_journal(&tasks, &api, job)?;
    before::check(&tasks, &journal, &made)?;
    let outcome = all(&tasks, &Engine::Service(Box::new(Remote::new(api, made))), &journal, job, &report).await;
    finish(outcome, journal)
}

fn at_once(job: &JobArgs, usual: usize) -> usize {
    job.parallel.map_or(usual, usize::from)
}

/// Standard input and output can't be found again, so a run with them has no journal.
fn open_journal(tasks: &[Task], api: &Api, job: &JobArgs) -> Outcome<Journal> {
    let streams = tasks.iter().any(|task| {
        task.target == Target::StandardOutput
            || task.inputs.iter().any(|input| matches!(input, Input::File { shown, .. } if shown == STANDARD_INPUT))
    });
    if streams {
        return Ok(Journal::none());
    }
    let folder = std::env::current_dir().doing("Reading the current folder")?;
    let access = api.access();
    let output = job.output.as_deref().unwrap_or_default();
    let identity = [&access.url, access.key.reveal(), &folder.display().to_string(), output].join("\n");
    Journal::open(&folders::state_folder()?, &identity, job.fresh)
}

/// Runs the tasks and says what became of each.
async fn all(
    tasks: &[Task],
    engine: &Engine,
    journal: &Journal,
    job: &JobArgs,
    report: &Report,
) -> (Counts, Option<Failure>) {
    let counts = Cell::new(Counts::default());
    let ending: RefCell<Option<Failure>> = RefCell::new(None);
    let work = stream::iter(tasks).for_each_concurrent(at_once(job, AT_ONCE), async |task| {
        if ending.borrow().is_some() {
            return counts.update(|counts| Counts { left: counts.left + 1, ..counts });
        }
        let (progress, started) = (report.begin(task), Instant::now());
        let outcome = match journal::document(task) {
            Ok(document) => engine.convert(task, &document, journal, &progress).await,
            Err(failure) => Err(failure),
        };
        // One message is enough if the same happens to all.
        let is_known = |failure: &Failure| ending.borrow().as_ref().is_some_and(|known| known.code == failure.code);
        match &outcome {
            Err(failure) if failure.ends_the_run() => {
                counts.update(|counts| Counts { left: counts.left + 1, ..counts });
                if !is_known(failure) {
                    ending.borrow_mut().get_or_insert_with(|| failure.clone());
                }
                return;
            }
            Err(failure) => counts.update(|counts| Counts {
                failed: counts.failed + 1,
                of_machine: counts.of_machine + u64::from(failure.exit == Exit::Machine),
                hopeless: counts.hopeless + u64::from(failure.retryable == Some(false)),
                ..counts
            }),
            Ok(done) if done.was_done => counts.update(|counts| Counts { skipped: counts.skipped + 1, ..counts }),
            Ok(done) => counts.update(|counts| Counts {
                completed: counts.completed + 1,
                warned: counts.warned + u64::from(done.warnings.iter().any(|warning| fails_on(job, warning))),
                credits: counts.credits + done.credits,
                ..counts
            }),
        }
        report.end(task, &progress, &outcome, started.elapsed());
    });
    tokio::select! {
        () = work => {}
        () = interrupted() => {
            ending.replace(Some(Failure::interrupted()));
        }
    }
    report.summarize(counts.get());
    (counts.get(), ending.take())
}

/// Waits for Ctrl-C, or for the signal by which other programs end this one.
async fn interrupted() {
    #[cfg(unix)]
    if let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        return;
    }
    drop(tokio::signal::ctrl_c().await);
}

/// The command's outcome. The journal is kept if there is something left to do.
fn finish((counts, ending): (Counts, Option<Failure>), journal: Journal) -> Outcome<()> {
    let again = "Run the same command again: it goes on where it stopped, and nothing is paid twice.";
    match ending {
        Some(failure) if failure.exit == Exit::Interrupted => Err(failure.with_hint(again)),
        Some(failure) => Err(failure),
        None if counts.failed > 0 => {
            let what = counted(counts.failed, "document");
            let exit = if counts.of_machine == counts.failed { Exit::Machine } else { Exit::Documents };
            let failure = Failure::documents(exit, format!("{what} could not be converted."));
            // What a document's own fault is stays one.
            let is_hopeless = counts.hopeless == counts.failed;
            Err(if is_hopeless {
                failure
            } else {
                failure.with_hint("Run the same command again to try only those again.")
            })
        }
        None => {
            journal.finish()?;
            match counts.warned {
                0 => Ok(()),
                warned => Err(Failure::warnings(format!(
                    "{} written, but with a warning that counts as a failure (`--fail-on`).",
                    if warned == 1 { "1 result is".to_owned() } else { format!("{warned} results are") },
                ))),
            }
        }
    }
}

/// Whether a warning counts as a failure. By default this is a redaction that found nothing: a script must not go on as if
/// the text were gone.
fn fails_on(job: &JobArgs, warning: &Value) -> bool {
    let code = warning["code"].as_str().unwrap_or_default();
    let listed = |name: &str| job.fail_on.iter().any(|on| on == name);
    listed("any") || listed(code) || (code == NOTHING_REDACTED && !listed("none"))
}

/// What would be done, and the credits it would take.
fn preview(tasks: &[Task], tools: Option<&Value>, report: &Report) -> Outcome<()> {
    let mut total = 0;
    for task in tasks {
        let mut credits = 0;
        for slug in task.recipe.slugs() {
            credits += match tools {
                None => 0,
                Some(tools) => price(tools, slug)?,
            };
        }
        total += credits;
        let tools: Vec<_> = task.recipe.slugs().collect();
        if report.is_json() {
            report.json(&json!({"type": "document", "status": "planned", "source": task.name(),
                "output": task.target.text(), "tools": tools, "credits": credits}));
        } else {
            report::to_stdout(&format!("{} → {} ({})", task.name(), task.target.text(), tools.join(", ")));
        }
    }
    if report.is_json() {
        report.json(&json!({"type": "summary", "planned": tasks.len(), "credits": total}));
    } else {
        let jobs = counted(tasks.len() as u64, "job");
        report::to_stdout(&format!("{jobs}, {}. Nothing was sent.", counted(total, "credit")));
    }
    Ok(())
}

fn price(tools: &Value, slug: &str) -> Outcome<u64> {
    let tool = tools.as_array().into_iter().flatten().find(|tool| tool["slug"] == slug);
    let missing = || Failure { exit: Exit::Access, ..Failure::usage(format!("Your key may not use {slug}.")) };
    tool.and_then(|tool| tool["creditCost"].as_u64()).ok_or_else(missing)
}
