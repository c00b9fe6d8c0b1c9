//! What functions reach over AWS besides their tables: clients, the bucket of files, queues, the functions' own logs, and the relay of workers that have
//! no other way out; calls that others send.

#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod calls;
mod clients;
mod connection;
pub mod files;
pub mod logs;
pub mod queue;
pub mod relay;

pub use clients::{Aws, AwsError};
