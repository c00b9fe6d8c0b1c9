//! A request as its job shows it to the owner: without secrets, and short enough for the job's item.
//!
//! DynamoDB refuses items above 400 KB, and a list shows a hundred jobs. A request of one megabyte is converted whole, but its
//! job keeps only so much of it.

use serde_json::{Map, Value, json};

use super::JobRequest;
use crate::tool::Definition;
use crate::tool::catalogue::Catalogue;

/// Most bytes of JSON that a job keeps of its request, `metadata` aside.
pub const MAX_ECHO_BYTES: usize = 16 << 10;

/// Stands at the end of a shortened text, and in place of what is left out.
pub const SHORTENED: &str = "[shortened]";

/// Longest text in characters, and most members of a list or an object.
#[derive(Clone, Copy)]
struct Limits {
    text: usize,
    members: usize,
}

/// From generous to strict. A request is shortened by the first with which it fits.
const LIMITS: [Limits; 6] = [
    Limits { text: 2000, members: 100 },
    Limits { text: 500, members: 100 },
    Limits { text: 100, members: 100 },
    Limits { text: 100, members: 30 },
    Limits { text: 60, members: 10 },
    Limits { text: 30, members: 3 },
];

/// The parts of a request that its job shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Echo {
    /// The sources, redacted.
    pub input: Value,
    /// The tool's options, redacted.
    pub options: Value,
    /// The further steps: the tool and options of each.
    pub then: Vec<Value>,
    /// `None` if the request has no `output`.
    pub output: Option<Value>,
}

impl Echo {
    /// `definition`: of the request's tool.
    pub fn of(request: &JobRequest, definition: &Definition, catalogue: &Catalogue) -> Self {
        let whole = Self {
            input: request.redacted_input(),
            options: request.redacted_options(definition),
            then: request.then.iter().map(|step| step.redacted(catalogue)).collect(),
            output: request.output.redacted(),
        };
        if whole.bytes() <= MAX_ECHO_BYTES {
            return whole;
        }
        let mut shortened = LIMITS.into_iter().map(|limits| whole.shortened(limits));
        shortened.find(|echo| echo.bytes() <= MAX_ECHO_BYTES).unwrap_or_else(|| whole.names_only())
    }

    fn bytes(&self) -> usize {
        json!([self.input, self.options, self.then, self.output]).to_string().len()
    }

    fn shortened(&self, limits: Limits) -> Self {
        Self {
            input: shorten(&self.input, limits),
            options: shorten(&self.options, limits),
            then: self.then.iter().map(|step| shorten(step, limits)).collect(),
            output: self.output.as_ref().map(|output| shorten(output, limits)),
        }
    }

    /// Nothing but the names of the further tools.
    fn names_only(&self) -> Self {
        let nothing = Limits { text: 0, members: 0 };
        let step = |step: &Value| json!({"toolSlug": step["toolSlug"], "options": shorten(&step["options"], nothing)});
        Self { then: self.then.iter().map(step).collect(), ..self.shortened(nothing) }
    }
}

fn shorten(value: &Value, limits: Limits) -> Value {
    match value {
        Value::String(text) => json!(shorten_text(text, limits.text)),
        Value::Array(values) => {
            let kept = values.iter().take(limits.members).map(|value| shorten(value, limits));
            Value::Array(kept.chain(left_out(values.len(), limits).map(Value::String)).collect())
        }
        Value::Object(members) => {
            let shorten = |(name, value): (&String, &Value)| (shorten_text(name, limits.text), shorten(value, limits));
            let mut kept: Map<String, Value> = members.iter().take(limits.members).map(shorten).collect();
            kept.extend(left_out(members.len(), limits).map(|marker| (SHORTENED.to_owned(), json!(marker))));
            Value::Object(kept)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn shorten_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}… {SHORTENED}", &text[..end]),
        None => text.to_owned(),
    }
}

/// `[shortened] 97 more`.
fn left_out(members: usize, limits: Limits) -> Option<String> {
    let more = members.checked_sub(limits.members).filter(|more| *more > 0)?;
    Some(format!("{SHORTENED} {more} more"))
}

/// How many entries a list had in the request.
pub fn length(list: &[Value]) -> usize {
    let more = list.last().and_then(|last| last.as_str()?.strip_prefix(SHORTENED)?.trim().strip_suffix(" more"));
    more.and_then(|more| more.parse::<usize>().ok()).map_or(list.len(), |more| list.len() - 1 + more)
}

/// Whether any part of a shown value was shortened.
pub fn is_shortened(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(SHORTENED),
        Value::Array(values) => values.iter().any(is_shortened),
        Value::Object(members) => members.iter().any(|(name, value)| name.contains(SHORTENED) || is_shortened(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn echo(slug: &str, body: &Value) -> Echo {
        let catalogue = Catalogue::load().unwrap();
        let tool = catalogue.find(slug).unwrap();
        let (request, _) = JobRequest::parse(&catalogue, tool, body.as_object().unwrap()).unwrap();
        Echo::of(&request, &tool.definition, &catalogue)
    }

    fn is_any_shortened(echo: &Echo) -> bool {
        is_shortened(&json!([echo.input, echo.options, echo.then, echo.output]))
    }

    #[test]
    fn a_usual_request_is_shown_whole() {
        let sources: Vec<_> = (0..100).map(|n| json!({"sourceUrl": format!("https://a.example/{n}.pdf")})).collect();
        let shown = echo("merge-pdf", &json!({"sources": sources, "then": [{"toolSlug": "compress-pdf"}]}));
        assert_eq!(shown.input["sources"], json!(sources));
        assert!(!is_any_shortened(&shown));
    }

    #[test]
    fn long_texts_are_shortened_before_entries_are_left_out() {
        let url = |n: usize| format!("https://a.example/{n}/{}", "x".repeat(8000));
        let sources: Vec<_> = (0..100).map(|n| json!({"sourceUrl": url(n)})).collect();
        let shown = echo("merge-pdf", &json!({"sources": sources}));
        let shown = shown.input["sources"].as_array().unwrap();
        assert_eq!((shown.len(), length(shown)), (100, 100));
        let last = shown[99]["sourceUrl"].as_str().unwrap();
        assert!(last.starts_with("https://a.example/99/xxx") && last.ends_with("xxx… [shortened]"), "{last}");
    }

    #[test]
    fn a_long_list_says_how_much_is_left_out() {
        let regions: Vec<_> = (0..2000).map(|n| json!({"page": n + 1, "box": [1.5, 2.5, 30.25, 40.125]})).collect();
        let body = json!({"sourceUrl": "https://a.example/x.pdf", "options": {"regions": regions}});
        let shown = echo("redact-pdf", &body);
        let shown = shown.options["regions"].as_array().unwrap();
        assert_eq!(shown[0], regions[0]);
        assert!(shown.last().unwrap().as_str().unwrap().starts_with("[shortened] "));
        assert_eq!(length(shown), 2000);
    }

    /// Any value that fits a request of a megabyte, with few or many members.
    fn anything() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::Bool),
            any::<f64>().prop_map(|number| json!(number)),
            "[a-zä\"\\\\\u{1}]{0,3000}".prop_map(Value::String),
        ];
        leaf.prop_recursive(4, 4000, 200, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..200).prop_map(Value::Array),
                prop::collection::btree_map("[a-zä]{1,600}", inner, 0..100)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
        #[test]
        fn whatever_a_request_says_its_echo_is_small(options in anything(), input in anything(), step in anything()) {
            let catalogue = Catalogue::load().unwrap();
            let definition = &catalogue.find("merge-pdf").unwrap().definition;
            let object = |value: Value| Map::from_iter([("fields".to_owned(), value)]);
            let then = vec![super::super::steps::Step { tool: "merge-pdf".into(), options: object(step) }; 5];
            let request = JobRequest {
                tool: "merge-pdf".into(),
                input: object(input),
                options: object(options),
                then,
                webhook: None,
                output: Default::default(),
                metadata: Default::default(),
            };
            let shown = Echo::of(&request, definition, &catalogue);
            prop_assert!(shown.bytes() <= MAX_ECHO_BYTES);
            let whole = json!([request.input, request.options, request.then]).to_string().len();
            prop_assert!(whole < MAX_ECHO_BYTES - 1000 || is_any_shortened(&shown) || shown.bytes() + 2000 > whole);
        }
    }
}
