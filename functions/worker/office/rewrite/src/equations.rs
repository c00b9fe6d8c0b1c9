//! Text boxes with equations on slides.
//!
//! PowerPoint saves such a box twice: as text with equations, and, for other programs, with a picture of all of it. LibreOffice
//! 7.4 claims to read the former, but leaves the equations out. So the picture is printed, and over it the text without any color,
//! which can be searched, selected and read aloud.

use std::io;
use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Edit, Tag, apply, escaped, scan};
use super::math;

const INVISIBLE: &str = "<a:rPr><a:noFill/></a:rPr>";
const NO_BULLET: &str = "<a:buNone/>";

/// The fallback with the text over its pictures. `None` if its boxes are not those of the choice.
pub(super) fn with_text(choice: &str, fallback: &str) -> io::Result<Option<String>> {
    let (texts, boxes) = (bodies(choice)?, bodies(fallback)?);
    if texts.len() != boxes.len() {
        return Ok(None);
    }
    let mut edits = Vec::new();
    for (text, place) in texts.into_iter().zip(boxes) {
        let text = choice.get(text).unwrap_or_default();
        if text.contains("<a14:m") {
            edits.push(Edit::new(place, invisible(text)?));
        }
    }
    Ok(apply(fallback, edits))
}

/// An equation as text in its own letters.
pub(super) fn as_run(equation: &str) -> io::Result<String> {
    let properties = equation.find("<a:rPr").and_then(|start| element_at(equation, start)).unwrap_or_default();
    Ok(format!("<a:r>{properties}<a:t>{}</a:t></a:r>", escaped(&math::line(equation)?)))
}

/// The `a:rPr` element that starts here. It contains no other of its name.
fn element_at(xml: &str, start: usize) -> Option<&str> {
    let rest = xml.get(start..)?;
    let tag = rest.get(..=rest.find('>')?)?;
    if tag.ends_with("/>") {
        return Some(tag);
    }
    const END: &str = "</a:rPr>";
    rest.get(..rest.find(END)? + END.len())
}

/// The text of each box and table cell.
fn bodies(xml: &str) -> io::Result<Vec<Range<usize>>> {
    let (mut bodies, mut start) = (Vec::new(), 0);
    scan(xml, |range, tag| match tag {
        Tag::Start(tag) if is_body(tag.name().as_ref()) => start = range.start,
        Tag::End(name) if is_body(&name) => bodies.push(start..range.end),
        Tag::Start(_) | Tag::Empty(_) | Tag::End(_) => {}
    })?;
    Ok(bodies)
}

fn is_body(name: &str) -> bool {
    matches!(name, "p:txBody" | "a:txBody")
}

/// A text that leaves no mark on the page.
fn invisible(body: &str) -> io::Result<String> {
    let mut text = Text { body, ..Text::default() };
    scan(body, |range, tag| match tag {
        Tag::Start(tag) => text.open(range, &tag),
        Tag::Empty(tag) => text.element(range, &tag),
        Tag::End(name) => text.close(range, &name),
    })?;
    for equation in std::mem::take(&mut text.equations) {
        let line = math::line(text.raw(&equation))?;
        let run = format!("<a:r>{INVISIBLE}<a:t>{}</a:t></a:r>", escaped(&line));
        text.edits.push(Edit::new(equation, run));
    }
    Ok(apply(body, text.edits).unwrap_or_else(|| body.to_owned()))
}

#[derive(Default)]
struct Text<'a> {
    body: &'a str,
    edits: Vec<Edit>,
    equation: Option<usize>,
    equations: Vec<Range<usize>>,
    /// The tag of an open paragraph without properties, so far.
    paragraph: Option<Range<usize>>,
    /// The tag of an open run without properties, so far.
    run: Option<Range<usize>>,
    properties: usize,
}

impl Text<'_> {
    fn open(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        if self.equation.is_some() {
            return;
        }
        match tag.name().as_ref() {
            "a14:m" => self.equation = Some(range.start),
            "a:p" => self.paragraph = Some(range),
            "a:pPr" => self.paragraph = None,
            "a:r" | "a:fld" => self.run = Some(range),
            "a:rPr" => {
                self.run = None;
                self.properties = range.start;
            }
            _ => {}
        }
    }

    fn element(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        if self.equation.is_some() {
            return;
        }
        match tag.name().as_ref() {
            "a:pPr" => {
                self.paragraph = None;
                let tag = self.raw(&range).trim_end_matches("/>").to_owned();
                self.edits.push(Edit::new(range, format!("{tag}>{NO_BULLET}</a:pPr>")));
            }
            "a:rPr" => {
                self.run = None;
                self.edits.push(Edit::new(range.clone(), without_color(self.raw(&range))));
            }
            _ => {}
        }
    }

    fn close(&mut self, range: Range<usize>, name: &str) {
        match (name, self.equation) {
            ("a14:m", Some(start)) => {
                self.equation = None;
                self.equations.push(start..range.end);
            }
            (_, Some(_)) => {}
            ("a:pPr", None) => self.edits.push(Edit::new(range, format!("{NO_BULLET}</a:pPr>"))),
            ("a:p", None) => self.begin_with(|text| text.paragraph.take(), &format!("<a:pPr>{NO_BULLET}</a:pPr>")),
            ("a:r" | "a:fld", None) => self.begin_with(|text| text.run.take(), INVISIBLE),
            ("a:rPr", None) => {
                let whole = self.properties..range.end;
                self.edits.push(Edit::new(whole.clone(), without_color(self.raw(&whole))));
            }
            _ => {}
        }
    }

    /// Puts properties after a tag that has none.
    fn begin_with(&mut self, tag: impl FnOnce(&mut Self) -> Option<Range<usize>>, properties: &str) {
        if let Some(tag) = tag(self) {
            let text = format!("{}{properties}", self.raw(&tag));
            self.edits.push(Edit::new(tag, text));
        }
    }

    fn raw(&self, range: &Range<usize>) -> &str {
        self.body.get(range.clone()).unwrap_or_default()
    }
}

/// A run's properties that decide how wide it is, and no color.
fn without_color(properties: &str) -> String {
    let tag = properties.split('>').next().unwrap_or_default().trim_end_matches('/');
    let fonts = ["<a:latin ", "<a:ea ", "<a:cs "].into_iter().filter_map(|font| {
        let start = properties.find(font)?;
        let tag = properties.get(start..)?.split('>').next()?.trim_end_matches('/');
        Some(format!("{tag}/>"))
    });
    format!("{tag}><a:noFill/>{}</a:rPr>", fonts.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    const EQUATION: &str = "<a14:m><m:oMath><m:r><a:rPr sz=\"9\"/><m:t>E&lt;m</m:t></m:r></m:oMath></a14:m>";

    #[test]
    fn the_text_lies_over_its_picture() {
        let choice = format!(
            "<p:sp><p:txBody><a:bodyPr/><a:p><a:pPr lvl=\"1\"/><a:r><a:rPr sz=\"12\"><a:solidFill/><a:latin typeface=\"X\"/>\
             <a:hlinkClick r:id=\"r\"/></a:rPr><a:t>Energy</a:t></a:r>{EQUATION}</a:p><a:p><a:r><a:t>more</a:t></a:r></a:p>\
             </p:txBody></p:sp>"
        );
        let fallback =
            "<p:sp><p:spPr><a:blipFill/></p:spPr><p:txBody><a:p><a:r><a:t> </a:t></a:r></a:p></p:txBody></p:sp>";
        let expected = "<p:sp><p:spPr><a:blipFill/></p:spPr><p:txBody><a:bodyPr/>\
            <a:p><a:pPr lvl=\"1\"><a:buNone/></a:pPr>\
            <a:r><a:rPr sz=\"12\"><a:noFill/><a:latin typeface=\"X\"/></a:rPr><a:t>Energy</a:t></a:r>\
            <a:r><a:rPr><a:noFill/></a:rPr><a:t>E&lt;m</a:t></a:r></a:p>\
            <a:p><a:pPr><a:buNone/></a:pPr><a:r><a:rPr><a:noFill/></a:rPr><a:t>more</a:t></a:r></a:p></p:txBody></p:sp>";
        assert_eq!(with_text(&choice, fallback).unwrap().unwrap(), expected);
    }

    #[test]
    fn only_cells_with_equations_get_invisible_text() {
        let cell = |content: &str| format!("<a:tc><a:txBody><a:p>{content}</a:p></a:txBody></a:tc>");
        let plain = cell("<a:r><a:t>plain</a:t></a:r>");
        let fallback = [plain.clone(), cell("")].concat();
        let over = with_text(&[plain.clone(), cell(EQUATION)].concat(), &fallback).unwrap().unwrap();
        assert!(over.starts_with(&plain) && over.contains("<a:t>E&lt;m</a:t>"), "{over}");
        assert_eq!(with_text(&cell(EQUATION), &fallback).unwrap(), None);
    }

    #[test]
    fn an_equation_without_a_picture_is_text_in_its_own_size() {
        assert_eq!(as_run(EQUATION).unwrap(), "<a:r><a:rPr sz=\"9\"/><a:t>E&lt;m</a:t></a:r>");
    }
}
