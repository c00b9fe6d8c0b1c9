//! What functions do, in words of the domain.
//!
//! `context` builds everything once per environment.

pub mod context;
pub mod lanes;
pub mod notices;
