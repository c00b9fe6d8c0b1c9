//! extract-document: the structure of any document, by one model. Readers make it, writers write it.

pub(crate) mod model;
pub(crate) mod own;
pub(crate) mod pdf;
pub(crate) mod pictures;
#[cfg(test)]
mod schema;
pub(crate) mod write;
