//! The helper process that has indexed the fonts and forks a child per page.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use docmill_confine::ForkedBy;
use docmill_confine::fork_server::helper::{self, Handler};
use rustix::process::Resource;
use serde::{Deserialize, Serialize};

use super::fonts::{self, FontIndex, FontNeeds};
use super::render::{self, Order, Outcome};

/// The layout engine's messages about a page, in the job's directory.
pub(super) const SAID: &str = "said.log";

/// A page with the usual content.
const REHEARSAL: &str = include_str!("rehearsal.html");

/// A page, which is in this directory with its order.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Page {
    pub(super) scratch: PathBuf,
}

/// Whether it was printed.
pub(super) type Answer = Result<(), Outcome>;

/// The arguments of `worker html-zygote`.
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
        docmill_confine::hide_own_memory()?;
        // Children lay out pages on their only thread.
        let stack = sghtmltopdf::STACK_SIZE as u64;
        docmill_confine::limit(Resource::Stack, stack, stack)?;
        fonts::configure(&args.home, None, None)?;
        helper::serve(&mut PageHandler { home: &args.home, fonts: None }, replies, args.forked_by)
    })
}

struct PageHandler<'a> {
    home: &'a Path,
    fonts: Option<FontIndex>,
}

impl PageHandler<'_> {
    fn print(&self, directory: &Path) -> io::Result<Answer> {
        // The layout engine looks for the font configuration here.
        std::env::set_current_dir(directory)?;
        let order = render::read_order(directory)?;
        let shown = self.fonts.as_ref().and_then(|fonts| fonts.directories_for(&order.fonts));
        fonts::configure(directory, shown, order.own_fonts.as_deref())?;
        Ok(render::render(directory, &order).map_err(|(outcome, cause)| {
            eprintln!("failed: {cause}");
            outcome
        }))
    }
}

impl Handler for PageHandler<'_> {
    type Document = Page;
    type Answer = Answer;

    fn reads(&self) -> Vec<PathBuf> {
        vec![self.home.to_owned()]
    }

    fn home(&self) -> &Path {
        self.home
    }

    fn shared_room(&self) -> Option<&Path> {
        None
    }

    fn settle(&mut self) -> io::Result<()> {
        // Without it, pages are the same but take longer.
        let index = FontIndex::build(&self.home.join("fonts"));
        self.fonts = index.inspect_err(|error| eprintln!("all fonts for all pages: {error}")).ok();
        // Children inherit the memory that the helper allocates, populated before their page arrives.
        self.rehearse().or_else(|error| {
            eprintln!("without a rehearsal: {error}");
            Ok(())
        })
    }

    fn rehearse(&self) -> io::Result<()> {
        let directory = self.home.join("rehearsal");
        std::fs::create_dir_all(&directory)?;
        let mut needs = FontNeeds::default();
        ["helvetica", "arial"].iter().for_each(|family| needs.family(family));
        needs.text(REHEARSAL);
        render::write(&directory, REHEARSAL, &Order::rehearsal(needs))?;
        self.print(&directory)?.map_err(|outcome| io::Error::other(format!("the rehearsal: {outcome:?}")))?;
        std::env::set_current_dir(self.home)?;
        std::fs::remove_dir_all(directory)
    }

    fn convert(&self, page: Page) -> io::Result<Answer> {
        rustix::stdio::dup2_stderr(File::create(page.scratch.join(SAID))?)?;
        self.print(&page.scratch)
    }
}
