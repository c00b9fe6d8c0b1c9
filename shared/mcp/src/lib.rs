//! The tools that assistants see (Model Context Protocol, revision 2026-07-28 and earlier ones): their names, descriptions, schemas
//! and results, with resources and prompts. A client of the `/v1` API like any other: `Api` carries its requests, within a function or over HTTP.
//!
//! No AWS here: the command line uses this too.

#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod api;
mod arguments;
mod definitions;
pub mod files;
pub mod outline;
mod prompts;
pub mod reading;
mod resources;
mod results;
mod schemas;
mod server;
mod tasks;
mod tool_name;

pub use server::Server;
pub use tool_name::ToolName;

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test says what is wrong by panicking")]
mod tests;
