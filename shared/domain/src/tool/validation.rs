//! Validates request bodies against a tool's published schema. Messages never repeat values.

use std::sync::OnceLock;

use jsonschema::JsonType;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use regex::RegexBuilder;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use crate::account::limits::MAX_INLINE_BYTES;
use crate::breach::Breach;
use crate::nearest::nearest;
use crate::page_range::PageRange;
use crate::tool::schema::Schema;

/// Most memory of a compiled regular expression.
pub const PATTERN_BYTES: usize = 1 << 20;

/// A schema's validator, compiled for the first request that needs it: this takes about a millisecond.
#[derive(Debug)]
pub(crate) struct Validator {
    schema: Schema,
    compiled: OnceLock<Option<jsonschema::Validator>>,
}

impl Validator {
    pub(crate) fn new(schema: Schema) -> Self {
        Self { schema, compiled: OnceLock::new() }
    }

    /// All errors in a value, not only the first. A schema that does not compile refuses everything; a test compiles each.
    pub(crate) fn breaches(&self, value: &Value) -> Vec<Breach> {
        let Some(validator) = self.compiled.get_or_init(|| compile(&self.schema)) else {
            return vec![Breach::new("", "The schema of this tool is invalid. Contact support.")];
        };
        let breach = |error: ValidationError<'_>| Breach {
            path: error.instance_path().to_string(),
            message: describe(&self.schema, &error),
        };
        validator.iter_errors(value).map(breach).collect()
    }
}

/// Most unknown properties in a message, and the most characters of each.
const MOST_NAMED: usize = 5;
const LONGEST_NAME: usize = 100;

fn compile(schema: &Value) -> Option<jsonschema::Validator> {
    let mut options = jsonschema::options().should_validate_formats(true);
    for (name, check, _) in FORMATS {
        options = options.with_format(name, check);
    }
    options.build(schema).ok()
}

/// A format's name, its check, and what is expected.
type Format = (&'static str, fn(&str) -> bool, &'static str);

/// The formats of strings that the schemas use.
const FORMATS: [Format; 8] = [
    ("source-url", is_source_url, "must be a full http(s) URL without a user name or password"),
    (
        "page-range",
        is_page_range,
        "must be pages and ranges such as `1-3,8,z`, counted from 1; `z` is the last page, `r2` the one before it",
    ),
    ("filename", is_filename, "must be a plain file name, without a path or control characters"),
    ("inline", is_inline, "must have at most 524288 bytes"),
    ("job-id", is_job_id, "must be the id of a job"),
    (
        "header-name",
        is_header_name,
        "must be a header name that HTTP does not use for the connection, the length or the host",
    ),
    (
        "regular-expression",
        is_regular_expression,
        "must be a regular expression that matches at least one character, without look-around and back-references",
    ),
    ("header-value", is_header_value, "must be a header value: one line of printable characters"),
];

/// Says what is expected. The library's own text would repeat the value, which may be secret.
#[allow(clippy::wildcard_enum_match_arm, reason = "the library's list is open, and the tools' files only use these")]
fn describe(schema: &Value, error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(kind) } => format!("must be {}", type_for_people(*kind)),
        Kind::Type { kind: TypeKind::Multiple(_) } => explanation(schema, error),
        Kind::Enum { options } => format!("must be one of {options}"),
        Kind::Constant { .. } | Kind::Not { .. } | Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            explanation(schema, error)
        }
        Kind::OneOfMultipleValid { .. } => explanation(schema, error),
        Kind::Format { format } => describe_format(format).to_owned(),
        Kind::AdditionalProperties { unexpected } => unknown_properties(schema, error, unexpected),
        Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
        Kind::MinLength { limit } => format!("must have at least {limit} characters"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be greater than {limit}"),
        Kind::MaxProperties { limit } => format!("must have at most {limit} properties"),
        Kind::MinProperties { limit } => format!("must have at least {limit} properties"),
        Kind::Required { property } if property == "options" => missing_options(schema),
        Kind::Required { property } => format!("needs the property {}", quoted(property)),
        Kind::PropertyNames { error } => format!("has a property whose name {}", describe(schema, error)),
        Kind::Pattern { pattern } => match described(schema, error) {
            Some(description) => description.to_owned(),
            None => format!("must match {pattern}"),
        },
        Kind::MinItems { limit } => format!("must have at least {limit} entries"),
        Kind::MaxItems { limit } => format!("must have at most {limit} entries"),
        Kind::UniqueItems => "must not repeat an entry".to_owned(),
        other => format!("breaks the rule `{}` of the tool's schema", other.keyword()),
    }
}

fn type_for_people(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "a list, such as `[\"Smith\"]`",
        JsonType::Boolean => "`true` or `false`",
        JsonType::Integer => "a whole number",
        JsonType::Null => "`null`",
        JsonType::Number => "a number",
        JsonType::Object => "an object, such as `{\"name\": \"value\"}`",
        JsonType::String => "a string",
    }
}

fn quoted(name: &Value) -> String {
    name.as_str().map_or_else(|| name.to_string(), |name| format!("`{name}`"))
}

/// Says which options the tool can't do without, with an example from its schema.
fn missing_options(schema: &Value) -> String {
    let options = &schema["properties"]["options"];
    let needs = compile(options).map_or_else(Vec::new, |validator| {
        validator.iter_errors(&json!({})).map(|error| missing_option(options, &error)).collect()
    });
    let needs = if needs.is_empty() { String::new() } else { format!(": {}", needs.join("; ")) };
    match example(options) {
        Some(example) => format!("needs the property `options`{needs}; for example `\"options\": {example}`"),
        None => format!("needs the property `options`{needs}"),
    }
}

fn missing_option(options: &Value, error: &ValidationError<'_>) -> String {
    if let ValidationErrorKind::Required { property: Value::String(name) } = error.kind() {
        return format!("give `{name}`");
    }
    describe(options, error)
}

/// The options' own example, or one of the properties that are required.
fn example(options: &Value) -> Option<Value> {
    if let Some(example) = options.pointer("/examples/0") {
        return Some(example.clone());
    }
    let required = options.get("required")?.as_array()?.iter().filter_map(Value::as_str);
    let examples =
        required.map(|name| Some((name.to_owned(), options["properties"][name].pointer("/examples/0")?.clone())));
    examples.collect::<Option<_>>().map(Value::Object)
}

/// The `description` next to the failed keyword: tool files have one wherever it is needed.
fn explanation(schema: &Value, error: &ValidationError<'_>) -> String {
    let text = described(schema, error).unwrap_or("does not match any of the allowed forms: see the tool's schema");
    text.to_owned()
}

fn described<'a>(schema: &'a Value, error: &ValidationError<'_>) -> Option<&'a str> {
    holder(schema, error)?.get("description")?.as_str()
}

/// The schema that contains the failed keyword.
fn holder<'a>(schema: &'a Value, error: &ValidationError<'_>) -> Option<&'a Value> {
    let location = error.schema_path().to_string();
    schema.pointer(location.rsplit_once('/').map_or("", |(holder, _)| holder))
}

/// Names the unknown properties, with the known ones that were probably meant.
fn unknown_properties(schema: &Value, error: &ValidationError<'_>, unknown: &[String]) -> String {
    let known = holder(schema, error).and_then(|holder| holder.get("properties")?.as_object());
    let named = |name: &String| {
        let shown: String = name.chars().take(LONGEST_NAME).collect();
        match nearest(name, known.into_iter().flat_map(|known| known.keys()).map(String::as_str)) {
            Some(known) => format!("`{shown}` (did you mean `{known}`?)"),
            None => format!("`{shown}`"),
        }
    };
    let names: Vec<_> = unknown.iter().take(MOST_NAMED).map(named).collect();
    let properties = if unknown.len() == 1 { "property" } else { "properties" };
    format!("has the unknown {properties} {}", names.join(", "))
}

pub(crate) fn describe_format(format: &str) -> &'static str {
    let known = FORMATS.iter().find(|(name, ..)| *name == format);
    known.map_or("has the wrong format", |(_, _, expected)| expected)
}

/// Absolute, http or https, with a host and without user info. The worker checks the address itself.
fn is_source_url(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.host_str().is_some_and(|host| !host.is_empty())
            && url.username().is_empty()
            && url.password().is_none()
    })
}

fn is_page_range(text: &str) -> bool {
    text.parse::<PageRange>().is_ok()
}

/// As the tools compile it.
fn is_regular_expression(text: &str) -> bool {
    let compiled = RegexBuilder::new(text).size_limit(PATTERN_BYTES).build();
    compiled.is_ok_and(|regex| !regex.is_match(""))
}

fn is_inline(content: &str) -> bool {
    content.len() <= MAX_INLINE_BYTES
}

fn is_job_id(text: &str) -> bool {
    Uuid::try_parse(text).is_ok()
}

/// A token (RFC 9110) that the HTTP client does not set itself.
fn is_header_name(name: &str) -> bool {
    const REFUSED: [&str; 12] = [
        "connection",
        "content-length",
        "expect",
        "host",
        "http2-settings",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_token) && !REFUSED.contains(&name.to_ascii_lowercase().as_str())
}

fn is_header_value(value: &str) -> bool {
    value.bytes().all(|byte| byte == b'\t' || byte == b' ' || byte.is_ascii_graphic())
}

pub(crate) fn is_filename(text: &str) -> bool {
    !matches!(text, "." | "..") && !text.contains(['/', '\\']) && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tool::catalogue::Catalogue;

    #[test]
    fn every_schema_compiles_and_refuses_what_it_should() {
        let values = [json!(null), json!(-1), json!("\0/"), json!([[]])];
        for tool in Catalogue::load().unwrap().tools() {
            let slug = &tool.definition.slug;
            compile(&tool.definition.parameters).unwrap_or_else(|| panic!("the schema of {slug} does not compile"));
            for section in ["input", "options"] {
                let known = tool.definition.parameters["properties"][section]["properties"].as_object().unwrap();
                for name in known.keys() {
                    let refused = values.iter().filter(|value| {
                        let body = json!({section: {name: value}});
                        let place = format!("/{section}/{name}");
                        tool.breaches(&body).iter().any(|breach| breach.path.starts_with(&place))
                    });
                    assert!(refused.count() >= 2, "{slug} checks nothing of {section}.{name}");
                }
            }
        }
    }

    #[test]
    fn unknown_properties_are_named_with_the_nearest_known_one() {
        let catalogue = Catalogue::load().unwrap();
        let message = |invoice: Value| {
            let body = json!({"uploadId": "upl_00000000000000000000000000000000", "options": {"facturX": invoice}});
            let breaches = catalogue.find("edit-metadata").unwrap().breaches(&body);
            let breach = breaches.into_iter().find(|breach| breach.path == "/options/facturX");
            breach.map(|breach| breach.message).unwrap_or_default()
        };
        assert_eq!(message(json!({"levle": "basic"})), "has the unknown property `levle` (did you mean `level`?)");
        let both = message(json!({"Level": "basic", "q": 1}));
        assert_eq!(both, "has the unknown properties `Level` (did you mean `level`?), `q`");
    }

    #[test]
    fn headers_that_frame_or_route_the_message_are_refused() {
        assert!(is_header_name("Authorization") && is_header_name("X-Api-Key"));
        for bad in ["", "Host", "content-length", "Transfer-Encoding", "a b", "a:b", "é"] {
            assert!(!is_header_name(bad), "{bad}");
        }
        assert!(is_header_value("Bearer abc=") && !is_header_value("a\r\nb") && !is_header_value("\u{7f}"));
    }

    #[test]
    fn every_option_and_source_takes_the_same_page_ranges() {
        let catalogue = Catalogue::load().unwrap();
        let upload = "upl_00000000000000000000000000000000";
        let breaches = |slug: &str, body: Value| catalogue.find(slug).unwrap().breaches(&body);
        for range in ["1-3, 8", "r2", "z-6", " 1 - z ,r3-r2"] {
            for (slug, option) in [
                ("pdf-to-text", "pages"),
                ("pdf-to-images", "pages"),
                ("organize-pdf", "pages"),
                ("watermark-pdf", "pages"),
                ("office-to-pdf", "pageRange"),
            ] {
                let body = |range: &str| {
                    let mut body = json!({"uploadId": upload, "options": {option: range}});
                    if slug == "watermark-pdf" {
                        body["options"]["text"] = json!("Draft");
                    }
                    body
                };
                assert_eq!(breaches(slug, body(range)), [], "{slug} {range}");
                let bad = body(&format!("{range},"));
                assert!(breaches(slug, bad)[0].message.starts_with("must be pages and ranges"), "{slug}");
            }
            let source = json!({"uploadId": upload, "pageRange": range});
            assert_eq!(breaches("merge-pdf", json!({"sources": [source]})), [], "{range}");
            assert_eq!(
                breaches("split-pdf", json!({"uploadId": upload, "options": {"ranges": [range]}})),
                [],
                "{range}"
            );
        }
    }

    #[test]
    fn each_stamp_is_of_one_kind_and_other_options_belong_into_stamps() {
        let catalogue = Catalogue::load().unwrap();
        let message = |options: Value| {
            let body = json!({"sourceUrl": "https://a.example/x.pdf", "options": options});
            let breaches = catalogue.find("watermark-pdf").unwrap().breaches(&body);
            breaches.first().map_or_else(|| "accepted".to_owned(), |breach| breach.message.clone())
        };
        assert!(message(json!({"opacity": 1})).starts_with("give `text` or `stamps`"));
        let source = json!({"sourceUrl": "https://a.example/x.pdf"});
        let with_stamp = json!({"input": {"sources": [source, source]}, "options": {"opacity": 1}});
        assert_eq!(catalogue.find("watermark-pdf").unwrap().breaches(&with_stamp), [], "the second source is the mark");
        let stamp = |stamp: Value| message(json!({"stamps": [stamp]}));
        let barcode = |code: Value| stamp(json!({"barcode": code}));
        assert_eq!(stamp(json!({"text": "{bates}", "bates": {"digits": 4}, "position": "top"})), "accepted");
        assert_eq!(stamp(json!({"position": "top"})), "give `text`, `source` or `barcode`");
        assert!(
            stamp(json!({"text": "a", "source": 1})).starts_with("give only one of `text`, `source` and `barcode`")
        );
        assert_eq!(stamp(json!({"txt": "a"})), "has the unknown property `txt` (did you mean `text`?)");
        assert!(
            message(json!({"stamps": [{"text": "a"}], "text": "b"})).starts_with("cannot be combined with `stamps`")
        );
        assert!(
            message(json!({"stamps": [{"text": "a"}], "opacity": 1})).starts_with("cannot be combined with `stamps`")
        );
        let many = vec![json!({"text": "a"}); 21];
        assert_eq!(message(json!({"stamps": many})), "must have at most 20 entries");

        assert_eq!(barcode(json!({"type": "qr", "value": "{page}"})), "accepted");
        assert_eq!(barcode(json!({"type": "qr"})), "needs the property `value`");
        assert_eq!(barcode(json!({"type": "epc", "value": "a"})), "needs the property `payment`");
        let payment = json!({"name": "Ada", "iban": "DE89370400440532013000", "amount": "12.50"});
        assert_eq!(barcode(json!({"type": "epc", "payment": payment})), "accepted");
        assert!(barcode(json!({"type": "qr", "value": "a", "payment": payment})).starts_with("`payment` is for codes"));
        let creditor = json!({"name": "Ada", "postalCode": "8000", "town": "Zürich", "country": "CH"});
        let bill = json!({"iban": "CH9300762011623852957", "creditor": creditor, "amount": 5});
        assert_eq!(barcode(json!({"type": "swiss-qr", "bill": bill})), "accepted");
        assert!(barcode(json!({"type": "ean14", "value": "1"})).starts_with("must be one of"));
    }

    #[test]
    fn source_urls_are_absolute_http_without_user_info() {
        for good in ["http://a.example/x?y=1#z", "https://[2001:db8::1]:8443/", "HTTPS://A.example", "http://10.0.0.1/"]
        {
            assert!(is_source_url(good), "{good}");
        }
        let bad = [
            "",
            "a.example/x",
            "/x",
            "ftp://a/x",
            "file:///etc/passwd",
            "http://u@a/",
            "http://u:p@a/",
            "http://",
            "data:,x",
        ];
        for bad in bad {
            assert!(!is_source_url(bad), "{bad}");
        }
    }

    #[test]
    fn file_names_contain_no_path() {
        assert!(is_filename("Bericht März.docx"));
        for bad in ["..", "a/b", "a\\b", "a\nb", "a\0b"] {
            assert!(!is_filename(bad), "{bad:?}");
        }
    }
}
