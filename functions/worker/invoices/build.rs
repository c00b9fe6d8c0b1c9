//! Packs the rule files: what is published as half a megabyte of text is a tenth of that in the binary.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=rules");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo gives no OUT_DIR"))?;
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
