//! What a file says of itself, and what is true: before other libraries open it.

use std::collections::HashMap;
use std::path::Path;

use super::objects::File;
use crate::space::sound_unit;

/// What is wrong with a file, as far as qpdf can read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Nothing.
    Sound,
    /// Something had to be repaired, or it has other pages than it says.
    Damaged,
    /// qpdf can't read it, or not with this password.
    Unreadable,
}

/// The condition of a file.
pub fn condition(path: &Path, password: Option<&str>) -> Condition {
    let Some(file) = File::open(path, password) else { return Condition::Unreadable };
    let said = file.root().child(c"/Pages").and_then(|tree| Some(tree.value(c"/Count")?.number()));
    let Some(pages) = file.pages() else { return Condition::Unreadable };
    let is_as_said = said == Some(pages.count() as f64);
    if is_as_said && !file.is_damaged() { Condition::Sound } else { Condition::Damaged }
}

/// The pages with a `/UserUnit` of their own, counted from 0. pdfium takes no notice of it.
pub fn units(path: &Path, password: Option<&str>) -> HashMap<u32, f32> {
    let Some(file) = File::open(path, password) else { return HashMap::new() };
    let Some(pages) = file.pages() else { return HashMap::new() };
    #[expect(clippy::cast_possible_truncation, reason = "it only needs fewer digits")]
    let unit = |(index, page): (u32, super::objects::Object<'_>)| {
        let unit = sound_unit(
            page.has(c"/UserUnit").then(|| page.value(c"/UserUnit").map(|unit| unit.number() as f32)).flatten(),
        );
        (unit != 1.0).then_some((index, unit))
    };
    (0..).zip(pages).filter_map(unit).collect()
}
