//! Both HTML engines, with small and hostile pages. Needs `chromium-headless-shell` and poppler's command-line tools.

#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests are tests")]

mod basic;
mod browser;
mod email;
mod letters;
mod long_boxes;
mod markdown;
mod picture;
mod support;
mod visit;
