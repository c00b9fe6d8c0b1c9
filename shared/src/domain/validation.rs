//! Checks request bodies against the schema that a tool publishes, and says what is wrong without repeating values.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ErrorIterator, ValidationError};
use serde_json::Value;
use url::Url;

use super::request::{Breach, MAX_INLINE_HTML_BYTES};
use super::tool::Tool;

/// What a body breaks of a schema.
pub(super) type SchemaErrors = for<'a> fn(&'a Value) -> ErrorIterator<'a>;

// Compiled with the program: at each start it would take 2 ms, and a file that is no schema would show only then.
#[jsonschema::validator(
    path = "tools/office-to-pdf.schema.json",
    validate_formats = true,
    formats = {
        "source-url" => crate::domain::validation::is_source_url,
        "page-range" => crate::domain::validation::is_page_range,
        "filename" => crate::domain::validation::is_filename,
    },
    methods = { is_valid = false, validate = false, iter_errors = true }
)]
pub(super) struct OfficeToPdf;

#[jsonschema::validator(
    path = "tools/html-to-pdf.schema.json",
    validate_formats = true,
    formats = {
        "source-url" => crate::domain::validation::is_source_url,
        "page-range" => crate::domain::validation::is_page_range,
        "filename" => crate::domain::validation::is_filename,
        "inline-html" => crate::domain::validation::is_inline_html,
    },
    methods = { is_valid = false, validate = false, iter_errors = true }
)]
pub(super) struct HtmlToPdf;

/// All that is wrong with a body by the tool's schema, not only the first.
pub(super) fn breaches(tool: &Tool, body: &Value) -> Vec<Breach> {
    let schema = &tool.definition.parameters;
    (tool.errors)(body)
        .map(|error| Breach { path: error.instance_path().to_string(), message: describe(schema, &error) })
        .collect()
}

/// Says what is expected. The library's own text would repeat the value, which may be a secret.
#[allow(clippy::wildcard_enum_match_arm, reason = "the library's list is open; the tools' files use none of the rest")]
fn describe(schema: &Value, error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(kind) } => format!("must be of type {kind}"),
        Kind::Enum { options } => format!("must be one of {options}"),
        Kind::Constant { .. } | Kind::Not { .. } | Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            explanation(schema, error)
        }
        Kind::OneOfMultipleValid { .. } => explanation(schema, error),
        Kind::Format { format } => describe_format(format).to_owned(),
        Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
        Kind::MinLength { limit } => format!("must have at least {limit} characters"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be greater than {limit}"),
        Kind::MaxProperties { limit } => format!("must have at most {limit} properties"),
        Kind::MinProperties { limit } => format!("must have at least {limit} properties"),
        Kind::Required { property } => format!("needs the property {property}"),
        Kind::PropertyNames { .. } => "has a property whose name is too long".to_owned(),
        Kind::Pattern { pattern } => format!("must match {pattern}"),
        other => format!("breaks the rule `{}` of the tool's schema", other.keyword()),
    }
}

/// The `description` of the schema that holds the failed keyword: the files give one wherever it is needed.
fn explanation(schema: &Value, error: &ValidationError<'_>) -> String {
    let location = error.schema_path().to_string();
    let holder = location.rsplit_once('/').map_or("", |(holder, _)| holder);
    match schema.pointer(holder).and_then(|schema| schema.get("description")).and_then(Value::as_str) {
        Some(description) => description.to_owned(),
        None => "has none of the allowed forms: see the tool's schema".to_owned(),
    }
}

pub(super) fn describe_format(format: &str) -> &'static str {
    match format {
        "source-url" => "must be an absolute http or https URL without user info",
        "page-range" => "must be pages and ranges such as `1-3,5`, counted from 1",
        "filename" => "must be a plain file name, without a path or control characters",
        "inline-html" => "must have at most 524288 bytes",
        _ => "has the wrong format",
    }
}

/// Absolute, http or https, with a host and no user info. Where it may lead is for the worker to judge.
fn is_source_url(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.host_str().is_some_and(|host| !host.is_empty())
            && url.username().is_empty()
            && url.password().is_none()
    })
}

/// `1-3,5`: pages and ascending ranges, from 1.
fn is_page_range(text: &str) -> bool {
    fn page(text: &str) -> Option<u32> {
        text.trim().parse().ok().filter(|page| *page >= 1)
    }
    text.split(',').all(|part| match part.split_once('-') {
        Some((first, last)) => page(first).zip(page(last)).is_some_and(|(first, last)| first <= last),
        None => page(part).is_some(),
    })
}

fn is_inline_html(html: &str) -> bool {
    html.len() <= MAX_INLINE_HTML_BYTES
}

pub(super) fn is_filename(text: &str) -> bool {
    !matches!(text, "." | "..") && !text.contains(['/', '\\']) && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::domain::tool::Catalogue;

    /// Where a body is wrong.
    fn places(errors: ErrorIterator<'_>) -> BTreeSet<String> {
        errors.map(|error| error.instance_path().to_string()).collect()
    }

    /// A macro names each file once more: a wrong name would enforce another tool's schema, or an earlier one.
    #[test]
    fn what_is_enforced_is_what_is_published() {
        let values = [json!(null), json!(true), json!(-1), json!(1e9), json!(""), json!("\0/"), json!([]), json!({})];
        for tool in Catalogue::load().unwrap().tools() {
            let published = jsonschema::options()
                .with_format("source-url", is_source_url)
                .with_format("page-range", is_page_range)
                .with_format("filename", is_filename)
                .with_format("inline-html", is_inline_html)
                .should_validate_formats(true)
                .build(&tool.definition.parameters)
                .unwrap();
            let mut refused = 0;
            for section in ["", "/properties/input", "/properties/options"] {
                let known = tool.definition.parameters.pointer(&format!("{section}/properties")).unwrap();
                for (name, value) in
                    known.as_object().unwrap().keys().flat_map(|name| values.iter().map(move |value| (name, value)))
                {
                    let body = match section.rsplit_once('/') {
                        Some((_, section)) => json!({"url": "https://a.example/", section: {name: value}}),
                        None => json!({name: value}),
                    };
                    let expected = places(published.iter_errors(&body));
                    refused += usize::from(!expected.is_empty());
                    assert_eq!(places((tool.errors)(&body)), expected, "{} {body}", tool.definition.slug);
                }
            }
            assert!(refused > 100, "{refused}");
        }
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
    fn page_ranges_ascend_from_one() {
        for good in ["1", "1-3", "1-3,5", "2, 4-4"] {
            assert!(is_page_range(good), "{good}");
        }
        for bad in ["", "0", "3-1", "1-", "-2", "a", "1,,2", "1;2", "99999999999"] {
            assert!(!is_page_range(bad), "{bad}");
        }
    }

    #[test]
    fn file_names_lead_nowhere() {
        assert!(is_filename("Bericht März.docx"));
        for bad in ["..", "a/b", "a\\b", "a\nb", "a\0b"] {
            assert!(!is_filename(bad), "{bad:?}");
        }
    }
}
