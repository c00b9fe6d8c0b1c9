//! Brings pictures within limits, in little time. What is within them already keeps its data.

use std::io;

use lopdf::{Document, Object, ObjectId, Stream};

use super::picture::{Coding, Colors, Picture};
use super::recode::{Effort, Kind, deflated, encoded, is_worth, resize, steps, target};
use crate::PictureLimits;
use crate::image::{jpeg_coarseness, metadata};
use crate::structure::deferred_pictures::DeferredPictures;

/// Placements are rounded: a picture prepared for a resolution can be a few pixels above it.
const ROUNDING: f32 = 1.01;
/// A JPEG is encoded again only if its quantisation steps are this many times finer than those asked for.
const FINER: f32 = 1.3;
/// Exact pictures with fewer bits for each pixel are drawings or text, of which JPEG makes no smaller file.
const FEW_BITS: u64 = 2;

/// The picture within the limits, or `None` if it stays as it is. `placed` is its size on the page, in points.
pub(super) fn fit(
    document: &Document,
    stream: &Stream,
    placed: (f32, f32),
    is_mask: bool,
    limits: PictureLimits,
    pixels: u64,
) -> Option<Stream> {
    let picture = Picture::new(document, stream, pixels)?;
    let size = target(&picture, placed, f32::from(limits.dpi), ROUNDING);
    let scaled = size != (picture.width, picture.height);
    if !scaled && (is_mask || !is_wasteful(&picture, limits.quality)) {
        return None;
    }
    let pixels = picture.decode(size)?;
    let kind = Kind::of(&picture, &pixels, is_mask);
    let pixels = resize(pixels, size)?;
    let exact = || if scaled { deflated(&stream.dict, &pixels) } else { None };
    let new = encoded(&picture, &pixels, kind, exact, (limits.quality, Effort::Fast))?;
    is_worth(&new, stream).then_some(new)
}

/// Whether JPEG of this quality may take much less than the picture.
fn is_wasteful(picture: &Picture<'_>, quality: u8) -> bool {
    let data = &picture.stream.content;
    match picture.coding {
        Coding::Jpeg => jpeg_coarseness(data).is_some_and(|coarseness| coarseness * FINER < steps(quality)),
        Coding::Jpeg2000 => false,
        Coding::Lossless => match picture.colors {
            Colors::Palette { .. } | Colors::Own => false,
            Colors::Gray | Colors::Rgb => {
                data.len() as u64 * 8 > u64::from(picture.width) * u64::from(picture.height) * FEW_BITS
            }
        },
    }
}

/// Removes camera, location, previews and comments from JPEGs. Returns whether there were any.
pub(super) fn remove_metadata(document: &mut Document, held: &DeferredPictures) -> io::Result<bool> {
    let mut bare: Vec<(ObjectId, Vec<u8>)> = Vec::new();
    for (id, object) in &document.objects {
        if let Object::Stream(stream) = object
            && stream.filters().is_ok_and(|filters| filters == [b"DCTDecode"])
            && let Some(data) = metadata::jpeg(&held.whole(stream)?.content)
        {
            bare.push((*id, data));
        }
    }
    let any = !bare.is_empty();
    for (id, data) in bare {
        if let Some(Object::Stream(stream)) = document.objects.get_mut(&id) {
            stream.set_content(data);
            stream.start_position = None;
        }
    }
    Ok(any)
}
