//! The helper process with the PDF libraries loaded, which forks a child per call.

use std::io;
use std::path::{Path, PathBuf};

use docmill_confine::ForkedBy;
use docmill_confine::fork_server::helper::{self, Handler};
use docmill_domain::time::Timestamp;
use docmill_formats::Format;
use docmill_pdf::Engines;
use docmill_pdf_request::{Failure, Limits, Outcome, Request, Tool};
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
        let mut handler = PdfHandler { engines, home: args.home.clone() };
        docmill_confine::hide_own_memory()?;
        helper::serve(&mut handler, replies, args.forked_by)
    })
}

/// A page with text, a form and pictures.
const REHEARSAL: &[u8] = include_bytes!("rehearsal.pdf");

struct PdfHandler {
    engines: Engines,
    home: PathBuf,
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

    /// The first document does not wait for the rules of invoices, and later ones find them.
    fn settle(&mut self) -> io::Result<()> {
        self.engines.load_more().map_err(io::Error::other)
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

    #[test]
    fn the_rehearsal_succeeds() {
        let home = tempfile::tempdir().unwrap();
        PdfHandler { engines: Engines::load(), home: home.path().to_owned() }.rehearse().unwrap();
    }
}
