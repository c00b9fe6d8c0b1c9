//! Pictures: encoders for rendered pages, decoders with bounds, similarity.

mod encode;

pub(crate) use encode::{Encoding, Format, encode};
