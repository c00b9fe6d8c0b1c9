//! The program `docmill`.

use std::process::ExitCode;

fn main() -> ExitCode {
    docmill_cli::main()
}
