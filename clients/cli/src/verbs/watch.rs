//! `docmill watch`: converts what appears in a folder.
//!
//! It looks at the folder twice a second, which also works where the system tells nobody of changes, such as on network drives.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use walkdir::WalkDir;

use crate::args::{Globals, JobArgs, WatchArgs};
use crate::catalogue;
use crate::failure::{Failure, Outcome};
use crate::made::Made;
use crate::plan::inputs::Input;
use crate::plan::outputs::{self, Target};
use crate::plan::{Plan, Task, route};
use crate::report;
use crate::run;

const PAUSE: Duration = Duration::from_millis(500);
/// A file that was changed more recently may still be being written.
const SETTLED: Duration = Duration::from_secs(1);

/// What a file looked like.
type Look = (u64, Option<SystemTime>);

pub async fn run(args: &WatchArgs, globals: &Globals) -> Outcome<()> {
    if !args.folder.is_dir() {
        return Err(Failure::usage(format!("{} is not a folder.", args.folder.display())));
    }
    let mut job = args.job.clone();
    let output = job.output.get_or_insert_with(|| format!("{}/converted/", args.folder.display()));
    // The folder may not exist yet.
    if output != "-" && !output.ends_with('/') {
        output.push('/');
    }
    if !args.once && !globals.quiet && !globals.json {
        report::to_stderr(&format!("Watching {}. End with Ctrl-C.", args.folder.display()));
    }
    let mut seen = HashMap::new();
    let work = async {
        loop {
            let (files, is_settled) = changed(args, &job, &mut seen);
            let tasks = tasks(args, &job, files)?;
            if !tasks.is_empty() {
                match run::run(Plan { tasks, ..Plan::default() }, globals, &job).await {
                    // The next document can be a better one.
                    Err(failure) if !args.once && !failure.ends_the_run() => report::to_stderr(&failure.to_string()),
                    outcome => outcome?,
                }
            }
            if args.once && is_settled {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::select! {
        outcome = work => outcome,
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}

/// Files that are new or changed since they were seen, and whether none is still being written.
fn changed(args: &WatchArgs, job: &JobArgs, seen: &mut HashMap<PathBuf, Look>) -> (Vec<PathBuf>, bool) {
    let to = catalogue::format_of(&args.to);
    let output = job.output.as_deref().map(PathBuf::from).and_then(|path| path.canonicalize().ok());
    let (mut files, mut is_settled) = (Vec::new(), true);
    let walk = WalkDir::new(&args.folder).sort_by_file_name().into_iter().filter_entry(|entry| {
        let is_hidden = entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.');
        let is_output = entry.depth() > 0 && output.is_some() && entry.path().canonicalize().ok() == output;
        !is_hidden && !is_output
    });
    // What can't be read now may be readable next time.
    for entry in walk.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        if !metadata.is_file() || !route::converts(entry.path(), &to) {
            continue;
        }
        let look = (metadata.len(), metadata.modified().ok());
        if seen.get(entry.path()) == Some(&look) {
            continue;
        }
        let age = look.1.and_then(|time| time.elapsed().ok()).unwrap_or(SETTLED);
        if age < SETTLED {
            is_settled = false;
            continue;
        }
        seen.insert(entry.path().to_path_buf(), look);
        files.push(entry.into_path());
    }
    (files, is_settled)
}

/// The tasks for these files, without those whose results are newer.
fn tasks(args: &WatchArgs, job: &JobArgs, files: Vec<PathBuf>) -> Outcome<Vec<Task>> {
    let below = |path: &PathBuf| path.strip_prefix(&args.folder).ok().and_then(|path| path.parent()).map(PathBuf::from);
    let inputs =
        files.into_iter().map(|path| Input::File { shown: path.display().to_string(), below: below(&path), path });
    let to = catalogue::format_of(&args.to);
    let (options, password) = (serde_json::Map::new(), args.password.as_ref());
    let wish = route::Wish { from: None, to: &to, options: &options, set: &args.set, then: Vec::new(), password };
    let plan = route::of_inputs(inputs.collect(), &wish, job)?;
    let made = Made::open(job.overwrite)?;
    Ok(plan.tasks.into_iter().map(|task| apart(task, &made)).filter(|task| !is_done(task)).collect())
}

/// `report.md` becomes `report.md.pdf` where `report.pdf` was made of another document, as if both had come at once. A result
/// that has the short name keeps it.
fn apart(mut task: Task, made: &Made) -> Task {
    let made = made.of(task.origin(), task.command());
    if let (Target::File(target), Some(format)) = (&task.target, task.inputs.first().and_then(Input::format)) {
        let short = outputs::without_suffix(target, &format).filter(|short| made.is_own(short));
        let longer = made.is_of_another(target).then(|| outputs::with_suffix(target, &format));
        if let Some(path) = short.or(longer) {
            task.target = Target::File(path);
        }
    }
    task
}

fn is_done(task: &Task) -> bool {
    let changed = |path: &PathBuf| path.metadata().and_then(|metadata| metadata.modified()).ok();
    let (Target::File(target), [Input::File { path, .. }]) = (&task.target, task.inputs.as_slice()) else {
        return false;
    };
    changed(target).zip(changed(path)).is_some_and(|(result, source)| result >= source)
}
