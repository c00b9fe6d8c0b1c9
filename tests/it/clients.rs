//! The example clients, run unchanged against the deployed stack. In each language, one converts a document and checks a webhook,
//! and one makes a PDF of an order's documents, cancels a job and deletes everything.

use std::path::{Path, PathBuf};
use std::process::Output;

use docmill_domain::job::JobId;
use docmill_look::example::Language;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::pdf;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A client's command line, with the stack's address and a key in its environment.
struct Client {
    command: Command,
    samples: String,
}

impl Client {
    /// `None` if only storage is deployed (at an endpoint of the user's own).
    fn new(program: impl AsRef<std::ffi::OsStr>, script: Option<&str>) -> Option<Self> {
        let url = crate::support::deployed_url()?;
        let setting = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is set with DOCMILL_URL"));
        let mut command = Command::new(program);
        command.args(script.map(|script| root().join("tests/clients").join(script)));
        command.env("DOCMILL_URL", url).env("DOCMILL_KEY", setting("DOCMILL_LIVE_KEY")).kill_on_drop(true);
        Some(Self { command, samples: setting("SAMPLES_URL") })
    }

    async fn run(&mut self, arguments: &[&str]) -> Output {
        self.command.args(arguments).output().await.expect("the client starts")
    }

    /// Converts a sample and checks the result. The client itself checks a webhook's signature.
    async fn converts(mut self, source: &str) {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("small.pdf");
        let output = self.run(&[source, target.to_str().unwrap(), &JobId::new().to_string()]).await;
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        let bytes = std::fs::read(&target).unwrap();
        assert!(pdf::text(&bytes).contains("Amet aliqua dolor"));
        let expected = format!("{}: {} bytes\nwebhook verified\n", target.display(), bytes.len());
        assert_eq!(said, expected);
    }

    /// Exits with the job's error and the request's id, but without the key.
    async fn says_why_not(mut self) {
        let source = format!("{}/no-such-file.docx", self.samples);
        let output = self.run(&[&source, "/dev/null"]).await;
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{said}");
        assert!(said.starts_with("Error: ") && said.contains("source_unreachable"), "{said}");
        assert!(said.contains("(request ") && !said.contains("dm_live_"), "{said}");
    }
}

/// The texts of the pages in an order's PDF.
const ORDER: [&str; 3] = ["Cover", "Invoice", "Amet aliqua dolor"];

impl Client {
    async fn handles_an_order(mut self) {
        let folder = tempfile::tempdir().unwrap();
        let (target, order) = (folder.path().join("order.pdf"), JobId::new().to_string());
        let source = format!("{}/small.docx", self.samples);
        let output = self.run(&[&source, target.to_str().unwrap(), &order]).await;
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        let bytes = std::fs::read(&target).unwrap();
        let text = pdf::text(&bytes);
        let places = ORDER.map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}")));
        assert!(places.is_sorted() && text.matches("COPY").count() == 3 && !text.contains("Draft"), "{text}");
        let deleted = "merge-pdf deleted\nhtml-to-pdf deleted\nhtml-to-pdf deleted\n";
        assert_eq!(said, format!("draft canceled\n{}: {} bytes\n{deleted}", target.display(), bytes.len()));
        assert_eq!(jobs_of(&order).await, json!([]), "deleted jobs have no labels");
    }
}

/// The service's list of an order's jobs.
async fn jobs_of(order: &str) -> Value {
    let setting = |name: &str| std::env::var(name).unwrap();
    let list = format!("{}/v1/jobs?metadata.order={order}", setting("DOCMILL_URL"));
    let answer = reqwest::Client::new().get(list).bearer_auth(setting("DOCMILL_LIVE_KEY")).send().await.unwrap();
    answer.json::<Value>().await.unwrap()["jobs"].take()
}

#[tokio::test]
async fn each_client_handles_an_order() {
    for (program, script) in [
        ("sh".into(), Some("order.sh")),
        ("python3".into(), Some("order.py")),
        (node().await, Some("order.ts")),
        (rust_example("order", "tests/clients/order.rs").await, None),
    ] {
        let Some(client) = Client::new(program, script) else { return };
        client.handles_an_order().await;
    }
}

/// Tests for each client: a successful and a failed conversion, and one of a file if supported.
macro_rules! client {
    ($name:ident, $program:expr, $script:expr, takes_files: $takes_files:literal) => {
        #[tokio::test]
        async fn $name() {
            if let Some(client) = Client::new($program, $script) {
                let source = format!("{}/small.docx", client.samples);
                client.converts(&source).await;
            }
            if let Some(client) = Client::new($program, $script).filter(|_| $takes_files) {
                client.converts(root().join("samples/small.docx").to_str().unwrap()).await;
            }
            if let Some(client) = Client::new($program, $script) {
                client.says_why_not().await;
            }
        }
    };
}

client!(curl, "sh", Some("convert.sh"), takes_files: true);
client!(python, "python3", Some("convert.py"), takes_files: true);
client!(typescript, node().await, Some("convert.ts"), takes_files: false);
client!(rust, rust_example("convert", "tests/clients/convert.rs").await, None, takes_files: false);

/// The pinned Node, which runs TypeScript directly. Only installed once.
pub async fn node() -> PathBuf {
    let output = Command::new(root().join("infra/setup.sh")).args(["python", "node"]).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Path::new(String::from_utf8(output.stdout).unwrap().trim()).with_file_name("node")
}

/// A sample of the documentation as a reader runs it in this folder, with the language's client installed.
pub async fn sample(language: Language, code: &str, folder: &Path) -> Command {
    let suffix = match language {
        Language::Curl | Language::CommandLine => "sh",
        Language::Python => "py",
        Language::TypeScript => "mts",
        Language::Go => "go",
        Language::Rust => "rs",
    };
    let name = format!("sample.{suffix}");
    let file = folder.join(&name);
    std::fs::write(&file, code).unwrap();
    let mut command = match language {
        Language::Curl => Command::new("bash"),
        Language::CommandLine => with_docmill(folder),
        Language::Python => Command::new(script("clients/python/install.sh").await),
        Language::TypeScript => {
            let modules = script("clients/typescript/install.sh").await.join("node_modules");
            std::os::unix::fs::symlink(modules, folder.join("node_modules")).unwrap();
            Command::new(node().await)
        }
        Language::Go => Command::new(root().join("clients/go/conformance/sample.sh")),
        Language::Rust => Command::new(root().join("clients/rust/conformance/sample.sh")),
    };
    command.arg(file).current_dir(folder).kill_on_drop(true);
    command
}

/// A shell with `docmill` on its path, and a home of its own.
pub fn with_docmill(folder: &Path) -> Command {
    let home = folder.join("home");
    std::fs::create_dir(&home).unwrap();
    let test = std::env::current_exe().unwrap();
    let programs = test.parent().and_then(Path::parent).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("bash");
    shell.args(["-eu", "-o", "pipefail"]).env("PATH", path).env("HOME", home);
    for variable in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "DBUS_SESSION_BUS_ADDRESS"] {
        shell.env_remove(variable);
    }
    shell
}

/// The path that a script prints.
async fn script(name: &str) -> PathBuf {
    let output = Command::new(root().join(name)).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().into()
}

/// Cargo builds the package's examples with its tests, but not if only some tests are requested.
pub async fn rust_example(name: &str, source: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    let written = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
    if written(&program) < written(&root().join(source)) {
        // For a single package, cargo would choose other features and recompile everything.
        let build = ["build", "--quiet", "--workspace", "--example", name];
        assert!(Command::new(env!("CARGO")).args(build).status().await.unwrap().success());
    }
    program
}
