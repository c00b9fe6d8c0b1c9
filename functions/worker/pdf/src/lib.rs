//! PDF tools for local files: merge, split, compress, render, read. No network, no AWS, and no threads while idle.
//!
//! The worker loads [`Engines`] once in a helper process, forks a confined child for each [`Request`], and calls [`Engines::run`]
//! there. Any file may be hostile: there are no panics, memory is limited, and all failures are typed.
//!
//! `tools/` has a module for each tool, which reads options and runs steps in order. Below are
//! `qpdf/` (libqpdf: bytes, repair, encryption), `structure/` (lopdf: pages, outlines, forms, tags),
//! `pdfium/` (rendering, text, forms), `image/` (decoders and encoders),
//! `ocr/` (text in pictures, by Tesseract), `extract/` (the structure of documents, as one model), `compare/` (differences between
//! two documents), `repair/` (damaged sources, for all tools), `pdfa/` (conformance to PDF/A), and `redact/` (removing content, and proving that it is gone).

mod compare;
mod engines;
mod extract;
mod failure;
mod image;
mod label;
mod library;
mod memory_budget;
mod message;
mod ocr;
mod pdfa;
mod pdfium;
mod picture;
mod qpdf;
mod redact;
mod repair;
mod request;
mod shrink;
mod spool;
mod structure;
mod text;
mod tool;
mod tools;
mod xml;

pub use engines::Engines;
pub use failure::{ErrorCode, Failure};
pub use request::{Artifact, Limits, Outcome, PictureLimits, Request, Source, Warning};
pub use tool::Tool;

#[cfg(test)]
mod tests;
