//! Prints the API's description, as `GET /openapi.json` serves it: for linters and client generators.

use std::io::Write;

use docmill::domain::tool::Catalogue;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let description = api_docs::description::openapi(&Catalogue::load()?)?;
    writeln!(std::io::stdout(), "{description:#}")?;
    Ok(())
}
