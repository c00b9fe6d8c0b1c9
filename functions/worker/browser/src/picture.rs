//! Pictures of a page: size, area and format.

use docmill_domain::job::{JobErrorCode, Warning};
use docmill_engine::Failure;
use docmill_engine::page::read_options;
use docmill_formats::Format;
use serde::Deserialize;
use serde_json::{Value, json};

/// Most pixels of a picture: 200 MB in the browser.
const MOST_PIXELS: f64 = 50_000_000.0;
/// The longest side that the browser is known to draw correctly.
const LONGEST_SIDE: f64 = 32_760.0;
/// The browser returns nothing for longer sides.
const LONGEST_WEBP_SIDE: f64 = 16_383.0;

/// A job's options, already validated against the tool's schema.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PictureOptions {
    pub(super) format: PictureFormat,
    pub(super) full_page: bool,
    /// Width of the window in CSS pixels.
    pub(super) width: u32,
    pub(super) height: u32,
    /// Pixels of the picture per CSS pixel.
    pub(super) device_scale: f64,
    pub(super) selector: Option<String>,
    pub(super) omit_background: bool,
    pub(super) quality: Option<u8>,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self {
            format: PictureFormat::Png,
            full_page: false,
            width: 1280,
            height: 800,
            device_scale: 1.0,
            selector: None,
            omit_background: false,
            quality: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PictureFormat {
    Png,
    Jpeg,
    Webp,
}

impl PictureFormat {
    pub(super) const fn media(self) -> Format {
        match self {
            Self::Png => Format::Png,
            Self::Jpeg => Format::Jpeg,
            Self::Webp => Format::Webp,
        }
    }

    /// The browser's name of the format.
    const fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Webp => "webp",
        }
    }

    /// Whether a background can be transparent.
    pub(super) const fn has_alpha(self) -> bool {
        match self {
            Self::Png | Self::Webp => true,
            Self::Jpeg => false,
        }
    }

    const fn longest_side(self) -> f64 {
        match self {
            Self::Png | Self::Jpeg => LONGEST_SIDE,
            Self::Webp => LONGEST_WEBP_SIDE,
        }
    }
}

/// An area of the page, in CSS pixels from the top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Area {
    /// Extended to whole pixels.
    pub(super) fn rounded(self) -> Self {
        let (x, y) = (self.x.floor().max(0.0), self.y.floor().max(0.0));
        Self { x, y, width: (self.x + self.width).ceil() - x, height: (self.y + self.height).ceil() - y }
    }
}

impl PictureOptions {
    pub(super) fn read(options: &Value) -> Result<Self, Failure> {
        read_options(options)
    }

    pub(super) const DEFAULT_QUALITY: u8 = 85;

    /// The window for the page's layout, as `Emulation.setDeviceMetricsOverride` expects it.
    pub(super) fn window(&self) -> Value {
        json!({"width": self.width, "height": self.height, "deviceScaleFactor": self.device_scale, "mobile": false})
    }

    /// Parameters of `Page.captureScreenshot` for an area. Fails if the picture would be too large.
    pub(super) fn capture(&self, area: Area) -> Result<Value, Failure> {
        let (width, height) = (area.width * self.device_scale, area.height * self.device_scale);
        let side = self.format.longest_side();
        if width > side || height > side || width * height > MOST_PIXELS {
            let hint = if self.format == PictureFormat::Webp { ", or `png` instead of `webp`" } else { "" };
            let message = format!(
                "The picture would have {width:.0} × {height:.0} pixels. A {} picture has at most {side:.0} on a side \
                 and {} million in all: choose a smaller `deviceScale`, a part of the page by `selector`{hint}.",
                self.format.name(),
                MOST_PIXELS / 1e6,
            );
            return Err(Failure::new(JobErrorCode::RenderFailed, message, "picture beyond the limit"));
        }
        let mut call = json!({
            "format": self.format.name(),
            "clip": {"x": area.x, "y": area.y, "width": area.width, "height": area.height, "scale": 1},
            "captureBeyondViewport": true,
        });
        if self.format != PictureFormat::Png {
            call["quality"] = json!(self.quality.unwrap_or(Self::DEFAULT_QUALITY));
        }
        Ok(call)
    }

    pub(super) fn warnings(&self) -> Vec<Warning> {
        let without_effect = |name: &str, needs: &str| {
            let message = format!("`{name}` has no effect here: it needs {needs}.");
            Warning::new("option_without_effect", message).with_detail(name)
        };
        let quality = self.quality.filter(|_| self.format == PictureFormat::Png);
        let quality = quality.map(|_| without_effect("quality", "`jpeg` or `webp`"));
        let background = (self.omit_background && !self.format.has_alpha())
            .then(|| without_effect("omitBackground", "`png` or `webp`"));
        let full_page = (self.full_page && self.selector.is_some())
            .then(|| without_effect("fullPage", "a picture without `selector`"));
        [quality, background, full_page].into_iter().flatten().collect()
    }
}

/// Finds the selector's element in an isolated world. Returns an [`Area`], null if there is no element, or false if the selector
/// is invalid.
pub(super) fn find_element(selector: &str) -> String {
    let selector = Value::from(selector);
    format!(
        "(() => {{ try {{ const element = document.querySelector({selector}); if (!element) return null; \
         element.scrollIntoView(); const box = element.getBoundingClientRect(); \
         return {{x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height}}; \
         }} catch {{ return false; }} }})()"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_options_have_the_defaults_of_the_schema() {
        let schema: Value =
            serde_json::from_str(include_str!("../../../../shared/tools/html-to-image.options.json")).unwrap();
        let defaults: serde_json::Map<String, Value> = schema["properties"]
            .as_object()
            .unwrap()
            .iter()
            .filter_map(|(name, option)| Some((name.clone(), option.get("default")?.clone())))
            .filter(|(name, _)| name != "quality")
            .collect();
        let read = PictureOptions::read(&Value::Object(defaults)).unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", PictureOptions::default()));
        assert_eq!(schema["properties"]["quality"]["default"], PictureOptions::DEFAULT_QUALITY);
    }

    #[test]
    fn pictures_are_bounded_before_they_are_taken() {
        let options =
            |format: &str, scale: f64| PictureOptions::read(&json!({"format": format, "deviceScale": scale})).unwrap();
        let area = |height| Area { x: 0.0, y: 0.0, width: 1000.0, height };
        assert!(options("webp", 1.0).capture(area(16_383.0)).is_ok());
        let failure = options("webp", 1.0).capture(area(16_384.0)).unwrap_err();
        assert!(failure.message.contains("1000 × 16384") && failure.message.contains("16383"), "{}", failure.message);
        assert!(options("png", 1.0).capture(area(20_000.0)).is_ok());
        assert!(options("png", 1.0).capture(area(40_000.0)).is_err());
        assert!(options("jpeg", 2.0).capture(area(15_000.0)).is_err(), "60 million pixels");
    }

    #[test]
    fn areas_cover_whole_pixels() {
        let area = Area { x: 10.4, y: -3.0, width: 20.2, height: 8.5 }.rounded();
        assert_eq!(area, Area { x: 10.0, y: 0.0, width: 21.0, height: 6.0 });
    }
}
