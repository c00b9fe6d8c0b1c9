//! Sources on the command line: files, patterns, folders, addresses, standard input.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use docmill_domain::template::TemplateName;
use url::Url;
use walkdir::{DirEntry, WalkDir};

use crate::catalogue;
use crate::failure::{Doing, Failure, Outcome};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    File {
        path: PathBuf,
        /// Its folder below the folder that the command line names.
        below: Option<PathBuf>,
        /// As the user knows it.
        shown: String,
    },
    Address(Url),
    /// A stored template of the account.
    Template {
        name: String,
        version: Option<u32>,
        format: Option<String>,
    },
}

/// What a command line names.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub inputs: Vec<Input>,
    pub passed_over: Vec<PassedOver>,
}

/// A file that is not converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    pub shown: String,
    pub why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A file of a folder with a format that the command does not take.
    Format,
    /// It is named twice.
    Twice,
}

impl Why {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Twice => "twice",
        }
    }
}

impl Found {
    /// The same without sources that are named twice: each is converted once.
    #[must_use]
    pub fn once(self) -> Self {
        let mut seen = HashSet::new();
        let mut passed_over = self.passed_over;
        let is_new = |input: &Input| {
            let is_new = seen.insert(input.origin());
            if !is_new {
                passed_over.push(PassedOver { shown: input.to_string(), why: Why::Twice });
            }
            is_new
        };
        let inputs = self.inputs.into_iter().filter(is_new).collect();
        Self { inputs, passed_over }
    }

    /// The same with the formats of stored templates, by name.
    #[must_use]
    pub fn with_formats(mut self, stored: &BTreeMap<String, String>) -> Self {
        for input in &mut self.inputs {
            if let Input::Template { name, format, .. } = input {
                *format = stored.get(name).cloned();
            }
        }
        self
    }
}

/// Begins the name of a stored template on the command line.
const TEMPLATE: &str = "template:";

/// A stored template, by `template:NAME` or `template:NAME@VERSION`; `None` if the text means something else.
pub fn stored_template(text: &str) -> Option<(TemplateName, Option<u32>)> {
    let name = text.strip_prefix(TEMPLATE)?;
    match name.split_once('@') {
        Some((name, version)) => Some((TemplateName::parse(name)?, Some(version.parse().ok()?))),
        None => Some((TemplateName::parse(name)?, None)),
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { shown, .. } => f.write_str(shown),
            // A query can be secret.
            Self::Address(url) => {
                let mut url = url.clone();
                url.set_query(None);
                url.set_fragment(None);
                write!(f, "{url}")
            }
            Self::Template { name, version: Some(version), .. } => write!(f, "{TEMPLATE}{name}@{version}"),
            Self::Template { name, .. } => write!(f, "{TEMPLATE}{name}"),
        }
    }
}

impl Input {
    pub fn format(&self) -> Option<String> {
        match self {
            Self::File { path, .. } => catalogue::format_of_path(path),
            Self::Address(url) => catalogue::format_of_path(url.path().as_ref()),
            Self::Template { format, .. } => format.clone(),
        }
    }

    /// Tells it from all others: a file by its real path.
    pub fn origin(&self) -> String {
        match self {
            Self::File { shown, .. } if shown == STANDARD_INPUT => STANDARD_INPUT.to_owned(),
            Self::File { path, .. } => path.canonicalize().unwrap_or_else(|_| path.clone()).display().to_string(),
            Self::Address(url) => url.to_string(),
            Self::Template { name, version, .. } => format!("{TEMPLATE}{name}@{version:?}"),
        }
    }

    /// The name of what is made of it, without a suffix.
    pub fn stem(&self) -> String {
        let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        match self {
            Self::File { shown, .. } if shown == STANDARD_INPUT => "stdin".to_owned(),
            Self::File { path, .. } => stem(path).unwrap_or_else(|| "document".to_owned()),
            Self::Address(url) => stem(url.path().as_ref())
                .or_else(|| url.host_str().map(str::to_owned))
                .unwrap_or_else(|| "page".to_owned()),
            Self::Template { name, .. } => name.clone(),
        }
    }
}

/// Shown for standard input.
pub const STANDARD_INPUT: &str = "-";

/// All sources that the command line names. Folders only count files that `accepts` takes.
pub fn expand(given: &[String], accepts: impl Fn(&str) -> bool) -> Outcome<Found> {
    expand_from(given, None, accepts)
}

/// The same, with the format of standard input.
pub fn expand_from(given: &[String], from: Option<&str>, accepts: impl Fn(&str) -> bool) -> Outcome<Found> {
    let (mut inputs, mut passed_over) = (Vec::new(), Vec::new());
    for text in given {
        let found = if text == STANDARD_INPUT {
            vec![standard_input(from)?]
        } else if text.starts_with("http://") || text.starts_with("https://") {
            vec![Input::Address(Url::parse(text).map_err(|error| Failure::usage(format!("{text}: {error}")))?)]
        } else if Path::new(text).is_dir() {
            let found = in_folder(Path::new(text), &accepts)?;
            passed_over.extend(found.passed_over);
            found.inputs
        } else if Path::new(text).exists() {
            vec![file(text.into())]
        } else if let Some((name, version)) = stored_template(text) {
            vec![Input::Template { name: name.as_str().to_owned(), version, format: None }]
        } else {
            matching(text)?
        };
        inputs.extend(found);
    }
    Ok(Found { inputs, passed_over })
}

fn file(path: PathBuf) -> Input {
    Input::File { shown: path.display().to_string(), path, below: None }
}

/// Keeps standard input in a file, because an upload announces its size. The file is deleted with the process.
fn standard_input(from: Option<&str>) -> Outcome<Input> {
    if std::io::stdin().is_terminal() {
        return Err(Failure::usage("Standard input is the terminal: redirect a file to it."));
    }
    let doing = "Reading standard input";
    // The suffix tells the service the format where the content does not.
    let suffix = from.map(|format| format!(".{}", catalogue::format_of(format))).unwrap_or_default();
    let mut kept = tempfile::Builder::new().prefix("stdin-").suffix(&suffix).tempfile().doing(doing)?;
    std::io::copy(&mut std::io::stdin().lock(), kept.as_file_mut()).doing(doing)?;
    let path = kept.into_temp_path();
    let input = Input::File { path: path.to_path_buf(), below: None, shown: STANDARD_INPUT.to_owned() };
    SPOOLED.with_borrow_mut(|spooled| spooled.push(path));
    Ok(input)
}

thread_local! {
    /// Deleted at the end.
    static SPOOLED: std::cell::RefCell<Vec<tempfile::TempPath>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Deletes what standard input was kept in.
pub fn forget_standard_input() {
    SPOOLED.with_borrow_mut(Vec::clear);
}

/// The files of a folder. Hidden ones are not looked at.
fn in_folder(folder: &Path, accepts: &impl Fn(&str) -> bool) -> Outcome<Found> {
    let is_hidden = |entry: &DirEntry| entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.');
    let (mut inputs, mut passed_over) = (Vec::new(), Vec::new());
    for entry in WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(|entry| !is_hidden(entry)) {
        let entry = entry.doing(format!("Reading {}", folder.display()))?;
        let is_accepted = catalogue::format_of_path(entry.path()).is_some_and(|format| accepts(&format));
        if !entry.file_type().is_file() {
            continue;
        }
        if is_accepted {
            let below = entry.path().strip_prefix(folder).ok().and_then(Path::parent).map(Path::to_path_buf);
            let path = entry.into_path();
            inputs.push(Input::File { shown: path.display().to_string(), path, below });
        } else {
            passed_over.push(PassedOver { shown: entry.path().display().to_string(), why: Why::Format });
        }
    }
    if inputs.is_empty() {
        return Err(Failure::usage(format!("No file in {} has a format that this tool takes.", folder.display())));
    }
    Ok(Found { inputs, passed_over })
}

/// Files that match a pattern, for shells that don't expand it.
fn matching(pattern: &str) -> Outcome<Vec<Input>> {
    let missing = || {
        let failure = Failure::usage(format!("There is no file {pattern}."));
        match TemplateName::parse(pattern).filter(|_| !pattern.contains('.')) {
            Some(_) => failure.with_hint(format!("If it is a stored template, write {TEMPLATE}{pattern}.")),
            None => failure,
        }
    };
    if !pattern.contains(['*', '?', '[']) {
        return Err(missing());
    }
    let paths = glob::glob(pattern).map_err(|error| Failure::usage(format!("{pattern}: {error}")))?;
    let found = paths.filter_map(|path| path.ok().filter(|path| path.is_file()).map(file)).collect::<Vec<_>>();
    if found.is_empty() { Err(missing()) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(inputs: &[Input], folder: &Path) -> Vec<String> {
        inputs.iter().map(|input| input.to_string().replace(&format!("{}/", folder.display()), "")).collect()
    }

    #[test]
    fn files_patterns_and_folders_are_found() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.docx", "a.docx", "c.txt", "sub/d.docx", ".hidden/e.docx", "sub/f.bin"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let at = |name: &str| folder.path().join(name).display().to_string();
        let found = |name: &str| {
            expand(&[at(name)], |format| format == "docx").map(|found| shown(&found.inputs, folder.path()))
        };
        assert_eq!(found("*.docx").unwrap(), ["a.docx", "b.docx"]);
        assert_eq!(found("c.txt").unwrap(), ["c.txt"], "a file can have any suffix");
        assert_eq!(found("").unwrap(), ["a.docx", "b.docx", "sub/d.docx"]);
        assert!(found("*.odt").is_err() && found("no.docx").is_err());
        let found = expand(&[at("")], |format| format == "docx").unwrap();
        let passed_over: Vec<_> = found.passed_over.iter().map(|file| file.shown.rsplit('/').next().unwrap()).collect();
        assert_eq!(passed_over, ["c.txt", "f.bin"], "they are not converted without a word");
        assert!(matches!(&found.inputs[2], Input::File { below: Some(below), .. } if below == Path::new("sub")));
    }

    #[test]
    fn addresses_are_shown_without_what_may_be_secret() {
        let found = expand(&["https://a.example/x/report.docx?token=canary#canary".to_owned()], |_| false).unwrap();
        let input = found.inputs;
        assert_eq!(input[0].to_string(), "https://a.example/x/report.docx");
        assert_eq!((input[0].stem(), input[0].format()), ("report".to_owned(), Some("docx".to_owned())));
    }

    #[test]
    fn a_source_that_is_named_twice_is_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.docx"), "x").unwrap();
        let named = [folder.path().join("a.docx"), folder.path().join("./a.docx"), folder.path().join("*.docx")];
        let found = expand(&named.map(|path| path.display().to_string()), |_| true).unwrap().once();
        assert_eq!((found.inputs.len(), found.passed_over.len()), (1, 2));
        assert!(found.passed_over.iter().all(|file| file.why == Why::Twice));
    }

    #[test]
    fn stored_templates_have_a_name_and_perhaps_a_version() {
        let found = expand(&["template:invoice@3".to_owned()], |_| true).unwrap();
        let formats = BTreeMap::from([("invoice".to_owned(), "docx".to_owned())]);
        let input = found.with_formats(&formats).inputs.remove(0);
        assert_eq!((input.to_string().as_str(), input.format().as_deref()), ("template:invoice@3", Some("docx")));
        assert!(expand(&["template:../x".to_owned()], |_| true).is_err());
        let said = expand(&["invoice".to_owned()], |_| true).unwrap_err().to_string();
        assert!(said.contains("write template:invoice"), "{said}");
    }
}
