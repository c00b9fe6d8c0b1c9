//! A warm LibreOffice in the helper, with a fast and a thorough way to convert a document.
//!
//! The fast way uses UNO: it creates no view and supports import filters and settings. If it fails, LibreOfficeKit is used, which
//! can tell damaged documents from protected ones. Documents that need no window are loaded without one: even a hidden window has
//! toolbars and a cursor.

use std::io;
use std::path::Path;

use docmill_formats::Format;
use docmill_office_rewrite::{self as rewrite, Reader, Reading, Unread};

use super::document::{Answer, Document, Notes};
use super::export::{Changes, Settings};
use super::import::{self, Model};
use super::lok::{NotLoaded, Office};
use super::uno::{Hidden, Properties, Property, Uno, file_url};
use super::writing;

/// Load options for LibreOfficeKit: no dialogs, since nobody could answer them.
const SILENTLY: &str = "Batch=true,Language=en-US";
/// For encrypted documents, which need the password callback: since LibreOffice 24, `Batch` disables it.
const ASKING: &str = "Language=en-US";

/// A document of the warm-up.
struct Sample {
    name: &'static str,
    bytes: &'static [u8],
    filter: &'static str,
    format: Format,
}

/// Small documents of each family, to warm up the code that they use for all children. The workbook has charts, several
/// currencies, dates and formulas, and starts with text that contains a number, for which LibreOffice searches the currencies of
/// all locales. The slides have elements of common presentation templates.
const WARM_UP: [Sample; 3] = [
    Sample {
        name: "warm.docx",
        bytes: include_bytes!("warm_up/warm.docx"),
        filter: "writer_pdf_Export",
        format: Format::Docx,
    },
    Sample {
        name: "warm.xlsx",
        bytes: include_bytes!("warm_up/warm.xlsx"),
        filter: "calc_pdf_Export",
        format: Format::Xlsx,
    },
    Sample {
        name: "warm.pptx",
        bytes: include_bytes!("warm_up/warm.pptx"),
        filter: "impress_pdf_Export",
        format: Format::Pptx,
    },
];

/// What to do with a warm-up document after converting it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterWarmUp {
    Closed,
    Open,
}

#[derive(Debug)]
pub(super) struct WarmOffice<'a> {
    kit: &'a Office,
    uno: Option<Uno>,
    reader: Reader,
}

impl<'a> WarmOffice<'a> {
    /// Only warms up with a text document. The first job waits for this, and warming up for a spreadsheet or presentation would
    /// take as long as converting one.
    pub(super) fn warm_up(kit: &'a Office, reader: Reader, home: &Path, by_uno: bool) -> io::Result<Self> {
        let mut office = Self { kit, uno: None, reader };
        // LibreOfficeKit's first document sets the language, and one document is enough to warm it up.
        office.repeat(home, &WARM_UP[..1], AfterWarmUp::Closed)?;
        if by_uno {
            office.uno = Uno::start().inspect_err(|error| eprintln!("without UNO: {error}")).ok();
        }
        office.warm_up_by(home, &WARM_UP[..1])?;
        Ok(office)
    }

    /// Warms up with the documents of the other families.
    pub(super) fn complete_warm_up(&mut self, home: &Path) -> io::Result<()> {
        self.warm_up_by(home, &WARM_UP[1..])
    }

    /// Converts all warm-up documents and keeps them open: together, they use as much memory as a larger document.
    pub(super) fn rehearse(&self, home: &Path) -> io::Result<()> {
        self.repeat(home, &WARM_UP, AfterWarmUp::Open)
    }

    fn warm_up_by(&mut self, home: &Path, samples: &[Sample]) -> io::Result<()> {
        if let Err(error) = self.repeat(home, samples, AfterWarmUp::Closed) {
            // UNO's interface differs from the expected one.
            eprintln!("without UNO: {error}");
            self.uno = None;
            self.repeat(home, samples, AfterWarmUp::Closed)?;
        }
        Ok(())
    }

    fn repeat(&self, home: &Path, samples: &[Sample], afterwards: AfterWarmUp) -> io::Result<()> {
        for sample in samples {
            let (source, output) = (home.join("tmp").join(sample.name), home.join("tmp/warm.pdf"));
            std::fs::write(&source, sample.bytes)?;
            let (from, to) = (file_url(&source)?, file_url(&output)?);
            if !self.warm_up_document(sample, &from, &to, afterwards)? || !is_pdf(&output)? {
                return Err(io::Error::other(format!("warming up: {}", self.kit.last_error())));
            }
            std::fs::remove_file(&source)?;
            std::fs::remove_file(&output)?;
        }
        Ok(())
    }

    fn warm_up_document(&self, sample: &Sample, from: &str, to: &str, afterwards: AfterWarmUp) -> io::Result<bool> {
        if let Some(uno) = &self.uno {
            let Some(document) = load(uno, from, None, import::model(sample.format), None, Access::Read)? else {
                return Ok(false);
            };
            let stored =
                document.store(to, &writing::filter(sample.filter, ("FilterData", Property::Several(Vec::new()))))?;
            return match afterwards {
                AfterWarmUp::Closed => document.close().map(|()| stored),
                AfterWarmUp::Open => Ok(stored),
            };
        }
        self.kit.load(from, SILENTLY, None)?.map_or(Ok(false), |document| document.save(to, "pdf", "{}"))
    }

    pub(super) fn add_font(&self, file: &Path) -> io::Result<()> {
        self.kit.add_font(file)
    }

    pub(super) fn convert(&self, asked: &Document) -> io::Result<Answer> {
        let reading = match &asked.rewrite {
            Some((kind, directory)) => rewrite::rewrite(&asked.source, *kind, self.reader, directory),
            None => Reading::unchanged(&asked.source),
        };
        let is_changed = reading.document != asked.source;
        let answer = self.convert_as_read(asked, reading)?;
        if answer != Answer::NotLoaded || !is_changed {
            return Ok(answer);
        }
        // What is printed otherwise than its program does is better than nothing.
        eprintln!("a changed document can't be opened, so it is read as it is");
        self.convert_as_read(asked, Reading::unchanged(&asked.source))
    }

    fn convert_as_read(&self, asked: &Document, reading: Reading) -> io::Result<Answer> {
        let cells = if asked.shows_cells { rewrite::printed_cells(&asked.source) } else { Vec::new() };
        let notes = Notes { losses: reading.losses, cells, word: reading.word, ..Notes::default() };
        let source = file_url(&reading.document)?;
        if let Some(reply) = self.convert_quickly(asked, &source, reading.unread, notes.clone())? {
            return Ok(reply);
        }
        let unable = if self.uno.is_some() { Answer::NotLoaded } else { Answer::Unable };
        if asked.import.is_some() {
            return Ok(unable);
        }
        let options = if asked.encrypted { ASKING } else { SILENTLY };
        let document = match self.kit.load(&source, options, asked.password.as_deref())? {
            Ok(document) => document,
            Err(NotLoaded::Damaged) => return Ok(Answer::NotLoaded),
            Err(NotLoaded::NeedsPassword) => return Ok(Answer::NeedsPassword),
            Err(NotLoaded::WrongPassword) => return Ok(Answer::WrongPassword),
        };
        // LibreOfficeKit chooses the filter by itself.
        let Settings::Data(settings) = &asked.export.settings else { return Ok(unable) };
        if asked.landscape.is_some() {
            return Ok(unable);
        }
        self.be_kit(false);
        let saved = document.save(&file_url(&asked.output)?, &asked.export.extension, settings)?;
        // No clean-up needed: the process is about to exit.
        std::mem::forget(document);
        Ok(if saved { Answer::Written(notes) } else { Answer::NotSaved })
    }

    /// LibreOfficeKit prints form controls without their text: see [`Hidden::store`].
    fn be_kit(&self, is_kit: bool) {
        if let Some(uno) = &self.uno {
            uno.be_kit(is_kit);
        }
    }

    /// `None` if this document can't be converted in this way.
    fn convert_quickly(
        &self,
        asked: &Document,
        source: &str,
        unread: Unread,
        notes: Notes,
    ) -> io::Result<Option<Answer>> {
        let Some(uno) = &self.uno else { return Ok(None) };
        let import = asked.import.as_ref().map(|(filter, options)| (filter.as_str(), options.as_str()));
        // Filters can't read encrypted files.
        let model = asked.model.as_ref().filter(|_| !asked.encrypted);
        let model = model.map(|(model, filter)| (*model, filter.as_str()));
        let rows = if asked.fits_rows { rewrite::rows_without_height(&asked.source) } else { Vec::new() };
        let must_change = asked.changes == Changes::Accepted || !rows.is_empty() || asked.table.is_some();
        let access = if must_change { Access::Change } else { Access::Read };
        let Some(document) = load(uno, source, import, model, asked.password.as_deref(), access)? else {
            return Ok(None);
        };
        if let Some(landscape) = asked.landscape {
            document.turn_pages(landscape)?;
        }
        if let Some(table) = &asked.table {
            document.fit_columns(table)?;
        }
        document.fit_rows(&rows)?;
        document.show_name_without_path()?;
        document.compress(unread.compression)?;
        if let Some(separator) = unread.separator {
            document.space_footnotes(separator)?;
        }
        let changes = document.has_changes()?;
        match asked.changes {
            Changes::Hidden if changes => document.hide_changes()?,
            Changes::Accepted if changes => document.accept_changes()?,
            Changes::Hidden | Changes::Accepted | Changes::Kept => {}
        }
        Ok(Some(match writing::write(&document, &asked.export, &asked.output)? {
            writing::End::Written(written) => Answer::Written(Notes { changes, written, ..notes }),
            writing::End::NotSaved => Answer::NotSaved,
            writing::End::NoSuchSheet(names) => Answer::NoSuchSheet(names),
        }))
    }
}

/// Loads a document without a window if possible, or else in a hidden one.
fn load<'a>(
    uno: &'a Uno,
    url: &str,
    import: Option<(&str, &str)>,
    model: Option<(Model, &str)>,
    password: Option<&str>,
    access: Access,
) -> io::Result<Option<Hidden<'a>>> {
    if let Some((model, filter)) = model {
        let url = named(("URL", Property::Text(url.to_owned())));
        let properties = quietly(import.or(Some((filter, ""))), access).into_iter().chain([url]).collect();
        if let Some(document) = uno.load_without_window(model.service(), &properties)? {
            return Ok(Some(document));
        }
    }
    let password = password.map(|password| named(("Password", Property::Text(password.to_owned()))));
    uno.load(url, &quietly(import, access).into_iter().chain(password).collect())
}

fn is_pdf(path: &Path) -> io::Result<bool> {
    Ok(std::fs::read(path)?.starts_with(b"%PDF-"))
}

/// Whether a document may be changed before it is written. Read-only documents only support few of LibreOffice's commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Change,
}

/// Load options of a document: hidden, without macros. `import`: name and options of its filter.
fn quietly(import: Option<(&str, &str)>, access: Access) -> Properties {
    /// `com.sun.star.document.MacroExecMode.NEVER_EXECUTE` and `UpdateDocMode.NO_UPDATE`.
    const NEVER: Property = Property::Short(0);
    let own = [("Hidden", Property::Boolean(true)), ("ReadOnly", Property::Boolean(access == Access::Read))];
    let rules = [("MacroExecutionMode", NEVER), ("UpdateDocMode", NEVER)];
    let filter = import.map(|(name, options)| {
        [("FilterName", Property::Text(name.to_owned())), ("FilterOptions", Property::Text(options.to_owned()))]
    });
    own.into_iter().chain(rules).chain(filter.into_iter().flatten()).map(named).collect()
}

fn named((name, value): (&str, Property)) -> (String, Property) {
    (name.to_owned(), value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_filter_is_named_with_its_options() {
        let properties = quietly(Some(("Text (encoded)", "UTF8,LF,,,")), Access::Read);
        assert!(properties.contains(&("FilterOptions".to_owned(), Property::Text("UTF8,LF,,,".to_owned()))));
        assert!(properties.contains(&("Hidden".to_owned(), Property::Boolean(true))));
        assert_eq!(quietly(None, Access::Read).len(), 4);
    }
}
