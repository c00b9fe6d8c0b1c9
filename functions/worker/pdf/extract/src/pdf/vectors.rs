//! Finds charts and diagrams drawn with lines and shapes. Ignores rules, underlines, boxes around text, and backgrounds.

use docmill_pdf_core::pdfium::{DrawnPath, Form, Page, Rect};
use docmill_pdf_text::{Line, PageContent, Word};

use super::captions;

/// Most paths of a page that are looked at.
const PATHS: usize = 3_000;
/// Smaller drawings, in points, are ornaments and icons.
const WIDTH: f32 = 60.0;
const HEIGHT: f32 = 40.0;
/// Shapes within this distance, in points, belong to one drawing.
const NEAR: f32 = 8.0;
/// A drawing has that many points at least, besides those of rules and boxes.
const PARTS: usize = 8;
/// Columns of a chart are at least that many, and have widths that differ less than this, in points.
const BARS: usize = 3;
const SAME: f32 = 1.0;
/// Runs of text with more words are sentences.
const LABEL: usize = 6;
/// Text is more than labels if most of it, and more than so many words, are in runs of at least so many.
const PARAGRAPH: usize = 20;
const PHRASE: usize = 4;
/// Words further apart than that, in ems, are in different runs.
const GAP: f32 = 0.8;
/// How far labels may be below or above what they name, and beside it, in ems.
const BESIDE: f32 = 1.2;
const ASIDE: f32 = 2.5;
/// The least number of labels along an axis.
const ALONG: usize = 3;
/// A table has text in at least this share of its cells.
const FILLED: f32 = 0.4;
/// What is drawn in a cell is smaller than that, as a share of its table.
const CELL: f32 = 0.15;
/// Most drawings of a page.
const MOST: usize = 50;
/// Pictures and drawings that cover more of the page are its background, or a scan of it.
const BACKGROUND: f32 = 0.85;

/// A drawing, and the text in it.
#[derive(Debug)]
pub struct Vector {
    /// As the page is shown.
    pub area: Rect,
    /// In reading order.
    pub text: String,
}

/// The drawings of a page. Their labels are taken out of its content.
pub fn take(page: &Page<'_>, content: &mut PageContent) -> Vec<Vector> {
    // The places of words are those of the page as shown.
    if content.angle != 0 {
        return Vec::new();
    }
    let paths = page.drawn_paths(PATHS);
    let areas = areas(&paths, content);
    let of = |area| Vector { area, text: words_of(content.take(&area)) };
    areas.into_iter().map(of).collect()
}

/// Whether a picture or drawing is a page's background, or a scan of it.
pub(super) fn is_background(area: &Rect, page: &Rect) -> bool {
    area.size() > page.size() * BACKGROUND
}

/// The text of labels, each in a line.
fn words_of(words: Vec<Word>) -> String {
    let is_drawn = |word: &Word| word.text == "•";
    let runs = runs(words.into_iter().filter(|word| !is_drawn(word)).collect());
    runs.iter().map(Line::text).collect::<Vec<_>>().join("\n")
}

/// Where the drawings of a page are.
fn areas(paths: &[DrawnPath], content: &PageContent) -> Vec<Rect> {
    let page = Rect { x0: 0.0, y0: 0.0, x1: content.width, y1: content.height };
    let on_page = |path: &DrawnPath| DrawnPath { area: path.area.within(&page), ..*path };
    let paths: Vec<DrawnPath> = paths.iter().map(on_page).collect();
    // What is drawn in a cell is not a drawing. A drawing's own edges may look like a table.
    let is_free = |path: &DrawnPath, table: &Rect| {
        path.form == Form::Free && table.contains(path.area.center()) && path.area.size() >= table.size() * CELL
    };
    let tables =
        content.ruling.tables().filter(|table| table.is_filled(&content.words, FILLED)).map(|table| table.area);
    let tables: Vec<Rect> = tables.filter(|table| !paths.iter().any(|path| is_free(path, table))).collect();
    let is_part = |path: &&DrawnPath| {
        let is_visible = page.contains(path.area.center());
        is_visible
            && !is_background(&path.area, &page)
            && !tables.iter().any(|table| table.contains(path.area.center()))
    };
    let paths: Vec<&DrawnPath> = paths.iter().filter(is_part).collect();
    if paths.len() < 2 && paths.iter().all(|path| path.parts < PARTS) {
        return Vec::new();
    }
    let mut found: Vec<Rect> = Vec::new();
    for seed in seeds(&paths, content) {
        join(&mut found, seed);
    }
    let found = found.into_iter().filter(|area| area.size() > 0.0);
    let mut grown: Vec<Rect> = Vec::new();
    for area in found {
        join(&mut grown, grow(area, &paths, content));
    }
    let mut drawings: Vec<Rect> = grown
        .into_iter()
        .filter(|area| is_drawing(area, &paths, content, &page))
        .map(|area| beside(area, content))
        .collect();
    drawings.retain(|area| !is_background(area, &page));
    drawings.sort_by(|a, b| a.y0.total_cmp(&b.y0).then(a.x0.total_cmp(&b.x0)));
    drawings.truncate(MOST);
    drawings
}

/// The shapes that only drawings have: free ones, and the columns of charts.
fn seeds(paths: &[&DrawnPath], content: &PageContent) -> Vec<Rect> {
    let free = paths.iter().filter(|path| path.form == Form::Free).map(|path| path.area);
    free.chain(bars(paths, content)).collect()
}

/// Filled boxes without text that begin at one line, as wide as each other and not as high.
fn bars(paths: &[&DrawnPath], content: &PageContent) -> Vec<Rect> {
    let has_text = |area: &Rect| content.words.iter().any(|word| area.contains(word.area.center()));
    let is_bar = |path: &&&DrawnPath| path.form == Form::Box && path.is_filled && !has_text(&path.area);
    let boxes: Vec<Rect> = paths.iter().filter(is_bar).map(|path| path.area).collect();
    let is_like = |a: &Rect, b: &Rect| {
        let upright = (a.y1 - b.y1).abs() < SAME && (a.width() - b.width()).abs() < SAME;
        let lying = (a.x0 - b.x0).abs() < SAME && (a.height() - b.height()).abs() < SAME;
        (upright, lying)
    };
    let of_chart = |bar: &&Rect| {
        let alike = |pick: fn((bool, bool)) -> bool, length: fn(&Rect) -> f32| {
            let same = || boxes.iter().filter(|other| pick(is_like(bar, other)));
            same().count() >= BARS && same().any(|other| (length(other) - length(bar)).abs() > 2.0 * SAME)
        };
        alike(|(upright, _)| upright, Rect::height) || alike(|(_, lying)| lying, Rect::width)
    };
    let bars: Vec<Rect> = boxes.iter().filter(of_chart).copied().collect();
    // The columns of one chart are apart from each other.
    let mut charts: Vec<Rect> = Vec::new();
    for bar in bars {
        let reach = bar.width().min(bar.height()) * 2.0;
        let is_near = |other: &Rect| other.touches(&bar, reach.max(NEAR));
        match charts.iter_mut().find(|other| is_near(other)) {
            Some(chart) => *chart = chart.union(&bar),
            None => charts.push(bar),
        }
    }
    charts
}

/// Adds the rules and boxes that touch a drawing, unless text would come with them.
fn grow(mut area: Rect, paths: &[&DrawnPath], content: &PageContent) -> Rect {
    let mut left: Vec<Rect> = paths.iter().map(|path| path.area).collect();
    loop {
        let before = left.len();
        left.retain(|path| {
            let larger = area.union(path);
            let is_part = area.touches(path, NEAR) && (contains(&area, path) || !has_sentences(&larger, content));
            if is_part {
                area = larger;
            }
            !is_part
        });
        if left.len() == before {
            return area;
        }
    }
}

fn is_drawing(area: &Rect, paths: &[&DrawnPath], content: &PageContent, page: &Rect) -> bool {
    let inside = || paths.iter().filter(|path| contains(area, &path.area));
    let free: usize = inside().filter(|path| path.form == Form::Free).map(|path| path.parts.max(1)).sum();
    let is_chart = !bars(&inside().copied().collect::<Vec<_>>(), content).is_empty();
    let is_rich = is_chart || free >= PARTS || free >= 2 && inside().count() >= PARTS;
    is_rich
        && area.width() >= WIDTH
        && area.height() >= HEIGHT
        && !is_background(area, page)
        && !has_sentences(area, content)
        && !docmill_pdf_text::is_table_of_numbers(words_in(area, content))
}

fn words_in(area: &Rect, content: &PageContent) -> Vec<Word> {
    content.words.iter().filter(|word| area.contains(word.area.center())).cloned().collect()
}

/// Whether there is text that reads as such.
fn has_sentences(area: &Rect, content: &PageContent) -> bool {
    let runs = runs(words_in(area, content));
    let words = |least: usize| runs.iter().map(|run| run.words.len()).filter(|words| *words >= least).sum::<usize>();
    runs.iter().any(|run| run.words.len() > LABEL) || words(PHRASE) > PARAGRAPH && words(PHRASE) * 2 > words(0)
}

/// Words that follow each other without a gap.
fn runs(words: Vec<Word>) -> Vec<Line> {
    let gap = |a: &Word, b: &Word| {
        let apart = if b.area.x0 >= a.area.x0 { b.area.x0 - a.area.x1 } else { a.area.x0 - b.area.x1 };
        apart > a.size.max(b.size) * GAP
    };
    let lines = docmill_pdf_text::in_lines(words).into_iter();
    lines
        .flat_map(|line| {
            let parts: Vec<Vec<Word>> = line.words.chunk_by(|a, b| !gap(a, b)).map(<[Word]>::to_vec).collect();
            let rtl = line.rtl;
            parts.into_iter().filter_map(move |words| {
                let area = words.iter().map(|word| word.area).reduce(|a, b| a.union(&b))?;
                Some(Line { area, words, rtl })
            })
        })
        .collect()
}

/// Adds the labels along the axes of a chart.
fn beside(area: Rect, content: &PageContent) -> Rect {
    let near = content.words.iter().filter(|word| area.touches(&word.area, word.size * ASIDE)).cloned();
    let is_label = |run: &Line| {
        let is_beside = area.touches(&run.area, run.size() * ASIDE) && !contains(&area, &run.area);
        is_beside && run.words.len() <= LABEL && !captions::is_labelled(&run.text())
    };
    let labels: Vec<Line> = runs(near.collect()).into_iter().filter(is_label).collect();
    let is_along = |run: &&Line| {
        let row = labels.iter().filter(|other| (other.area.center().1 - run.area.center().1).abs() < run.size() * 0.3);
        let is_near = (run.area.y0 - area.y1).max(area.y0 - run.area.y1) < run.size() * BESIDE;
        let column = labels.iter().filter(|other| {
            let (from, to) = (other.area.x0 - run.area.x0, other.area.x1 - run.area.x1);
            from.abs().min(to.abs()) < SAME * 2.0
        });
        let is_aside = run.area.x1 <= area.x0 + run.size() || run.area.x0 >= area.x1 - run.size();
        is_near && row.count() >= ALONG || is_aside && column.count() >= ALONG
    };
    let along = labels.iter().filter(is_along).map(|run| run.area);
    let turned = content.aside.iter().map(|word| (word.place, word.size * ASIDE));
    let turned = turned.filter(|(place, reach)| area.touches(place, *reach)).map(|(place, _)| place);
    let larger = along.chain(turned).fold(area, |all, label| all.union(&label));
    if has_sentences(&larger, content) { area } else { larger }
}

/// Adds a shape to those that it touches.
fn join(found: &mut Vec<Rect>, mut area: Rect) {
    while let Some(at) = found.iter().position(|other| other.touches(&area, NEAR)) {
        area = area.union(&found.swap_remove(at));
    }
    found.push(area);
}

fn contains(outer: &Rect, inner: &Rect) -> bool {
    const ROUNDED: f32 = 0.5;
    outer.x0 <= inner.x0 + ROUNDED
        && outer.y0 <= inner.y0 + ROUNDED
        && inner.x1 <= outer.x1 + ROUNDED
        && inner.y1 <= outer.y1 + ROUNDED
}
