//! Admits requests: authenticates, rate-limits, and checks key and account.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lambda_http::Body;
use lambda_http::http::{HeaderName, Response};

use super::envelope::{Noted, Outcome, RATE_LIMIT, RATE_LIMIT_POLICY, respond};
use super::error::{ApiError, ErrorCode};
use super::request::{ApiRequest, RequestId};
use super::serve::contained;
use docmill_app::context::Context;
use docmill_config::clock;
use docmill_domain::account::{Plan, StoredKey};
use docmill_domain::api_key::{ApiKey, KeyHash, Mode};
use docmill_domain::limits::Limits;
use docmill_domain::quota::{RATE_WINDOW_SECONDS, RatePolicy};
use docmill_domain::time::Timestamp;
use docmill_store::keys::Admission;
use docmill_store::settings::Snapshot;

/// How long the dashboard may take for a request to an account.
const DASHBOARD_TIME: Duration = Duration::from_secs(9);

/// An admitted caller.
#[derive(Debug)]
pub struct Caller {
    pub key: StoredKey,
    pub settings: Arc<Snapshot>,
    /// The API request's id; `None` for the dashboard.
    pub request_id: Option<RequestId>,
    /// When the request was admitted. All later steps use this time.
    pub now: Timestamp,
}

impl Caller {
    pub fn account(&self) -> &str {
        &self.key.account
    }

    pub fn plan(&self) -> Plan {
        self.settings.plan(&self.key.plan)
    }

    /// The limits of the caller's jobs. `widest`: the functions' own limits.
    pub fn limits(&self, widest: &Limits) -> Limits {
        widest.clone().narrowed_by(&self.settings.ceilings(&self.key))
    }
}

/// Where a request comes from. Keys can be restricted to origins.
#[derive(Clone, Copy, Debug)]
enum Place<'a> {
    /// A client of the API.
    Client(&'a ApiRequest),
    /// A dashboard page, which has its own sign-in.
    Dashboard,
}

/// Runs `work` for an admitted caller and adds the rate-limit headers to the response.
pub async fn authenticated<F>(context: &Context, request: &ApiRequest, policy: RatePolicy, work: F) -> Response<Body>
where
    F: AsyncFnOnce(Caller) -> Outcome,
{
    let now = clock::now();
    let Guarded { outcome, headers, account } = match Box::pin(enter(context, request, policy, now)).await {
        Ok((admission, settings)) => {
            run(admission, settings, Place::Client(request), policy, now, request.ends_at, work).await
        }
        Err(error) => Guarded::not_let_in(error),
    };
    let mut response = respond(&request.id, outcome, &headers);
    if let Some(noted) = response.extensions_mut().get_mut::<Noted>() {
        noted.account = account;
    }
    response
}

/// Runs `work` for a signed-in user's account, with the account's dashboard key and under the same limits and policy as other
/// keys. The key is created when first needed.
pub async fn as_account<F>(context: &Context, account: &str, mode: Mode, policy: RatePolicy, work: F) -> Outcome
where
    F: AsyncFnOnce(Caller) -> Outcome,
{
    let (now, ends_at) = (clock::now(), Instant::now() + DASHBOARD_TIME);
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
    run(admission, settings, Place::Dashboard, policy, now, ends_at, work).await.outcome
}

/// The outcome of a request.
struct Guarded {
    outcome: Outcome,
    headers: Vec<(HeaderName, String)>,
    account: Option<String>,
}

impl Guarded {
    fn not_let_in(error: impl Into<ApiError>) -> Self {
        Self { outcome: Err(error.into()), headers: Vec::new(), account: None }
    }
}

/// Runs `work` if the key is admitted.
async fn run<F>(
    admission: Admission,
    settings: Arc<Snapshot>,
    place: Place<'_>,
    policy: RatePolicy,
    now: Timestamp,
    ends_at: Instant,
    work: F,
) -> Guarded
where
    F: AsyncFnOnce(Caller) -> Outcome,
{
    let (key, limited) = match admission {
        Admission::Admitted(key) => (key, None),
        Admission::Limited { key, allow_at } => (key, Some(allow_at)),
        Admission::Dead(_) => return Guarded::not_let_in(ErrorCode::RevokedApiKey),
        Admission::Unknown => return Guarded::not_let_in(ErrorCode::InvalidApiKey),
    };
    let headers = rate_limit_headers(&key, policy, now);
    let account = key.account.clone();
    let request_id = match place {
        Place::Client(request) => Some(request.id.clone()),
        Place::Dashboard => None,
    };
    let caller = Caller { key, settings, request_id, now };
    let outcome = match check_account(&caller, place) {
        Err(code) => Err(code.into()),
        Ok(()) => match limited {
            Some(allow_at) => Err(ApiError::rate_limited(wait_seconds(allow_at, now))),
            // Boxed: futures of SDK calls are large, and a handler holds several.
            None => contained(ends_at, Box::pin(work(caller))).await,
        },
    };
    Guarded { outcome, headers, account: Some(account) }
}

/// The key's one conditional update, and the cached settings.
async fn enter(
    context: &Context,
    request: &ApiRequest,
    policy: RatePolicy,
    now: Timestamp,
) -> Result<(Admission, Arc<Snapshot>), ApiError> {
    let bearer = request.bearer().ok_or(ErrorCode::MissingApiKey)?;
    // The checksum avoids a read for malformed keys.
    let hash = ApiKey::parse(&bearer).ok_or(ErrorCode::InvalidApiKey)?.hash();
    let (admission, settings) =
        futures_util::try_join!(context.keys.admit(&hash, policy, now), context.settings.current())?;
    Ok((admission, settings))
}

/// The caller that a key stands for, for work that its account asked for earlier. No request is counted.
pub async fn caller_of(context: &Context, hash: &KeyHash) -> Result<Caller, ApiError> {
    let now = clock::now();
    let (key, settings) = futures_util::try_join!(context.keys.get(hash), context.settings.current())?;
    let key = key.filter(|key| !key.is_dead_at(now)).ok_or(ErrorCode::RevokedApiKey)?;
    let caller = Caller { key, settings, request_id: None, now };
    check_account(&caller, Place::Dashboard)?;
    Ok(caller)
}

fn check_account(caller: &Caller, place: Place<'_>) -> Result<(), ErrorCode> {
    let key = &caller.key;
    if key.suspended {
        return Err(ErrorCode::AccountSuspended);
    }
    if key.mode == Mode::Test && !(key.test_mode && caller.settings.service.test_mode) {
        return Err(ErrorCode::TestModeDisabled);
    }
    match place {
        Place::Client(request) if !key.admits_origin(&caller.plan(), request.origin()) => {
            Err(ErrorCode::OriginNotAllowed)
        }
        Place::Client(_) | Place::Dashboard => Ok(()),
    }
}

fn wait_seconds(allow_at: Timestamp, now: Timestamp) -> u64 {
    // Clamped, in case the last writer's clock was ahead: a client never waits for longer than the window.
    allow_at.millis_since(now).div_ceil(1000).clamp(1, u64::from(RATE_WINDOW_SECONDS))
}

/// draft-ietf-httpapi-ratelimit-headers-11: `q` requests per `w` seconds; `r` are left now, and all are back after `t` seconds.
fn rate_limit_headers(key: &StoredKey, policy: RatePolicy, now: Timestamp) -> Vec<(HeaderName, String)> {
    let limit = key.limiter.limit(policy);
    let (tat, allow_at) = key.limiter.state(policy);
    let remaining = allow_at.map_or(limit.burst, |allow_at| limit.remaining(allow_at, now));
    let reset = tat.map_or(0, |tat| tat.millis_since(now).div_ceil(1000));
    let name = policy.as_str();
    vec![
        (RATE_LIMIT_POLICY, format!("\"{name}\";q={};w={RATE_WINDOW_SECONDS}", limit.per_minute)),
        (RATE_LIMIT, format!("\"{name}\";r={remaining};t={reset}")),
    ]
}
