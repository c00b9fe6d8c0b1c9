//! The few system calls that a forking helper needs and that have no safe wrapper.

#![allow(unsafe_code, reason = "fork and memory advice have no safe form")]

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr;

use rustix::process::Pid;

use super::memory::{self, Span, Usage};

/// The side of a fork.
#[derive(Debug)]
pub(crate) enum Fork {
    Child,
    Parent(Pid),
}

/// Forks this process, which must have no other threads: they would be missing in the child, which could wait for them forever.
pub(crate) fn fork() -> io::Result<Fork> {
    let threads = std::fs::read_dir("/proc/self/task")?.count();
    if threads != 1 {
        return Err(io::Error::other(format!("{threads} threads: not forking")));
    }
    flush_libraries_output();
    // SAFETY: without other threads, no state in the child can depend on a missing thread.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        child => Pid::from_raw(child).map(Fork::Parent).ok_or_else(|| io::Error::other("fork returned no process")),
    }
}

/// Waits for a child to end. Returns its exit status and its peak memory in bytes.
pub(crate) fn reap(child: Pid) -> io::Result<(ExitStatus, u64)> {
    let mut status = 0;
    // SAFETY: zeros are valid for this structure of numbers.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both references are valid during the call.
        if unsafe { libc::wait4(child.as_raw_nonzero().get(), &mut status, 0, &mut used) } >= 0 {
            let kilobytes = u64::try_from(used.ru_maxrss).unwrap_or_default();
            return Ok((ExitStatus::from_raw(status), kilobytes << 10));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Flushes the output buffers of C libraries. A fork would write them twice, and `_exit` never.
pub fn flush_libraries_output() {
    // SAFETY: a null pointer means all streams. A failed write to a log does not matter.
    unsafe { libc::fflush(ptr::null_mut()) };
}

/// Exits at once, without running the exit handlers of libraries or the parent.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: has no preconditions.
    unsafe { libc::_exit(code) }
}

/// Makes the kernel copy or map a run of pages at once rather than page by page.
/// This only makes a child faster: kernels before 5.14 don't support it, and failures don't matter.
pub(crate) fn populate(span: &Span) {
    let advice = match span.usage {
        Usage::Read => libc::MADV_POPULATE_READ,
        Usage::Written => libc::MADV_POPULATE_WRITE,
    };
    // SAFETY: populating changes no content, and unmapped or read-only memory is refused.
    unsafe { libc::madvise(ptr::with_exposed_provenance_mut(span.start), span.length, advice) };
}

/// Drops this process's pages that equal files. They are read again when needed. The process must not hide its memory, or must be
/// root.
///
/// # Errors
/// If the list of mappings can't be read.
pub fn drop_unchanged_pages() -> io::Result<()> {
    for mapping in memory::unchanged_mappings()? {
        // SAFETY: this single-threaded process has just read from the kernel that the mapping is private, read-only, and equal to
        // its file.
        unsafe { drop_pages(mapping) };
    }
    Ok(())
}

/// # Safety
/// The mapping must be of a file and have no changed pages: their content would be lost.
unsafe fn drop_pages((start, length): (usize, usize)) {
    // SAFETY: the caller guarantees that every page can be read from the file again. Unmapped memory is refused.
    unsafe { libc::madvise(ptr::with_exposed_provenance_mut(start), length, libc::MADV_DONTNEED) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_with_threads_is_not_forked() {
        // The test runner has enough threads of its own.
        assert!(fork().is_err());
    }
}
