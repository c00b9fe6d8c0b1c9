//! Runs the function after which this program is named, as its own program would: the local stack links one program under each
//! function's name. What is deployed is a program for each function.

use std::path::Path;
use std::process::ExitCode;

/// How the `main` of a function ends.
type Ended = Result<(), lambda_runtime::Error>;

/// The `main` of each function, by its name. Made by `build.rs`.
mod functions {
    include!(concat!(env!("OUT_DIR"), "/functions.rs"));
}

fn main() -> ExitCode {
    let program = std::env::args_os().next().unwrap_or_default();
    let name = Path::new(&program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(run) = functions::function(name) else {
        eprintln!("local-functions: link this program under the name of a function, such as get-job, and run that");
        return ExitCode::FAILURE;
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // As Rust reports the error of a `main`.
            eprintln!("Error: {error:?}");
            ExitCode::FAILURE
        }
    }
}
