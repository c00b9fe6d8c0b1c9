//! The boxes of tags that name none: around what the page draws for them.

use std::collections::HashMap;

use docmill_pdf_core::pdfium::{Page, Rect};

use crate::{Place, Report};

impl Report {
    /// Measures the boxes of tags on a page that have none. `number`: counted from 1.
    pub fn measure(&mut self, page: &Page<'_>, number: u32) {
        let of_rules = self.failed.iter_mut().flat_map(|finding| &mut finding.places);
        let of_questions = self.questions.iter_mut().flat_map(|question| &mut question.places);
        let is_here = |place: &&mut Place| place.page == Some(number) && !place.marks.is_empty();
        let mut places = of_rules.chain(of_questions).filter(is_here).peekable();
        // Most pages have none.
        if places.peek().is_none() {
            return;
        }
        let drawn = page.areas_of_marks();
        for place in places {
            place.corners = around(&place.marks, &drawn);
        }
    }
}

/// The box around these marks, to hundredths of a point.
fn around(marks: &[u32], drawn: &HashMap<u32, Rect>) -> Option<[f32; 4]> {
    let areas = marks.iter().filter_map(|mark| drawn.get(mark).copied());
    let Rect { x0, y0, x1, y1 } = areas.reduce(|one, other| one.union(&other))?;
    Some([x0, y0, x1, y1].map(|corner| (corner * 100.0).round() / 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_around_all_that_is_drawn() {
        let drawn = HashMap::from([
            (0, Rect { x0: 10.0, y0: 20.0, x1: 30.0, y1: 40.0 }),
            (2, Rect { x0: 5.0, y0: 50.004, x1: 20.0, y1: 60.0 }),
        ]);
        assert_eq!(around(&[0, 1, 2], &drawn), Some([5.0, 20.0, 30.0, 60.0]));
        assert_eq!(around(&[1], &drawn), None);
    }
}
