//! `docmill batches`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use docmill_domain::batch::State;
use docmill_domain::job::JobStatus;

#[derive(Debug, Subcommand)]
pub enum BatchesVerb {
    /// Create a batch: a job for each file, or for each line of a file.
    Create(CreateBatchArgs),
    /// List batches, newest first.
    List {
        /// Only batches in this state.
        #[arg(long, value_parser = PossibleValuesParser::new(State::ALL.map(State::as_str)))]
        status: Option<String>,
        /// Most batches to list.
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
    /// Show a batch.
    Show {
        batch: String,
        /// Wait until it has ended or is paused.
        #[arg(long)]
        wait: bool,
    },
    /// List the jobs of a batch, in the order of its items.
    Jobs {
        batch: String,
        /// Only jobs in this state.
        #[arg(long, value_parser = PossibleValuesParser::new(JobStatus::ALL.map(JobStatus::as_str)))]
        status: Option<String>,
        /// Most jobs to list.
        #[arg(long, default_value_t = 100)]
        limit: usize,
    },
    /// Download the results that a batch has so far. What is there already is not downloaded again.
    Download {
        batch: String,
        /// The folder for the results.
        #[arg(short, long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
        output: PathBuf,
        /// The archive of all results, instead of each result. The batch must have been created with it.
        #[arg(long)]
        archive: bool,
    },
    /// Cancel batches: no more jobs are created, and unfinished ones are canceled, with refunds.
    Cancel {
        #[arg(required = true, value_name = "BATCH")]
        batches: Vec<String>,
    },
    /// Go on with paused batches, with the key of this command.
    Resume {
        #[arg(required = true, value_name = "BATCH")]
        batches: Vec<String>,
    },
    /// Delete batches with their jobs and results. What has not ended is canceled first.
    Delete {
        #[arg(required = true, value_name = "BATCH")]
        batches: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub struct CreateBatchArgs {
    /// The tool, such as office-to-pdf.
    pub tool: String,
    /// Files (patterns and folders too) or http(s) addresses: a job for each.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath, required_unless_present = "items")]
    pub files: Vec<String>,
    /// A file with the JSON of an item on each line, as the API takes them.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "files")]
    pub items: Option<PathBuf>,
    /// An option of the tool, by its name in the API: --set pdfVersion=pdfa-2b.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// A further tool for each result, with its options: --then 'watermark --text Draft'. Up to five times.
    #[arg(long, value_name = "STEP")]
    pub then: Vec<String>,
    /// A tag of the jobs (`metadata` in the API), to find them later.
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "items")]
    pub tag: Vec<String>,
    /// Fail documents with signatures that the result would not have.
    #[arg(long)]
    pub keep_signatures: bool,
    /// What a failed item means for the others.
    #[arg(long, value_parser = ["continue", "stop"], default_value = "continue")]
    pub on_error: String,
    /// Make a ZIP of all results at the end.
    #[arg(long)]
    pub archive: bool,
    /// Wait until the batch has ended or is paused.
    #[arg(long)]
    pub wait: bool,
    /// Wait for the batch, and download the results into this folder.
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    pub download: Option<PathBuf>,
}
