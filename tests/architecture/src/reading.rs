//! Reads crates, their dependencies, and which of their modules use each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A crate of the workspace.
#[derive(Debug)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    manifest: String,
}

impl Crate {
    /// Whether it belongs to the service. Clients, tests and benchmarks do not.
    pub(crate) fn is_product(&self) -> bool {
        ["shared", "functions"].iter().any(|part| self.folder.starts_with(root().join(part)))
    }

    /// Whether it is a function of its own.
    pub(crate) fn is_function(&self) -> bool {
        self.folder.parent() == Some(&root().join("functions"))
    }

    /// The crates that it uses outside its tests.
    pub(crate) fn dependencies(&self) -> BTreeSet<String> {
        let mut section = "";
        let mut used = BTreeSet::new();
        for line in self.manifest.lines() {
            if line.starts_with('[') {
                section = line;
            }
            let name: String = line.chars().take_while(|next| next.is_alphanumeric() || "-_".contains(*next)).collect();
            if section == "[dependencies]" && !name.is_empty() {
                used.insert(name);
            }
        }
        used
    }

    /// Files with their text, without those in folders of tests.
    pub(crate) fn sources(&self) -> Vec<(PathBuf, String)> {
        let files = files_in(&self.folder.join("src")).into_iter();
        files.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All crates in the repository's folders of code.
pub(crate) fn crates() -> Vec<Crate> {
    let mut found = Vec::new();
    for part in ["shared", "functions", "infra", "clients", "tests"] {
        look_for_crates(&root().join(part), &mut found);
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

fn look_for_crates(folder: &Path, found: &mut Vec<Crate>) {
    if let Ok(manifest) = std::fs::read_to_string(folder.join("Cargo.toml"))
        && let Some(name) = manifest.lines().find_map(|line| line.strip_prefix("name = "))
    {
        found.push(Crate { name: name.trim_matches('"').to_owned(), folder: folder.to_owned(), manifest });
    }
    let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let skipped = ["src", "target", "node_modules", "snapshots", "fixtures", "seeds"];
    for next in folders.filter(|path| !skipped.iter().any(|name| path.ends_with(name)) && !is_hidden(path)) {
        look_for_crates(&next, found);
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn files_in(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| match path.is_dir() {
        true if path.ends_with("tests") => Vec::new(),
        true => files_in(&path),
        false => vec![path],
    });
    let is_source = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    files.filter(|path| is_source(path) && !path.ends_with("tests.rs")).collect()
}

/// A file's code without the tests at its end.
pub(crate) fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

/// The names after `crate::` in a file's code, without its tests.
fn named(text: &str) -> BTreeSet<String> {
    let lines = without_tests(text).lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let code = lines.collect::<Vec<_>>().join(" ");
    let names = code.split("crate::").skip(1).flat_map(|rest| match rest.strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap_or_default().split(',').map(str::trim).collect(),
        None => vec![rest],
    });
    let word = |text: &str| text.chars().take_while(|next| next.is_alphanumeric() || *next == '_').collect::<String>();
    names.map(word).filter(|name| !name.is_empty()).collect()
}

/// The first folder or file below `src` that contains a source.
fn module_of(root: &Path, path: &Path) -> String {
    let first = path.strip_prefix(root).unwrap().components().next().unwrap();
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// The names after `super::` in a file that lies directly below `src`, where they are other modules.
fn siblings(text: &str) -> BTreeSet<String> {
    named(&text.replace("super::", "crate::"))
}

/// Each module directly below a crate's root, and the others that it uses.
pub(crate) fn module_uses(of: &Crate) -> BTreeMap<String, BTreeSet<String>> {
    let source = of.folder.join("src");
    let files = of.sources();
    let modules: BTreeSet<_> = files.iter().map(|(path, _)| module_of(&source, path)).collect();
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in &files {
        let own = module_of(&source, path);
        if own == "lib" || own == "main" {
            continue;
        }
        let lies_below = path.parent() != Some(&source);
        let inner = path.ends_with("mod.rs") && path.parent().and_then(Path::parent) == Some(&source);
        let names = if !lies_below || inner { siblings(text) } else { named(text) };
        let used = names.into_iter().filter(|used| modules.contains(used) && *used != own);
        uses.entry(own.clone()).or_default().extend(used);
    }
    uses
}

/// The modules that use each other in circles, and those that depend on a circle.
pub(crate) fn circle(mut uses: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    while let Some(free) = uses.iter().find(|(_, used)| used.iter().all(|used| !uses.contains_key(used))) {
        let free = free.0.clone();
        uses.remove(&free);
    }
    uses
}
