//! Places in a request, in the words of the command line.

use docmill_domain::tool::command::kebab;
use serde_json::{Map, Value};

/// What is wrong, and where: the JSON pointer becomes the option that was typed.
pub fn described(pointer: &str, message: &str) -> String {
    let place = place(pointer);
    if place.is_empty() { message.to_owned() } else { format!("{place} {message}") }
}

/// A message with the entries of options as they were typed: “Jane Doe” instead of `text[0]`.
pub fn with_entries(message: &str, options: &Map<String, Value>) -> String {
    let entry = |name: &str| {
        let (option, index) = name.strip_suffix(']')?.split_once('[')?;
        let entry = options.get(option)?.get(index.parse::<usize>().ok()?)?;
        Some(entry.as_str().map_or_else(|| entry.to_string(), |text| format!("“{text}”")))
    };
    // Every second part stands between backticks.
    let told = |(number, part): (usize, &str)| match number % 2 {
        0 => part.to_owned(),
        _ => entry(part).unwrap_or_else(|| format!("`{part}`")),
    };
    message.split('`').enumerate().map(told).collect()
}

fn place(pointer: &str) -> String {
    let names: Vec<&str> = pointer.trim_start_matches('/').split('/').collect();
    match names.as_slice() {
        [""] | ["options"] => String::new(),
        ["options", name, rest @ ..] => within(&format!("--{}", kebab(name)), rest),
        ["then", number, rest @ ..] => prefixed(&format!("--then {}", ordinal(number)), rest),
        ["items", number, rest @ ..] => prefixed(&format!("document {}", ordinal(number)), rest),
        ["input", "sources", number, rest @ ..] => prefixed(&format!("source {}", ordinal(number)), rest),
        ["input", "headers", name, ..] | ["headers", name, ..] => format!("--source-header {name}"),
        ["input", rest @ ..] => of_source(rest),
        ["metadata", name, ..] => format!("--tag {name}"),
        ["output", "keepSignatures", ..] => "--keep-signatures".to_owned(),
        ["password" | "pageRange" | "title", ..] => of_source(&names),
        names => names.join("."),
    }
}

/// A property of a source: an option, or the source itself.
fn of_source(names: &[&str]) -> String {
    match names {
        [name @ ("password" | "pageRange" | "title"), ..] => format!("--{}", kebab(name)),
        _ => "the source".to_owned(),
    }
}

fn prefixed(start: &str, names: &[&str]) -> String {
    let rest = place(&names.join("/"));
    if rest.is_empty() { format!("{start}:") } else { format!("{start}: {rest}") }
}

fn within(start: &str, names: &[&str]) -> String {
    if names.is_empty() { start.to_owned() } else { format!("{start} ({})", names.join(".")) }
}

/// People count from 1.
fn ordinal(index: &str) -> String {
    index.parse::<usize>().map_or_else(|_| index.to_owned(), |index| (index + 1).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn entries_are_named_as_they_were_typed() {
        let options = json!({"text": ["Jane Doe", {"pattern": "x+"}]});
        let told = |message: &str| with_entries(message, options.as_object().unwrap());
        let expected = r#"Not found on any page: “Jane Doe”, {"pattern":"x+"}."#;
        assert_eq!(told("Not found on any page: `text[0]`, `text[1]`."), expected);
        for other in ["`text[2]` and `regions[0]`", "Use `title`.", "no name"] {
            assert_eq!(told(other), other);
        }
    }

    #[test]
    fn places_are_what_was_typed() {
        for (pointer, typed) in [
            ("", "is wrong"),
            ("/options", "is wrong"),
            ("/options/pageRange", "--page-range is wrong"),
            ("/options/fields/2/name", "--fields (2.name) is wrong"),
            ("/then/1/options/dpi", "--then 2: --dpi is wrong"),
            ("/then/0", "--then 1: is wrong"),
            ("/items/6/options/dpi", "document 7: --dpi is wrong"),
            ("/input/password", "--password is wrong"),
            ("/input/sources/1/pageRange", "source 2: --page-range is wrong"),
            ("/input/headers/accept", "--source-header accept is wrong"),
            ("/input/sourceUrl", "the source is wrong"),
            ("/metadata/order", "--tag order is wrong"),
            ("/output/filename", "output.filename is wrong"),
        ] {
            assert_eq!(described(pointer, "is wrong"), typed, "{pointer}");
        }
    }
}
