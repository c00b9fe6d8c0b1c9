//! The validators, which are Java programs: veraPDF and Preflight (`Judge.java`), and Mustang (`Invoices.java`).

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::root;

/// One process for all tests: starting it and compiling its program takes longer than most verdicts. It ends with its input.
static JUDGE: LazyLock<Mutex<Judge>> = LazyLock::new(|| Mutex::new(Judge::start()));

struct Judge {
    _process: Child,
    files: ChildStdin,
    verdicts: BufReader<ChildStdout>,
}

impl Judge {
    fn start() -> Self {
        let mut java = command("validators", "Judge.java");
        let mut process = java.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (files, verdicts) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        Self { _process: process, files, verdicts }
    }

    fn verdict(&mut self, level: &str, file: &Path) -> String {
        writeln!(self.files, "{level}={}", file.display()).unwrap();
        let mut line = String::new();
        self.verdicts.read_line(&mut line).unwrap();
        assert!(line.ends_with('\n'), "the validator ended at {}", file.display());
        line.trim_end().to_owned()
    }
}

/// The verdict on files with their levels: `pass`, or the rules that are broken.
pub(crate) fn judge(files: &[(String, PathBuf)]) -> Vec<String> {
    let mut judge = JUDGE.lock().unwrap_or_else(PoisonError::into_inner);
    files.iter().map(|(level, path)| judge.verdict(level, path)).collect()
}

/// Mustang's verdict on invoices: `valid`, or what is wrong.
pub(crate) fn judge_invoices(files: &[PathBuf]) -> Vec<String> {
    let output = command("invoice-validator", "Invoices.java").args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let verdicts: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(verdicts.len(), files.len());
    verdicts
}

/// Java with one of the programs in this folder and the jars of `infra/NAME`.
fn command(jars: &str, program: &str) -> Command {
    let setup = Command::new(root().join("infra/setup.sh")).arg(jars).output().unwrap();
    assert!(setup.status.success(), "{}", String::from_utf8_lossy(&setup.stderr));
    let jars = String::from_utf8(setup.stdout).unwrap();
    let mut java = Command::new("java");
    // Without the optimizing compiler, which takes more time in a minute than it saves, and threads for collecting garbage.
    java.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"]).arg(format!("{}/*", jars.trim()));
    java.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pdfa").join(program));
    java
}
