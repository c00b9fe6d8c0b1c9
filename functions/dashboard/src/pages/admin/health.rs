//! The service's health: queues, dead letters, the sweeper, and recent failures.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use docmill_aws::queue::{DeadLetters, Depth};
use docmill_config::clock;
use docmill_domain::job::{JobErrorCode, JobStatus};
use docmill_domain::outcome::{Fault, Tally, tally};
use docmill_domain::time::{Timestamp, millis};
use docmill_domain::tool::QueueName;
use docmill_site::error::PageError;
use docmill_site::layout::page;
use docmill_site::parts::{moment, percent};
use docmill_site::state::AppState;
use docmill_site::viewer::AdminUser;
use docmill_site::viewer::Viewer;
use docmill_store::health::{OpenJob, RecentEnds, Sweep};
use maud::{Markup, html};

/// The sweeper runs every minute: silence for three minutes means that something is wrong.
const SWEEPER_SILENCE: Duration = Duration::from_secs(180);
/// The collector of the log of requests notes at least every half an hour how far it is.
const COLLECTOR_SILENCE: Duration = Duration::from_secs(2400);
/// The same as for the alarm on a backlog.
const LONG_WAIT: Duration = Duration::from_secs(300);
/// Most error codes that are listed for each engine.
const NAMED_CODES: usize = 3;

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/admin/health", get(show))
}

/// A queue and its dead letters. A queue that does not respond is shown as such, and others are still shown.
struct QueueState {
    name: &'static str,
    depth: Option<Depth>,
    dead: Dead,
}

/// The dead letters of a queue.
enum Dead {
    /// It has none: its messages only hurry, and the sweeper sends them again.
    None,
    Unknown,
    Counted(u64),
}

/// What the sweeper does if nobody else has: webhooks to deliver, and batches to go on with.
struct Overdue {
    name: &'static str,
    since: Option<Timestamp>,
}

/// The content of the page.
pub(crate) struct Health {
    now: Timestamp,
    queues: Vec<QueueState>,
    overdue: Vec<Overdue>,
    sweep: Option<Sweep>,
    collected: Option<Timestamp>,
    unfinished: Vec<OpenJob>,
    ends: RecentEnds,
}

/// May run for any visitor, but only administrators are shown the result.
pub(crate) async fn read(state: &AppState) -> Result<Health, PageError> {
    let (health, now) = (&state.context.health, clock::now());
    let conversions = futures_util::future::join_all(QueueName::ALL.map(|name| queue_state(state, name)));
    let (mut queues, hurrying, batches, deliveries, sweep, collected, unfinished, ends) = futures_util::join!(
        conversions,
        hurrying_queues(state),
        state.context.batches.due_since(now),
        state.context.webhooks.due_since(now),
        health.last_sweep(),
        health.collected(),
        health.unfinished(),
        health.recent_ends(now)
    );
    queues.extend(hurrying);
    let overdue = vec![Overdue { name: "Webhooks", since: deliveries? }, Overdue { name: "Batches", since: batches? }];
    Ok(Health { now, queues, overdue, sweep: sweep?, collected: collected?, unfinished: unfinished?, ends: ends? })
}

async fn show(
    State(state): State<AppState>,
    viewer: Viewer,
    AdminUser(admin): AdminUser,
) -> Result<Response, PageError> {
    let health = viewer.read_or(&admin, read(&state)).await?;
    let Health { now, queues, overdue, sweep, collected, unfinished, ends } = &*health;
    let now = *now;
    let content = html! {
        header.page-head {
            h1 { "Health" }
            p.lead { "As of " (time(now)) ". Reload for current numbers. Alarms work independently of this page." }
        }
        section aria-labelledby="queues" { h2 #queues { "Queues" } (queues_table(queues)) }
        section aria-labelledby="waiting" { h2 #waiting { "Waiting longest" } (waiting(unfinished, now)) (overdue_list(overdue, now)) }
        section aria-labelledby="failures" { h2 #failures { "Failures" } (failures(ends)) }
        section aria-labelledby="sweeper" { h2 #sweeper { "Sweeper" } (sweeper(sweep.as_ref(), now)) }
        section aria-labelledby="requests" { h2 #requests { "Log of requests" } (request_log(*collected, now)) }
    };
    Ok(page(&state, &viewer, "Health", content))
}

async fn queue_state(state: &AppState, name: QueueName) -> QueueState {
    let (context, queues) = (&state.context, state.context.queue());
    let dead = async {
        let url = context.config.dead_letters_url(name).map_err(|error| error.to_string())?;
        DeadLetters::new(context.aws.sqs(), url.to_owned()).depth().await.map_err(|error| error.to_string())
    };
    let (depth, dead) = futures_util::join!(queues.depth(name), dead);
    let depth = depth.inspect_err(|error| tracing::warn!(queue = name.as_str(), %error, "queue did not respond")).ok();
    let dead =
        dead.inspect_err(|error| tracing::warn!(queue = name.as_str(), error, "could not count dead letters")).ok();
    let dead = dead.map_or(Dead::Unknown, |dead| Dead::Counted(dead.waiting + dead.in_work));
    QueueState { name: name.as_str(), depth, dead }
}

/// The queues whose messages only hurry.
async fn hurrying_queues(state: &AppState) -> [QueueState; 3] {
    let queue = state.context.queue();
    let (events, deliveries, batches) =
        futures_util::join!(queue.events_depth(), queue.deliveries_depth(), queue.batches_depth());
    [("webhooks: new events", events), ("webhooks: slow and again", deliveries), ("batches", batches)].map(
        |(name, depth)| {
            let depth = depth.inspect_err(|error| tracing::warn!(queue = name, %error, "queue did not respond")).ok();
            QueueState { name, depth, dead: Dead::None }
        },
    )
}

fn queues_table(queues: &[QueueState]) -> Markup {
    let count =
        |depth: Option<u64>| html! { @match depth { Some(count) => (count), None => span.badge.warn { "unknown" } } };
    html! {
        div.table-frame tabindex="0" role="region" aria-label="Queues and their messages" {
            table {
                thead { tr {
                    th scope="col" { "Queue" } th.number scope="col" { "Waiting" } th.number scope="col" { "Running" }
                    th.number scope="col" { "Dead letters" }
                } }
                tbody { @for queue in queues {
                    tr {
                        th scope="row" { (queue.name) }
                        td.number { (count(queue.depth.map(|depth| depth.waiting))) }
                        td.number { (count(queue.depth.map(|depth| depth.in_work))) }
                        td.number { @match queue.dead {
                            Dead::None => span.muted { "none kept" },
                            Dead::Unknown => (count(None)),
                            Dead::Counted(0) => "0",
                            Dead::Counted(dead) => span.badge.bad { (dead) },
                        } }
                    }
                } }
            }
        }
        p.muted { "SQS counts approximately. To send dead letters again, run " code { "docmill-admin queue redrive" } "." }
    }
}

fn waiting(unfinished: &[OpenJob], now: Timestamp) -> Markup {
    let Some(oldest) = unfinished.first() else {
        return html! { p.empty { "No jobs are waiting or running." } };
    };
    let age = Duration::from_millis(now.millis_since(oldest.created_at));
    html! {
        dl.figures {
            div { dt { "Oldest unfinished job" } dd.big {
                (duration(age)) @if age > LONG_WAIT { " " span.badge.warn { "long" } }
            } }
            div { dt { "Its tool" } dd { code { (oldest.tool) } } }
            div { dt { "State" } dd { (status(oldest.status)) ", attempt " (oldest.attempts) } }
            div { dt { "Job" } dd { code { (oldest.id) } } }
        }
        p.muted { "Only the hundred unfinished jobs that are due next are compared. In a large backlog, others may have waited longer." }
    }
}

fn overdue_list(overdue: &[Overdue], now: Timestamp) -> Markup {
    html! {
        dl.figures { @for Overdue { name, since } in overdue {
            div { dt { (name) ": most overdue" } dd { @match since {
                None => "nothing is overdue",
                Some(since) => {
                    @let age = Duration::from_millis(now.millis_since(*since));
                    (duration(age)) @if age > LONG_WAIT { " " span.badge.warn { "long" } }
                }
            } } }
        } }
    }
}

fn status(status: JobStatus) -> &'static str {
    match status {
        JobStatus::Queued => "waiting",
        JobStatus::Processing => "running",
        JobStatus::Completed | JobStatus::Failed | JobStatus::Expired | JobStatus::Canceled | JobStatus::Deleted => {
            "ended"
        }
    }
}

fn failures(ends: &RecentEnds) -> Markup {
    if ends.outcomes.is_empty() {
        return html! { p.empty { "No jobs have finished in the last 24 hours." } };
    }
    let tallies = tally(&ends.outcomes);
    html! {
        p.muted {
            "These are the last " (ends.outcomes.len()) " jobs that ended, including those of test keys: all that ended since "
            (moment(ends.since)) "."
        }
        div.table-frame tabindex="0" role="region" aria-label="Failures by tool and engine" {
            table {
                thead { tr {
                    th scope="col" { "Tool" } th scope="col" { "Engine" } th.number scope="col" { "Jobs" }
                    th.number scope="col" { "Failed" } th.number scope="col" { "Source" } th.number scope="col" { "Service" }
                    th scope="col" { "Most frequent codes" }
                } }
                tbody { @for tally in &tallies { (failures_row(tally)) } }
            }
        }
        p.muted {
            strong { "Source" } ": caused by the source, the document or the options. "
            strong { "Service" } ": timeouts, crashed engines and errors of the service. "
            "Without an engine: the job ended before an engine started, or its worker died."
        }
    }
}

fn failures_row(tally: &Tally) -> Markup {
    let (jobs, failed, service) = (tally.jobs, tally.failed(), tally.failed_through(Fault::Service));
    let named: Vec<_> = tally.errors.iter().take(NAMED_CODES).collect();
    html! {
        tr {
            th scope="row" { code { (tally.tool) } }
            td { @match &tally.engine { Some(engine) => (engine), None => span.muted { "–" } } }
            td.number { (jobs) }
            td.number { (failed) @if let Some(share) = share(failed, jobs) { " " span.muted { "(" (share) ")" } } }
            td.number { (tally.failed_through(Fault::Source)) }
            td.number { @if service > 0 { span.badge.bad { (service) } } @else { "0" } }
            td {
                @if named.is_empty() { span.muted { "none" } }
                @for (position, (code, count)) in named.iter().enumerate() { @if position > 0 { ", " } (named_code(*code, *count)) }
                @if tally.errors.len() > NAMED_CODES { span.muted { ", and others" } }
            }
        }
    }
}

fn named_code(code: JobErrorCode, count: usize) -> Markup {
    html! { code title=(code.meaning()) { (code.as_str()) } " " (count) }
}

fn share(part: usize, whole: usize) -> Option<String> {
    percent(u64::try_from(part).ok()?, u64::try_from(whole).ok()?)
}

/// The requests that came after this time are not stored yet. Pages find these for a while in the log group.
fn request_log(collected: Option<Timestamp>, now: Timestamp) -> Markup {
    html! { p { @match collected {
        None => { "No request has been collected yet. " span.badge.warn { "never" } }
        Some(until) => {
            "Collected until " (time(until)) "."
            @if now.millis_since(until) > millis(COLLECTOR_SILENCE) { " " span.badge.warn { "late" } " infra/OPERATIONS.md, Requests of accounts, says what to look at." }
        }
    } } }
}

fn sweeper(sweep: Option<&Sweep>, now: Timestamp) -> Markup {
    let Some(sweep) = sweep else {
        return html! { p.note.warn { "The sweeper has not run yet. It should run once a minute." } };
    };
    let ago = Duration::from_millis(now.millis_since(sweep.at));
    html! {
        @if ago > SWEEPER_SILENCE {
            p.note.danger { "The sweeper has not run for " (duration(ago)) ". Lost jobs are not being repaired." }
        }
        dl.figures {
            div { dt { "Last run" } dd { (duration(ago)) " ago" } }
            div { dt { "Sent again" } dd { (sweep.resent) } }
            div { dt { "Released" } dd { (sweep.released) } }
            div { dt { "Failed for good" } dd { (sweep.failed) } }
            div { dt { "Expired" } dd { (sweep.expired) } }
            div { dt { "Not repaired" } dd { @if sweep.errors > 0 { span.badge.bad { (sweep.errors) } } @else { "0" } } }
        }
    }
}

fn time(at: Timestamp) -> Markup {
    let full = at.to_string();
    html! { time datetime=(full) { (full.get(11..19).unwrap_or(&full)) " UTC" } }
}

/// In the largest suitable unit.
fn duration(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..=119 => format!("{seconds} s"),
        seconds @ 120..=7199 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_sweeper_and_one_that_never_ran_are_noticed() {
        let now = Timestamp(10_000_000);
        let sweep = |seconds: i64| Sweep {
            at: Timestamp(now.0 - seconds * 1000),
            resent: 1,
            released: 2,
            failed: 0,
            expired: 3,
            errors: 0,
        };
        assert!(!sweeper(Some(&sweep(60)), now).into_string().contains("note"));
        assert!(sweeper(Some(&sweep(181)), now).into_string().contains("not run for 3 min"));
        assert!(sweeper(None, now).into_string().contains("has not run yet"));
    }

    #[test]
    fn dead_letters_stand_out_and_an_unknown_count_is_no_zero() {
        let depth = |waiting| Some(Depth { waiting, in_work: 0 });
        let table = |dead| queues_table(&[QueueState { name: "office", depth: depth(7), dead }]).into_string();
        assert!(table(Dead::Counted(2)).contains("<span class=\"badge bad\">2</span>"));
        assert!(!table(Dead::Counted(0)).contains("badge"));
        assert!(table(Dead::Unknown).contains("unknown"));
    }

    #[test]
    fn failures_are_counted_by_cause_and_engine() {
        use docmill_domain::outcome::Outcome;
        let outcome = |engine: Option<&str>, error| Outcome {
            tool: "office-to-pdf".into(),
            engine: engine.map(str::to_owned),
            error,
        };
        let outcomes = vec![
            outcome(Some("libreoffice"), None),
            outcome(Some("libreoffice"), Some(JobErrorCode::EngineCrashed)),
            outcome(Some("libreoffice"), Some(JobErrorCode::CorruptDocument)),
            outcome(None, Some(JobErrorCode::SourceForbidden)),
        ];
        let shown = failures(&RecentEnds { outcomes, since: Timestamp(0) }).into_string();
        assert!(shown.contains("the last 4 jobs"), "{shown}");
        let rows: Vec<_> = shown.split("<tr>").filter(|row| row.contains("<th scope=\"row\">")).collect();
        let [without, with] = rows[..] else { panic!("{rows:?}") };
        assert!(
            without.contains("–") && without.contains("100.0%") && without.contains("source_forbidden"),
            "{without}"
        );
        assert!(!without.contains("badge"), "{without}");
        assert!(with.contains("libreoffice") && with.contains("66.7%"), "{with}");
        assert!(with.contains("<span class=\"badge bad\">1</span>"), "{with}");
        assert!(with.contains("engine_crashed</code> 1") && with.contains("corrupt_document</code> 1"), "{with}");
        let nothing = failures(&RecentEnds { outcomes: Vec::new(), since: Timestamp(0) }).into_string();
        assert!(nothing.contains("No jobs have finished"), "{nothing}");
    }

    #[test]
    fn times_use_the_largest_suitable_unit() {
        let told = [0, 119, 120, 7199, 7200].map(|seconds| duration(Duration::from_secs(seconds)));
        assert_eq!(told, ["0 s", "119 s", "2 min", "119 min", "2 h"]);
    }
}
