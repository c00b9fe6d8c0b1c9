//! The functions by their names, for tests: `functions::get_job::handle`.

include!(concat!(env!("OUT_DIR"), "/libraries.rs"));
