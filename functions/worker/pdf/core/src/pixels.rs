//! Lengths as whole numbers of pixels.

/// The length without its fraction: 0 if it is negative or no number, and the largest number if it is above that.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
pub fn whole(length: impl Into<f64>) -> u32 {
    length.into() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_outside_of_the_numbers_become_the_nearest_ones() {
        assert_eq!((whole(2.9_f32), whole(-1.0), whole(f64::NAN), whole(1e20)), (2, 0, 0, u32::MAX));
    }
}
