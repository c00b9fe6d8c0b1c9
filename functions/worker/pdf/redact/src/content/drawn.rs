//! Forms and pictures that content draws.

use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::text_state::State;
use lopdf::content::Operation;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

use super::super::Unsafe;
use super::super::pictures::Cover;
use super::super::shapes::{self, bounds, corners, encloses, grown, meets, overlap};
use super::{CONTENT_BYTES, DEPTH, Editor, FORMS, Output};

impl Editor<'_> {
    pub(super) fn draw(
        &mut self,
        output: &mut Output,
        state: &State,
        operation: Operation,
        depth: usize,
    ) -> Result<(), Unsafe> {
        let name = operation.operands.first().and_then(|name| name.as_name().ok()).unwrap_or_default().to_vec();
        let entry = self.document.child(&output.resources, b"XObject").and_then(|objects| objects.get(&name).ok());
        let id = entry.and_then(|entry| entry.as_reference().ok());
        let object = entry.and_then(|entry| self.document.dictionary(entry));
        let kind = object.and_then(|object| self.document.name(object, b"Subtype"));
        let new = match (kind, id) {
            (Some(b"Image"), Some(id)) => self.picture(state, id)?,
            (Some(b"Form"), Some(id)) => self.form(output, state, id, depth)?,
            // Nothing is drawn.
            _ => None,
        };
        let Some(new) = new else {
            output.operations.push(operation);
            return Ok(());
        };
        self.changes.replaced.extend(id);
        self.removed(output);
        self.put(output, new);
        Ok(())
    }

    /// Draws a new object, or nothing.
    fn put(&mut self, output: &mut Output, new: Drawn) {
        let Drawn::Object(id) = new else { return };
        let mut objects = self.document.child(&output.resources, b"XObject").cloned().unwrap_or_default();
        let name = format!("Docmill{}", id.0);
        objects.set(name.as_bytes(), id);
        output.resources.set("XObject", objects);
        output.push("Do", vec![Object::Name(name.into_bytes())]);
    }

    pub(super) fn form(
        &mut self,
        output: &Output,
        state: &State,
        id: ObjectId,
        depth: usize,
    ) -> Result<Option<Drawn>, Unsafe> {
        self.forms += 1;
        if depth >= DEPTH || self.forms > FORMS {
            return Err(Unsafe("forms too deep or too many"));
        }
        let stream = self.document.get_object(id).and_then(Object::as_stream).map_err(|_| Unsafe("no form"))?;
        let own: Vec<f32> =
            self.document.array(&stream.dict, b"Matrix").iter().filter_map(|n| self.document.number(n)).collect();
        let matrix = <[f32; 6]>::try_from(own).map_or(state.matrix, |own| Matrix(own).then(state.matrix));
        let area = stream.dict.get(b"BBox").ok().and_then(|corners| Rectangle::parse(self.document, corners));
        let area = area.and_then(|area| bounds(corners(area, matrix)));
        let mut inner = state.inside(matrix);
        if let Some(area) = area {
            inner.clip = state.clip.map_or(Some(area), |clip| clip.intersection(area));
            if inner.clip.is_none() {
                // It can't be seen.
                return Ok(None);
            }
        }
        let content = unpacked(stream, CONTENT_BYTES).ok_or(Unsafe("a form that can't be unpacked"))?;
        let resources = self.document.child(&stream.dict, b"Resources").unwrap_or(&output.resources).clone();
        let Some(edited) = self.edit(&content, &resources, inner, depth + 1)? else { return Ok(None) };
        self.changes.in_forms = true;
        let stream = self.document.get_object(id).and_then(Object::as_stream).map_err(|_| Unsafe("no form"))?;
        let mut dict = stream.dict.clone();
        for key in [b"Filter".as_slice(), b"DecodeParms", b"Length"] {
            dict.remove(key);
        }
        dict.set("Resources", edited.resources);
        Ok(Some(Drawn::Object(self.document.add_object(Stream::new(dict, edited.content)))))
    }

    /// The picture with the areas painted over and without parts hidden by its clip. `None` if it is unchanged.
    fn picture(&mut self, state: &State, id: ObjectId) -> Result<Option<Drawn>, Unsafe> {
        let stream = self.document.get_object(id).and_then(Object::as_stream).map_err(|_| Unsafe("no picture"))?;
        let side = |key: &[u8]| self.document.integer(&stream.dict, key).and_then(|side| u32::try_from(side).ok());
        let (Some(width @ 1..), Some(height @ 1..)) = (side(b"Width"), side(b"Height")) else {
            return Err(Unsafe("a picture without a size"));
        };
        let shape = corners(Rectangle::of_size(1.0, 1.0), state.matrix);
        let Some(around) = bounds(shape) else { return Ok(None) };
        let areas: Vec<Rectangle> = self.areas.iter().copied().filter(|area| overlap(&shape, *area) > 0.0).collect();
        let (across, up) = (around.width() / width as f32, around.height() / height as f32);
        // A partly visible pixel stays.
        let pixel = across.max(up) * 1.5 + 0.05;
        let clip = state.clip.filter(|clip| !encloses(grown(*clip, pixel), around));
        let inverse = shapes::inverse(state.matrix).ok_or(Unsafe("a picture without an area"))?;
        if areas.is_empty() && clip.is_none() && !self.pictures.reads_its_own_way(self.document, id) {
            return Ok(None);
        }
        if areas.iter().any(|area| encloses(*area, around)) || clip.is_some_and(|clip| !meets(clip, around)) {
            return Ok(Some(Drawn::Nothing));
        }
        let cover =
            Cover { inverse, matrix: state.matrix, areas, clip: clip.map(|clip| grown(clip, pixel)), width, height };
        let new = self.pictures.paint(self.document, id, &cover)?;
        Ok(Some(Drawn::Object(new)))
    }

    pub(super) fn inline_picture(
        &mut self,
        output: &mut Output,
        state: &State,
        operation: Operation,
    ) -> Result<(), Unsafe> {
        let [Object::Stream(picture)] = operation.operands.as_slice() else {
            // The parser can't read it and would lose it.
            return Err(Unsafe("an inline picture that can't be read"));
        };
        let mut picture =
            Stream::new(long_names(self.document, &output.resources, &picture.dict), picture.content.clone());
        picture.allows_compression = false;
        let id = self.document.add_object(picture);
        let new = self.picture(state, id);
        self.document.objects.remove(&id);
        match new? {
            None => output.operations.push(operation),
            Some(new) => {
                self.removed(output);
                self.put(output, new);
            }
        }
        Ok(())
    }
}

/// The replacement of an object.
pub(super) enum Drawn {
    Nothing,
    Object(ObjectId),
}

/// The dictionary of an inline picture as that of an object.
fn long_names(document: &Document, resources: &Dictionary, short: &Dictionary) -> Dictionary {
    let mut long = dictionary! { "Type" => "XObject", "Subtype" => "Image" };
    for (key, value) in short {
        let key: &[u8] = match key.as_slice() {
            b"BPC" => b"BitsPerComponent",
            b"CS" => b"ColorSpace",
            b"D" => b"Decode",
            b"DP" => b"DecodeParms",
            b"F" => b"Filter",
            b"H" => b"Height",
            b"IM" => b"ImageMask",
            b"I" => b"Interpolate",
            b"W" => b"Width",
            other => other,
        };
        let value = match key {
            b"ColorSpace" => long_space(document, resources, value),
            b"Filter" => long_filter(value),
            _ => value.clone(),
        };
        long.set(key, value);
    }
    long
}

fn long_filter(filter: &Object) -> Object {
    match filter {
        Object::Name(name) => {
            let long: &[u8] = match name.as_slice() {
                b"A85" => b"ASCII85Decode",
                b"AHx" => b"ASCIIHexDecode",
                b"CCF" => b"CCITTFaxDecode",
                b"DCT" => b"DCTDecode",
                b"Fl" => b"FlateDecode",
                b"LZW" => b"LZWDecode",
                b"RL" => b"RunLengthDecode",
                other => other,
            };
            Object::Name(long.to_vec())
        }
        Object::Array(filters) => filters.iter().map(long_filter).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}

fn long_space(document: &Document, resources: &Dictionary, space: &Object) -> Object {
    match space {
        Object::Name(name) => match name.as_slice() {
            b"G" => Object::Name(b"DeviceGray".to_vec()),
            b"RGB" => Object::Name(b"DeviceRGB".to_vec()),
            b"CMYK" => Object::Name(b"DeviceCMYK".to_vec()),
            b"I" => Object::Name(b"Indexed".to_vec()),
            name => {
                let named = document.child(resources, b"ColorSpace").and_then(|spaces| spaces.get(name).ok());
                named.unwrap_or(space).clone()
            }
        },
        Object::Array(parts) => {
            parts.iter().map(|part| long_space(document, resources, part)).collect::<Vec<_>>().into()
        }
        other => other.clone(),
    }
}
