//! The tools of this build, their verbs, and file formats by suffix.

use std::path::Path;
use std::sync::LazyLock;

use docmill_domain::catalogue::{Catalogue, Tool};
use docmill_domain::intake::Sources;
use docmill_domain::nearest::nearest;
use docmill_domain::tool::command;
use docmill_formats::{Family, Format};
use serde_json::{Map, Value};

use crate::failure::{Failure, Outcome};

/// Every tool. A test loads the files, so an empty catalogue does not occur.
static TOOLS: LazyLock<Option<Catalogue>> = LazyLock::new(|| Catalogue::load().ok());

pub fn tools() -> &'static [Tool] {
    TOOLS.as_ref().map_or(&[], Catalogue::tools)
}

pub fn catalogue() -> Option<&'static Catalogue> {
    TOOLS.as_ref()
}

/// A tool by its slug or its verb.
pub fn find(name: &str) -> Option<&'static Tool> {
    tools().iter().find(|tool| tool.definition.slug == name || verb(tool) == name)
}

/// The same, if the user names it.
pub fn named(name: &str) -> Outcome<&'static Tool> {
    find(name).ok_or_else(|| {
        let meant = nearest(name, tools().iter().flat_map(|tool| [verb(tool), tool.definition.slug.as_str()]));
        let meant = meant.map(|meant| format!(" Did you mean `{meant}`?")).unwrap_or_default();
        Failure::usage(format!("There is no tool {name:?}.{meant}")).with_hint("`docmill tools` lists them.")
    })
}

/// The verb of a tool: `merge` for `merge-pdf`.
pub fn verb(tool: &'static Tool) -> &'static str {
    command::verb(&tool.definition.slug)
}

/// The schemas of a tool's options, by name.
pub fn options(tool: &'static Tool) -> impl Iterator<Item = (&'static str, &'static Value)> {
    let found = tool.definition.parameters.pointer("/properties/options/properties").and_then(Value::as_object);
    found.into_iter().flat_map(Map::iter).map(|(name, schema)| (name.as_str(), schema))
}

pub fn option(tool: &'static Tool, name: &str) -> Option<&'static Value> {
    options(tool).find(|(option, _)| *option == name).map(|(_, schema)| schema)
}

/// A format by a file's suffix or by the name that a user gives it. Unknown ones keep their names, for messages.
pub fn format_of(suffix: &str) -> String {
    let suffix = suffix.trim_start_matches('.').to_ascii_lowercase();
    Format::from_extension(&suffix).map_or(suffix, |format| format.extension().to_owned())
}

/// A file's format by its suffix.
pub fn format_of_path(path: &Path) -> Option<String> {
    path.extension().and_then(|suffix| suffix.to_str()).map(format_of)
}

/// Whether any tool takes or makes this format. Other suffixes say nothing about a file.
pub fn is_format(format: &str) -> bool {
    let Some(format) = Format::from_extension(format) else { return false };
    let made = |tool: &'static Tool| tool.definition.all_outputs().any(|made| made == format);
    format == Format::Zip || tools().iter().any(|tool| tool.definition.sources.accepts(format) || made(tool))
}

/// Whether it is a picture made of pixels.
pub fn is_picture(format: &str) -> bool {
    Format::from_extension(format).is_some_and(|format| format.family() == Family::Picture)
}

/// Whether a tool's sources may have this format.
pub fn accepts(sources: &Sources, format: &str) -> bool {
    Format::from_extension(format).is_some_and(|format| sources.accepts(format))
}

/// The media type by a file's suffix.
pub fn media_type_of_path(path: &Path) -> &'static str {
    media_type(&format_of_path(path).unwrap_or_default())
}

/// The media type that an upload is announced with.
pub fn media_type(format: &str) -> &'static str {
    match format {
        "ttf" | "ttc" => "font/ttf",
        "otf" => "font/otf",
        "woff2" => "font/woff2",
        "xml" => "application/xml",
        _ => Format::from_extension(format).unwrap_or(Format::Other).media_type(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_short_and_each_means_one_tool() {
        assert!(tools().len() > 20);
        for tool in tools() {
            assert_eq!(find(verb(tool)).unwrap().definition.slug, tool.definition.slug);
            assert_eq!(find(&tool.definition.slug).unwrap().definition.slug, tool.definition.slug);
        }
        let of = |slug: &str| verb(find(slug).unwrap());
        assert_eq!(
            [of("merge-pdf"), of("office-to-pdf"), of("inspect-document")],
            ["merge", "office-to-pdf", "inspect"]
        );
        assert_eq!([of("compare-documents"), of("convert-office")], ["compare", "convert-office"]);
    }

    #[test]
    fn a_misspelled_tool_is_told_with_the_one_that_was_probably_meant() {
        assert!(named("ocrr").unwrap_err().message.ends_with("Did you mean `ocr`?"));
    }

    #[test]
    fn suffixes_name_formats() {
        assert_eq!(format_of_path(Path::new("a/B.JPEG")).as_deref(), Some("jpg"));
        assert_eq!((format_of(".htm"), format_of_path(Path::new("README"))), ("html".to_owned(), None));
    }
}
