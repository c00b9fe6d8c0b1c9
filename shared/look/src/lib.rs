//! What the dashboard and the documentation share: assets, icons, code boxes, examples, and options as tables.
//!
//! Everything is a function from data to markup. It does not depend on requests, sessions or stores.

#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod assets;
pub mod code;
pub mod example;
pub mod highlight;
pub mod icons;
pub mod number;
pub mod schema;
pub mod theme;

/// Guides under `/docs` with a common title.
#[derive(Clone, Copy, Debug)]
pub struct GuideGroup {
    /// The heading above them.
    pub title: &'static str,
    /// Their names under `/docs`.
    pub guides: &'static [&'static str],
}

/// All guides, in reading order.
pub const GUIDES: [GuideGroup; 6] = [
    GuideGroup { title: "Get started", guides: &["first-conversion", "authentication", "uploads", "waiting"] },
    GuideGroup {
        title: "Documents",
        guides: &[
            "templates",
            "extraction",
            "stamps",
            "archives",
            "accessibility",
            "signatures",
            "invoices",
            "fonts",
            "chains",
        ],
    },
    GuideGroup { title: "Many documents", guides: &["batches", "lists", "control", "limits"] },
    GuideGroup {
        title: "Reliability",
        guides: &["errors", "request-log", "warnings", "idempotency", "events", "webhooks", "receipts"],
    },
    GuideGroup {
        title: "Clients",
        guides: &["command-line", "python", "typescript", "go", "rust", "assistants", "n8n", "generators"],
    },
    GuideGroup { title: "Versions", guides: &["versions", "api-changes"] },
];

/// Pages about the service in every footer: their names under `/docs`, and titles.
pub const LEGAL: [(&str, &str); 4] =
    [("changelog", "Changelog"), ("status", "Status"), ("security", "Security"), ("terms", "Terms")];
