//! API keys.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use docmill_app::context::Context;
use docmill_config::clock;
use docmill_domain::account::{MAX_KEYS, NewKey, StoredKey};
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::audit::{SubjectKind, View};
use docmill_domain::limits::Ceilings;
use docmill_domain::quota::{RateLimit, RatePolicy};
use docmill_store::accounts::KeyAdded;
use docmill_store::accounts::keys::{AccountKey, Regenerated, Revoked};
use serde_json::{Value, json};

use super::limits::LimitArgs;
use super::{author, note};
use crate::output::{Failure, Output, refuse};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a key. Its secret is only printed now.
    Create(Create),
    /// List an account's keys, without their secrets.
    List {
        #[arg(long)]
        account: String,
    },
    /// Give a key a new secret, which is only printed now.
    Regenerate {
        #[arg(long)]
        account: String,
        /// The key's id (`key_…`).
        id: String,
        /// How long the old secret keeps working; 0 ends it at once.
        #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=168))]
        overlap_hours: u32,
    },
    /// Revoke a key with all its secrets at once.
    Revoke {
        #[arg(long)]
        account: String,
        /// The key's id (`key_…`).
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    #[arg(long)]
    account: String,
    #[arg(long)]
    name: String,
    #[arg(long, default_value = "live")]
    mode: KeyMode,
    /// Only this tool (repeatable).
    #[arg(long = "tool")]
    tools: Vec<String>,
    /// Only requests from this origin (repeatable).
    #[arg(long = "origin")]
    origins: Vec<String>,
    /// Creates per minute, instead of the plan's limit.
    #[arg(long)]
    create_limit: Option<u32>,
    #[arg(long)]
    create_burst: Option<u32>,
    /// Reads per minute, instead of the plan's limit.
    #[arg(long)]
    read_limit: Option<u32>,
    #[arg(long)]
    read_burst: Option<u32>,
    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum KeyMode {
    Live,
    Test,
}

impl From<KeyMode> for Mode {
    fn from(mode: KeyMode) -> Self {
        match mode {
            KeyMode::Live => Self::Live,
            KeyMode::Test => Self::Test,
        }
    }
}

pub(crate) async fn run(context: &Context, command: Command) -> Result<Output, Failure> {
    match command {
        Command::Create(wanted) => create(context, wanted).await,
        Command::List { account } => {
            context.audit.note_view(&account, View::Keys, &author(None)).await?;
            let keys = context.accounts.keys_of(&account, clock::now()).await?;
            Ok(Output::new("keys", keys.iter().map(listed).collect()))
        }
        Command::Regenerate { account, id, overlap_hours } => regenerate(context, &account, &id, overlap_hours).await,
        Command::Revoke { account, id } => revoke(context, &account, &id).await,
    }
}

async fn create(context: &Context, wanted: Create) -> Result<Output, Failure> {
    let Some(profile) = context.usage.profile(&wanted.account).await? else {
        return refuse(format!("there is no account {}", wanted.account));
    };
    let plan = context.settings.fresh().await?.plan(&profile.plan);
    let now = clock::now();
    let secret = ApiKey::generate(wanted.mode.into());
    let mut limits = Ceilings::default();
    wanted.limits.change(&mut limits);
    let key = NewKey {
        key_id: NewKey::id(),
        account: wanted.account,
        name: wanted.name,
        mode: wanted.mode.into(),
        allowed_tools: (!wanted.tools.is_empty()).then_some(wanted.tools),
        allowed_origins: wanted.origins,
        expires_at: None,
        create_limit: limit(plan.create_limit, wanted.create_limit, wanted.create_burst),
        read_limit: limit(plan.read_limit, wanted.read_limit, wanted.read_burst),
        limits,
    };
    let key = key.with_secret(&secret, now);
    note(context, (SubjectKind::Account, &key.account), "key created", &key.key_id).await?;
    let key = match context.accounts.add_key(&key, now).await? {
        KeyAdded::Yes(key) => key,
        KeyAdded::Exists => return refuse(format!("there is a key {} already", key.key_id)),
        KeyAdded::TooMany => {
            return refuse(format!("an account has at most {MAX_KEYS} keys: revoke one that you no longer need"));
        }
        KeyAdded::NoAccount => return refuse(format!("there is no account {}", key.account)),
    };
    Ok(Output::new("key", with_secret(&key, &secret)))
}

fn limit(plan: RateLimit, per_minute: Option<u32>, burst: Option<u32>) -> RateLimit {
    RateLimit { per_minute: per_minute.unwrap_or(plan.per_minute), burst: burst.unwrap_or(plan.burst) }
}

async fn regenerate(context: &Context, account: &str, id: &str, overlap_hours: u32) -> Result<Output, Failure> {
    note(context, (SubjectKind::Account, account), "key regenerated", id).await?;
    let overlap = Duration::from_secs(u64::from(overlap_hours) * 3600);
    match context.accounts.regenerate_key(account, id, None, overlap, clock::now()).await? {
        Regenerated::Yes { key, secret } => Ok(Output::new("key", with_secret(&key, &secret))),
        Regenerated::Superseded => {
            refuse("somebody else regenerated the key at the same time: check it, and try again")
        }
        Regenerated::NoSuchKey => refuse(format!("account {account} has no active key {id}")),
    }
}

async fn revoke(context: &Context, account: &str, id: &str) -> Result<Output, Failure> {
    note(context, (SubjectKind::Account, account), "key revoked", id).await?;
    match context.accounts.revoke_key(account, id, clock::now()).await? {
        Revoked::Yes | Revoked::Already => Ok(Output::new("key", json!({"id": id, "revoked": true}))),
        Revoked::NoSuchKey => refuse(format!("account {account} has no key {id}")),
    }
}

fn with_secret(key: &StoredKey, secret: &ApiKey) -> Value {
    let mut view = view(key);
    view["secret"] = json!(secret.reveal());
    view
}

fn listed(AccountKey { key, old_secret_until, .. }: &AccountKey) -> Value {
    let mut view = view(key);
    view["oldSecretUntil"] = json!(old_secret_until.map(|time| time.to_string()));
    view
}

fn view(key: &StoredKey) -> Value {
    let [create, read] = [RatePolicy::Create, RatePolicy::Read].map(|policy| key.limiter.limit(policy));
    json!({
        "id": key.key_id,
        "account": key.account,
        "name": key.name,
        "mode": key.mode,
        "last4": key.last4,
        "createdAt": key.created_at.to_string(),
        "lastUsedAt": key.last_used_at.map(|time| time.to_string()),
        "revokedAt": key.revoked_at.map(|time| time.to_string()),
        "expiresAt": key.expires_at.map(|time| time.to_string()),
        "allowedTools": key.allowed_tools,
        "allowedOrigins": key.allowed_origins,
        "plan": key.plan,
        "limits": {
            "createsPerMinute": create.per_minute,
            "createBurst": create.burst,
            "readsPerMinute": read.per_minute,
            "readBurst": read.burst,
        },
        "jobLimits": key.limits,
    })
}
