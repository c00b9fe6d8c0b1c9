//! LibreOffice as the helper has it: warm, and with a quick way and a thorough way to convert a document.
//!
//! The quick way, by UNO, makes no view of the document, and takes import filters. It says nothing of what it can't load:
//! LibreOfficeKit, which is asked then, tells a damaged document from a protected one.

use std::io;
use std::path::Path;

use serde::Deserialize;

use super::lok::{NotLoaded, Office};
use super::uno::{Properties, Property, Uno};
use super::zygote::{Document, Word, file_url};

/// Nobody is there to answer a dialog.
const LOAD_OPTIONS: &str = "Batch=true,Language=en-US";

/// Small documents of each family: what they take LibreOffice through is warm in every child.
const WARM_UP: [(&str, &[u8], &str); 3] = [
    ("warm.docx", include_bytes!("warm_up/warm.docx"), "writer_pdf_Export"),
    ("warm.xlsx", include_bytes!("warm_up/warm.xlsx"), "calc_pdf_Export"),
    ("warm.pptx", include_bytes!("warm_up/warm.pptx"), "impress_pdf_Export"),
];

#[derive(Debug)]
pub(super) struct WarmOffice<'a> {
    kit: &'a Office,
    uno: Option<Uno>,
}

impl<'a> WarmOffice<'a> {
    pub(super) fn warm_up(kit: &'a Office, home: &Path) -> io::Result<Self> {
        let mut office = Self { kit, uno: None };
        // LibreOfficeKit's first document sets the language; and one of its own is what it needs to be warm enough.
        office.repeat(home, 1)?;
        office.uno = Uno::start().inspect_err(|error| eprintln!("without UNO: {error}")).ok();
        if let Err(error) = office.repeat_warm_up(home) {
            // A LibreOffice whose UNO is not as it is known here.
            eprintln!("without UNO: {error}");
            office.uno = None;
            office.repeat_warm_up(home)?;
        }
        Ok(office)
    }

    /// Converts all documents of the warm-up.
    pub(super) fn repeat_warm_up(&self, home: &Path) -> io::Result<()> {
        self.repeat(home, WARM_UP.len())
    }

    fn repeat(&self, home: &Path, documents: usize) -> io::Result<()> {
        for (name, bytes, filter) in WARM_UP.iter().take(documents) {
            let (source, output) = (home.join("tmp").join(name), home.join("tmp/warm.pdf"));
            std::fs::write(&source, bytes)?;
            let (from, to) = (file_url(&source)?, file_url(&output)?);
            if !self.warm_up_document(&from, &to, filter)? || !is_pdf(&output)? {
                return Err(io::Error::other(format!("warming up: {}", self.kit.last_error())));
            }
            std::fs::remove_file(&source)?;
            std::fs::remove_file(&output)?;
        }
        Ok(())
    }

    fn warm_up_document(&self, from: &str, to: &str, filter: &str) -> io::Result<bool> {
        if let Some(uno) = &self.uno {
            let Some(document) = uno.load(from, &quietly(None))? else { return Ok(false) };
            let stored = document.store(to, &written(filter, Vec::new()))?;
            return document.close().map(|()| stored);
        }
        self.kit.load(from, LOAD_OPTIONS, None)?.map_or(Ok(false), |document| document.save(to, "pdf", "{}"))
    }

    pub(super) fn convert(&self, request: &Document) -> io::Result<Word> {
        // Passwords are LibreOfficeKit's matter: it tells whether one is missing or wrong.
        if request.password.is_none()
            && let Some(reply) = self.convert_quickly(request)?
        {
            return Ok(reply);
        }
        if request.import.is_some() {
            return Ok(if self.uno.is_some() { Word::NotLoaded } else { Word::Unable });
        }
        let document = match self.kit.load(&file_url(&request.source)?, LOAD_OPTIONS, request.password.as_deref())? {
            Ok(document) => document,
            Err(NotLoaded::Damaged) => return Ok(Word::NotLoaded),
            Err(NotLoaded::NeedsPassword) => return Ok(Word::NeedsPassword),
            Err(NotLoaded::WrongPassword) => return Ok(Word::WrongPassword),
        };
        let saved = document.save(&file_url(&request.output)?, &request.format, &request.filter_data)?;
        // Nobody needs an orderly end of what this process is about to leave.
        std::mem::forget(document);
        Ok(if saved { Word::Written } else { Word::NotSaved })
    }

    /// None if there is no quick way for this document.
    fn convert_quickly(&self, request: &Document) -> io::Result<Option<Word>> {
        let Some(uno) = &self.uno else { return Ok(None) };
        let source = file_url(&request.source)?;
        let Some(document) = uno.load(&source, &quietly(request.import.as_ref()))? else { return Ok(None) };
        let properties = written(&request.filter, filter_data(&request.filter_data)?);
        let stored = document.store(&file_url(&request.output)?, &properties)?;
        Ok(Some(if stored { Word::Written } else { Word::NotSaved }))
    }
}

fn is_pdf(path: &Path) -> io::Result<bool> {
    Ok(std::fs::read(path)?.starts_with(b"%PDF-"))
}

/// How a document is loaded: for nobody to see, change or run. `import`: name and options of its filter.
fn quietly(import: Option<&(String, String)>) -> Properties {
    /// `com.sun.star.document.MacroExecMode.NEVER_EXECUTE` and `UpdateDocMode.NO_UPDATE`.
    const NEVER: Property = Property::Short(0);
    let own = [("Hidden", Property::Boolean(true)), ("ReadOnly", Property::Boolean(true))];
    let rules = [("MacroExecutionMode", NEVER), ("UpdateDocMode", NEVER)];
    let filter = import.map(|(name, options)| {
        [("FilterName", Property::Text(name.clone())), ("FilterOptions", Property::Text(options.clone()))]
    });
    own.into_iter().chain(rules).chain(filter.into_iter().flatten()).map(named).collect()
}

fn written(filter: &str, data: Properties) -> Properties {
    let filter = [("FilterName", Property::Text(filter.to_owned())), ("Overwrite", Property::Boolean(true))];
    filter.into_iter().chain([("FilterData", Property::Several(data))]).map(named).collect()
}

fn named((name, value): (&str, Property)) -> (String, Property) {
    (name.to_owned(), value)
}

/// An entry of `FilterData`, as LibreOfficeKit and the command line take it.
#[derive(Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "lowercase")]
enum Entry {
    Boolean(String),
    Long(String),
    String(String),
}

/// The properties that a text of `FilterData` stands for; an empty one for none.
fn filter_data(json: &str) -> io::Result<Properties> {
    if json.is_empty() {
        return Ok(Properties::new());
    }
    let entries: std::collections::BTreeMap<String, Entry> = serde_json::from_str(json)?;
    entries.into_iter().map(|(name, entry)| Ok((name, entry.property()?))).collect()
}

impl Entry {
    fn property(self) -> io::Result<Property> {
        Ok(match self {
            Self::Boolean(text) => Property::Boolean(text.parse().map_err(io::Error::other)?),
            Self::Long(text) => Property::Long(text.parse().map_err(io::Error::other)?),
            Self::String(text) => Property::Text(text),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_data_keeps_its_types() {
        let json = r#"{"ExportNotes":{"type":"boolean","value":"false"},"PageRange":{"type":"string","value":"1-2"},
            "Quality":{"type":"long","value":"90"}}"#;
        let expected = [
            ("ExportNotes", Property::Boolean(false)),
            ("PageRange", Property::Text("1-2".to_owned())),
            ("Quality", Property::Long(90)),
        ];
        assert_eq!(filter_data(json).unwrap(), expected.map(named));
        assert_eq!(filter_data("").unwrap(), Properties::new());
        assert!(filter_data(r#"{"Quality":{"type":"long","value":"high"}}"#).is_err());
    }

    #[test]
    fn an_import_filter_is_named_with_its_options() {
        let filter = ("Text (encoded)".to_owned(), "UTF8,LF,,,".to_owned());
        let properties = quietly(Some(&filter));
        assert!(properties.contains(&("FilterOptions".to_owned(), Property::Text("UTF8,LF,,,".to_owned()))));
        assert!(properties.contains(&("Hidden".to_owned(), Property::Boolean(true))));
        assert_eq!(quietly(None).len(), 4);
    }
}
