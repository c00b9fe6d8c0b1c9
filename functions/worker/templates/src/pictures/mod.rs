//! Pictures from data: read, fitted, and written into a document with what makes it find them.

mod office;
mod open;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::problem::Fault;
use crate::value::kind_of;

/// Largest picture, in bytes.
const LARGEST: usize = 8 << 20;
/// Most pixels on a side.
const LONGEST_SIDE: usize = 20_000;
/// English Metric Units of a pixel at 96 dpi, of a millimeter, and of the width and height that a picture without a placeholder may have.
const PIXEL: u64 = 9_525;
const MILLIMETER: f32 = 36_000.0;
const WIDEST: u64 = 5_760_000;
const HIGHEST: u64 = 7_200_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Png,
    Jpeg,
    Gif,
    /// Of the data only for HTML. Codes in OpenDocument files are drawn as SVG too.
    Svg,
    /// Codes in Office's documents.
    Emf,
}

impl Kind {
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Gif => "gif",
            Self::Svg => "svg",
            Self::Emf => "emf",
        }
    }

    pub(crate) fn media(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Svg => "image/svg+xml",
            Self::Emf => "image/x-emf",
        }
    }
}

/// What decides which kinds of pictures can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surroundings {
    Office,
    OpenDocument,
    Html,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) kind: Kind,
    pub(crate) bytes: Vec<u8>,
    /// In English Metric Units; none of an SVG for HTML.
    size: (u64, u64),
}

impl Picture {
    /// A picture of the data: base64, alone or in a `data:` URI. `None` if there is no value.
    pub(crate) fn of(value: &Value, surroundings: Surroundings) -> Result<Option<Self>, Fault> {
        let text = match value {
            Value::Null => return Ok(None),
            Value::String(text) if text.trim().is_empty() => return Ok(None),
            Value::String(text) => text.trim(),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                let message =
                    format!("A picture in base64 or as a `data:` URI is needed, but the value is {}.", kind_of(value));
                return Err(Fault::unusable(message));
            }
        };
        if text.starts_with("http:") || text.starts_with("https:") {
            return Err(Fault::unusable(
                "The value is an address, and addresses are not fetched. Put the picture itself into the data, in base64 or as a `data:` URI.",
            ));
        }
        let encoded = if text.starts_with("data:") {
            let (head, encoded) = text.split_once(',').unwrap_or((text, ""));
            if !head.ends_with(";base64") {
                return Err(Fault::unusable("The `data:` URI is not in base64."));
            }
            encoded
        } else {
            text
        };
        let encoded: String = encoded.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        if encoded.len() / 4 * 3 > LARGEST {
            return Err(Fault::unusable(format!("The picture has more than {} MiB.", LARGEST >> 20)));
        }
        let bytes = STANDARD.decode(encoded).map_err(|_| Fault::unusable("The value is not a picture in base64."))?;
        let picture = Self::read(bytes)?;
        if picture.kind == Kind::Svg && surroundings != Surroundings::Html {
            // Not all programs that read documents show it, and it may name other files.
            return Err(Fault::unusable("SVG pictures can only be used in HTML. Use a PNG here."));
        }
        Ok(Some(picture))
    }

    fn read(bytes: Vec<u8>) -> Result<Self, Fault> {
        let unknown = || Fault::unusable("The picture is not a PNG, JPEG, GIF or SVG.");
        let kind = match imagesize::image_type(&bytes) {
            Ok(imagesize::ImageType::Png) => Kind::Png,
            Ok(imagesize::ImageType::Jpeg) => Kind::Jpeg,
            Ok(imagesize::ImageType::Gif) => Kind::Gif,
            _ if is_svg(&bytes) => return Ok(Self::for_html(bytes)),
            _ => return Err(unknown()),
        };
        let size = imagesize::blob_size(&bytes).map_err(|_| unknown())?;
        let sides = [size.width, size.height];
        if sides.iter().any(|side| *side == 0 || *side > LONGEST_SIDE) {
            return Err(Fault::unusable(format!("The picture has no pixels, or more than {LONGEST_SIDE} on a side.")));
        }
        let side = |pixels| u64::try_from(pixels).unwrap_or(1) * PIXEL;
        Ok(Self { kind, bytes, size: (side(size.width), side(size.height)) })
    }

    pub(crate) fn for_html(svg: Vec<u8>) -> Self {
        Self { kind: Kind::Svg, bytes: svg, size: (0, 0) }
    }

    /// A picture that is shown in this size, in millimeters.
    pub(crate) fn of_size(kind: Kind, bytes: Vec<u8>, (width, height): (f32, f32)) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let side = |length: f32| ((length * MILLIMETER) as u64).max(1);
        Self { kind, bytes, size: (side(width), side(height)) }
    }

    pub(crate) fn uri(&self) -> String {
        format!("data:{};base64,{}", self.kind.media(), STANDARD.encode(&self.bytes))
    }

    /// Its own size, or less if a page has no room for it.
    fn on_page(&self) -> (u64, u64) {
        let (width, height) = self.size;
        if width > WIDEST || height > HIGHEST { self.fitted((WIDEST, HIGHEST)) } else { self.size }
    }

    /// As large as fits into a box.
    fn fitted(&self, (width, height): (u64, u64)) -> (u64, u64) {
        let (own_width, own_height) = self.size;
        if own_width.saturating_mul(height) > own_height.saturating_mul(width) {
            (width, (width.saturating_mul(own_height) / own_width.max(1)).max(1))
        } else {
            ((height.saturating_mul(own_width) / own_height.max(1)).max(1), height)
        }
    }
}

fn is_svg(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 1_000;
    let start = bytes.get(..bytes.len().min(LOOKED_AT)).unwrap_or_default();
    start.trim_ascii_start().starts_with(b"<") && memchr::memmem::find(start, b"<svg").is_some()
}
