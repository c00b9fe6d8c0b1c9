//! Packs the rule files: what is published as half a megabyte of text is a tenth of that in the binary.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Rules of Peppol, which state no licence.
const OPTIONAL: [&str; 2] = ["peppol-ubl", "peppol-cii"];

/// What the head of a file of Peppol says: `Last update: 2025 May release 3.0.19.`
fn release(source: &str) -> Option<&str> {
    let (_, rest) = source.split_once("release ")?;
    rest.split_whitespace().next().map(|release| release.trim_end_matches('.'))
}

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=rules");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo gives no OUT_DIR"))?;
    let mut peppol = "";
    // Those that an operator may add, and are not here.
    for name in OPTIONAL {
        let source = fs::read_to_string(Path::new("rules").join(name).with_extension("sch")).unwrap_or_default();
        if source.is_empty() {
            File::create(Path::new(&out).join(name).with_extension("deflate"))?;
        } else {
            peppol = "as built";
            println!("cargo:rustc-env=PEPPOL_RELEASE={}", release(&source).unwrap_or(peppol));
        }
    }
    if peppol.is_empty() {
        println!("cargo:rustc-env=PEPPOL_RELEASE=");
    }
    for entry in fs::read_dir("rules")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "sch")
            && let Some(name) = path.file_stem()
        {
            let target = File::create(Path::new(&out).join(name).with_extension("deflate"))?;
            let mut encoder = DeflateEncoder::new(target, Compression::best());
            encoder.write_all(&fs::read(&path)?)?;
            encoder.finish()?;
        }
    }
    Ok(())
}
