//! The HTTP interface that all endpoints share: requests are read here, use cases of `docmill-app` answered, and their errors
//! translated.

#![warn(missing_docs, clippy::missing_errors_doc)]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

pub mod accept;
pub mod batches;
pub mod body;
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
