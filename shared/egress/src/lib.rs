//! Connections to the internet. Strangers choose the addresses, so each one is checked first.
//!
//! `address` has the public addresses, `policy` the allowed URLs and name resolution, and `client` the HTTP client that obeys
//! both. The worker fetches sources and delivers results through it, and its browser's proxy asks the same policy.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod address;
mod client;
mod policy;
pub mod testing;

pub use client::{ExchangeError, GuardedClient, Reason};
pub use policy::{BadException, BadSetting, EgressPolicy, Lookup, Refusal, SourceExceptions, Target};
