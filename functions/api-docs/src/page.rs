//! The frame of every documentation page.

use docmill_look::{assets, icons, theme};
use maud::{DOCTYPE, Markup, html};

use crate::article::{Article, Links};
use crate::contents::{Entry, Group};

/// A whole page. `path` is its path below the gateway's base path.
pub fn render(entries: &[Entry], path: &str, article: &Article) -> String {
    let links = Links::of(path);
    let title = format!("{} · Docmill docs", article.title);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="description" content=(article.summary);
                meta property="og:title" content=(title);
                meta property="og:description" content=(article.summary);
                meta property="og:type" content="article";
                title { (title) }
                link rel="stylesheet" href=(links.to(&assets::path("style.css")));
                link rel="stylesheet" href=(links.to(&assets::path("docs.css")));
                link rel="icon" type="image/svg+xml" href=(links.to(&assets::path("icon.svg")));
                script src=(links.to(&assets::path("page.js"))) {}
                script src=(links.to(&assets::path("docs.js"))) defer {}
            }
            body data-base=(links.to("/")) {
                a.skip href="#content" { "Skip to content" }
                (top(&links))
                div.shell.docs data-wide[article.is_wide] {
                    (side(entries, path, &links))
                    (on_this_page(article))
                    main #content tabindex="-1" {
                        h1 { (article.title) }
                        @if !article.summary.is_empty() && path != "/docs" { p.quiet { (article.summary) } }
                        (article.body)
                        (neighbours(entries, path, &links))
                        @if entries.iter().any(|entry| entry.path == path) { (as_markdown(path, &links)) }
                    }
                }
                (foot(&links))
            }
        }
    };
    page.into_string()
}

fn top(links: &Links) -> Markup {
    html! {
        header.top {
            div.bar {
                a.brand href=(links.to("/")) { (icons::mark()) "Docmill" }
                details.menu {
                    summary { (icons::menu()) span { "Menu" } }
                    nav aria-label="Site" { ul {
                        li { a href=(links.to("/tools")) { "Tools" } }
                        li { a href=(links.to("/plans")) { "Plans" } }
                        li { a href=(links.to("/docs")) aria-current="true" { "Docs" } }
                        li { a href=(links.to("/openapi.json")) { "OpenAPI" } }
                    } }
                }
                (search(links))
                div.who { a.button href=(links.to("/app")) { "Dashboard" } }
            }
        }
    }
}

/// `docs.js` shows the box, and the results below it.
fn search(links: &Links) -> Markup {
    html! {
        search.docs-search aria-label="Documentation" {
            label.quiet for="search" { "Search the documentation" }
            input #search type="search" placeholder="Search the docs" autocomplete="off" hidden
                data-index=(links.to("/docs/search.json"))
                aria-describedby="search-status";
            p.quiet #search-status role="status" {}
            ol #search-results hidden {}
        }
    }
}

fn side(entries: &[Entry], path: &str, links: &Links) -> Markup {
    html! {
        div.docs-side tabindex="0" role="region" aria-label="Contents" {
            details.docs-menu {
                summary { "Contents" }
                nav aria-label="Documentation" {
                    @for group in Group::ALL { (menu(group, entries, path, links)) }
                }
            }
        }
    }
}

/// A group's pages. All guides and tools are listed; other groups only while one of their pages is open.
fn menu(group: Group, entries: &[Entry], path: &str, links: &Links) -> Markup {
    let members: Vec<_> = entries.iter().filter(|entry| entry.group == group).collect();
    let is_here = path.starts_with(group.path()) && group.path() != "/docs";
    html! {
        @if group.has_list() {
            h2 { a href=(links.to(group.path())) aria-current=[(group.path() == path).then_some("page")] { (group.title()) } }
        }
        @if !group.is_folded() || is_here {
            @for members in members.chunk_by(|one, next| one.heading == next.heading) {
                @if let Some(first) = members.first().filter(|_| !group.has_list()) { h2 { (first.heading) } }
                ul { @for entry in members {
                    li { a href=(links.to(&entry.path)) aria-current=[(entry.path == path).then_some("page")] {
                        @if group.is_code() { code { (entry.title) } } @else { (entry.title) }
                    } }
                } }
            }
        }
    }
}

/// The same page for programs and language models. `docs.js` shows the button.
fn as_markdown(path: &str, links: &Links) -> Markup {
    let address = links.to(&format!("{path}.md"));
    html! {
        p.as-markdown {
            a href=(address) { "View as Markdown" }
            button.button #copy-page type="button" data-markdown=(address) hidden { "Copy as Markdown" }
        }
    }
}

fn on_this_page(article: &Article) -> Markup {
    html! {
        @if article.sections.len() > 1 {
            nav.docs-toc aria-labelledby="on-this-page" {
                h2 #on-this-page { "On this page" }
                ul { @for section in &article.sections { li { a href={ "#" (section.id) } { (section.title) } } } }
            }
        }
    }
}

/// Links to the previous and next guide.
fn neighbours(entries: &[Entry], path: &str, links: &Links) -> Markup {
    let Some(position) = entries.iter().position(|entry| entry.path == path && entry.group == Group::Guides) else {
        return html! {};
    };
    let guide = |index: usize| entries.get(index).filter(|entry| entry.group == Group::Guides);
    html! {
        nav.docs-neighbours aria-label="Guides" {
            @if let Some(previous) = position.checked_sub(1).and_then(guide) {
                a rel="prev" href=(links.to(&previous.path)) { span { "Previous" } (previous.title) }
            }
            @if let Some(next) = guide(position + 1) {
                a rel="next" href=(links.to(&next.path)) { span { "Next" } (next.title) }
            }
        }
    }
}

fn foot(links: &Links) -> Markup {
    html! {
        footer.foot { div.bar {
            p { "Docmill is open source under Apache-2.0." }
            (theme::choice())
            nav aria-label="Further" { ul {
                li { a href=(links.to("/docs")) { "Docs" } }
                li { a href=(links.to("/openapi.json")) { "OpenAPI 3.1" } }
                li { a href=(links.to("/tools")) { "Tools" } }
                li { a href=(links.to("/plans")) { "Plans and prices" } }
                @for (page, title) in docmill_look::LEGAL { li { a href=(links.to(&format!("/docs/{page}"))) { (title) } } }
            } }
        } }
    }
}
