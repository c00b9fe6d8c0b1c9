//! The helper process with the PDF libraries loaded, which forks a child per call.

use std::io;
use std::path::{Path, PathBuf};

use docmill_confine::ForkedBy;
use docmill_confine::fork_server::helper::{self, Handler};
use docmill_domain::time::Timestamp;
use docmill_formats::Format;
use docmill_pdf::Engines;
use docmill_pdf_request::{Failure, Limits, Outcome, Request, Tool};
use serde::Deserialize;
use serde_json::json;

/// A child's reply.
pub(super) type Answer = Result<Outcome, Failure>;

/// The arguments of `worker pdf-helper`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The helper's own directory.
    #[arg(long)]
    home: PathBuf,
    #[command(flatten)]
    forked_by: ForkedBy,
}

/// Serves until standard input ends.
///
/// # Errors
/// If it can't prepare, or the pipes to its parent break.
pub fn run(args: &Args) -> io::Result<()> {
    let mut replies = helper::take_stdout()?;
    helper::or_tell(&mut replies, |replies| {
        std::env::set_current_dir(&args.home)?;
        let engines = Engines::load();
        for complaint in engines.complaints() {
            eprintln!("the PDF tools: {complaint}");
        }
        let mut handler = PdfHandler { engines, home: args.home.clone(), checks_invoices: false };
        docmill_confine::hide_own_memory()?;
        helper::serve(&mut handler, replies, args.forked_by)
    })
}

/// A page with text, a form and pictures.
const REHEARSAL: &[u8] = include_bytes!("rehearsal.pdf");

struct PdfHandler {
    engines: Engines,
    home: PathBuf,
    /// Whether a request was to check an invoice. Its rules take memory, which makes every child dearer to fork.
    checks_invoices: bool,
}

/// As much of a request as tells the tool.
#[derive(Deserialize)]
struct Noted {
    document: OfTool,
}

#[derive(Deserialize)]
struct OfTool {
    tool: Tool,
}

impl Handler for PdfHandler {
    type Document = Request;
    type Answer = Answer;

    fn reads(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn home(&self) -> &Path {
        &self.home
    }

    fn shared_room(&self) -> Option<&Path> {
        None
    }

    /// A result is checked by another child, right after it was made.
    fn keeps_spare(&self) -> bool {
        true
    }

    fn note(&mut self, request: &[u8]) -> bool {
        let is_first = !self.checks_invoices
            && serde_json::from_slice::<Noted>(request).is_ok_and(|noted| noted.document.tool == Tool::ValidateInvoice);
        self.checks_invoices |= is_first;
        is_first
    }

    /// After the first invoice, later ones find the rules loaded.
    fn settle(&mut self) -> io::Result<()> {
        if self.checks_invoices {
            self.engines.load_invoice_rules().map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Merges, checks and reads a small file: what nearly every call does.
    fn rehearse(&self) -> io::Result<()> {
        let directory = tempfile::tempdir_in(&self.home)?;
        let path = directory.path().join("source");
        std::fs::write(&path, REHEARSAL)?;
        let source = docmill_pdf_request::Source::new(path, Format::Pdf);
        for (tool, sources) in [(Tool::MergePdf, 2), (Tool::Verify, 1), (Tool::PdfToText, 1)] {
            let request = Request {
                tool,
                sources: vec![source.clone(); sources],
                options: json!({}),
                directory: directory.path().to_owned(),
                limits: Limits { pages: 10, output_bytes: 1 << 20, pixels: 1 << 20, memory_bytes: 256 << 20 },
                now: Timestamp(0),
            };
            self.engines.run(&request).map_err(io::Error::other)?;
        }
        Ok(())
    }

    fn convert(&self, request: Request) -> io::Result<Answer> {
        Ok(self.engines.run(&request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handler(home: &Path) -> PdfHandler {
        PdfHandler { engines: Engines::load(), home: home.to_owned(), checks_invoices: false }
    }

    #[test]
    fn the_rehearsal_succeeds() {
        let home = tempfile::tempdir().unwrap();
        handler(home.path()).rehearse().unwrap();
    }

    #[test]
    fn the_first_invoice_calls_for_the_rules() {
        let home = tempfile::tempdir().unwrap();
        let mut handler = handler(home.path());
        let noted = [Tool::MergePdf, Tool::ValidateInvoice, Tool::ReadInvoice, Tool::ValidateInvoice]
            .map(|tool| handler.note(json!({"bounds": {}, "document": {"tool": tool}}).to_string().as_bytes()));
        assert_eq!(noted, [false, true, false, false]);
    }
}
