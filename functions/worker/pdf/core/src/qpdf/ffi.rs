//! libqpdf's job interface, bound by name at run time: `qpdf/qpdfjob-c.h` and `qpdf/qpdflogger-c.h` of qpdf 11 and 12.

#![allow(unsafe_code, reason = "a C interface has no safe form")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use libloading::Library;

use crate::library::first;

/// Debian 13 and Debian 12.
pub(super) const NAMES: [&str; 2] = ["libqpdf.so.30", "libqpdf.so.29"];
/// `qpdf_log_dest_custom`.
const CUSTOM: c_int = 4;
/// More than any message that is read. A hostile file can cause a warning for each object.
const LOG_BYTES: usize = 64 << 10;

type Handle = *mut c_void;
type LogFunction = extern "C" fn(*const c_char, usize, *mut c_void) -> c_int;
type SetLog = unsafe extern "C" fn(Handle, c_int, Option<LogFunction>, *mut c_void);

/// The functions, valid as long as the library, which is never unloaded.
pub(super) struct Functions {
    job_init: unsafe extern "C" fn() -> Handle,
    job_from_json: unsafe extern "C" fn(Handle, *const c_char) -> c_int,
    job_run: unsafe extern "C" fn(Handle) -> c_int,
    job_cleanup: unsafe extern "C" fn(*mut Handle),
    job_set_logger: unsafe extern "C" fn(Handle, Handle),
    logger_create: unsafe extern "C" fn() -> Handle,
    logger_cleanup: unsafe extern "C" fn(*mut Handle),
    set_info: SetLog,
    set_warn: SetLog,
    set_error: SetLog,
    _library: Library,
}

/// How a job ended.
pub(super) struct Ended {
    pub(super) exit: c_int,
    /// Whether the job was valid and has run.
    pub(super) ran: bool,
    /// What it printed.
    pub(super) info: Vec<u8>,
    /// Its warnings and errors.
    pub(super) messages: Vec<u8>,
}

impl Functions {
    pub(super) fn load() -> Result<Self, String> {
        first(&NAMES, Self::load_from).map_err(|causes| format!("no libqpdf: {causes}"))
    }

    fn load_from(name: &str) -> Result<Self, libloading::Error> {
        // SAFETY: libqpdf's initialisers only set up its own tables, and each symbol has the type that its header declares.
        unsafe {
            let library = Library::new(name)?;
            Ok(Self {
                job_init: *library.get(c"qpdfjob_init")?,
                job_from_json: *library.get(c"qpdfjob_initialize_from_json")?,
                job_run: *library.get(c"qpdfjob_run")?,
                job_cleanup: *library.get(c"qpdfjob_cleanup")?,
                job_set_logger: *library.get(c"qpdfjob_set_logger")?,
                logger_create: *library.get(c"qpdflogger_create")?,
                logger_cleanup: *library.get(c"qpdflogger_cleanup")?,
                set_info: *library.get(c"qpdflogger_set_info")?,
                set_warn: *library.get(c"qpdflogger_set_warn")?,
                set_error: *library.get(c"qpdflogger_set_error")?,
                _library: library,
            })
        }
    }

    /// Runs a job to its end.
    pub(super) fn run(&self, json: &CStr) -> Ended {
        let (mut info, mut messages) = (Vec::new(), Vec::new());
        // SAFETY: the handles come from libqpdf and are freed once, the job before the logger. Both buffers outlive the job,
        // which only calls `append` on this thread. No C++ exceptions leave these functions.
        let (exit, ran) = unsafe {
            let mut logger = (self.logger_create)();
            (self.set_info)(logger, CUSTOM, Some(append), ptr::from_mut(&mut info).cast());
            (self.set_warn)(logger, CUSTOM, Some(append), ptr::from_mut(&mut messages).cast());
            (self.set_error)(logger, CUSTOM, Some(append), ptr::from_mut(&mut messages).cast());
            let mut job = (self.job_init)();
            (self.job_set_logger)(job, logger);
            let understood = (self.job_from_json)(job, json.as_ptr());
            let exit = if understood == 0 { (self.job_run)(job) } else { understood };
            (self.job_cleanup)(&raw mut job);
            (self.logger_cleanup)(&raw mut logger);
            (exit, understood == 0)
        };
        Ended { exit, ran, info, messages }
    }
}

/// Collects libqpdf's log. `buffer` is the registered `Vec<u8>`.
extern "C" fn append(data: *const c_char, length: usize, buffer: *mut c_void) -> c_int {
    if data.is_null() || length == 0 {
        return 0;
    }
    // SAFETY: libqpdf passes `length` readable bytes, and the buffer registered in `run`, which nothing else uses meanwhile.
    let (data, buffer) =
        unsafe { (std::slice::from_raw_parts(data.cast::<u8>(), length), &mut *buffer.cast::<Vec<u8>>()) };
    let room = LOG_BYTES.saturating_sub(buffer.len());
    buffer.extend_from_slice(data.get(..room).unwrap_or(data));
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_cannot_be_used_is_named_with_its_cause() {
        let names = ["/nowhere/libqpdf.so", "libc.so.6"];
        let cause = first(&names, Functions::load_from).err().unwrap_or_default();
        assert!(cause.starts_with("/nowhere/libqpdf.so: dlopen failed: "), "{cause}");
        assert!(cause.contains("No such file") && cause.contains("; libc.so.6: dlsym failed: "), "{cause}");
        assert!(cause.contains("qpdfjob_init"), "{cause}");
    }

    #[test]
    fn messages_are_kept_up_to_a_limit_and_may_be_nothing() {
        let mut buffer = Vec::new();
        let place = ptr::from_mut(&mut buffer).cast();
        let (text, long) = (b"\xFFend", vec![b'x'; LOG_BYTES]);
        assert_eq!(append(ptr::null(), 0, place), 0);
        assert_eq!(append(text.as_ptr().cast(), 0, place), 0);
        assert_eq!(append(text.as_ptr().cast(), text.len(), place), 0);
        assert_eq!(append(long.as_ptr().cast(), long.len(), place), 0);
        assert_eq!((buffer.len(), &buffer[..5]), (LOG_BYTES, b"\xFFendx".as_slice()));
    }

    #[test]
    fn a_job_that_is_not_one_ends_with_an_error() {
        let functions = Functions::load().unwrap();
        for job in [c"", c"{", c"[]", c"{\"noSuchOption\": \"\"}", c"{\"inputFile\": \"\xFF\xFE\"}"] {
            let ended = functions.run(job);
            assert!(ended.exit != 0 && !ended.ran && !ended.messages.is_empty(), "{job:?}");
        }
    }
}
