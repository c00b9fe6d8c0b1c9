//! What is done with sources: a tool, its options and further steps.

use docmill_domain::catalogue::Tool;
use docmill_domain::request::{JobRequest, UnknownNames};
use docmill_domain::source::{SourceKind, SourceProperty};
use docmill_formats::Format;
use serde_json::{Map, Value, json};

use super::inputs::Input;
use super::route;
use crate::args::tool::Properties;
use crate::args::{JobArgs, Password};
use crate::catalogue;
use crate::failure::{Failure, Outcome};
use crate::pointer;

/// A further tool.
#[derive(Clone, Debug)]
pub struct Step {
    pub tool: &'static Tool,
    pub options: Map<String, Value>,
}

#[derive(Clone, Debug)]
pub struct Recipe {
    pub first: Step,
    pub then: Vec<Step>,
    tags: Map<String, Value>,
    /// Whether documents fail rather than lose their signatures.
    pub keeps_signatures: bool,
    properties: Properties,
    /// Sources after the job's own: a stamp, or attachments.
    pub extra: Vec<Input>,
}

/// Stands for an upload when a request is checked.
const SOME_UPLOAD: &str = "upl_00000000000070008000000000000000";

impl Recipe {
    /// The command line's steps come last.
    pub fn new(tool: &'static Tool, options: Map<String, Value>, job: &JobArgs) -> Outcome<Self> {
        let (then, tags) = (super::steps(job)?, super::tags(job)?);
        let (properties, extra) = (Properties::default(), Vec::new());
        Ok(Self { first: Step { tool, options }, then, tags, keeps_signatures: job.keep_signatures, properties, extra })
    }

    #[must_use]
    pub fn with_sources(self, properties: Properties, extra: Vec<Input>) -> Self {
        Self { properties, extra, ..self }
    }

    /// The same with the password of its sources, if the tool opens protected ones.
    #[must_use]
    pub fn with_password(mut self, password: Option<&Password>) -> Self {
        let Some(password) = password else { return self };
        let Step { tool, options } = &mut self.first;
        let (property, value) = (SourceProperty::Password, password.to_value());
        if tool.definition.sources.properties.contains(&property) {
            self.properties = self.properties.with(property, value);
        } else if catalogue::option(tool, property.as_str()).is_some() {
            options.insert(property.as_str().to_owned(), value);
        }
        self
    }

    /// The same with these steps before the others.
    #[must_use]
    pub fn with_steps(mut self, steps: Vec<Step>) -> Self {
        self.then = steps.into_iter().chain(self.then).collect();
        self
    }

    /// The same with a step after all others.
    #[must_use]
    pub fn and_then(mut self, step: Step) -> Self {
        self.then.push(step);
        self
    }

    /// The last step.
    pub fn last(&self) -> &Step {
        self.then.last().unwrap_or(&self.first)
    }

    /// The same with an option that makes the last tool give this format; `None` if it has none, or if the format is chosen.
    pub fn with_format(&self, format: &str) -> Option<Self> {
        let chosen = route::format_option(self.last().tool, format)?;
        if chosen.keys().any(|name| self.last().options.contains_key(name)) {
            return None;
        }
        let mut recipe = self.clone();
        recipe.then.last_mut().unwrap_or(&mut recipe.first).options.extend(chosen);
        Some(recipe)
    }

    /// The result for this source, which may choose its format.
    pub fn output(&self, source: Option<&Input>) -> Format {
        let format = source.and_then(Input::format).and_then(|format| Format::from_extension(&format));
        let first = self.first.tool.definition.output_from(&self.first.options, format);
        self.then.iter().fold(first, |made, step| step.tool.definition.output_from(&step.options, Some(made)))
    }

    /// Whether a job of so many sources may have several results.
    pub fn makes_several(&self, sources: usize) -> bool {
        let first = self.first.tool.definition.several_outputs.with(&self.first.options, sources);
        self.then.iter().fold(first, |several, step| step.tool.definition.makes_several_of(&step.options, several))
    }

    pub fn slug(&self) -> &'static str {
        self.first.tool.definition.slug.as_str()
    }

    /// The slugs of all steps.
    pub fn slugs(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(&self.first).chain(&self.then).map(|step| step.tool.definition.slug.as_str())
    }

    /// `then` of the request.
    pub fn steps(&self) -> Value {
        self.then.iter().map(|step| json!({"toolSlug": step.tool.definition.slug, "options": step.options})).collect()
    }

    /// Properties that the command line gives a source.
    pub fn properties_of(&self, index: usize) -> impl Iterator<Item = (&'static str, &Value)> {
        self.properties.of(index)
    }

    /// The request for these sources, in their order.
    pub fn body(&self, sources: Vec<Map<String, Value>>) -> Value {
        let with_properties = sources.into_iter().enumerate().map(|(index, mut source)| {
            let accepted = &self.first.tool.definition.sources.properties;
            for (name, value) in self.properties.of(index) {
                source.insert(name.to_owned(), value.clone());
            }
            if !accepted.iter().any(|property| property.as_str() == "filename") {
                source.remove("filename");
            }
            source
        });
        let mut sources: Vec<_> = with_properties.collect();
        let input = match sources.pop() {
            Some(only) if sources.is_empty() && self.first.tool.definition.sources.may_be_one() => json!(only),
            last => json!({"sources": sources.into_iter().chain(last).collect::<Vec<_>>()}),
        };
        let mut body = json!({"input": input, "options": self.first.options});
        if !self.then.is_empty() {
            body["then"] = self.steps();
        }
        if !self.tags.is_empty() {
            body["metadata"] = json!(self.tags);
        }
        if self.keeps_signatures {
            body["output"] = json!({"keepSignatures": true});
        }
        body
    }

    /// Checks the request with the published schema, before anything is sent.
    pub fn check(&self, inputs: &[Input]) -> Outcome<()> {
        let tool = self.first.tool;
        let sources =
            inputs.iter().chain(&self.extra).map(|input| self.source_of(input, SOME_UPLOAD)).collect::<Outcome<_>>()?;
        let Value::Object(body) = self.body(sources) else { return Ok(()) };
        let catalogue = catalogue::catalogue().ok_or_else(|| Failure::machine("The catalogue of tools is damaged."))?;
        match JobRequest::parse_for(catalogue, tool, &body, UnknownNames::Refused) {
            Ok(_) => Ok(()),
            Err(breaches) => {
                let said: Vec<_> =
                    breaches.iter().map(|breach| pointer::described(&breach.path, &breach.message)).collect();
                let verb = catalogue::verb(tool);
                Err(Failure::usage(said.join("\n")).with_hint(format!("See `docmill {verb} --help`.")))
            }
        }
    }

    /// A source of the request. `upload`: the id of the file's upload.
    pub fn source_of(&self, input: &Input, upload: &str) -> Outcome<Map<String, Value>> {
        let kinds = &self.first.tool.definition.sources.kinds;
        let mut source = Map::new();
        match input {
            Input::Address(url) => {
                let is_page = catalogue::format_of_path(url.path().as_ref()).is_none_or(|format| format == "html");
                let (page, file) = (kinds.contains(&SourceKind::Url), kinds.contains(&SourceKind::SourceUrl));
                let kind = match (page, file) {
                    (true, false) => SourceKind::Url,
                    (true, true) if is_page => SourceKind::Url,
                    (_, true) => SourceKind::SourceUrl,
                    (false, false) => {
                        return Err(Failure::usage(format!("{} takes no addresses.", self.first.tool.definition.name)));
                    }
                };
                source.insert(kind.as_str().to_owned(), json!(url.as_str()));
            }
            Input::File { .. } => {
                source.insert(SourceKind::UploadId.as_str().to_owned(), json!(upload));
            }
            Input::Template { name, version, .. } => {
                if !kinds.contains(&SourceKind::Template) {
                    let message = format!("{} takes no stored templates.", self.first.tool.definition.name);
                    return Err(Failure::usage(message).with_hint("`docmill render-template` fills them in."));
                }
                let mut stored = json!({"name": name});
                if let Some(version) = version {
                    stored["version"] = json!(version);
                }
                source.insert(SourceKind::Template.as_str().to_owned(), stored);
            }
        }
        Ok(source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(slug: &str, options: Value) -> Recipe {
        let Value::Object(options) = options else { panic!("options are an object") };
        Recipe::new(catalogue::find(slug).unwrap(), options, &JobArgs::default()).unwrap()
    }

    fn file(path: &str) -> Input {
        Input::File { path: path.into(), below: None, shown: path.into() }
    }

    #[test]
    fn one_source_stands_alone_and_several_are_listed() {
        let one = recipe("office-to-pdf", json!({}));
        one.check(&[file("a.docx")]).unwrap();
        let source = one.source_of(&file("a.docx"), "upl_1").unwrap();
        assert_eq!(one.body(vec![source.clone()])["input"], json!({"uploadId": "upl_1"}));
        let several = recipe("compare-documents", json!({}));
        assert_eq!(several.body(vec![source.clone(), source])["input"]["sources"][1]["uploadId"], "upl_1");
    }

    #[test]
    fn wrong_options_are_named_by_their_flags() {
        let failure = recipe("pdf-to-images", json!({"dpi": 9000})).check(&[file("a.pdf")]).unwrap_err();
        assert!(failure.to_string().contains("--dpi must be at most 600"), "{failure}");
        let failure = recipe("protect-pdf", json!({})).check(&[file("a.pdf")]).unwrap_err();
        assert_eq!(failure.exit, crate::failure::Exit::Usage);
    }

    #[test]
    fn a_password_goes_where_the_tool_takes_it() {
        let given = Password::of("open sesame");
        let of = |slug: &str| recipe(slug, json!({})).with_password(Some(&given)).body(vec![Map::new()]);
        assert_eq!(of("merge-pdf")["input"]["password"], "open sesame");
        for body in [of("pdf-to-text"), of("office-to-pdf")] {
            assert!(body.to_string().contains("open sesame"), "{body}");
        }
        assert!(!of("markdown-to-pdf").to_string().contains("sesame"), "which knows no protected files");
        assert!(!format!("{given:?}").contains("sesame"));
    }

    #[test]
    fn addresses_are_pages_or_files() {
        let page = Input::Address("https://example.com/".parse().unwrap());
        let file = Input::Address("https://example.com/a.docx".parse().unwrap());
        let merge = recipe("merge-pdf", json!({}));
        assert!(merge.source_of(&page, "").unwrap().contains_key("url"));
        assert!(merge.source_of(&file, "").unwrap().contains_key("sourceUrl"));
        assert!(recipe("html-to-pdf", json!({})).source_of(&file, "").unwrap().contains_key("url"));
    }
}
