//! Connections to the internet. Strangers choose the addresses, so each one is checked first.
//!
//! `address` has the public addresses, `policy` the allowed URLs and name resolution, and `client` the HTTP client that obeys
//! both. The worker fetches sources and delivers results through it, and its browser's proxy asks the same policy.

pub mod address;
mod client;
mod policy;
pub mod testing;

pub use client::{ExchangeError, GuardedClient, Reason};
pub use policy::{BadException, BadSetting, EgressPolicy, Lookup, Refusal, SourceExceptions, Target};
