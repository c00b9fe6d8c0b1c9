//! Loaded models. Loading takes longer than reading a small picture, so models that a reader no longer needs wait for the next one.

use std::ffi::{CStr, CString, c_int};
use std::fmt;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use super::ffi::{Api, Handle};

/// Most instances that wait. A document needs two readers and the model for orientation.
const MOST_IDLE: usize = 3;

/// An instance of the library with its models.
pub(super) struct Models {
    pub(super) api: Api,
    pub(super) handle: Handle,
    languages: CString,
    engine: c_int,
}

// SAFETY: An instance has no ties to the thread that made it, and is used by one thread at a time: it is not `Sync`.
unsafe impl Send for Models {}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Models").field(&self.languages).finish()
    }
}

impl Drop for Models {
    fn drop(&mut self) {
        // SAFETY: It was created once and is deleted once; iterators borrow the reader, which owns this.
        unsafe { (self.api.TessBaseAPIDelete)(self.handle) };
    }
}

impl Models {
    /// Loads the models of these languages. `None` if one of them is not installed.
    fn load(api: Api, languages: &CStr, engine: c_int) -> Option<Self> {
        // SAFETY: It takes nothing. What it returns is deleted once, on drop.
        let handle = unsafe { (api.TessBaseAPICreate)() };
        let models = Self { api, handle, languages: languages.to_owned(), engine };
        // SAFETY: The text ends with a NUL and lives during the call. Without a path, the library looks where its package put the
        // models.
        let failed = unsafe { (api.TessBaseAPIInit2)(handle, ptr::null(), languages.as_ptr(), engine) };
        (failed == 0).then_some(models)
    }

    /// Forgets what it has learned from pictures.
    fn forget(&self) {
        // SAFETY: The instance is alive, and nothing borrows its results.
        unsafe {
            (self.api.TessBaseAPIClear)(self.handle);
            (self.api.TessBaseAPIClearAdaptiveClassifier)(self.handle);
        }
    }
}

/// Models that wait for a reader.
#[derive(Debug, Default)]
pub(super) struct Idle(Mutex<Vec<Models>>);

impl Idle {
    /// Models of these languages: waiting ones, or else new ones. `None` if one of the languages is not installed.
    pub(super) fn take(&self, api: Api, languages: &CStr, engine: c_int) -> Option<Models> {
        let fits = |models: &Models| models.engine == engine && models.languages.as_c_str() == languages;
        let waiting = {
            let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            idle.iter().position(fits).map(|at| idle.remove(at))
        };
        waiting.or_else(|| Models::load(api, languages, engine))
    }

    /// Keeps models for the next reader. If too many wait, those that have waited longest go.
    pub(super) fn put(&self, models: Models) {
        models.forget();
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(models);
        let gone = (idle.len() > MOST_IDLE).then(|| idle.remove(0));
        drop(idle);
        drop(gone);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
