//! The helper process with a warm LibreOffice.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use docmill_confine::ForkedBy;
use docmill_confine::fork_server::helper::{self, Handler};
use docmill_confine::fork_server::system;

use super::document::{Answer, Document};
use super::fonts_log;
use super::lok::{self, Office};
use super::profile::Installation;
use super::uno::file_url;
use super::warm::WarmOffice;

/// The arguments of `worker office-zygote`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// LibreOffice's program directory.
    #[arg(long)]
    program: PathBuf,
    /// The helper's own directory: `profile` is prepared, and `tmp` is for LibreOffice's temporary files.
    #[arg(long)]
    home: PathBuf,
    /// Only use LibreOfficeKit: slower, but independent of UNO's binary interface.
    #[arg(long)]
    without_uno: bool,
    #[command(flatten)]
    forked_by: ForkedBy,
}

/// Serves until standard input ends. Only returns an error that prevents it.
pub fn run(args: &Args) -> io::Error {
    match helper::take_stdout().and_then(|mut replies| helper::or_tell(&mut replies, |replies| serve(args, replies))) {
        Ok(()) => io::Error::other("LibreOffice ended by itself"),
        Err(error) => error,
    }
}

fn serve(args: &Args, replies: &mut File) -> io::Result<()> {
    let office = Office::start(&args.program, &file_url(&args.home.join("profile"))?)?;
    office.run(&mut |office| {
        // The loop ends with the process or with an error; LibreOffice's own shutdown is not awaited.
        let served = helper::or_tell(replies, |replies| serve_documents(office, args, replies));
        system::exit_now(i32::from(served.is_err()));
    });
    Err(io::Error::other("LibreOffice ended by itself"))
}

fn serve_documents(office: &Office, args: &Args, replies: &mut File) -> io::Result<()> {
    let reader = Installation::read(&args.program)?.reader();
    let office = WarmOffice::warm_up(office, reader, &args.home, !args.without_uno)?;
    // The profile was read. Later files in its place could only come from a document.
    std::fs::remove_dir_all(args.home.join("profile"))?;
    // Drops pages that were only needed for the start.
    system::drop_unchanged_pages()?;
    // Done last: a process that hides its memory can't read its own page map, unless it is root.
    docmill_confine::hide_own_memory()?;
    helper::serve(&mut OfficeHandler { office, args }, replies, args.forked_by)
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

    fn home(&self) -> &Path {
        &self.args.home
    }

    fn shared_room(&self) -> Option<&Path> {
        Some(&self.args.home)
    }

    /// From here on, every child starts with the same heap.
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
            notes.fonts = fonts_log::read(&document.fonts_log, &document.output)?;
        }
        Ok(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};

    use docmill_confine::fork_server::helper::{Bounded, Reply, Request, next_line};

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
