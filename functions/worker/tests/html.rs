//! Both HTML engines, with small and hostile pages. Needs `chromium-headless-shell` and poppler's command-line tools.

#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "html/basic.rs"]
mod basic;
#[path = "html/browser.rs"]
mod browser;
#[path = "html/email.rs"]
mod email;
#[path = "html/letters.rs"]
mod letters;
#[path = "html/markdown.rs"]
mod markdown;
#[path = "html/picture.rs"]
mod picture;
#[path = "html/support.rs"]
mod support;
#[path = "html/visit.rs"]
mod visit;
