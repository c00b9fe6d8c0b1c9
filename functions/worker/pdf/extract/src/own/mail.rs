//! Messages: the subject is the title, a table has the other headers, then come the text and the names of attachments.

use std::cell::RefCell;
use std::collections::BTreeSet;

use docmill_mail::{Body, Email, Headers, MessageFormat, Names};
use docmill_pdf_request::{Failure, Warning};

use super::builder::Builder;
use super::grid::Grid;
use super::text::Text;
use super::{html, plain};
use crate::message;
use crate::model::Role;

pub(super) fn read(
    bytes: &[u8],
    format: MessageFormat,
    builder: &mut Builder<'_, '_>,
) -> Result<Vec<Warning>, Failure> {
    let email = Email::read(bytes, format).map_err(|error| message::unreadable(&error))?;
    headers(&email.headers, builder);
    let shown = RefCell::new(BTreeSet::new());
    let attached = |reference: &str| {
        let index = email.referred(reference)?;
        shown.borrow_mut().insert(index);
        email.files.get(index).map(|file| file.bytes.as_slice())
    };
    for body in &email.bodies {
        match body {
            Body::Html(text) => html::read(text, None, &attached, builder)?,
            Body::Text(text) => plain(text, builder),
            Body::Picture(index) => {
                // A file that the page refers to is shown there.
                if let Some(file) = email.files.get(*index)
                    && shown.borrow_mut().insert(*index)
                {
                    builder.figure(file.name.as_deref().unwrap_or_default(), Some(&file.bytes))?;
                }
            }
        }
    }
    attachments(&email, &shown.borrow(), builder);
    Ok(message::warnings(&email))
}

fn headers(headers: &Headers, builder: &mut Builder<'_, '_>) {
    let Headers { from, to, cc, bcc, date, subject } = headers;
    if let Some(subject) = subject {
        builder.title(subject);
        builder.block(Role::Title, Text::plain(subject));
    }
    let people = [("From", from), ("To", to), ("Cc", cc), ("Bcc", bcc)];
    let people = people.into_iter().filter(|(_, people)| !people.is_empty());
    let rows = people.map(|(name, people)| (name, people.join(", ")));
    let mut grid = Grid::default();
    for (name, value) in rows.chain(date.iter().map(|date| ("Date", date.clone()))) {
        grid.next_row();
        grid.cell(1, 1, true, Text::plain(name));
        grid.cell(1, 1, false, Text::plain(&value));
    }
    builder.table(grid);
}

/// The names of files that the text does not show.
fn attachments(email: &Email, shown: &BTreeSet<usize>, builder: &mut Builder<'_, '_>) {
    let mut names = Names::default();
    let files = email.files.iter().enumerate().filter(|(index, _)| !shown.contains(index));
    let names: Vec<_> = files.zip(1..).map(|((_, file), number)| names.of(file, number)).collect();
    if names.is_empty() {
        return;
    }
    builder.block(Role::Heading { level: 2 }, Text::plain("Attachments"));
    let list = builder.list();
    for name in names {
        builder.block(Role::Item { list, depth: 0, number: None }, Text::plain(&name));
    }
}
