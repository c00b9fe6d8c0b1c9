//! Tesseract. All calls into it, and thus all `unsafe` code, are in this module.

#![allow(unsafe_code, reason = "This module is the boundary to a C library.")]

mod ffi;
mod inverse;
mod models;
mod reader;

pub use reader::{Reader, Tesseract};
