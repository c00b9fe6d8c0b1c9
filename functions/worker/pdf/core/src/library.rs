//! C libraries that are bound by name.

use std::error::Error;

/// The first usable library, or why none can be used.
pub(crate) fn first<T>(names: &[&str], open: impl Fn(&str) -> Result<T, libloading::Error>) -> Result<T, String> {
    let mut causes = Vec::new();
    for name in names {
        match open(name) {
            Ok(library) => return Ok(library),
            Err(error) => causes.push(format!("{name}: {}", in_full(&error))),
        }
    }
    Err(causes.join("; "))
}

/// An error with its source, which contains the system's message.
fn in_full(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}
