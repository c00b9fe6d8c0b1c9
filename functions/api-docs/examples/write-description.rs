//! Writes `openapi.json` anew, from the parts in `description/` and what the code knows. A test holds the file to them.

use std::error::Error;
use std::fs;

use docmill::domain::catalogue::Catalogue;

fn main() -> Result<(), Box<dyn Error>> {
    let description = api_docs::description::openapi(&Catalogue::load()?)?;
    fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json"), format!("{description:#}\n"))?;
    Ok(())
}
