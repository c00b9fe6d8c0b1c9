//! The further steps of a job. Each takes the whole result of the step before.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::breach::Breach;
use crate::tool::catalogue::{Catalogue, Tool};

/// A further step of a valid request.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// The tool's slug.
    #[serde(rename = "toolSlug")]
    pub tool: String,
    /// The tool's options.
    #[serde(default)]
    pub options: Map<String, Value>,
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Step").field("tool", &self.tool).finish_non_exhaustive()
    }
}

impl Step {
    /// The step as shown to the job's owner.
    pub fn redacted(&self, catalogue: &Catalogue) -> Value {
        let tool = catalogue.find(&self.tool);
        let options = tool.map_or(json!({}), |tool| tool.definition.redact_options(&self.options));
        json!({"toolSlug": self.tool, "options": options})
    }
}

/// Reads `then`, the steps after a `first` tool with these options. The body's schema has checked its form. Here, each step's
/// options are checked against that step's schema, and its tool against the result of the step before.
pub(super) fn read(
    catalogue: &Catalogue,
    first: &Tool,
    (sources, options): (usize, &Map<String, Value>),
    then: Option<&Value>,
) -> Result<Vec<Step>, Vec<Breach>> {
    let mut steps = Vec::new();
    let mut breaches = Vec::new();
    let mut before = (first, options.clone(), sources);
    for (index, step) in then.and_then(Value::as_array).into_iter().flatten().enumerate() {
        let path = format!("/then/{index}");
        let slug = step.get("toolSlug").and_then(Value::as_str).unwrap_or_default();
        let Some(tool) = catalogue.find(slug) else {
            breaches.push(Breach::new(format!("{path}/toolSlug"), "must be the slug of a tool: see GET /v1/tools"));
            break;
        };
        let options = step.get("options").and_then(Value::as_object).cloned().unwrap_or_default();
        let wrong = tool.breaches_of_options(&Value::Object(options.clone()));
        breaches.extend(wrong.into_iter().map(|breach| breach.below(&format!("{path}/options"))));
        if let Some(message) = mismatch(before.0, (before.2, &before.1), tool) {
            breaches.push(Breach::new(format!("{path}/toolSlug"), message));
        }
        let options = known_options(tool, options);
        steps.push(Step { tool: slug.to_owned(), options: options.clone() });
        before = (tool, options, 1);
    }
    if breaches.is_empty() { Ok(steps) } else { Err(breaches) }
}

/// Why a tool can't take the result of the step before; `None` if it can, or if that depends on the source's format.
///
/// `sources`: how many files the step before takes.
pub fn mismatch(before: &Tool, (sources, options): (usize, &Map<String, Value>), tool: &Tool) -> Option<String> {
    let made = before.definition.possible_outputs(options);
    let names = made.iter().map(|made| made.extension()).collect::<Vec<_>>().join(", ");
    let (first, next) = (&before.definition.slug, &tool.definition.slug);
    let takes = &tool.definition.sources;
    if !made.iter().any(|made| takes.accepts(*made)) {
        return Some(format!("{next} does not accept the {names} that {first} makes"));
    }
    if takes.least > 1 {
        return Some(format!("{next} needs {} files, so it cannot be a further step", takes.least));
    }
    if !made.iter().any(|made| takes.accepts(*made) && takes.takes_directly(*made)) {
        return Some(format!("{next} accepts {names} only as a source, not from {first}"));
    }
    let several = &before.definition.several_outputs;
    if several.with(options, sources) && !several.are_each_in_steps() && !tool.definition.sources.are_alike() {
        return Some(format!(
            "{next} accepts one file, but {first} can make several: create a job for each, with `jobId` and `output`"
        ));
    }
    None
}

fn known_options(tool: &Tool, options: Map<String, Value>) -> Map<String, Value> {
    let known = tool.definition.parameters.pointer("/properties/options/properties").and_then(Value::as_object);
    let mut options: Map<_, _> =
        options.into_iter().filter(|(name, _)| known.is_some_and(|known| known.contains_key(name))).collect();
    options.sort_keys();
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::JobRequest;

    fn parse(slug: &str, body: Value) -> Result<JobRequest, Vec<Breach>> {
        let catalogue = Catalogue::load().unwrap();
        let parsed = JobRequest::parse(&catalogue, catalogue.find(slug).unwrap(), body.as_object().unwrap());
        parsed.map(|(request, _)| request)
    }

    fn breaches(slug: &str, body: Value) -> Vec<Breach> {
        parse(slug, body).unwrap_err()
    }

    #[test]
    fn steps_of_convert_office_follow_its_format() {
        let with = |options: Value, next: &str| {
            let then = json!([{"toolSlug": next}]);
            json!({"sourceUrl": "https://a.example/x", "options": options, "then": then})
        };
        let refusal = |options, next| breaches("convert-office", with(options, next))[0].message.clone();
        assert!(parse("convert-office", with(json!({"format": "docx"}), "office-to-pdf")).is_ok());
        assert!(parse("convert-office", with(json!({"format": "csv"}), "office-to-pdf")).is_ok());
        assert_eq!(
            refusal(json!({"format": "csv", "sheet": "all"}), "office-to-pdf"),
            "office-to-pdf accepts one file, but convert-office can make several: create a job for each, with `jobId` and `output`"
        );
        assert_eq!(
            refusal(json!({"format": "docx"}), "compress-pdf"),
            "compress-pdf does not accept the docx that convert-office makes"
        );
        assert_eq!(
            refusal(json!({"format": "docx"}), "merge-pdf"),
            "merge-pdf accepts docx only as a source, not from convert-office"
        );
        let nothing = &breaches("convert-office", json!({"sourceUrl": "https://a.example/x"}))[0];
        assert!(nothing.message.contains("options"), "{}", nothing.message);
    }

    #[test]
    fn steps_run_for_each_file_of_a_mail_merge_or_follow_its_one_pdf() {
        let merged = |merge: &str, then: &[&str]| {
            let then: Vec<_> = then.iter().map(|slug| json!({"toolSlug": slug})).collect();
            let options = json!({"data": [{"a": 1}, {"a": 2}], "merge": merge, "filenamePattern": "{a}"});
            let body = json!({"sourceUrl": "https://a.example/x", "options": options, "then": then});
            parse("render-template", body).map_err(|breaches| breaches[0].message.clone())
        };
        assert!(merged("files", &["office-to-pdf", "compress-pdf"]).is_ok());
        assert!(merged("files", &["html-to-pdf", "merge-pdf", "compress-pdf"]).is_ok());
        assert!(merged("one", &["compress-pdf"]).is_ok());
        assert_eq!(
            merged("one", &["office-to-pdf"]).unwrap_err(),
            "office-to-pdf does not accept the pdf that render-template makes"
        );
        // What one step divides is not followed by a tool that takes one file.
        assert!(merged("files", &["office-to-pdf", "split-pdf", "compress-pdf"]).is_err());
    }

    #[test]
    fn data_of_several_documents_is_a_list_with_a_wish_for_what_they_become() {
        let refusal = |options: Value| {
            let breaches =
                parse("render-template", json!({"sourceUrl": "https://a.example/x", "options": options})).err();
            breaches.map(|breaches| breaches.into_iter().map(|breach| breach.message).collect::<String>())
        };
        let rows = |count: usize| vec![json!({"a": 1}); count];
        assert_eq!(refusal(json!({"data": rows(1000), "merge": "files"})), None);
        assert_eq!(refusal(json!({"data": {"a": 1}, "merge": "one"})), None);
        for (options, told) in [
            (json!({"data": rows(1001), "merge": "files"}), ""),
            (json!({"data": [], "merge": "files"}), ""),
            (json!({"data": [1], "merge": "files"}), ""),
            (json!({"data": rows(2)}), "a list in `data` needs `merge`"),
            (json!({"data": {"a": 1}, "filenamePattern": "{a}"}), "`filenamePattern` needs `merge`"),
        ] {
            let message = refusal(options.clone()).unwrap_or_else(|| panic!("{options}"));
            assert!(message.contains(told), "{message}");
        }
    }

    #[test]
    fn steps_of_a_template_depend_on_its_format() {
        let then = |options: Value, next: &str| {
            let body = json!({"sourceUrl": "https://a.example/x", "options": options, "then": [{"toolSlug": next}]});
            parse("render-template", body).err().map(|breaches| breaches[0].message.clone())
        };
        for next in ["office-to-pdf", "html-to-pdf", "markdown-to-pdf", "convert-office", "render-template"] {
            let refusal = then(json!({"data": {}}), next);
            assert!(
                refusal.is_none_or(|message| message.contains("needs the property") || message.starts_with("give"))
            );
        }
        assert_eq!(
            then(json!({"data": {}}), "split-pdf").unwrap(),
            "split-pdf does not accept the docx, html, md, odt, pptx, xlsx that render-template makes"
        );
        assert_eq!(
            then(json!({"validateOnly": true}), "office-to-pdf").unwrap(),
            "office-to-pdf does not accept the json that render-template makes"
        );
        let after = |format: &str| {
            let then = json!([{"toolSlug": "render-template", "options": {"data": {}}}]);
            parse(
                "convert-office",
                json!({"sourceUrl": "https://a.example/x", "options": {"format": format}, "then": then}),
            )
        };
        assert!(after("docx").is_ok() && after("csv").is_err());
    }
}
