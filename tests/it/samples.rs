//! Every sample on the pages of the documentation, the tools and the homepage, taken from the pages and run as it stands.
//!
//! What a reader sets comes from the environment (`DOCMILL_URL`, `DOCMILL_KEY`). `https://files.example.com`, the place of a reader's
//! own files, is replaced by a server with files of the names that the samples use.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_domain::catalogue::Catalogue;
use docmill_look::example::{Example, Language};
use futures_util::stream::{self, StreamExt};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use serde_json::{Value, json};

use crate::clients::{root, sample};
use crate::journeys::Traveller;
use crate::support::{deployed_url, pdf};
use crate::tool_checks::part_of;

/// Samples that run side by side, each with an engine of its own.
const PARALLEL: usize = 3;
/// What stands for a key in the samples of `sign-pdf`, and a key.
const KEY: &str = "UEtDUyMxMiBmaWxlIGluIGJhc2U2NA==";
const KEY_PASSWORD: &str = "password of the key";
const SIGNING_KEY: &[u8] = include_bytes!("../../functions/worker/pdf/signatures/tests/fixtures/keys/p256.p12");
const PLACE: &str = "https://files.example.com";
/// Files that a sample makes besides its result, or that it needs.
const OWN_FILES: [&str; 5] = ["answer.json", "page.html", "text.md", "home", "node_modules"];

/// A code box of a page with a language.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sample {
    label: String,
    code: String,
}

impl Sample {
    /// All of a page, in order.
    fn of(page: &str) -> Vec<Self> {
        let tabs = page.split("<section class=\"code-tab\" data-label=\"").skip(1);
        let sample = |tab: &str| {
            let label = tab.split('"').next()?.to_owned();
            let (_, code) = tab.split_once("<code")?.1.split_once('>')?;
            Some(Self { label, code: text(code.split("</code>").next()?) })
        };
        tabs.filter_map(sample).collect()
    }

    fn in_language(samples: &[Self], language: Language) -> &str {
        &samples.iter().find(|sample| sample.label == language.name()).expect("a sample in each language").code
    }
}

/// The text of markup without elements that can hold other text than their own.
pub fn text(markup: &str) -> String {
    let plain: String = markup
        .split('<')
        .enumerate()
        .map(|(index, part)| if index == 0 { part } else { part.split_once('>').map_or("", |(_, rest)| rest) })
        .collect();
    plain.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

/// A server of files, each at `/TOOL/NAME`.
struct Place {
    address: String,
    /// What `unlock-pdf` gets: the result of the sample of `protect-pdf`.
    locked: Arc<Mutex<Vec<u8>>>,
}

impl Place {
    fn new() -> Self {
        let ports = std::env::var("TEST_SOURCE_PORTS").expect("`make test` sets it");
        let mut listeners = ports.split(',').filter_map(|port| TcpListener::bind(format!("127.0.0.1:{port}")).ok());
        let listener = listeners.next().unwrap_or_else(|| panic!("no port of {ports} is free"));
        let address = format!("http://{}", listener.local_addr().unwrap());
        let locked = Arc::new(Mutex::new(Vec::new()));
        let shared = locked.clone();
        std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| serve(stream, &shared)));
        Self { address, locked }
    }
}

fn serve(stream: TcpStream, locked: &Mutex<Vec<u8>>) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).is_ok_and(|read| read > 0) {}
    let path = head.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
    let file = |name: &str| std::fs::read(root().join(name)).unwrap();
    let content = match path.split_once('/') {
        Some(("fill-form" | "redact-pdf", "report.pdf")) => form(),
        Some(("unlock-pdf", "report.pdf")) => locked.lock().unwrap().clone(),
        Some((_, "report.pdf" | "first.pdf")) => file("tests/fixtures/pdf/layouts/headings.pdf"),
        Some((_, "second.pdf")) => file("tests/fixtures/pdf/layouts/lists.pdf"),
        Some(("render-template", "report.docx")) => file("samples/invoice-template.docx"),
        Some((_, "report.docx")) => file("samples/small.docx"),
        Some((_, "invoice.xml")) => file("samples/invoice.xml"),
        Some((_, "message.eml")) => file("tests/fixtures/email/figures.eml"),
        Some((_, "first.jpg" | "second.jpg")) => file("tests/fixtures/office/photo.jpg"),
        _ => Vec::new(),
    };
    let status = if content.is_empty() { "404 Not Found" } else { "200 OK" };
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", content.len());
    let _ = reader.get_mut().write_all(&[head.as_bytes(), &content].concat());
}

/// A page by Jane Doe with a text field `name` and a box `terms`, as the samples of options name them.
fn form() -> Vec<u8> {
    let mut document = Document::with_version("1.7");
    let rectangle =
        |left: i32, top: i32, right: i32, bottom: i32| [left, top, right, bottom].map(Object::from).to_vec();
    let pages = document.new_object_id();
    let font = document.add_object(dictionary! {"Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica"});
    let resources = dictionary! {"Font" => dictionary! {"Helv" => font}};
    let field = |kind: &str, name: &str, top: i32, more: Dictionary| {
        let mut field = dictionary! {
            "Type" => "Annot", "Subtype" => "Widget", "FT" => kind, "T" => Object::string_literal(name), "F" => 4,
            "Rect" => rectangle(72, top, 272, top + 20), "DA" => Object::string_literal("/Helv 12 Tf 0 g"),
        };
        field.extend(&more);
        field
    };
    let name = field("Tx", "name", 600, Dictionary::new());
    let mut terms = field("Btn", "terms", 560, dictionary! {"AS" => "Off", "V" => "Off"});
    let mut look = |content: &str| {
        let form = dictionary! {"Type" => "XObject", "Subtype" => "Form", "BBox" => rectangle(0, 0, 200, 20), "Resources" => resources.clone()};
        Object::Reference(document.add_object(Stream::new(form, content.as_bytes().to_vec())))
    };
    let (on, off) = (look("BT /Helv 12 Tf 4 4 Td (X) Tj ET"), look(""));
    terms.set("AP", dictionary! {"N" => dictionary! {"Yes" => on, "Off" => off}});
    let fields: Vec<Object> = [name, terms].map(|field| document.add_object(field).into()).to_vec();
    let text = Stream::new(Dictionary::new(), b"BT /Helv 18 Tf 72 700 Td (A report by Jane Doe) Tj ET".to_vec());
    let content = document.add_object(text);
    let page = document.add_object(dictionary! {
        "Type" => "Page", "Parent" => pages, "MediaBox" => rectangle(0, 0, 595, 842), "Contents" => content,
        "Resources" => resources.clone(), "Annots" => fields.clone(),
    });
    document.objects.insert(pages, dictionary! {"Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1}.into());
    let forms = dictionary! {"Fields" => fields, "DR" => resources, "DA" => Object::string_literal("/Helv 12 Tf 0 g")};
    let catalog = document.add_object(dictionary! {"Type" => "Catalog", "Pages" => pages, "AcroForm" => forms});
    document.trailer.set("Root", catalog);
    let mut written = Vec::new();
    document.save_to(&mut written).unwrap();
    written
}

/// Runs a sample in a folder of its own and returns what it saves. Only the command line saves several files as such.
async fn run(name: &str, language: Language, code: &str, url: &str) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = sample(language, code, folder.path()).await;
    let output = command.env("DOCMILL_URL", url).env("DOCMILL_KEY", key()).output().await.unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if let Some(late) = late_result(folder.path()).await {
        assert_eq!(language, Language::Curl, "{name}: only curl's wait has an end: {said}");
        return vec![late];
    }
    assert!(output.status.success(), "{name} in {}: {said}\n{code}", language.name());
    let entries =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let saved: Vec<_> =
        entries.filter(|file| !file.starts_with("sample.") && !OWN_FILES.contains(&file.as_str())).collect();
    let may_be_several = language == Language::CommandLine && code.contains("-o .");
    assert!(saved.len() == 1 || (may_be_several && saved.len() > 1), "{name} in {}: {saved:?}", language.name());
    let read = |file: String| {
        let bytes = std::fs::read(folder.path().join(&file)).unwrap();
        (file, bytes)
    };
    saved.into_iter().map(read).collect()
}

/// The result of a job that was still running when the sample's wait was over, which happens on a busy machine. The sample saves the
/// job then, under the result's name or as `answer.json`.
async fn late_result(folder: &Path) -> Option<(String, Vec<u8>)> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let running = |path: &PathBuf| {
        let job = serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).ok()?["job"].take();
        let runs = job["status"] == "queued" || job["status"] == "processing";
        runs.then(|| job["id"].as_str().map(str::to_owned)).flatten()
    };
    let (path, id) = files.filter_map(|path| running(&path).map(|id| (path, id))).next()?;
    let (download, bytes) = Traveller::with_key("DOCMILL_LIVE_KEY")?.downloaded(&id).await;
    let saved = path.file_name().and_then(|name| name.to_str()).filter(|name| !OWN_FILES.contains(name));
    Some((saved.or(download["filename"].as_str()).unwrap().to_owned(), bytes))
}

fn key() -> String {
    std::env::var("DOCMILL_LIVE_KEY").unwrap()
}

async fn page(url: &str, path: &str) -> String {
    reqwest::get(format!("{url}{path}")).await.unwrap().error_for_status().expect(path).text().await.unwrap()
}

/// What a sample saves must be of the kind that its name says, and what the tool is for.
fn check(slug: &str, name: &str, bytes: &[u8]) {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        "pdf" => assert!(bytes.starts_with(b"%PDF-"), "{slug}: {name}"),
        "png" => assert!(bytes.starts_with(b"\x89PNG"), "{slug}: {name}"),
        "webp" => assert_eq!(&bytes[8..12], b"WEBP", "{slug}: {name}"),
        "zip" | "docx" | "odt" => assert!(bytes.starts_with(b"PK"), "{slug}: {name}"),
        "json" => assert!(
            serde_json::from_slice::<Value>(bytes).is_ok_and(|value| value.get("job").is_none()),
            "{slug}: {name}"
        ),
        "txt" => assert!(std::str::from_utf8(bytes).is_ok_and(|text| text.contains("Handbook")), "{slug}: {name}"),
        _ => panic!("{slug} saves {name}"),
    }
    match slug {
        "office-to-pdf" => assert!(pdf::text(bytes).contains("Amet aliqua dolor")),
        "watermark-pdf" => assert!(pdf::text(bytes).contains("Draft")),
        "render-template" => assert!(part_of(bytes, "word/document.xml").contains("Garden table")),
        "fill-form" => assert!(pdf::text(bytes).contains("Zoë Müller")),
        "merge-pdf" => assert!(pdf::pages(bytes) > 1),
        "redact-pdf" => assert!(!pdf::text(bytes).contains("Jane") && pdf::text(bytes).contains("A report by")),
        "protect-pdf" => assert!(is_locked(bytes)),
        "unlock-pdf" => assert!(!is_locked(bytes) && pdf::text(bytes).contains("Handbook")),
        "read-invoice" => assert_eq!(serde_json::from_slice::<Value>(bytes).unwrap()["invoice"]["number"], "2026-0009"),
        "sign-pdf" => assert!(String::from_utf8_lossy(bytes).contains("/ETSI.CAdES.detached")),
        "validate-invoice" => assert_eq!(serde_json::from_slice::<Value>(bytes).unwrap()["valid"], true),
        "edit-metadata" => assert!(String::from_utf8_lossy(bytes).contains("Ada Lovelace")),
        _ => {}
    }
}

fn is_locked(bytes: &[u8]) -> bool {
    String::from_utf8_lossy(bytes).contains("/Encrypt ")
}

#[tokio::test]
async fn every_sample_of_every_tool_runs_as_it_stands() {
    let Some(url) = deployed_url() else { return };
    let place = Place::new();
    let (url, place) = (url.as_str(), &place);
    let catalogue = Catalogue::load().unwrap();
    let mut slugs: Vec<_> = catalogue.tools().iter().map(|tool| tool.definition.slug.as_str()).collect();
    // Its result is what `unlock-pdf` opens.
    slugs.sort_by_key(|slug| *slug != "protect-pdf");
    let (first, rest) = slugs.split_first().unwrap();
    samples_of(first, url, place).await;
    stream::iter(rest).for_each_concurrent(PARALLEL, |slug| samples_of(slug, url, place)).await;
}

/// The samples on both pages of a tool.
async fn samples_of(slug: &str, url: &str, place: &Place) {
    let samples = Sample::of(&page(url, &format!("/docs/tools/{slug}")).await);
    assert_eq!(samples.len(), Language::ALL.len(), "{slug}");
    assert_eq!(Sample::of(&page(url, &format!("/tools/{slug}")).await), samples, "{slug} on its public page");
    // Compilers check the samples in Go and Rust (`clients/samples/check.sh`).
    for language in [Language::Curl, Language::CommandLine, Language::Python, Language::TypeScript] {
        let code = Sample::in_language(&samples, language).replace(PLACE, &format!("{}/{slug}", place.address));
        let code = code.replace(KEY, &STANDARD.encode(SIGNING_KEY)).replace(KEY_PASSWORD, "secret");
        for (name, bytes) in run(slug, language, &code, url).await {
            check(slug, &name, &bytes);
            if slug == "protect-pdf" {
                *place.locked.lock().unwrap() = bytes;
            }
        }
    }
}

#[tokio::test]
async fn the_samples_of_the_homepage_and_the_first_guide_run_as_they_stand() {
    let Some(url) = deployed_url() else { return };
    let samples = std::env::var("SAMPLES_URL").unwrap();
    for (path, file) in [("/", "result.pdf"), ("/docs/first-conversion", "hello.pdf")] {
        let page = Sample::of(&page(&url, path).await);
        for language in Language::ALL {
            let code = Sample::in_language(&page, language);
            let code = code.replace(&format!("{PLACE}/report.docx"), &format!("{samples}/small.docx"));
            let saved = run(path, language, &code, &url).await;
            assert_eq!(saved[0].0, file);
            assert!(pdf::pages(&saved[0].1) == 1, "{path}");
        }
    }
}

#[tokio::test]
async fn samples_with_clients_say_why_a_job_failed() {
    let Some(url) = deployed_url() else { return };
    let source = format!("{}/no-such-file.docx", std::env::var("SAMPLES_URL").unwrap());
    let catalogue = Catalogue::load().unwrap();
    let example = Example::with(catalogue.find("office-to-pdf").unwrap(), json!({"sourceUrl": source}));
    for language in Language::ALL.into_iter().filter(|language| *language != Language::Curl) {
        let folder = tempfile::tempdir().unwrap();
        let mut command = sample(language, &example.code(language).unwrap(), folder.path()).await;
        let output = command.env("DOCMILL_URL", &url).env("DOCMILL_KEY", key()).output().await.unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        // Rust prints the name of the code's type.
        let names_code = ["source_unreachable", "SourceUnreachable"].iter().any(|code| said.contains(code));
        assert!(!output.status.success() && names_code, "{}: {said}", language.name());
        assert!(!folder.path().join("result.pdf").exists(), "{}", language.name());
    }
}
