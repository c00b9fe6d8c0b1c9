//! The worker, the only crate with conversion code.

pub mod account_files;
mod attempt_error;
pub mod cancellation;
mod charset;
pub mod checker;
pub mod confine;
pub mod convert_command;
pub mod converter;
mod delivery;
pub mod engine;
pub mod failure;
pub mod fonts;
pub mod lambda;
pub mod pipeline;
mod plan;
pub mod progress;
pub mod proxy;
pub mod recipe;
mod results;
pub mod sniff;
pub mod source;
pub mod sources;
mod stored_keys;
pub mod tenancy;
pub mod tree;
