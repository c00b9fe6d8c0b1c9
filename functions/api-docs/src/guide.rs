//! The guides: Markdown files for pages and for the OpenAPI description.

use docmill::domain::catalogue::Catalogue;
use docmill_look::code::{self, Tab};
use maud::{Markup, PreEscaped};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};
use serde_json::Value;

use crate::article::{Article, Links, Section};
use crate::error_code;
use crate::example::{Example, PROGRAMS, Program};

#[derive(Clone, Copy, Debug)]
pub struct Guide {
    pub slug: &'static str,
    text: &'static str,
}

macro_rules! guide {
    ($slug:literal) => {
        Guide { slug: $slug, text: include_str!(concat!("../guides/", $slug, ".md")) }
    };
}

/// In reading order.
pub const GUIDES: [Guide; 14] = [
    guide!("first-conversion"),
    guide!("authentication"),
    guide!("uploads"),
    guide!("fonts"),
    guide!("chains"),
    guide!("archives"),
    guide!("waiting"),
    guide!("lists"),
    guide!("control"),
    guide!("errors"),
    guide!("limits"),
    guide!("idempotency"),
    guide!("webhooks"),
    guide!("versions"),
];

impl Guide {
    pub fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }

    pub fn text(&self) -> &'static str {
        self.text
    }

    pub fn article(&self, catalogue: &Catalogue, links: &Links) -> Article {
        let rendered = render(self.text, catalogue, links);
        Article { summary: first_sentence(self.text), ..Article::new(self.title(), rendered) }
    }
}

/// All guides as one text.
pub fn all() -> String {
    GUIDES.map(|guide| guide.text).join("\n")
}

/// The guides for the OpenAPI description, with examples in curl and links relative to the API's address.
pub fn for_description(catalogue: &Catalogue) -> String {
    let mut text = all();
    for guide in GUIDES {
        text = text.replace(&format!("]({})", guide.slug), &format!("](docs/{})", guide.slug));
    }
    for (fence, read) in FENCES {
        while let Some((before, rest)) = text.split_once(&format!("```{fence}\n")) {
            let Some((fenced, after)) = rest.split_once("```") else { break };
            let tabs = read(fenced, catalogue).unwrap_or_default();
            let curl = tabs.into_iter().next().map_or_else(String::new, |tab| tab.code);
            text = format!("{before}```sh\n{curl}\n```{after}");
        }
    }
    text
}

/// The first paragraph up to its first full stop, as plain text.
fn first_sentence(text: &str) -> String {
    let paragraph = text.split("\n\n").nth(1).unwrap_or_default().replace('\n', " ").replace(['`', '*'], "");
    paragraph.split_once(". ").map_or(paragraph.clone(), |(first, _)| format!("{first}."))
}

/// Turns the content of a fence into code in all languages, curl first.
type Read = fn(&str, &Catalogue) -> Option<Vec<Tab>>;

/// Fences that become code in all languages, by name.
const FENCES: [(&str, Read); 2] = [("example", read_example), ("program", read_program)];

/// An example's fence: `tool file body`.
fn read_example(text: &str, catalogue: &Catalogue) -> Option<Vec<Tab>> {
    let mut words = text.trim().splitn(3, ' ');
    let tool = catalogue.find(words.next()?)?;
    let file = words.next()?.to_owned();
    let body: Value = serde_json::from_str(words.next()?).ok()?;
    Some(Example { file, ..Example::with(&tool.definition, body) }.tabs())
}

/// A program's fence: `name`.
fn read_program(text: &str, _catalogue: &Catalogue) -> Option<Vec<Tab>> {
    PROGRAMS.into_iter().find(|program| program.name == text.trim()).map(Program::tabs)
}

/// The commands of a guide, as a shell script.
pub fn script(text: &str) -> String {
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.collect::<Vec<_>>().join("\n")
}

/// Renders Markdown without its title. Headings get ids, code gets copy buttons, and error codes become links.
pub fn render(text: &str, catalogue: &Catalogue, links: &Links) -> (Markup, Vec<Section>) {
    let mut renderer = Renderer { catalogue, links, sections: Vec::new(), codes: 0, tables: 0, in_link: false };
    let mut events = Vec::new();
    let mut parser = Parser::new_ext(text, Options::ENABLE_TABLES);
    while let Some(event) = parser.next() {
        renderer.add(event, &mut parser, &mut events);
    }
    let mut written = String::new();
    html::push_html(&mut written, events.into_iter());
    (PreEscaped(written), renderer.sections)
}

struct Renderer<'a> {
    catalogue: &'a Catalogue,
    links: &'a Links,
    sections: Vec<Section>,
    codes: usize,
    tables: usize,
    in_link: bool,
}

impl Renderer<'_> {
    #[allow(clippy::wildcard_enum_match_arm, reason = "the library's list is long; the rest is passed on as it is")]
    fn add<'e>(&mut self, event: Event<'e>, rest: &mut Parser<'e>, events: &mut Vec<Event<'e>>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => self.heading(level, rest, events),
            Event::Start(Tag::CodeBlock(kind)) => {
                let code = text_until(TagEnd::CodeBlock, rest);
                events.push(Event::Html(self.code_block(&kind, &code).into()));
            }
            Event::Start(Tag::Table(alignment)) => {
                self.tables += 1;
                let name = format!("Table {}", self.tables);
                let frame = format!("<div class=\"table-frame\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\">");
                events.push(Event::Html(frame.into()));
                events.push(Event::Start(Tag::Table(alignment)));
            }
            Event::End(TagEnd::Table) => {
                events.push(event);
                events.push(Event::Html("</div>".into()));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                self.in_link = true;
                let dest_url = self.address(&dest_url).map_or(dest_url, CowStr::from);
                events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            Event::End(TagEnd::Link) => {
                self.in_link = false;
                events.push(event);
            }
            Event::Code(code) if !self.in_link && error_code::find(&code).is_some() => {
                let target = self.links.to(&format!("/docs/errors/{code}"));
                events.push(Event::InlineHtml(format!("<a href=\"{target}\"><code>{code}</code></a>").into()));
            }
            other => events.push(other),
        }
    }

    fn heading<'e>(&mut self, level: pulldown_cmark::HeadingLevel, rest: &mut Parser<'e>, events: &mut Vec<Event<'e>>) {
        let title = text_until(TagEnd::Heading(level), rest);
        if level == pulldown_cmark::HeadingLevel::H1 {
            return;
        }
        let section = Section::new(&title);
        let heading = maud::html! { @if level == pulldown_cmark::HeadingLevel::H2 { h2 id=(section.id) { (title) } } @else { h3 id=(section.id) { (title) } } };
        events.push(Event::Html(heading.into_string().into()));
        self.sections.push(section);
    }

    fn code_block(&mut self, kind: &CodeBlockKind<'_>, text: &str) -> String {
        self.codes += 1;
        let id = format!("code-{}", self.codes);
        let read = match kind {
            CodeBlockKind::Fenced(info) => FENCES.into_iter().find(|(fence, _)| *fence == info.as_ref()),
            CodeBlockKind::Indented => None,
        };
        let tabs = read.and_then(|(_, read)| read(text, self.catalogue));
        let shown = match tabs {
            Some(tabs) => code::tabs(&id, "Language", &tabs),
            None => code::copyable(&id, text.trim_end()),
        };
        shown.into_string()
    }

    /// The address of a guide that is linked by name.
    fn address(&self, name: &str) -> Option<String> {
        GUIDES.iter().find(|guide| guide.slug == name).map(|guide| self.links.to(&format!("/docs/{}", guide.slug)))
    }
}

/// Consumes events up to the end of an element and returns their text.
#[allow(clippy::wildcard_enum_match_arm, reason = "only text counts")]
fn text_until(end: TagEnd, events: &mut Parser<'_>) -> String {
    let mut text = String::new();
    for event in events {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::End(tag) if tag == end => break,
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::Language;

    #[test]
    fn a_guide_has_sections_tabs_and_links() {
        let catalogue = Catalogue::load().unwrap();
        let (shown, sections) = render(GUIDES[0].text, &catalogue, &Links::of("/docs/first-conversion"));
        let shown = shown.into_string();
        assert!(!shown.contains("<h1") && shown.contains("<h2 id=\"request-bodies\">Request bodies</h2>"), "{shown}");
        assert_eq!(sections.len(), 2);
        for language in Language::ALL {
            assert!(shown.contains(&format!("data-label=\"{}\"", language.name())), "{shown}");
        }
        assert!(shown.contains("<a href=\"../docs/uploads\">Uploads</a>"), "{shown}");
        let (errors, _) = render("| `rate_limited` |\n|---|\n| `internal` |\n", &catalogue, &Links::of("/docs"));
        assert!(errors.into_string().contains("<a href=\"docs/errors/internal\"><code>internal</code></a>"));
    }

    #[test]
    fn the_description_has_curl_and_links_from_the_address_of_the_api() {
        let text = for_description(&Catalogue::load().unwrap());
        assert!(
            !text.contains("```example")
                && !text.contains("```program")
                && text.contains("Prefer: wait=25")
                && text.contains("](docs/waiting)")
        );
    }

    #[test]
    fn every_example_in_a_guide_can_be_read() {
        let catalogue = Catalogue::load().unwrap();
        for (fence, read) in FENCES {
            for fenced in all().split(&format!("```{fence}\n")).skip(1) {
                assert!(read(fenced.split("```").next().unwrap(), &catalogue).is_some(), "{fenced}");
            }
        }
    }
}
