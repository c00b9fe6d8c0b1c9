//! Conversions and the contents of their results.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use docmill_confine::Launcher;
use docmill_domain::job::JobErrorCode;
use docmill_domain::tool::{EngineKind, Slug};
use docmill_engine::{Conversion, Engines, Failure, Limits, Source};
use docmill_fonts::NO_FONTS;
use docmill_formats::Format;
use docmill_office::{DEFAULT_PROGRAM_DIRECTORY, OfficeEngine};
use docmill_pdf_engine::PdfTools;
use docmill_plan::{Recipe, Runner};
use serde_json::Value;
use tempfile::TempDir;

use crate::checked::checked;

/// The password of the protected fixtures.
pub(crate) const PASSWORD: &str = "secret";

const PATIENCE: Duration = Duration::from_secs(100);

thread_local! {
    /// One for each test: a test has its own thread and runtime.
    static ENGINES: Rc<Engines> = Rc::new(engines());
}

fn engines() -> Engines {
    let launcher = Launcher::new(env!("CARGO_BIN_EXE_worker"));
    let office = OfficeEngine::new(Path::new(DEFAULT_PROGRAM_DIRECTORY), launcher.clone()).unwrap();
    Engines::default()
        .with(EngineKind::LibreOffice, Arc::new(office))
        .with(EngineKind::PdfTools, Arc::new(PdfTools::new(launcher)))
}

/// A document by its name.
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) content: Vec<u8>,
}

pub(crate) fn file(name: &str, content: impl Into<Vec<u8>>) -> Document {
    Document { name: name.to_owned(), content: content.into() }
}

pub(crate) struct Done {
    result: Result<Conversion, Failure>,
    _scratch: TempDir,
}

pub(crate) async fn convert(document: &Document, options: Value) -> Done {
    run(document, &Recipe::of(Slug::CONVERT_OFFICE, &options).unwrap()).await
}

pub(crate) async fn run(document: &Document, recipe: &Recipe) -> Done {
    let (scratch, limits) = (TempDir::new().unwrap(), Limits::default());
    let path = scratch.path().join("source");
    std::fs::write(&path, &document.content).unwrap();
    let format = Format::from_extension(document.name.rsplit('.').next().unwrap()).unwrap();
    let inspection = docmill_sniff::check(&path, format, &limits).unwrap();
    let source = Source::Document { path, name: Some(document.name.clone()), format, inspection };
    let (engines, deadline) = (&*ENGINES.with(Rc::clone), Instant::now() + PATIENCE);
    let runner =
        Runner { engines, scratch: scratch.path(), deadline, limits: &limits, fonts: &NO_FONTS, account: None };
    let result = match runner.run(recipe, vec![source]).await {
        Ok(conversion) => checked(conversion, scratch.path(), &limits).await,
        Err(failure) => Err(failure),
    };
    Done { result, _scratch: scratch }
}

impl Done {
    fn conversion(&self) -> &Conversion {
        self.result.as_ref().unwrap()
    }

    pub(crate) fn failure(self) -> (JobErrorCode, String) {
        let failure = self.result.unwrap_err();
        (failure.code, failure.message)
    }

    pub(crate) fn warnings(&self) -> Vec<&str> {
        self.conversion().warnings.iter().map(|warning| warning.code.as_str()).collect()
    }

    pub(crate) fn files(&self) -> usize {
        self.conversion().artifacts.len()
    }

    pub(crate) fn filenames(&self) -> Vec<&str> {
        self.conversion().artifacts.iter().filter_map(|artifact| artifact.filename.as_deref()).collect()
    }

    /// In pixels.
    pub(crate) fn size(&self) -> (u32, u32) {
        let artifact = &self.conversion().artifacts[0];
        (artifact.width.unwrap(), artifact.height.unwrap())
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.conversion().path()).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }

    /// A part of a package.
    pub(crate) fn part(&self, name: &str) -> String {
        let mut text = String::new();
        self.archive().by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    /// The names of a package's parts.
    pub(crate) fn names(&self) -> Vec<String> {
        self.archive().file_names().map(|name| name.unwrap().into_owned()).collect()
    }

    fn archive(&self) -> zip::ZipArchive<File> {
        zip::ZipArchive::new(File::open(self.conversion().path()).unwrap()).unwrap()
    }

    pub(crate) fn as_source(&self, extension: &str) -> Document {
        file(&format!("result.{extension}"), self.bytes())
    }
}
