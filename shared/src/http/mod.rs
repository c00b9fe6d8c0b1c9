//! The shape of the HTTP interface: what every endpoint has in common.

pub mod envelope;
pub mod error;
pub mod guard;
pub mod jobs;
pub mod request;
pub mod routes;
pub mod serve;
pub mod submit;
pub mod uploads;
