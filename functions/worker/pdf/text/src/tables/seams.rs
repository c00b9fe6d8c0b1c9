//! Where the pieces of rules meet: programs that draw a rule for each cell show columns and rows in this way, even without rules between
//! them.

use super::super::order;
use super::super::rules::Horizontal;
use super::super::words::Word;
use super::ruled::{Grid, NEAR};
use super::touching::{LOWEST, NARROWEST, ON_LINE, Piece};

/// The least rules whose pieces meet at one place.
const COLUMNS: usize = 4;
const ROWS: usize = 3;
/// Rules of rows are that many times as far apart as usual at most: between those above and below headers and the next are several rows.
const UNEVEN: f32 = 3.5;
/// The share of the rules at such a place whose pieces meet there: cells over several columns have none.
const MEETING: f32 = 0.65;

/// Most lines of headers above the first rule, and how far apart they are at most, in ems.
const HEADERS: usize = 3;
const ABOVE: f32 = 0.9;

/// A grid of rules across alone, with the lines above it that are headers of its columns: words in two columns at least, and none over
/// the edge of one.
pub(crate) fn with_headers(mut grid: Grid, words: &[Word]) -> Grid {
    if !grid.is_sewn {
        return grid;
    }
    let area = grid.area();
    let above = words.iter().filter(|word| {
        let (x, y) = word.area.center();
        area.x0 < x && x < area.x1 && y < area.y0
    });
    let mut top = area.y0;
    for line in order::lines(above.cloned().collect()).iter().rev().take(HEADERS) {
        let column = |x: f32| grid.xs.partition_point(|edge| *edge <= x);
        let mut columns: Vec<usize> = line.words.iter().map(|word| column(word.area.center().0)).collect();
        columns.sort_unstable();
        columns.dedup();
        let is_within = |word: &Word| column(word.area.x0) == column(word.area.x1);
        if top - line.area.y1 > line.size() * ABOVE || columns.len() < 2 || !line.all(is_within) {
            break;
        }
        top = line.area.y0;
    }
    if top < area.y0 {
        grid.down.iter_mut().filter(|rule| rule.y0 <= area.y0 + NEAR).for_each(|rule| rule.y0 = top);
        grid.across.push(Horizontal { x0: area.x0, x1: area.x1, y: top });
        grid.ys.insert(0, top);
    }
    grid
}

/// The edges of columns at which the pieces of several rules across meet, where there are no rules down.
pub(super) fn columns(across: &[Piece], down: &[Piece]) -> Vec<Piece> {
    let mut found = edges(across, NARROWEST, COLUMNS, UNEVEN);
    let is_ruled = |(x, y0, y1): &Piece| {
        down.iter().any(|(at, from, to)| (at - x).abs() <= NEAR && (*from).max(*y0) < (*to).min(*y1))
    };
    found.retain(|edge| !is_ruled(edge));
    found
}

/// The edges of rows at which the pieces of several rules down meet.
pub(super) fn rows(down: &[Piece]) -> Vec<Piece> {
    edges(down, LOWEST, ROWS, f32::INFINITY)
}

/// The edges at which pieces meet that are longer than `shortest`, of this many rules at least.
fn edges(pieces: &[Piece], shortest: f32, least: usize, uneven: f32) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = pieces.iter().filter(|(_, from, to)| to - from > shortest).copied().collect();
    pieces.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut lines: Vec<&mut [Piece]> = pieces.chunk_by_mut(|a, b| b.0 - a.0 <= ON_LINE).collect();
    lines.iter_mut().for_each(|line| line.sort_by(|a, b| a.1.total_cmp(&b.1)));
    let lines: Vec<&[Piece]> = lines.into_iter().map(|line| &*line).collect();
    let mut places: Vec<f32> = lines.iter().flat_map(|line| meetings(line)).collect();
    places.sort_by(f32::total_cmp);
    let places = places.chunk_by(|a, b| b - a <= ON_LINE).filter(|places| places.len() >= least);
    places
        .filter_map(|places| places.get(places.len() / 2))
        .flat_map(|at| edges_at(*at, &lines, least, uneven))
        .collect()
}

/// Where the pieces of a rule meet.
fn meetings(line: &[Piece]) -> Vec<f32> {
    let mut found = Vec::new();
    let mut end = f32::NEG_INFINITY;
    for (_, from, to) in line {
        if (from - end).abs() <= NEAR {
            found.push(f32::midpoint(*from, end));
        }
        end = end.max(*to);
    }
    found
}

/// The edges at one place: one for each run of rules that are about as far apart.
fn edges_at(place: f32, lines: &[&[Piece]], least: usize, uneven: f32) -> Vec<Piece> {
    // Where a rule is, and whether its pieces meet, or one runs through. Others begin or end there.
    let rule = |line: &&[Piece]| {
        let (at, ..) = line.first()?;
        let meets = meetings(line).into_iter().any(|x| (x - place).abs() <= NEAR);
        let reaches = line.iter().any(|(_, from, to)| from - NEAR <= place && place <= to + NEAR);
        let runs_on = line.iter().any(|(_, from, to)| from + NEAR < place && place < to - NEAR);
        reaches.then_some((*at, meets, runs_on && !meets))
    };
    let rules: Vec<(f32, bool, bool)> = lines.iter().filter_map(rule).collect();
    let mut steps: Vec<f32> = rules.windows(2).filter_map(|pair| Some(pair.get(1)?.0 - pair.first()?.0)).collect();
    steps.sort_by(f32::total_cmp);
    let Some(usual) = steps.get(steps.len().saturating_sub(1) / 2) else { return Vec::new() };
    let runs = rules.chunk_by(|one, next| next.0 - one.0 <= usual * uneven);
    runs.filter_map(|run| {
        let meeting: Vec<f32> = run.iter().filter(|(_, meets, _)| *meets).map(|(at, ..)| *at).collect();
        let through = run.iter().filter(|(.., runs_on)| *runs_on).count();
        let is_edge = meeting.len() >= least && meeting.len() as f32 >= (meeting.len() + through) as f32 * MEETING;
        is_edge.then_some((place, *meeting.first()?, *meeting.last()?))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules at these heights, in pieces that meet at 150.
    fn rules(heights: &[f32]) -> Vec<Piece> {
        heights.iter().flat_map(|y| [(*y, 50.0, 150.0), (*y, 150.5, 300.0)]).collect()
    }

    #[test]
    fn pieces_of_four_rules_that_meet_show_a_column() {
        let rows = rules(&[100.0, 120.0, 140.0, 160.0]);
        assert_eq!(columns(&rows, &[]), [(150.25, 100.0, 160.0)]);
        assert!(columns(&rules(&[100.0, 120.0, 140.0]), &[]).is_empty());
        // A rule down shows it already.
        assert!(columns(&rows, &[(150.0, 100.0, 160.0)]).is_empty());
    }

    #[test]
    fn rules_around_headers_and_below_all_rows_show_none() {
        assert!(columns(&rules(&[100.0, 112.0, 124.0, 200.0]), &[]).is_empty());
    }

    #[test]
    fn rules_that_mostly_run_through_have_no_column() {
        let whole = [110.0, 130.0, 150.0].map(|y| (y, 50.0, 300.0));
        assert!(columns(&[rules(&[100.0, 120.0, 140.0, 160.0]), whole.to_vec()].concat(), &[]).is_empty());
    }

    #[test]
    fn rules_that_begin_at_a_column_do_not_speak_against_it() {
        let parts = [110.0, 130.0, 150.0].map(|y| (y, 150.5, 300.0));
        let rows = [rules(&[100.0, 120.0, 140.0, 160.0]), parts.to_vec()].concat();
        assert_eq!(columns(&rows, &[]), [(150.25, 100.0, 160.0)]);
    }
}
