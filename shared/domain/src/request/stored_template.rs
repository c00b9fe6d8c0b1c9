//! The stored template of a request.

use serde_json::{Value, json};

use super::JobRequest;
use crate::job::source::SourceKind;
use crate::template::Version;

/// The option that says what begins and ends a tag.
const DELIMITERS: &str = "delimiters";

impl JobRequest {
    /// The same request, for this version of the stored template that it names. The template's own delimiters count unless the
    /// request has others.
    #[must_use]
    pub fn with_version(&self, template: &Version) -> Self {
        let mut request = self.clone();
        if let Some(Value::Object(named)) = request.input.get_mut(SourceKind::Template.as_str()) {
            named.insert("version".to_owned(), json!(template.version));
        }
        if let Some(delimiters) = &template.delimiters
            && !request.options.contains_key(DELIMITERS)
        {
            request.options.insert(DELIMITERS.to_owned(), json!(delimiters));
            request.options.sort_keys();
        }
        request
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Delimiters;
    use crate::time::Timestamp;
    use crate::tool::catalogue::Catalogue;

    fn parse(body: Value) -> Result<JobRequest, String> {
        let catalogue = Catalogue::load().unwrap();
        let tool = catalogue.find("render-template").unwrap();
        let parsed = JobRequest::parse(&catalogue, tool, body.as_object().unwrap());
        parsed.map(|(request, _)| request).map_err(|breaches| breaches[0].message.clone())
    }

    fn version(delimiters: Option<Delimiters>) -> Version {
        let (upload, file) = ("upl_1".to_owned(), "file".to_owned());
        Version {
            version: 3,
            format: docmill_formats::Format::Docx,
            bytes: 7,
            created_at: Timestamp(0),
            upload,
            file,
            delimiters,
        }
    }

    #[test]
    fn a_job_keeps_the_version_that_was_the_newest() {
        let request = parse(json!({"template": {"name": "invoice"}, "options": {"data": {}}})).unwrap();
        let fixed = request.with_version(&version(None));
        assert_eq!(fixed.input, *json!({"template": {"name": "invoice", "version": 3}}).as_object().unwrap());
        assert_eq!(fixed.options, request.options);
        assert_eq!(fixed.redacted_input(), json!({"template": {"name": "invoice", "version": 3}}));
    }

    #[test]
    fn the_delimiters_of_a_request_count_more_than_those_of_its_template() {
        let own = Delimiters { open: "[[".to_owned(), close: "]]".to_owned() };
        let delimiters = |options: Value| {
            let request = parse(json!({"input": {"template": {"name": "invoice"}}, "options": options})).unwrap();
            request.with_version(&version(Some(own.clone()))).options["delimiters"].clone()
        };
        assert_eq!(delimiters(json!({"data": {}})), json!({"open": "[[", "close": "]]"}));
        let given = json!({"open": "<<", "close": ">>"});
        assert_eq!(delimiters(json!({"data": {}, "delimiters": given})), given);
    }

    #[test]
    fn a_template_is_the_only_source() {
        let refusal = |body: Value| parse(body).map(|_| ()).unwrap_err();
        let both = json!({"template": {"name": "a"}, "html": "<p>", "options": {"data": {}}});
        assert!(refusal(both).starts_with("give exactly one of `sourceUrl`, `uploadId`, `jobId`, `template`"));
        for template in [
            json!("a"),
            json!({}),
            json!({"name": "a/b"}),
            json!({"name": "a", "version": 0}),
            json!({"name": "a", "x": 1}),
        ] {
            assert!(parse(json!({"template": template, "options": {"data": {}}})).is_err(), "{template}");
        }
    }
}
