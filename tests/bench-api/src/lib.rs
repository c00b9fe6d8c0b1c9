//! Starts function binaries like Lambda, one at a time, and measures them.
//!
//! [`runtime_api`] is Lambda's side of a function, [`function`] the process and its measurements, [`stub`] an AWS that answers
//! after a fixed time, [`world`] the data for successful requests, [`requests`] the requests.

pub mod creates;
pub mod figures;
pub mod function;
pub mod measuring;
pub mod report;
pub mod requests;
pub mod runtime_api;
pub mod stub;
pub mod world;

/// What went wrong, in words for the user.
pub type Problem = Box<dyn std::error::Error + Send + Sync>;
