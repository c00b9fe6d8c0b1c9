//! The worker: the only crate that contains conversion code.

pub mod engine;
pub mod sniff;
