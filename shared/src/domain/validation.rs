//! Checks request bodies against the schema that a tool publishes, and says what is wrong without repeating values.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;
use url::Url;

use super::request::{Breach, MAX_INLINE_HTML_BYTES};

#[derive(Debug)]
pub(super) struct SchemaValidator {
    schema: Value,
    validator: Validator,
}

impl SchemaValidator {
    pub(super) fn compile(schema: &Value) -> Result<Self, String> {
        let validator = jsonschema::options()
            .with_format("source-url", is_source_url)
            .with_format("page-range", is_page_range)
            .with_format("filename", is_filename)
            .with_format("inline-html", |html: &str| html.len() <= MAX_INLINE_HTML_BYTES)
            .should_validate_formats(true)
            .build(schema)
            .map_err(|error| error.to_string())?;
        Ok(Self { schema: schema.clone(), validator })
    }

    /// All breaches of the schema, not only the first.
    pub(super) fn breaches(&self, body: &Value) -> Vec<Breach> {
        self.validator
            .iter_errors(body)
            .map(|error| Breach { path: error.instance_path().to_string(), message: self.describe(&error) })
            .collect()
    }

    /// Says what is expected. The library's own text would repeat the value, which may be a secret.
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "the library's list is open; the tools' files use none of the rest"
    )]
    fn describe(&self, error: &ValidationError<'_>) -> String {
        use ValidationErrorKind as Kind;
        match error.kind() {
            Kind::Type { kind: TypeKind::Single(kind) } => format!("must be of type {kind}"),
            Kind::Enum { options } => format!("must be one of {options}"),
            Kind::Constant { .. } | Kind::Not { .. } | Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
                self.explanation(error)
            }
            Kind::OneOfMultipleValid { .. } => self.explanation(error),
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
    fn explanation(&self, error: &ValidationError<'_>) -> String {
        let location = error.schema_path().to_string();
        let holder = location.rsplit_once('/').map_or("", |(holder, _)| holder);
        match self.schema.pointer(holder).and_then(|schema| schema.get("description")).and_then(Value::as_str) {
            Some(description) => description.to_owned(),
            None => "has none of the allowed forms: see the tool's schema".to_owned(),
        }
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

pub(super) fn is_filename(text: &str) -> bool {
    !matches!(text, "." | "..") && !text.contains(['/', '\\']) && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

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
