//! A client of Docmill, which converts documents.
//!
//! ```no_run
#![doc = include_str!("../examples/first-conversion.rs")]
//! ```
//!
//! Requests that may succeed later are repeated, and a conversion is never charged twice.

mod batches;
mod client;
mod download;
mod error;
mod jobs;
mod lists;
pub mod models;
mod pace;
mod request;
mod resources;
mod results;
#[cfg(test)]
mod tests;
mod transport;
mod upload;
mod webhooks;

pub use batches::{Item, NewBatch};
pub use client::{Client, ClientBuilder};
pub use download::{ResultReader, Save, Saved};
pub use error::{ApiError, Error, ErrorKind, JobFailed, Result};
pub use futures_util::{Stream, StreamExt, TryStreamExt};
pub use lists::{BatchFilter, DeliveryFilter, Entries, EventFilter, JobFilter};
pub use models::Secret;
pub use request::{Request, Source, Step};
pub use reqwest::header::HeaderMap;
pub use reqwest::{Method, StatusCode};
pub use transport::Answer;
pub use upload::Watch;
pub use webhooks::verify_webhook;
