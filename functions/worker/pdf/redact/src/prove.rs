//! Searches a finished file for redacted content by other means than its removal: pdfium extracts text, Tesseract reads drawn
//! pages, the colors of boxes are checked, and every object and stream is searched.

use std::collections::HashSet;
use std::path::Path;

use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_core::pages;
use docmill_pdf_core::pdfium::{self, Background, Bitmap, GreyBitmap, Page, Rect};
use docmill_pdf_core::pixels::whole;
use docmill_pdf_request::{ErrorCode, Failure, Request};
use lopdf::{Document, Object, ObjectId};

use super::needle::{Needles, normal};
use super::ocr_pool::OcrPool;
use super::ocr_search::Shown;
use super::reading::{Reading, lies_in};
use super::{Cover, Leftovers, Redaction, files, prune, strings};

/// The resolution for checking boxes and comparing pages.
const DPI: f32 = 72.0;
/// Largest difference of a box's color, out of 255.
const TOLERANCE: i32 = 6;
/// Pixels at the edges of boxes and areas that are not compared, because they are partly covered.
const EDGE: f32 = 2.0;
/// The difference of a pixel outside the areas that counts, out of 765, and the share of pixels that may have it: re-encoded
/// pictures differ slightly.
const DIFFERENT: i32 = 120;
const MOST_DIFFERENT: f64 = 0.002;
/// What a stream may unpack to.
const STREAM_BYTES: usize = 64 << 20;

/// What was checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checks {
    /// Pages whose text was extracted.
    pub text: u32,
    /// Pages that were read by OCR.
    pub ocr: u32,
    /// Pages on which the color of each area was checked.
    pub boxes: u32,
    /// Objects that were searched.
    pub objects: usize,
}

impl Redaction<'_> {
    /// Searches for leftovers in the result.
    ///
    /// # Errors
    /// If the finished file can't be read or drawn.
    pub fn prove(&self, pool: &mut OcrPool<'_>) -> Result<(Leftovers, Checks), Failure> {
        let Self { libraries, request, files, needles, .. } = self;
        let mut leftovers = Leftovers::default();
        let mut checks = Checks::default();
        objects(&files.result, request, &self.hidden_needles(), &mut leftovers, &mut checks)?;
        let flat = request.directory.join("result-flat.pdf");
        files::flatten_copy(libraries, request, &files.result, &flat)?;
        let session = libraries.pdfium()?.session();
        let before = pdfium::Document::open(&session, &files.flat, None)?;
        let after = pdfium::Document::open(&session, &flat, None)?;
        if before.pages() != after.pages() {
            return Err(lost("the result has another number of pages"));
        }
        let wanted: Vec<u32> =
            (0..after.pages()).filter(|page| !needles.is_empty() || self.plan.pages.contains_key(page)).collect();
        let seen = pool.find(request, wanted.len(), |read| {
            after.for_each_page(wanted, |number, page| {
                let text = Reading::of_text(&page.text()?.characters(false));
                let found = text.find(needles).into_iter().map(|(area, entry, _)| (area, entry)).collect();
                let is_empty = areas_are_empty(&text, self.plan.areas(number), &self.cover);
                let looks_wrong = self.looks_wrong(page, &before, number, &mut checks)?;
                leftovers.add(number, found, !is_empty || looks_wrong);
                checks.text += 1;
                checks.ocr += 1;
                let mut picture = docmill_pdf_ocr::picture(page, request.limits.pixels)?;
                blank(&mut picture, self.plan.areas(number));
                read(number, Shown { picture, text });
                Ok(())
            })
        })?;
        for (number, found) in seen {
            leftovers.add(number, found, false);
        }
        files::delete(&flat)?;
        Ok((leftovers, checks))
    }

    /// Whether the areas of a page show anything except boxes, or something outside was lost.
    fn looks_wrong(
        &self,
        page: &Page<'_>,
        before: &pdfium::Document<'_>,
        number: u32,
        checks: &mut Checks,
    ) -> Result<bool, Failure> {
        let Some(own) = self.plan.pages.get(&number).filter(|own| !own.areas.is_empty()) else { return Ok(false) };
        checks.boxes += 1;
        let drawn = draw(page, page.size())?;
        if !boxes_are_plain(&drawn, page.size(), &own.areas, &self.cover) {
            return Ok(true);
        }
        Ok(!own.as_picture && differs(&draw(&before.page(number)?, page.size())?, &drawn, page.size(), &own.areas))
    }
}

/// Whether the areas contain no text except their labels.
fn areas_are_empty(reading: &Reading, areas: &[Rect], cover: &Cover<'_>) -> bool {
    let inside = reading.glyphs.iter().filter(|glyph| areas.iter().any(|area| lies_in(glyph, area)));
    let inside = normal(&inside.map(|glyph| glyph.value).collect::<String>());
    let label: String = normal(cover.label.unwrap_or_default()).split_whitespace().collect();
    let left = if label.is_empty() { inside } else { inside.replace(&label, "") };
    left.trim().is_empty()
}

fn lost(cause: &str) -> Failure {
    Failure::new(ErrorCode::CorruptDocument, "This PDF is damaged, so that it can't be redacted safely.", cause)
}

fn draw(page: &Page<'_>, (width, height): (f32, f32)) -> Result<Bitmap, Failure> {
    let side = |points: f32| whole((points * DPI / 72.0).round()).clamp(1, 8000);
    page.render(side(width), side(height), Background::Color([255; 3]))
}

/// Leaves the boxes out, which OCR takes for letters. What they show is checked by its color.
fn blank(picture: &mut GreyBitmap, areas: &[Rect]) {
    let size = (picture.width as f32 * 72.0 / picture.dpi, picture.height as f32 * 72.0 / picture.dpi);
    let (width, height) = (picture.width, picture.height);
    for area in areas {
        for at in inside((width, height), size, area, -1.0) {
            if let Some(pixel) = picture.data.get_mut(at) {
                *pixel = 255;
            }
        }
    }
}

/// The pixels of an area, except partly covered ones.
fn pixels(bitmap: &Bitmap, size: (f32, f32), area: &Rect, edge: f32) -> impl Iterator<Item = usize> + use<> {
    inside((bitmap.width, bitmap.height), size, area, edge).map(|at| at * 4)
}

/// The indices of an area's pixels in a picture of so many pixels, which shows a page of this size.
fn inside(
    (columns, rows): (u32, u32),
    (width, height): (f32, f32),
    area: &Rect,
    edge: f32,
) -> impl Iterator<Item = usize> + use<> {
    let (across, down) = (columns as f32 / width, rows as f32 / height);
    let range = |from: f32, to: f32, scale: f32, most: u32| {
        let (from, to) = (whole((from * scale + edge).ceil()), whole((to * scale - edge).floor()));
        from.min(most) as usize..to.min(most) as usize
    };
    let row = columns as usize;
    let columns = range(area.x0, area.x1, across, columns);
    range(area.y0, area.y1, down, rows).flat_map(move |y| columns.clone().map(move |x| y * row + x))
}

/// Whether the areas only show their color and the label's.
fn boxes_are_plain(bitmap: &Bitmap, size: (f32, f32), areas: &[Rect], cover: &Cover<'_>) -> bool {
    let fill = cover.color.map(i32::from);
    let label = if cover.label.is_some() { cover.label_color().map(i32::from) } else { fill };
    // A label's edges are mixtures of both.
    let is_plain = |pixel: &[u8]| {
        let steps = 32;
        (0..=steps).any(|step| {
            fill.iter().zip(label).zip(pixel).all(|((fill, label), shown)| {
                let mixed = fill + (label - fill) * step / steps;
                (mixed - i32::from(*shown)).abs() <= TOLERANCE
            })
        })
    };
    areas.iter().all(|area| pixels(bitmap, size, area, 1.0).all(|at| bitmap.data.get(at..at + 3).is_none_or(is_plain)))
}

/// Whether anything significant changed outside the areas. Drawings may be off by a pixel: pdfium puts letters on whole ones, and
/// positions of moved text can be rounded the other way.
fn differs(before: &Bitmap, after: &Bitmap, size: (f32, f32), areas: &[Rect]) -> bool {
    if before.data.len() != after.data.len() {
        return true;
    }
    let mut is_covered = vec![false; before.width as usize * before.height as usize];
    for area in areas {
        for at in pixels(before, size, area, -EDGE) {
            if let Some(pixel) = is_covered.get_mut(at / 4) {
                *pixel = true;
            }
        }
    }
    let is_lost = |at: usize| !is_near(before, after, at) || !is_near(after, before, at);
    let different = is_covered.iter().enumerate().filter(|(at, covered)| !**covered && is_lost(*at)).count();
    different as f64 > MOST_DIFFERENT * is_covered.len() as f64 + 4.0
}

/// Whether `other` has the color of this pixel of `one` there or beside it.
fn is_near(one: &Bitmap, other: &Bitmap, at: usize) -> bool {
    let color =
        |bitmap: &'_ Bitmap, at: usize| -> Option<[u8; 3]> { bitmap.data.get(at * 4..)?.first_chunk().copied() };
    let Some(wanted) = color(one, at) else { return true };
    let is_like = |other: [u8; 3]| {
        let apart: i32 = wanted.iter().zip(other).map(|(a, b)| (i32::from(*a) - i32::from(b)).abs()).sum();
        apart <= DIFFERENT
    };
    if color(other, at).is_some_and(is_like) {
        return true;
    }
    let (width, height) = (other.width as usize, other.height as usize);
    let around = |middle: usize, most: usize| middle.saturating_sub(1)..(middle + 2).min(most);
    around(at / width, height)
        .any(|y| around(at % width, width).any(|x| color(other, y * width + x).is_some_and(is_like)))
}

/// Searches all objects and streams of a file, which has one revision and no unreferenced objects.
fn objects(
    file: &Path,
    request: &Request,
    needles: &Needles,
    leftovers: &mut Leftovers,
    checks: &mut Checks,
) -> Result<(), Failure> {
    let mut document = Document::load(file).map_err(|_| lost("a result that can't be read"))?;
    if document.trailer.has(b"Prev")
        || document.catalog().is_ok_and(|catalog| catalog.has(b"Names") && has_files(&document))
    {
        leftovers.objects += 1;
    }
    if needles.is_empty() {
        checks.objects = document.objects.len();
        return Ok(());
    }
    let tree = pages::read(&mut document, request.limits.pages)?;
    let content = strings::content_streams(&document);
    let (binary, maps) = (binary_streams(&document), strings::maps(&document));
    let mut saying = HashSet::new();
    for (id, object) in &document.objects {
        checks.objects += 1;
        leftovers.objects += usize::from(strings::object_has(object, needles));
        let Ok(stream) = object.as_stream() else { continue };
        if binary.contains(id) {
            continue;
        }
        let Some(data) = unpacked(stream, STREAM_BYTES) else {
            leftovers.objects += 1;
            continue;
        };
        if content.contains(id) {
            if strings::content_has(&data, needles) {
                saying.insert(*id);
            }
        } else {
            // Such a map has nothing but codes and their characters.
            let is_map = maps.contains(id) && docmill_pdf_fonts::is_plain_map(&data);
            let says = !is_map && strings::text_has(&data, needles);
            leftovers.objects += usize::from(says || strings::map_has(&data, needles));
        }
    }
    for (number, page) in (0..).zip(&tree.pages) {
        if !saying.is_empty() && !prune::reachable(&document, [*page]).is_disjoint(&saying) {
            leftovers.pages.entry(number).or_default().unclean = true;
        }
    }
    leftovers.objects += usize::from(!saying.is_empty());
    Ok(())
}

fn has_files(document: &Document) -> bool {
    let names = document.catalog().ok().and_then(|catalog| document.child(catalog, b"Names"));
    names.is_some_and(|names| names.has(b"EmbeddedFiles") || names.has(b"JavaScript"))
}

/// Streams without text: pictures, fonts, color profiles, tables of numbers, and object streams, whose objects are searched
/// individually.
fn binary_streams(document: &Document) -> HashSet<ObjectId> {
    let mut found = HashSet::new();
    for (id, object) in &document.objects {
        match object {
            Object::Dictionary(font) => {
                for key in [b"FontFile".as_slice(), b"FontFile2", b"FontFile3", b"CIDToGIDMap", b"CIDSet"] {
                    found.extend(font.get(key).and_then(Object::as_reference));
                }
            }
            Object::Stream(stream) => {
                let is_picture = document.name(&stream.dict, b"Subtype") == Some(b"Image");
                let is_numbers = document.integer(&stream.dict, b"FunctionType") == Some(0);
                // A color profile says how many colors it has.
                let is_profile = stream.dict.has(b"N") && !stream.dict.has(b"Type");
                if is_picture
                    || is_numbers
                    || is_profile
                    || stream.dict.has(b"ShadingType")
                    || stream.dict.has_type(b"XRef")
                    || stream.dict.has_type(b"ObjStm")
                {
                    found.insert(*id);
                }
            }
            // Color tables, and profiles in lists.
            Object::Array(parts) if matches!(parts.first(), Some(Object::Name(name)) if name == b"Indexed") => {
                found.extend(parts.iter().filter_map(|part| part.as_reference().ok()));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (f32, f32) = (60.0, 40.0);

    /// A page with stripes of text, `down` pixels lower, without those at `missing`.
    fn page(down: usize, missing: &[usize]) -> Bitmap {
        let (width, height) = (60, 40);
        let mut data = vec![255; width * height * 4];
        for line in (0..4).filter(|line| !missing.contains(line)) {
            for y in [3, 5].map(|y| line * 10 + y + down) {
                for x in (5..55).filter(|x| x % 4 < 2) {
                    data[(y * width + x) * 4..][..3].fill(0);
                }
            }
        }
        Bitmap { width: width as u32, height: height as u32, data, transparent: false }
    }

    #[test]
    fn a_shift_by_one_pixel_is_no_difference() {
        assert!(!differs(&page(0, &[]), &page(1, &[]), SIZE, &[]));
        assert!(!differs(&page(1, &[]), &page(0, &[]), SIZE, &[]));
        assert!(differs(&page(0, &[]), &page(4, &[]), SIZE, &[]));
    }

    #[test]
    fn a_lost_line_is_a_difference_unless_it_is_covered() {
        assert!(differs(&page(0, &[]), &page(0, &[2]), SIZE, &[]));
        assert!(differs(&page(0, &[2]), &page(0, &[]), SIZE, &[]));
        let line = Rect { x0: 4.0, y0: 22.0, x1: 56.0, y1: 27.0 };
        assert!(!differs(&page(0, &[]), &page(0, &[2]), SIZE, &[line]));
    }
}
