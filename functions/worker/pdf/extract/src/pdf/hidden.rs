//! Text that readers of a page don't see: it is told apart before the page's words are found.

use docmill_pdf_core::pdfium::{Bands, Bitmap, Character, Looks, Page, Paint, Rect, Shape, TextLook};
use docmill_pdf_request::Failure;
use docmill_pdf_text::PageContent;

use super::tagged::PageTags;
use crate::model::{Hidden, Place, Why};

/// Smaller type, in points, can't be read.
const TINY: f32 = 1.0;
/// Colors that differ less than that in each part are looked at, and look the same below the second.
const NEAR: u8 = 40;
const SAME: u8 = 12;
/// The share of a page from which a picture counts as a scan, whose text is drawn without ink or under it.
const SCAN: f32 = 0.25;
/// Dots per inch and most pixels of the picture in which text is looked for.
const DPI: f32 = 100.0;
const PIXELS: f32 = 4_000_000.0;
/// The share of a run of text that can't be seen if the run is hidden.
const UNSEEN: f32 = 0.8;

/// A page, its hidden text apart.
#[derive(Debug)]
pub struct Read {
    /// Without what is hidden.
    pub content: PageContent,
    /// In content order.
    pub hidden: Vec<Hidden>,
    /// What the page draws.
    pub looks: Looks,
}

/// Reads a page's words, except for those that are hidden.
///
/// # Errors
/// If the page can't be read or drawn.
pub fn read(page: &Page<'_>, number: u32, tags: Option<&PageTags<'_>>) -> Result<Read, Failure> {
    let looks = page.looks();
    let mut characters = page.text()?.characters(true);
    if let Some(tags) = tags {
        characters.iter_mut().for_each(|character| character.tag = tags.tag(character));
    }
    let judge = Judge::new(page, &looks);
    let mut verdicts: Vec<Verdict> = characters.iter().map(|character| judge.verdict(character)).collect();
    if verdicts.iter().any(|verdict| matches!(verdict, Verdict::Unsure(_))) {
        let drawn = drawn(page)?;
        let scale = drawn.width as f32 / page.size().0;
        resolve(&characters, &mut verdicts, |area| is_seen(&drawn, area, scale));
    }
    let (mut seen, mut unseen): (Vec<Character>, Vec<(Why, Vec<Character>)>) = (Vec::new(), Vec::new());
    for (character, verdict) in characters.into_iter().zip(verdicts) {
        match verdict {
            Verdict::Seen | Verdict::Unsure(_) => seen.push(character),
            Verdict::Hidden(why) => match unseen.iter_mut().find(|(known, _)| *known == why) {
                Some((_, same)) => same.push(character),
                None => unseen.push((why, vec![character])),
            },
        }
    }
    let hidden = unseen.iter().flat_map(|(why, characters)| hidden(page, number, *why, characters)).collect();
    let mut content = docmill_pdf_text::of_characters(page, number, &seen, true);
    content.stretch(|font| looks.reach(font));
    Ok(Read { content, hidden, looks })
}

/// What a page of which pdfium knows no characters shows where it has text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownText {
    /// It has none.
    Absent,
    /// It shows text that is unknown: OCR may read it.
    Drawn,
    /// No font draws it, or it is nothing but spaces.
    NotDrawn,
}

/// Looks at a page of which pdfium knows no characters.
///
/// # Errors
/// If the page can't be read.
pub fn unknown_text(page: &Page<'_>) -> Result<UnknownText, Failure> {
    let texts = page.visible_text();
    if texts.is_empty() {
        return Ok(UnknownText::Absent);
    }
    let drawn = drawn(page)?;
    let scale = drawn.width as f32 / page.size().0;
    let is_drawn = texts.iter().any(|area| is_seen(&drawn, area, scale));
    Ok(if is_drawn { UnknownText::Drawn } else { UnknownText::NotDrawn })
}

/// The lines of hidden text.
fn hidden(page: &Page<'_>, number: u32, why: Why, characters: &[Character]) -> Vec<Hidden> {
    let line = |line: docmill_pdf_text::Line| Hidden {
        text: line.text(),
        place: docmill_pdf_text::place(line.words.iter())
            .map(|area| Place { page: number, corners: docmill_pdf_text::corners(&area) }),
        why,
    };
    docmill_pdf_text::lines_of(page, characters).into_iter().map(line).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Seen,
    Hidden(Why),
    /// Hidden for this reason, unless the drawn page shows it.
    Unsure(Why),
}

struct Judge<'l> {
    looks: &'l Looks,
    size: (f32, f32),
    /// The areas of pictures that are scans.
    scans: Vec<Rect>,
    shapes: Bands<&'l Shape>,
}

impl<'l> Judge<'l> {
    fn new(page: &Page<'_>, looks: &'l Looks) -> Self {
        let size = page.size();
        let is_scan = |area: &&Rect| area.width() * area.height() >= size.0 * size.1 * SCAN;
        let scans = looks.pictures.iter().filter(is_scan).copied().collect();
        let shapes = Bands::new(looks.shapes.iter().map(|shape| (shape.area, shape)), size.1);
        Self { looks, size, scans, shapes }
    }

    fn verdict(&self, character: &Character) -> Verdict {
        let place = character.area.center();
        let page = Rect { x0: 0.0, y0: 0.0, x1: self.size.0, y1: self.size.1 };
        if !page.contains(place) {
            return Verdict::Hidden(Why::OffPage);
        }
        if character.size < TINY {
            return Verdict::Hidden(Why::Tiny);
        }
        let Some(look) = self.looks.of(character) else { return Verdict::Seen };
        let is_of_scan = self.scans.iter().any(|scan| scan.contains(place));
        if look.is_invisible || matches!(look.color, Some([_, _, _, 0])) {
            let is_of_picture = self.looks.pictures.iter().any(|picture| picture.contains(place));
            return match (is_of_scan, is_of_picture) {
                (true, _) => Verdict::Seen,
                // What OCR found in a small picture, if the picture shows something there.
                (false, true) => Verdict::Unsure(Why::Invisible),
                (false, false) => Verdict::Hidden(Why::Invisible),
            };
        }
        self.colored(&look, place, is_of_scan)
    }

    /// The verdict by what lies below and above.
    fn colored(&self, look: &TextLook, place: (f32, f32), is_of_scan: bool) -> Verdict {
        let (mut below, mut covered) = (Paint::Color([255; 3]), false);
        for shape in self.shapes.at(place) {
            if shape.order < look.order {
                below = shape.paint;
            } else {
                // Some programs draw a scan over its text.
                covered = shape.paint != Paint::Other || !is_of_scan;
            }
        }
        let is_near = match (below, look.color) {
            (Paint::Color(below), Some([red, green, blue, _])) => {
                below.iter().zip([red, green, blue]).all(|(a, b)| a.abs_diff(b) < NEAR)
            }
            (Paint::Other, _) | (_, None) => false,
        };
        match (look.is_layered, covered, is_near) {
            (true, _, _) => Verdict::Unsure(Why::LayerOff),
            (_, true, _) => Verdict::Unsure(Why::Covered),
            (_, _, true) => Verdict::Unsure(Why::SameColor),
            (false, false, false) => Verdict::Seen,
        }
    }
}

fn drawn(page: &Page<'_>) -> Result<Bitmap, Failure> {
    let (width, height) = page.size();
    let most = (PIXELS / (width * height).max(1.0)).sqrt();
    let scale = (DPI / 72.0).min(most);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    let pixels = |points: f32| ((points * scale).round() as u32).max(1);
    page.render_content(pixels(width), pixels(height))
}

/// Decides on runs of text that has one look.
fn resolve(characters: &[Character], verdicts: &mut [Verdict], is_seen: impl Fn(&Rect) -> bool) {
    let (mut characters, mut verdicts) = (characters, verdicts);
    while let (Some(first), Some(verdict)) = (characters.first(), verdicts.first().copied()) {
        let Verdict::Unsure(why) = verdict else {
            (characters, verdicts) =
                (characters.get(1..).unwrap_or_default(), verdicts.get_mut(1..).unwrap_or_default());
            continue;
        };
        let pairs = characters.iter().zip(&*verdicts);
        let count = pairs.take_while(|(c, v)| c.object == first.object && **v == verdict).count();
        let (run, later) = characters.split_at(count);
        let (own, rest) = verdicts.split_at_mut(count);
        let seen = run.iter().filter(|character| is_seen(&character.area)).count();
        let is_hidden = (count - seen) as f32 >= count as f32 * UNSEEN;
        own.fill(if is_hidden { Verdict::Hidden(why) } else { Verdict::Seen });
        (characters, verdicts) = (later, rest);
    }
}

/// Whether the drawn page has more than one color there.
fn is_seen(drawn: &Bitmap, area: &Rect, scale: f32) -> bool {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    let pixel = |points: f32, most: u32| ((points * scale).max(0.0) as u32).min(most.saturating_sub(1)) as usize;
    let (left, right) = (pixel(area.x0, drawn.width), pixel(area.x1, drawn.width));
    let (top, bottom) = (pixel(area.y0, drawn.height), pixel(area.y1, drawn.height));
    let (mut least, mut most) = ([u8::MAX; 3], [0u8; 3]);
    for row in top..=bottom {
        let start = (row * drawn.width as usize + left) * 4;
        let row = drawn.data.get(start..start + (right - left + 1) * 4).unwrap_or_default();
        for color in row.as_chunks::<4>().0 {
            for ((least, most), part) in least.iter_mut().zip(&mut most).zip(color) {
                (*least, *most) = ((*least).min(*part), (*most).max(*part));
            }
        }
    }
    least.iter().zip(most).any(|(least, most)| most.saturating_sub(*least) >= SAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_several_colors_is_seen() {
        let pixel = |value: u8| [value, 255, 255, 255];
        let data = [255, 255, 255, 255, 255, 100, 255, 255, 250].into_iter().flat_map(pixel).collect();
        let drawn = Bitmap { width: 3, height: 3, data, transparent: false };
        let seen = |x0: f32, y0: f32, x1: f32, y1: f32| is_seen(&drawn, &Rect { x0, y0, x1, y1 }, 0.5);
        assert!(seen(2.0, 2.0, 4.0, 4.0));
        assert!(!seen(0.0, 0.0, 2.0, 2.0), "blank");
        assert!(!seen(2.0, 4.0, 4.0, 4.0), "nobody sees so little");
        assert!(!seen(-50.0, -50.0, -40.0, -40.0) && !seen(90.0, 90.0, 99.0, 99.0), "beyond the picture");
    }

    #[test]
    fn shapes_are_found_by_their_height() {
        let shape = |order: usize, y0: f32, y1: f32| Shape {
            order,
            area: Rect { x0: 0.0, y0, x1: 100.0, y1 },
            paint: Paint::Other,
        };
        let shapes = [shape(1, -50.0, 900.0), shape(2, 100.0, 120.0), shape(3, 110.0, 300.0)];
        let bands = Bands::new(shapes.iter().map(|shape| (shape.area, shape)), 800.0);
        let at = |x: f32, y: f32| bands.at((x, y)).map(|shape| shape.order).collect::<Vec<_>>();
        assert_eq!((at(50.0, 115.0), at(50.0, 299.0), at(50.0, 799.0)), (vec![1, 2, 3], vec![1, 3], vec![1]));
        assert_eq!(at(200.0, 115.0), Vec::<usize>::new());
    }
}
