//! What Word computes in its documents: inherited styles, the numbers of lists, and fields.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod fields;
pub mod numbering;
pub mod styles;
pub mod tree;
