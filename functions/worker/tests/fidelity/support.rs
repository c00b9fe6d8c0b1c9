//! One warm LibreOffice per test, and the contents of its PDFs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::{Duration, Instant};

use docmill_confine::Launcher;
use docmill_domain::job::Warning;
use docmill_domain::tool::Slug;
use docmill_engine::{Conversion, Engine, Failure, Limits, Operation, Source, Task};
use docmill_fonts::NO_FONTS;
use docmill_formats::Format;
use docmill_office::{DEFAULT_PROGRAM_DIRECTORY, OfficeEngine};
use docmill_sniff::check;
use serde_json::Value;
use tempfile::TempDir;

use crate::checked::checked;

thread_local! {
    static ENGINE: Rc<OfficeEngine> = Rc::new(
        OfficeEngine::new(Path::new(DEFAULT_PROGRAM_DIRECTORY), Launcher::new(env!("CARGO_BIN_EXE_worker"))).unwrap()
    );
}

/// A PDF, or why there is none.
pub(crate) struct Printed {
    pub(crate) warnings: Vec<Warning>,
    /// Of results that were checked.
    pub(crate) report: Option<Value>,
    pdf: PathBuf,
    scratch: TempDir,
}

pub(crate) async fn try_print(source: &Path, options: Value) -> Result<Printed, Failure> {
    let scratch = TempDir::new().unwrap();
    let conversion = converted(source, options, &scratch).await?;
    Ok(Printed { pdf: conversion.path().to_owned(), warnings: conversion.warnings, report: None, scratch })
}

/// What a job delivers: the check makes pictures smaller. Also returns whether it is another file than the engine's.
pub(crate) async fn deliver(source: &Path, options: Value) -> (Printed, bool) {
    let scratch = TempDir::new().unwrap();
    let conversion = converted(source, options, &scratch).await.unwrap();
    let engines = conversion.path().to_owned();
    let conversion = checked(conversion, scratch.path(), &Limits::default()).await.unwrap();
    let pdf = conversion.path().to_owned();
    let is_new = pdf != engines;
    (Printed { pdf, warnings: conversion.warnings, report: conversion.report, scratch }, is_new)
}

async fn converted(source: &Path, options: Value, scratch: &TempDir) -> Result<Conversion, Failure> {
    let format = Format::from_extension(source.extension().unwrap().to_str().unwrap()).unwrap();
    let limits = Limits::default();
    let inspection = check(source, format, &limits)?;
    let source = Source::Document { path: source.to_owned(), name: None, format, inspection };
    let deadline = Instant::now() + Duration::from_secs(100);
    let (operation, sources) = (Operation::Tool(Slug::OFFICE_TO_PDF), vec![source]);
    let task = Task {
        operation,
        sources,
        options: &options,
        scratch: scratch.path(),
        deadline,
        limits: &limits,
        fonts: &NO_FONTS,
        account: None,
    };
    ENGINE.with(Rc::clone).convert(task).await
}

pub(crate) async fn print(source: &Path) -> Printed {
    try_print(source, Value::Null).await.unwrap()
}

/// A text with these bytes under this name.
pub(crate) async fn print_text(name: &str, content: &[u8]) -> Printed {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, content).unwrap();
    print(&path).await
}

impl Printed {
    /// What a reader sees, as it is laid out.
    pub(crate) fn text(&self) -> String {
        self.tool("pdftotext", &["-layout"], &["-"])
    }

    /// The names of the fonts without subset prefixes.
    pub(crate) fn fonts(&self) -> Vec<String> {
        let list = self.tool("pdffonts", &[], &[]);
        let names = list.lines().skip(2).filter_map(|line| line.split_whitespace().next());
        names.map(|name| name.split_once('+').map_or(name, |(_, name)| name).to_owned()).collect()
    }

    pub(crate) fn pages(&self) -> u32 {
        let info = self.tool("pdfinfo", &[], &[]);
        info.lines().find_map(|line| line.strip_prefix("Pages:")).unwrap().trim().parse().unwrap()
    }

    /// Width and height in points.
    pub(crate) fn size(&self) -> (u32, u32) {
        let info = self.tool("pdfinfo", &[], &[]);
        let line = info.lines().find_map(|line| line.strip_prefix("Page size:")).unwrap();
        let mut numbers = line.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
        let mut next = || numbers.next().unwrap().round() as u32;
        (next(), next())
    }

    /// Where a word begins on the first page, in points from the left.
    pub(crate) fn left_of(&self, word: &str) -> f64 {
        self.edge_of(word, "xMin")
    }

    /// Where a word ends on the first page, in points from the top.
    pub(crate) fn bottom_of(&self, word: &str) -> f64 {
        self.edge_of(word, "yMax")
    }

    fn edge_of(&self, word: &str, edge: &str) -> f64 {
        let boxes = self.boxes();
        let line = boxes
            .lines()
            .find(|line| line.contains(&format!(">{word}<")))
            .unwrap_or_else(|| panic!("no {word}: {boxes}"));
        edge_in(line, edge)
    }

    /// Where each word of all pages ends, in points from the top.
    pub(crate) fn bottoms(&self) -> Vec<f64> {
        self.boxes().lines().filter(|line| line.contains("<word ")).map(|line| edge_in(line, "yMax")).collect()
    }

    fn boxes(&self) -> String {
        self.tool("pdftotext", &["-bbox"], &["-"])
    }

    /// The pictures' data as in the PDF.
    pub(crate) fn pictures(&self) -> Vec<Vec<u8>> {
        let root = self.scratch.path().join("picture");
        let status = Command::new("pdfimages").arg("-all").arg(&self.pdf).arg(&root).status().unwrap();
        assert!(status.success());
        let paths = std::fs::read_dir(self.scratch.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut paths: Vec<_> =
            paths.filter(|path| path.to_str().unwrap().starts_with(root.to_str().unwrap())).collect();
        paths.sort();
        paths.into_iter().map(|path| std::fs::read(path).unwrap()).collect()
    }

    /// Kind, width, height and encoding of each picture, as `image 640 480 jpeg`.
    pub(crate) fn list_of_pictures(&self) -> Vec<String> {
        let list = self.tool("pdfimages", &["-list"], &[]);
        let row = |line: &str| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            format!("{} {} {} {}", columns[2], columns[3], columns[4], columns[8])
        };
        list.lines().skip(2).map(row).collect()
    }

    /// The pixels of the first page: red, green and blue.
    pub(crate) fn pixels(&self) -> Vec<[u8; 3]> {
        let root = self.scratch.path().join("page");
        let pdf = &self.pdf;
        let status = Command::new("pdftoppm").args(["-r", "72", "-singlefile"]).arg(pdf).arg(&root).status().unwrap();
        assert!(status.success());
        let image = std::fs::read(root.with_extension("ppm")).unwrap();
        // `P6`, width and height, 255, and then three bytes for each pixel.
        let header = image.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(2).unwrap().0 + 1;
        image[header..].as_chunks::<3>().0.to_vec()
    }

    /// Whether something on the first page is in color.
    pub(crate) fn has_color(&self) -> bool {
        self.pixels().iter().any(|[red, green, blue]| red.abs_diff(*green).max(green.abs_diff(*blue)) > 60)
    }

    pub(crate) fn codes(&self) -> Vec<&str> {
        self.warnings.iter().map(|warning| warning.code.as_str()).collect()
    }

    pub(crate) fn version_is_at_least(&self, least: (u32, u32)) -> bool {
        installed_version() >= least
    }

    fn tool(&self, program: &str, before: &[&str], after: &[&str]) -> String {
        let output = Command::new(program).args(before).arg(&self.pdf).args(after).output().unwrap();
        assert!(output.status.success(), "{program}");
        String::from_utf8(output.stdout).unwrap()
    }
}

fn edge_in(line: &str, edge: &str) -> f64 {
    line.split(&format!("{edge}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
}

/// LibreOffice's version, on which results may depend.
pub(crate) fn installed_version() -> (u32, u32) {
    let settings = std::fs::read_to_string(Path::new(DEFAULT_PROGRAM_DIRECTORY).join("bootstraprc")).unwrap();
    let product = settings.lines().find_map(|line| line.strip_prefix("ProductKey=")).unwrap();
    let mut numbers = product.rsplit(' ').next().unwrap().split('.').map(|number| number.parse().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap())
}
