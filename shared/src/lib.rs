//! What every Docmill function shares.
//!
//! `domain` is pure: it reads no clock, no environment and no network. `store`, `queue` and `files` talk to AWS,
//! `http` gives the interface its shape, and `context` ties them together once per environment.

#[cfg(test)]
mod architecture;
pub mod aws;
pub mod clock;
pub mod config;
mod connection;
pub mod context;
pub mod domain;
pub mod files;
pub mod http;
pub mod queue;
pub mod store;
pub mod telemetry;
pub mod waiting;
