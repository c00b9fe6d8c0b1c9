//! What the dashboard and the documentation have in common: assets, icons, code boxes, and options as tables.
//!
//! Nothing here knows a request, a session or a store: everything is a function from data to markup.

pub mod assets;
pub mod code;
pub mod icons;
pub mod number;
pub mod schema;
