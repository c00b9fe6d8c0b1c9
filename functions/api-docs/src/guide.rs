//! The guides: Markdown files for pages and for the OpenAPI description.

use comrak::nodes::{AstNode, Node, NodeValue};
use comrak::{Arena, Options, format_html, parse_document};
use docmill_domain::catalogue::Catalogue;
use docmill_look::assets;
use docmill_look::code::{self, Tab};
use docmill_look::example::{Example, Program, clients};
use docmill_look::highlight::Syntax;
use maud::{Markup, PreEscaped};
use serde_json::Value;

use crate::article::{Article, Links, Section, first_sentence};
use crate::error_code;
use crate::program::PROGRAMS;

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

/// In the order of [`docmill_look::GUIDES`].
pub static GUIDES: [Guide; 34] = [
    guide!("first-conversion"),
    guide!("authentication"),
    guide!("uploads"),
    guide!("waiting"),
    guide!("templates"),
    guide!("extraction"),
    guide!("stamps"),
    guide!("archives"),
    guide!("accessibility"),
    guide!("signatures"),
    guide!("invoices"),
    guide!("fonts"),
    guide!("chains"),
    guide!("batches"),
    guide!("lists"),
    guide!("control"),
    guide!("limits"),
    guide!("errors"),
    guide!("request-log"),
    guide!("warnings"),
    guide!("idempotency"),
    guide!("events"),
    guide!("webhooks"),
    guide!("receipts"),
    guide!("command-line"),
    guide!("python"),
    guide!("typescript"),
    guide!("go"),
    guide!("rust"),
    guide!("assistants"),
    guide!("n8n"),
    guide!("generators"),
    guide!("versions"),
    guide!("api-changes"),
];

impl Guide {
    pub fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }

    pub fn text(&self) -> &'static str {
        self.text
    }

    /// The first sentence.
    pub fn summary(&self) -> String {
        summary(self.text)
    }

    pub fn article(&self, catalogue: &Catalogue, links: &Links) -> Article {
        let rendered = render(self.text, catalogue, links);
        Article { summary: summary(self.text), ..Article::new(self.title(), rendered) }
    }
}

macro_rules! about {
    ($slug:literal, $path:literal) => {
        Guide { slug: $slug, text: include_str!($path) }
    };
}

/// Pages about the service, in the order of [`docmill_look::LEGAL`]. Operators replace these files with their own texts.
pub const ABOUT: [Guide; 4] = [
    about!("changelog", "../../../CHANGELOG.md"),
    about!("status", "../pages/status.md"),
    about!("security", "../pages/security.md"),
    about!("terms", "../pages/terms.md"),
];

/// All guides under the titles of their groups.
pub fn groups() -> impl Iterator<Item = (&'static str, Vec<&'static Guide>)> {
    docmill_look::GUIDES.iter().map(|group| {
        let guides = group.guides.iter().filter_map(|slug| GUIDES.iter().find(|guide| guide.slug == *slug));
        (group.title, guides.collect())
    })
}

/// All guides as one text.
pub fn all() -> String {
    GUIDES.map(|guide| guide.text).join("\n")
}

/// What the OpenAPI description says about the guides: their titles, with links relative to the API's address.
pub fn for_description() -> String {
    let guides = GUIDES.map(|guide| format!("- [{}](docs/{})\n", guide.title(), guide.slug)).concat();
    format!(
        "Docmill converts documents. Every conversion is a job: create it, and wait for its result or ask again later.\n\n{guides}"
    )
}

/// The first sentence of the first paragraph. Headings, code, lists and tables are none.
fn summary(text: &str) -> String {
    let mut in_code = false;
    let mut paragraphs = text.split("\n\n").filter(|part| {
        let was_in_code = in_code;
        in_code ^= part.matches("```").count() % 2 == 1;
        !was_in_code && !part.trim_start().starts_with(['#', '`', '|', '-', '1'])
    });
    paragraphs.next().map(first_sentence).unwrap_or_default()
}

/// A guide as plain Markdown: its fences of examples and programs as code in curl and Python, its links to pages in Markdown.
pub fn as_markdown(text: &str, catalogue: &Catalogue) -> String {
    let mut text = text.to_owned();
    for guide in GUIDES {
        for end in [')', '#'] {
            text = text.replace(&format!("]({}{end}", guide.slug), &format!("]({}.md{end}", guide.slug));
        }
    }
    text = text.replace("](/", "](../").replace("](extraction.webp)", "](../assets/extraction.webp)");
    for (fence, read) in FENCES {
        while let Some((before, rest)) = text.split_once(&format!("```{fence}\n")) {
            let Some((fenced, after)) = rest.split_once("```") else { break };
            let tabs = read(fenced, catalogue).unwrap_or_default();
            text = format!("{before}{}{after}", in_fences(&tabs));
        }
    }
    text
}

/// The code in curl and Python, as fences.
pub fn in_fences(tabs: &[Tab]) -> String {
    let fence = |tab: &Tab| match tab.label {
        "curl" => Some(format!("```sh\n{}\n```", tab.code)),
        "Python" => Some(format!("```python\n{}\n```", tab.code)),
        _ => None,
    };
    tabs.iter().filter_map(fence).collect::<Vec<_>>().join("\n\n")
}

/// Turns the content of a fence into code in all languages, curl first.
type Read = fn(&str, &Catalogue) -> Option<Vec<Tab>>;

/// Fences that become code in all languages, by name.
const FENCES: [(&str, Read); 2] = [("example", read_example), ("program", read_program)];

/// An example's fence: `tool file body`.
fn read_example(text: &str, catalogue: &Catalogue) -> Option<Vec<Tab>> {
    let mut words = text.trim().splitn(3, ' ');
    let tool = catalogue.find(words.next()?)?;
    let file = words.next()?;
    let body: Value = serde_json::from_str(words.next()?).ok()?;
    Some(Example::with(tool, body).saved_as(file).tabs())
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
    let mut options = Options::default();
    options.extension.table = true;
    options.render.r#unsafe = true;
    let arena = Arena::new();
    let root = parse_document(&arena, text, &options);
    let mut renderer = Renderer { catalogue, links, sections: Vec::new(), codes: 0, tables: 0 };
    // Collected first, since nodes come and go.
    for node in root.descendants().collect::<Vec<_>>() {
        renderer.mend(node, &arena);
    }
    let mut written = String::new();
    // Writing to memory does not fail.
    let _ = format_html(root, &options, &mut written);
    (PreEscaped(written), renderer.sections)
}

struct Renderer<'a> {
    catalogue: &'a Catalogue,
    links: &'a Links,
    sections: Vec<Section>,
    codes: usize,
    tables: usize,
}

impl Renderer<'_> {
    #[allow(clippy::wildcard_enum_match_arm, reason = "the library's list is long; the rest stays as it is")]
    fn mend<'n>(&mut self, node: Node<'n>, arena: &'n Arena<'n>) {
        let html = |html: String| -> Node<'n> { arena.alloc(AstNode::from(NodeValue::Raw(html))) };
        let mut value = node.data_mut();
        let made = match &mut value.value {
            NodeValue::Heading(heading) => {
                let level = heading.level;
                drop(value);
                let title = node.collect_text();
                if level == 1 {
                    node.detach();
                    return;
                }
                self.heading(level, &title)
            }
            NodeValue::CodeBlock(block) => self.code_block(&block.info, &block.literal),
            NodeValue::Table(_) => {
                self.tables += 1;
                let name = format!("Table {}", self.tables);
                let frame = format!("<div class=\"table-frame\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\">");
                drop(value);
                node.insert_before(html(frame));
                node.insert_after(html("</div>".to_owned()));
                return;
            }
            NodeValue::Link(link) => {
                if let Some(address) = self.address(&link.url) {
                    link.url = address;
                }
                return;
            }
            NodeValue::Image(image) => {
                if let Some(asset) = assets::find(&image.url) {
                    image.url = self.links.to(&assets::path(asset.name));
                }
                return;
            }
            NodeValue::Code(code) if error_code::find(&code.literal).is_some() => {
                let code = code.literal.clone();
                drop(value);
                if node.ancestors().skip(1).any(|around| matches!(around.data().value, NodeValue::Link(_))) {
                    return;
                }
                let target = self.links.to(&format!("/docs/errors/{code}"));
                node.data_mut().value = NodeValue::Raw(format!("<a href=\"{target}\"><code>{code}</code></a>"));
                return;
            }
            _ => return,
        };
        node.insert_before(html(made));
        node.detach();
    }

    fn heading(&mut self, level: u8, title: &str) -> String {
        let section = Section::new(title);
        let heading =
            maud::html! { @if level == 2 { h2 id=(section.id) { (title) } } @else { h3 id=(section.id) { (title) } } };
        self.sections.push(section);
        heading.into_string()
    }

    fn code_block(&mut self, fence: &str, text: &str) -> String {
        self.codes += 1;
        let id = format!("code-{}", self.codes);
        let read = FENCES.into_iter().find(|(name, _)| *name == fence);
        let tabs = read.and_then(|(_, read)| read(text, self.catalogue));
        let shown = match (tabs, Syntax::named(fence)) {
            (Some(tabs), _) => {
                maud::html! { (code::tabs(&id, "Language", &tabs)) (clients(|path| self.links.to(path))) }
            }
            (None, Some(syntax)) => code::copyable_code(&id, syntax, text.trim_end()),
            (None, None) => code::copyable(&id, text.trim_end()),
        };
        shown.into_string()
    }

    /// The address of a guide that is linked by name, perhaps with a section, or of a path of this host.
    fn address(&self, name: &str) -> Option<String> {
        if name.starts_with('/') {
            return Some(self.links.to(name));
        }
        let slug = name.split('#').next().unwrap_or_default();
        GUIDES.iter().any(|guide| guide.slug == slug).then(|| self.links.to(&format!("/docs/{name}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_look::example::Language;

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
    fn the_description_links_to_every_guide() {
        let text = for_description();
        assert!(
            GUIDES.iter().all(|guide| text.contains(&format!("[{}](docs/{})", guide.title(), guide.slug))),
            "{text}"
        );
    }

    #[test]
    fn summaries_are_sentences_without_markdown() {
        for guide in GUIDES.iter().chain(&ABOUT) {
            let summary = summary(guide.text);
            assert!(summary.len() > 20 && !summary.contains(['#', '`', '|', '\n']), "{}: {summary}", guide.slug);
        }
        let grouped: Vec<_> = docmill_look::GUIDES.iter().flat_map(|group| group.guides).copied().collect();
        assert_eq!(GUIDES.map(|guide| guide.slug).to_vec(), grouped);
        let pages: Vec<_> = ABOUT.iter().map(|page| page.slug).collect();
        assert_eq!(pages, docmill_look::LEGAL.map(|(slug, _)| slug));
    }

    #[test]
    fn a_guide_as_markdown_has_code_and_links_to_markdown() {
        let text = as_markdown(GUIDES[0].text, &Catalogue::load().unwrap());
        assert!(text.contains("```python\nfrom docmill import Docmill") && text.contains("](uploads.md)"), "{text}");
        assert!(!text.contains("```example"), "{text}");
    }

    #[test]
    fn the_changes_of_the_api_name_every_tool_and_every_family_of_endpoints() {
        let changes = GUIDES.iter().find(|guide| guide.slug == "api-changes").unwrap().text;
        for tool in Catalogue::load().unwrap().tools() {
            assert!(changes.contains(&format!("`{}`", tool.definition.slug)), "{}", tool.definition.slug);
        }
        let description: Value = serde_json::from_str(crate::book::OPENAPI).unwrap();
        for path in description["paths"].as_object().unwrap().keys() {
            let family: String = path.split_inclusive('/').take(3).collect();
            assert!(changes.contains(family.trim_end_matches('/')), "{family}");
        }
    }

    #[test]
    fn every_fence_in_a_guide_has_a_known_language() {
        for fence in all().lines().filter_map(|line| line.strip_prefix("```")).step_by(2) {
            assert!(Syntax::named(fence).is_some() || FENCES.iter().any(|(name, _)| *name == fence), "{fence}");
        }
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
