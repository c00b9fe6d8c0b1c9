//! API keys.

use clap::{Args, Subcommand, ValueEnum};
use docmill::clock;
use docmill::context::Context;
use docmill::domain::account::{Limiter, MAX_KEYS, StoredKey};
use docmill::domain::api_key::{ApiKey, Mode};
use docmill::domain::quota::RateLimit;
use docmill::store::accounts::KeyAdded;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::output::{Failure, Output, refuse};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a key. Its secret is printed now and never again.
    Create(Create),
    /// List an account's keys, without their secrets.
    List {
        #[arg(long)]
        account: String,
    },
    /// Revoke a key at once.
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
    /// Only this tool (may be given several times).
    #[arg(long = "tool")]
    tools: Vec<String>,
    /// Only requests from this origin (may be given several times).
    #[arg(long = "origin")]
    origins: Vec<String>,
    /// Creates per minute, instead of what the plan says.
    #[arg(long)]
    create_limit: Option<u32>,
    #[arg(long)]
    create_burst: Option<u32>,
    /// Reads per minute, instead of what the plan says.
    #[arg(long)]
    read_limit: Option<u32>,
    #[arg(long)]
    read_burst: Option<u32>,
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
            let keys = keys_of(context, &account).await?;
            Ok(Output::new("keys", keys.iter().map(view).collect()))
        }
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
    let key = StoredKey {
        key_hash: secret.hash(),
        key_id: format!("key_{}", Uuid::now_v7().simple()),
        account: wanted.account,
        name: wanted.name,
        mode: wanted.mode.into(),
        last4: secret.last4().to_owned(),
        created_at: now,
        last_used_at: None,
        revoked_at: None,
        expires_at: None,
        allowed_tools: (!wanted.tools.is_empty()).then_some(wanted.tools),
        allowed_origins: wanted.origins,
        plan: profile.plan,
        account_origins: profile.account_origins,
        account_tools: profile.account_tools,
        suspended: profile.suspended,
        test_mode: profile.test_mode,
        limiter: Limiter::new(
            limit(plan.create_limit, wanted.create_limit, wanted.create_burst),
            limit(plan.read_limit, wanted.read_limit, wanted.read_burst),
        ),
    };
    let key = match context.accounts.add_key(&key, now).await? {
        KeyAdded::Yes(key) => key,
        KeyAdded::TooMany => {
            return refuse(format!("an account has at most {MAX_KEYS} keys: revoke one that is not needed"));
        }
        KeyAdded::NoAccount => return refuse(format!("there is no account {}", key.account)),
    };
    let mut view = view(&key);
    view["secret"] = json!(secret.reveal());
    Ok(Output::new("key", view))
}

fn limit(plan: RateLimit, per_minute: Option<u32>, burst: Option<u32>) -> RateLimit {
    RateLimit { per_minute: per_minute.unwrap_or(plan.per_minute), burst: burst.unwrap_or(plan.burst) }
}

async fn revoke(context: &Context, account: &str, id: &str) -> Result<Output, Failure> {
    let keys = keys_of(context, account).await?;
    let Some(key) = keys.iter().find(|key| key.key_id == id) else {
        return refuse(format!("account {account} has no key {id}"));
    };
    context.keys.revoke(&key.key_hash, clock::now()).await?;
    Ok(Output::new("key", json!({"id": id, "revoked": true})))
}

async fn keys_of(context: &Context, account: &str) -> Result<Vec<StoredKey>, Failure> {
    let mut keys = Vec::new();
    for hash in context.keys.of_account(account).await? {
        keys.extend(context.keys.get(&hash).await?);
    }
    Ok(keys)
}

fn view(key: &StoredKey) -> Value {
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
            "createsPerMinute": key.limiter.create_per_minute,
            "createBurst": key.limiter.create_burst,
            "readsPerMinute": key.limiter.read_per_minute,
            "readBurst": key.limiter.read_burst,
        },
    })
}
