//! The command line: fixed verbs by derive, the verbs of tools from their schemas.

pub mod batches;
mod example;
mod password;
pub mod tool;
pub mod value;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use docmill_domain::job::JobStatus;

pub use self::password::Password;
use crate::config::URL_VARIABLE;

const AFTER_HELP: &str = "\
Examples:
  docmill convert *.docx --to pdf -o out/       one PDF for each document, beside each other in out/
  docmill convert report.docx -o report.txt     the suffix decides
  docmill merge a.docx b.html c.pdf -o all.pdf  one PDF of all
  docmill compress scan.pdf -o - | lpr          to standard output
  docmill jobs list --status failed             what went wrong

Run the same command again after an interruption: it goes on where it stopped, and nothing is paid twice.";

/// Convert documents: Office, web pages, email, Markdown, pictures and PDF.
#[derive(Debug, Parser)]
#[command(name = "docmill", version, after_help = AFTER_HELP, subcommand_required = true)]
pub struct Cli {
    #[command(flatten)]
    pub globals: Globals,
    #[command(subcommand)]
    pub verb: Verb,
}

/// Options of every verb.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Globals {
    /// The service's address; the one of the last `docmill login` by default.
    #[arg(long, global = true, env = URL_VARIABLE, value_name = "URL", hide_env_values = true)]
    pub url: Option<String>,
    /// Print JSON, one object per line.
    #[arg(long, global = true)]
    pub json: bool,
    /// Print only errors and results.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Convert on this machine with the program `worker`, without a service (DOCMILL_WORKER: where it is).
    #[arg(long, global = true)]
    pub local: bool,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Convert files to another format, each by the tool that fits.
    Convert(ConvertArgs),
    /// Run the steps of a file such as pipeline.toml.
    Run(RunArgs),
    /// Convert what appears in a folder, until Ctrl-C.
    Watch(WatchArgs),
    /// List, show, cancel, download and delete jobs.
    #[command(subcommand)]
    Jobs(JobsVerb),
    /// Print the signed receipt of an ended job: digests of its files, tools, times and credits.
    Receipt { job: String },
    /// Check a receipt, and whether files are those that it is about.
    VerifyReceipt(VerifyReceiptArgs),
    /// Create, list, show, download, cancel, resume and delete batches.
    #[command(subcommand)]
    Batches(batches::BatchesVerb),
    /// List what happened to your jobs and your account, newest first.
    Events(EventsArgs),
    /// Forward events to a receiver on this machine, signed like webhooks.
    Listen(ListenArgs),
    /// List the tools that your key may use, or all options of one.
    Tools(ToolsArgs),
    /// Show credits, jobs and limits of your account.
    Usage,
    /// List, add and delete fonts of your account.
    #[command(subcommand)]
    Fonts(FontsVerb),
    /// List, add and delete stored templates of your account.
    #[command(subcommand)]
    Templates(TemplatesVerb),
    /// List, add, show, enable, rotate and delete webhook endpoints; see and repeat what was sent.
    #[command(subcommand)]
    Webhooks(WebhooksVerb),
    /// Give an assistant on this machine the document tools (Model Context Protocol).
    Mcp(McpArgs),
    /// Keep an API key for this service.
    Login(LoginArgs),
    /// Forget the API key of this service.
    Logout,
    /// Print completions for a shell.
    Completions { shell: clap_complete::Shell },
    /// Write the manual pages into a folder.
    Man {
        #[arg(value_hint = clap::ValueHint::DirPath)]
        folder: PathBuf,
    },
}

/// How jobs are run and where results go.
#[derive(Clone, Debug, Default, Args)]
pub struct JobArgs {
    /// A file, a folder (ends with /), or - for standard output. Beside the source by default.
    #[arg(short, long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub output: Option<String>,
    /// A further tool for the result, with its options: --then 'watermark --text Draft'. Up to five times.
    #[arg(long, value_name = "STEP")]
    pub then: Vec<String>,
    /// A tag of the jobs (`metadata` in the API), to find them later.
    #[arg(long, value_name = "NAME=VALUE")]
    pub tag: Vec<String>,
    /// Fail documents with signatures that the result would not have.
    #[arg(long)]
    pub keep_signatures: bool,
    /// End with 8 if a result has this warning, such as font_substituted; may be repeated. `any`: every warning; `none`: not
    /// even nothing_redacted, which counts by default.
    #[arg(long, value_name = "WARNING")]
    pub fail_on: Vec<String>,
    /// Show what would be done and the credits it would take.
    #[arg(long)]
    pub dry_run: bool,
    /// Forget an earlier, interrupted run of this command, and convert everything.
    #[arg(long)]
    pub fresh: bool,
    /// Replace files that the same command did not make of the same source. Without it, they are never replaced.
    #[arg(long)]
    pub overwrite: bool,
    /// Documents at once: 32 by default, with --local half of the processors.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub parallel: Option<u16>,
}

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Files (patterns and folders too), http(s) addresses, or - for standard input.
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// The format to convert to, such as pdf; by default that of the output's suffix.
    #[arg(short, long, value_name = "FORMAT")]
    pub to: Option<String>,
    /// The format to convert from, where a source has no suffix.
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<String>,
    /// An option of the tool, by its name in the API: --set pdfVersion=pdfa-2b.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// The password of protected files: @FILE reads it from a file, @- from standard input.
    #[arg(long, value_name = "PASSWORD", value_parser = Password::read)]
    pub password: Option<Password>,
    #[command(flatten)]
    pub job: JobArgs,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// The pipeline.
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub pipeline: PathBuf,
    /// Files instead of the pipeline's own.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// The password of protected files: @FILE reads it from a file, @- from standard input.
    #[arg(long, value_name = "PASSWORD", value_parser = Password::read)]
    pub password: Option<Password>,
    #[command(flatten)]
    pub job: JobArgs,
}

#[derive(Debug, Args)]
pub struct WatchArgs {
    #[arg(value_hint = clap::ValueHint::DirPath)]
    pub folder: PathBuf,
    /// The format to convert to.
    #[arg(short, long, value_name = "FORMAT", default_value = "pdf")]
    pub to: String,
    /// An option of the tool, by its name in the API.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Convert what is there, and end.
    #[arg(long)]
    pub once: bool,
    /// The password of protected files: @FILE reads it from a file, @- from standard input.
    #[arg(long, value_name = "PASSWORD", value_parser = Password::read)]
    pub password: Option<Password>,
    #[command(flatten)]
    pub job: JobArgs,
}

#[derive(Debug, Subcommand)]
pub enum JobsVerb {
    /// List jobs, newest first.
    List {
        /// Only jobs in this state.
        #[arg(long, value_parser = PossibleValuesParser::new(JobStatus::ALL.map(JobStatus::as_str)))]
        status: Option<String>,
        /// Only jobs of this tool.
        #[arg(long)]
        tool: Option<String>,
        /// Only jobs with this tag.
        #[arg(long, value_name = "NAME=VALUE")]
        tag: Option<String>,
        /// Most jobs to list.
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
    /// Show a job.
    Show { job: String },
    /// Cancel jobs that have not ended; their credits come back.
    Cancel {
        #[arg(required = true, value_name = "JOB")]
        jobs: Vec<String>,
    },
    /// Download the result of a job.
    Download {
        job: String,
        /// A file, a folder (ends with /), or - for standard output. The result's own name by default.
        #[arg(short, long, value_name = "PATH")]
        output: Option<String>,
        /// Only this one of several results, by its index.
        #[arg(long, value_name = "INDEX")]
        index: Option<usize>,
        /// Replace files that this command did not make.
        #[arg(long)]
        overwrite: bool,
    },
    /// Delete jobs with their results and all that describes the documents.
    Delete {
        #[arg(required = true, value_name = "JOB")]
        jobs: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub struct VerifyReceiptArgs {
    #[arg(value_name = "RECEIPT", value_hint = clap::ValueHint::FilePath)]
    pub receipt: PathBuf,
    /// Sources and results, which must be in the receipt.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub documents: Vec<PathBuf>,
    /// The service's keys, saved from /.well-known/docmill-receipts.json. Without it, the service is asked for them.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub keys: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct EventsArgs {
    /// Only events of this type, such as job.failed.
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// Only events about this job.
    #[arg(long)]
    pub job: Option<String>,
    /// Only events after the one with this id.
    #[arg(long, value_name = "EVENT")]
    pub after: Option<String>,
    /// Most events to list.
    #[arg(long, default_value_t = 100)]
    pub limit: usize,
    /// Wait for further events, until Ctrl-C.
    #[arg(short, long)]
    pub follow: bool,
}

#[derive(Debug, Args)]
pub struct ListenArgs {
    /// Where to send events.
    #[arg(long, value_name = "URL", value_hint = clap::ValueHint::Url)]
    pub forward: String,
    /// Only events of this type, such as job.completed.
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// Send all events after the one with this id, instead of new ones only.
    #[arg(long, value_name = "EVENT")]
    pub after: Option<String>,
}

#[derive(Debug, Args)]
pub struct McpArgs {
    /// A folder whose files the assistant may read, and in which it may write; may be repeated. All folders by default, but
    /// no hidden files.
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    pub folder: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ToolsArgs {
    /// Show the tool's schema, as the service enforces it for your key.
    pub tool: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum FontsVerb {
    /// List the fonts of your account.
    List,
    /// Add fonts (TTF, OTF, TTC or WOFF2).
    Add {
        #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
        files: Vec<PathBuf>,
    },
    /// Delete fonts.
    Delete {
        #[arg(required = true, value_name = "FONT")]
        fonts: Vec<String>,
    },
}

#[derive(Debug, Subcommand)]
pub enum TemplatesVerb {
    /// List the stored templates of your account.
    List,
    /// Add templates (docx, xlsx, pptx, odt, html or md). One whose name you have is its next version.
    Add {
        #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
        files: Vec<PathBuf>,
        /// The template's name. By default, the file's name without its extension.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Delete a template with all its versions, or one version of it.
    Delete {
        name: String,
        /// The number of the version to delete.
        #[arg(long, value_name = "NUMBER")]
        version: Option<u32>,
    },
}

#[derive(Debug, Subcommand)]
pub enum WebhooksVerb {
    /// List the endpoints of your account.
    List,
    /// Add an endpoint. Its secret is printed once.
    Add {
        /// Where to send events: an https address of yours.
        #[arg(value_name = "URL")]
        address: String,
        /// A type of events to send; may be repeated. All by default.
        #[arg(long, value_name = "TYPE")]
        event: Vec<String>,
        /// What the endpoint is for.
        #[arg(long, default_value = "")]
        description: String,
    },
    /// Show an endpoint.
    Show { webhook: String },
    /// Enable an endpoint that was disabled.
    Enable { webhook: String },
    /// Delete an endpoint.
    Delete { webhook: String },
    /// Give an endpoint a new secret, which is printed once.
    Rotate { webhook: String },
    /// List what was sent to an endpoint.
    Deliveries {
        webhook: String,
        /// Most deliveries to list.
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
    /// Send events again: the failed ones, or those since a time.
    Replay {
        webhook: String,
        /// Since this time (RFC 3339).
        #[arg(long, value_name = "TIME", conflicts_with = "event")]
        since: Option<String>,
        /// Only this event.
        #[arg(long, value_name = "EVENT")]
        event: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct LoginArgs {
    /// Read the key from standard input. This is the default if it is not a terminal.
    #[arg(long)]
    pub stdin: bool,
    /// Ask for the key instead of opening a browser. This is the default over SSH.
    #[arg(long, conflicts_with = "stdin")]
    pub paste: bool,
    /// Sign in with a browser, even over SSH or without a terminal.
    #[arg(long, conflicts_with_all = ["stdin", "paste"])]
    pub browser: bool,
}

/// The whole command. The options of a tool are added when its verb is used.
pub fn command() -> clap::Command {
    Cli::command().subcommands(tool::commands())
}

impl Globals {
    pub fn read(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches(matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands in a text: lines that begin with `docmill`, up to what the shell reads.
    fn commands(text: &str) -> Vec<Vec<String>> {
        let lines = text.lines().map(str::trim).filter(|line| line.starts_with("docmill "));
        let words = lines.map(|line| {
            line.split([' ', '\t']).take_while(|word| !matches!(*word, ">" | "<" | "|" | "#")).collect::<Vec<_>>()
        });
        words.map(|words| shlex::split(&words.join(" ")).unwrap()).collect()
    }

    #[test]
    fn the_documents_name_commands_that_exist() {
        let guide = include_str!("../../../../functions/api-docs/guides/command-line.md");
        let commands =
            [commands(guide), commands(include_str!("../../../../README.md")), commands(AFTER_HELP)].concat();
        assert!(commands.len() > 30, "{}", commands.len());
        for words in commands {
            // The examples of the help have their explanation beside them.
            let words = words.iter().take_while(|word| !matches!(word.as_str(), "one" | "the" | "to" | "what"));
            let words: Vec<_> = words.collect();
            match command().try_get_matches_from(&words) {
                Ok(_) => {}
                Err(error) => assert_eq!(error.kind(), clap::error::ErrorKind::DisplayHelp, "{words:?}: {error}"),
            }
        }
    }

    /// An argument of the same name would change an option of every verb: the key would go to an address that is meant for something else.
    #[test]
    fn no_verb_has_an_argument_with_the_name_of_an_option_of_all() {
        fn look(verb: &clap::Command, global: &[String], wrong: &mut Vec<String>) {
            for below in verb.get_subcommands() {
                let own = below.get_arguments().filter(|argument| global.contains(&argument.get_id().to_string()));
                wrong.extend(own.map(|argument| format!("{} {}", below.get_name(), argument.get_id())));
                look(below, global, wrong);
            }
        }
        let (command, mut wrong) = (command(), Vec::new());
        let global = command.get_arguments().filter(|argument| argument.is_global_set());
        let global: Vec<String> = global.map(|argument| argument.get_id().to_string()).collect();
        assert!(global.contains(&"url".to_owned()), "{global:?}");
        look(&command, &global, &mut wrong);
        assert_eq!(wrong, [""; 0]);
    }

    #[test]
    fn the_command_is_consistent() {
        let mut command = command();
        command.build();
        command.debug_assert();
    }
}
