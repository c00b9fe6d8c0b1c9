//! JSON values as literals of a language, on one line or, if they are long, on several.

use serde_json::{Map, Value, json};

/// Literals up to this length stay on one line.
pub(super) const ONE_LINE: usize = 72;

/// How a language writes values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Also a value in the `json!` of Rust, except for its strings.
    Json,
    Python,
    TypeScript,
    Go,
    Rust,
}

impl Style {
    pub(super) fn string(self, text: &str) -> String {
        match self {
            // JSON's escapes, which these languages share.
            Self::Json | Self::Python | Self::TypeScript | Self::Go => json!(text).to_string(),
            Self::Rust => format!("{text:?}"),
        }
    }

    fn name(self, name: &str) -> String {
        let is_identifier = name.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '_');
        if self == Self::TypeScript && is_identifier && !name.is_empty() { name.to_owned() } else { self.string(name) }
    }

    /// What is before and after the members of an object on one line.
    const fn braces(self) -> (&'static str, &'static str) {
        match self {
            Self::Json | Self::Python | Self::Rust => ("{", "}"),
            Self::TypeScript => ("{ ", " }"),
            Self::Go => ("map[string]any{", "}"),
        }
    }

    const fn last_comma(self) -> &'static str {
        match self {
            Self::Json | Self::Rust => "",
            Self::Python | Self::TypeScript | Self::Go => ",",
        }
    }

    const fn tab(self) -> &'static str {
        match self {
            Self::Python | Self::Rust => "    ",
            Self::Json | Self::TypeScript => "  ",
            Self::Go => "\t",
        }
    }

    /// The object, with line breaks if it is long. `indent` is before its last line.
    pub(super) fn object(self, object: &Map<String, Value>, indent: &str) -> String {
        let line = self.line_of(object);
        if line.len() <= ONE_LINE || object.is_empty() {
            return line;
        }
        let inner = format!("{indent}{}", self.tab());
        let members: Vec<_> = object
            .iter()
            .map(|(name, value)| {
                let value = match value {
                    Value::Object(object) => self.object(object, &inner),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                        self.line(value)
                    }
                };
                (format!("{}:", self.name(name)), value)
            })
            .collect();
        let (open, close) = self.braces();
        let members = if self == Self::Go { aligned(&members) } else { joined(&members) };
        let members = members.join(&format!(",\n{inner}"));
        format!("{}\n{inner}{members}{}\n{indent}{}", open.trim_end(), self.last_comma(), close.trim_start())
    }

    /// The options as an argument, if there are any.
    pub(super) fn options(self, options: &Map<String, Value>, indent: &str) -> Option<String> {
        (!options.is_empty()).then(|| self.object(options, indent))
    }

    /// A list in brackets, with an item on each line if it has more than `most` bytes. `indent` is that of its call.
    pub(super) fn list(self, items: &[String], most: usize, indent: &str) -> String {
        let line = format!("[{}]", items.join(", "));
        if line.len() <= most {
            return line;
        }
        let tab = self.tab();
        let lines: String = items.iter().map(|item| format!("{indent}{tab}{tab}{item},\n")).collect();
        format!("[\n{lines}{indent}{tab}]")
    }

    /// The value on one line.
    pub(super) fn line(self, value: &Value) -> String {
        match value {
            Value::Object(object) => self.line_of(object),
            Value::Array(items) => {
                let (open, items) = (if self == Self::Go { "[]any{" } else { "[" }, items.iter());
                let items = items.map(|item| self.line(item)).collect::<Vec<_>>().join(", ");
                format!("{open}{items}{}", if self == Self::Go { "}" } else { "]" })
            }
            Value::String(text) => self.string(text),
            Value::Bool(true) if self == Self::Python => "True".to_owned(),
            Value::Bool(false) if self == Self::Python => "False".to_owned(),
            Value::Null if self == Self::Python => "None".to_owned(),
            Value::Null if self == Self::Go => "nil".to_owned(),
            Value::Bool(_) | Value::Null | Value::Number(_) => value.to_string(),
        }
    }

    fn line_of(self, object: &Map<String, Value>) -> String {
        let member = |(name, value): (&String, &Value)| format!("{}: {}", self.name(name), self.line(value));
        let members = object.iter().map(member).collect::<Vec<_>>().join(", ");
        let (open, close) = self.braces();
        if members.is_empty() {
            format!("{}{}", open.trim_end(), close.trim_start())
        } else {
            format!("{open}{members}{close}")
        }
    }
}

fn joined(members: &[(String, String)]) -> Vec<String> {
    members.iter().map(|(name, value)| format!("{name} {value}")).collect()
}

/// Members as gofmt writes them: the values of neighbors that take one line each begin at the same column.
pub(super) fn aligned(members: &[(String, String)]) -> Vec<String> {
    let is_line = |(_, value): &&(String, String)| !value.contains('\n');
    let mut written = Vec::new();
    while written.len() < members.len() {
        let rest = &members[written.len()..];
        let lines: Vec<_> = rest.iter().take_while(is_line).collect();
        let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        written.extend(lines.iter().map(|(name, value)| format!("{name:width$} {value}")));
        written.extend(rest.get(lines.len()).map(|(name, value)| format!("{name} {value}")));
    }
    written
}

/// A call with its arguments: on one line, or each on a line of its own.
pub(super) fn invocation(function: &str, arguments: &[String], most: usize, indent: &str, tab: &str) -> String {
    let line = format!("{function}({})", arguments.join(", "));
    if line.len() <= most && !line.contains('\n') {
        return line;
    }
    let lines: String = arguments.iter().map(|each| format!("{indent}{tab}{each},\n")).collect();
    format!("{function}(\n{lines}{indent})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn each_language_has_its_own_literals() {
        let value = json!({"a": [true, null, 1.5], "x-y": {"b": "é\"\u{1}"}, "c": {}});
        for (style, expected) in [
            (Style::Json, r#"{"a": [true, null, 1.5], "x-y": {"b": "é\"\u0001"}, "c": {}}"#),
            (Style::Python, r#"{"a": [True, None, 1.5], "x-y": {"b": "é\"\u0001"}, "c": {}}"#),
            (Style::TypeScript, r#"{ a: [true, null, 1.5], "x-y": { b: "é\"\u0001" }, c: {} }"#),
            (
                Style::Go,
                r#"map[string]any{"a": []any{true, nil, 1.5}, "x-y": map[string]any{"b": "é\"\u0001"}, "c": map[string]any{}}"#,
            ),
            (Style::Rust, r#"{"a": [true, null, 1.5], "x-y": {"b": "é\"\u{1}"}, "c": {}}"#),
        ] {
            assert_eq!(style.line(&value), expected, "{style:?}");
        }
    }

    #[test]
    fn long_objects_have_a_line_for_each_member() {
        let long = object(&json!({"a": "x".repeat(70), "longer": {"b": true}}));
        let x = "x".repeat(70);
        assert_eq!(
            Style::Json.object(&long, " "),
            format!("{{\n   \"a\": \"{x}\",\n   \"longer\": {{\"b\": true}}\n }}")
        );
        let go = format!("map[string]any{{\n\t\"a\":      \"{x}\",\n\t\"longer\": map[string]any{{\"b\": true}},\n}}");
        assert_eq!(Style::Go.object(&long, ""), go);
        assert_eq!(Style::TypeScript.object(&long, ""), format!("{{\n  a: \"{x}\",\n  longer: {{ b: true }},\n}}"));
    }

    #[test]
    fn a_value_of_several_lines_ends_a_column() {
        let members =
            [("a:", "1"), ("long:", "2"), ("longest:", "[\n]"), ("b:", "3")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(aligned(&members), ["a:    1", "long: 2", "longest: [\n]", "b: 3"]);
    }
}
