//! Plans.

use clap::Subcommand;
use docmill::context::Context;
use docmill::domain::account::Plan;
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
    },
}

pub(crate) async fn run(context: &Context, command: Command) -> Result<Output, Failure> {
    let current = context.settings.current().await?;
    match command {
        Command::Show { id } => Ok(Output::new("plan", json!(current.plan(&id)))),
        Command::Set { id, included_credits, tools, all_tools } => {
            let before = current.plan(&id);
            let allowed_tools = match (all_tools, tools.is_empty()) {
                (true, _) => None,
                (false, false) => Some(tools),
                (false, true) => before.allowed_tools,
            };
            let included_credits = included_credits.unwrap_or(before.included_credits);
            let plan = Plan { id, included_credits, allowed_tools };
            context.settings.put_plan(&plan).await?;
            Ok(Output::new("plan", json!(plan)))
        }
    }
}
