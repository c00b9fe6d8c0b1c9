//! Pictures from data: read, fitted, and written into a document with what makes it find them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::markup::{applied, attribute, scan, value};
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
    /// Only for HTML: documents would need another picture beside it.
    Svg,
}

impl Kind {
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Gif => "gif",
            Self::Svg => "svg",
        }
    }

    pub(crate) fn media(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Svg => "image/svg+xml",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) kind: Kind,
    pub(crate) bytes: Vec<u8>,
    /// In English Metric Units; none of an SVG.
    size: (u64, u64),
}

impl Picture {
    /// A picture of the data: base64, alone or in a `data:` URI. `None` if there is no value.
    pub(crate) fn of(value: &Value) -> Result<Option<Self>, Fault> {
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
                "The value is an address, which is not fetched. Put the picture into the data, in base64 or as a `data:` URI.",
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
        Self::read(bytes).map(Some)
    }

    fn read(bytes: Vec<u8>) -> Result<Self, Fault> {
        let unknown = || Fault::unusable("The picture is not a PNG, JPEG, GIF or SVG.");
        let kind = match imagesize::image_type(&bytes) {
            Ok(imagesize::ImageType::Png) => Kind::Png,
            Ok(imagesize::ImageType::Jpeg) => Kind::Jpeg,
            Ok(imagesize::ImageType::Gif) => Kind::Gif,
            _ if is_svg(&bytes) => return Ok(Self::vector(bytes)),
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

    pub(crate) fn vector(svg: Vec<u8>) -> Self {
        Self { kind: Kind::Svg, bytes: svg, size: (0, 0) }
    }

    /// A PNG that is shown in this size, in millimeters.
    pub(crate) fn of_size(png: Vec<u8>, (width, height): (f32, f32)) -> Self {
        let side = |length: f32| ((length * MILLIMETER) as u64).max(1);
        Self { kind: Kind::Png, bytes: png, size: (side(width), side(height)) }
    }

    pub(crate) fn uri(&self) -> String {
        format!("data:{};base64,{}", self.kind.media(), STANDARD.encode(&self.bytes))
    }

    /// Documents have no vector pictures without another one beside them.
    pub(crate) fn for_documents(self) -> Result<Self, Fault> {
        if self.kind == Kind::Svg {
            return Err(Fault::unusable("SVG pictures are for HTML. Use a PNG here."));
        }
        Ok(self)
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

    /// A drawing in a run of a Word document, in the picture's own size if the page has room for it.
    pub(crate) fn drawing(&self, relation: &str) -> String {
        let own = self.size;
        let (cx, cy) = if own.0 > WIDEST || own.1 > HIGHEST { self.fitted((WIDEST, HIGHEST)) } else { own };
        let drawing = "http://schemas.openxmlformats.org/drawingml/2006";
        format!(
            "<w:drawing><wp:inline xmlns:wp=\"{drawing}/wordprocessingDrawing\" distT=\"0\" distB=\"0\" distL=\"0\" distR=\"0\">\
             <wp:extent cx=\"{cx}\" cy=\"{cy}\"/><wp:docPr id=\"1\" name=\"Picture\"/><a:graphic xmlns:a=\"{drawing}/main\">\
             <a:graphicData uri=\"{drawing}/picture\"><pic:pic xmlns:pic=\"{drawing}/picture\"><pic:nvPicPr>\
             <pic:cNvPr id=\"1\" name=\"Picture\"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill>\
             <a:blip xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" r:embed=\"{relation}\"/>\
             <a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/>\
             <a:ext cx=\"{cx}\" cy=\"{cy}\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></pic:spPr></pic:pic>\
             </a:graphicData></a:graphic></wp:inline></w:drawing>"
        )
    }

    /// A placeholder's XML with this picture, fitted into its box. `None` if it is no picture.
    pub(crate) fn placed(&self, placeholder: &str, relation: &str) -> Option<String> {
        let markup = scan(placeholder).ok()?;
        let (blip, element) = markup.named("blip").next()?;
        let mut edits = vec![(attribute(placeholder, element.open.clone(), "r:embed")?, relation.to_owned())];
        // Another form of the template's picture, and how that was cropped.
        let inner = markup.inside(blip).filter(|(_, inner)| inner.local() == "extLst").map(|(_, inner)| inner);
        let cropped = markup.named("srcRect").map(|(_, element)| element);
        edits.extend(inner.chain(cropped).map(|element| (element.range(), String::new())));
        for element in &markup.elements {
            if matches!(element.local(), "docPr" | "cNvPr") {
                let texts = ["descr", "title"]
                    .into_iter()
                    .filter_map(|name| attribute(placeholder, element.open.clone(), name));
                edits.extend(texts.map(|place| (place, String::new())));
            }
            let side = |name| value(placeholder, element, name)?.parse::<u64>().ok();
            if let ("extent" | "ext", Some(cx), Some(cy)) = (element.local(), side("cx"), side("cy")) {
                let (width, height) = self.fitted((cx, cy));
                for (name, new) in [("cx", width), ("cy", height)] {
                    edits.push((attribute(placeholder, element.open.clone(), name)?, new.to_string()));
                }
            }
        }
        Some(applied(placeholder, edits))
    }
}

fn is_svg(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 1_000;
    let start = bytes.get(..bytes.len().min(LOOKED_AT)).unwrap_or_default();
    start.trim_ascii_start().starts_with(b"<") && memchr::memmem::find(start, b"<svg").is_some()
}
