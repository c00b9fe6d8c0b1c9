//! How a job is done: which tools are called for its sources (`plan`), which engines do the steps of each (`recipe`), and the check of what they
//! made (`checker`). No engine calls another: a tool that needs others says so in its recipe.

#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod checker;
mod plan;
mod recipe;

pub use plan::{Call, Given, Plan};
pub use recipe::{Recipe, Runner};
