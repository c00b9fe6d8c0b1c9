//! Names in a request that no schema defines. They have no effect.

use serde_json::{Map, Value};

use super::JobRequest;
use crate::breach::Breach;
use crate::job::Warning;
use crate::nearest::nearest;
use crate::tool::Definition;
use crate::tool::catalogue::{Catalogue, Tool};

/// Most unknown names that are reported individually.
const MOST: usize = 20;

/// What becomes of names that no schema defines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownNames {
    /// They are warnings, but errors where a tool is strict.
    #[default]
    ByTool,
    /// They are errors.
    Refused,
    /// They are warnings.
    Ignored,
}

/// A name that no schema defines.
#[derive(Debug)]
struct Unknown {
    path: String,
    /// Whether its tool is strict.
    is_strict: bool,
    /// The known name that is nearest.
    meant: Option<String>,
}

impl Unknown {
    /// A name beside `options` that belongs into it.
    fn look_among_options(&mut self, definition: &Definition) {
        let options = definition.parameters.pointer("/properties/options/properties").and_then(Value::as_object);
        let known = options.into_iter().flat_map(Map::keys).map(String::as_str);
        let name = self.path.trim_start_matches('/');
        let is_option = options.is_some_and(|options| options.contains_key(name));
        if let Some(option) = nearest(name, known).filter(|_| is_option || self.meant.is_none()) {
            self.meant = Some(format!("options.{option}"));
        }
    }

    fn warning(self) -> Warning {
        let message = format!("The tool does not know this property, so it had no effect.{}", self.hint());
        Warning::new("unknown_option", message).with_detail(self.path)
    }

    fn breach(self) -> Breach {
        let message = format!("is not a known property.{}", self.hint());
        Breach::new(self.path, message)
    }

    fn hint(&self) -> String {
        self.meant.as_ref().map_or_else(String::new, |meant| format!(" Did you mean `{meant}`?"))
    }
}

impl JobRequest {
    /// [`parse`](Self::parse), where unknown names are errors if the client or the tool is strict.
    ///
    /// # Errors
    /// All breaches of the tool's schema, or the unknown names if these are refused.
    pub fn parse_for(
        catalogue: &Catalogue,
        tool: &Tool,
        body: &Map<String, Value>,
        unknown_names: UnknownNames,
    ) -> Result<(Self, Vec<Warning>), Vec<Breach>> {
        let request = Self::read(catalogue, tool, body)?;
        let is_refused = |unknown: &Unknown| match unknown_names {
            UnknownNames::ByTool => unknown.is_strict,
            UnknownNames::Refused => true,
            UnknownNames::Ignored => false,
        };
        let (refused, ignored): (Vec<_>, Vec<_>) =
            names(catalogue, &tool.definition, body).into_iter().partition(is_refused);
        if !refused.is_empty() {
            return Err(refused.into_iter().map(Unknown::breach).collect());
        }
        Ok((request, ignored.into_iter().map(Unknown::warning).collect()))
    }
}

/// Unknown names of a valid body, those of its further steps' options included.
fn names(catalogue: &Catalogue, definition: &Definition, body: &Map<String, Value>) -> Vec<Unknown> {
    let mut unknown = Vec::new();
    of_object("", body, &definition.parameters, &mut unknown);
    unknown.iter_mut().for_each(|unknown| unknown.is_strict = definition.strict_names);
    for misplaced in unknown.iter_mut().filter(|unknown| unknown.path.matches('/').count() == 1) {
        misplaced.look_among_options(definition);
    }
    let steps = body.get("then").and_then(Value::as_array).into_iter().flatten().enumerate();
    for (index, step) in steps {
        let tool = step.get("toolSlug").and_then(Value::as_str).and_then(|slug| catalogue.find(slug));
        let Some(step_tool) = tool.map(|tool| &tool.definition) else { continue };
        let place = format!("/then/{index}");
        let first = unknown.len();
        if let (Some(schema), Some(options)) =
            (step_tool.parameters.pointer("/properties/options"), step.get("options"))
        {
            look(&format!("{place}/options"), options, schema, &mut unknown);
        }
        let beside = unknown.iter_mut().take(first).filter(|unknown| unknown.path.starts_with(&format!("{place}/")));
        beside.for_each(|unknown| unknown.is_strict = step_tool.strict_names);
        unknown.iter_mut().skip(first).for_each(|unknown| unknown.is_strict = step_tool.strict_names);
    }
    unknown.truncate(MOST);
    unknown
}

/// The unknown names of a refused body that are probably known ones misspelled, or errors in any case: often the cause of the others.
pub(super) fn meant(catalogue: &Catalogue, definition: &Definition, body: &Map<String, Value>) -> Vec<Breach> {
    let misspelled =
        names(catalogue, definition, body).into_iter().filter(|unknown| unknown.meant.is_some() || unknown.is_strict);
    misspelled.map(Unknown::breach).collect()
}

fn look(path: &str, value: &Value, schema: &Value, unknown: &mut Vec<Unknown>) {
    if let Some(object) = value.as_object() {
        of_object(path, object, schema, unknown);
    } else if let (Some(entries), Some(schema)) = (value.as_array(), schema.get("items")) {
        for (index, entry) in entries.iter().enumerate() {
            look(&format!("{path}/{index}"), entry, schema, unknown);
        }
    }
}

fn of_object(path: &str, object: &Map<String, Value>, schema: &Value, unknown: &mut Vec<Unknown>) {
    // Objects without a list of names, such as `metadata`, have names of the client's own.
    let Some(known) = schema.get("properties").and_then(Value::as_object) else { return };
    for name in object.keys().filter(|name| !known.contains_key(*name)) {
        unknown.push(Unknown {
            path: format!("{path}/{name}").chars().take(100).collect(),
            is_strict: false,
            meant: nearest(name, known.keys().map(String::as_str)).map(str::to_owned),
        });
    }
    for (name, value) in object {
        if let Some(schema) = known.get(name) {
            look(&format!("{path}/{name}"), value, schema, unknown);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(slug: &str, body: &Value) -> Vec<(String, String)> {
        let catalogue = Catalogue::load().unwrap();
        let unknown =
            names(&catalogue, &catalogue.find(slug).unwrap().definition, body.as_object().unwrap()).into_iter();
        unknown.map(Unknown::warning).map(|warning| (warning.detail.unwrap(), warning.message)).collect()
    }

    #[test]
    fn an_unknown_option_of_a_step_is_reported_with_the_nearest_name() {
        let steps = json!([
            {"toolSlug": "compress-pdf", "options": {"linearize": true, "presett": "small"}},
            {"toolSlug": "protect-pdf", "options": {"userPassword": "x", "glitter": 1}, "option": {}},
        ]);
        let told = told("office-to-pdf", &json!({"sourceUrl": "https://a.example/x.docx", "then": steps}));
        let details: Vec<_> = told.iter().map(|(detail, _)| detail.as_str()).collect();
        assert_eq!(details, ["/then/1/option", "/then/0/options/presett", "/then/1/options/glitter"]);
        assert!(told[0].1.ends_with("Did you mean `options`?"), "{}", told[0].1);
        assert!(told[1].1.ends_with("Did you mean `preset`?"), "{}", told[1].1);
        assert!(told[2].1.ends_with("no effect."), "{}", told[2].1);
    }

    #[test]
    fn a_refused_body_of_a_strict_tool_names_what_it_does_not_know() {
        let catalogue = Catalogue::load().unwrap();
        let options = json!({"glitter": ["Jane"], "preset": "none"});
        let body = json!({"sourceUrl": "https://a.example/x.pdf", "options": options});
        let refused = |slug: &str| {
            let parsed = JobRequest::parse(&catalogue, catalogue.find(slug).unwrap(), body.as_object().unwrap());
            parsed
                .unwrap_err()
                .into_iter()
                .map(|breach| format!("{} {}", breach.path, breach.message))
                .collect::<Vec<_>>()
        };
        let redact = refused("redact-pdf");
        assert!(redact.contains(&"/options/glitter is not a known property.".to_owned()), "{redact:?}");
        assert!(redact.iter().any(|told| told.contains("give `regions`, `text` or both")), "{redact:?}");
        assert!(refused("compress-pdf").iter().all(|told| !told.contains("glitter")));
    }

    #[test]
    fn an_option_beside_options_is_told_where_it_belongs() {
        let body = json!({"html": "x", "pageSize": "A5", "margintop": 1, "optons": {}, "qqqq": 1});
        let told: std::collections::BTreeMap<_, _> = told("html-to-pdf", &body).into_iter().collect();
        for (path, expected) in [
            ("/pageSize", "Did you mean `options.pageSize`?"),
            ("/margintop", "Did you mean `options.marginTop`?"),
            ("/optons", "Did you mean `options`?"),
            ("/qqqq", "so it had no effect."),
        ] {
            assert!(told[path].ends_with(expected), "{path}: {}", told[path]);
        }
    }

    #[test]
    fn unknown_names_of_sources_and_of_the_output_are_reported() {
        let source = json!({"sourceUrl": "https://a.example/x.pdf", "pagerange": "1"});
        let body = json!({"input": {"sources": [source]}, "output": {"fileName": "x"}, "metadata": {"mine": "1"}});
        let told = told("merge-pdf", &body);
        let details: Vec<_> = told.iter().map(|(detail, _)| detail.as_str()).collect();
        assert_eq!(details, ["/input/sources/0/pagerange", "/output/fileName"]);
        assert!(told[0].1.ends_with("Did you mean `pageRange`?") && told[1].1.ends_with("Did you mean `filename`?"));
    }

    #[test]
    fn a_strict_client_gets_errors_at_the_same_places() {
        let body = json!({"html": "<p>", "options": {"pagesize": "A5", "glitter": 1}});
        let catalogue = Catalogue::load().unwrap();
        let tool = catalogue.find("html-to-pdf").unwrap();
        let breaches =
            JobRequest::parse_for(&catalogue, tool, body.as_object().unwrap(), UnknownNames::Refused).unwrap_err();
        let expected = [
            Breach::new("/options/pagesize", "is not a known property. Did you mean `pageSize`?"),
            Breach::new("/options/glitter", "is not a known property."),
        ];
        assert_eq!(breaches, expected);
    }

    #[test]
    fn tools_that_protect_documents_refuse_misspelled_names_unless_the_client_allows_them() {
        let catalogue = Catalogue::load().unwrap();
        let places = |slug: &str, body: &Value, names| {
            let parsed =
                JobRequest::parse_for(&catalogue, catalogue.find(slug).unwrap(), body.as_object().unwrap(), names);
            parsed.err().into_iter().flatten().map(|breach| breach.path).collect::<Vec<_>>()
        };
        let source = "https://a.example/x.pdf";
        let redact = json!({"sourceUrl": source, "glitter": 1,
            "options": {"text": ["word"], "casesensitive": true}, "then": [{"toolSlug": "compress-pdf", "options": {"presett": "small"}}]});
        assert_eq!(places("redact-pdf", &redact, UnknownNames::ByTool), ["/glitter", "/options/casesensitive"]);
        assert_eq!(places("redact-pdf", &redact, UnknownNames::Refused).len(), 3);
        assert!(places("redact-pdf", &redact, UnknownNames::Ignored).is_empty());
        let then =
            json!([{"toolSlug": "protect-pdf", "options": {"userPassword": "x", "permision": {}}, "option": {}}]);
        let compress = json!({"sourceUrl": source, "glitter": 1, "then": then});
        let expected = ["/then/0/option", "/then/0/options/permision"];
        assert_eq!(places("compress-pdf", &compress, UnknownNames::ByTool), expected);
    }

    #[test]
    fn a_body_of_many_unknown_names_gets_a_limited_number_of_warnings() {
        let options: Map<_, _> = (0..100).map(|n| (format!("x{n}"), json!(1))).collect();
        let then = json!([{"toolSlug": "compress-pdf", "options": options}]);
        assert_eq!(told("office-to-pdf", &json!({"sourceUrl": "https://a.example/x", "then": then})).len(), MOST);
    }
}
