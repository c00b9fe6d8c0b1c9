//! An example of a new tool: its data, the schema of its options, and its engine, in less than fifty lines.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use docmill_confine::Launcher;
use docmill_domain::api_key::Mode;
use docmill_domain::catalogue::Catalogue;
use docmill_domain::job::EngineInfo;
use docmill_domain::request::JobRequest;
use docmill_domain::tool::EngineKind;
use docmill_egress::{EgressPolicy, SourceExceptions};
use docmill_engine::{Artifact, Conversion, Engine, Engines, Failure, Limits, Source, Task, Unfinished};
use docmill_fetch::Fetcher;
use docmill_formats::Format;
use docmill_pdf_engine::PdfTools;
use serde_json::json;
use worker::converter::{Converter, Network, Workspace};
use worker::fonts::FontSource;
use worker::progress::Tracker;
use worker::sources::Given;

// The tool, from here …
const DATA: &str = r#"{
  "slug": "page-shout", "name": "Shout", "description": "Says how loud a page is.", "version": "1", "category": "toys",
  "queue": "pdf", "supportedModes": ["default"],
  "settings": {"accessTier": "free", "creditCost": 1, "state": "beta", "pageVisibility":
    {"public": false, "category": false, "navigation": false, "homepage": false, "api": true}},
  "sources": {"description": "The page.", "kinds": ["html"], "formats": ["html"]},
  "outputFormat": "txt"
}"#;

const OPTIONS: &str = r#"{"properties": {
  "times": {"type": "integer", "minimum": 1, "maximum": 3, "default": 1, "description": "How often."}
}}"#;

struct Shout;

#[async_trait::async_trait]
impl Engine for Shout {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        let path = task.scratch.join("shout.txt");
        let times = task.options["times"].as_u64().unwrap_or(1) as usize;
        let Source::Html { html, .. } = task.source()? else { return Err(Failure::internal("not HTML")) };
        let text = html.to_uppercase().repeat(times);
        std::fs::write(&path, text).map_err(|error| Failure::internal(error.to_string()))?;
        let artifact = Artifact { path, media: Format::Txt, pages: None, width: None, height: None, filename: None };
        let engine = EngineInfo { name: "shout".into(), version: "1".into() };
        Ok(Conversion {
            artifacts: vec![artifact],
            report: None,
            engine,
            warnings: Vec::new(),
            unfinished: Unfinished::default(),
        })
    }
}
// … to here.

#[tokio::test]
async fn a_new_tool_only_needs_its_data_schema_and_engine() {
    let catalogue = Catalogue::load().unwrap().with(DATA, OPTIONS).unwrap();
    let tool = catalogue.find("page-shout").unwrap();
    let wrong = json!({"html": "hey", "options": {"times": 9}});
    let breaches = JobRequest::parse(&catalogue, tool, wrong.as_object().unwrap()).unwrap_err();
    assert_eq!(breaches[0].path, "/options/times");

    let body = json!({"html": "hey", "options": {"times": 2}, "output": {"filename": "loud.txt"}});
    let (request, _) = JobRequest::parse(&catalogue, tool, body.as_object().unwrap()).unwrap();
    let fetcher = Fetcher::new(EgressPolicy::new(SourceExceptions::default())).unwrap();
    let checker = PdfTools::new(Launcher::new(env!("CARGO_BIN_EXE_worker")));
    let engines = Engines::default().with(EngineKind::PdfTools, Arc::new(Shout)).checked_by(Arc::new(checker));
    let converter = Converter { catalogue, fetcher, engines, network: Network::Open };
    let scratch = tempfile::tempdir().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let at = Workspace {
        scratch: scratch.path(),
        deadline,
        mode: Mode::Live,
        limits: &Limits::default(),
        fonts: FontSource::None,
        progress: &Tracker::default(),
    };
    let converted = converter.run(&request, Given::new(), at).await.unwrap();
    let made = converted.files.primary().unwrap();
    assert_eq!(std::fs::read_to_string(&made.path).unwrap(), "HEYHEY");
    assert_eq!((made.output.filename.as_str(), made.output.format.as_str()), ("loud.txt", "txt"));
}
