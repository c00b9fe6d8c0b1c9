//! The tools that draw pages, read their text and handle pictures, run on files as the worker runs them.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod annotations;
mod bombs;
mod compress;
mod compress_unseen;
mod damaged_streams;
mod drawings;
mod extract;
mod extract_formats;
mod extract_schema;
mod hostile;
mod images_to_pdf;
mod ocr;
mod pdf_to_images;
mod pdf_to_text;
mod redact;
mod repair;
mod small;
mod to_office;
mod turned;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use docmill_formats::Format;
use docmill_pdf::Engines;
use docmill_pdf_request::{Artifact, Failure, Limits, Outcome, Request, Source, Tool};
use serde_json::Value;

static ENGINES: LazyLock<Engines> = LazyLock::new(Engines::load);

/// A run of a tool, and the directory with its results, which goes with it.
struct Run {
    directory: tempfile::TempDir,
    result: Result<Outcome, Failure>,
}

impl Run {
    fn outcome(&self) -> &Outcome {
        self.result.as_ref().unwrap()
    }

    fn failure(&self) -> &Failure {
        self.result.as_ref().unwrap_err()
    }

    fn path(&self, artifact: &Artifact) -> PathBuf {
        self.directory.path().join(&artifact.file)
    }

    /// The codes of its warnings.
    fn warnings(&self) -> Vec<&str> {
        self.outcome().warnings.iter().map(|warning| warning.code.as_ref()).collect()
    }

    /// The bytes of each result.
    fn files(&self) -> Vec<Vec<u8>> {
        self.outcome().artifacts.iter().map(|artifact| std::fs::read(self.path(artifact)).unwrap()).collect()
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/pdf").join(name)
}

fn source(path: &Path, media: Format) -> Source {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    Source { name, ..Source::new(path.to_owned(), media) }
}

fn run(tool: Tool, sources: Vec<Source>, options: Value) -> Run {
    run_within(tool, sources, options, 2000)
}

/// A run that may have so many pages.
fn run_within(tool: Tool, sources: Vec<Source>, options: Value, pages: u32) -> Run {
    let directory = tempfile::tempdir().unwrap();
    let limits = Limits { pages, output_bytes: 500 << 20, pixels: 100_000_000, memory_bytes: 1 << 30 };
    let request = Request {
        tool,
        sources,
        options,
        directory: directory.path().to_owned(),
        limits,
        now: docmill_domain::time::Timestamp(1_795_300_200_000),
    };
    let result = ENGINES.run(&request);
    Run { directory, result }
}

/// A run on one PDF of the fixtures.
fn run_on(tool: Tool, name: &str, options: Value) -> Run {
    run(tool, vec![source(&fixture(name), Format::Pdf)], options)
}
