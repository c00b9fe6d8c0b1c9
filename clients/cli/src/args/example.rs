//! An example of each verb, made of the one in its tool's schema: it shows how lists and objects are written.

use docmill_domain::catalogue::Tool;
use docmill_domain::tool::command::kebab;
use serde_json::Value;

use super::value::{Shape, plain};
use crate::catalogue;

/// Longer objects come from a file: help breaks their lines, and a shell would take the breaks for part of them.
const LONGEST: usize = 60;

/// A command with the options of the schema's first example; `None` if it has none.
pub(super) fn of(tool: &'static Tool) -> Option<String> {
    let options = tool.definition.parameters.pointer("/properties/options/examples/0")?.as_object()?;
    let source = format!("document.{}", tool.definition.sources.formats.first()?);
    let mut words = vec!["docmill".to_owned(), catalogue::verb(tool).to_owned(), source];
    for (name, value) in options {
        let schema = catalogue::option(tool, name)?;
        let flag = format!("--{}", kebab(name));
        match (Shape::of(schema), value) {
            (Shape::Switch, Value::Bool(true)) => words.push(flag),
            (Shape::Switch, _) => words.push(format!("{flag}={value}")),
            (Shape::List, Value::Array(entries)) => {
                for entry in entries {
                    words.extend([flag.clone(), plain(entry)]);
                }
            }
            (Shape::Object | Shape::Any, _) if plain(value).len() > LONGEST => {
                words.extend([flag, format!("@{name}.json")]);
            }
            (Shape::Whole | Shape::Number | Shape::Text | Shape::List | Shape::Object | Shape::Any, _) => {
                words.extend([flag, plain(value)]);
            }
        }
    }
    let quoted = words.iter().map(|word| shlex::try_quote(word).ok()).collect::<Option<Vec<_>>>()?;
    Some(quoted.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::tool::ToolArgs;

    #[test]
    fn each_example_means_the_options_of_the_schema() {
        let mut shown = 0;
        for tool in catalogue::tools() {
            let Some(example) = of(tool) else { continue };
            let options = tool.definition.parameters.pointer("/properties/options/examples/0").unwrap();
            let of_file = |word: String| match word.strip_prefix('@').and_then(|file| file.strip_suffix(".json")) {
                Some(name) => plain(&options[name]),
                None => word,
            };
            let words: Vec<_> = shlex::split(&example).unwrap().into_iter().map(of_file).collect();
            let matches = crate::args::command().try_get_matches_from(&words).unwrap_or_else(|error| panic!("{error}"));
            let (_, matches) = matches.subcommand().unwrap();
            let read = ToolArgs::read(tool, matches).unwrap_or_else(|failure| panic!("{example}: {failure}"));
            assert_eq!(&Value::Object(read.options), options, "{example}");
            shown += 1;
        }
        assert!(shown >= 6, "only {shown} tools have an example");
    }
}
