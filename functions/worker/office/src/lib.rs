//! Office documents, through LibreOffice.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod convert;
mod document;
mod encoding;
mod export;
mod fonts_log;
mod forked;
mod header;
mod import;
mod lok;
mod losses;
mod options;
mod profile;
mod soffice;
mod table;
mod uno;
mod warm;
mod writing;
mod zygote;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use async_trait::async_trait;
use convert::{ConvertOptions, Origin};
use docmill_confine::usage::Excess;
use docmill_confine::{End, Launcher, scratch};
use docmill_domain::job::{EngineInfo, JobErrorCode, Warning};
use docmill_domain::tool::{EngineKind, Slug};
use docmill_engine::{
    Conversion, Encoding, Engine, ExpectedText, Failure, Inspection, Limits, Operation, PageBreak, Source, Task,
    Unfinished, WordPages, list_fonts,
};
use docmill_fonts::{InstalledFonts, OwnFonts};
use docmill_formats::{Container, Family, Format};
use docmill_office_rewrite as rewrite;
use docmill_telemetry as telemetry;
use document::Notes;
use export::{Changes, Export, Settings};
use fonts_log::{Matches, Missing};
use forked::Forked;
use losses::{comments_dropped, losses};
use options::{OfficeOptions, TrackedChanges};
pub use profile::DEFAULT_PROGRAM_DIRECTORY;
use profile::Installation;
use soffice::{Soffice, Way};
use table::Table;
pub use zygote::{Args as ZygoteArgs, run as run_zygote};

/// Address space of a conversion in bytes: several times what a document of hundreds of pages needs.
const ADDRESS_SPACE: u64 = 4 << 30;

/// Space for LibreOffice's temporary files, even if the output must be small.
const TEMPORARY_BYTES: u64 = 256 << 20;

/// LibreOffice: forks of a warm one, or a new process for each document.
#[derive(Debug)]
pub struct OfficeEngine {
    installation: Installation,
    forked: Forked,
    /// Used if forking is not possible: 0.2 seconds slower, but without further requirements.
    soffice: Soffice,
    fonts: InstalledFonts,
}

/// A document with everything that LibreOffice needs to convert it.
#[derive(Clone, Debug)]
struct Order<'a> {
    source: PathBuf,
    output: PathBuf,
    /// The log of missing fonts, if any.
    fonts_log: PathBuf,
    /// Name and options of the import filter, for formats that need one.
    import: Option<(&'static str, String)>,
    /// The kind of document and its filter, if it can be loaded without a window.
    model: Option<(import::Model, &'static str)>,
    encrypted: bool,
    password: Option<String>,
    /// Its kind, if it may be changed before it is read.
    rewrite: Option<rewrite::Kind>,
    /// Separated values whose columns are fitted.
    table: Option<Table>,
    /// Whether rows without a height get the one that their cells need.
    fits_rows: bool,
    landscape: Option<bool>,
    changes: Changes,
    /// Whether only some pages were requested.
    has_range: bool,
    export: Export,
    /// This document's own directory.
    scratch: &'a Path,
    fonts: &'a OwnFonts,
    deadline: Instant,
    limits: &'a Limits,
}

/// The outcome of an attempt, for all ways of running LibreOffice.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Attempt {
    /// LibreOffice reports success. The output is still to be checked.
    Written(Notes),
    NotLoaded,
    NeedsPassword,
    WrongPassword,
    NotSaved,
    /// The names of the existing sheets.
    NoSuchSheet(Vec<String>),
    Ended(End),
}

impl OfficeEngine {
    /// `program`: LibreOffice's program directory, see [`DEFAULT_PROGRAM_DIRECTORY`].
    ///
    /// # Errors
    /// If LibreOffice is not there or incomplete.
    pub fn new(program: &Path, launcher: Launcher) -> io::Result<Self> {
        let installation = Installation::read(program)?;
        Ok(Self {
            forked: Forked::new(launcher.clone(), installation.clone()),
            soffice: Soffice::new(launcher, installation.clone()),
            installation,
            fonts: InstalledFonts::default(),
        })
    }

    fn info(&self) -> EngineInfo {
        EngineInfo { name: EngineKind::LibreOffice.as_str().to_owned(), version: self.installation.version.clone() }
    }

    /// Sets the requested PDF version, since older LibreOffice versions write 1.6 at most. Returns the missing fonts.
    async fn finish(&self, order: &Order<'_>, matches: Matches, options: &OfficeOptions) -> io::Result<Missing> {
        let output = order.output.clone();
        let (fonts, own, declares_1_7) = (self.fonts.clone(), order.fonts.clone(), options.pdf_version.declares_1_7());
        let finish = move || {
            if declares_1_7 {
                header::declare_1_7(&output)?;
            }
            Ok(fonts_log::missing(&matches, &fonts, &own))
        };
        tokio::task::spawn_blocking(finish).await.map_err(io::Error::other)?
    }

    async fn attempt(&self, order: &Order<'_>, way: Way) -> io::Result<Attempt> {
        if way.is_fresh(order) {
            return self.soffice.convert(order).await;
        }
        match self.forked.convert(order).await {
            Ok(attempt) => Ok(attempt),
            Err(error) => {
                telemetry::engine::fell_back(EngineKind::LibreOffice, &error);
                self.soffice.convert(order).await
            }
        }
    }
}

#[async_trait]
impl Engine for OfficeEngine {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        self.convert_by(Way::Warm, &task).await
    }

    async fn convert_after_crash(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        self.convert_by(Way::Fresh, &task).await
    }

    async fn get_ready(&self) {
        let (forked, ()) = tokio::join!(self.forked.get_ready(), list_fonts(&self.fonts));
        if let Err(error) = forked {
            tracing::warn!(%error, "LibreOffice is not ready for the next job: a fresh process will serve it");
        }
    }
}

/// The task's source.
#[derive(Clone, Copy)]
struct Document<'a> {
    path: &'a Path,
    name: Option<&'a str>,
    format: Format,
    inspection: &'a Inspection,
}

impl<'a> Document<'a> {
    fn of(task: &'a Task<'_>) -> Result<Self, Failure> {
        let Source::Document { path, name, format, inspection } = task.source()? else {
            return Err(Failure::internal("the office engine was given no document"));
        };
        Ok(Self { path, name: name.as_deref(), format: *format, inspection })
    }
}

impl OfficeEngine {
    async fn convert_by(&self, way: Way, task: &Task<'_>) -> Result<Conversion, Failure> {
        let document = Document::of(task)?;
        if task.operation == Operation::Tool(Slug::CONVERT_OFFICE) {
            self.to_format(way, task, document).await
        } else {
            self.to_pdf(way, task, document).await
        }
    }

    async fn to_pdf(&self, way: Way, task: &Task<'_>, document: Document<'_>) -> Result<Conversion, Failure> {
        let options = OfficeOptions::read(task.options)?;
        let source = place(task, document).map_err(Failure::internal)?;
        let Read { import, table, guess } = read_text(document, &source).await.map_err(Failure::internal)?;
        let order = Order { import, table, ..order(task, source, document, &options) };
        let mut notes = self.written(&order, way, document.format.family()).await?;
        let fonts = std::mem::take(&mut notes.fonts);
        let Missing { warnings: missing_fonts, stand_ins } =
            self.finish(&order, fonts, &options).await.map_err(Failure::internal)?;
        let told = options.warnings(document.format.family()).into_iter().chain(guess).chain(losses(&notes, &options));
        let warnings = told.chain(missing_fonts).chain(way.warning(&order)).collect();
        let cells = std::mem::take(&mut notes.cells).into_iter();
        let texts = cells.map(|cell| ExpectedText { place: Some(cell.place), text: cell.text }).collect();
        let word = notes.word.take().filter(|_| options.keeps_pages()).map(pages_in_word);
        let unfinished = Unfinished { pictures: options.pictures(), stand_ins, texts, word };
        Ok(Conversion { unfinished, ..Conversion::of_pdf(order.output, self.info(), warnings) })
    }

    /// Makes the formats of `convert-office` other than pictures.
    async fn to_format(&self, way: Way, task: &Task<'_>, document: Document<'_>) -> Result<Conversion, Failure> {
        let options = ConvertOptions::read(task.options)?;
        options.admit(document.format)?;
        let source = place(task, document).map_err(Failure::internal)?;
        let Read { import, table, guess } = read_text(document, &source).await.map_err(Failure::internal)?;
        let export = options.export(task.limits.pages);
        let as_pdf = OfficeOptions { password: options.password.clone(), ..OfficeOptions::default() };
        let order = Order {
            import,
            table,
            output: task.scratch.join("output").with_extension(&export.extension),
            // Repairs for printing don't apply to documents that will be edited.
            rewrite: matches!(document.format, Format::Docx | Format::Dotx).then_some(rewrite::Kind::EditableText),
            changes: options.format.changes(),
            export,
            ..order(task, source, document, &as_pdf)
        };
        let notes = self.written(&order, way, document.format.family()).await?;
        let origin = Origin::of(document.path, document.format, document.inspection).map_err(Failure::internal)?;
        let artifacts = convert::artifacts(&order.output, options.format, document.name, &notes.written);
        let bytes = convert::bytes(&artifacts).map_err(Failure::internal)?;
        let lost = convert::losses(origin, options.format, &notes.written, notes.changes, bytes);
        let told = options.without_effect().into_iter().chain(guess).chain(comments_dropped(&notes.losses)).chain(lost);
        let warnings = told.chain(way.warning(&order)).collect();
        Ok(Conversion { artifacts, report: None, engine: self.info(), warnings, unfinished: Unfinished::default() })
    }

    async fn written(&self, order: &Order<'_>, way: Way, family: Family) -> Result<Notes, Failure> {
        // The warnings about fonts need the list of fonts, which takes its time in a worker that has just started.
        let (attempt, ()) = tokio::join!(self.attempt(order, way), list_fonts(&self.fonts));
        match attempt.map_err(Failure::internal)? {
            Attempt::Written(notes) => Ok(notes),
            failed @ (Attempt::NotLoaded
            | Attempt::NeedsPassword
            | Attempt::WrongPassword
            | Attempt::NotSaved
            | Attempt::NoSuchSheet(_)
            | Attempt::Ended(_)) => Err(failure(failed, order, family, self.forked.memory_bytes())),
        }
    }
}

fn pages_in_word(told: rewrite::WordPages) -> WordPages {
    let breaks = told.breaks.into_iter().map(|rewrite::WordBreak { before, after }| PageBreak { before, after });
    WordPages { count: told.count, breaks: breaks.collect() }
}

/// Puts the source in a directory of its own, under a name that may be printed.
fn place(task: &Task<'_>, document: Document<'_>) -> io::Result<PathBuf> {
    let directory = task.scratch.join("document");
    std::fs::create_dir_all(&directory)?;
    let source = directory.join(format!("{}.{}", stem(document.name), document.format.extension()));
    scratch::place(document.path, &source)?;
    // LibreOffice opens no file to change the document that it can't write.
    if std::fs::metadata(&source)?.permissions().readonly() {
        std::fs::remove_file(&source)?;
        io::copy(&mut File::open(document.path)?, &mut File::create_new(&source)?)?;
    }
    Ok(source)
}

/// A document's name without its extension and without characters that file names can't contain.
fn stem(name: Option<&str>) -> String {
    /// File systems allow 255 bytes, and a character has up to four.
    const LONGEST: usize = 60;
    let name = name.unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let clean = stem.chars().map(|c| if c == '/' || c.is_control() { '_' } else { c }).take(LONGEST);
    let clean = clean.collect::<String>();
    if clean.trim_matches(['.', ' ']).is_empty() { "document".to_owned() } else { clean }
}

fn order<'a>(task: &Task<'a>, source: PathBuf, document: Document<'_>, options: &OfficeOptions) -> Order<'a> {
    let format = document.format;
    Order {
        source,
        import: None,
        model: import::model(format),
        output: task.scratch.join("output.pdf"),
        fonts_log: task.scratch.join("fonts.log"),
        encrypted: document.inspection.encrypted,
        password: options.password.clone(),
        rewrite: rewrite_kind(format, options),
        table: None,
        fits_rows: matches!(format, Format::Xlsx | Format::Xlsm) && !document.inspection.encrypted,
        // Slides and drawings keep their orientation.
        landscape: options.landscape.filter(|_| matches!(format.family(), Family::Word | Family::Sheet)),
        changes: match options.tracked_changes {
            TrackedChanges::Accepted => Changes::Hidden,
            TrackedChanges::Shown => Changes::Kept,
        },
        has_range: options.page_range.is_some(),
        export: Export {
            extension: "pdf".to_owned(),
            filter: export_filter(format.family()).to_owned(),
            settings: Settings::Data(options.filter_data(format.family()).to_string()),
            encoding: None,
            sheets: None,
        },
        scratch: task.scratch,
        fonts: task.fonts,
        deadline: task.deadline,
        limits: task.limits,
    }
}

/// LibreOffice's filter that prints documents of this family as PDF.
const fn export_filter(family: Family) -> &'static str {
    if matches!(family, Family::Sheet) {
        "calc_pdf_Export"
    } else if matches!(family, Family::Slides) {
        "impress_pdf_Export"
    } else if matches!(family, Family::Drawing) {
        "draw_pdf_Export"
    } else {
        "writer_pdf_Export"
    }
}

/// Office Open XML formats that may be changed before they are read.
fn rewrite_kind(format: Format, options: &OfficeOptions) -> Option<rewrite::Kind> {
    if format.container() != Container::Ooxml {
        return None;
    }
    match format.family() {
        Family::Word => Some(rewrite::Kind::Text),
        Family::Sheet => Some(rewrite::Kind::Spreadsheet),
        Family::Slides => Some(rewrite::Kind::Presentation { with_notes: options.include_notes }),
        Family::Drawing
        | Family::Pdf
        | Family::Picture
        | Family::Vector
        | Family::Web
        | Family::Mail
        | Family::Data
        | Family::Archive
        | Family::Other => None,
    }
}

/// Name and options of an import filter.
type Import = (&'static str, String);

/// How text is read.
#[derive(Default)]
struct Read {
    import: Option<Import>,
    table: Option<Table>,
    /// A warning if the encoding was guessed.
    guess: Option<Warning>,
}

/// Prepares documents whose format needs an import filter. `placed` is the path for LibreOffice, in UTF-8 afterwards.
async fn read_text(document: Document<'_>, placed: &Path) -> io::Result<Read> {
    let encoding = document.inspection.encoding;
    if document.format.container() != Container::PlainText {
        return Ok(Read::default());
    }
    let separator: Option<fn(&Path) -> io::Result<u8>> = if document.format == Format::Csv {
        Some(import::guess_separator)
    } else if document.format == Format::Tsv {
        Some(|_| Ok(b'\t'))
    } else {
        None
    };
    let (text, placed) = (document.path.to_owned(), placed.to_owned());
    let prepare = move || {
        let guess = match encoding {
            None | Some(Encoding::Utf8) => None,
            Some(other) => {
                // It may be a link to the source, which must not change.
                std::fs::remove_file(&placed)?;
                encoding::to_utf8(&text, other, &placed)?
            }
        };
        let Some(separator) = separator else {
            return Ok(Read { import: Some(import::text_filter()), table: None, guess });
        };
        let separator = separator(&placed)?;
        let table = Table::read(&placed, separator)?;
        let import = Some(import::table_filter(separator, table.columns));
        Ok(Read { import, table: table.is_fitted().then_some(table), guess })
    };
    tokio::task::spawn_blocking(prepare).await.map_err(io::Error::other)?
}

/// A description for the log, without anything from the document.
fn cause(attempt: &Attempt) -> String {
    match attempt {
        Attempt::NoSuchSheet(names) => format!("no such sheet among {}", names.len()),
        Attempt::Written(_) => "written, and no file".to_owned(),
        Attempt::NotLoaded
        | Attempt::NeedsPassword
        | Attempt::WrongPassword
        | Attempt::NotSaved
        | Attempt::Ended(_) => format!("{attempt:?}"),
    }
}

/// The failure for a failed attempt. LibreOffice's own messages may quote the document, so they are not used.
fn failure(attempt: Attempt, order: &Order<'_>, family: Family, memory_bytes: u64) -> Failure {
    let limits = order.limits;
    let cause = cause(&attempt);
    let (code, message) = match attempt {
        Attempt::NeedsPassword => (
            JobErrorCode::PasswordRequired,
            "The document is protected. Send its password in `options.password`.".to_owned(),
        ),
        Attempt::WrongPassword => {
            (JobErrorCode::WrongPassword, "The document does not open with this password.".to_owned())
        }
        Attempt::NotLoaded if order.encrypted => (
            JobErrorCode::UnsupportedFormat,
            "The document is protected in a way that is not supported. Save it without protection and retry."
                .to_owned(),
        ),
        Attempt::NotLoaded => {
            (JobErrorCode::CorruptDocument, "The document can't be opened. It is damaged or incomplete.".to_owned())
        }
        Attempt::Written(_) | Attempt::NotSaved if order.has_range => (
            JobErrorCode::RenderFailed,
            "The result has no pages. Check that `pageRange` names pages that exist.".to_owned(),
        ),
        Attempt::Written(_) | Attempt::NotSaved if family == Family::Slides => {
            (JobErrorCode::RenderFailed, "The presentation has no slides, or all of them are hidden.".to_owned())
        }
        Attempt::Written(_) | Attempt::NotSaved => {
            let format = order.export.extension.to_uppercase();
            (
                JobErrorCode::RenderFailed,
                format!("LibreOffice opened the document but could not export it as {format}."),
            )
        }
        Attempt::NoSuchSheet(names) => (JobErrorCode::RenderFailed, convert::no_such_sheet(&names)),
        Attempt::Ended(End::TimedOut) => (
            JobErrorCode::ConversionTimeout,
            format!("The conversion took longer than {} seconds.", limits.conversion.as_secs()),
        ),
        Attempt::Ended(End::Signaled(libc::SIGXFSZ) | End::Exceeded(Excess::Disk)) => (
            JobErrorCode::RenderFailed,
            format!("The result is larger than {} MiB: reduce its pictures, or split it.", limits.output_bytes >> 20),
        ),
        Attempt::Ended(End::Exceeded(Excess::Memory)) => return Failure::of_memory(memory_bytes, cause),
        Attempt::Ended(End::Signaled(_) | End::Exited(_) | End::Exceeded(Excess::Processes)) => {
            (JobErrorCode::EngineCrashed, "LibreOffice crashed on this document. Re-save it and retry.".to_owned())
        }
    };
    Failure::new(code, message, cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_keeps_the_valid_part_of_its_name() {
        assert_eq!(stem(Some("v1.2 Übersicht.docx")), "v1.2 Übersicht");
        assert_eq!(stem(Some("../../etc/passwd.doc")), ".._.._etc_passwd");
        assert_eq!(stem(Some("a/b\n.doc")), "a_b_");
        assert_eq!(stem(Some("..docx")), "document");
        assert_eq!(stem(None), "document");
        assert_eq!(stem(Some(&"語".repeat(300))).chars().count(), 60);
    }
}
