//! Accounts.

use clap::{Args, Subcommand};
use docmill_app::context::Context;
use docmill_config::clock;
use docmill_domain::account::{Plan, Profile};
use docmill_store::accounts::{Changed, Granted};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Switch, author};
use crate::output::{Failure, Output, refuse};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create an account.
    Create {
        #[arg(long)]
        name: String,
        #[arg(long, default_value = Plan::DEFAULT_ID)]
        plan: String,
        /// Initial granted credits, which carry over from month to month.
        #[arg(long, default_value_t = 0)]
        credits: u64,
        /// Use this id instead of a new one.
        #[arg(long)]
        id: Option<String>,
        /// Reason for the audit trail.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Show an account and its current month.
    Show { id: String },
    /// Grant credits, which carry over from month to month.
    Grant {
        id: String,
        credits: u64,
        /// Reason for the audit trail.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Change plan, suspension, test mode, tools or origins. The account's keys follow at once.
    Set(Set),
}

#[derive(Debug, Args)]
pub(crate) struct Set {
    id: String,
    #[arg(long)]
    plan: Option<String>,
    #[arg(long)]
    suspended: Option<Switch>,
    #[arg(long)]
    test_mode: Option<Switch>,
    /// Only this tool (repeatable).
    #[arg(long = "tool", conflicts_with = "all_tools")]
    tools: Vec<String>,
    /// All tools that the plan allows.
    #[arg(long)]
    all_tools: bool,
    /// Only requests from this origin (repeatable).
    #[arg(long = "origin", conflicts_with = "any_origin")]
    origins: Vec<String>,
    /// Requests from any origin, or without one.
    #[arg(long)]
    any_origin: bool,
    /// Reason for the audit trail.
    #[arg(long)]
    reason: Option<String>,
}

pub(crate) async fn run(context: &Context, command: Command) -> Result<Output, Failure> {
    match command {
        Command::Create { name, plan, credits, id, reason } => {
            let profile = Profile { granted: credits, ..Profile::new(name, plan, clock::now()) };
            create(context, id, &profile, reason).await
        }
        Command::Show { id } => show(context, &id).await,
        Command::Grant { id, credits, reason } => grant(context, &id, credits, reason).await,
        Command::Set(wanted) => change_policy(context, wanted).await,
    }
}

async fn create(
    context: &Context,
    id: Option<String>,
    profile: &Profile,
    reason: Option<String>,
) -> Result<Output, Failure> {
    let id = id.unwrap_or_else(|| format!("acc_{}", Uuid::now_v7().simple()));
    if id.is_empty() || !id.chars().all(|character| character.is_ascii_alphanumeric() || character == '_') {
        return refuse("an account id can contain letters, digits and underscores");
    }
    if profile.name.trim().is_empty() {
        return refuse("an account needs a name");
    }
    if context.accounts.create(&id, profile, &author(reason)).await? {
        Ok(Output::new("account", view(&id, profile)))
    } else {
        refuse(format!("the account {id} already exists"))
    }
}

async fn show(context: &Context, id: &str) -> Result<Output, Failure> {
    let usage = context.usage.of_month(id, clock::now().period()).await?;
    let Some(profile) = &usage.credits.profile else { return refuse(format!("there is no account {id}")) };
    let included = context.settings.current().await?.plan(&profile.plan).included_credits;
    let (mut view, total) = (view(id, profile), usage.total());
    view["granted"] = json!(usage.credits.pots.granted_left());
    view["month"] = json!({
        "includedRemaining": usage.credits.pots.included_left(included),
        "used": usage.credits.used,
        "created": usage.credits.created,
        "completed": total.completed,
        "failed": total.failed,
    });
    Ok(Output::new("account", view))
}

async fn grant(context: &Context, id: &str, credits: u64, reason: Option<String>) -> Result<Output, Failure> {
    match context.accounts.grant(id, credits, Uuid::now_v7(), &author(reason)).await? {
        Granted::Yes | Granted::Already => show(context, id).await,
        Granted::NoAccount => refuse(format!("there is no account {id}")),
    }
}

async fn change_policy(context: &Context, wanted: Set) -> Result<Output, Failure> {
    let Set { id, plan, suspended, test_mode, tools, all_tools, origins, any_origin, reason } = wanted;
    let Some(profile) = context.usage.profile(&id).await? else { return refuse(format!("there is no account {id}")) };
    let mut policy = profile.policy();
    policy.plan = plan.unwrap_or(policy.plan);
    policy.suspended = suspended.map_or(policy.suspended, Switch::is_on);
    policy.test_mode = test_mode.map_or(policy.test_mode, Switch::is_on);
    if all_tools || !tools.is_empty() {
        policy.account_tools = (!all_tools).then_some(tools);
    }
    if any_origin || !origins.is_empty() {
        policy.account_origins = origins;
    }
    match context.accounts.change(&id, profile.version, &policy, &author(reason)).await? {
        Changed::Written(profile) => Ok(Output::new("account", view(&id, &profile))),
        Changed::Stale(_) => refuse("somebody else changed this at the same time: check it, and try again"),
        Changed::NoAccount => refuse(format!("there is no account {id}")),
    }
}

fn view(id: &str, profile: &Profile) -> Value {
    json!({
        "id": id,
        "name": profile.name,
        "plan": profile.plan,
        "granted": profile.granted,
        "suspended": profile.suspended,
        "testMode": profile.test_mode,
        "allowedTools": profile.account_tools,
        "allowedOrigins": profile.account_origins,
        "createdAt": profile.created_at.to_string(),
    })
}
