//! The few system calls that a forking helper needs and that have no safe form.

#![allow(unsafe_code, reason = "fork and memory advice have no safe form")]

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr;

use rustix::process::Pid;

use super::memory::{self, Span, Usage};

/// On which side of a fork one is.
#[derive(Debug)]
pub(crate) enum Fork {
    Child,
    Parent(Pid),
}

/// Forks this process, which must have no other thread: the child would not have it, and might wait for it for ever.
pub(crate) fn fork() -> io::Result<Fork> {
    let threads = std::fs::read_dir("/proc/self/task")?.count();
    if threads != 1 {
        return Err(io::Error::other(format!("{threads} threads: not forking")));
    }
    flush_libraries_output();
    // SAFETY: without other threads, nothing in the child can be in a state that only a lost thread could leave.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        child => Pid::from_raw(child).map(Fork::Parent).ok_or_else(|| io::Error::other("fork returned no process")),
    }
}

/// Waits for the end of a child of this process: how it ended, and the most memory that it had, in bytes.
pub(crate) fn reap(child: Pid) -> io::Result<(ExitStatus, u64)> {
    let mut status = 0;
    // SAFETY: all zeros are a value of this structure of numbers.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both places live as long as the call.
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

/// Writes out what C libraries have buffered for their output; a fork would have it written twice, an exit never.
pub(crate) fn flush_libraries_output() {
    // SAFETY: a null pointer stands for all streams. Failing to write a log has no consequence.
    unsafe { libc::fflush(ptr::null_mut()) };
}

/// Ends this process at once: nothing that a library or the parent registered for the end of the process runs.
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: has no preconditions.
    unsafe { libc::_exit(code) }
}

/// Has the kernel copy or map a run of pages at once, which a forked child would otherwise do page by page.
/// It only makes a child faster: kernels before 5.14 don't know it, and no failure matters.
pub(crate) fn populate(span: &Span) {
    let advice = match span.usage {
        Usage::Read => libc::MADV_POPULATE_READ,
        Usage::Written => libc::MADV_POPULATE_WRITE,
    };
    // SAFETY: populating changes no content; what is not mapped, or not writable, is refused.
    unsafe { libc::madvise(ptr::with_exposed_provenance_mut(span.start), span.length, advice) };
}

/// Drops the pages of this process that are exactly as they are in files: they fault back in when they are needed again.
/// This process must not hide its memory, or be root.
pub(crate) fn drop_unchanged_pages() -> io::Result<()> {
    for mapping in memory::unchanged_mappings()? {
        // SAFETY: this process, which has one thread, has just read from the kernel that the mapping is private, can't be
        // written, and holds no page that differs from its file.
        unsafe { drop_pages(mapping) };
    }
    Ok(())
}

/// # Safety
/// The mapping must be of a file, and no page of it changed: what it holds is lost otherwise.
unsafe fn drop_pages((start, length): (usize, usize)) {
    // SAFETY: by the caller's promise, every page can be had from the file again. What is not mapped is refused.
    unsafe { libc::madvise(ptr::with_exposed_provenance_mut(start), length, libc::MADV_DONTNEED) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_with_threads_is_not_forked() {
        // The test runner's own threads are enough.
        assert!(fork().is_err());
    }
}
