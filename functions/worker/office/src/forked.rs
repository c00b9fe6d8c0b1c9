//! A forked child of a warm LibreOffice for each document: as isolated as a fresh process, as fast as a warm one.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use docmill_confine::fork_server::helper::{Bounds, Reply, Request};
use docmill_confine::fork_server::{ForkServer, Startup};
use docmill_confine::{Confinement, End, Launcher, Network, Processes};
use docmill_domain::time::millis;
use docmill_fonts::NO_FONTS;
use docmill_fonts::substitutes::{Asker, write_configuration};
use tempfile::TempDir;

use super::document::{Answer, Document};
use super::fonts_log;
use super::profile::Installation;
use super::{ADDRESS_SPACE, Attempt, Order, TEMPORARY_BYTES};

const OPEN_FILES: u64 = 256;

/// Debian's paths of jemalloc, which makes LibreOffice's conversions 25 % faster.
const JEMALLOC: [&str; 2] =
    ["/usr/lib/x86_64-linux-gnu/libjemalloc.so.2", "/usr/lib/aarch64-linux-gnu/libjemalloc.so.2"];

#[derive(Debug)]
pub(super) struct Forked {
    server: ForkServer,
    memory_bytes: u64,
}

impl Forked {
    pub(super) fn new(launcher: Launcher, installation: Installation) -> Self {
        // Each start has its own directory, and the previous one is removed.
        let home = std::sync::Mutex::new(None);
        let memory_bytes = launcher.allowance([]).memory_bytes;
        let start = move |startup| {
            let fresh = TempDir::with_prefix("office-")?;
            let mut command = command(&launcher, &installation, fresh.path())?;
            if startup == Startup::Minimal {
                tracing::warn!("LibreOffice did not start: it is tried without UNO");
                command.arg("--without-uno");
            }
            *home.lock().map_err(|_poisoned| io::Error::other("an earlier start panicked"))? = Some(fresh);
            Ok(command)
        };
        Self { server: ForkServer::new(Box::new(start)), memory_bytes }
    }

    /// The memory limit of a child.
    pub(super) fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }

    pub(super) async fn get_ready(&self) -> io::Result<()> {
        self.server.get_ready().await
    }

    pub(super) async fn convert(&self, order: &Order<'_>) -> io::Result<Attempt> {
        let left = order.deadline.saturating_duration_since(Instant::now());
        let bounds = Bounds {
            directory: order.scratch.to_owned(),
            reads: order.fonts.reads(),
            timeout_ms: millis(left),
            address_space: ADDRESS_SPACE,
            cpu_seconds: 2 * left.as_secs() + 2,
            file_bytes: order.limits.output_bytes.max(TEMPORARY_BYTES),
            memory_bytes: self.memory_bytes,
        };
        let request = Request { bounds, document: document(order) };
        Ok(match self.server.ask::<_, Reply<Answer>>(&request, order.deadline).await?.noted() {
            Reply::Ready | Reply::Failed(_) => {
                return Err(io::Error::other("the helper sent a reply of the wrong kind"));
            }
            Reply::Answered(Answer::Unable) => {
                return Err(io::Error::other("LibreOfficeKit does not support this conversion"));
            }
            Reply::Answered(Answer::Written(notes)) => Attempt::Written(notes),
            Reply::Answered(Answer::NotLoaded) => Attempt::NotLoaded,
            Reply::Answered(Answer::NeedsPassword) => Attempt::NeedsPassword,
            Reply::Answered(Answer::WrongPassword) => Attempt::WrongPassword,
            Reply::Answered(Answer::NotSaved) => Attempt::NotSaved,
            Reply::Answered(Answer::NoSuchSheet(names)) => Attempt::NoSuchSheet(names),
            Reply::Exited(code) => Attempt::Ended(End::Exited(code)),
            Reply::Signaled(signal) => Attempt::Ended(End::Signaled(signal)),
            Reply::TimedOut => Attempt::Ended(End::TimedOut),
            Reply::Exceeded(excess) => Attempt::Ended(End::Exceeded(excess)),
        })
    }
}

fn document(order: &Order<'_>) -> Document {
    Document {
        source: order.source.clone(),
        import: order.import.clone().map(|(filter, options)| (filter.to_owned(), options)),
        model: order.model.map(|(model, filter)| (model, filter.to_owned())),
        encrypted: order.encrypted,
        password: order.password.clone(),
        output: order.output.clone(),
        export: order.export.clone(),
        fonts_log: order.fonts_log.clone(),
        rewrite: order.rewrite.map(|kind| (kind, order.scratch.join("rewritten"))),
        table: order.table.clone(),
        fits_rows: order.fits_rows,
        shows_cells: order.fits_rows && !order.has_range && order.export.extension == "pdf",
        landscape: order.landscape,
        changes: order.changes,
        fonts: order.fonts.files().to_vec(),
    }
}

fn command(launcher: &Launcher, installation: &Installation, home: &Path) -> io::Result<std::process::Command> {
    let profile = home.join("profile");
    let temporary = home.join("tmp");
    installation.write_profile(&profile)?;
    std::fs::create_dir(&temporary)?;
    // Its children get narrower limits for each document.
    let confinement = Confinement {
        address_space: Some(ADDRESS_SPACE),
        cpu_seconds: None,
        file_bytes: u64::MAX,
        open_files: OPEN_FILES,
        network: Network::Denied,
        processes: Processes::Forked,
        reads: vec![installation.directory()],
        // The parent of all jobs' directories. Each child is restricted to its own.
        writes: vec![std::env::temp_dir()],
    };
    let mut command = launcher.command(&confinement, launcher.worker(), home);
    // The helper's errors are logged if it does not start. Its children's are not.
    command.stderr(Stdio::inherit());
    command.arg("office-zygote").arg("--program").arg(&installation.program).arg("--home").arg(home);
    launcher.tell_helper(&mut command);
    let location = url::Url::from_directory_path(&profile).map_err(|()| io::Error::other("a path is not absolute"))?;
    command.env("UserInstallation", location.as_str().trim_end_matches('/'));
    command.env("CONFIGURATION_LAYERS", installation.read_only_layers()?);
    command.env("HOME", home).env("TMPDIR", &temporary).env("LC_ALL", "C.UTF-8");
    // No display, and no threads of LibreOffice's own.
    command.env("SAL_USE_VCLPLUGIN", "svp").env("SAL_LOK_OPTIONS", "unipoll");
    command
        .env("FONTCONFIG_FILE", write_configuration(home, Asker::LibreOffice(installation.emoji()), &NO_FONTS)?)
        .env("FC_DEBUG", fonts_log::LOG_MATCHES);
    if let Some(jemalloc) = JEMALLOC.iter().map(PathBuf::from).find(|path| path.exists()) {
        command.env("LD_PRELOAD", jemalloc);
        // Freed memory is kept for a second: small documents never wait for the system, and large ones don't accumulate memory.
        command.env("MALLOC_CONF", "narenas:1,dirty_decay_ms:1000,muzzy_decay_ms:0");
    }
    Ok(command)
}
