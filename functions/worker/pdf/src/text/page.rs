//! Finds the blocks of a page.

use super::PageContent;
use super::blocks::{Block, Content, PageBlocks, area_of};
use super::builder::{Builder, placeholder};
use super::order::{self, Line};
use super::styles::Styles;
use super::tables;
use super::words::Word;

/// The blocks in reading order, tables in their places, then text aside and what repeats in the margins.
pub(super) fn blocks(page: PageContent, running: Vec<Line>, styles: &Styles) -> PageBlocks {
    let PageContent { number, width, height, rotation, angle, mut words, aside, ruling, .. } = page;
    let mut blocks = Vec::new();
    // Each table becomes one word as large as the table, which takes its place in the order.
    let mut found = Vec::new();
    for grid in tables::without_frames(ruling.grids, &words) {
        let area = grid.area();
        let inside: Vec<Word> = words.extract_if(.., |word| area.contains(word.area.center())).collect();
        let Some(first) = inside.first().cloned() else { continue };
        let table = grid.table(inside);
        if table.rows.iter().flatten().count() < 2 {
            let cells = table.rows.into_iter().flatten();
            words.extend(cells.flat_map(|cell| cell.lines).flat_map(|line| line.words));
            continue;
        }
        words.push(Word { area, place: area, text: placeholder(found.len()), tail: None, raised: None, ..first });
        found.push(Some(table));
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
