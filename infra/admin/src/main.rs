//! `docmill-admin`: accounts, keys, credits, tools, plans and jobs from the command line.
//!
//! Access is controlled by AWS credentials that can write the tables. Table names come from the same environment variables that
//! the functions read.

mod commands;
mod output;

use clap::{Parser, Subcommand};
use commands::{account, job, key, plan, queue, service, tool, user};
use docmill_app::context::Context;
use docmill_aws::Aws;
use docmill_config::Config;
use output::{Failure, Output};
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(name = "docmill-admin", version, about)]
struct Cli {
    /// Print one JSON object instead of text.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Accounts: create, show, grant credits, change plan, tools, origins or suspension.
    #[command(subcommand)]
    Account(account::Command),
    /// API keys: create, list, revoke.
    #[command(subcommand)]
    Key(key::Command),
    /// A tool's price, visibility and state.
    #[command(subcommand)]
    Tool(tool::Command),
    /// What a plan includes.
    #[command(subcommand)]
    Plan(plan::Command),
    /// Switches and limits of the whole service.
    #[command(subcommand)]
    Service(service::Command),
    /// Jobs.
    #[command(subcommand)]
    Job(job::Command),
    /// Users of the dashboard, and the accounts they belong to.
    #[command(subcommand)]
    User(user::Command),
    /// Queues and their dead letters.
    #[command(subcommand)]
    Queue(queue::Command),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = run(cli.command).await;
    output::print(result, cli.json)
}

async fn run(command: Command) -> Result<Output, Failure> {
    let context = Context::new(Config::from_env()?, Aws::of_operator().await)?;
    match command {
        Command::Account(command) => account::run(&context, command).await,
        Command::Key(command) => key::run(&context, command).await,
        Command::Tool(command) => tool::run(&context, command).await,
        Command::Plan(command) => plan::run(&context, command).await,
        Command::Service(command) => service::run(&context, command).await,
        Command::Job(command) => job::run(&context, command).await,
        Command::User(command) => user::run(&context, command).await,
        Command::Queue(command) => queue::run(&context, command).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// Each command line in a text that starts with `$admin`, up to the first word that is not part of it.
    fn commands(text: &str) -> Vec<Vec<&str>> {
        text.split("$admin ")
            .skip(1)
            .map(|rest| rest.split(['`', '\n', '#']).next().unwrap_or("").split_whitespace().collect())
            .collect()
    }

    #[test]
    fn the_documents_name_commands_that_exist() {
        let cli = Cli::command();
        let mut count = 0;
        for text in
            [include_str!("../../RUNBOOK.md"), include_str!("../../OPERATIONS.md"), include_str!("../../../README.md")]
        {
            for words in commands(text) {
                let words: Vec<_> = words.into_iter().filter(|word| *word != "--json").collect();
                let kind = cli.find_subcommand(words[0]).unwrap_or_else(|| panic!("{words:?}"));
                let command = kind.find_subcommand(words[1]).unwrap_or_else(|| panic!("{words:?}"));
                for option in words.iter().filter_map(|word| word.strip_prefix("--")) {
                    assert!(command.get_arguments().any(|argument| argument.get_long() == Some(option)), "{words:?}");
                }
                count += 1;
            }
        }
        assert!(count > 10, "{count}");
    }
}
