//! The JSON Schemas of results that are JSON, under `/docs/schemas`. Tools link to them in `metadata.resultSchemas`, by format.
//!
//! A test of the worker's tools holds them to the types that are written.

use docmill_domain::tool::Definition;

const PATH: &str = "/docs/schemas/";

macro_rules! schema {
    ($name:literal) => {
        ($name, include_str!(concat!("../schemas/", $name)))
    };
}

const SCHEMAS: [(&str, &str); 2] = [schema!("extract-document-1.json"), schema!("extract-document-chunk-1.json")];

/// The schema at this path, if there is one.
pub fn at(path: &str) -> Option<&'static str> {
    let name = path.strip_prefix(PATH)?;
    SCHEMAS.into_iter().find_map(|(known, schema)| (known == name).then_some(schema))
}

/// The formats of a tool that have a schema, with their paths.
pub fn of(definition: &Definition) -> Vec<(&str, &str)> {
    let schemas = definition.metadata.get("resultSchemas").and_then(serde_json::Value::as_object);
    schemas.into_iter().flatten().filter_map(|(format, path)| Some((format.as_str(), path.as_str()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::catalogue::Catalogue;
    use serde_json::Value;

    #[test]
    fn every_schema_is_linked_from_a_tool_and_knows_its_path() {
        let catalogue = Catalogue::load().unwrap();
        let linked: Vec<_> = catalogue.tools().iter().flat_map(|tool| of(&tool.definition)).collect();
        for (_, path) in &linked {
            let schema: Value = serde_json::from_str(at(path).unwrap()).unwrap();
            assert_eq!(schema["$id"], *path);
            assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        }
        assert_eq!(linked.iter().map(|(format, _)| *format).collect::<Vec<_>>(), ["json", "chunks"]);
        assert_eq!(linked.len(), SCHEMAS.len());
        assert_eq!(at("/docs/schemas/other.json"), None);
    }
}
