//! Converts on this machine, without a service: with the engines, checks and limits of the program `worker`.
//!
//! Each process `worker convert-each` keeps its engines warm and converts one document after the other. Requests go through its
//! standard input, so that no password is in a command line.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::rc::Rc;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{Mutex, Semaphore};

use super::place;
use super::scratch::Scratch;
use crate::failure::{Doing, Failure, Outcome, writing};
use crate::made::{Made, MadeOf};
use crate::plan::Task;
use crate::plan::inputs::Input;
use crate::plan::outputs::Target;
use crate::report::{Done, Progress};

const VARIABLE: &str = "DOCMILL_WORKER";
const PROGRAM: &str = "worker";

#[derive(Debug)]
pub struct Local {
    program: PathBuf,
    made: Rc<Made>,
    idle: Mutex<Vec<Worker>>,
    places: Semaphore,
    /// The last field: workers that write to it end before.
    scratch: Scratch,
}

#[derive(Debug)]
struct Worker {
    /// Ends with this value.
    _process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Local {
    /// Half of the processors: engines use more than one.
    pub fn at_once() -> usize {
        std::thread::available_parallelism().map_or(1, |count| count.get().div_ceil(2))
    }

    pub fn new(at_once: usize, made: Rc<Made>) -> Outcome<Self> {
        Ok(Self {
            program: program()?,
            made,
            idle: Mutex::new(Vec::new()),
            places: Semaphore::new(at_once),
            scratch: Scratch::new()?,
        })
    }

    pub async fn convert(&self, task: &Task, progress: &Progress) -> Outcome<Done> {
        let _place = self.places.acquire().await.doing("Starting a worker")?;
        progress.stage("converting");
        let folder = tempfile::tempdir_in(self.scratch.path()).doing("Making a temporary folder")?;
        let result = folder.path().join("result");
        let answer = self.ask(&line(task, &result)?).await?;
        if let Some(error) = answer["error"].as_object() {
            let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
            return Err(Failure::document(part("code"), part("message")));
        }
        let outputs = put(task, &answer, &result, self.made.of(task.origin(), task.command())).await?;
        Ok(Done {
            outputs,
            bytes: answer["output"]["bytes"].as_u64().unwrap_or(0),
            pages: answer["output"]["pages"].as_u64(),
            warnings: answer["warnings"].as_array().cloned().unwrap_or_default(),
            ..Done::default()
        })
    }

    /// Has an idle worker answer, or a new one. A worker that fails to answer is not used again.
    async fn ask(&self, request: &Value) -> Outcome<Value> {
        let idle = self.idle.lock().await.pop();
        let mut worker = match idle {
            Some(worker) => worker,
            None => Worker::start(&self.program, self.scratch.path())?,
        };
        let answer = worker.answer(request).await?;
        self.idle.lock().await.push(worker);
        Ok(answer)
    }
}

impl Worker {
    fn start(program: &Path, scratch: &Path) -> Outcome<Self> {
        let doing = format!("Starting {}", program.display());
        let mut process = Command::new(program)
            .args(["convert-each", "--until-parent-ends"])
            .env("TMPDIR", scratch)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .doing(&doing)?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(Failure::machine(doing));
        };
        Ok(Self { _process: process, input, output: BufReader::new(output).lines() })
    }

    async fn answer(&mut self, request: &Value) -> Outcome<Value> {
        let doing = "Talking to the worker";
        self.input.write_all(format!("{request}\n").as_bytes()).await.doing(doing)?;
        self.input.flush().await.doing(doing)?;
        match self.output.next_line().await.doing(doing)? {
            Some(line) => serde_json::from_str(&line).doing(doing),
            None => Err(Failure::document("engine_crashed", "The worker ended without an answer.")),
        }
    }
}

/// The worker's program: named by the variable, beside this one, or on PATH.
fn program() -> Outcome<PathBuf> {
    if let Some(path) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        let missing = || Failure::usage(format!("{VARIABLE} is {}, which is no file.", path.display()));
        return if path.is_file() { Ok(path) } else { Err(missing()) };
    }
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|path| Some(path.canonicalize().ok()?.parent()?.join(&name)));
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let candidates = beside.into_iter().chain(std::env::split_paths(&on_path).map(|folder| folder.join(&name)));
    candidates.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        Failure::usage("--local needs the program `worker`.")
            .with_hint(format!("Build it with `make build-release`, and set {VARIABLE} to its path."))
    })
}

/// The request of a task, as `worker convert-each` reads it.
fn line(task: &Task, result: &Path) -> Outcome<Value> {
    let source = |input: &Input| match input {
        Input::File { path, .. } => json!(path),
        Input::Address(url) => json!(url.as_str()),
        Input::Template { .. } => Value::Null,
    };
    if task.inputs.iter().any(|input| matches!(input, Input::Template { .. })) {
        return Err(Failure::usage("With --local there are no stored templates: name a file."));
    }
    let sources: Vec<_> = task.inputs.iter().chain(&task.recipe.extra).map(source).collect();
    let first = &task.recipe.first;
    let mut line = json!({"tool": first.tool.definition.slug, "in": sources, "out": result, "options": first.options,
        "then": task.recipe.steps(), "keepSignatures": task.recipe.keeps_signatures});
    for (name, value) in task.recipe.properties_of(0) {
        if name != "password" {
            return Err(Failure::usage(format!("With --local, `{name}` of a source is not supported.")));
        }
        line["password"] = value.clone();
    }
    Ok(line)
}

/// Moves the result, or what is in the archive of several, to its place.
async fn put(task: &Task, answer: &Value, result: &Path, made: MadeOf<'_>) -> Outcome<Vec<String>> {
    if task.target == Target::StandardOutput {
        let doing = "Writing the result";
        let mut file = tokio::fs::File::open(result).await.doing(doing)?;
        let mut output = tokio::io::stdout();
        let copied = match tokio::io::copy(&mut file, &mut output).await {
            Ok(_) => output.flush().await,
            Err(error) => Err(error),
        };
        match copied.map_err(|error| writing(&error)) {
            Err(failure) if !failure.is_closed_output() => return Err(failure),
            Ok(()) | Err(_) => {}
        }
        return Ok(vec![task.target.text()]);
    }
    let outputs = answer["outputs"].as_array();
    if outputs.is_some_and(|outputs| outputs.len() > 1) && !place::keeps_archive(&task.target) {
        return unpack(&task.target, result, made);
    }
    let name = local_name(task, answer);
    let mut paths = place::paths(&task.target, &[&name]);
    for path in &mut paths {
        *path = made.free(path.clone());
        copy(&mut std::fs::File::open(result).doing("Reading the result")?, path)?;
        made.note(path);
    }
    Ok(shown(&paths))
}

/// The name of a single result in a folder.
fn local_name(task: &Task, answer: &Value) -> String {
    let stem = task.inputs.first().map_or_else(|| "document".to_owned(), Input::stem);
    let extension = task.recipe.output(task.inputs.first());
    answer["output"]["filename"].as_str().map_or_else(|| format!("{stem}.{extension}"), str::to_owned)
}

fn unpack(target: &Target, archive: &Path, made: MadeOf<'_>) -> Outcome<Vec<String>> {
    let doing = "Unpacking the results";
    let mut archive = zip::ZipArchive::new(std::fs::File::open(archive).doing(doing)?).doing(doing)?;
    let names = archive.file_names().map(|name| name.map(|name| name.into_owned()).doing(doing));
    let names = names.collect::<Outcome<Vec<_>>>()?;
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let mut paths = place::paths(target, &names);
    for (index, path) in paths.iter_mut().enumerate() {
        let name = names.get(index).copied().unwrap_or_default();
        *path = made.free(path.clone());
        copy(&mut archive.by_name(name).doing(doing)?, path)?;
        made.note(path);
    }
    Ok(shown(&paths))
}

/// Writes beside the target first, so that no half file has its name.
fn copy(from: &mut impl std::io::Read, to: &Path) -> Outcome<()> {
    let doing = format!("Writing {}", to.display());
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).doing(&doing)?;
    let mut part = tempfile::Builder::new().prefix(".docmill-").tempfile_in(folder).doing(&doing)?;
    std::io::copy(from, part.as_file_mut()).doing(&doing)?;
    let file = part.persist(to).doing(&doing)?;
    share(&file).doing(&doing)
}

/// Temporary files are private; results are files like others.
#[cfg(unix)]
fn share(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn share(_file: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

fn shown(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}
