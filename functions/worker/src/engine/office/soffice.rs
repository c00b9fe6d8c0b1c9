//! One fresh `soffice` process per document: slower than a warm one, and dependent on nothing but the installation.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::profile::Installation;
use super::{ADDRESS_SPACE, Attempt, Order};
use crate::confine::{Confinement, End, Launcher, Network, run};

const OPEN_FILES: u64 = 256;

/// Room for what LibreOffice unpacks into files, however small the output must be.
const TEMPORARY_BYTES: u64 = 256 << 20;

#[derive(Debug)]
pub(super) struct Soffice {
    launcher: Launcher,
    installation: Installation,
}

impl Soffice {
    pub(super) fn new(launcher: Launcher, installation: Installation) -> Self {
        Self { launcher, installation }
    }

    pub(super) async fn convert(&self, order: &Order<'_>) -> io::Result<Attempt> {
        // A profile of its own: no document sees what another one left behind.
        let profile = order.scratch.join("profile");
        self.installation.write_profile(&profile)?;
        let outcome = run(self.command(order, &profile)?, order.deadline).await?;
        // What it says is looked through for what it means, never passed on: a document may have shaped it.
        let says = |words: &str| outcome.stderr.contains(words);
        Ok(match outcome.end {
            // LibreOffice exits with 0 whether or not it wrote anything.
            End::Exited(0) if order.output.exists() => Attempt::Written,
            End::Exited(0) if says("source file could not be loaded") => Attempt::NotLoaded,
            End::Exited(0) => Attempt::NotSaved,
            end @ (End::Exited(_) | End::Signaled(_) | End::TimedOut) => Attempt::Ended(end),
        })
    }

    fn command(&self, order: &Order<'_>, profile: &Path) -> io::Result<Command> {
        // Not the `soffice` script: the processes it puts around LibreOffice have no use here.
        let program = self.installation.program.join("soffice.bin");
        let mut command = self.launcher.command(&confinement(order), &program, order.scratch);
        let location = url::Url::from_directory_path(profile).map_err(|()| {
            io::Error::new(io::ErrorKind::InvalidInput, "the scratch directory's path is not absolute")
        })?;
        command.env("HOME", profile).env("LC_ALL", "C.UTF-8").env("SAL_USE_VCLPLUGIN", "svp");
        command.arg(format!("-env:UserInstallation={location}"));
        command.args(["--headless", "--norestore", "--nolockcheck", "--nodefault"]);
        if let Some((filter, options)) = &order.import {
            command.arg(format!("--infilter={filter}:{options}"));
        }
        command.arg("--convert-to").arg(format!("pdf:{}:{}", order.export_filter, order.filter_data));
        command.arg("--outdir").arg(order.scratch).arg(OsString::from(&order.source));
        Ok(command)
    }
}

fn confinement(order: &Order<'_>) -> Confinement {
    let left = order.deadline.saturating_duration_since(Instant::now());
    Confinement {
        address_space: Some(ADDRESS_SPACE),
        // Some of LibreOffice's work is done by threads beside each other.
        cpu_seconds: Some(2 * left.as_secs() + 2),
        file_bytes: order.limits.output_bytes.max(TEMPORARY_BYTES),
        open_files: OPEN_FILES,
        network: Network::Denied,
    }
}
