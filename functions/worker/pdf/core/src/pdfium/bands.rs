//! What is where on a page, by height: a place is compared with little of it.

use super::Rect;

const COUNT: usize = 64;

/// Values with their areas, each in the bands that its area reaches.
#[derive(Debug)]
pub struct Bands<T> {
    height: f32,
    bands: Vec<Vec<(Rect, T)>>,
}

impl<T: Copy> Bands<T> {
    /// `height`: the page's.
    pub fn new(values: impl IntoIterator<Item = (Rect, T)>, height: f32) -> Self {
        let mut bands = Self { height: height.max(1.0), bands: vec![Vec::new(); COUNT] };
        for (area, value) in values {
            let (top, bottom) = (bands.index(area.y0), bands.index(area.y1));
            for band in bands.bands.iter_mut().take(bottom + 1).skip(top) {
                band.push((area, value));
            }
        }
        bands
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    fn index(&self, y: f32) -> usize {
        ((y / self.height * COUNT as f32).max(0.0) as usize).min(COUNT - 1)
    }

    /// The values whose areas contain this place, in their order.
    pub fn at(&self, place: (f32, f32)) -> impl Iterator<Item = T> {
        let band = self.bands.get(self.index(place.1));
        band.into_iter().flatten().filter(move |(area, _)| area.contains(place)).map(|(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_areas_around_a_place_are_found_in_their_order() {
        let area = |y0: f32, y1: f32| Rect { x0: 0.0, y0, x1: 10.0, y1 };
        // Over all bands, in one, over the edges of the page, and beyond it.
        let areas = [area(-50.0, 900.0), area(100.0, 101.0), area(-20.0, 5.0), area(790.0, 820.0), area(805.0, 900.0)];
        let bands = Bands::new(areas.into_iter().zip(0..), 800.0);
        for y in [-60.0, -10.0, 0.0, 3.0, 100.5, 400.0, 795.0, 800.0, 810.0, 850.0, 901.0] {
            let all: Vec<_> = (0..).zip(areas).filter(|(_, area)| area.contains((5.0, y))).map(|(at, _)| at).collect();
            assert_eq!(bands.at((5.0, y)).collect::<Vec<_>>(), all, "{y}");
        }
        assert_eq!(bands.at((11.0, 400.0)).count(), 0);
    }
}
