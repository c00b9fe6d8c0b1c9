//! images-to-pdf: makes a page of each image.

use std::collections::BTreeMap;
use std::path::Path;

use docmill_domain::paper::Paper;
use docmill_formats::Format;
use docmill_pdf_core::image::{Embedded, embed, svg_damaged, svg_to_pdf};
use docmill_pdf_core::objects::renumber;
use docmill_pdf_core::writer::PdfWriter;
use docmill_pdf_request::{ErrorCode, Failure, Outcome, Request};
use image::metadata::Orientation;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use serde::Deserialize;

use docmill_pdf_core::Libraries;

const RESULT: &str = "images.pdf";
/// The resolution of images whose files name none, as browsers assume it.
const USUAL_DPI: f32 = 96.0;
/// The least room for an image between margins, in points.
const LEAST: f32 = 1.0;
/// The smallest side of a page that the standard allows, in points.
const SMALLEST: f32 = 3.0;
/// The largest page that viewers show, in points.
const SIDE: f32 = 14_400.0;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Options {
    page_size: PageSize,
    margin: Option<String>,
    fit: Fit,
    orientation: PageOrientation,
    dpi: Option<f32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
enum PageSize {
    /// As large as the image.
    #[default]
    #[serde(rename = "image")]
    Image,
    A3,
    A4,
    A5,
    Letter,
    Legal,
}

impl PageSize {
    /// Width and height of the upright page, in points.
    fn points(self) -> Option<(f32, f32)> {
        let paper = match self {
            Self::Image => return None,
            Self::A3 => Paper::A3,
            Self::A4 => Paper::A4,
            Self::A5 => Paper::A5,
            Self::Letter => Paper::Letter,
            Self::Legal => Paper::Legal,
        };
        Some(paper.points())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Fit {
    #[default]
    Contain,
    Cover,
    Actual,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PageOrientation {
    #[default]
    Auto,
    Portrait,
    Landscape,
}

/// The page, and the image's rectangle on it, in points from the lower left.
#[derive(Debug, PartialEq)]
struct Placement {
    page: (f32, f32),
    x: f32,
    y: f32,
    width: f32,
    height: f32,
    margin: f32,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = super::options(request)?;
    let margin = options.margin.as_deref().map_or(Ok(0.0), length)?;
    let mut file = PdfWriter::create(&request.directory.join(RESULT), request.limits.output_bytes)?;
    let mut pages = Pages { root: file.reserve(), kids: Vec::new(), limit: request.limits.pages };
    for source in &request.sources {
        if source.media == Format::Svg {
            let drawn = svg_to_pdf(&read(&source.path)?, libraries.fonts())?;
            drawing(&drawn, &options, margin, &mut file, &mut pages)?;
            continue;
        }
        let data = read(&source.path)?;
        embed(&data, source.media, &request.limits, |image| picture(image, &options, margin, &mut file, &mut pages))?;
    }
    let count = pages.kids.len();
    let tree =
        dictionary! { "Type" => "Pages", "Count" => i64::try_from(count).unwrap_or(i64::MAX), "Kids" => pages.kids };
    file.put(pages.root, tree.into())?;
    let catalog = file.add(dictionary! { "Type" => "Catalog", "Pages" => pages.root })?;
    file.finish(catalog, None)?;
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    Ok(Outcome { artifacts: vec![super::pdf(RESULT, count)], ..Outcome::default() })
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::io(&error))
}

struct Pages {
    root: ObjectId,
    kids: Vec<Object>,
    limit: u32,
}

impl Pages {
    fn add(
        &mut self,
        file: &mut PdfWriter,
        placement: &Placement,
        object: ObjectId,
        matrix: [f32; 6],
    ) -> Result<(), Failure> {
        if self.kids.len() >= self.limit as usize {
            return Err(docmill_pdf_core::pages::too_many(self.limit));
        }
        let Placement { page: (width, height), margin, .. } = *placement;
        let matrix = matrix.map(|number| format!("{number:.4}")).join(" ");
        let clip = format!("{margin:.4} {margin:.4} {:.4} {:.4} re W n", width - 2.0 * margin, height - 2.0 * margin);
        let content = Stream::new(Dictionary::new(), format!("q {clip} {matrix} cm /I Do Q").into_bytes());
        let content = file.add(content)?;
        let page = dictionary! {
            "Type" => "Page", "Parent" => self.root, "Contents" => content,
            "MediaBox" => vec![0.into(), 0.into(), width.into(), height.into()],
            "Resources" => dictionary! { "XObject" => dictionary! { "I" => object } },
        };
        self.kids.push(file.add(page)?.into());
        Ok(())
    }
}

fn picture(
    image: Embedded,
    options: &Options,
    margin: f32,
    file: &mut PdfWriter,
    pages: &mut Pages,
) -> Result<(), Failure> {
    let Embedded { mut stream, soft_mask, profile, width, height, orientation, dpi } = image;
    let (dpi_x, dpi_y) = options.dpi.map_or(dpi.unwrap_or((USUAL_DPI, USUAL_DPI)), |dpi| (dpi, dpi));
    let (width, height) = (width as f32 / dpi_x * 72.0, height as f32 / dpi_y * 72.0);
    let turned = matches!(
        orientation,
        Orientation::Rotate90 | Orientation::Rotate270 | Orientation::Rotate90FlipH | Orientation::Rotate270FlipH
    );
    let size = if turned { (height, width) } else { (width, height) };
    let placement = place(size, options, margin)?;
    if let Some(mask) = soft_mask {
        stream.dict.set("SMask", file.add(mask)?);
    }
    if let Some((profile, components)) = profile {
        let profile = Stream::new(dictionary! { "N" => i64::from(components) }, profile);
        let profile = file.add(profile)?;
        stream.dict.set("ColorSpace", vec!["ICCBased".into(), profile.into()]);
    }
    let object = file.add(stream)?;
    pages.add(file, &placement, object, matrix(&placement, orientation))
}

/// Places an image of this size, in points, on its page.
fn place((width, height): (f32, f32), options: &Options, margin: f32) -> Result<Placement, Failure> {
    let (page_width, page_height) = match options.page_size.points() {
        None => ((width + 2.0 * margin).max(SMALLEST), (height + 2.0 * margin).max(SMALLEST)),
        Some((short, long)) => match options.orientation {
            PageOrientation::Landscape => (long, short),
            PageOrientation::Auto if width > height => (long, short),
            PageOrientation::Auto | PageOrientation::Portrait => (short, long),
        },
    };
    let room = (page_width - 2.0 * margin, page_height - 2.0 * margin);
    // A page that is as large as its image always has room for it.
    if options.page_size != PageSize::Image && room.0.min(room.1) < LEAST {
        let message = "The margins leave no room on the page. Make them smaller.";
        return Err(Failure::new(ErrorCode::RenderFailed, message, "margins"));
    }
    if page_width.max(page_height) > SIDE {
        let message = "A page would be larger than 5 m. Choose a page size or a higher `dpi`.";
        return Err(Failure::new(ErrorCode::RenderFailed, message, "page size"));
    }
    let (by_width, by_height) = (room.0 / width, room.1 / height);
    let scale = match options.fit {
        Fit::Contain => by_width.min(by_height),
        Fit::Cover => by_width.max(by_height),
        Fit::Actual => by_width.min(by_height).min(1.0),
    };
    let (width, height) = (width * scale, height * scale);
    let (x, y) = ((page_width - width) / 2.0, (page_height - height) / 2.0);
    Ok(Placement { page: (page_width, page_height), x, y, width, height, margin })
}

/// Rotates and mirrors the picture's unit square by its EXIF orientation.
fn matrix(placement: &Placement, orientation: Orientation) -> [f32; 6] {
    let Placement { x, y, width: w, height: h, .. } = *placement;
    match orientation {
        Orientation::NoTransforms => [w, 0.0, 0.0, h, x, y],
        Orientation::Rotate90 => [0.0, -h, w, 0.0, x, y + h],
        Orientation::Rotate180 => [-w, 0.0, 0.0, -h, x + w, y + h],
        Orientation::Rotate270 => [0.0, h, -w, 0.0, x + w, y],
        Orientation::FlipHorizontal => [-w, 0.0, 0.0, h, x + w, y],
        Orientation::FlipVertical => [w, 0.0, 0.0, -h, x, y + h],
        Orientation::Rotate90FlipH => [0.0, -h, -w, 0.0, x + w, y + h],
        Orientation::Rotate270FlipH => [0.0, h, w, 0.0, x, y],
    }
}

/// An SVG stays a drawing: its page becomes a form on ours.
fn drawing(
    drawn: &[u8],
    options: &Options,
    margin: f32,
    file: &mut PdfWriter,
    pages: &mut Pages,
) -> Result<(), Failure> {
    let unreadable = |_| svg_damaged("svg: not read again");
    let drawn = Document::load_mem(drawn).map_err(unreadable)?;
    let page = drawn.page_iter().next().ok_or_else(|| svg_damaged("svg: no page"))?;
    let dict = drawn.get_dictionary(page).map_err(unreadable)?;
    let media = dict.get(b"MediaBox").and_then(Object::as_array).map_err(unreadable)?;
    let side = |index: usize| media.get(index).and_then(|side| side.as_float().ok()).unwrap_or(0.0);
    let size = (side(2), side(3));
    if !(size.0 > 0.0 && size.1 > 0.0) {
        return Err(svg_damaged("svg: no size"));
    }
    let ids: BTreeMap<ObjectId, ObjectId> = drawn.objects.keys().map(|id| (*id, file.reserve())).collect();
    let resources = dict.get(b"Resources").cloned().unwrap_or_else(|_| Dictionary::new().into());
    let form =
        dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => media.clone(), "Resources" => resources };
    let mut form: Object = Stream::new(form, drawn.get_page_content(page)).into();
    renumber(&mut form, &ids);
    for (id, mut object) in drawn.objects {
        renumber(&mut object, &ids);
        // The page tree is left out: nothing refers to it.
        let is_tree = object.as_dict().is_ok_and(|dict| dict.has(b"Parent") || dict.has(b"Kids") || dict.has(b"Pages"));
        if let (Some(id), false) = (ids.get(&id), is_tree) {
            file.put(*id, object)?;
        }
    }
    let form = file.add(form)?;
    let placement = place(size, options, margin)?;
    let (across, down) = (placement.width / size.0, placement.height / size.1);
    pages.add(file, &placement, form, [across, 0.0, 0.0, down, placement.x, placement.y])
}

/// `10mm`, `1cm`, `0.5in` or `36pt`, in points.
fn length(text: &str) -> Result<f32, Failure> {
    let refuse = || {
        let message = "Write the margin as a number and a unit: 10mm, 1cm, 0.5in or 36pt.";
        Failure::new(ErrorCode::RenderFailed, message, "margin")
    };
    let (number, unit) = text.split_at_checked(text.len().wrapping_sub(2)).ok_or_else(refuse)?;
    let points = match unit {
        "pt" => 1.0,
        "in" => 72.0,
        "mm" => 72.0 / 25.4,
        "cm" => 72.0 / 2.54,
        _ => return Err(refuse()),
    };
    let number: f32 = number.parse().map_err(|_| refuse())?;
    if number.is_finite() && number >= 0.0 { Ok(number * points) } else { Err(refuse()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_lie_in_the_middle_of_their_page() {
        let options = Options { page_size: PageSize::A4, ..Options::default() };
        let wide = place((200.0, 100.0), &options, 36.0).unwrap();
        assert_eq!(wide.page, (841.89, 595.28));
        assert!((wide.width - 769.89).abs() < 0.01 && (wide.y + wide.height / 2.0 - 297.64).abs() < 0.01);
        let own = place((200.0, 100.0), &Options::default(), 10.0).unwrap();
        assert_eq!((own.page, own.x, own.width), ((220.0, 120.0), 10.0, 200.0));
        assert_eq!(place((200.0, 100.0), &options, 400.0).unwrap_err().code, ErrorCode::RenderFailed);
    }

    #[test]
    fn the_smallest_images_have_pages_that_the_standard_allows() {
        let pixel = place((0.75, 0.75), &Options::default(), 0.0).unwrap();
        assert_eq!((pixel.page, pixel.width, pixel.x), ((3.0, 3.0), 3.0, 0.0));
        let line = place((0.75, 75.0), &Options::default(), 0.0).unwrap();
        assert_eq!((line.page, line.width, line.x), ((3.0, 75.0), 0.75, 1.125));
    }

    #[test]
    fn lengths_have_units() {
        assert_eq!(length("25.4mm").unwrap(), 72.0);
        assert_eq!(length("0.5in").unwrap(), 36.0);
        for wrong in ["", "5", "mm", "-1mm", "NaNmm", "ä", "1ä"] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
    }
}
