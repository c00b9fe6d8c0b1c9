//! Writes pictures and codes.

use std::rc::Rc;

use serde_json::Value;

use crate::fill::{Filler, Writing, exhausted, relation_id, source};
use crate::media;
use crate::notes::note;
use crate::pictures::Picture;
use crate::problem::{Failure, Fault};
use crate::tag::{Shown, Tag};
use crate::tree::Frame;

/// The work to draw a code.
const STEPS_OF_CODE: usize = 500;

impl Filler<'_> {
    pub(crate) fn picture(
        &mut self,
        writing: &mut Writing<'_>,
        index: usize,
        frame: &Frame,
        value: &Value,
    ) -> Result<(), Failure> {
        let code = writing.part.tags.get(index).and_then(|written| {
            let Tag::Picture(Shown { code, .. }) = &written.tag else { return None };
            *code
        });
        if code.is_some() && !self.work.allows(STEPS_OF_CODE) {
            return Err(exhausted());
        }
        let surroundings = frame.surroundings();
        let picture = match code {
            Some(code) => code.picture(value, surroundings),
            None => Picture::of(value, surroundings),
        };
        let picture = match picture {
            Ok(Some(picture)) => picture,
            Ok(None) => {
                if let Some(written) = writing.part.tags.get(index) {
                    note(&mut self.pictures_missing, &written.text);
                }
                return match frame {
                    Frame::Cell(cell) => self.write(writing, &cell.empty()),
                    Frame::Run
                    | Frame::Placeholder { .. }
                    | Frame::Text
                    | Frame::OpenPlaceholder { .. }
                    | Frame::Element
                    | Frame::Attribute => Ok(()),
                };
            }
            Err(fault) => return self.fault(writing, index, fault),
        };
        let text = match frame {
            Frame::Element => Ok(format!("<img src=\"{}\" alt=\"\">", picture.uri())),
            Frame::Attribute => Ok(picture.uri()),
            Frame::Run => self.kept(writing, picture).map(|(picture, number)| {
                format!("</w:t>{}<w:t xml:space=\"preserve\">", picture.drawing(&relation_id(number)))
            }),
            Frame::Cell(cell) => self.kept(writing, picture).map(|(_, number)| cell.with_picture(number)),
            Frame::Text => {
                self.kept(writing, picture).map(|(picture, number)| picture.frame(&media::open_file(number, &picture)))
            }
            Frame::Placeholder { replaces } => self.kept(writing, picture).and_then(|(picture, number)| {
                let placed = picture.in_place_of(source(writing, replaces), &relation_id(number));
                placed.ok_or_else(no_placeholder)
            }),
            Frame::OpenPlaceholder { replaces } => self.kept(writing, picture).and_then(|(picture, number)| {
                let placed = picture.in_frame(source(writing, replaces), &media::open_file(number, &picture));
                placed.ok_or_else(no_placeholder)
            }),
        };
        match text {
            Ok(text) => self.write(writing, &text),
            Err(fault) => self.fault(writing, index, fault),
        }
    }

    /// Keeps a picture for the file, once for all places that show it, and gives it a number.
    fn kept(&mut self, writing: &mut Writing<'_>, picture: Picture) -> Result<(Rc<Picture>, usize), Fault> {
        let known = self.pictures.iter().position(|known| **known == picture);
        let number = match known {
            Some(number) => number,
            None => {
                self.left = self
                    .left
                    .checked_sub(picture.bytes.len())
                    .ok_or_else(|| Fault::unusable("The pictures are too large for one document. Use smaller ones."))?;
                self.pictures.push(Rc::new(picture));
                self.pictures.len() - 1
            }
        };
        writing.pictures.insert(number);
        let picture = self.pictures.get(number).cloned();
        picture.map(|picture| (picture, number)).ok_or_else(|| Fault::unusable("The picture is lost."))
    }
}

fn no_placeholder() -> Fault {
    Fault::unusable("The tag is not the alternative text of a picture.")
}
