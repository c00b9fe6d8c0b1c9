//! Where results go.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::inputs::{Input, STANDARD_INPUT};
use super::recipe::Recipe;
use crate::catalogue;
use crate::failure::{Failure, Outcome};

/// Where one job's result goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    File(PathBuf),
    /// All results of the job, by their own names.
    Folder(PathBuf),
    StandardOutput,
}

impl Target {
    /// For people and for the journal.
    pub fn text(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Folder(path) => format!("{}/", path.display().to_string().trim_end_matches('/')),
            Self::StandardOutput => STANDARD_INPUT.to_owned(),
        }
    }
}

/// The option `--output`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    BesideTheSource,
    File(PathBuf),
    Folder(PathBuf),
    StandardOutput,
}

impl Place {
    pub fn parse(given: Option<&str>) -> Outcome<Self> {
        Ok(match given {
            None => Self::BesideTheSource,
            Some("") => return Err(Failure::usage("--output is empty.")),
            Some("-") => Self::StandardOutput,
            Some(path) if path.ends_with(['/', std::path::MAIN_SEPARATOR]) || Path::new(path).is_dir() => {
                Self::Folder(path.into())
            }
            Some(path) => Self::File(path.into()),
        })
    }

    /// The format that a file's suffix stands for.
    pub fn format(&self) -> Option<String> {
        match self {
            Self::File(path) => catalogue::format_of_path(path),
            Self::BesideTheSource | Self::Folder(_) | Self::StandardOutput => None,
        }
    }

    /// The target of each job. No two are the same, and none is a source.
    pub fn targets(&self, jobs: &[(Vec<Input>, Rc<Recipe>)]) -> Outcome<Vec<Target>> {
        let targets: Vec<_> = match self {
            Self::File(_) | Self::StandardOutput if jobs.len() > 1 => {
                let hint = "Give a folder: -o out/. To make one PDF of all, use `docmill merge`.";
                return Err(Failure::usage(format!("{} files can't become one.", jobs.len())).with_hint(hint));
            }
            Self::StandardOutput => jobs.iter().map(|_| Target::StandardOutput).collect(),
            Self::File(path) => jobs.iter().map(|_| Target::File(path.clone())).collect(),
            Self::BesideTheSource | Self::Folder(_) => self.named(jobs),
        };
        for ((inputs, _), target) in jobs.iter().zip(&targets) {
            let Target::File(path) = target else { continue };
            if inputs.iter().any(|input| matches!(input, Input::File { path: source, .. } if is_same(source, path))) {
                return Err(Failure::usage(format!("{} would be overwritten.", path.display()))
                    .with_hint("Choose another name with --output."));
            }
        }
        Ok(targets)
    }

    fn named(&self, jobs: &[(Vec<Input>, Rc<Recipe>)]) -> Vec<Target> {
        let short = jobs.iter().map(|(inputs, recipe)| self.name(inputs, recipe, Naming::Stem)).collect();
        // `a.docx` and `a.xlsx` become `a.docx.pdf` and `a.xlsx.pdf`.
        let longer = self.told_apart(jobs, short, Naming::WithSuffix);
        // `x/a.docx` and `y/a.docx` become `x-a.docx.pdf` and `y-a.docx.pdf`.
        let longest = self.told_apart(jobs, longer, Naming::WithFolder);
        longest
            .into_iter()
            .scan(HashMap::new(), |seen: &mut HashMap<Target, usize>, target| {
                let count = seen.entry(target.clone()).or_default();
                *count += 1;
                Some(if *count > 1 { numbered(&target, *count) } else { target })
            })
            .collect()
    }

    /// The same targets, with longer names where two are the same.
    fn told_apart(&self, jobs: &[(Vec<Input>, Rc<Recipe>)], targets: Vec<Target>, naming: Naming) -> Vec<Target> {
        let mut uses: HashMap<Target, usize> = HashMap::new();
        for target in &targets {
            *uses.entry(target.clone()).or_default() += 1;
        }
        let is_taken = |target: &Target| uses.get(target).is_some_and(|count| *count > 1);
        let named =
            jobs.iter().zip(targets).map(
                |((inputs, recipe), target)| {
                    if is_taken(&target) { self.name(inputs, recipe, naming) } else { target }
                },
            );
        named.collect()
    }

    fn name(&self, inputs: &[Input], recipe: &Recipe, naming: Naming) -> Target {
        let Some(first) = inputs.first() else { return Target::StandardOutput };
        let (folder, is_beside) = match (self, first) {
            (Self::Folder(folder), Input::File { below: Some(below), .. }) => (folder.join(below), false),
            (Self::Folder(folder), _) => (folder.clone(), false),
            (_, Input::File { shown, .. }) if shown == STANDARD_INPUT => (PathBuf::new(), true),
            (_, Input::File { path, .. }) => (path.parent().map(Path::to_path_buf).unwrap_or_default(), true),
            (_, Input::Address(_) | Input::Template { .. }) => (PathBuf::new(), true),
        };
        let with_suffix = naming != Naming::Stem;
        let mut stem = if inputs.len() > 1 { name_of_all(recipe, first) } else { first.stem() };
        if naming == Naming::WithFolder
            && let Input::File { path, .. } = first
            && let Some(parent) = path.parent().and_then(Path::file_name)
        {
            stem = format!("{}-{stem}", parent.to_string_lossy());
        }
        if recipe.makes_several(inputs.len()) {
            // The results are named after the source: a folder of its own only where others lie.
            return Target::Folder(if is_beside || with_suffix { folder.join(stem) } else { folder });
        }
        if with_suffix && let Some(format) = first.format() {
            stem = format!("{stem}.{format}");
        }
        let extension = recipe.output(Some(first)).extension();
        let is_source = inputs.len() == 1 && first.format().as_deref() == Some(extension) && is_beside;
        if is_source {
            stem = format!("{stem}.{}", catalogue::verb(recipe.first.tool));
        }
        Target::File(folder.join(format!("{stem}.{extension}")))
    }
}

/// The same path with another name before its suffix.
pub fn with_stem(path: &Path, change: impl FnOnce(&str) -> String) -> PathBuf {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    let suffix = path.extension().map(|suffix| format!(".{}", suffix.to_string_lossy())).unwrap_or_default();
    path.with_file_name(change(&stem) + &suffix)
}

/// The name of a result with the format of its source: `a.pdf` becomes `a.docx.pdf`.
pub fn with_suffix(path: &Path, format: &str) -> PathBuf {
    with_stem(path, |stem| format!("{stem}.{format}"))
}

/// The opposite: `a.docx.pdf` becomes `a.pdf`.
pub fn without_suffix(path: &Path, format: &str) -> Option<PathBuf> {
    let stem = path.file_stem()?.to_str()?.strip_suffix(format)?.strip_suffix('.')?;
    Some(with_stem(path, |_| stem.to_owned()))
}

/// How much of its source a result's name has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    Stem,
    WithSuffix,
    WithFolder,
}

/// The name of one result of several sources. None of them is its name's owner.
fn name_of_all(recipe: &Recipe, first: &Input) -> String {
    match recipe.slug() {
        "merge-pdf" => "merged".to_owned(),
        "compare-documents" => "comparison".to_owned(),
        "images-to-pdf" => "images".to_owned(),
        _ => first.stem(),
    }
}

/// `a.pdf` → `a-2.pdf`, for sources of the same name in different folders.
fn numbered(target: &Target, number: usize) -> Target {
    let with_number = |path: &Path| with_stem(path, |stem| format!("{stem}-{number}"));
    match target {
        Target::File(path) => Target::File(with_number(path)),
        Target::Folder(path) => Target::Folder(with_number(path)),
        Target::StandardOutput => Target::StandardOutput,
    }
}

/// Whether both are the same file, which may not exist yet.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::JobArgs;
    use serde_json::Map;

    fn jobs(slug: &str, files: &[&str]) -> Vec<(Vec<Input>, Rc<Recipe>)> {
        let recipe = Rc::new(Recipe::new(catalogue::find(slug).unwrap(), Map::new(), &JobArgs::default()).unwrap());
        let input = |path: &str| Input::File { path: path.into(), below: None, shown: path.into() };
        files.iter().map(|path| (vec![input(path)], Rc::clone(&recipe))).collect()
    }

    fn named(output: Option<&str>, slug: &str, files: &[&str]) -> Vec<String> {
        let targets = Place::parse(output).unwrap().targets(&jobs(slug, files)).unwrap();
        targets.iter().map(Target::text).collect()
    }

    #[test]
    fn results_are_named_after_their_sources() {
        assert_eq!(named(None, "office-to-pdf", &["x/a.docx", "b.odt"]), ["x/a.pdf", "b.pdf"]);
        assert_eq!(named(Some("out/"), "office-to-pdf", &["x/a.docx"]), ["out/a.pdf"]);
        assert_eq!(named(Some("y.pdf"), "office-to-pdf", &["x/a.docx"]), ["y.pdf"]);
        assert_eq!(named(Some("-"), "office-to-pdf", &["x/a.docx"]), ["-"]);
        assert_eq!(named(None, "office-to-pdf", &["a.docx", "a.xlsx"]), ["a.docx.pdf", "a.xlsx.pdf"]);
        let twice = named(Some("out/"), "office-to-pdf", &["x/a.docx", "y/a.docx"]);
        assert_eq!(twice, ["out/x-a.docx.pdf", "out/y-a.docx.pdf"]);
        let input = |path: &str| Input::File { path: path.into(), below: None, shown: path.into() };
        let recipe = Rc::clone(&jobs("merge", &["x"])[0].1);
        let merged = [(vec![input("x/a.pdf"), input("b.pdf")], recipe)];
        assert_eq!(Place::BesideTheSource.targets(&merged).unwrap()[0].text(), "x/merged.pdf");
    }

    #[test]
    fn no_source_is_overwritten() {
        assert_eq!(named(None, "compress", &["a.pdf"]), ["a.compress.pdf"]);
        assert_eq!(named(Some("out/"), "compress", &["a.pdf"]), ["out/a.pdf"]);
        assert_eq!(named(None, "render-template", &["a.odt"]), ["a.render-template.odt"]);
        for output in ["a.pdf", "./"] {
            let refused = Place::parse(Some(output)).unwrap().targets(&jobs("compress", &["a.pdf"]));
            assert_eq!(refused.is_err(), output == "a.pdf", "{output}");
        }
    }

    #[test]
    fn several_results_get_a_folder() {
        assert_eq!(named(None, "split", &["x/a.pdf"]), ["x/a/"]);
        assert_eq!(named(None, "extract", &["x/a.pdf"]), ["x/a.json"], "only one");
        assert_eq!(named(Some("out/"), "pdf-to-images", &["x/a.pdf"]), ["out/"]);
        assert_eq!(named(Some("pages.zip"), "pdf-to-images", &["x/a.pdf"]), ["pages.zip"]);
        assert_eq!(named(Some("out/"), "pdf-to-images", &["a.pdf", "b.pdf"]), ["out/a/", "out/b/"]);
    }

    #[test]
    fn several_files_do_not_become_one() {
        let refused = Place::parse(Some("a.pdf")).unwrap().targets(&jobs("office-to-pdf", &["a.docx", "b.docx"]));
        assert!(refused.unwrap_err().to_string().contains("docmill merge"));
    }
}
