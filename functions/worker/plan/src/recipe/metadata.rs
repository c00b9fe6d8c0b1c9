//! Metadata that a step reads in a source and a later one writes into the PDF.

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The metadata of a front matter.
#[derive(Debug, Default, Deserialize)]
struct FrontMatter {
    title: Option<String>,
    author: Option<String>,
    subject: Option<String>,
    keywords: Option<String>,
    date: Option<String>,
}

/// The metadata to set. `None` if there is only the page's title, which the browser sets.
pub(super) fn of_front_matter(report: Option<&Value>) -> Option<Value> {
    let read = report.and_then(|report| FrontMatter::deserialize(report).ok()).unwrap_or_default();
    let FrontMatter { title, author, subject, keywords, date } = &read;
    let others = [("author", author), ("subject", subject), ("keywords", keywords)];
    if others.iter().all(|(_, value)| value.is_none()) && date.is_none() {
        return None;
    }
    let mut entries: Map<String, Value> = others
        .into_iter()
        .chain([("title", title)])
        .filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?))))
        .collect();
    if let Some(date) = date {
        entries.insert("custom".into(), json!({"Date": date}));
    }
    Some(json!({"set": entries}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_sets_the_title_if_there_is_nothing_else() {
        let read = |report: Value| of_front_matter(Some(&report));
        assert_eq!(read(json!({"title": "T"})), None);
        assert_eq!(
            read(json!({"title": "T", "author": "A", "date": "2026"})),
            Some(json!({"set": {"author": "A", "title": "T", "custom": {"Date": "2026"}}}))
        );
    }
}
