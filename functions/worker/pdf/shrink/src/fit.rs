//! Brings pictures within limits, in little time. What is within them already keeps its data.

use std::io;

use docmill_pdf_core::deferred_pictures::DeferredPictures;
use docmill_pdf_core::image::{jpeg_coarseness, metadata};
use docmill_pdf_core::picture::{Coding, Colors, Picture, Reason};
use docmill_pdf_request::PictureLimits;
use lopdf::{Document, Object, ObjectId, Stream};

use super::Done;
use super::recode::{Effort, Kind, deflated, encoded, resize, steps, target};

/// Placements are rounded: a picture prepared for a resolution can be a few pixels above it.
const ROUNDING: f32 = 1.01;
/// A JPEG is encoded again only if its quantisation steps are this many times finer than those asked for.
const FINER: f32 = 1.3;
/// Exact pictures with fewer bits for each pixel are drawings or text, of which JPEG makes no smaller file.
const FEW_BITS: u64 = 2;

/// The picture within the limits. `placed` is its size on the page, in points.
///
/// # Errors
///
/// Says why the picture stays as it is.
pub(super) fn fit(
    document: &Document,
    stream: &Stream,
    placed: (f32, f32),
    is_mask: bool,
    limits: PictureLimits,
    pixels: u64,
) -> Result<(Stream, Done), Reason> {
    let picture = Picture::new(document, stream, pixels)?;
    // Two values must not become grey, and a transparent color must stay that color.
    if picture.is_bilevel() || picture.is_keyed {
        return Err(Reason::Compact);
    }
    let size = target(&picture, placed, f32::from(limits.dpi), ROUNDING);
    let scaled = size != (picture.width, picture.height);
    if !scaled && (is_mask || !is_wasteful(&picture, limits.quality)) {
        return Err(Reason::Compact);
    }
    let pixels = picture.decode(size).ok_or(Reason::Unreadable)?;
    let kind = Kind::of(&picture, &pixels, is_mask);
    let pixels = resize(pixels, size).ok_or(Reason::Colors)?;
    let exact = || if scaled { deflated(&stream.dict, &pixels) } else { None };
    let new = encoded(&picture, &pixels, kind, exact, (limits.quality, Effort::Fast)).ok_or(Reason::Compact)?;
    let done = if scaled { Done::Resampled } else { Done::Encoded };
    if super::is_worth(&new, stream) { Ok((new, done)) } else { Err(Reason::Compact) }
}

/// Whether JPEG of this quality may take much less than the picture.
fn is_wasteful(picture: &Picture<'_>, quality: u8) -> bool {
    match picture.coding {
        Coding::Jpeg => jpeg_coarseness(picture.coded()).is_some_and(|coarseness| coarseness * FINER < steps(quality)),
        Coding::Jpeg2000 | Coding::Fax | Coding::Jbig2 => false,
        Coding::Plain => match picture.colors {
            Colors::Palette(_) | Colors::Own => false,
            Colors::Channels { .. } => {
                picture.stored as u64 * 8 > u64::from(picture.width) * u64::from(picture.height) * FEW_BITS
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
