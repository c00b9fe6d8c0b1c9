//! Compresses what the function serves, so that it starts with everything made: composing and compressing at the start
//! took longer than all else that it does there.

use std::env;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

const TEXTS: [&str; 4] = ["openapi.json", "page/index.html", "page/page.css", "page/page.js"];

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var("OUT_DIR")?;
    println!("cargo::rerun-if-changed=build.rs");
    for text in TEXTS {
        println!("cargo::rerun-if-changed={text}");
        let packed = Path::new(&out).join(format!("{text}.gz"));
        fs::create_dir_all(packed.parent().ok_or("a file has a directory")?)?;
        let mut encoder = GzEncoder::new(fs::File::create(packed)?, Compression::best());
        encoder.write_all(&fs::read(text)?)?;
        encoder.finish()?;
    }
    Ok(())
}
