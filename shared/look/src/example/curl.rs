//! A request with curl alone, made from snippets.

use docmill_formats::Format;
use serde_json::Value;

use super::literal::Style;

/// What the snippets contain, which is replaced.
const ENDPOINT: &str = "/v1/convert/office-to-pdf";
const BODY: &str = r#"{"sourceUrl": "https://files.example.com/report.docx"}"#;
const CONTENT_TYPE: &str = "application/pdf";
const FILE: &str = "report.pdf";

/// Gets the result itself.
const CONVERT: &str = include_str!("../../snippets/convert.sh");
/// Gets the job and a link to its result, for results that may be several files, or JSON like the job itself.
const LINK: &str = include_str!("../../snippets/link.sh");

/// A request for this body that saves the result as `file`, if its name is known.
pub(super) fn code(endpoint: &str, body: &Value, file: Option<&str>, output: Format) -> String {
    let body = body.as_object().map(|body| Style::Json.object(body, "  ")).unwrap_or_default().replace('\'', r"'\''");
    let snippet = match file.filter(|_| output != Format::Json) {
        Some(file) => CONVERT.replace(CONTENT_TYPE, output.content_type()).replace(FILE, file),
        None => LINK.to_owned(),
    };
    snippet.trim_end().replace(ENDPOINT, endpoint).replace(BODY, &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_snippet_contains_the_parts_that_are_replaced() {
        for (snippet, parts) in [(CONVERT, &[ENDPOINT, BODY, CONTENT_TYPE, FILE][..]), (LINK, &[ENDPOINT, BODY][..])] {
            for part in parts {
                assert!(snippet.contains(part), "{part}");
            }
        }
    }
}
