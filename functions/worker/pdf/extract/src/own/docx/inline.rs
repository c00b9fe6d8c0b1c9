//! What stands in the lines of paragraphs: runs, links, fields and marks of notes.

use std::rc::Rc;

use docmill_pdf_request::Failure;
use docmill_word::numbering::roman;
use docmill_word::styles::{Properties, Raised};
use roxmltree::Node;

use super::{Note, NoteKind, Reader, choice};
use crate::own::math::linear;
use crate::own::package::{attribute, child};
use crate::own::text::Style;

/// A field that has begun. Only its result is shown.
#[derive(Debug, Default)]
pub(super) struct Field {
    instruction: String,
    in_result: bool,
}

impl Field {
    /// The address that an instruction such as `HYPERLINK "https://…" \l "place"` names.
    fn address(&self) -> Option<Rc<str>> {
        let rest = self.instruction.trim().strip_prefix("HYPERLINK")?;
        let mut quoted = rest.split('"').skip(1).step_by(2);
        let first = quoted.next()?;
        let is_place = rest.trim_start().starts_with("\\l");
        Some(if is_place { format!("#{first}").into() } else { first.into() })
    }
}

impl Reader<'_, '_, '_> {
    /// `style`: what a link around it gives.
    pub(super) fn inline(&mut self, node: Node<'_, '_>, properties: &Properties, style: &Style) -> Result<(), Failure> {
        for part in node.children().filter(Node::is_element) {
            match part.tag_name().name() {
                "r" => self.run(part, properties, style)?,
                "hyperlink" => {
                    let link = self.link(part);
                    let style = Style { link: link.or_else(|| style.link.clone()), ..style.clone() };
                    self.inline(part, properties, &style)?;
                }
                "fldSimple" => {
                    let field =
                        Field { instruction: attribute(part, "instr").unwrap_or_default().to_owned(), in_result: true };
                    let style = Style { link: field.address().or_else(|| style.link.clone()), ..style.clone() };
                    self.inline(part, properties, &style)?;
                }
                "sdt" => {
                    if let Some(content) = child(part, "sdtContent") {
                        self.inline(content, properties, style)?;
                    }
                }
                "ins" | "moveTo" | "smartTag" | "customXml" | "bdo" | "dir" => self.inline(part, properties, style)?,
                "AlternateContent" => {
                    if let Some(choice) = choice(part) {
                        self.inline(choice, properties, style)?;
                    }
                }
                "oMath" | "oMathPara" => self.line.push(&linear(part), style),
                // Deleted text, properties and marks of places.
                _ => {}
            }
        }
        Ok(())
    }

    fn link(&self, node: Node<'_, '_>) -> Option<Rc<str>> {
        let anchor = attribute(node, "anchor").map(|anchor| format!("#{anchor}")).unwrap_or_default();
        let address = attribute(node, "id").and_then(|id| self.relations.address(id)).unwrap_or_default();
        let whole = format!("{address}{anchor}");
        (!whole.is_empty()).then(|| whole.into())
    }

    fn run(&mut self, node: Node<'_, '_>, paragraph: &Properties, around: &Style) -> Result<(), Failure> {
        let mut own = Properties::default();
        if let Some(properties) = child(node, "rPr") {
            own.add_run(properties);
            if let Some(style) = child(properties, "rStyle").and_then(|style| attribute(style, "val")) {
                own.or(&self.styles.style(Some(style)));
            }
        }
        let style = Style {
            bold: own.bold == Some(true),
            italic: own.italic == Some(true),
            superscript: own.raised == Some(Raised::Superscript),
            subscript: own.raised == Some(Raised::Subscript),
            ..around.clone()
        };
        // Paragraphs have emphasis by their roles.
        own.or(paragraph);
        self.run_parts(node, &own, &style)
    }

    fn run_parts(&mut self, node: Node<'_, '_>, own: &Properties, style: &Style) -> Result<(), Failure> {
        for part in node.children().filter(Node::is_element) {
            match part.tag_name().name() {
                "t" => self.text(part.text().unwrap_or_default(), own, style),
                "tab" | "ptab" => self.text("\t", own, style),
                "br" if matches!(attribute(part, "type"), Some("page" | "column")) => {}
                "br" | "cr" => self.text("\n", own, style),
                "noBreakHyphen" => self.text("-", own, style),
                "sym" => {
                    let code = attribute(part, "char").and_then(|code| u32::from_str_radix(code, 16).ok());
                    if let Some(character) = code.and_then(char::from_u32) {
                        self.text(&character.to_string(), own, style);
                    }
                }
                "footnoteReference" => self.note(part, NoteKind::Footnote),
                "endnoteReference" => self.note(part, NoteKind::Endnote),
                "fldChar" => self.field(part),
                "instrText" => {
                    if let Some(field) = self.fields.last_mut().filter(|field| !field.in_result) {
                        field.instruction.push_str(part.text().unwrap_or_default());
                    }
                }
                "ruby" => {
                    for part in ["rubyBase", "rt"].into_iter().filter_map(|name| child(part, name)) {
                        let is_reading = part.tag_name().name() == "rt";
                        self.text(if is_reading { "(" } else { "" }, own, style);
                        self.inline(part, own, style)?;
                        self.text(if is_reading { ")" } else { "" }, own, style);
                    }
                }
                "drawing" | "pict" | "object" => self.drawing(part)?,
                "AlternateContent" => {
                    if let Some(choice) = choice(part) {
                        self.run_parts(choice, own, style)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn text(&mut self, text: &str, own: &Properties, style: &Style) {
        if self.fields.iter().any(|field| !field.in_result) {
            return;
        }
        if own.hidden == Some(true) {
            self.hidden.push_str(text);
            return;
        }
        if !text.trim().is_empty() {
            let is_monospaced = own.monospaced == Some(true);
            self.monospaced = Some(self.monospaced.unwrap_or(true) && is_monospaced);
            if self.builder.language.is_none() {
                self.builder.language.clone_from(&own.language);
            }
        }
        match self.fields.iter().find_map(Field::address) {
            Some(link) => self.line.push(text, &Style { link: Some(link), ..style.clone() }),
            None => self.line.push(text, style),
        }
    }

    fn field(&mut self, node: Node<'_, '_>) {
        match attribute(node, "fldCharType") {
            Some("begin") => self.fields.push(Field::default()),
            Some("separate") => {
                if let Some(field) = self.fields.last_mut() {
                    field.in_result = true;
                }
            }
            Some("end") => drop(self.fields.pop()),
            Some(_) | None => {}
        }
    }

    /// Notes are numbered in their order, each kind for itself.
    fn note(&mut self, node: Node<'_, '_>, kind: NoteKind) {
        let Some(id) = attribute(node, "id") else { return };
        let count = match kind {
            NoteKind::Footnote => &mut self.footnotes,
            NoteKind::Endnote => &mut self.endnotes,
        };
        *count += 1;
        let number = *count;
        let follows = attribute(node, "customMarkFollows").is_some_and(|value| matches!(value, "1" | "true" | "on"));
        let mark = match kind {
            _ if follows => custom_mark(node),
            NoteKind::Footnote => number.to_string(),
            NoteKind::Endnote => roman(number),
        };
        if !follows {
            self.line.push(&mark, &Style { superscript: true, ..Style::default() });
        }
        self.line.notes.push(kind.key(id));
        self.notes.push(Note { kind, id: id.to_owned(), mark });
    }
}

/// The text after a mark in its run.
fn custom_mark(node: Node<'_, '_>) -> String {
    let texts = node.next_siblings().filter(|part| part.tag_name().name() == "t");
    texts.filter_map(|part| part.text()).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_name_addresses() {
        let address = |instruction: &str| {
            Field { instruction: instruction.to_owned(), in_result: true }.address().map(|address| address.to_string())
        };
        assert_eq!(address(r#" HYPERLINK "https://a.example" \o "tip""#).as_deref(), Some("https://a.example"));
        assert_eq!(address(r#"HYPERLINK \l "place""#).as_deref(), Some("#place"));
        assert_eq!(address("PAGE"), None);
        assert_eq!([4, 9, 14, 1994].map(roman), ["iv", "ix", "xiv", "mcmxciv"]);
    }
}
