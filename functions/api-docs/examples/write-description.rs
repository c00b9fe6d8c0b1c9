//! Writes `openapi.json` and `openapi-3.0.json` from the parts in `description/` and the code, and before that `description/sent.json`
//! from the types of what is sent; and the schema of tools' files, for editors. Tests compare them.

use std::error::Error;
use std::fs;

use api_docs::description::{openapi_of, text};
use api_docs::openapi30::openapi30;
use docmill_domain::catalogue::Catalogue;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let catalogue = Catalogue::load()?;
    let sent = docmill_http::body::schemas();
    fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/description/sent.json"), format!("{:#}\n", json!(sent)))?;
    let tools = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/tools/tool.schema.json");
    fs::write(tools, format!("{:#}\n", docmill_domain::tool::file_schema()))?;
    let document = openapi_of(&catalogue, &sent)?;
    fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json"), text(&document)?)?;
    fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi-3.0.json"), text(&openapi30(document, &catalogue)?)?)?;
    Ok(())
}
