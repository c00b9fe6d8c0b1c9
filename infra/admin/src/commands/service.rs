//! Switches of the whole service.

use clap::Subcommand;
use docmill::context::Context;
use serde_json::json;

use super::Switch;
use crate::output::{Failure, Output};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Show,
    Set {
        /// Whether test keys work at all.
        #[arg(long)]
        test_mode: Option<Switch>,
    },
}

pub(crate) async fn run(context: &Context, command: Command) -> Result<Output, Failure> {
    let mut switches = context.settings.current().await?.service;
    if let Command::Set { test_mode } = command {
        switches.test_mode = test_mode.map_or(switches.test_mode, Switch::is_on);
        context.settings.put_service(&switches).await?;
    }
    Ok(Output::new("service", json!(switches)))
}
