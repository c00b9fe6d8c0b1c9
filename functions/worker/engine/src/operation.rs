//! What engines are asked to do.

use docmill_domain::tool::{EngineKind, Slug};

/// Work for one engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A tool of the catalogue that one engine does by itself.
    Tool(Slug),
    /// Makes a page of Markdown, and reports its front matter.
    RenderMarkdown,
    /// Makes a page of a message, and reports its headers and attachments.
    RenderMessage,
    /// Prints a message's page, without its scripts.
    PrintMessage,
    /// Brings the fields of a Word document up to date, from a print of it.
    UpdateFields,
    /// Writes a signature into the file that was prepared for it.
    Seal,
    /// Puts what proves for long that the certificates of a signature were good into the signed file.
    KeepEvidence,
    /// Opens a result of any engine, counts its pages and measures its pictures.
    Verify,
    /// Marks every page of a test job's result.
    MarkTest,
}

impl Operation {
    /// The engine that does it. `basic`: pages are printed without a browser.
    pub fn engine(self, render_mode: Option<&str>) -> EngineKind {
        match self {
            Self::Tool(slug) => EngineKind::of(slug.as_str(), render_mode),
            Self::PrintMessage => EngineKind::Chromium,
            Self::Seal => EngineKind::Signer,
            Self::RenderMarkdown
            | Self::RenderMessage
            | Self::UpdateFields
            | Self::KeepEvidence
            | Self::Verify
            | Self::MarkTest => EngineKind::PdfTools,
        }
    }
}
