//! Admits requests: authenticates, rate-limits, and checks key and account.

use docmill_app::caller::{Caller, Entrance, Place, enter};
use docmill_app::context::Context;
use docmill_app::deadline::contained;
use docmill_config::clock;
use docmill_domain::account::StoredKey;
use docmill_domain::api_key::ApiKey;
use docmill_domain::quota::{RATE_WINDOW_SECONDS, RatePolicy};
use docmill_domain::time::Timestamp;
use lambda_http::Body;
use lambda_http::http::{HeaderName, Response};

use super::envelope::{Noted, NotedCaller, Outcome, RATE_LIMIT, RATE_LIMIT_POLICY, respond};
use super::error::{ApiError, ErrorCode};
use super::request::ApiRequest;

/// Runs `work` for an admitted caller and adds the rate-limit headers to the response.
pub async fn authenticated<F>(context: &Context, request: &ApiRequest, policy: RatePolicy, work: F) -> Response<Body>
where
    F: AsyncFnOnce(Caller) -> Outcome,
{
    let now = clock::now();
    let entrance = match Box::pin(entrance(context, request, policy, now)).await {
        Ok(entrance) => entrance,
        Err(error) => return respond(&request.id, Err(error), &[]),
    };
    // A key that no longer works has no limit to tell of.
    let headers = if entrance.is_dead() { Vec::new() } else { rate_limit_headers(entrance.key(), policy, now) };
    let caller = Box::new(NotedCaller::from(entrance.key()));
    let outcome = match entrance.admitted() {
        Ok(caller) => {
            let caller = Caller { request_id: Some(request.id.to_string()), ..caller };
            // Boxed: futures of SDK calls are large, and a handler holds several.
            contained(request.ends_at, Box::pin(work(caller))).await
        }
        Err(denied) => Err(denied.into()),
    };
    let mut response = respond(&request.id, outcome, &headers);
    if let Some(noted) = response.extensions_mut().get_mut::<Noted>() {
        noted.caller = Some(caller);
    }
    response
}

async fn entrance(
    context: &Context,
    request: &ApiRequest,
    policy: RatePolicy,
    now: Timestamp,
) -> Result<Entrance, ApiError> {
    let bearer = request.bearer().ok_or_else(|| missing_key(request))?;
    // The checksum avoids a read for malformed keys.
    let hash = ApiKey::parse(&bearer).ok_or(ErrorCode::InvalidApiKey)?.hash();
    Ok(enter(context, &hash, policy, Place::Client(request.origin()), now).await?)
}

/// Tells a client that sends its key in another way what to change.
fn missing_key(request: &ApiRequest) -> ApiError {
    let error = ApiError::from(ErrorCode::MissingApiKey);
    match request.other_credentials() {
        Some(place) => {
            error.with_message(format!("{place} is not read. Send the key as `Authorization: Bearer <API_KEY>`."))
        }
        None => error,
    }
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
