//! A fresh `soffice` process for each document: slower than a warm one, but it only needs the installation.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use docmill_confine::{Confinement, End, Launcher, Network, Processes, run, scratch};
use docmill_domain::job::Warning;
use docmill_fonts::substitutes::{Asker, write_configuration};
use tempfile::TempDir;

use super::document::Notes;
use super::export::{Export, Settings};
use super::profile::Installation;
use super::{ADDRESS_SPACE, Attempt, Order, TEMPORARY_BYTES};

const OPEN_FILES: u64 = 256;

/// How a document is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// In a child of the warm LibreOffice.
    Warm,
    /// The child crashed: in a fresh process, if that can do what is asked for.
    Fresh,
}

impl Way {
    pub(super) fn is_fresh(self, order: &Order<'_>) -> bool {
        self == Self::Fresh && Soffice::refusal(order).is_none()
    }

    /// A warning about what a fresh process does not do.
    pub(super) fn warning(self, order: &Order<'_>) -> Option<Warning> {
        let message = "LibreOffice crashed on this document, so it was converted in a simpler way: tracked changes are as they were \
            saved, known differences from Microsoft Office are not repaired, and missing fonts are not reported.";
        self.is_fresh(order).then(|| Warning::new("simplified_conversion", message))
    }
}

#[derive(Debug)]
pub(super) struct Soffice {
    launcher: Launcher,
    installation: Installation,
}

impl Soffice {
    pub(super) fn new(launcher: Launcher, installation: Installation) -> Self {
        Self { launcher, installation }
    }

    /// What an order asks for that the command line does not support.
    fn refusal(order: &Order<'_>) -> Option<&'static str> {
        if order.encrypted && order.password.is_some() {
            Some("soffice takes no password")
        } else if order.export.encoding.is_some() {
            Some("soffice writes no sheets or texts as they are asked for")
        } else if order.landscape.is_some() {
            Some("soffice turns no pages")
        } else {
            None
        }
    }

    /// Prints documents without the usual repairs.
    pub(super) async fn convert(&self, order: &Order<'_>) -> io::Result<Attempt> {
        if let Some(refusal) = Self::refusal(order) {
            return Err(io::Error::new(io::ErrorKind::Unsupported, refusal));
        }
        // A separate profile, so that nothing remains from other documents. The directory's name is new too, since a helper's
        // child may have had this document before.
        let directory = TempDir::with_prefix_in("afresh-", order.scratch)?.keep();
        let profile = directory.join("profile");
        self.installation.write_profile(&profile)?;
        // Only contains files that LibreOffice wrote.
        let out = directory.join("written");
        let allowance = self.launcher.allowance([order.scratch.to_owned()]);
        let outcome = run(self.command(order, &profile, &out)?, order.deadline, allowance).await?;
        remove_sockets()?;
        // Its output is only analysed, never passed on, since a document may have influenced it.
        let written = out.join(order.source.file_name().unwrap_or_default()).with_extension(&order.export.extension);
        let says = |words: &str| outcome.stderr.contains(words);
        Ok(match outcome.end {
            // LibreOffice exits with 0 even if it wrote nothing.
            End::Exited(0) if scratch::open_written(&written).is_ok() => {
                scratch::place(&written, &order.output)?;
                Attempt::Written(Notes::default())
            }
            End::Exited(0) if says("source file could not be loaded") && order.encrypted => Attempt::NeedsPassword,
            End::Exited(0) if says("source file could not be loaded") => Attempt::NotLoaded,
            End::Exited(0) => Attempt::NotSaved,
            end @ (End::Exited(_) | End::Signaled(_) | End::TimedOut | End::Exceeded(_)) => Attempt::Ended(end),
        })
    }

    fn command(&self, order: &Order<'_>, profile: &Path, out: &Path) -> io::Result<Command> {
        // Not the `soffice` script, whose additional processes are not needed.
        let program = self.installation.program.join("soffice.bin");
        let mut command = self.launcher.command(&self.confinement(order), &program, order.scratch);
        let location = url::Url::from_directory_path(profile).map_err(|()| {
            io::Error::new(io::ErrorKind::InvalidInput, "the scratch directory's path is not absolute")
        })?;
        command.env("HOME", profile).env("LC_ALL", "C.UTF-8").env("SAL_USE_VCLPLUGIN", "svp");
        let asker = Asker::LibreOffice(self.installation.emoji());
        command.env("FONTCONFIG_FILE", write_configuration(profile, asker, order.fonts)?);
        command.arg(format!("-env:UserInstallation={location}"));
        // For its socket if /tmp is read-only: LibreOffice 25 does not run without one.
        command.arg(format!("-env:OSL_SOCKET_PATH={}", order.scratch.display()));
        command.args(["--headless", "--norestore", "--nolockcheck", "--nodefault"]);
        if let Some((filter, options)) = &order.import {
            command.arg(format!("--infilter={filter}:{options}"));
        }
        let Export { extension, filter, settings, .. } = &order.export;
        let (Settings::Data(settings) | Settings::Options(settings)) = settings;
        command.arg("--convert-to").arg(format!("{extension}:{filter}:{settings}"));
        command.arg("--outdir").arg(out).arg(OsString::from(&order.source));
        Ok(command)
    }

    fn confinement(&self, order: &Order<'_>) -> Confinement {
        let left = order.deadline.saturating_duration_since(Instant::now());
        Confinement {
            address_space: Some(ADDRESS_SPACE),
            // LibreOffice uses some threads in parallel.
            cpu_seconds: Some(2 * left.as_secs() + 2),
            file_bytes: order.limits.output_bytes.max(TEMPORARY_BYTES),
            open_files: OPEN_FILES,
            network: Network::Unconnected,
            processes: Processes::None,
            reads: [vec![self.installation.directory()], order.fonts.reads()].concat(),
            writes: Vec::new(),
        }
    }
}

/// Removes the socket for later documents, which LibreOffice requires but may not be allowed to remove. Nobody connects to one,
/// so other LibreOffice processes don't miss theirs.
fn remove_sockets() -> io::Result<()> {
    for entry in std::fs::read_dir("/tmp")? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("OSL_PIPE_") && entry.file_type()?.is_socket() {
            match std::fs::remove_file(entry.path()) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}
