//! Writes `openapi.json` from the parts in `description/` and the code. A test compares them.

use std::error::Error;
use std::fs;

use api_docs::description::{openapi, text};
use docmill::domain::catalogue::Catalogue;

fn main() -> Result<(), Box<dyn Error>> {
    let description = openapi(&Catalogue::load()?)?;
    fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json"), text(&description)?)?;
    Ok(())
}
