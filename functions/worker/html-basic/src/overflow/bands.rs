//! Which part of a long page comes on which page.

use super::units::{Kind, Unit};

/// A part of a long page, in points from its top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Band {
    pub(super) top: f64,
    /// Where the next one begins.
    pub(super) bottom: f64,
}

impl Band {
    /// Whether something is on this part. Text and small pictures are on exactly one, where they begin.
    pub(super) fn has(&self, unit: &Unit, room: f64) -> bool {
        match unit.kind {
            Kind::Clip => true,
            Kind::Letters | Kind::Picture if unit.bottom - unit.top <= room => {
                self.top <= unit.top && unit.top < self.bottom
            }
            Kind::Letters | Kind::Picture | Kind::Path => unit.top < self.bottom && self.top < unit.bottom,
        }
    }
}

/// Divides a page so that no line of text and no picture is cut.
///
/// `first`: where the first part must end; `room`: the height of the others.
pub(super) fn divide(units: &[&Unit], first: f64, room: f64) -> Vec<Band> {
    let (mut content, large): (Vec<&Unit>, Vec<&Unit>) =
        units.iter().copied().filter(|unit| unit.is_content()).partition(|unit| unit.bottom - unit.top <= room);
    content.sort_by(|a, b| a.top.total_cmp(&b.top));
    let end = large.iter().map(|unit| unit.bottom).fold(f64::NEG_INFINITY, f64::max);
    let (mut bands, mut top, mut limit) = (Vec::new(), f64::NEG_INFINITY, first);
    let mut rest = content.as_slice();
    loop {
        // The next part begins with the first line that does not fit, and so do all lines beside and after it.
        let next = rest.iter().find(|unit| unit.bottom > limit).and_then(|first| {
            // At the latest the line itself.
            rest.iter().position(|unit| unit.top >= first.top)
        });
        let next = next.unwrap_or(rest.len());
        rest = rest.get(next..).unwrap_or_default();
        let start = rest.first().map_or(f64::INFINITY, |unit| unit.top);
        let start = if end > limit { start.min(limit) } else { start };
        // Each part is lower than the one before, since what is as high as a page fits on it.
        let bottom = if start > top { start } else { limit };
        bands.push(Band { top, bottom });
        if bottom == f64::INFINITY {
            return bands;
        }
        (top, limit) = (bottom, bottom + room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(top: f64, bottom: f64) -> Unit {
        Unit { operations: 0..1, kind: Kind::Letters, top, bottom }
    }

    fn tops(units: &[Unit], first: f64, room: f64) -> Vec<f64> {
        divide(&units.iter().collect::<Vec<_>>(), first, room).iter().map(|band| band.top).collect()
    }

    #[test]
    fn a_line_that_does_not_fit_begins_the_next_part() {
        let lines: Vec<Unit> =
            (0..10).map(|number| f64::from(number) * 10.0).map(|top| line(top, top + 10.0)).collect();
        assert_eq!(tops(&lines, 45.0, 30.0), [f64::NEG_INFINITY, 40.0, 70.0]);
        assert_eq!(tops(&lines, 100.0, 30.0), [f64::NEG_INFINITY]);
    }

    #[test]
    fn lines_beside_one_another_are_cut_nowhere() {
        let (left, right) = ([line(0.0, 20.0), line(20.0, 40.0)], [line(5.0, 31.0), line(31.0, 45.0)]);
        let all = [left, right].concat();
        let bands = divide(&all.iter().collect::<Vec<_>>(), 30.0, 30.0);
        for unit in &all {
            let on: Vec<_> = bands.iter().filter(|band| band.has(unit, 30.0)).collect();
            assert_eq!(on.len(), 1, "{unit:?}");
            assert!(on[0].top == f64::NEG_INFINITY || unit.bottom <= on[0].top + 30.0, "{unit:?} is cut");
        }
    }

    #[test]
    fn a_picture_higher_than_a_page_goes_on_over_pages() {
        let picture = Unit { kind: Kind::Picture, ..line(10.0, 100.0) };
        assert_eq!(tops(&[picture], 40.0, 30.0), [f64::NEG_INFINITY, 40.0, 70.0]);
    }
}
