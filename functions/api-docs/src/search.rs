//! The search index: pages, their sections, and options of tools.

use docmill_look::schema::plain;
use serde_json::{Value, json};

use crate::article::slug;
use crate::book::Book;
use crate::contents::{Entry, Group};
use crate::{error, guide};

/// Pages outside the documentation.
const OTHER_PAGES: [[&str; 4]; 2] = [
    ["Plans and prices", "This service", "plans", "What a document costs, credits and limits of each plan."],
    ["All tools", "This service", "tools", "Every tool, to try in the browser."],
];

/// Pages that say what changed, which is not where an answer stands: they are found by their title.
const CHANGES: [&str; 2] = ["api-changes", "changelog"];

/// Entries of `[title, page, path, text]`. Paths are relative to the API's address.
pub fn index(book: &Book) -> Value {
    let mut found: Vec<_> = OTHER_PAGES.iter().map(|page| json!(page)).collect();
    for entry in book.entries() {
        let name = entry.path.rsplit('/').next().unwrap_or_default();
        let page = |text: &str| json!([entry.title, entry.heading, link(&entry.path), text]);
        match entry.group {
            Group::Guides | Group::About if CHANGES.contains(&name) => found.push(page(&summary(book, &entry))),
            Group::Guides | Group::About => found.extend(sections(&entry, name)),
            Group::Tools => {
                found.push(page(&of_tool(book, name)));
                found.extend(options(book, &entry.title, &entry.path, name));
            }
            Group::Errors => found.push(page(error::meaning(name).unwrap_or_default())),
            Group::Reference => found.push(page(&summary(book, &entry))),
        }
    }
    Value::Array(found)
}

/// What a tool does, and the formats that it takes.
fn of_tool(book: &Book, name: &str) -> String {
    book.catalogue().find(name).map_or_else(String::new, |tool| {
        let definition = &tool.definition;
        format!("{} {}", definition.description.replace('`', ""), definition.sources.extensions().join(" "))
    })
}

fn link(path: &str) -> String {
    path.trim_start_matches('/').to_owned()
}

fn summary(book: &Book, entry: &Entry) -> String {
    book.article(&entry.path).map_or_else(String::new, |article| article.summary)
}

/// A guide's sections with their text, without code. The first one is the page.
fn sections(entry: &Entry, name: &str) -> Vec<Value> {
    let text =
        guide::GUIDES.iter().chain(&guide::ABOUT).find(|guide| guide.slug == name).map_or("", |guide| guide.text());
    let parts = text.split("\n## ").enumerate().map(|(index, part)| {
        let (heading, text) = part.split_once('\n').unwrap_or((part, ""));
        // Every other part is code.
        let prose = text.split("```").step_by(2).collect::<String>();
        let plain = without_targets(&prose).replace(['`', '*', '|', '['], "");
        // Without the bullets of lists and the rules of tables.
        let words = plain.split_whitespace().filter(|word| !word.trim_matches('-').is_empty());
        let words = words.collect::<Vec<_>>().join(" ");
        let page = link(&entry.path);
        match index {
            0 => json!([entry.title, entry.heading, page, words]),
            _ => json!([heading, entry.title, format!("{page}#{}", slug(heading)), words]),
        }
    });
    parts.collect()
}

/// The text without the targets of its links, which nobody searches for.
fn without_targets(text: &str) -> String {
    let mut parts = text.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |read, part| read + part.split_once(')').map_or(part, |(_, after)| after))
}

fn options(book: &Book, title: &str, path: &str, name: &str) -> Vec<Value> {
    let Some(tool) = book.catalogue().find(name) else { return Vec::new() };
    let properties = tool.definition.parameters["properties"]["options"]["properties"].as_object();
    let option = |(name, schema): (&String, &Value)| {
        let choices: Vec<_> = schema["enum"].as_array().into_iter().flatten().map(plain).collect();
        let described = schema["description"].as_str().unwrap_or_default().replace('`', "");
        let text = format!("{described} {} {}", choices.join(" "), names_of_members(schema).join(" "));
        json!([name, title, format!("{}#options.{name}", link(path)), text.trim()])
    };
    properties.into_iter().flatten().map(option).collect()
}

/// The names of an option's own properties, at any depth.
fn names_of_members(schema: &Value) -> Vec<&str> {
    let own = schema["properties"].as_object().into_iter().flatten();
    let own = own.flat_map(|(name, member)| std::iter::once(name.as_str()).chain(names_of_members(member)));
    let choices = ["anyOf", "oneOf"].into_iter().filter_map(|keyword| schema[keyword].as_array()).flatten();
    own.chain(choices.chain([&schema["items"]]).filter(|part| part.is_object()).flat_map(names_of_members)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_searched_without_the_targets_of_links() {
        assert_eq!(without_targets("First [upload](uploads) it (once), [then](a#b)"), "First [upload it (once), [then");
    }

    #[test]
    fn options_errors_and_sections_are_found() {
        let index = index(&Book::load().unwrap());
        let found: Vec<_> = index
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| (entry[0].as_str().unwrap(), entry[2].as_str().unwrap()))
            .collect();
        for expected in [
            ("pageRange", "docs/tools/office-to-pdf#options.pageRange"),
            ("rate_limited", "docs/errors/rate_limited"),
            ("Verify the signature", "docs/webhooks#verify-the-signature"),
            ("Create a job", "docs/api/create-job"),
            ("Privacy", "docs/security#privacy"),
        ] {
            assert!(found.contains(&expected), "{expected:?}");
        }
        let mut links: Vec<_> = found.iter().map(|(_, path)| path).collect();
        links.sort_unstable();
        assert!(links.windows(2).all(|pair| pair[0] != pair[1]), "an entry is there twice");
        let texts =
            index.as_array().unwrap().iter().map(|entry| (entry[2].as_str().unwrap(), entry[3].as_str().unwrap()));
        let of_text = texts.into_iter().find(|(path, _)| *path == "docs/tools/redact-pdf#options.text").unwrap().1;
        assert!(of_text.contains("wholeWords"), "{of_text}");
        let bytes = index.to_string().len();
        assert!(bytes < 197_000, "{bytes} bytes: shorten descriptions");
    }
}
