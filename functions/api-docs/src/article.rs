//! The content of a page, and its links.

use maud::Markup;

/// Relative addresses, since only the gateway knows what comes before `/docs`.
#[derive(Clone, Debug)]
pub struct Links {
    prefix: String,
}

impl Links {
    /// `path` begins with a slash, as in `/docs/uploads`.
    pub fn of(path: &str) -> Self {
        Self { prefix: "../".repeat(path.matches('/').count().saturating_sub(1)) }
    }

    pub fn to(&self, path: &str) -> String {
        match format!("{}{}", self.prefix, path.trim_start_matches('/')) {
            empty if empty.is_empty() => "./".to_owned(),
            link => link,
        }
    }
}

/// A heading that links can point to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub id: String,
    pub title: String,
}

impl Section {
    pub fn new(title: &str) -> Self {
        Self { id: slug(title), title: title.to_owned() }
    }
}

/// Lower case, with hyphens between words.
pub fn slug(title: &str) -> String {
    let letters = title.chars().map(|letter| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' });
    letters.collect::<String>().split_whitespace().collect::<Vec<_>>().join("-")
}

/// The content of a page.
#[derive(Clone, Debug)]
pub struct Article {
    pub title: String,
    /// One sentence, also used by search engines.
    pub summary: String,
    pub body: Markup,
    pub sections: Vec<Section>,
    /// Whether code stands beside the text, so that the page's contents go above it.
    pub is_wide: bool,
}

impl Article {
    pub fn new(title: &str, (body, sections): (Markup, Vec<Section>)) -> Self {
        Self { title: title.to_owned(), summary: String::new(), body, sections, is_wide: false }
    }
}

/// A text up to its first full stop, without Markdown's marks.
pub fn first_sentence(text: &str) -> String {
    let plain = text.replace('\n', " ").replace(['`', '*'], "");
    plain.split_once(". ").map_or(plain.clone(), |(first, _)| format!("{first}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_from_any_depth_reach_the_same_page() {
        for (page, link) in
            [("/docs", "docs/uploads"), ("/docs/errors", "../docs/uploads"), ("/docs/tools/x", "../../docs/uploads")]
        {
            assert_eq!(Links::of(page).to("/docs/uploads"), link);
        }
        assert_eq!((Links::of("/docs").to("/"), Links::of("/docs/errors").to("/")), ("./".into(), "../".into()));
    }

    #[test]
    fn titles_become_ids() {
        assert_eq!(slug("What a job looks like?"), "what-a-job-looks-like");
    }
}
