//! Finds the blocks of a page.

use docmill_pdf_core::pdfium::Rect;

use super::PageContent;
use super::blocks::{Block, Content, PageBlocks, area_of};
use super::builder::{Builder, placeholder};
use super::order::{self, Line};
use super::styles::Styles;
use super::tables::{self, Grid, Surroundings, Table};
use super::turned;
use super::words::Word;

/// The blocks in reading order, tables in their places, then text aside and what repeats in the margins.
/// `open`: the table that ends the page before.
pub(super) fn blocks(page: PageContent, running: Vec<Line>, styles: &Styles, open: Option<&Table>) -> PageBlocks {
    let PageContent { number, width, height, rotation, angle, mut words, mut aside, ruling, .. } = page;
    let turned = |word: &Word| turned::upright(&word.place, angle, (width, height));
    let mut blocks = Vec::new();
    // Each table becomes one word as large as the table, which takes its place in the order.
    let mut found = Vec::new();
    for grid in tables::without_frames(ruling.grids, &words) {
        let area = grid.area();
        let inside: Vec<Word> = words.extract_if(.., |word| area.contains(word.area.center())).collect();
        let Some(first) = inside.first().cloned() else { continue };
        let inside_turned = aside.extract_if(.., |word| area.contains(turned(word).center()));
        let inside_turned: Vec<(Word, Rect)> = inside_turned.map(|word| (word.clone(), turned(&word))).collect();
        let table = read(&grid, &inside, &inside_turned, styles);
        if table.starts.len() < 2 {
            words.extend(inside);
            aside.extend(inside_turned.into_iter().map(|(word, _)| word));
            continue;
        }
        words.push(Word { area, place: area, text: placeholder(found.len()), tail: None, raised: None, ..first });
        found.push(Some(table));
    }
    if let Some((area, table)) = open.and_then(|open| last_row(open, ruling.rows, &mut words)) {
        blocks.push(Block { area, content: Content::Table(table), tagged: None });
    }
    for block in order::blocks(words, &ruling.rules) {
        let builder = Builder::new(styles, &ruling.rules);
        blocks.extend(builder.blocks(order::lines(block), &mut found).into_iter().map(Block::checked));
    }
    let aside = order::lines(aside);
    if let Some(area) = area_of(&aside) {
        blocks.push(Block { area, content: Content::Aside { lines: aside }, tagged: None });
    }
    if let Some(area) = area_of(&running) {
        blocks.push(Block { area, content: Content::Running { lines: running }, tagged: None });
    }
    PageBlocks { number, width, height, rotation, angle, blocks }
}

/// The table in a grid. Where its rules part less than its rows and columns, these are found by how the words align.
fn read(grid: &Grid, words: &[Word], turned: &[(Word, Rect)], styles: &Styles) -> Table {
    let table = grid.table(words.to_vec(), turned.to_vec());
    if !tables::is_coarse(&table) || !turned.is_empty() {
        return table;
    }
    let lines = order::lines(words.to_vec());
    let around = Surroundings { above: None, leading: styles.leading, rules: &grid.across };
    match tables::aligned(lines.iter(), &around) {
        Some(found) if found.lines == lines.len() && found.table.starts.len() >= table.starts.len() => found.table,
        Some(_) | None => table,
    }
}

/// The row at the top of a page with which the table of the page before ends: taken from the words.
fn last_row(open: &Table, rows: Vec<Grid>, words: &mut Vec<Word>) -> Option<(Rect, Table)> {
    let top = words.iter().map(|word| word.area.center().1).reduce(f32::min)?;
    let grid = rows.into_iter().find(|grid| (grid.area().y0..grid.area().y1).contains(&top))?;
    let area = grid.area();
    let inside: Vec<Word> = words.iter().filter(|word| area.contains(word.area.center())).cloned().collect();
    let table = grid.table(inside, Vec::new());
    if !open.goes_on_in(&table) {
        return None;
    }
    words.retain(|word| !area.contains(word.area.center()));
    Some((area, table))
}
