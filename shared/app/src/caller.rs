//! Who asks: an account, with one of its keys. Each request is counted, and key and account are checked.

use std::sync::Arc;
use std::time::{Duration, Instant};

use docmill_config::clock;
use docmill_domain::account::{Plan, StoredKey};
use docmill_domain::api_key::{KeyHash, Mode};
use docmill_domain::limits::Limits;
use docmill_domain::quota::{RATE_WINDOW_SECONDS, RatePolicy};
use docmill_domain::time::Timestamp;
use docmill_store::keys::Admission;
use docmill_store::settings::Snapshot;

use crate::context::Context;
use crate::deadline::contained;
use crate::fault::{Fault, with_faults};

/// How long the dashboard may take for a request to an account.
const DASHBOARD_TIME: Duration = Duration::from_secs(9);

/// An admitted caller.
#[derive(Debug)]
pub struct Caller {
    /// The key that the caller has shown.
    pub key: StoredKey,
    /// The settings of the service, as they were when the request was admitted.
    pub settings: Arc<Snapshot>,
    /// The API request's id; `None` for the dashboard.
    pub request_id: Option<String>,
    /// When the request was admitted. All later steps use this time.
    pub now: Timestamp,
}

impl Caller {
    /// The id of the caller's account.
    pub fn account(&self) -> &str {
        &self.key.account
    }

    /// The plan of the caller's account.
    pub fn plan(&self) -> Plan {
        self.settings.plan(&self.key.plan)
    }

    /// The limits of the caller's jobs. `widest`: the functions' own limits.
    pub fn limits(&self, widest: &Limits) -> Limits {
        widest.clone().narrowed_by(&self.settings.ceilings(&self.key))
    }

    /// Counts uploads of so many bytes towards the account's day, whether or not a link is used: that is known too late. Says by
    /// what they would exceed it, and counts nothing then.
    pub(crate) async fn count_uploads(&self, context: &Context, bytes: u64) -> Result<Option<UploadsUsedUp>, Fault> {
        let (mode, now) = (self.key.mode, self.now);
        let most = self.limits(&context.config.limits).daily_uploads(mode);
        let fits = context.budgets.take_upload(self.account(), mode, bytes, most, now).await?;
        let seconds = now.next_day().millis_since(now).div_ceil(1000);
        Ok((!fits).then_some(UploadsUsedUp { most, seconds }))
    }
}

/// The uploads of the account's day would have more than `most` bytes. The next day begins after so many seconds.
#[derive(Debug)]
pub(crate) struct UploadsUsedUp {
    pub most: u64,
    pub seconds: u64,
}

/// Why a caller is not let in.
#[derive(Debug, thiserror::Error)]
pub enum Denied {
    /// There is no such key.
    #[error("no key is like this one")]
    UnknownKey,
    /// The key no longer works.
    #[error("the key was revoked or replaced, or has expired")]
    RevokedKey,
    /// The account no longer works.
    #[error("the account is suspended")]
    AccountSuspended,
    /// It is a test key, and the service has no test mode now.
    #[error("test mode is off")]
    TestModeDisabled,
    /// The key is restricted to other origins.
    #[error("the key does not work from this origin")]
    OriginNotAllowed,
    /// The key, or its account, has sent too many requests.
    #[error("too many requests: the next one is possible in {seconds} s")]
    RateLimited {
        /// From 1 to the length of the window.
        seconds: u64,
    },
    /// The service failed, not the caller.
    #[error(transparent)]
    Fault(#[from] Fault),
}

with_faults!(Denied);

/// Where a request comes from. Keys can be restricted to origins.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// A client of the API, with the `Origin` that it names.
    Client(Option<&'a str>),
    /// A dashboard page, which has its own sign-in.
    Dashboard,
}

/// A request with a key that exists: it was counted if the key works, and may have been denied.
#[derive(Debug)]
pub struct Entrance {
    caller: Caller,
    denied: Option<Denied>,
}

impl Entrance {
    /// The key, also of a denied request.
    pub fn key(&self) -> &StoredKey {
        &self.caller.key
    }

    /// Whether the key was revoked or replaced, or has expired.
    pub const fn is_dead(&self) -> bool {
        matches!(self.denied, Some(Denied::RevokedKey))
    }

    /// The caller, if let in.
    ///
    /// # Errors
    /// Why the caller is not let in.
    pub fn admitted(self) -> Result<Caller, Denied> {
        match self.denied {
            None => Ok(self.caller),
            Some(denied) => Err(denied),
        }
    }

    fn of(admission: Admission, settings: Arc<Snapshot>, place: Place<'_>, now: Timestamp) -> Result<Self, Denied> {
        let caller = |key| Caller { key, settings, request_id: None, now };
        let (caller, limited) = match admission {
            Admission::Admitted(key) => (caller(key), None),
            Admission::Limited { key, allow_at } => (caller(key), Some(allow_at)),
            Admission::Dead(key) => return Ok(Self { caller: caller(key), denied: Some(Denied::RevokedKey) }),
            Admission::Unknown => return Err(Denied::UnknownKey),
        };
        let limited = limited.map(|allow_at| Denied::RateLimited { seconds: wait_seconds(allow_at, now) });
        let denied = check_account(&caller, place).err().or(limited);
        Ok(Self { caller, denied })
    }
}

/// Counts a request with this key, and decides whether its caller is let in. It takes one conditional update of the key, and the
/// cached settings.
///
/// # Errors
/// If there is no such key, or the table does not answer.
pub async fn enter(
    context: &Context,
    hash: &KeyHash,
    policy: RatePolicy,
    place: Place<'_>,
    now: Timestamp,
) -> Result<Entrance, Denied> {
    let (admission, settings) =
        futures_util::try_join!(context.keys.admit(hash, policy, now), context.settings.current())?;
    Entrance::of(admission, settings, place, now)
}

/// Runs `work` for a signed-in user's account, with the account's dashboard key and under the same limits and policy as other
/// keys. The key is created when first needed.
///
/// # Errors
/// What `work` fails with, or why the account is not let in, or a fault.
pub async fn as_account<T, E, F>(
    context: &Context,
    account: &str,
    mode: Mode,
    policy: RatePolicy,
    work: F,
) -> Result<T, E>
where
    E: From<Denied> + From<Fault>,
    F: AsyncFnOnce(Caller) -> Result<T, E>,
{
    let (now, ends_at) = (clock::now(), Instant::now() + DASHBOARD_TIME);
    let caller = of_account(context, account, mode, policy, now).await?;
    // Boxed: futures of SDK calls are large, and a handler holds several.
    contained(ends_at, Box::pin(work(caller))).await
}

async fn of_account(
    context: &Context,
    account: &str,
    mode: Mode,
    policy: RatePolicy,
    now: Timestamp,
) -> Result<Caller, Denied> {
    let hash = KeyHash::of_dashboard(account, mode);
    let (admission, settings) =
        futures_util::try_join!(context.keys.admit(&hash, policy, now), context.settings.current())?;
    let admission = match admission {
        Admission::Unknown => {
            context.accounts.add_key(&StoredKey::of_dashboard(account, mode, now), now).await?;
            context.keys.admit(&hash, policy, now).await?
        }
        known @ (Admission::Admitted(_) | Admission::Limited { .. } | Admission::Dead(_)) => known,
    };
    Entrance::of(admission, settings, Place::Dashboard, now)?.admitted()
}

/// The caller that a key stands for, for work that its account asked for earlier. No request is counted.
///
/// # Errors
/// If the key no longer lives, its account is not let in, or the table does not answer.
pub async fn caller_of(context: &Context, hash: &KeyHash) -> Result<Caller, Denied> {
    let now = clock::now();
    let (key, settings) = futures_util::try_join!(context.keys.get(hash), context.settings.current())?;
    let key = key.filter(|key| !key.is_dead_at(now)).ok_or(Denied::RevokedKey)?;
    let caller = Caller { key, settings, request_id: None, now };
    check_account(&caller, Place::Dashboard)?;
    Ok(caller)
}

fn check_account(caller: &Caller, place: Place<'_>) -> Result<(), Denied> {
    let key = &caller.key;
    if key.suspended {
        return Err(Denied::AccountSuspended);
    }
    if key.mode == Mode::Test && !(key.test_mode && caller.settings.service.test_mode) {
        return Err(Denied::TestModeDisabled);
    }
    match place {
        Place::Client(origin) if !key.admits_origin(&caller.plan(), origin) => Err(Denied::OriginNotAllowed),
        Place::Client(_) | Place::Dashboard => Ok(()),
    }
}

fn wait_seconds(allow_at: Timestamp, now: Timestamp) -> u64 {
    // Clamped, in case the last writer's clock was ahead: a client never waits for longer than the window.
    allow_at.millis_since(now).div_ceil(1000).clamp(1, u64::from(RATE_WINDOW_SECONDS))
}
