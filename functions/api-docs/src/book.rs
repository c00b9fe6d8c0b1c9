//! All pages of the documentation: their order and content.

use docmill_domain::catalogue::{Catalogue, CatalogueError};
use maud::{Markup, html};
use serde_json::Value;

use crate::article::{Article, Links, Section, slug};
use crate::contents::{Entry, Group};
use crate::guide::{self, ABOUT, GUIDES};
use crate::members::JOB_OBJECT;
use crate::{error, error_code, operation, tool};

/// The OpenAPI description as served.
pub const OPENAPI: &str = include_str!("../openapi.json");
/// The same in OpenAPI 3.0, for generators.
pub const OPENAPI_30: &str = include_str!("../openapi-3.0.json");

#[derive(Debug)]
pub struct Book {
    catalogue: Catalogue,
    description: Value,
}

#[derive(Debug, thiserror::Error)]
pub enum BookError {
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    #[error("openapi.json is unreadable: {0}")]
    Description(#[from] serde_json::Error),
}

impl Book {
    pub fn load() -> Result<Self, BookError> {
        Ok(Self { catalogue: Catalogue::load()?, description: serde_json::from_str(OPENAPI)? })
    }

    /// All pages except the groups' lists.
    pub fn entries(&self) -> Vec<Entry> {
        let entry = |group: Group, name: &str, title: &str| Entry {
            path: format!("{}/{name}", group.path()),
            title: title.to_owned(),
            group,
            heading: group.title(),
        };
        let guides = guide::groups()
            .flat_map(|(heading, guides)| guides.into_iter().map(move |guide| (heading, guide)))
            .map(|(heading, guide)| Entry { heading, ..entry(Group::Guides, guide.slug, guide.title()) });
        let tools = self.catalogue.tools().iter().map(|tool| &tool.definition);
        let tools = tools.map(|definition| entry(Group::Tools, &definition.slug, &definition.name));
        let operations = operation::all(&self.description);
        let operations =
            operations.iter().map(|operation| entry(Group::Reference, &operation.slug(), operation.title()));
        let job = entry(Group::Reference, "job-object", "The job object");
        let about = ABOUT.iter().map(|page| entry(Group::About, page.slug, page.title()));
        let errors = error_code::all().into_iter().map(|code| entry(Group::Errors, code, code));
        guides.chain(tools).chain([job]).chain(operations).chain(errors).chain(about).collect()
    }

    /// The page at this path, if it exists.
    pub fn article(&self, path: &str) -> Option<Article> {
        let links = Links::of(path);
        let place = path.strip_prefix("/docs")?;
        match place.split('/').collect::<Vec<_>>().as_slice() {
            [""] => Some(self.front(&links)),
            ["", "tools"] => Some(self.tools(&links)),
            ["", "api"] => Some(self.reference(&links)),
            ["", name] => {
                let guide = GUIDES.iter().chain(&ABOUT).find(|guide| guide.slug == *name)?;
                Some(guide.article(&self.catalogue, &links))
            }
            ["", "tools", slug] => Some(tool::article(self.catalogue.find(slug)?, &links)),
            ["", "api", "job-object"] => Some(operation::job_object(&self.description, &links)),
            ["", "api", name] => {
                let operations = operation::all(&self.description);
                let found = operations.iter().find(|operation| operation.slug() == *name)?;
                Some(found.article(&self.description, &links))
            }
            ["", "errors", code] => error::article(code, &self.catalogue, &self.description, &links),
            _ => None,
        }
    }

    /// The page at this path as Markdown, for programs and language models.
    pub fn markdown(&self, path: &str) -> Option<String> {
        match path.strip_prefix("/docs/")?.split('/').collect::<Vec<_>>().as_slice() {
            [name] => {
                let guide = GUIDES.iter().chain(&ABOUT).find(|guide| guide.slug == *name)?;
                Some(guide::as_markdown(guide.text(), &self.catalogue))
            }
            ["tools", slug] => Some(tool::markdown(self.catalogue.find(slug)?)),
            ["api", "job-object"] => {
                let schema = &self.description["components"]["schemas"]["Job"];
                Some(format!("# The job object\n\nAs JSON Schema:\n\n```json\n{schema:#}\n```\n"))
            }
            ["api", name] => {
                let operations = operation::all(&self.description);
                let found = operations.iter().find(|operation| operation.slug() == *name)?;
                Some(found.markdown(&self.description))
            }
            ["errors", code] => {
                error_code::find(code)?;
                let (meaning, help) = (error::meaning(code).unwrap_or_default(), error::help(code).unwrap_or_default());
                Some(format!("# {code}\n\n{meaning}\n\n{help}\n"))
            }
            _ => None,
        }
    }

    /// The list of all pages in Markdown, as <https://llmstxt.org> describes it.
    pub fn for_models(&self) -> String {
        let entries = self.entries();
        let group = |group: Group| {
            let pages = entries.iter().filter(|entry| entry.group == group);
            let page = |entry: &Entry| format!("- [{}]({}.md)\n", entry.title, entry.path.trim_start_matches('/'));
            format!("\n## {}\n\n{}", group.title(), pages.map(page).collect::<String>())
        };
        let groups: String = Group::ALL.into_iter().map(group).collect();
        format!(
            "# Docmill\n\n> An HTTP API that converts, combines, redacts and compares documents as asynchronous jobs.\n\n\
             The whole interface as OpenAPI 3.1: [openapi.json](openapi.json), and as OpenAPI 3.0, for generators of clients: \
             [openapi-3.0.json](openapi-3.0.json).\n{groups}"
        )
    }

    fn front(&self, links: &Links) -> Article {
        let body = html! {
            p.lead { "Docmill is an HTTP API that converts documents. Send a document, choose a tool, and get the result." }
            p.actions {
                a.button.primary href=(links.to("/docs/first-conversion")) { "Convert your first document" }
                a.button href=(links.to("/docs/tools")) { "See all tools" }
            }
            @for (title, guides) in guide::groups() {
                h2 { (title) }
                dl.guides { @for guide in guides {
                    dt { a href=(links.to(&format!("/docs/{}", guide.slug))) { (guide.title()) } }
                    dd { (guide.summary()) }
                } }
            }
            h2 { "Tools" }
            (self.tool_list(links))
        };
        let summary =
            "How to convert documents with the Docmill API: guides, tools, endpoints and error codes.".to_owned();
        Article { summary, ..Article::new("Documentation", (body, Vec::new())) }
    }

    fn tools(&self, links: &Links) -> Article {
        let body = html! {
            p.lead { "Each tool's page lists its input, its options with their types, defaults and limits, and a request to copy." }
            p { "Your plan or your key may not include every tool. " code { "GET /v1/tools" } " lists those that your key can use." }
            h2 { "All tools" }
            (self.tool_list(links))
        };
        let summary = "All tools of the Docmill API with their options.".to_owned();
        Article { summary, ..Article::new("Tool reference", (body, Vec::new())) }
    }

    fn tool_list(&self, links: &Links) -> Markup {
        html! {
            ul.cards { @for tool in self.catalogue.tools() {
                li.card {
                    h3 { a href=(links.to(&format!("/docs/tools/{}", tool.definition.slug))) { (tool.definition.name) } }
                    p { (docmill_look::schema::prose(&tool.definition.description)) }
                }
            } }
        }
    }

    fn reference(&self, links: &Links) -> Article {
        let operations = operation::all(&self.description);
        let body = html! {
            p.lead { "All endpoints. Requests to " code { "/v1" } " need a key; bodies and responses are JSON." }
            p { "Most responses contain " a href=(links.to(JOB_OBJECT)) { "the job object" } "." }
            p { "The same as data, for generators and API clients: " a href=(links.to("/openapi.json")) { "openapi.json" } " (OpenAPI 3.1) and " a href=(links.to("/openapi-3.0.json")) { "openapi-3.0.json" } ". The guide says which one your "
                a href=(links.to("/docs/generators")) { "generator" } " takes." }
            @for operations in operations.chunk_by(|one, next| one.family() == next.family()) {
                @let family = operations.first().map_or("", |operation| operation.family());
                h2 id=(slug(family)) { (family) }
                div.table-frame tabindex="0" role="region" aria-label=(family) {
                    table {
                        thead { tr { th scope="col" { "Endpoint" } th scope="col" { "Purpose" } } }
                        tbody { @for operation in operations { tr {
                            th scope="row" { code { (operation.method) " " (operation.path) } }
                            td { a href=(links.to(&format!("/docs/api/{}", operation.slug()))) { (operation.title()) } }
                        } } }
                    }
                }
            }
        };
        let summary = "All endpoints of the Docmill API.".to_owned();
        let mut sections: Vec<_> = operations.iter().map(|operation| Section::new(operation.family())).collect();
        sections.dedup();
        Article { summary, ..Article::new("API reference", (body, sections)) }
    }

    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::render;
    use crate::result_schema;

    #[test]
    fn every_page_exists_and_every_link_has_a_target() {
        let book = Book::load().unwrap();
        let entries = book.entries();
        let mut paths: Vec<_> = entries.iter().map(|entry| entry.path.clone()).collect();
        paths.extend(["/docs", "/docs/tools", "/docs/api"].map(str::to_owned));
        for path in &paths {
            let page = render(&entries, path, &book.article(path).expect(path));
            assert!(page.len() < 200_000, "{path} has {} bytes", page.len());
            assert!(!page.contains("<style") && !page.contains(" style=") && !page.contains("<script>"), "{path}");
            let mut ids: Vec<_> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
            ids.sort_unstable();
            assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{path} has an id twice: {ids:?}");
            for target in page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                let whole = reached(path, target);
                if !whole.starts_with("/docs") {
                    continue;
                }
                let is_file =
                    whole == "/docs/search.json" || whole.ends_with(".md") || result_schema::at(&whole).is_some();
                assert!(paths.contains(&whole) || is_file, "{path} links to {target}");
            }
        }
        for entry in &entries {
            let markdown = book.markdown(&entry.path).unwrap_or_else(|| panic!("{} has no Markdown", entry.path));
            assert!(markdown.starts_with("# ") && !markdown.contains("<div"), "{}", entry.path);
            assert!(book.for_models().contains(&format!("]({}.md)", &entry.path[1..])), "{}", entry.path);
        }
        for unknown in ["/docs/none", "/docs/tools/none", "/docs/errors/none", "/docs/", "/docs/a/b/c", "/docsx"] {
            assert!(book.article(unknown).is_none(), "{unknown}");
        }
    }

    /// The path that a link on the page at `path` leads to. Empty if it leads to another host.
    fn reached(path: &str, target: &str) -> String {
        if target.contains(':') {
            return String::new();
        }
        let target = target.split(['#', '?']).next().unwrap_or_default();
        if target.is_empty() {
            return path.to_owned();
        }
        let mut parts: Vec<_> = path.split('/').collect();
        parts.pop();
        for part in target.split('/') {
            match part {
                ".." => drop(parts.pop()),
                "." => {}
                part => parts.push(part),
            }
        }
        format!("/{}", parts.join("/").trim_start_matches('/'))
    }

    #[test]
    fn every_option_of_every_tool_is_on_its_page() {
        let book = Book::load().unwrap();
        let entries = book.entries();
        for tool in book.catalogue().tools() {
            let path = format!("/docs/tools/{}", tool.definition.slug);
            let page = render(&entries, &path, &book.article(&path).unwrap());
            let options = tool.definition.parameters["properties"]["options"]["properties"].as_object();
            for (name, schema) in options.into_iter().flatten() {
                assert!(page.contains(&format!("id=\"options.{name}\"")), "{path} lacks {name}");
                if let Some(default) = schema["default"].as_str() {
                    assert!(page.contains(&format!("<code>{default}</code>")), "{path}: default of {name}");
                }
            }
        }
    }

    #[test]
    fn a_tools_markdown_has_what_its_page_says_of_each_property() {
        let book = Book::load().unwrap();
        let entries = book.entries();
        let mut compared = 0;
        for tool in book.catalogue().tools() {
            let path = format!("/docs/tools/{}", tool.definition.slug);
            let page = render(&entries, &path, &book.article(&path).unwrap());
            let markdown = book.markdown(&path).unwrap();
            for row in page.split("<tr id=\"").skip(1).filter_map(|rest| rest.split("</tr>").next()) {
                let cell = |start: &str, end: &str| Some(row.split_once(start)?.1.split_once(end)?.0);
                let name = cell("<th scope=\"row\"><code>", "</code>").unwrap();
                let kind = cell("<p class=\"type\">", "</p>").unwrap().replace("<code>", "`").replace("</code>", "`");
                let kind = kind
                    .replace("&lt;", "<")
                    .replace("&gt;", ">")
                    .replace("&quot;", "\"")
                    .replace("&amp;", "&")
                    .replace('|', "\\|");
                let (plain, required) = (format!("| `{name}` | {kind} |"), format!("| `{name}`, required | {kind} |"));
                assert!(markdown.contains(&plain) || markdown.contains(&required), "{path}: {plain}\n{markdown}");
                compared += 1;
            }
        }
        assert!(compared > 500, "{compared}");
    }

    /// The texts of a page's code boxes, without colors.
    fn codes(page: &str) -> Vec<String> {
        let code = |part: &str| {
            let (_, code) = part.split_once("<code")?.1.split_once('>')?;
            let code = code.split("</code>").next()?.replace("</span>", "");
            let plain: String = code.split("<span class=\"").enumerate().fold(String::new(), |plain, (index, part)| {
                plain + if index == 0 { part } else { part.split_once("\">").map_or("", |(_, text)| text) }
            });
            Some(plain.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&"))
        };
        page.split("<pre").skip(1).filter_map(code).collect()
    }

    #[test]
    fn code_with_colors_has_the_text_that_is_in_markdown() {
        let book = Book::load().unwrap();
        let entries = book.entries();
        let (mut compared, mut colored) = (0, 0);
        // Its Markdown is the schema.
        for entry in entries.iter().filter(|entry| entry.path != JOB_OBJECT) {
            let page = render(&entries, &entry.path, &book.article(&entry.path).unwrap());
            colored += page.matches("<span class=\"s\">").count();
            let (codes, markdown) = (codes(&page), book.markdown(&entry.path).unwrap());
            for fence in markdown.split("\n```").skip(1).step_by(2) {
                let (_, code) = fence.split_once('\n').unwrap();
                assert!(codes.iter().any(|shown| shown == code.trim_end()), "{}: {code}\n{codes:#?}", entry.path);
                compared += 1;
            }
        }
        assert!(compared > 80 && colored > 1000, "{compared} texts, {colored} strings");
    }
}
