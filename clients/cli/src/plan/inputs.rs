//! Sources on the command line: files, patterns, folders, addresses, standard input.

use std::fmt;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

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
        }
    }
}

impl Input {
    pub fn format(&self) -> Option<String> {
        match self {
            Self::File { path, .. } => catalogue::format_of_path(path),
            Self::Address(url) => catalogue::format_of_path(url.path().as_ref()),
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
        }
    }
}

/// Shown for standard input.
pub const STANDARD_INPUT: &str = "-";

/// All sources that the command line names. Folders only count files that `accepts` takes.
pub fn expand(given: &[String], accepts: impl Fn(&str) -> bool) -> Outcome<Vec<Input>> {
    expand_from(given, None, accepts)
}

/// The same, with the format of standard input.
pub fn expand_from(given: &[String], from: Option<&str>, accepts: impl Fn(&str) -> bool) -> Outcome<Vec<Input>> {
    let mut inputs = Vec::new();
    for text in given {
        let found = if text == STANDARD_INPUT {
            vec![standard_input(from)?]
        } else if text.starts_with("http://") || text.starts_with("https://") {
            vec![Input::Address(Url::parse(text).map_err(|error| Failure::usage(format!("{text}: {error}")))?)]
        } else if Path::new(text).is_dir() {
            in_folder(Path::new(text), &accepts)?
        } else if Path::new(text).exists() {
            vec![file(text.into())]
        } else {
            matching(text)?
        };
        inputs.extend(found);
    }
    Ok(inputs)
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

fn in_folder(folder: &Path, accepts: &impl Fn(&str) -> bool) -> Outcome<Vec<Input>> {
    let is_hidden = |entry: &DirEntry| entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.');
    let mut found = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(|entry| !is_hidden(entry)) {
        let entry = entry.doing(format!("Reading {}", folder.display()))?;
        let is_accepted = catalogue::format_of_path(entry.path()).is_some_and(|format| accepts(&format));
        if entry.file_type().is_file() && is_accepted {
            let below = entry.path().strip_prefix(folder).ok().and_then(Path::parent).map(Path::to_path_buf);
            let path = entry.into_path();
            found.push(Input::File { shown: path.display().to_string(), path, below });
        }
    }
    if found.is_empty() {
        return Err(Failure::usage(format!("No file in {} has a format that this tool takes.", folder.display())));
    }
    Ok(found)
}

/// Files that match a pattern, for shells that don't expand it.
fn matching(pattern: &str) -> Outcome<Vec<Input>> {
    let missing = || Failure::usage(format!("There is no file {pattern}."));
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
        let found =
            |name: &str| expand(&[at(name)], |format| format == "docx").map(|inputs| shown(&inputs, folder.path()));
        assert_eq!(found("*.docx").unwrap(), ["a.docx", "b.docx"]);
        assert_eq!(found("c.txt").unwrap(), ["c.txt"], "a file can have any suffix");
        assert_eq!(found("").unwrap(), ["a.docx", "b.docx", "sub/d.docx"]);
        assert!(found("*.odt").is_err() && found("no.docx").is_err());
        let inputs = expand(&[at("")], |format| format == "docx").unwrap();
        assert!(matches!(&inputs[2], Input::File { below: Some(below), .. } if below == Path::new("sub")));
    }

    #[test]
    fn addresses_are_shown_without_what_may_be_secret() {
        let input = expand(&["https://a.example/x/report.docx?token=canary#canary".to_owned()], |_| false).unwrap();
        assert_eq!(input[0].to_string(), "https://a.example/x/report.docx");
        assert_eq!((input[0].stem(), input[0].format()), ("report".to_owned(), Some("docx".to_owned())));
    }
}
