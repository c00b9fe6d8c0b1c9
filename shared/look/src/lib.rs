//! What the dashboard and the documentation share: assets, icons, code boxes, examples, and options as tables.
//!
//! Everything is a function from data to markup. It does not depend on requests, sessions or stores.

pub mod assets;
pub mod code;
pub mod example;
pub mod highlight;
pub mod icons;
pub mod number;
pub mod schema;
pub mod theme;

/// The guides under `/docs`, in reading order.
pub const GUIDES: [&str; 29] = [
    "first-conversion",
    "authentication",
    "uploads",
    "fonts",
    "chains",
    "extraction",
    "templates",
    "stamps",
    "archives",
    "batches",
    "waiting",
    "lists",
    "control",
    "errors",
    "warnings",
    "limits",
    "idempotency",
    "events",
    "webhooks",
    "command-line",
    "python",
    "typescript",
    "go",
    "rust",
    "assistants",
    "n8n",
    "generators",
    "versions",
    "api-changes",
];

/// Pages about the service in every footer: their names under `/docs`, and titles.
pub const LEGAL: [(&str, &str); 4] =
    [("changelog", "Changelog"), ("status", "Status"), ("security", "Security"), ("terms", "Terms")];
