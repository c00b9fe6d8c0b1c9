//! Lets a request in: authenticates, rate-limits, and checks the standing of key and account.

use std::sync::Arc;

use lambda_http::Body;
use lambda_http::http::{HeaderName, Response};

use super::envelope::{Noted, Outcome, RATE_LIMIT, RATE_LIMIT_POLICY, respond};
use super::error::{ApiError, ErrorCode};
use super::request::ApiRequest;
use super::serve::contained;
use crate::clock;
use crate::context::Context;
use crate::domain::account::{Plan, StoredKey};
use crate::domain::api_key::{ApiKey, Mode};
use crate::domain::quota::{RATE_WINDOW_SECONDS, RatePolicy};
use crate::domain::time::Timestamp;
use crate::store::keys::Admission;
use crate::store::settings::Snapshot;

/// Who is asking, once they were let in.
#[derive(Debug)]
pub struct Caller {
    pub key: StoredKey,
    pub settings: Arc<Snapshot>,
    /// The moment the request was let in: one `now` for all that follows.
    pub now: Timestamp,
}

impl Caller {
    pub fn account(&self) -> &str {
        &self.key.account
    }

    pub fn plan(&self) -> Plan {
        self.settings.plan(&self.key.plan)
    }
}

/// Runs `work` for a caller that was let in, and puts the rate-limit headers on whatever comes of it.
pub async fn authenticated<F>(context: &Context, request: &ApiRequest, policy: RatePolicy, work: F) -> Response<Body>
where
    F: AsyncFnOnce(Caller) -> Outcome,
{
    let now = clock::now();
    let (admission, settings) = match Box::pin(enter(context, request, policy, now)).await {
        Ok(entered) => entered,
        Err(error) => return respond(&request.id, Err(error), &[]),
    };
    let (key, limited) = match admission {
        Admission::Admitted(key) => (key, None),
        Admission::Limited { key, allow_at } => (key, Some(allow_at)),
        Admission::Dead(_) => return respond(&request.id, Err(ErrorCode::RevokedApiKey.into()), &[]),
        Admission::Unknown => return respond(&request.id, Err(ErrorCode::InvalidApiKey.into()), &[]),
    };
    let headers = rate_limit_headers(&key, policy, now);
    let account = key.account.clone();
    let caller = Caller { key, settings, now };
    let outcome = match check_standing(&caller, request) {
        Err(code) => Err(code.into()),
        Ok(()) => match limited {
            Some(allow_at) => Err(ApiError::rate_limited(wait_seconds(allow_at, now))),
            // Boxed: the futures of SDK calls are large, and a handler holds several.
            None => contained(Box::pin(work(caller))).await,
        },
    };
    let mut response = respond(&request.id, outcome, &headers);
    if let Some(noted) = response.extensions_mut().get_mut::<Noted>() {
        noted.account = Some(account);
    }
    response
}

/// The key's one conditional update, beside the settings, which are cached.
async fn enter(
    context: &Context,
    request: &ApiRequest,
    policy: RatePolicy,
    now: Timestamp,
) -> Result<(Admission, Arc<Snapshot>), ApiError> {
    let bearer = request.bearer().ok_or(ErrorCode::MissingApiKey)?;
    // The checksum spares malformed keys a read.
    let hash = ApiKey::parse(&bearer).ok_or(ErrorCode::InvalidApiKey)?.hash();
    let (admission, settings) =
        futures_util::try_join!(context.keys.admit(&hash, policy, now), context.settings.current())?;
    Ok((admission, settings))
}

fn check_standing(caller: &Caller, request: &ApiRequest) -> Result<(), ErrorCode> {
    let key = &caller.key;
    if key.suspended {
        return Err(ErrorCode::AccountSuspended);
    }
    if key.mode == Mode::Test && !(key.test_mode && caller.settings.service.test_mode) {
        return Err(ErrorCode::TestModeDisabled);
    }
    if !key.admits_origin(&caller.plan(), request.origin()) {
        return Err(ErrorCode::OriginNotAllowed);
    }
    Ok(())
}

fn wait_seconds(allow_at: Timestamp, now: Timestamp) -> u64 {
    // A clock that was ahead when it wrote must not send a client away for longer than the window.
    allow_at.millis_since(now).div_ceil(1000).clamp(1, u64::from(RATE_WINDOW_SECONDS))
}

/// draft-ietf-httpapi-ratelimit-headers-11: `q` requests per `w` seconds; `r` left now, all back after `t` seconds.
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
