//! The HTTP interface that all endpoints share.

pub mod accept;
pub mod batch_results;
pub mod batch_retry;
pub mod batches;
pub mod control;
pub mod envelope;
pub mod error;
pub mod fonts;
pub mod guard;
pub mod jobs;
pub mod query;
pub mod request;
pub mod results;
pub mod routes;
pub mod serve;
pub mod submit;
pub mod suggest;
pub mod templates;
pub mod uploads;
pub mod wait;
pub mod webhooks;
