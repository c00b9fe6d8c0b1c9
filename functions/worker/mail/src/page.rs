//! The page for printing.

use std::sync::Arc;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::clean::{BODY_CLASS, clean};
use super::pictures::{Shared, is_picture};
use super::{Body, Email, File, Headers, Names};

/// Most people displayed in a header.
const MOST_PEOPLE: usize = 500;
/// Most attachments that are listed and passed on, to limit a child's output.
const MOST_ATTACHMENTS: usize = 200;

/// A page, and what it leaves out.
#[derive(Debug)]
pub struct Page {
    /// A whole document, which loads nothing remote unless that is allowed.
    pub html: String,
    /// The message's files that are attachments, by index, with their names.
    pub attachments: Vec<(usize, String)>,
    /// The number of further attachments.
    pub omitted: usize,
    /// The number of remote pictures and fonts that are not loaded.
    pub blocked: usize,
    /// The number of pictures that are missing in the message.
    pub missing: u32,
    /// The number of pictures that would make the page too large.
    pub too_large: u32,
}

/// Makes the page of a message.
pub fn render(email: &Email, allow_remote: bool) -> Page {
    let shared = Shared::new(Arc::clone(&email.files), allow_remote);
    let bodies: Vec<String> = email.bodies.iter().filter_map(|body| inner(body, email, &shared)).collect();
    let pictures = shared.lock();
    // Pictures on the page are not listed as attachments, unless the page leaves them out.
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
            // A file that the page refers to is shown there.
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

/// Loads only the page's own content, plus pictures and fonts if allowed. Runs nothing.
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

/// A size for people.
fn size(bytes: usize) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
