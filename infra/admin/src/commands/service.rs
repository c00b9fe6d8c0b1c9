//! Switches of the whole service.

use clap::Subcommand;
use docmill::context::Context;
use serde_json::json;

use super::{Switch, author, written};
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
    let before = context.settings.fresh().await?.versioned_service();
    let mut switches = before.value;
    if let Command::Set { test_mode } = command {
        switches.test_mode = test_mode.map_or(switches.test_mode, Switch::is_on);
        switches = written(context.settings.change_service(&before, &switches, &author(None)).await?)?;
    }
    Ok(Output::new("service", json!(switches)))
}
