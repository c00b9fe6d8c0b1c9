//! Rectangles on a page.

use lopdf::{Document, Object};

use super::objects::Lookup;

/// A rectangle on a page, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// The lower `x`.
    pub left: f32,
    /// The lower `y`: it grows upwards.
    pub bottom: f32,
    /// The higher `x`.
    pub right: f32,
    /// The higher `y`.
    pub top: f32,
}

impl Rectangle {
    /// A page whose size is not known.
    pub const LETTER: Self = Self { left: 0.0, bottom: 0.0, right: 612.0, top: 792.0 };
    /// Only damaged files have larger pages, or positions beyond.
    const LARGEST: f32 = 1e6;

    /// From the origin.
    pub fn of_size(width: f32, height: f32) -> Self {
        Self { left: 0.0, bottom: 0.0, right: width, top: height }
    }

    /// The corners may be given in any order. `None` if they enclose nothing.
    pub fn parse(document: &Document, array: &Object) -> Option<Self> {
        let corners = document.resolve(array)?.as_array().ok()?;
        let corners: Vec<f32> = corners.iter().filter_map(|number| document.number(number)).collect();
        let [x1, y1, x2, y2] = corners.try_into().ok()?;
        Self { left: x1.min(x2), bottom: y1.min(y2), right: x1.max(x2), top: y1.max(y2) }.checked()
    }

    fn checked(self) -> Option<Self> {
        let sound = [self.left, self.bottom, self.right, self.top].iter().all(|number| number.abs() <= Self::LARGEST);
        (sound && self.right > self.left && self.top > self.bottom).then_some(self)
    }

    /// What both have in common; `None` if that is nothing.
    pub fn intersection(self, other: Self) -> Option<Self> {
        Self {
            left: self.left.max(other.left),
            bottom: self.bottom.max(other.bottom),
            right: self.right.min(other.right),
            top: self.top.min(other.top),
        }
        .checked()
    }

    /// In points.
    pub fn width(self) -> f32 {
        self.right - self.left
    }

    /// In points.
    pub fn height(self) -> f32 {
        self.top - self.bottom
    }

    /// An array, as pages have it.
    pub fn to_object(self) -> Object {
        Object::Array([self.left, self.bottom, self.right, self.top].map(Object::Real).to_vec())
    }
}
