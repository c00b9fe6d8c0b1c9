//! Lengths in the units of Office, from points.

/// Twentieths of a point.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
pub(crate) fn twips(points: f64) -> i64 {
    (points * 20.0).round() as i64
}

/// English metric units: 12,700 to a point.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
pub(crate) fn emu(points: f64) -> i64 {
    (points * 12_700.0).round() as i64
}

/// Half points, as sizes of type are given.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
pub(crate) fn half_points(points: f32) -> u32 {
    (points * 2.0).round().clamp(2.0, 3_276.0) as u32
}
