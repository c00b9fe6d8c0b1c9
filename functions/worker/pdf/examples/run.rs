//! Runs one tool: reads a request as JSON from standard input, and prints its outcome or failure as JSON. `run < request.json`;
//! exits with 1 if the tool failed.

use std::io::{self, Write};
use std::process::ExitCode;

use docmill_pdf::Engines;
use docmill_pdf_request::Request;

fn main() -> io::Result<ExitCode> {
    let request: Request = serde_json::from_reader(io::stdin().lock())?;
    let (answer, code) = match Engines::load().run(&request) {
        Ok(outcome) => (serde_json::to_value(outcome)?, ExitCode::SUCCESS),
        Err(failure) => (serde_json::to_value(failure)?, ExitCode::FAILURE),
    };
    writeln!(io::stdout(), "{answer}")?;
    Ok(code)
}
