//! `GET /v1/account/usage`: credits, jobs and limits of the current month, or counts for a range of days.

mod range;

use std::sync::Arc;

use docmill_app::caller::Caller;
use docmill_app::context::Context;
use docmill_domain::api_key::Mode;
use docmill_domain::quota::RatePolicy;
use docmill_domain::usage::{CreditsLeft, JobCounts, PeriodView, RateLimitView, RateLimits, ToolUsage, UsageView};
use docmill_http::accept::Accept;
use docmill_http::body::{UsageBody, UsageReport};
use docmill_http::envelope::Reply;
use docmill_http::error::ApiError;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use docmill_store::usage::MonthlyUsage;
use lambda_http::Body;
use lambda_http::http::Response;

use self::range::Range;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let wanted = Range::parse(&request.query, caller.now).map_err(ApiError::validation)?;
        if let Some(range) = wanted {
            let groups = context.usage.grouped(caller.account(), &range.from, &range.to, range.group_by).await?;
            let as_csv = Accept::of(&request.headers).prefers("text/csv");
            return Ok(if as_csv { range.csv(&groups) } else { range.json(&groups) });
        }
        let usage = context.usage.of_month(caller.account(), caller.now.period()).await?;
        Ok(Reply::ok(UsageBody { usage: UsageReport::Month(view(&caller, &usage)) }))
    })
    .await
}

/// Included credits lapse at the end of the period; granted ones carry over. `remaining` is the sum. Credits and created jobs are
/// current; other counts are updated every minute.
fn view(caller: &Caller, usage: &MonthlyUsage) -> UsageView {
    let period = caller.now.period();
    let included = caller.plan().included_credits;
    let pots = &usage.credits.pots;
    let total = usage.total();
    let by_tool = usage.by_tool().into_iter().map(|(slug, counts)| ToolUsage {
        tool_slug: slug.to_owned(),
        jobs: counts.created,
        credits: counts.credits(),
    });
    let limit = |policy| RateLimitView::of(caller.key.limiter.limit(policy).per_minute);
    UsageView {
        period: PeriodView { start: period.start().into(), end: period.end().into() },
        plan: caller.key.plan.clone(),
        test_mode: caller.key.mode == Mode::Test,
        credits: CreditsLeft {
            included,
            used: usage.credits.used,
            remaining: pots.included_left(included) + pots.granted_left(),
            resets_at: period.end().into(),
        },
        jobs: JobCounts {
            created: usage.credits.created,
            completed: total.completed,
            failed: total.failed,
            canceled: total.canceled,
        },
        by_tool: by_tool.collect(),
        rate_limit: RateLimits { create: limit(RatePolicy::Create), read: limit(RatePolicy::Read) },
    }
}
