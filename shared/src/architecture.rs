//! Tests the direction of dependencies that ARCHITECTURE.md describes. That the domain depends on none of this crate is the
//! compiler's to say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each part may use. Everything else is forbidden.
const MAY_USE: [(&str, &[&str]); 14] = [
    ("clock", &["domain"]),
    ("config", &["domain"]),
    ("connection", &[]),
    ("aws", &["connection"]),
    ("store", &["domain", "config", "clock"]),
    ("files", &["domain", "aws"]),
    ("relay", &["domain", "clock", "files"]),
    ("queue", &["domain", "config", "telemetry", "relay"]),
    ("telemetry", &["domain", "store", "clock"]),
    ("context", &["domain", "config", "aws", "store", "queue", "files"]),
    ("lanes", &["domain", "store", "queue"]),
    ("notices", &["domain", "clock", "store", "queue", "files", "telemetry"]),
    ("webhook", &["domain"]),
    ("http", &["domain", "clock", "store", "queue", "files", "telemetry", "notices", "context", "webhook"]),
];

fn sources(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The names after `prefix` (`crate::`, `super::`) in a file's code, without its tests.
fn named(path: &Path, prefix: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let code = lines.collect::<Vec<_>>().join(" ");
    let names = code.split(prefix).skip(1).flat_map(|rest| match rest.strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap_or_default().split(',').map(str::trim).collect(),
        None => vec![rest],
    });
    let word = |text: &str| text.chars().take_while(|next| next.is_alphanumeric() || *next == '_').collect::<String>();
    names.map(word).filter(|name| !name.is_empty()).collect()
}

/// The first folder or file below `src` that contains a source.
fn part(root: &Path, path: &Path) -> String {
    let below =
        path.strip_prefix(root).unwrap().components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    below.trim_end_matches(".rs").to_owned()
}

#[test]
fn dependencies_point_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rules = BTreeMap::from(MAY_USE);
    for path in sources(&root) {
        let own = part(&root, &path);
        if own == "lib" || own == "architecture" {
            continue;
        }
        let allowed =
            rules.get(own.as_str()).unwrap_or_else(|| panic!("{own} is not part of the documented architecture"));
        for used in named(&path, "crate::").into_iter().filter(|used| *used != own) {
            assert!(allowed.contains(&used.as_str()), "{} uses {used}", path.display());
        }
    }
}

/// Files and folders that use each other in circles, and those that depend on a circle.
fn circles(root: &Path, prefix: &str) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeSet<String> = sources(root).iter().map(|path| part(root, path)).collect();
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in sources(root) {
        let own = part(root, &path);
        let used = named(&path, prefix).into_iter().filter(|used| modules.contains(used) && *used != own);
        uses.entry(own.clone()).or_default().extend(used);
    }
    while let Some(free) = uses.iter().find(|(_, used)| used.iter().all(|used| !uses.contains_key(used))) {
        let free = free.0.clone();
        uses.remove(&free);
    }
    uses
}

#[test]
fn files_have_no_circular_dependencies() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR"));
    let domain = circles(&shared.join("domain/src"), "crate::");
    assert!(domain.is_empty(), "{domain:?}");
    for function in ["api-docs", "dashboard"] {
        let found = circles(&shared.join("../functions").join(function).join("src"), "crate::");
        assert!(found.is_empty(), "{function}: {found:?}");
    }
}
