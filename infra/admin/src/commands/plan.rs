//! Plans.

use clap::Subcommand;
use docmill::context::Context;
use serde_json::json;

use crate::output::{Failure, Output};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what holds for a plan.
    Show { id: String },
    /// Create a plan, or change what it includes; what is not given stays as it is.
    Set {
        id: String,
        /// Credits of each UTC month.
        #[arg(long)]
        included_credits: Option<u64>,
        /// Only this tool (may be given several times).
        #[arg(long = "tool", conflicts_with = "all_tools")]
        tools: Vec<String>,
        /// Every tool.
        #[arg(long)]
        all_tools: bool,
        /// Only requests from this origin (may be given several times).
        #[arg(long = "origin", conflicts_with = "any_origin")]
        origins: Vec<String>,
        /// Requests from any origin, or without one.
        #[arg(long)]
        any_origin: bool,
    },
}

pub(crate) async fn run(context: &Context, command: Command) -> Result<Output, Failure> {
    let current = context.settings.current().await?;
    match command {
        Command::Show { id } => Ok(Output::new("plan", json!(current.plan(&id)))),
        Command::Set { id, included_credits, tools, all_tools, origins, any_origin } => {
            let mut plan = current.plan(&id);
            plan.included_credits = included_credits.unwrap_or(plan.included_credits);
            if all_tools || !tools.is_empty() {
                plan.allowed_tools = (!all_tools).then_some(tools);
            }
            if any_origin || !origins.is_empty() {
                plan.allowed_origins = origins;
            }
            context.settings.put_plan(&plan).await?;
            Ok(Output::new("plan", json!(plan)))
        }
    }
}
