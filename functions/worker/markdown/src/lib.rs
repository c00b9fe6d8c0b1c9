//! Markdown as a page: GitHub's dialect to HTML, with a theme's stylesheet, a title block and a table of contents.
//!
//! HTML in the Markdown is kept: the engine that prints the page confines it.

#![warn(missing_docs, clippy::missing_errors_doc)]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod contents;
mod front_matter;
mod headings;
mod links;
mod theme;

use std::sync::Arc;

use comrak::nodes::NodeValue;
use comrak::options::Plugins;
use comrak::{Arena, Options, format_html, format_html_with_plugins, parse_document};
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub use front_matter::FrontMatter;
use headings::Headings;
use links::AbsoluteLinks;
pub use theme::Theme;

/// Options of a page.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// How the page looks.
    pub theme: Theme,
    /// The caller's stylesheet, which follows the theme's.
    pub css: Option<&'a str>,
    /// Whether it begins with a table of contents.
    pub contents: bool,
    /// The absolute address of the Markdown.
    pub base: Option<&'a str>,
    /// The title if the document has none.
    pub name: Option<&'a str>,
}

/// A page, and the metadata of its Markdown.
#[derive(Debug)]
pub struct Page {
    /// A whole document, with its stylesheet.
    pub html: String,
    /// With the title that the page has.
    pub front_matter: FrontMatter,
    /// The front matter cannot be read. It is kept as text.
    pub unreadable_front_matter: bool,
}

/// Makes a page.
///
/// # Errors
/// If the library can't write.
pub fn render(markdown: &str, look: Look<'_>) -> Result<Page, std::fmt::Error> {
    let (front_matter, text, unreadable_front_matter) = match FrontMatter::split(markdown) {
        Ok((front_matter, text)) => (front_matter, text, false),
        Err(front_matter::Unreadable) => (FrontMatter::default(), markdown, true),
    };
    let body = Body::of(text, look)?;
    let first = body.headings.first().map(|heading| heading.text.clone());
    let title = front_matter.title.clone().or(first).or_else(|| look.name.map(str::to_owned));
    let html = page(&front_matter, title.as_deref().unwrap_or_default(), &body, look).into_string();
    Ok(Page { html, front_matter: FrontMatter { title, ..front_matter }, unreadable_front_matter })
}

/// The text as HTML, without a page around it.
///
/// # Errors
/// If the library can't write.
pub fn to_html(text: &str, base: Option<&str>) -> Result<String, std::fmt::Error> {
    let (arena, options) = (Arena::new(), options(base));
    let mut html = String::new();
    format_html(parse_document(&arena, text, &options), &options, &mut html)?;
    Ok(html)
}

/// A document's text as HTML.
struct Body {
    /// The first heading, if the text begins with a heading of level 1.
    opening: String,
    rest: String,
    headings: Vec<headings::Heading>,
}

impl Body {
    fn of(text: &str, look: Look<'_>) -> Result<Self, std::fmt::Error> {
        let arena = Arena::new();
        let options = options(look.base);
        let root = parse_document(&arena, text, &options);
        let headings = Headings::default();
        let mut plugins = Plugins::default();
        plugins.render.heading_adapter = Some(&headings);
        let (mut opening, mut rest) = (String::new(), String::new());
        let first = root.first_child();
        if let Some(first) =
            first.filter(|node| matches!(&node.data().value, NodeValue::Heading(heading) if heading.level == 1))
        {
            format_html_with_plugins(first, &options, &mut opening, &plugins)?;
            first.detach();
        }
        format_html_with_plugins(root, &options, &mut rest, &plugins)?;
        Ok(Self { opening, rest, headings: headings.into_list() })
    }
}

fn options(base: Option<&str>) -> Options<'static> {
    let mut options = Options::default();
    let extension = &mut options.extension;
    extension.table = true;
    extension.tasklist = true;
    extension.strikethrough = true;
    extension.autolink = true;
    extension.footnotes = true;
    extension.alerts = true;
    if let Some(links) = base.and_then(AbsoluteLinks::new) {
        let links = Arc::new(links);
        extension.image_url_rewriter = Some(links.clone());
        extension.link_url_rewriter = Some(links);
    }
    options.render.r#unsafe = true;
    options
}

fn page(front_matter: &FrontMatter, title: &str, body: &Body, look: Look<'_>) -> Markup {
    // The first heading is the title, unless the front matter has another.
    let first = body.headings.first();
    let has_other_title =
        front_matter.title.as_ref().is_some_and(|title| first.is_none_or(|first| first.text != *title));
    let highest = if has_other_title { 1 } else { contents::below_title(&body.headings) };
    let contents = look.contents.then(|| contents::list(&body.headings, highest, front_matter.lang.as_deref()));
    let (before, after) = if has_other_title { (contents, None) } else { (None, contents) };
    html! {
        (DOCTYPE)
        html lang=[front_matter.lang.as_deref()] {
            head {
                meta charset="utf-8";
                title { (title) }
                style { (PreEscaped(look.theme.css())) }
                @if let Some(css) = look.css { style { (PreEscaped(harmless(css))) } }
            }
            body class=(look.theme.name()) {
                (look.theme.header(front_matter, first))
                @if let Some(contents) = before { (contents) }
                (PreEscaped(&body.opening))
                @if let Some(contents) = after { (contents) }
                main { (PreEscaped(&body.rest)) }
            }
        }
    }
}

/// A stylesheet that can't end its element. In CSS, an escaped slash is a slash.
fn harmless(css: &str) -> String {
    css.replace("</", "<\\/")
}

#[cfg(test)]
mod tests;
