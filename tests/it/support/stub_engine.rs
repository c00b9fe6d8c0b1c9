//! A scripted engine, for tests of everything around engines.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use docmill_domain::job::{EngineInfo, JobErrorCode};
use docmill_engine::{Artifact, Conversion, Engine, Failure, Source, Task, Unfinished};
use tokio::sync::Notify;

#[derive(Clone, Debug)]
pub enum Act {
    Convert,
    /// Does the inner act, but only after the gate opens.
    Hold(Arc<Gate>, Box<Act>),
    Fail(JobErrorCode),
    Panic,
}

/// Where an engine waits.
#[derive(Debug, Default)]
pub struct Gate {
    pub reached: Notify,
    pub open: Notify,
}

/// Plays its script, then converts.
#[derive(Debug, Default)]
pub struct StubEngine {
    script: Mutex<VecDeque<Act>>,
    /// Names and bytes of the fonts in its last task.
    fonts: Mutex<Vec<(String, Vec<u8>)>>,
}

impl StubEngine {
    pub fn playing(script: impl IntoIterator<Item = Act>) -> Self {
        Self { script: Mutex::new(script.into_iter().collect()), ..Self::default() }
    }

    pub fn fonts(&self) -> Vec<(String, Vec<u8>)> {
        self.fonts.lock().unwrap().clone()
    }

    /// Replaces the rest of its script.
    pub fn play(&self, script: impl IntoIterator<Item = Act>) {
        *self.script.lock().unwrap() = script.into_iter().collect();
    }
}

#[async_trait]
impl Engine for StubEngine {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        let font = |path: &std::path::PathBuf| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap())
        };
        *self.fonts.lock().unwrap() = task.fonts.files().iter().map(font).collect();
        let act = self.script.lock().unwrap().pop_front().unwrap_or(Act::Convert);
        let act = match act {
            Act::Hold(gate, held) => {
                gate.reached.notify_one();
                gate.open.notified().await;
                *held
            }
            other => other,
        };
        match act {
            Act::Hold(..) => panic!("one gate is enough"),
            Act::Fail(code) => Err(Failure::new(code, "told to fail", "told to fail")),
            Act::Panic => panic!("told to panic"),
            Act::Convert => {
                let pdf = task.scratch.join("output.pdf");
                std::fs::write(&pdf, b"%PDF-1.7 stub").unwrap();
                let engine = EngineInfo { name: "stub".into(), version: "1".into() };
                Ok(Conversion::of_pdf(pdf, engine, Vec::new()))
            }
        }
    }
}

/// Treats every result as a file with three pages.
#[derive(Debug)]
pub struct StubChecker;

#[async_trait]
impl Engine for StubChecker {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        let checked = task.sources.into_iter().map(|source| match source {
            Source::File(file) => Artifact {
                path: file.path,
                media: file.media,
                pages: Some(3),
                width: None,
                height: None,
                filename: None,
            },
            other => panic!("{other:?} is no result"),
        });
        let engine = EngineInfo { name: "stub".into(), version: "1".into() };
        Ok(Conversion {
            artifacts: checked.collect(),
            report: None,
            engine,
            warnings: Vec::new(),
            unfinished: Unfinished::default(),
        })
    }
}
