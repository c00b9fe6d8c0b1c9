//! Themes of Markdown documents.

use maud::{Markup, html};
use serde::Deserialize;

use super::FrontMatter;
use super::headings::Heading;

/// How a document of Markdown looks as a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// A report: serif font, title, author and date.
    #[default]
    Document,
    /// As GitHub shows a README.
    Github,
    /// Sender, recipient, date and subject come before the text.
    Letter,
}

impl Theme {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Github => "github",
            Self::Letter => "letter",
        }
    }

    pub(super) const fn css(self) -> &'static str {
        match self {
            Self::Document => concat!(include_str!("themes/base.css"), include_str!("themes/document.css")),
            Self::Github => concat!(include_str!("themes/base.css"), include_str!("themes/github.css")),
            Self::Letter => concat!(include_str!("themes/base.css"), include_str!("themes/letter.css")),
        }
    }

    /// The header before the text. `first`: its first heading, which may already be the title.
    pub(super) fn header(self, front_matter: &FrontMatter, first: Option<&Heading>) -> Markup {
        match self {
            Self::Document | Self::Github => title_block(front_matter, first),
            Self::Letter => letterhead(front_matter),
        }
    }
}

fn title_block(front_matter: &FrontMatter, first: Option<&Heading>) -> Markup {
    let FrontMatter { title, author, date, .. } = front_matter;
    let title = title.as_ref().filter(|title| first.is_none_or(|first| first.text != **title));
    html! {
        @if title.is_some() || author.is_some() || date.is_some() {
            header.title-block {
                @if let Some(title) = title { h1.title { (title) } }
                @if let Some(author) = author { p.author { (author) } }
                @if let Some(date) = date { p.date { (date) } }
            }
        }
    }
}

fn letterhead(front_matter: &FrontMatter) -> Markup {
    let FrontMatter { title, author, date, subject, from, to, .. } = front_matter;
    let from = if from.is_empty() { author.iter().cloned().collect() } else { from.clone() };
    html! {
        header.letterhead {
            @if !from.is_empty() { p.from { (lines(&from)) } }
            @if !to.is_empty() { p.to { (lines(to)) } }
            @if let Some(date) = date { p.date { (date) } }
            @if let Some(subject) = subject.as_ref().or(title.as_ref()) { p.subject { (subject) } }
        }
    }
}

fn lines(lines: &[String]) -> Markup {
    html! { @for (index, line) in lines.iter().enumerate() { @if index > 0 { br; } (line) } }
}
