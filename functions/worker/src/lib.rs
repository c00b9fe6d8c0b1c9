//! The worker: takes jobs from its queue, fetches their sources, has them converted, and stores and delivers what was made.

pub mod account_files;
mod attempt_error;
pub mod cancellation;
pub mod convert_command;
pub mod converter;
mod delivery;
mod engines;
pub mod fonts;
pub mod lambda;
pub mod pipeline;
pub mod progress;
mod results;
pub mod sources;
mod stored_keys;
pub mod tenancy;
