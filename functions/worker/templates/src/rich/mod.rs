//! Rich text of the data: `{~description}` writes HTML and `{~description | markdown}` Markdown, a safe subset of each.

mod word;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use comrak::{Options, markdown_to_html};

use crate::expression::Expression;
use crate::problem::Fault;

pub(crate) use word::{Looks, link, paragraphs};

/// The filter that reads a value as Markdown.
const MARKDOWN: &str = "markdown";
/// Most elements of a text.
const MOST_ELEMENTS: usize = 20_000;
/// What is as much work as to fill a tag.
const BYTES_OF_STEP: usize = 16;
const LOOKS_OF_STEP: usize = 1000;

const TAGS: [&str; 25] = [
    "a",
    "b",
    "blockquote",
    "br",
    "code",
    "del",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "i",
    "li",
    "ol",
    "p",
    "s",
    "strong",
    "sub",
    "sup",
    "u",
    "ul",
    "span",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Html,
    Markdown,
}

/// The expression whose value is written, and its language.
pub(crate) fn split(expression: Expression) -> Result<(Expression, Language), Fault> {
    let Expression::Filter { name, input, arguments } = expression else { return Ok((expression, Language::Html)) };
    if name != MARKDOWN {
        return Ok((Expression::Filter { name, input, arguments }, Language::Html));
    }
    if arguments.is_empty() { Ok((*input, Language::Markdown)) } else { Err(no_arguments()) }
}

fn no_arguments() -> Fault {
    Fault::invalid("The filter `markdown` takes no argument.")
}

/// A value as HTML, which is not safe yet.
pub(crate) fn html(text: &str, language: Language) -> Cow<'_, str> {
    match language {
        Language::Html => Cow::Borrowed(text),
        Language::Markdown => {
            let mut options = Options::default();
            options.extension.strikethrough = true;
            // `safe` takes out what must not be in it.
            options.render.r#unsafe = true;
            Cow::Owned(markdown_to_html(text, &options))
        }
    }
}

/// How much work it is to make this safe: for each element, its parser may look at all others. `None`: too much.
pub(crate) fn steps(html: &str) -> Option<usize> {
    let elements = memchr::memchr_iter(b'<', html.as_bytes()).count();
    (elements <= MOST_ELEMENTS).then_some(html.len() / BYTES_OF_STEP + elements * elements / LOOKS_OF_STEP)
}

/// HTML with nothing but texts, their looks, lists and links to pages and addresses of e-mail.
pub(crate) fn safe(html: &str) -> String {
    static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
        let mut cleaner = Builder::default();
        cleaner
            .tags(HashSet::from(TAGS))
            .tag_attributes(HashMap::from([("a", HashSet::from(["href"]))]))
            .generic_attributes(HashSet::new())
            .url_schemes(HashSet::from(["http", "https", "mailto"]))
            .url_relative(UrlRelative::Deny);
        cleaner
    });
    CLEANER.clean(html).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_runs_or_loads_is_left() {
        for (hostile, left) in [
            ("<p onclick=\"x()\" style=\"color:red\">a<script>x()</script></p>", "<p>a</p>"),
            ("<a href=\"javascript:x()\">a</a>", "<a rel=\"noopener noreferrer\">a</a>"),
            ("<a href=\"/local\">a</a>", "<a rel=\"noopener noreferrer\">a</a>"),
            ("<img src=\"http://169.254.169.254/\"><iframe src=\"x\"></iframe>b", "b"),
            ("<svg><style>@import 'x'</style></svg>c", "c"),
            ("<b>open <i>both", "<b>open <i>both</i></b>"),
        ] {
            assert_eq!(safe(hostile), left);
        }
        let link = "<a href=\"mailto:ada@example.com\" rel=\"noopener noreferrer\">Ada</a>";
        let markdown = |text: &str| safe(&html(text, Language::Markdown));
        assert_eq!(markdown("[Ada](mailto:ada@example.com)"), format!("<p>{link}</p>\n"));
        assert_eq!(markdown("**a** <script>b</script>"), "<p><strong>a</strong> </p>\n");
    }

    #[test]
    fn fuzz_rich_text() {
        let run = vec![("b".to_owned(), "<w:b/>".to_owned())];
        let looks = Looks { paragraph: "<w:pPr><w:jc w:val=\"both\"/></w:pPr>".to_owned(), style: String::new(), run };
        let around = "xmlns:w=\"w\"";
        docmill_fuzz::fuzz("rich-text", &[], |bytes| {
            let text = String::from_utf8_lossy(bytes);
            for language in [Language::Html, Language::Markdown] {
                let html = html(&text, language);
                if steps(&html).is_none() {
                    continue;
                }
                let safe = safe(&html);
                assert!(!safe.contains("<script") && !safe.contains("<style") && !safe.contains("<img"), "{safe}");
                for looks in [&looks, &Looks::default()] {
                    let xml = paragraphs(&safe, looks);
                    assert!(xml.starts_with("<w:p>") && xml.ends_with("</w:p>"), "{xml}");
                    assert!(docmill_package::markup::is_well_formed(&xml, around), "{xml}");
                    // Whole fields, which run nothing.
                    let signs = |kind: &str| xml.matches(&format!("fldCharType=\"{kind}\"")).count();
                    assert_eq!((signs("begin"), signs("separate")), (signs("end"), signs("end")), "{xml}");
                    let instructions = xml.split(" HYPERLINK \"").skip(1);
                    assert!(instructions.clone().all(|text| !text.to_lowercase().starts_with("javascript")), "{xml}");
                }
            }
        });
    }
}
