//! Tests the examples for copying: the README's request, every command of guides and endpoints, and the guides' programs in every
//! language.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Output;
use std::sync::mpsc;
use std::time::Duration;

use docmill_look::example::Language;
use functions::api_docs;
use functions::api_docs::guide::{GUIDES, script};
use functions::api_docs::program::PROGRAMS;
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

use crate::clients::{root, sample, with_docmill};
use crate::fonts::fixture;
use crate::journeys::Traveller;
use crate::receipts;
use crate::receivers::prepared;
use crate::support::{deployed_url, eventually, pdf};
use crate::tool_checks::part_of;

/// Failed requests end a script, except for canceling a job that has just ended.
const STRICT: &str = r#"set -eu -o pipefail
curl() { command curl --fail-with-body "$@" || case "$*" in */cancel*) ;; *) return 1 ;; esac; }
"#;
const TEXT: &str = "Amet aliqua dolor";
const SURVEY: &str = "tree-survey.pdf";
/// The guide whose commands have a test of their own, because they answer in words.
const RECEIPTS: &str = "receipts";

/// The deployed stack as examples use it.
struct Stack {
    url: String,
    key: String,
    samples: String,
}

impl Stack {
    /// `None` if only storage is deployed.
    fn deployed() -> Option<Self> {
        let url = deployed_url()?;
        let setting = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is set with DOCMILL_URL"));
        Some(Self { url, key: setting("DOCMILL_LIVE_KEY"), samples: setting("SAMPLES_URL") })
    }

    /// Asks until the service is not too busy, as clients should.
    async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Value {
        let request = Client::new().request(method, format!("{}{path}", self.url)).bearer_auth(&self.key);
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        let answer = eventually(path, Duration::from_secs(60), async || {
            let answer = request.try_clone()?.send().await.unwrap();
            (![429, 503].contains(&answer.status().as_u16())).then_some(answer)
        });
        answer.await.error_for_status().unwrap().json().await.unwrap()
    }

    async fn create(&self, body: Value) -> String {
        self.ask(Method::POST, "/v1/jobs", Some(body)).await["job"]["id"].as_str().unwrap().to_owned()
    }

    /// The id of the event about the job's end.
    async fn event_of(&self, job: &str) -> String {
        let mut after = String::new();
        loop {
            let path = format!("/v1/events?jobId={job}&limit=100&wait=20{after}");
            let page = self.ask(Method::GET, &path, None).await;
            if let Some(id) = page["events"][0]["id"].as_str() {
                return id.to_owned();
            }
            after = format!("&after={}", page["nextCursor"].as_str().expect("there are events, or a wait's end"));
        }
    }

    /// The id of a new webhook endpoint.
    async fn webhook(&self) -> String {
        let wanted = json!({"url": "https://hooks.example.com/"});
        let created = self.ask(Method::POST, "/v1/webhooks", Some(wanted)).await;
        created["webhook"]["id"].as_str().unwrap().to_owned()
    }

    /// The id of a new batch.
    async fn batch(&self) -> String {
        let rows = vec![json!({"html": "<p>Report", "options": {"waitFor": {"delayMs": 2000}}}); 20];
        let wanted = json!({"toolSlug": "html-to-pdf", "items": rows});
        let created = self.ask(Method::POST, "/v1/batches", Some(wanted)).await;
        created["batch"]["id"].as_str().unwrap().to_owned()
    }

    /// Cancels a batch that may have ended or be deleted, or else its jobs would keep the workers busy for a minute.
    async fn end_batch(&self, batch: &str) {
        let address = format!("{}/v1/batches/{batch}/cancel", self.url);
        let status = Client::new().post(address).bearer_auth(&self.key).send().await.unwrap().status();
        assert!(status.is_success() || [404, 409].contains(&status.as_u16()), "{status}");
    }

    /// The name of a template that this upload becomes.
    async fn template(&self, upload: &str) -> &'static str {
        let wanted = json!({"name": "letter", "uploadId": upload});
        assert_eq!(self.ask(Method::POST, "/v1/templates", Some(wanted)).await["ok"], true);
        "letter"
    }

    /// Runs a program with the stack in its own folder.
    async fn run(&self, mut command: Command, folder: &Path, job: &str) -> Output {
        command.current_dir(folder).kill_on_drop(true);
        command.env("DOCMILL_URL", &self.url).env("DOCMILL_KEY", &self.key).env("DOCMILL_LIVE_KEY", &self.key);
        command.env("JOB_ID", job).output().await.unwrap()
    }

    /// The output of a shell script, which must succeed.
    async fn run_script(&self, name: &str, script: &str, folder: &Path, job: &str) -> String {
        let script =
            [("report.docx", "small.docx"), ("invoice-template.docx", "invoice-template.docx"), (SURVEY, SURVEY)]
                .into_iter()
                .fold(script.to_owned(), |script, (name, own)| {
                    script.replace(&format!("https://files.example.com/{name}"), &format!("{}/{own}", self.samples))
                });
        std::fs::copy(root().join("samples/small.docx"), folder.join("report.docx")).unwrap();
        std::fs::write(folder.join("table.csv"), "name,amount\nAda,12\n").unwrap();
        std::fs::write(folder.join("acme.ttf"), fixture("triangle.ttf")).unwrap();
        std::fs::copy(root().join("samples/invoice-template.docx"), folder.join("invoice-template.docx")).unwrap();
        std::fs::copy(root().join("tests/fixtures/invoices/en16931.xml"), folder.join("invoice.xml")).unwrap();
        let keys = root().join("functions/worker/pdf/signatures/tests/fixtures/keys");
        std::fs::copy(keys.join("p256.p12"), folder.join("signer.p12")).unwrap();
        let mut bash = with_docmill(folder);
        bash.env("SIGNER_PASSWORD", "secret");
        bash.args(["-O", "expand_aliases", "-c", &format!("{STRICT}{script}")]);
        let output = self.run(bash, folder, job).await;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{name}: {said}{}", String::from_utf8_lossy(&output.stderr));
        said
    }
}

/// A bucket that accepts one file, and a source that never answers, at an address that the stack's workers can reach.
struct Elsewhere {
    address: String,
    received: mpsc::Receiver<Vec<u8>>,
}

impl Elsewhere {
    fn new() -> Self {
        let ports = std::env::var("TEST_SOURCE_PORTS").expect("`make test` sets it");
        let mut listeners = ports.split(',').filter_map(|port| TcpListener::bind(format!("127.0.0.1:{port}")).ok());
        let listener = listeners.next().unwrap_or_else(|| panic!("no port of {ports} is free"));
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (sender, received) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let sender = sender.clone();
                std::thread::spawn(move || serve(stream, &sender));
            }
        });
        Self { address, received }
    }
}

/// Passes on the body of a PUT. Other requests wait until their sender gives up.
fn serve(stream: TcpStream, sender: &mpsc::Sender<Vec<u8>>) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).is_ok_and(|read| read > 0) {}
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    if head.starts_with("put ") {
        sender.send(body).unwrap();
        reader.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
    } else {
        drop(reader.read_to_end(&mut Vec::new()));
    }
}

#[tokio::test]
async fn every_command_of_the_guides_works() {
    let Some(stack) = Stack::deployed() else { return };
    let elsewhere = Elsewhere::new();
    let mut ran = 0;
    for guide in GUIDES {
        let commands = script(guide.text());
        let commands: Vec<_> = commands.lines().filter(|line| !line.starts_with("export DOCMILL_")).collect();
        let script = commands.join("\n").replace("https://bucket.example.com", &elsewhere.address);
        if !script.contains("curl") || guide.slug == RECEIPTS {
            continue;
        }
        let body = match guide.slug {
            // The job to cancel must not end by itself.
            "control" => json!({"toolSlug": "html-to-pdf", "url": format!("{}/slow.html", elsewhere.address)}),
            _ => json!({"toolSlug": "html-to-pdf", "html": "<p>Report"}),
        };
        let job = stack.create(body).await;
        let folder = TempDir::new().unwrap();
        let said = stack.run_script(guide.slug, &script, folder.path(), &job).await;
        let answers: Vec<Value> = serde_json::Deserializer::from_str(&said).into_iter().map(Result::unwrap).collect();
        assert!(answers.iter().all(|answer| answer["ok"] == true), "{}: {said}", guide.slug);
        let read = |file: &str| std::fs::read(folder.path().join(file)).unwrap();
        match guide.slug {
            "waiting" => assert!(pdf::text(&read("report.pdf")).contains("Report")),
            "archives" => {
                let says = |file: &str, needle: &str| String::from_utf8_lossy(&read(file)).contains(needle);
                assert!(says("report.pdf", "<pdfaid:part>2<") && says("invoice.pdf", "<fx:ConformanceLevel>EN 16931<"));
            }
            "accessibility" => {
                for file in ["report.pdf", "tagged.pdf"] {
                    let document = lopdf::Document::load_mem(&read(file)).unwrap();
                    assert!(document.catalog().unwrap().has(b"StructTreeRoot"), "{file}");
                }
                assert!(pdf::text(&read("report.pdf")).contains(TEXT));
            }
            "control" => {
                assert_eq!(answers[0]["job"]["status"], "canceled");
                assert!(pdf::text(&elsewhere.received.recv().unwrap()).contains(TEXT));
            }
            "fonts" => assert_eq!(answers[0]["font"]["family"], "Probe Triangle"),
            "webhooks" => assert_eq!(answers[0]["replayed"], 0, "the endpoint is new"),
            "generators" => {
                let version = |file: &str| serde_json::from_slice::<Value>(&read(file)).unwrap()["openapi"].take();
                assert_eq!((version("openapi.json"), version("openapi-3.0.json")), (json!("3.1.0"), json!("3.0.3")));
            }
            "templates" => {
                assert!(pdf::text(&read("invoice.pdf")).contains("Ada Lovelace"));
                assert_eq!(answers[0]["template"]["format"], "docx");
            }
            "extraction" => assert!(part_of(&read("trees.xlsx"), "xl/sharedStrings.xml").contains("Poplar")),
            "stamps" => {
                let text = pdf::text(&read("bundle.pdf"));
                let numbers = ["ACME-000001", "Exhibit A", "ACME-000002"].map(|part| text.contains(part));
                assert_eq!(numbers, [true; 3], "{text}");
                assert!(pdf::text(&read("payable.pdf")).contains(TEXT));
            }
            "batches" => {
                assert_eq!(answers[0]["batch"]["counts"]["total"], 2);
                assert!(String::from_utf8_lossy(&read("results.csv")).starts_with("index,jobId,status"));
            }
            "invoices" => {
                assert!(answers[0]["job"]["report"].is_null());
                assert_eq!(answers[1]["job"]["report"]["valid"], true);
            }
            "lists" => assert!(answers[0]["jobs"].is_array()),
            "events" => assert!(answers[0]["events"].is_array()),
            _ => assert!(answers.last().unwrap()["job"]["id"].is_string(), "{}: {said}", guide.slug),
        }
        ran += 1;
    }
    assert!(ran > 4, "{ran} guides have commands");
}

#[tokio::test]
async fn the_commands_of_the_guide_to_receipts_verify_one() {
    let Some(stack) = Stack::deployed() else { return };
    let source = format!("{}/small.docx", stack.samples);
    let job = stack.create(json!({"toolSlug": "office-to-pdf", "sourceUrl": source})).await;
    let (_, result) = Traveller::with_key("DOCMILL_LIVE_KEY").unwrap().downloaded(&job).await;
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("report.pdf"), result).unwrap();
    std::fs::write(folder.path().join("verify.py"), receipts::program()).unwrap();
    let guide = GUIDES.iter().find(|guide| guide.slug == RECEIPTS).unwrap();
    let python = prepared(&["python", "local"]).await;
    let commands = format!("python3() {{ '{}' \"$@\"; }}\n{}", python.display(), script(guide.text()));
    let said = stack.run_script(RECEIPTS, &commands, folder.path(), &job).await;
    let (genuine, rest) = said.split_once('\n').unwrap();
    assert!(genuine.starts_with(&format!("The receipt is genuine: job {job}, completed, ")), "{said}");
    assert_eq!(rest, format!("report.docx: a source\nreport.pdf: a result\n{job} completed\n"));
}

#[tokio::test]
async fn the_request_of_the_readme_works() {
    let Some(stack) = Stack::deployed() else { return };
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let (_, section) = readme.split_once("\n## One request\n").unwrap();
    let commands = script(section.split("\n## ").next().unwrap());
    let commands =
        commands.replace(". .local/env", "").replace("@samples/", &format!("@{}/samples/", root().display()));
    let folder = TempDir::new().unwrap();
    stack.run_script("README", &commands, folder.path(), "").await;
    assert!(pdf::text(&std::fs::read(folder.path().join("small.pdf")).unwrap()).contains(TEXT));
}

/// The requests on the pages of endpoints, with the ids that they take from the environment.
#[tokio::test]
async fn every_request_on_an_endpoints_page_works() {
    let Some(stack) = Stack::deployed() else { return };
    let description: Value = serde_json::from_str(api_docs::book::OPENAPI).unwrap();
    let elsewhere = Elsewhere::new();
    let folder = TempDir::new().unwrap();
    std::fs::copy(root().join("samples/small.docx"), folder.path().join("report.docx")).unwrap();
    for operation in api_docs::operation::all(&description) {
        let page = Client::new().get(format!("{}/docs/api/{}", stack.url, operation.slug())).send().await.unwrap();
        let page = page.error_for_status().unwrap().text().await.unwrap();
        let (_, request) = page.split_once("<code id=\"request-code\">").expect("a request to copy");
        let request = crate::samples::text(request.split("</code>").next().unwrap());
        let request =
            request.replace("https://files.example.com/report.docx", &format!("{}/small.docx", stack.samples));
        let (job, upload, font) = needs(&stack, &elsewhere, &operation.slug()).await;
        let event = match operation.slug().as_str() {
            // A job has a receipt once it has ended.
            "get-event" | "get-job-receipt" => stack.event_of(&job).await,
            _ => String::new(),
        };
        let mut bash = Command::new("bash");
        let webhook = if operation.path.contains("{webhook_id}") { stack.webhook().await } else { String::new() };
        let template = if operation.path.contains("{template_name}") { stack.template(&upload).await } else { "" };
        let batch = if operation.path.contains("{batch_id}") { stack.batch().await } else { String::new() };
        let ids = format!(
            "export UPLOAD_ID={upload} FONT_ID={font} EVENT_ID={event} WEBHOOK_ID={webhook} TEMPLATE={template} BATCH_ID={batch}\n"
        );
        bash.args(["-c", &format!("set -eu\n{ids}{request} | cat")]);
        let output = stack.run(bash, folder.path(), &job).await;
        let said = String::from_utf8_lossy(&output.stdout);
        let is_empty = operation.method == "DELETE" && said.is_empty();
        assert!(
            is_empty
                || serde_json::from_str::<Value>(&said)
                    .is_ok_and(|answer| answer["ok"] == true || answer["keys"].is_array()),
            "{}: {said}\n{request}",
            operation.path
        );
        if !batch.is_empty() {
            stack.end_batch(&batch).await;
        }
    }
}

/// The ids of a job, an upload and a font for an endpoint's request. One that ends a job gets one that does not end by itself.
async fn needs(stack: &Stack, elsewhere: &Elsewhere, slug: &str) -> (String, String, String) {
    let job = match slug {
        "cancel-job" => json!({"toolSlug": "html-to-pdf", "url": format!("{}/slow.html", elsewhere.address)}),
        _ => json!({"toolSlug": "html-to-pdf", "html": "<p>Report"}),
    };
    let job = stack.create(job).await;
    let content = match slug {
        "create-font" | "delete-font" => fixture("triangle.ttf"),
        _ => std::fs::read(root().join("samples/small.docx")).unwrap(),
    };
    let kind = if slug.ends_with("-font") { "font/ttf" } else { "application/octet-stream" };
    let upload = stack
        .ask(Method::POST, "/v1/uploads", Some(json!({"contentType": kind, "bytes": content.len()})))
        .await["upload"]
        .take();
    let mut put = Client::new().put(upload["url"].as_str().unwrap()).body(content);
    for (name, value) in upload["headers"].as_object().unwrap() {
        put = put.header(name, value.as_str().unwrap());
    }
    put.send().await.unwrap().error_for_status().unwrap();
    let upload = upload["id"].as_str().unwrap().to_owned();
    let font = match slug {
        "delete-font" => {
            let added = stack.ask(Method::POST, "/v1/fonts", Some(json!({"uploadId": upload}))).await;
            added["font"]["id"].as_str().unwrap().to_owned()
        }
        _ => String::new(),
    };
    (job, upload, font)
}

#[tokio::test]
async fn every_program_of_the_guides_works_in_every_language() {
    let Some(stack) = Stack::deployed() else { return };
    for (program, language) in
        PROGRAMS.into_iter().flat_map(|program| Language::ALL.map(|language| (program, language)))
    {
        let name = format!("{} in {}", program.name, language.name());
        let labelled = json!({"toolSlug": "html-to-pdf", "html": "<p>x", "metadata": {"order": "2026-118"}});
        let ids = [stack.create(labelled.clone()).await, stack.create(labelled).await];
        let folder = TempDir::new().unwrap();
        let output = stack.run(sample(language, program.code(language), folder.path()).await, folder.path(), "").await;
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        if program.name == "chain" {
            let handout = std::fs::read(folder.path().join("handout.pdf")).unwrap();
            let text = pdf::text(&handout);
            let parts =
                ["Cover", "Report", "Terms"].map(|part| text.find(part).unwrap_or_else(|| panic!("{name}: {text}")));
            assert!(parts.is_sorted() && text.matches("Draft").count() == 3, "{name}: {text}");
        } else {
            for id in ids {
                let job = stack.ask(Method::GET, &format!("/v1/jobs/{id}"), None).await;
                assert_eq!(job["job"]["status"], "deleted", "{name}");
            }
        }
    }
}

/// The jobs take several pages of the list.
#[tokio::test]
async fn the_clean_up_follows_cursors() {
    let Some(stack) = Stack::deployed() else { return };
    let mut ids = Vec::new();
    for _ in 0..3 {
        let body = json!({"toolSlug": "html-to-pdf", "html": "<p>x", "metadata": {"order": "by-page"}});
        ids.push(stack.create(body).await);
    }
    let program = PROGRAMS.into_iter().find(|program| program.name == "cleanup").unwrap();
    let folder = TempDir::new().unwrap();
    let small = program.code(Language::Curl).replace("2026-118", "by-page").replace("limit=100", "limit=1");
    let mut shell = Command::new("sh");
    shell.args(["-euc", &small]);
    let output = stack.run(shell, folder.path(), "").await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for id in ids {
        assert_eq!(stack.ask(Method::GET, &format!("/v1/jobs/{id}"), None).await["job"]["status"], "deleted");
    }
}
