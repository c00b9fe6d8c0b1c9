//! What the dashboard and the documentation share: assets, icons, code boxes, and options as tables.
//!
//! Everything is a function from data to markup. It does not depend on requests, sessions or stores.

pub mod assets;
pub mod code;
pub mod icons;
pub mod number;
pub mod schema;
