//! Writes `openapi.json` from the parts in `description/` and the code. A test compares them.

use std::error::Error;
use std::fs;

use docmill::domain::catalogue::Catalogue;

fn main() -> Result<(), Box<dyn Error>> {
    let description = api_docs::description::openapi(&Catalogue::load()?)?;
    fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json"), format!("{description:#}\n"))?;
    Ok(())
}
