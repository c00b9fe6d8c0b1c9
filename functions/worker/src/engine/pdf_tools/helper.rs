//! The helper process that has the PDF libraries loaded, and forks one child per call.

use std::io;
use std::path::{Path, PathBuf};

use docmill_pdf::{Engines, Failure, Outcome, Request};

use crate::confine;
use crate::engine::fork_server::helper::{self, Craft};

/// What a child says of its call.
pub(super) type Answer = Result<Outcome, Failure>;

/// The arguments of `worker pdf-helper`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The helper's own directory.
    #[arg(long)]
    home: PathBuf,
}

/// Serves until standard input ends.
pub fn run(args: &Args) -> io::Result<()> {
    let mut replies = helper::take_stdout()?;
    helper::or_tell(&mut replies, |replies| {
        std::env::set_current_dir(&args.home)?;
        let mut craft = PdfCraft { engines: Engines::load() };
        confine::hide_own_memory()?;
        helper::serve(&mut craft, replies)
    })
}

struct PdfCraft {
    engines: Engines,
}

impl Craft for PdfCraft {
    type Document = Request;
    type Word = Answer;

    fn reads(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn shared_room(&self) -> Option<&Path> {
        None
    }

    fn rehearse(&self) -> io::Result<()> {
        Ok(())
    }

    fn convert(&self, request: Request) -> io::Result<Answer> {
        Ok(self.engines.run(&request))
    }
}
