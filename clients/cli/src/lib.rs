//! `docmill`: converts documents from the command line.
//!
//! `args` says what can be typed, `plan` what it means, `run` does it, and `verbs` has everything else.

pub mod api;
pub mod args;
pub mod catalogue;
pub mod config;
pub mod credentials;
pub mod failure;
pub mod folders;
pub mod journal;
pub mod key;
pub mod made;
pub mod plan;
pub mod pointer;
pub mod report;
pub mod run;
pub mod verbs;

use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches};

use crate::args::tool::ToolArgs;
use crate::args::{Cli, Globals, Verb};
use crate::failure::{Exit, Failure, Outcome};

/// The whole command.
pub fn main() -> ExitCode {
    // clap only does this itself while no variable sets an option.
    if std::env::args_os().len() < 2 {
        return verbs::manual::help();
    }
    let matches = args::command().get_matches();
    // One thread: it mostly waits, and files are read and written on others.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(dispatch(&matches)),
        Err(error) => Err(Failure::machine(format!("Starting: {error}"))),
    };
    plan::inputs::forget_standard_input();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say(&failure, matches.try_get_one::<bool>("json").is_ok_and(|json| json == Some(&true)));
            failure.exit.into()
        }
    }
}

fn say(failure: &Failure, is_json: bool) {
    if is_json {
        report::to_stderr(
            &serde_json::json!({"type": "error", "error": failure.view(), "exitCode": failure.exit.code()}).to_string(),
        );
    } else if failure.exit == Exit::Interrupted {
        report::to_stderr(&failure.to_string());
    } else {
        report::to_stderr(&format!("Error: {failure}"));
    }
}

async fn dispatch(matches: &ArgMatches) -> Outcome<()> {
    let wrong = |error: clap::Error| Failure::usage(error.to_string());
    if let Some((name, of_tool)) = matches.subcommand()
        && let Some(tool) = catalogue::find(name)
    {
        let args = ToolArgs::read(tool, of_tool)?;
        let globals = Globals::read(matches).map_err(wrong)?;
        let stored = verbs::templates::formats(&args.files, &globals).await?;
        return run::run(plan::of_tool(&args, &stored)?, &globals, &args.job).await;
    }
    let Cli { globals, verb } = Cli::from_arg_matches(matches).map_err(wrong)?;
    match verb {
        Verb::Convert(args) => run::run(plan::route::plan(&args)?, &globals, &args.job).await,
        Verb::Run(args) => verbs::pipeline::run(&args, &globals).await,
        Verb::Watch(args) => verbs::watch::run(&args, &globals).await,
        Verb::Jobs(verb) => verbs::jobs::run(verb, &globals).await,
        Verb::Receipt { job } => verbs::receipts::show(&job, &globals).await,
        Verb::VerifyReceipt(args) => verbs::receipts::check(&args, &globals).await,
        Verb::Batches(verb) => verbs::batches::run(verb, &globals).await,
        Verb::Events(args) => verbs::events::run(&args, &globals).await,
        Verb::Listen(args) => verbs::listen::run(&args, &globals).await,
        Verb::Tools(args) => verbs::tools::run(&args, &globals).await,
        Verb::Usage => verbs::usage::run(&globals).await,
        Verb::Fonts(verb) => verbs::fonts::run(verb, &globals).await,
        Verb::Templates(verb) => verbs::templates::run(verb, &globals).await,
        Verb::Webhooks(verb) => verbs::webhooks::run(verb, &globals).await,
        Verb::Mcp(args) => verbs::mcp::run(&args, &globals).await,
        Verb::Login(args) => verbs::login::run(&args, &globals).await,
        Verb::Logout => verbs::login::forget(&globals),
        Verb::Completions { shell } => verbs::manual::completions(shell),
        Verb::Man { folder } => verbs::manual::write(&folder),
    }
}
