//! Shared by all Docmill functions.
//!
//! `domain` is a crate of its own, which is pure: it reads no clock, environment or network. `store`, `queue` and `files` talk to AWS, `http` defines the
//! interface, and `context` builds everything once per environment.

#[cfg(test)]
mod architecture;
pub mod aws;
pub mod clock;
pub mod config;
mod connection;
pub mod context;
pub mod files;
pub mod http;
pub mod lanes;
pub mod notices;
pub mod queue;
pub mod relay;
pub mod store;
pub mod telemetry;
pub mod webhook;

pub use docmill_domain as domain;
