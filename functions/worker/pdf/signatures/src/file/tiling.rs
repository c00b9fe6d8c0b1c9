//! Checks that updates are nothing but updates: each byte belongs to an object of the section's table, the table or its ending.
//! Readers that repair files find objects that no table lists, and so do those who are to be deceived.

use super::section::{Entry, Section};
use super::syntax::{Data, Parser, is_white};
use super::{Broken, Revision};

/// Checks what follows after `old` in the file that `new` describes.
pub(super) fn check(bytes: &[u8], old: &Revision, new: &Revision) -> Result<(), Broken> {
    let appended = new.sections.len().checked_sub(old.sections.len());
    let continues = |count: usize| {
        let kept = new.sections.get(count..).unwrap_or_default();
        kept.iter().map(|section| section.start).eq(old.sections.iter().map(|section| section.start))
    };
    let count = appended.filter(|count| continues(*count));
    let count = count.ok_or(Broken("the file's last table does not continue the signed one"))?;
    let mut from = old.end;
    for section in new.sections.iter().take(count).rev() {
        from = update(bytes, from, section, new)?;
    }
    let rest = bytes.get(from..).unwrap_or_default();
    if rest.iter().all(|byte| is_white(*byte)) {
        Ok(())
    } else {
        Err(Broken("something follows after the last update"))
    }
}

/// Checks an update that begins here. Returns its end.
fn update(bytes: &[u8], from: usize, section: &Section, file: &Revision) -> Result<usize, Broken> {
    if section.start < from {
        return Err(Broken("an update's table is not where the update is"));
    }
    let mut parser = Parser::new(bytes, from);
    loop {
        skip(bytes, &mut parser)?;
        if parser.at >= section.start {
            break;
        }
        object(bytes, &mut parser, section, file)?;
    }
    if parser.at != section.start {
        return Err(Broken("an update's table overlaps an object"));
    }
    parser.at = section.end;
    skip(bytes, &mut parser)?;
    // Some programs write the stream that completes the table after it.
    let (start, end) = ending(bytes, parser.at)?;
    if start == section.start { Ok(end) } else { Err(Broken("an update's ending names another table")) }
}

fn object(bytes: &[u8], parser: &mut Parser<'_>, section: &Section, file: &Revision) -> Result<(), Broken> {
    let offset = parser.at;
    let length = |id: (u32, u16)| {
        let Some(Entry::At { offset, .. }) = file.entries.get(&id.0) else { return None };
        let read = Parser::new(bytes, *offset).indirect(Data::LeftOut, &|_| None).ok()?;
        usize::try_from(read.object.as_i64().ok()?).ok()
    };
    let read = parser.indirect(Data::LeftOut, &length)?;
    let listed = section.entries.get(&read.id.0) == Some(&Entry::At { offset, generation: read.id.1 });
    if listed || section.hybrid == Some(offset) {
        Ok(())
    } else {
        Err(Broken("an update has an object that its table does not list"))
    }
}

/// Skips white space and comments, which must not look like anything else to a program that repairs files.
fn skip(bytes: &[u8], parser: &mut Parser<'_>) -> Result<(), Broken> {
    let from = parser.at;
    parser.skip_space();
    let skipped = bytes.get(from..parser.at).unwrap_or_default();
    let hides = |word: &[u8]| memchr::memmem::find(skipped, word).is_some();
    if hides(b"obj") || hides(b"trailer") || hides(b"xref") {
        return Err(Broken("a comment hides parts of a file"));
    }
    Ok(())
}

/// `startxref` at this place with what it says, and the place after `%%EOF`.
pub(super) fn ending(bytes: &[u8], at: usize) -> Result<(usize, usize), Broken> {
    let mut parser = Parser::new(bytes, at);
    if !parser.keyword(b"startxref") {
        return Err(Broken("an update does not end with the place of its table"));
    }
    let start = usize::try_from(parser.number()?).map_err(|_| Broken("an offset is too large"))?;
    let rest = bytes.get(parser.at..).unwrap_or_default();
    let white = rest.iter().take_while(|byte| is_white(**byte)).count();
    if rest.get(white..).unwrap_or_default().starts_with(b"%%EOF") {
        Ok((start, parser.at + white + 5))
    } else {
        Err(Broken("a revision does not end with %%EOF"))
    }
}
