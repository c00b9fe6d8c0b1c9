//! The page that is printed.

use std::sync::Arc;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::clean::{BODY_CLASS, clean};
use super::pictures::{Shared, is_picture};
use super::{Body, Email, File, Headers, Names};

/// People of one header that are shown.
const MOST_PEOPLE: usize = 500;
/// Attachments that are listed and handed on. What a child says of its work has an end, too.
const MOST_ATTACHMENTS: usize = 200;

/// A page, and what it does not show.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) html: String,
    /// The files that are attachments, by their place among the message's files, and the name of each.
    pub(crate) attachments: Vec<(usize, String)>,
    /// How many more there are.
    pub(crate) omitted: usize,
    /// Pictures and fonts elsewhere that are not loaded.
    pub(crate) blocked: usize,
    /// Pictures that the message refers to and does not have.
    pub(crate) missing: u32,
    /// Pictures that would make the page too large.
    pub(crate) too_large: u32,
}

/// Makes the page of a message.
pub(crate) fn render(email: &Email, allow_remote: bool) -> Page {
    let shared = Shared::new(Arc::clone(&email.files), allow_remote);
    let bodies: Vec<String> = email.bodies.iter().filter_map(|body| inner(body, email, &shared)).collect();
    let pictures = shared.lock();
    // The pictures of a page are no attachments of their own, unless it leaves them out.
    let attached: Vec<_> =
        email.files.iter().enumerate().filter(|(index, _)| !pictures.shown.contains(index)).collect();
    let omitted = attached.len().saturating_sub(MOST_ATTACHMENTS);
    let mut names = Names::default();
    let named = attached.into_iter().take(MOST_ATTACHMENTS).enumerate();
    let attachments: Vec<_> = named.map(|(number, (index, file))| (index, names.of(file, number + 1))).collect();
    let html = page(email, &attachments, omitted, &bodies, allow_remote).into_string();
    let (blocked, missing, too_large) = (pictures.blocked.len(), pictures.missing, pictures.too_large);
    Page { html, attachments, omitted, blocked, missing, too_large }
}

fn inner(body: &Body, email: &Email, pictures: &Arc<Shared>) -> Option<String> {
    Some(match body {
        Body::Html(text) => clean(text, pictures),
        Body::Text(text) => html! { pre.mail-text dir="auto" { (text.trim_matches('\0')) } }.into_string(),
        Body::Picture(index) => {
            let file = email.files.get(*index).filter(|file| is_picture(file))?;
            // One that a page refers to is shown there.
            let mut pictures = pictures.lock();
            let source = if pictures.shown.contains(index) { None } else { pictures.show(*index) };
            html! { img.mail-picture src=(source?) alt=(file.name.as_deref().unwrap_or_default()); }.into_string()
        }
    })
}

fn page(
    email: &Email,
    attachments: &[(usize, String)],
    omitted: usize,
    bodies: &[String],
    allow_remote: bool,
) -> Markup {
    let subject = email.headers.subject.as_deref();
    html! {
        (DOCTYPE)
        html {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy(allow_remote));
                meta name="referrer" content="no-referrer";
                title { (subject.unwrap_or_default()) }
                style { (PreEscaped(include_str!("email.css"))) }
            }
            body {
                (header(&email.headers, &email.files, attachments, omitted))
                @for body in bodies {
                    div.message { div {
                        template shadowrootmode="open" {
                            style { (PreEscaped(include_str!("body.css"))) }
                            div class=(BODY_CLASS) { (PreEscaped(body)) }
                        }
                    } }
                }
            }
        }
    }
}

/// Nothing is loaded but what the page holds, and pictures and fonts if they are allowed. Nothing is run.
fn policy(allow_remote: bool) -> String {
    let loaded = if allow_remote { "data: http: https:" } else { "data:" };
    format!("default-src 'none'; style-src 'unsafe-inline'; img-src {loaded}; font-src {loaded}")
}

fn header(headers: &Headers, files: &[File], attachments: &[(usize, String)], omitted: usize) -> Markup {
    let Headers { from, to, cc, bcc, date, subject } = headers;
    let people = [("From", from), ("To", to), ("Cc", cc), ("Bcc", bcc)];
    let is_bare = people.iter().all(|(_, people)| people.is_empty()) && date.is_none() && subject.is_none();
    if is_bare && attachments.is_empty() {
        return html! {};
    }
    html! {
        header {
            h1 dir="auto" { @if let Some(subject) = subject { (subject) } @else { "(no subject)" } }
            dl {
                @for (name, people) in people.into_iter().filter(|(_, people)| !people.is_empty()) {
                    dt { (name) }
                    dd {
                        (people.iter().take(MOST_PEOPLE).map(String::as_str).collect::<Vec<_>>().join(", "))
                        (and_more(people.len().saturating_sub(MOST_PEOPLE)))
                    }
                }
                @if let Some(date) = date { dt { "Date" } dd { (date) } }
                @if !attachments.is_empty() {
                    dt { "Attachments" }
                    dd {
                        ul {
                            @for (index, name) in attachments {
                                li { (name) " " span.size { "(" (size(files.get(*index).map_or(0, |file| file.bytes.len()))) ")" } }
                            }
                        }
                        (and_more(omitted))
                    }
                }
            }
        }
    }
}

fn and_more(count: usize) -> Markup {
    html! { @if count > 0 { " and " (count) " more" } }
}

/// Bytes as people read them.
fn size(bytes: usize) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
