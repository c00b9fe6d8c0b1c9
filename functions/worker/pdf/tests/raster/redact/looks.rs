//! Outside the boxes, a page looks the same as before.

use std::path::{Path, PathBuf};

use docmill_formats::Format;
use docmill_pdf_request::Tool;
use image::{Rgb, RgbImage};
use serde_json::{Value, json};

use super::output;
use crate::{fixture, run, source};

/// A color that no fixture has.
const BOX: [u8; 3] = [255, 0, 255];
/// Pixels around a box that may differ, because adjacent letters reach into it.
const EDGE: u32 = 3;
/// The smallest visible difference of a color, out of 255.
const SEEN: u8 = 12;

fn pages(file: &Path) -> Vec<RgbImage> {
    let scratch = tempfile::tempdir().unwrap();
    let start = scratch.path().join("page");
    output("pdftoppm", &["-r", "97", "-png", file.to_str().unwrap(), start.to_str().unwrap()]);
    let mut drawn: Vec<PathBuf> =
        std::fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    drawn.sort();
    drawn.iter().map(|path| image::open(path).unwrap().to_rgb8()).collect()
}

fn apart(one: &Rgb<u8>, other: &Rgb<u8>) -> i32 {
    one.0.iter().zip(other.0).map(|(a, b)| (i32::from(*a) - i32::from(b)).abs()).sum()
}

/// Whether a pixel is between the darkest and lightest of its surroundings in the other picture: poppler rounds positions of
/// letters to quarters of a pixel.
fn is_like(pixel: &Rgb<u8>, (x, y): (u32, u32), other: &RgbImage) -> bool {
    let around = |at: u32, most: u32| at.saturating_sub(1)..(at + 2).min(most);
    let near = || around(y, other.height()).flat_map(|y| around(x, other.width()).map(move |x| other.get_pixel(x, y)));
    (0..3).all(|part| {
        let least = near().map(|near| near.0[part]).min().unwrap().saturating_sub(SEEN);
        let most = near().map(|near| near.0[part]).max().unwrap().saturating_add(SEEN);
        (least..=most).contains(&pixel.0[part])
    })
}

/// The number of pixels in boxes, and of others that differ.
fn compare(before: &RgbImage, after: &RgbImage) -> (usize, usize) {
    assert_eq!(before.dimensions(), after.dimensions());
    let (width, height) = before.dimensions();
    let mut is_near = vec![false; width as usize * height as usize];
    let mut boxes = 0;
    for (x, y, _) in after.enumerate_pixels().filter(|(.., pixel)| apart(pixel, &Rgb(BOX)) < 30) {
        boxes += 1;
        for row in y.saturating_sub(EDGE)..(y + EDGE + 1).min(height) {
            let row = row as usize * width as usize;
            let (left, right) = (x.saturating_sub(EDGE) as usize, (x + EDGE + 1).min(width) as usize);
            is_near[row + left..row + right].fill(true);
        }
    }
    let different =
        before.enumerate_pixels().zip(after.pixels()).zip(is_near).filter(|(((x, y, one), other), is_near)| {
            // Equal pixels are alike: most are, and this is soon known.
            !(*is_near || one == other || is_like(one, (*x, *y), after) && is_like(other, (*x, *y), before))
        });
    (boxes, different.count())
}

#[test]
fn a_letter_that_is_lost_or_added_is_a_difference() {
    let mut page = RgbImage::from_pixel(30, 30, Rgb([255; 3]));
    let blank = page.clone();
    assert_eq!(compare(&page, &blank), (0, 0));
    page.put_pixel(9, 9, Rgb([90; 3]));
    assert_eq!((compare(&page, &blank), compare(&blank, &page)), ((0, 1), (0, 1)));
}

fn looks_the_same(name: &str, options: Value) {
    let mut options = options;
    options["color"] = "#ff00ff".into();
    let file = fixture(name);
    let made = run(Tool::RedactPdf, vec![source(&file, Format::Pdf)], options);
    let outcome = made.outcome();
    for page in outcome.report.as_ref().unwrap()["pages"].as_array().unwrap() {
        assert_eq!(page["method"], "removed", "{name}: {page}");
    }
    let (before, after) = (pages(&file), pages(&made.path(&outcome.artifacts[0])));
    assert_eq!(before.len(), after.len(), "{name}");
    let compared: Vec<(usize, usize)> = before.iter().zip(&after).map(|(one, other)| compare(one, other)).collect();
    assert!(compared.iter().any(|(boxes, _)| *boxes > 100), "{name}: no box is seen");
    assert!(
        compared.iter().all(|(_, elsewhere)| *elsewhere == 0),
        "{name}: pixels of boxes, and different ones: {compared:?}"
    );
}

fn literal(text: &str) -> Value {
    json!({"text": [{"literal": text, "wholeWords": true}]})
}

#[test]
fn a_word_of_a_paragraph_leaves_the_others_as_they_are() {
    looks_the_same("layouts/columns.pdf", literal("gravel"));
    looks_the_same("layouts/ligatures.pdf", literal("coffee"));
    looks_the_same("layouts/rotated.pdf", literal("gravel"));
}

#[test]
fn a_word_of_code_or_of_a_table_leaves_its_lines_as_they_are() {
    looks_the_same("layouts/code.pdf", literal("text"));
    looks_the_same("layouts/table-ruled.pdf", literal("Washer"));
}

#[test]
fn a_part_of_a_picture_and_of_a_form_leaves_the_rest_as_it_is() {
    looks_the_same("images.pdf", json!({"regions": [{"page": 1, "box": [100, 100, 200, 180]}]}));
    looks_the_same("render.pdf", literal("Test B"));
}

#[test]
fn a_word_on_one_of_several_pages_leaves_the_others_as_they_are() {
    looks_the_same("layouts/running.pdf", literal("gravel"));
}

/// pdfium draws two of its lines one pixel lower than before: the pages must not become pictures because of that.
#[test]
fn a_word_of_justified_text_leaves_other_lines_as_they_are() {
    looks_the_same("text.pdf", literal("Habsburg"));
}

#[test]
fn labels_of_every_script_and_emoji_are_drawn() {
    let first_page = |options: Value| {
        let made = run(Tool::RedactPdf, vec![source(&fixture("layouts/code.pdf"), Format::Pdf)], options);
        pages(&made.path(&made.outcome().artifacts[0])).remove(0)
    };
    let regions = json!([{"page": 1, "box": [0, 0, 400, 300]}]);
    let bare = first_page(json!({"regions": regions}));
    for label in ["Removed", "हटाया गया", "הוסר", "🍺 👨\u{200d}👩\u{200d}👧", "ลบแล้ว", "a\u{301}\u{323}", "已删除"]
    {
        assert!(first_page(json!({"regions": regions, "label": label})) != bare, "{label}");
    }
}
