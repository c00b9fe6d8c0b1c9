//! The worker's binary: the Lambda function, the door for converting without AWS, and the helpers it starts of itself.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "worker", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Convert one source to PDF, without AWS.
    Convert(worker::convert_command::Args),
    /// Take limits upon this process and become another program.
    #[command(hide = true)]
    Confine(worker::confine::Args),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Some(Command::Convert(args)) => worker::convert_command::run(&args),
        Some(Command::Confine(args)) => confine(args),
        None => ExitCode::FAILURE,
    }
}

fn confine(args: worker::confine::Args) -> ExitCode {
    let error = worker::confine::exec(args);
    eprintln!("not confined, and so not run: {error}");
    ExitCode::from(worker::confine::NOT_CONFINED)
}
