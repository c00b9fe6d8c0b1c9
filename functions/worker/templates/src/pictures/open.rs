//! Pictures in OpenDocument files.

use docmill_package::markup::{applied, attribute, scan, value};

use super::{MILLIMETER, Picture};

/// English Metric Units of a unit of length.
const UNITS: [(&str, f64); 5] =
    [("cm", 360_000.0), ("mm", MILLIMETER as f64), ("in", 914_400.0), ("pt", 12_700.0), ("pc", 152_400.0)];

impl Picture {
    /// A frame in a text, in the picture's own size if the page has room for it.
    pub(crate) fn frame(&self, file: &str) -> String {
        let (width, height) = self.on_page();
        let centimeters = |side: u64| length(side, ("cm", 360_000.0));
        let names = "urn:oasis:names:tc:opendocument:xmlns";
        format!(
            "<draw:frame xmlns:draw=\"{names}:drawing:1.0\" xmlns:text=\"{names}:text:1.0\" xmlns:svg=\"{names}:svg-compatible:1.0\" \
             text:anchor-type=\"as-char\" svg:width=\"{}\" svg:height=\"{}\"><draw:image \
             xmlns:xlink=\"http://www.w3.org/1999/xlink\" xlink:href=\"{file}\" xlink:type=\"simple\" xlink:show=\"embed\" \
             xlink:actuate=\"onLoad\"/></draw:frame>",
            centimeters(width),
            centimeters(height)
        )
    }

    /// A frame's XML with this picture, fitted into its box. `None` if it has no picture.
    pub(crate) fn in_frame(&self, frame: &str, file: &str) -> Option<String> {
        let markup = scan(frame).ok()?;
        let root = markup.elements.first()?;
        let mut images = markup.named("image");
        let (_, image) = images.next()?;
        let mut edits = vec![(attribute(frame, image.open.clone(), "xlink:href")?, file.to_owned())];
        // Another form of the template's picture, and the format that it had.
        edits.extend(images.map(|(_, other)| (other.range(), String::new())));
        for name in ["draw:mime-type", "loext:mime-type"] {
            edits.extend(attribute(frame, image.open.clone(), name).map(|place| (place, self.kind.media().to_owned())));
        }
        for name in ["desc", "title"] {
            edits.extend(markup.named(name).map(|(_, text)| (text.range(), String::new())));
        }
        let side = |name| emus(&value(frame, root, name)?);
        if let (Some((width, unit)), Some((height, _))) = (side("svg:width"), side("svg:height")) {
            let (width, height) = self.fitted((width, height));
            for (name, side) in [("svg:width", width), ("svg:height", height)] {
                edits.push((attribute(frame, root.open.clone(), name)?, length(side, unit)));
            }
        }
        Some(applied(frame, edits))
    }
}

/// A length such as `2.5cm`, and its unit.
fn emus(length: &str) -> Option<(u64, (&'static str, f64))> {
    let unit = UNITS.into_iter().find(|(name, _)| length.ends_with(name))?;
    let number: f64 = length.strip_suffix(unit.0)?.trim().parse().ok()?;
    let emus = (number * unit.1).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in the range")]
    (1.0..1e9).contains(&emus).then_some((emus as u64, unit))
}

fn length(emus: u64, (name, of_unit): (&str, f64)) -> String {
    format!("{:.4}{name}", emus as f64 / of_unit)
}
