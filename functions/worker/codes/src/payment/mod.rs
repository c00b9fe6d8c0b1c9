//! The texts of payment codes, from fields that are checked.

mod field;
mod reference;

pub(crate) mod epc;
pub(crate) mod swiss;
