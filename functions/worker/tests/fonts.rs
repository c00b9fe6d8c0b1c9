//! Fonts of accounts in every engine that draws text: their own jobs find them, and others do not.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "helper/checked.rs"]
mod checked;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use docmill_browser::{BrowserSettings, HtmlBrowser};
use docmill_confine::Launcher;
use docmill_domain::job::{JobErrorCode, Warning};
use docmill_domain::tool::Slug;
use docmill_egress::{EgressPolicy, SourceExceptions};
use docmill_engine::Operation;
use docmill_engine::{Engine, Failure, Limits, Source, Task};
use docmill_fetch::Fetcher;
use docmill_fonts::Font;
use docmill_formats::Format;
use docmill_html_basic::HtmlBasic;
use docmill_office::{DEFAULT_PROGRAM_DIRECTORY, OfficeEngine};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::json;
use tempfile::TempDir;
use worker::fonts::FontSource;

use checked::checked;

/// Each file with a family and the PostScript names of its faces.
const FONTS: [(&str, &str, &[&str]); 4] = [
    ("triangle.ttf", "Probe Triangle", &["ProbeTriangle-Regular"]),
    ("post.otf", "Probe Post", &["ProbePost"]),
    ("pair.ttc", "Probe Pair", &["ProbePair-Regular", "ProbePair-Bold"]),
    ("packed.woff2", "Probe Packed", &["ProbePacked-Regular"]),
];

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/fonts").join(name)).unwrap()
}

fn fonts() -> Vec<Font> {
    FONTS.iter().map(|(file, ..)| docmill_fonts::read(&fixture(file)).unwrap()).collect()
}

fn launcher() -> Launcher {
    Launcher::new(env!("CARGO_BIN_EXE_worker"))
}

fn policy() -> EgressPolicy {
    EgressPolicy::new(SourceExceptions::default())
}

fn office() -> OfficeEngine {
    OfficeEngine::new(Path::new(DEFAULT_PROGRAM_DIRECTORY), launcher()).unwrap()
}

fn browser() -> HtmlBrowser {
    HtmlBrowser::new(BrowserSettings::default(), launcher(), policy())
}

fn basic() -> HtmlBasic {
    HtmlBasic::new(launcher(), Fetcher::new(policy()).unwrap())
}

/// A page with a line in each family, one of them bold.
fn page() -> Source {
    let line = |(_, family, _): &(&str, &str, &[&str])| {
        format!("<p style='font-family: \"{family}\"'>Hello <b>bold</b> \u{E123}</p>")
    };
    Source::html(format!(
        "<!doctype html>{}<p style='font-family: Nosuchfont'>x",
        FONTS.iter().map(line).collect::<String>()
    ))
}

/// The same as a document.
fn letter(directory: &Path) -> Source {
    let families: String =
        FONTS.iter().enumerate().map(|(number, (_, family, _))| format!("{{\\f{number} {family};}}")).collect();
    let lines: String = (0..FONTS.len()).map(|number| format!("\\f{number} Hello {{\\b bold}}\\par ")).collect();
    let rtf = format!("{{\\rtf1\\ansi{{\\fonttbl{families}{{\\f9 Nosuchfont;}}}}{lines}\\f9 x\\par}}");
    let path = directory.join("letter.rtf");
    std::fs::write(&path, rtf).unwrap();
    Source::Document { path, name: None, format: Format::Rtf, inspection: Default::default() }
}

struct Made {
    /// What `pdffonts` lists.
    fonts: String,
    warnings: Vec<Warning>,
    picture: Picture,
    /// The job's former directory.
    scratch: PathBuf,
}

/// A page's dark dots, by line and column.
struct Picture(Vec<Vec<bool>>);

impl Picture {
    fn of(pdf: &Path) -> Self {
        let drawn = Command::new("pdftoppm").args(["-r", "72", "-gray"]).arg(pdf).output().unwrap().stdout;
        let mut header = drawn.splitn(4, |byte| byte.is_ascii_whitespace());
        let width: usize = String::from_utf8_lossy(header.nth(1).unwrap()).parse().unwrap();
        let dots = &drawn[drawn.len() % width..];
        Self(dots.chunks(width).map(|line| line.iter().map(|dot| *dot < 128).collect()).collect())
    }

    fn dark_dots(&self) -> usize {
        self.0.iter().flatten().filter(|dot| **dot).count()
    }
}

async fn convert(engine: &dyn Engine, source: &dyn Fn(&Path) -> Source, fonts: &[Font]) -> Result<Made, Failure> {
    let scratch = TempDir::new().unwrap();
    let fonts = FontSource::Read(fonts).obtain(scratch.path()).await?;
    let step = scratch.path().join("step");
    std::fs::create_dir(&step).unwrap();
    let (options, limits) = (json!({}), Limits::default());
    let task = Task {
        operation: Operation::Tool(Slug::OFFICE_TO_PDF),
        sources: vec![source(scratch.path())],
        options: &options,
        scratch: &step,
        deadline: Instant::now() + Duration::from_secs(100),
        limits: &limits,
        fonts: &fonts,
        account: None,
    };
    let made = checked(engine.convert(task).await?, &step, &limits).await?;
    let listed = Command::new("pdffonts").arg(made.path()).output().unwrap().stdout;
    Ok(Made {
        fonts: String::from_utf8_lossy(&listed).into_owned(),
        picture: Picture::of(made.path()),
        warnings: made.warnings.clone(),
        scratch: scratch.path().to_owned(),
    })
}

fn substituted(made: &Made) -> Vec<String> {
    let told = made.warnings.iter().filter(|warning| warning.code == "font_substituted");
    told.map(|warning| warning.detail.clone().unwrap_or_default().to_lowercase()).collect()
}

/// Converts with the account's fonts, and then, on the same engine, another account's document that names them.
async fn are_found_by_their_account_alone(engine: &dyn Engine, source: &dyn Fn(&Path) -> Source, embedded: &[&str]) {
    engine.get_ready().await;
    let own = convert(engine, source, &fonts()).await.unwrap();
    for name in embedded {
        assert!(own.fonts.contains(name), "{name}: {}", own.fonts);
    }
    assert!(!own.scratch.exists(), "the job's fonts are gone with its directory");
    engine.get_ready().await;
    let other = convert(engine, source, &[]).await.unwrap();
    assert!(!other.fonts.contains("Probe"), "{}", other.fonts);
    // Triangles are darker than letters.
    let (triangles, letters) = (own.picture.dark_dots(), other.picture.dark_dots());
    assert!(triangles > letters + letters / 3, "{triangles} dark dots, and {letters} with letters");
    if !other.warnings.is_empty() {
        assert_eq!(substituted(&own), ["nosuchfont"]);
        assert_eq!(substituted(&other).len(), 1 + FONTS.len());
        assert!(other.warnings.iter().any(|warning| warning.message.contains("POST /v1/fonts")));
    }
}

fn all_names() -> Vec<&'static str> {
    FONTS.iter().flat_map(|(.., names)| names.iter().copied()).collect()
}

#[tokio::test]
async fn libreoffice_finds_an_accounts_fonts() {
    are_found_by_their_account_alone(&office(), &letter, &all_names()).await;
}

#[tokio::test]
async fn chromium_finds_an_accounts_fonts() {
    // It draws the outlines of the PostScript font without its name.
    let named: Vec<_> = all_names().into_iter().filter(|name| *name != "ProbePost").collect();
    are_found_by_their_account_alone(&browser(), &|_| page(), &named).await;
}

#[tokio::test]
async fn html_basic_finds_an_accounts_fonts() {
    are_found_by_their_account_alone(&basic(), &|_| page(), &all_names()).await;
}

/// Verdana has a substitute on every machine. An account's font with that name is preferred.
#[tokio::test]
async fn an_accounts_font_is_preferred_to_a_stand_in() {
    let verdana = renamed(b"Probe Triangle", b"Verdana\0\0\0\0\0\0\0");
    let page = |_: &Path| Source::html("<p style='font-family: Verdana'>Hello");
    let made = convert(&browser(), &page, &[verdana]).await.unwrap();
    assert!(made.fonts.contains("ProbeTriangle"), "{}", made.fonts);
    assert_eq!(made.warnings, []);
}

/// The first fixture with another family name of the same length.
fn renamed(from: &[u8], to: &[u8]) -> Font {
    let wide = |name: &[u8]| name.iter().flat_map(|byte| [0, *byte]).collect::<Vec<u8>>();
    let (mut file, from, to) = (fixture("triangle.ttf"), wide(from), wide(to));
    let position = file.windows(from.len()).position(|part| part == from).unwrap();
    file[position..position + from.len()].copy_from_slice(&to);
    docmill_fonts::read(&file).unwrap()
}

/// Two hundred damaged fonts: each is refused, or jobs that use it end properly, and so do later ones.
#[tokio::test]
async fn hostile_fonts_are_refused_or_harmless() {
    let (office, basic, browser) = (office(), basic(), browser());
    office.get_ready().await;
    basic.get_ready().await;
    let mut taken = 0;
    for (number, file) in damaged().into_iter().enumerate() {
        let Ok(font) = docmill_fonts::read(&file) else { continue };
        taken += 1;
        let fonts = [font];
        let text = convert(&office, &letter, &fonts).await.map(drop);
        let page = convert(&basic, &|_| page(), &fonts).await.map(drop);
        // It restarts for each job, which takes a while.
        let visited =
            if taken % 10 == 1 { convert(&browser, &|_| self::page(), &fonts).await.map(drop) } else { Ok(()) };
        for made in [text, page, visited] {
            // A font can crash LibreOffice, but only in its own child.
            let code = made.err().map(|failure| failure.code);
            assert!(matches!(code, None | Some(JobErrorCode::EngineCrashed)), "font {number}: {code:?}");
        }
    }
    let after = convert(&office, &letter, &fonts()).await.unwrap();
    assert!(all_names().iter().all(|name| after.fonts.contains(name)), "{}", after.fonts);
    assert!(taken > 10, "{taken} of the damaged fonts were taken");
}

fn damaged() -> Vec<Vec<u8>> {
    let sources = FONTS.map(|(file, ..)| fixture(file));
    let mut runner = TestRunner::deterministic();
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12);
    let mutant = |number: usize| {
        let mut file = sources[number % sources.len()].clone();
        let changes = changes.new_tree(&mut runner).unwrap().current();
        for (place, byte) in changes {
            let place = place.index(file.len());
            file[place] = byte;
        }
        file
    };
    (0..200).map(mutant).collect()
}
