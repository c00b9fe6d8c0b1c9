//! Connections to the internet. Strangers choose the addresses, so each one is checked first.
//!
//! `address` has the public addresses, `policy` the allowed URLs and name resolution, and `proxy` is the browser's only way out.

pub mod address;
mod forward;
mod meter;
pub mod policy;
pub mod proxy;
mod session;

pub use policy::{EgressPolicy, Lookup, Refusal, SourceExceptions, Target};
pub use proxy::{Caps, EgressProxy};
pub use session::EgressReport;
