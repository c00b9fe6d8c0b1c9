//! The worker: the only crate that contains conversion code.

pub mod confine;
pub mod engine;
pub mod pdf;
pub mod sniff;
