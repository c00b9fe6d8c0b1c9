//! Samples usage that the kernel's limits don't count in total: disk space over many files, memory over many processes.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use crate::scratch;

/// Interval between samples: the longest, for steady memory, and the shortest, for memory that would soon exceed the limit.
const LONGEST_INTERVAL: Duration = Duration::from_millis(100);
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);
/// Disk space is sampled less often, since it takes longer to measure and to fill.
const DISK_INTERVAL: Duration = Duration::from_millis(250);

/// Most disk space of one job: less than the smallest /tmp that the template allows.
const DISK_BYTES: u64 = 1536 << 20;
/// Kept free for the worker, even if deleted files still use space.
const SPARE_BYTES: u64 = 64 << 20;
/// Chromium runs fewer than ten, with all frames of a page in one.
const MOST_PROCESSES: u32 = 128;

/// Limits for a child and everything that it starts.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// Where it writes.
    pub directories: Vec<PathBuf>,
    /// In all files together.
    pub disk_bytes: u64,
    /// Of all processes together.
    pub memory_bytes: u64,
}

/// What there was too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Excess {
    /// Bytes in files.
    Disk,
    /// Bytes of memory.
    Memory,
    /// More processes than any conversion needs.
    Processes,
}

impl Allowance {
    /// With the usual limit for files.
    pub fn new(directories: impl IntoIterator<Item = PathBuf>, memory_bytes: u64) -> Self {
        Self { directories: directories.into_iter().collect(), disk_bytes: DISK_BYTES, memory_bytes }
    }

    /// Whether a crashed process had so much memory that lack of more is the likely reason.
    pub fn was_nearly_used_up(&self, peak_rss_bytes: u64) -> bool {
        peak_rss_bytes >= self.memory_bytes / 8 * 7
    }

    fn disk_is_exceeded(&self) -> io::Result<bool> {
        let mut used = 0;
        for directory in &self.directories {
            let Some(free) = gone_is_none(free_bytes(directory))? else { continue };
            used += match size_of(directory) {
                Err(error) if is_out_of_reach(&error) => return Ok(true),
                size => size?,
            };
            if free < SPARE_BYTES || used > self.disk_bytes {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The processes whose memory is sampled.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Watched {
    /// A child that can't start other processes.
    Process(Pid),
    /// A process group, which requires reading all processes of the machine.
    Group(Pid),
}

/// Samples the usage of a child and its processes, more often while memory grows.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    allowance: &'a Allowance,
    watched: Watched,
    /// Time and result of the last sample.
    seen: Option<(Instant, Usage)>,
    interval: Duration,
    disk_seen: Instant,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(allowance: &'a Allowance, watched: Watched) -> Self {
        Self { allowance, watched, seen: None, interval: SHORTEST_INTERVAL, disk_seen: Instant::now() }
    }

    /// The time until the next sample.
    pub(crate) fn interval(&self) -> Duration {
        self.interval
    }

    /// The last sample.
    pub(crate) fn last(&self) -> Usage {
        self.seen.map_or(Usage::default(), |(_, usage)| usage)
    }

    /// The limit that is exceeded, if any.
    pub(crate) fn excess(&mut self) -> io::Result<Option<Excess>> {
        let usage = match self.watched {
            Watched::Process(pid) => of_process(pid),
            Watched::Group(group) => of_group(group)?,
        };
        let Usage { processes, rss_bytes, .. } = usage;
        let now = Instant::now();
        let growth = |(at, before): (Instant, Usage)| {
            (now.saturating_duration_since(at), rss_bytes.saturating_sub(before.rss_bytes))
        };
        let grown = self.seen.map(growth);
        self.seen = Some((now, usage));
        if rss_bytes > self.allowance.memory_bytes {
            return Ok(Some(Excess::Memory));
        }
        if processes > MOST_PROCESSES {
            return Ok(Some(Excess::Processes));
        }
        self.interval = next_interval(self.interval, grown, self.allowance.memory_bytes - rss_bytes);
        if now.saturating_duration_since(self.disk_seen) < DISK_INTERVAL {
            return Ok(None);
        }
        self.disk_seen = now;
        Ok(self.allowance.disk_is_exceeded()?.then_some(Excess::Disk))
    }
}

/// A quarter of the time until memory runs out at the current growth; without growth, twice the last interval.
fn next_interval(last: Duration, grown: Option<(Duration, u64)>, left_bytes: u64) -> Duration {
    let next = match grown {
        Some((over, bytes)) if bytes > 0 => {
            let lasts = over.as_secs_f64() * (left_bytes as f64 / bytes as f64);
            Duration::try_from_secs_f64(lasts / 4.0).unwrap_or(LONGEST_INTERVAL)
        }
        Some(_) | None => last * 2,
    };
    next.clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL)
}

fn free_bytes(directory: &Path) -> io::Result<u64> {
    let system = rustix::fs::statvfs(directory)?;
    Ok(system.f_bavail.saturating_mul(system.f_frsize))
}

/// Bytes on disk below a directory that others change at the same time.
fn size_of(directory: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in gone_is_none(scratch::entries(directory))?.into_iter().flatten() {
        let Some(entry) = gone_is_none(entry)? else { continue };
        let Some(metadata) = gone_is_none(entry.metadata())? else { continue };
        // These blocks always have 512 bytes.
        bytes += metadata.blocks() * 512;
        if metadata.is_dir() {
            bytes += size_of(&entry.path())?;
        }
    }
    Ok(bytes)
}

/// Engines don't make directories that are too deep to measure or that change constantly, but a child under a document's control
/// might. This counts as exceeding the disk limit, because any other error would be ours.
fn is_out_of_reach(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let out_of_reach = [Errno::NAMETOOLONG, Errno::LOOP, Errno::NOTDIR, Errno::ACCESS, Errno::PERM];
    Errno::from_io_error(error).is_some_and(|error| out_of_reach.contains(&error))
}

fn gone_is_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The total usage of several processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    processes: u32,
    /// Shared pages count for each process.
    pub rss_bytes: u64,
    /// The largest process.
    pub largest_bytes: u64,
}

impl Usage {
    fn add(&mut self, pages: u64) {
        let bytes = pages * rustix::param::page_size() as u64;
        self.processes += 1;
        self.rss_bytes += bytes;
        self.largest_bytes = self.largest_bytes.max(bytes);
    }
}

/// Zero if it has ended.
fn of_process(pid: Pid) -> Usage {
    let mut usage = Usage::default();
    if let Some((_, pages)) = group_and_pages_of(&pid.as_raw_nonzero().to_string()) {
        usage.add(pages);
    }
    usage
}

/// The total usage of a process group. Processes that end during the count are left out.
fn of_group(group: Pid) -> io::Result<Usage> {
    let mut usage = Usage::default();
    for entry in std::fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(name) = name.to_str().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())) else { continue };
        if let Some((of, pages)) = group_and_pages_of(name)
            && of == group.as_raw_nonzero().get()
        {
            usage.add(pages);
        }
    }
    Ok(usage)
}

fn group_and_pages_of(process: &str) -> Option<(i32, u64)> {
    group_and_pages(&std::fs::read_to_string(Path::new("/proc").join(process).join("stat")).ok()?)
}

/// Fields 5 and 24 of proc(5)'s stat. The name in field 2 may contain spaces and parentheses.
fn group_and_pages(stat: &str) -> Option<(i32, u64)> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields.get(2)?.parse().ok()?, fields.get(21)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disk_space_is_counted_over_all_files_and_directories() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("deep")).unwrap();
        std::fs::write(directory.path().join("deep/one"), vec![1; 100_000]).unwrap();
        std::fs::write(directory.path().join("two"), vec![1; 100_000]).unwrap();
        let exceeded = |disk_bytes| {
            let allowance = Allowance { disk_bytes, ..Allowance::new([directory.path().to_owned()], u64::MAX) };
            allowance.disk_is_exceeded().unwrap()
        };
        assert!(exceeded(150_000) && !exceeded(1 << 20));
        let deep = directory.path().join("deep");
        std::fs::set_permissions(&deep, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
        assert!(exceeded(150_000), "unreadable directories of a child are counted too");
        let gone = Allowance::new([PathBuf::from("/nowhere")], u64::MAX);
        assert!(!gone.disk_is_exceeded().unwrap(), "deleted files take no space");
    }

    #[test]
    fn directories_too_deep_to_measure_exceed_the_limit() {
        let scratch = scratch::Scratch::new().unwrap();
        let name = "n".repeat(200);
        let mut directory =
            rustix::fs::open(scratch.path(), rustix::fs::OFlags::PATH, rustix::fs::Mode::empty()).unwrap();
        for _ in 0..30 {
            rustix::fs::mkdirat(&directory, &name, rustix::fs::Mode::RWXU).unwrap();
            let flags = rustix::fs::OFlags::PATH;
            directory = rustix::fs::openat(&directory, &name, flags, rustix::fs::Mode::empty()).unwrap();
        }
        let allowance = Allowance::new([scratch.path().to_owned()], u64::MAX);
        assert!(allowance.disk_is_exceeded().unwrap());
    }

    #[test]
    fn a_group_is_recognised_by_id_and_not_by_process_names() {
        assert_eq!(group_and_pages("7 (a) b) S 1 42 42 0 -1 4 1 2 3 4 5 6 7 8 9 10 11 12 13 900 17"), Some((42, 17)));
        let own = rustix::process::getpgrp();
        let usage = of_group(own).unwrap();
        assert!(usage.processes >= 1 && usage.rss_bytes > 1 << 20, "{usage:?}");
        let little = Allowance::new([], 1 << 20);
        assert_eq!(Watch::new(&little, Watched::Group(own)).excess().unwrap(), Some(Excess::Memory));
        let this = Watched::Process(rustix::process::getpid());
        assert_eq!(Watch::new(&little, this).excess().unwrap(), Some(Excess::Memory));
    }

    #[test]
    fn a_process_that_has_ended_uses_nothing() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = Pid::from_child(&child);
        child.wait().unwrap();
        assert_eq!(of_process(pid), Usage::default());
    }

    #[test]
    fn fast_growing_memory_is_sampled_sooner() {
        let moment = Duration::from_millis(20);
        assert_eq!(next_interval(moment, None, 1 << 30), 2 * moment);
        assert_eq!(next_interval(moment, Some((moment, 0)), 1 << 30), 2 * moment);
        assert_eq!(next_interval(LONGEST_INTERVAL, Some((moment, 0)), 1 << 30), LONGEST_INTERVAL);
        // One gigabyte is left, which lasts for 160 ms.
        assert_eq!(next_interval(LONGEST_INTERVAL, Some((moment, 128 << 20)), 1 << 30), 2 * moment);
        assert_eq!(next_interval(LONGEST_INTERVAL, Some((moment, 1 << 30)), 1 << 20), SHORTEST_INTERVAL);
        assert_eq!(next_interval(moment, Some((Duration::MAX, 1)), u64::MAX / 2), LONGEST_INTERVAL);
    }
}
