//! Switches and limits of the whole service.

use clap::Subcommand;
use docmill_app::context::Context;
use docmill_domain::offer::Contact;
use serde_json::json;

use super::limits::LimitArgs;
use super::{Switch, author, written};
use crate::output::{Failure, Output};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Show,
    Set {
        /// Whether test keys work at all.
        #[arg(long)]
        test_mode: Option<Switch>,
        /// Where to ask for credits: an email address or an https:// URL.
        #[arg(long, value_parser = Contact::parse)]
        credits_contact: Option<Contact>,
        /// Show no contact.
        #[arg(long, conflicts_with = "credits_contact")]
        no_credits_contact: bool,
        #[command(flatten)]
        limits: LimitArgs,
    },
}

pub(crate) async fn run(context: &Context, command: Command) -> Result<Output, Failure> {
    let before = context.settings.fresh().await?.versioned_service();
    let mut settings = before.value.clone();
    if let Command::Set { test_mode, credits_contact, no_credits_contact, limits } = command {
        settings.test_mode = test_mode.map_or(settings.test_mode, Switch::is_on);
        if no_credits_contact || credits_contact.is_some() {
            settings.credits_contact = credits_contact;
        }
        limits.change(&mut settings.limits);
        settings = written(context.settings.change_service(&before, &settings, &author(None)).await?)?;
    }
    Ok(Output::new("service", json!(settings)))
}
