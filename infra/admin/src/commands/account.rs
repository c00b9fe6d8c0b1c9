//! Accounts.

use clap::Subcommand;
use docmill::clock;
use docmill::context::Context;
use docmill::domain::account::{Plan, Profile};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Switch;
use crate::output::{Failure, Output, refuse};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create an account.
    Create {
        #[arg(long)]
        name: String,
        #[arg(long, default_value = Plan::DEFAULT_ID)]
        plan: String,
        /// Granted credits to begin with; they carry over from month to month.
        #[arg(long, default_value_t = 0)]
        credits: u64,
        /// An id of your choice, instead of a new one.
        #[arg(long)]
        id: Option<String>,
    },
    /// Show an account and its current month.
    Show { id: String },
    /// Grant credits, which carry over from month to month.
    Grant { id: String, credits: u64 },
    /// Change plan, suspension, test mode or origins; the account's keys follow at once.
    Set {
        id: String,
        #[arg(long)]
        plan: Option<String>,
        #[arg(long)]
        suspended: Option<Switch>,
        #[arg(long)]
        test_mode: Option<Switch>,
        /// Only requests from this origin (may be given several times).
        #[arg(long = "origin", conflicts_with = "any_origin")]
        origins: Vec<String>,
        /// Requests from any origin, or without one.
        #[arg(long)]
        any_origin: bool,
    },
}

pub(crate) async fn run(context: &Context, command: Command) -> Result<Output, Failure> {
    match command {
        Command::Create { name, plan, credits, id } => create(context, name, plan, credits, id).await,
        Command::Show { id } => show(context, &id).await,
        Command::Grant { id, credits } => match context.usage.grant(&id, credits).await? {
            Some(granted) => Ok(Output::new("account", json!({"id": id, "granted": granted}))),
            None => refuse(format!("there is no account {id}")),
        },
        Command::Set { id, plan, suspended, test_mode, origins, any_origin } => {
            let Some(mut profile) = context.usage.profile(&id).await? else {
                return refuse(format!("there is no account {id}"));
            };
            profile.plan = plan.unwrap_or(profile.plan);
            profile.suspended = suspended.map_or(profile.suspended, Switch::is_on);
            profile.test_mode = test_mode.map_or(profile.test_mode, Switch::is_on);
            if any_origin || !origins.is_empty() {
                profile.account_origins = origins;
            }
            change_standing(context, &id, &profile).await
        }
    }
}

async fn create(
    context: &Context,
    name: String,
    plan: String,
    credits: u64,
    id: Option<String>,
) -> Result<Output, Failure> {
    let id = id.unwrap_or_else(|| format!("acc_{}", Uuid::now_v7().simple()));
    if id.is_empty() || !id.chars().all(|character| character.is_ascii_alphanumeric() || character == '_') {
        return refuse("an account's id is made of letters, digits and underscores");
    }
    let profile = Profile {
        name,
        plan,
        granted: credits,
        suspended: false,
        test_mode: true,
        account_origins: Vec::new(),
        created_at: clock::now(),
    };
    if context.usage.create_profile(&id, &profile).await? {
        Ok(Output::new("account", view(&id, &profile)))
    } else {
        refuse(format!("there is an account {id} already"))
    }
}

async fn show(context: &Context, id: &str) -> Result<Output, Failure> {
    let usage = context.usage.of_month(id, clock::now().period()).await?;
    let Some(profile) = &usage.profile else { return refuse(format!("there is no account {id}")) };
    let mut view = view(id, profile);
    view["month"] = json!({
        "includedRemaining": usage.remaining,
        "used": usage.used,
        "created": usage.created,
        "completed": usage.completed,
        "failed": usage.failed,
    });
    Ok(Output::new("account", view))
}

async fn change_standing(context: &Context, id: &str, profile: &Profile) -> Result<Output, Failure> {
    let now = clock::now();
    let mut keys = Vec::new();
    for hash in context.keys.of_account(id).await? {
        // A dead key stays dead, and an account may have had any number of them.
        keys.extend(context.keys.get(&hash).await?.filter(|key| !key.is_dead_at(now)).map(|key| key.key_hash));
    }
    context.usage.change_standing(id, profile, &context.config.tables.keys, &keys).await?;
    Ok(Output::new("account", view(id, profile)))
}

fn view(id: &str, profile: &Profile) -> Value {
    json!({
        "id": id,
        "name": profile.name,
        "plan": profile.plan,
        "granted": profile.granted,
        "suspended": profile.suspended,
        "testMode": profile.test_mode,
        "allowedOrigins": profile.account_origins,
        "createdAt": profile.created_at.to_string(),
    })
}
