//! The few system calls that a forking helper needs and that have no safe form.

#![allow(unsafe_code, reason = "fork and memory advice have no safe form")]

use std::io;
use std::ptr;

use rustix::process::Pid;

use super::memory::{Span, Usage};

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

/// Lets go of memory that is exactly as it is in a file: it comes back from there when it is needed again.
pub(crate) fn let_go((start, length): (usize, usize)) {
    // SAFETY: the caller's promise, in private mappings that nobody can write; what is not mapped is refused.
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
