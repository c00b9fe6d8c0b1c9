//! The catalogue: all tools of this build.
//!
//! A tool is two files under `tools/`: `SLUG.json` has its description and sources, `SLUG.options.json` is the JSON Schema of its
//! options. The worker's recipes say which tools need others. A new tool needs no changes in endpoints.

use serde_json::{Value, json};

use crate::account::limits::Limits;
use crate::account::quota::RateLimit;
use crate::breach::Breach;
use crate::tool::Definition;
use crate::tool::schema::{OptionsSchema, Schema};
use crate::tool::slug::{FILES, Files, Slug};
use crate::tool::validation::Validator;

/// Every tool of this build.
#[derive(Debug)]
pub struct Catalogue {
    tools: Vec<Tool>,
}

/// Why the catalogue can't be loaded. A test loads it, so this only happens to tools that are added.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// It is no JSON, or not what a tool's file may have.
    #[error("a tool's file is not readable: {0}")]
    File(#[from] serde_json::Error),
}

impl Catalogue {
    /// The tools of this build. Their schemas are compiled when they are first needed.
    ///
    /// # Errors
    /// If a tool's file is not readable.
    pub fn load() -> Result<Self, CatalogueError> {
        let tools = FILES.iter().map(|(slug, files)| Tool::load(*slug, files)).collect::<Result<_, _>>()?;
        Ok(Self { tools })
    }

    /// Adds a tool from its two files.
    ///
    /// # Errors
    /// If the tool's file is not readable.
    pub fn with(mut self, definition: &'static str, options: &'static str) -> Result<Self, CatalogueError> {
        let mut tool = Tool::load(Slug::added(""), &Files { definition, options })?;
        tool.slug = Slug::added(&tool.definition.slug);
        self.tools.push(tool);
        Ok(self)
    }

    /// In the order of the tools list.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// `None` unless a tool has this slug.
    pub fn find(&self, slug: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.definition.slug == slug)
    }
}

/// A tool, and the validators for its published schemas.
#[derive(Debug)]
pub struct Tool {
    /// Its name in paths and requests.
    pub slug: Slug,
    /// What its file says.
    pub definition: Definition,
    body: Validator,
    options: Validator,
}

/// What a published schema depends on besides the tool: its caller.
#[derive(Clone, Copy, Debug)]
pub struct Published<'a> {
    /// Those of the caller's jobs.
    pub limits: &'a Limits,
    /// How fast the caller may create jobs.
    pub create: RateLimit,
    /// How fast the caller may send other requests.
    pub read: RateLimit,
    /// How long results are kept unless a request says otherwise.
    pub output_retention_hours: u64,
}

impl Tool {
    fn load(name: Slug, files: &Files) -> Result<Self, CatalogueError> {
        let mut definition: Definition = serde_json::from_str(files.definition)?;
        definition.metadata.insert("sourceFormats".into(), json!(definition.sources.formats));
        definition.metadata.insert("mostSources".into(), json!(definition.sources.most_files()));
        let options = OptionsSchema::new(files.options);
        let Definition { slug, sources, flat_options, .. } = &definition;
        definition.parameters = Schema::of_body(slug, sources, flat_options, options);
        let body = Validator::new(definition.parameters.clone());
        Ok(Self { slug: name, body, options: Validator::new(Schema::of_options(options)), definition })
    }

    /// All errors in the body of a request for this tool, by its schema.
    pub fn breaches(&self, body: &Value) -> Vec<Breach> {
        self.body.breaches(body)
    }

    /// All errors in the options of a further step with this tool.
    pub fn breaches_of_options(&self, options: &Value) -> Vec<Breach> {
        self.options.breaches(options)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use docmill_formats::{Format, Group};

    use super::*;
    use crate::tool::Secrets;
    use crate::tool::intake::Section;

    #[test]
    fn every_tool_file_loads_and_every_name_it_mentions_is_in_its_schema() {
        let catalogue = Catalogue::load().unwrap();
        assert_eq!(catalogue.tools().len(), FILES.len());
        for tool in catalogue.tools() {
            let definition = &tool.definition;
            assert_eq!(definition.slug, tool.slug.as_str());
            let properties = &definition.parameters["properties"];
            for (name, section) in definition.flat_names() {
                assert!(properties[name].is_object(), "{name} at the top level");
                assert!(properties[section.as_str()]["properties"][name].is_object(), "{name} in {section:?}");
            }
            let options = &properties[Section::Options.as_str()]["properties"];
            let Secrets { values, .. } = &definition.secrets;
            let chosen = definition.output_choices.iter().map(|choice| &choice.option);
            for name in values.iter().chain(chosen).chain(&definition.flat_options) {
                assert!(options[name].is_object(), "{name} is not an option of {}", definition.slug);
            }
            for (name, option) in options.as_object().unwrap() {
                assert!(option["description"].is_string(), "{name} of {} has no description", definition.slug);
            }
        }
    }

    #[test]
    fn the_published_schema_offers_the_formats_that_are_made() {
        let catalogue = Catalogue::load().unwrap();
        for tool in catalogue.tools() {
            let definition = &tool.definition;
            let options = &definition.parameters["properties"]["options"]["properties"];
            for choice in &definition.output_choices {
                let offered = &options[&choice.option];
                let offered: Vec<_> = match offered["enum"].as_array() {
                    Some(values) => values.iter().map(|value| value.as_str().unwrap().to_owned()).collect(),
                    None => vec!["false".to_owned(), "true".to_owned()],
                };
                let unknown = choice.formats.keys().find(|value| !offered.contains(*value));
                assert_eq!(unknown, None, "{} of {}", choice.option, definition.slug);
                // Every value of `format` is a format.
                let missing = offered.iter().find(|value| !choice.formats.contains_key(*value));
                assert!(choice.option != "format" || missing.is_none(), "{missing:?} of {}", definition.slug);
            }
        }
    }

    #[test]
    fn office_documents_are_converted_to_the_formats_of_their_families() {
        let catalogue = Catalogue::load().unwrap();
        let definition = &catalogue.find("convert-office").unwrap().definition;
        let sources = definition.sources.formats.iter();
        let made: BTreeSet<Format> = sources.flat_map(|format| format.family().conversions()).copied().collect();
        assert_eq!(definition.all_outputs().collect::<BTreeSet<_>>(), made);
        assert_eq!(definition.sources.formats, Group::Office.formats());
    }
}
