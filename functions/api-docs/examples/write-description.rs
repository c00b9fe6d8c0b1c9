//! Writes `openapi.json` and `openapi-3.0.json` from the parts in `description/` and the code. A test compares them.

use std::error::Error;
use std::fs;

use api_docs::description::{openapi, text};
use api_docs::openapi30::openapi30;
use docmill_domain::catalogue::Catalogue;

fn main() -> Result<(), Box<dyn Error>> {
    let catalogue = Catalogue::load()?;
    fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json"), text(&openapi(&catalogue)?)?)?;
    fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi-3.0.json"), text(&openapi30(&catalogue)?)?)?;
    Ok(())
}
