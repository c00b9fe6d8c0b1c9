//! Writes what stands in the place of a tag.

use std::borrow::Cow;

use docmill_package::markup;
use serde_json::Value;

use super::{Filler, Writing, exhausted};
use crate::cell;
use crate::data::{Missed, Scope, evaluate};
use crate::expression::Expression;
use crate::notes::note;
use crate::options::Missing;
use crate::problem::{Failure, Fault};
use crate::rich;
use crate::tag::{Link, Rich, Shown, Tag};
use crate::tree::{Frame, Held, Target, Written};
use crate::value::text_of;

/// What an expression has given.
enum Found<'v> {
    Value(Cow<'v, Value>),
    /// Nothing that is written like a value: a mistake is reported, or the tag stays.
    Settled,
}

impl Filler<'_> {
    pub(super) fn value(&mut self, writing: &mut Writing<'_>, index: usize, scope: &Scope<'_>) -> Result<(), Failure> {
        let Some(written) = writing.part.tags.get(index).filter(|_| !writing.faulty.contains(&index)) else {
            return Ok(());
        };
        if let Tag::Include(name) = &written.tag {
            return self.include(writing, index, name, scope);
        }
        let Some(expression) = expression(written) else { return Ok(()) };
        let value = match evaluate(expression, scope, self.formats) {
            Ok(found) => found.value,
            Err(Missed::Exhausted) => return Err(exhausted()),
            Err(Missed::Faulty(fault)) => return self.fault(writing, index, fault),
            Err(Missed::Unknown(path)) => match self.missing {
                Missing::Error => return self.fault(writing, index, scope.unknown(&path)),
                Missing::Empty => Cow::Owned(Value::Null),
                Missing::Keep => match self.keep(writing, written)? {
                    Found::Value(value) => value,
                    Found::Settled => return Ok(()),
                },
            },
        };
        if let Target::Picture(frame) = &written.target {
            return self.picture(writing, index, frame, &value);
        }
        if let Target::Address(held) = &written.target {
            return self.address(writing, index, held, &value);
        }
        if value.is_null() {
            note(&mut self.empty, &written.text);
        }
        if let (Tag::Link(link), Target::Link(anchor)) = (&written.tag, &written.target) {
            return self.link(writing, index, (link, anchor), &value, scope);
        }
        if let Target::Cell(cell) = &written.target {
            return match cell.with(&value, self.formats) {
                Ok(whole) => self.cell(writing, &whole, &written.target),
                Err(fault) => self.fault(writing, index, fault),
            };
        }
        match text_of(&value) {
            Ok(text) => self.text(writing, index, written, &text),
            Err(fault) => self.fault(writing, index, fault),
        }
    }

    /// Keeps a tag without a value as it stands in the template. Some tags stay as their text, which is then written like a value.
    fn keep(&mut self, writing: &mut Writing<'_>, written: &Written) -> Result<Found<'static>, Failure> {
        match &written.target {
            Target::Picture(Frame::Run | Frame::Text | Frame::Element | Frame::Attribute)
            | Target::Link(_)
            | Target::Address(Held::Attribute)
            | Target::RichHtml => self.write_value(writing, &written.text, &Target::Html)?,
            // The relationship of the template keeps the tags.
            Target::Address(Held::Relation(id)) => self.write(writing, id)?,
            Target::Raw { replaces }
            | Target::Rich { replaces, .. }
            | Target::Picture(Frame::Placeholder { replaces } | Frame::OpenPlaceholder { replaces }) => {
                let paragraph = writing.part.source.get(replaces.clone()).unwrap_or_default();
                self.write(writing, paragraph)?;
            }
            Target::Picture(Frame::Cell(cell)) => {
                let whole = cell.of_text(written.text.clone());
                self.cell(writing, &whole, &written.target)?;
            }
            Target::Xml { .. }
            | Target::Cell(_)
            | Target::SheetText
            | Target::HeaderFooter
            | Target::Html
            | Target::Markdown
            | Target::Name => return Ok(Found::Value(Cow::Owned(Value::String(written.text.clone())))),
        }
        Ok(Found::Settled)
    }

    /// Writes the text of a value.
    fn text(&mut self, writing: &mut Writing<'_>, index: usize, written: &Written, text: &str) -> Result<(), Failure> {
        match (&written.tag, &written.target) {
            (_, Target::Raw { .. }) if markup::is_well_formed(text, &writing.part.source) => self.write(writing, text),
            (_, Target::Raw { .. }) => {
                let message = "The value is not well-formed XML, or has a prefix that the template does not declare.";
                self.fault(writing, index, Fault::unusable(message))
            }
            (Tag::Rich(Rich { language, .. }), Target::Rich { looks, .. }) => {
                self.rich(writing, index, &rich::html(text, *language), |html| rich::paragraphs(html, looks))
            }
            (Tag::Rich(Rich { language, .. }), Target::RichHtml) => {
                self.rich(writing, index, &rich::html(text, *language), str::to_owned)
            }
            (_, target) => self.write_value(writing, text, target),
        }
    }

    /// Writes HTML in the words of the part's format, as `written` has them.
    pub(super) fn rich(
        &mut self,
        writing: &mut Writing<'_>,
        index: usize,
        html: &str,
        written: impl FnOnce(&str) -> String,
    ) -> Result<(), Failure> {
        let Some(steps) = rich::steps(html) else {
            return self.fault(writing, index, Fault::unusable("The text has too many elements."));
        };
        if !self.work.allows(steps) {
            return Err(exhausted());
        }
        self.write(writing, &written(&rich::safe(html)))
    }

    fn cell(&mut self, writing: &mut Writing<'_>, cell: &cell::Written, target: &Target) -> Result<(), Failure> {
        self.write(writing, &cell.open)?;
        self.write_value(writing, &cell.text, target)?;
        self.write(writing, &cell.close)
    }
}

/// What is evaluated for a tag. `None` for tags that stand for no value.
fn expression(written: &Written) -> Option<&Expression> {
    let (Tag::Value(expression)
    | Tag::Raw(expression)
    | Tag::Rich(Rich { expression, .. })
    | Tag::Picture(Shown { expression, .. })
    | Tag::Link(Link { expression, .. })
    | Tag::Address(expression)) = &written.tag
    else {
        return None;
    };
    match &written.target {
        Target::Cell(cell) => Some(cell.expression(expression)),
        Target::Xml { .. }
        | Target::Raw { .. }
        | Target::Rich { .. }
        | Target::RichHtml
        | Target::Picture(_)
        | Target::Link(_)
        | Target::Address(_)
        | Target::SheetText
        | Target::HeaderFooter
        | Target::Html
        | Target::Markdown
        | Target::Name => Some(expression),
    }
}
