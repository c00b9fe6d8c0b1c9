//! What the service connects to: strangers choose the addresses, so every one of them is judged first.
//!
//! `address` says which addresses are public, `policy` which URLs may be fetched and what their names resolve to,
//! `proxy` is the only way out that the browser has.

pub mod address;
mod forward;
mod meter;
pub mod policy;
pub mod proxy;
mod session;

pub use policy::{EgressPolicy, Lookup, Refusal, SourceExceptions, Target};
pub use proxy::{Caps, EgressProxy};
pub use session::EgressReport;
