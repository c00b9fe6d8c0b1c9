//! Writes the samples of all tools, and the programs of the guides, to be checked: `FOLDER/go/merge-pdf.go`.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use api_docs::program::PROGRAMS;
use docmill_domain::catalogue::Catalogue;
use docmill_look::example::{Example, Language};

const LANGUAGES: [(Language, &str, &str); 4] = [
    (Language::Python, "python", "py"),
    (Language::TypeScript, "typescript", "ts"),
    (Language::Go, "go", "go"),
    (Language::Rust, "rust", "rs"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder")?);
    let catalogue = Catalogue::load()?;
    for (language, name, suffix) in LANGUAGES {
        let place = folder.join(name);
        fs::create_dir_all(&place)?;
        for tool in catalogue.tools() {
            let code = Example::of(tool).code(language).ok_or("a tool has no sample")?;
            // Names of modules in Python have no hyphens.
            let module = tool.definition.slug.replace('-', "_");
            fs::write(place.join(format!("{module}.{suffix}")), code + "\n")?;
        }
        for program in PROGRAMS {
            fs::write(place.join(format!("{}.{suffix}", program.name)), program.code(language))?;
        }
    }
    Ok(())
}
