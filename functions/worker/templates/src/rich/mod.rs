//! Rich text of the data: `{~description}` writes HTML and `{~description | markdown}` Markdown, a safe subset of each.

mod word;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};
use pulldown_cmark::{Options, Parser, html};

use crate::expression::Expression;
use crate::problem::Fault;

pub(crate) use word::{Looks, paragraphs};

/// The filter that reads a value as Markdown.
const MARKDOWN: &str = "markdown";

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
    match expression {
        Expression::Filter { name, input, arguments } if name == MARKDOWN => {
            if arguments.is_empty() {
                Ok((*input, Language::Markdown))
            } else {
                Err(no_arguments())
            }
        }
        expression => Ok((expression, Language::Html)),
    }
}

fn no_arguments() -> Fault {
    Fault::invalid("The filter `markdown` takes nothing after it.")
}

/// HTML with nothing but texts, their looks, lists and links to pages and addresses of e-mail.
pub(crate) fn safe_html(text: &str, language: Language) -> String {
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
    match language {
        Language::Html => CLEANER.clean(text).to_string(),
        Language::Markdown => {
            let mut written = String::new();
            html::push_html(&mut written, Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH));
            CLEANER.clean(&written).to_string()
        }
    }
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
            assert_eq!(safe_html(hostile, Language::Html), left);
        }
        let link = "<a href=\"mailto:ada@example.com\" rel=\"noopener noreferrer\">Ada</a>";
        assert_eq!(safe_html("[Ada](mailto:ada@example.com)", Language::Markdown), format!("<p>{link}</p>\n"));
        assert_eq!(safe_html("**a** <script>b</script>", Language::Markdown), "<p><strong>a</strong> </p>\n");
    }
}
