//! The helper process that has LibreOffice loaded and warm.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::export::{Changes, Export};
use super::fonts_log::{self, Matches};
use super::import::Model;
use super::lok::{self, Office};
use super::rewrite;
use super::warm::WarmOffice;
use super::writing::Written;
use crate::confine;
use crate::engine::fork_server::helper::{self, Handler};
use crate::engine::fork_server::system;

/// One document. Paths are absolute; the helper does not look at what it is given any further.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Document {
    pub(super) source: PathBuf,
    /// Name and options of the import filter, for documents that don't say themselves how they are to be read.
    pub(super) import: Option<(String, String)>,
    /// What the document becomes, and the filter that reads it, if it takes no window.
    pub(super) model: Option<(Model, String)>,
    /// What it is, if it may take changes before it is read; they go into this directory.
    pub(super) rewrite: Option<(rewrite::Kind, PathBuf)>,
    /// Whether all pages are turned to landscape, or else to portrait.
    pub(super) landscape: Option<bool>,
    pub(super) changes: Changes,
    pub(super) encrypted: bool,
    pub(super) password: Option<String>,
    pub(super) output: PathBuf,
    pub(super) export: Export,
    /// Where fontconfig's log goes.
    pub(super) fonts_log: PathBuf,
    /// Files of fonts beside those of the system.
    pub(super) fonts: Vec<PathBuf>,
}

/// The outcome of a conversion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Answer {
    Written(Notes),
    NotLoaded,
    NeedsPassword,
    WrongPassword,
    NotSaved,
    /// The names of the sheets that there are.
    NoSuchSheet(Vec<String>),
    /// Only UNO supports this conversion, and it is not available.
    Unable,
}

/// Findings about a result, for its warnings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Notes {
    pub(super) losses: rewrite::Losses,
    /// The document has tracked changes.
    pub(super) changes: bool,
    /// Fonts that were looked for.
    pub(super) fonts: Matches,
    pub(super) written: Written,
}

/// The arguments of `worker office-zygote`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// LibreOffice's program directory.
    #[arg(long)]
    program: PathBuf,
    /// The helper's own directory: `profile` in it was prepared, `tmp` is LibreOffice's directory for temporary files.
    #[arg(long)]
    home: PathBuf,
    /// Have LibreOfficeKit alone convert: slower, and not dependent on UNO's binary interface.
    #[arg(long)]
    without_uno: bool,
}

/// Serves until standard input ends. Returns only what kept it from serving.
pub fn run(args: &Args) -> io::Error {
    match helper::take_stdout().and_then(|mut replies| helper::or_tell(&mut replies, |replies| serve(args, replies))) {
        Ok(()) => io::Error::other("LibreOffice ended by itself"),
        Err(error) => error,
    }
}

fn serve(args: &Args, replies: &mut File) -> io::Result<()> {
    let office = Office::start(&args.program, &file_url(&args.home.join("profile"))?)?;
    office.run(&mut |office| {
        // The loop inside ends with the process, or with what keeps it from going on: LibreOffice's own end is not waited for.
        let served = helper::or_tell(replies, |replies| serve_documents(office, args, replies));
        system::exit_now(i32::from(served.is_err()));
    });
    Err(io::Error::other("LibreOffice ended by itself"))
}

fn serve_documents(office: &Office, args: &Args, replies: &mut File) -> io::Result<()> {
    let office = WarmOffice::warm_up(office, &args.home, !args.without_uno)?;
    // The profile was read; what is there from now on could only be some document's.
    std::fs::remove_dir_all(args.home.join("profile"))?;
    // What this process has used to get here, and no child needs.
    system::drop_unchanged_pages()?;
    // Only now: a process that hides its memory can't read its own page map, unless it is root.
    confine::hide_own_memory()?;
    helper::serve(&mut OfficeHandler { office, args }, replies)
}

struct OfficeHandler<'a> {
    office: WarmOffice<'a>,
    args: &'a Args,
}

impl Handler for OfficeHandler<'_> {
    type Document = Document;
    type Answer = Answer;

    fn reads(&self) -> Vec<PathBuf> {
        vec![self.args.program.join("..")]
    }

    fn shared_room(&self) -> Option<&Path> {
        Some(&self.args.home)
    }

    /// From here on the heap of each child begins alike.
    fn settle(&mut self) -> io::Result<()> {
        self.office.complete_warm_up(&self.args.home)?;
        lok::return_freed_memory();
        Ok(())
    }

    fn rehearse(&self) -> io::Result<()> {
        self.office.rehearse(&self.args.home)
    }

    fn convert(&self, document: Document) -> io::Result<Answer> {
        rustix::stdio::dup2_stdout(File::create(&document.fonts_log)?)?;
        document.fonts.iter().try_for_each(|font| self.office.add_font(font))?;
        let mut word = self.office.convert(&document)?;
        system::flush_libraries_output();
        if let Answer::Written(notes) = &mut word {
            notes.fonts = fonts_log::read(&document.fonts_log)?;
        }
        Ok(word)
    }
}

pub(super) fn file_url(path: &Path) -> io::Result<String> {
    let url = url::Url::from_file_path(path).map_err(|()| io::Error::other("a path is not absolute"))?;
    Ok(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};

    use crate::engine::fork_server::helper::{Bounded, Reply, Request, next_line};

    #[test]
    fn fuzz_lines_between_worker_helper_and_child() {
        docmill_fuzz::fuzz("zygote-lines", &[], |bytes| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            file.rewind().unwrap();
            if let Ok(Some(line)) = next_line(&file) {
                let bounds = serde_json::from_slice::<Bounded>(&line);
                // The parent can parse every request that a child accepts.
                assert!(bounds.is_ok() || serde_json::from_slice::<Request<Document>>(&line).is_err());
                drop(serde_json::from_slice::<Reply<Answer>>(&line));
            }
        });
    }
}
