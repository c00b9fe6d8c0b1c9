//! What the service does for its callers, in words of the domain: each use case is a function of a service, and has an error of
//! its own. Edges (the HTTP interface, assistants, the dashboard, the runner of batches) call it and translate its errors.
//!
//! `context` builds everything once per environment.

#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod batches;
pub mod caller;
pub mod context;
pub mod deadline;
pub mod fault;
pub mod fonts;
pub mod jobs;
pub mod lanes;
pub mod notices;
pub mod requests;
pub mod templates;
pub mod tools;
pub mod uploads;
pub mod wait;
pub mod webhooks;
