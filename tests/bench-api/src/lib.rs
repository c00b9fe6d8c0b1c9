//! Starts function binaries as Lambda would, one at a time, and measures them.
//!
//! [`runtime_api`] is Lambda's side of a function, [`function`] the process and its figures, [`stub`] an AWS that answers
//! everything after a fixed time, [`world`] what there has to be for requests to succeed, [`requests`] the requests.

pub mod creates;
pub mod figures;
pub mod function;
pub mod measuring;
pub mod report;
pub mod requests;
pub mod runtime_api;
pub mod stub;
pub mod world;

/// What went wrong, in words for whoever runs the bench.
pub type Problem = Box<dyn std::error::Error + Send + Sync>;
