//! The helper process that has LibreOffice loaded and warm.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::document::{Answer, Document};
use super::fonts_log;
use super::lok::{self, Office};
use super::uno::file_url;
use super::warm::WarmOffice;
use crate::confine;
use crate::engine::fork_server::helper::{self, Handler};
use crate::engine::fork_server::system;

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
