//! Pictures in other colors: what a viewer shows of inks, as red, green and blue or as grey.

use std::path::Path;

use docmill_pdf_core::deferred_pictures::DeferredPictures;
use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::picture::{self, Model, Picture, Reason, drawn};
use docmill_pdf_request::{Limits, Warning};
use lopdf::{Document, Object, ObjectId};
use serde::Deserialize;

use super::scan;
use docmill_pdf_core::Libraries;

/// Memory for each pixel while a picture is drawn and encoded, in bytes.
const PIXEL_BYTES: u64 = 12;

/// The colors that pictures get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Colors {
    /// Their own.
    #[default]
    Keep,
    /// Red, green and blue; gray pictures stay gray.
    Rgb,
    /// Shades of gray.
    Gray,
}

impl Colors {
    /// Whether pictures of this model stay as they are.
    fn allows(self, model: Option<Model>) -> bool {
        match self {
            Self::Keep => true,
            Self::Rgb => matches!(model, Some(Model::Gray | Model::Rgb)),
            Self::Gray => model == Some(Model::Gray),
        }
    }
}

/// Pictures in other colors, and a warning for others.
#[derive(Debug)]
pub struct Converted {
    /// The pictures that were converted.
    pub ids: Vec<ObjectId>,
    /// Which ones were not, and why.
    pub kept: Option<Warning>,
}

/// How pictures are converted.
#[derive(Debug)]
pub struct Conversion<'c> {
    /// PDFium draws the pictures.
    pub libraries: &'c Libraries,
    /// For the file that a picture is drawn from.
    pub directory: &'c Path,
    /// The content of large pictures.
    pub held: &'c DeferredPictures,
    /// What they become.
    pub colors: Colors,
    /// Of pixels and memory.
    pub limits: &'c Limits,
}

impl Conversion<'_> {
    /// Converts the pictures of the pages.
    pub fn convert(&self, document: &mut Document, pages: &[ObjectId]) -> Converted {
        if self.colors == Colors::Keep {
            return Converted { ids: Vec::new(), kept: None };
        }
        let mut ids: Vec<ObjectId> = scan::placements(document, pages).sizes.into_keys().collect();
        ids.sort_unstable();
        let (mut converted, mut kept) = (Vec::new(), 0_usize);
        let file = self.directory.join("picture.pdf");
        for id in ids {
            match self.one(document, id, &file) {
                Ok(Some(stream)) => {
                    document.objects.insert(id, stream);
                    converted.push(id);
                }
                Ok(None) => {}
                Err(_) => kept += 1,
            }
        }
        let message = format!("{kept} picture(s) could not be converted to other colors, and keep theirs.");
        Converted { ids: converted, kept: (kept > 0).then(|| Warning::new("colors_kept", message)) }
    }

    /// The picture in other colors. `None` if it has them already.
    fn one(&self, document: &mut Document, id: ObjectId, file: &Path) -> Result<Option<Object>, Reason> {
        let old = document.get_object(id).and_then(Object::as_stream).map_err(|_| Reason::Unreadable)?;
        if document.value(&old.dict, b"ImageMask").is_some_and(|mask| mask.as_bool().unwrap_or(true)) {
            return Ok(None);
        }
        let most = self.limits.pixels.min(self.limits.memory_bytes / 2 / PIXEL_BYTES);
        let size = match picture::size(document, &old.dict, most) {
            // Pixels by the handful are converted too.
            Err(Reason::FewPixels) => picture::size_of_any(document, &old.dict).ok_or(Reason::Unreadable)?,
            size => size?,
        };
        let whole = self.held.whole(old).map_err(|_| Reason::Unreadable)?.into_owned();
        let (model, is_lossy) = match Picture::new(document, &whole, most) {
            Ok(picture) if picture.is_keyed => return Err(Reason::ColorKey),
            Ok(picture) => (picture.colors.model(), picture.coding.is_lossy()),
            Err(Reason::Alpha) => return Err(Reason::Alpha),
            // Drawn all the same: pdfium may know more.
            Err(_) => (None, false),
        };
        if self.colors.allows(model) {
            return Ok(None);
        }
        let masks: Vec<(&[u8], Object)> = [b"SMask".as_slice(), b"Mask"]
            .into_iter()
            .filter_map(|key| Some((key, whole.dict.get(key).ok()?.clone())))
            .collect();
        // Drawn without its mask, which stays as it is.
        let mut bare = whole.clone();
        for key in [b"SMask".as_slice(), b"Mask"] {
            bare.dict.remove(key);
        }
        bare.start_position = None;
        document.objects.insert(id, bare.into());
        let bitmap = drawn::draw(self.libraries, file, document, self.held, id, size);
        let failed = |_| Reason::Unreadable;
        let stream = bitmap.and_then(|bitmap| match self.colors {
            Colors::Gray => drawn::grey(&bitmap, is_lossy),
            Colors::Rgb | Colors::Keep => drawn::opaque(&bitmap, is_lossy),
        });
        match stream.map_err(failed) {
            Ok(mut stream) => {
                for (key, mask) in masks {
                    stream.dict.set(key, mask);
                }
                for key in [b"Interpolate".as_slice(), b"Intent", b"OC", b"StructParent"] {
                    if let Ok(value) = whole.dict.get(key) {
                        stream.dict.set(key, value.clone());
                    }
                }
                Ok(Some(stream.into()))
            }
            Err(reason) => {
                document.objects.insert(id, whole.into());
                Err(reason)
            }
        }
    }
}
