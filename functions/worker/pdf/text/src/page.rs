//! Finds the blocks of a page.

use docmill_pdf_core::pdfium::Rect;

use super::PageContent;
use super::blocks::{Block, Content, PageBlocks, area_of};
use super::builder::{Builder, placeholder};
use super::order::{self, Line};
use super::rules::Horizontal;
use super::styles::Styles;
use super::tables::{self, Grid, Ruling, Surroundings, Table};
use super::turned;
use super::words::Word;

/// Cells of a table around a grid have so many words on average at most: more are sentences beside it.
const CELL_WORDS: usize = 5;

/// The blocks in reading order, tables in their places, then text aside and what repeats in the margins.
/// `open`: the table that ends the page before.
pub(super) fn blocks(page: PageContent, running: Vec<Line>, styles: &Styles, open: Option<&Table>) -> PageBlocks {
    let PageContent { number, width, height, rotation, angle, words, aside, ruling, .. } = page;
    let Ruling { grids, rows, rules } = ruling;
    let reader = Reader { styles, size: (width, height), angle, open, rows, rules };
    let has_turned = |area: Rect| aside.iter().any(|word| area.contains(reader.upright(word).center()));
    let (unsure, sure): (Vec<Grid>, Vec<Grid>) = tables::without_frames(grids, &words)
        .into_iter()
        .partition(|grid| grid.may_be_part(&words) && !has_turned(grid.area()));
    let mut blocks = reader.blocks_beyond(unsure, sure, words, aside);
    if let Some(area) = area_of(&running) {
        blocks.push(Block { area, content: Content::Running { lines: running }, tagged: None });
    }
    PageBlocks { number, width, height, rotation, angle, blocks }
}

/// Reads the text of a page.
struct Reader<'s> {
    styles: &'s Styles,
    size: (f32, f32),
    angle: u16,
    open: Option<&'s Table>,
    rows: Vec<Grid>,
    rules: Vec<Horizontal>,
}

impl Reader<'_> {
    /// Where a word of another direction is in that of the page.
    fn upright(&self, word: &Word) -> Rect {
        turned::upright(&word.place, self.angle, self.size)
    }

    /// The blocks of a page on which some grids may be only a part of their tables, such as shaded rows: those that the words make
    /// larger tables of are no grids.
    fn blocks_beyond(&self, unsure: Vec<Grid>, sure: Vec<Grid>, words: Vec<Word>, aside: Vec<Word>) -> Vec<Block> {
        if unsure.is_empty() {
            return self.blocks(sure, &[], words, aside);
        }
        let blocks = self.blocks(sure.clone(), &unsure, words.clone(), aside.clone());
        let is_part = |grid: &Grid| blocks.iter().any(|block| self.is_beyond(block, grid, &words));
        let (loose, kept): (Vec<Grid>, Vec<Grid>) = unsure.into_iter().partition(is_part);
        if kept.is_empty() { blocks } else { self.blocks([sure, kept].concat(), &loose, words, aside) }
    }

    /// The blocks of these words. `loose`: grids of which only the rules across count.
    fn blocks(&self, grids: Vec<Grid>, loose: &[Grid], mut words: Vec<Word>, mut aside: Vec<Word>) -> Vec<Block> {
        let mut blocks = Vec::new();
        // Each table becomes one word as large as the table, which takes its place in the order.
        let mut found = Vec::new();
        for grid in grids {
            let grid = tables::with_headers(grid, &words);
            let area = grid.area();
            let inside: Vec<Word> = words.extract_if(.., |word| area.contains(word.area.center())).collect();
            let Some(first) = inside.first().cloned() else { continue };
            let inside_turned = aside.extract_if(.., |word| area.contains(self.upright(word).center()));
            let inside_turned: Vec<(Word, Rect)> =
                inside_turned.map(|word| (word.clone(), self.upright(&word))).collect();
            let table = read(&grid, &inside, &inside_turned, self.styles);
            if table.starts.len() < 2 {
                words.extend(inside);
                aside.extend(inside_turned.into_iter().map(|(word, _)| word));
                continue;
            }
            words.push(Word { area, place: area, text: placeholder(found.len()), tail: None, raised: None, ..first });
            found.push(Some(table));
        }
        if let Some((area, table)) = self.open.and_then(|open| last_row(open, &self.rows, &mut words)) {
            blocks.push(Block { area, content: Content::Table(table), tagged: None });
        }
        let rules: Vec<Horizontal> =
            self.rules.iter().chain(loose.iter().flat_map(|grid| &grid.across)).cloned().collect();
        for block in order::blocks(words, &rules) {
            let builder = Builder::new(self.styles, &rules);
            blocks.extend(builder.blocks(order::lines(block), &mut found).into_iter().map(Block::checked));
        }
        let aside = order::lines(aside);
        if let Some(area) = area_of(&aside) {
            blocks.push(Block { area, content: Content::Aside { lines: aside }, tagged: None });
        }
        blocks
    }

    /// Whether a block is a table with all words of a grid and others, which are no sentences, and has no fewer rows, and about as many
    /// columns.
    fn is_beyond(&self, block: &Block, grid: &Grid, words: &[Word]) -> bool {
        let Content::Table(table) = &block.content else { return false };
        let area = grid.area();
        let is_inside = |word: &&Word| area.contains(word.area.center());
        let (mut inside, mut beyond, mut cells) = (0, 0, 0);
        for cell in table.rows.iter().flatten() {
            let words = || cell.lines.iter().flat_map(|line| &line.words);
            let own = words().filter(is_inside).count();
            let others = words().count() - own;
            (inside, beyond) = (inside + own, beyond + others);
            cells += usize::from(others > 0);
        }
        let own: Vec<Word> = words.iter().filter(is_inside).cloned().collect();
        if inside < own.len() || !(1..=cells * CELL_WORDS).contains(&beyond) {
            return false;
        }
        let own = read(grid, &own, &[], self.styles);
        table.rows.len() >= own.rows.len() && table.starts.len() * 5 > own.starts.len() * 4
    }
}

/// The table in a grid. Where its rules part less than its rows and columns, these are found by how the words align.
fn read(grid: &Grid, words: &[Word], turned: &[(Word, Rect)], styles: &Styles) -> Table {
    let table = grid.table(words.to_vec(), turned.to_vec());
    if !tables::is_coarse(&table) || !turned.is_empty() {
        return table;
    }
    let lines = order::lines(words.to_vec());
    let around = Surroundings { above: &[], leading: styles.leading, rules: &grid.across };
    match tables::aligned(lines.iter(), &around) {
        Some(found) if found.lines == lines.len() && found.table.starts.len() >= table.starts.len() => found.table,
        Some(_) | None => table,
    }
}

/// The row at the top of a page with which the table of the page before ends: taken from the words.
fn last_row(open: &Table, rows: &[Grid], words: &mut Vec<Word>) -> Option<(Rect, Table)> {
    let top = words.iter().map(|word| word.area.center().1).reduce(f32::min)?;
    let grid = rows.iter().find(|grid| (grid.area().y0..grid.area().y1).contains(&top))?;
    let area = grid.area();
    let inside: Vec<Word> = words.iter().filter(|word| area.contains(word.area.center())).cloned().collect();
    let table = grid.table(inside, Vec::new());
    if !open.goes_on_in(&table) {
        return None;
    }
    words.retain(|word| !area.contains(word.area.center()));
    Some((area, table))
}
