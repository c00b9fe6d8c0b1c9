//! Writes a module for each `functions/*/src/main.rs`, the list of them, and the list of their libraries.

use std::io;
use std::path::{Path, PathBuf};

/// Has children and engines, and is a program of its own also here.
const WORKER: &str = "worker";

fn main() -> io::Result<()> {
    // Relative to this crate, since clones share what is compiled.
    let functions = "../../functions";
    println!("cargo::rerun-if-changed={functions}");
    let folder = Path::new(functions).canonicalize()?;
    let (mut modules, mut arms, mut libraries) = (String::new(), String::new(), String::new());
    for name in names(&folder)? {
        let (module, main) = (name.replace('-', "_"), folder.join(&name).join("src/main.rs"));
        modules +=
            &format!("mod {module} {{ include!({main:?}); pub(crate) fn run() -> crate::Ended {{ main() }} }}\n");
        arms += &format!("        {name:?} => Some({module}::run),\n");
        libraries += &format!("pub use {module};\n");
    }
    let list = format!(
        "pub(crate) fn function(name: &str) -> Option<fn() -> crate::Ended> {{\n    match name {{\n{arms}        _ => None,\n    }}\n}}\n"
    );
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    std::fs::write(out.join("libraries.rs"), libraries)?;
    std::fs::write(out.join("functions.rs"), modules + &list)
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in folder.read_dir()? {
        let entry = entry?;
        if let Ok(name) = entry.file_name().into_string()
            && name != WORKER
            && entry.path().join("src/main.rs").is_file()
        {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
