//! The JSON Schema of a tool's file, for editors: `shared/tools/tool.schema.json`.

use docmill_formats::{Format, Group};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use super::Definition;

/// JSON Schema 2020-12 of `SLUG.json`.
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    generator.into_root_schema_for::<Definition>().to_value()
}

/// A format by its extension.
pub(super) fn format(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": extensions()})
}

pub(super) fn format_by_value(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "additionalProperties": format(generator)})
}

/// Formats and names of groups of them.
pub(super) fn groups(_: &mut SchemaGenerator) -> Schema {
    let names = Group::NAMES.iter().copied().chain(extensions());
    json_schema!({"type": "array", "items": {"enum": names.collect::<Vec<_>>()}})
}

fn extensions() -> Vec<&'static str> {
    Format::ALL.iter().map(|format| format.extension()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::slug::FILES;

    const PUBLISHED: &str = include_str!("../../../tools/tool.schema.json");

    #[test]
    fn every_tools_file_fits_the_schema_that_it_names_and_a_misspelled_name_does_not() {
        let published: Value = serde_json::from_str(PUBLISHED).unwrap();
        assert_eq!(published, schema(), "run `make description`");
        let validator = jsonschema::validator_for(&published).unwrap();
        for (slug, files) in FILES {
            let mut file: Value = serde_json::from_str(files.definition).unwrap();
            let breaches: Vec<_> = validator.iter_errors(&file).map(|error| error.to_string()).collect();
            assert!(breaches.is_empty(), "{slug}: {breaches:?}");
            assert_eq!(file["$schema"], "tool.schema.json", "{slug}");
            for (place, wrong) in [("/sources/formats/0", "dcox"), ("/queue", "fast"), ("/outputFormat", "pfd")] {
                let mut changed = file.clone();
                *changed.pointer_mut(place).unwrap() = wrong.into();
                assert!(!validator.is_valid(&changed), "{slug}: {place}");
            }
            file["secret"] = file["secrets"].take();
            assert!(!validator.is_valid(&file), "{slug}: a misspelled name");
        }
    }
}
