//! The HTTP interface that all endpoints share: requests are read here, use cases of `docmill-app` answered, and their errors
//! translated.

pub mod accept;
pub mod batches;
pub mod cursor;
pub mod envelope;
pub mod error;
pub mod form;
pub mod guard;
pub mod jobs;
pub mod query;
pub mod request;
pub mod results;
pub mod routes;
pub mod serve;
pub mod suggest;
pub mod templates;
mod translate;
pub mod wait;
