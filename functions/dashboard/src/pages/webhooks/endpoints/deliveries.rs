//! What was sent to an endpoint: each event with its attempts, and how often and how fast it succeeds.

use docmill_domain::event::{EVENT_RETENTION, event_time};
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::{Attempt, Delivery, DeliveryState, Endpoint};
use docmill_look::code::copyable_code;
use docmill_look::highlight::Syntax;
use docmill_site::error::PageError;
use docmill_site::form::{button_form, select};
use docmill_site::parts::{millis, moment, pager, percent, rough, with_query};
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use docmill_store::events::StoredEvent;
use docmill_store::webhooks::DeliveryFilter;
use maud::{Markup, html};

use super::PATH;

const PAGE: usize = 20;
/// The latest deliveries that the figures are about.
const MEASURED: usize = 200;
const STATUSES: [(&str, &str, &[DeliveryState]); 5] = [
    ("", "All", &[]),
    ("pending", "Pending", &[DeliveryState::Waiting, DeliveryState::Sending]),
    ("delivered", "Delivered", &[DeliveryState::Delivered]),
    ("failed", "Failed", &[DeliveryState::Failed]),
    ("dropped", "Dropped", &[DeliveryState::Dropped]),
];

/// A page of deliveries, with the endpoint's figures.
pub(super) struct Shown {
    status: &'static str,
    is_later: bool,
    found: Vec<(Delivery, Option<StoredEvent>)>,
    next: Option<String>,
    figures: Option<Figures>,
    /// Of the latest deliveries, the newest attempt that failed.
    pub(super) last_failure: Option<Attempt>,
}

/// Of the latest deliveries that have ended.
struct Figures {
    ended: u64,
    delivered: u64,
    /// Median time from the event to the answer of its first attempt.
    delay_ms: u64,
}

pub(super) async fn read(
    state: &AppState,
    endpoint: &Endpoint,
    status: Option<&str>,
    before: Option<&str>,
) -> Result<Shown, PageError> {
    let webhooks = &state.context.webhooks;
    let (status, _, states) = STATUSES.into_iter().find(|(name, ..)| Some(*name) == status).unwrap_or(("", "All", &[]));
    let before = before.filter(|before| event_time(before).is_some()).map(str::to_owned);
    let is_later = before.is_some();
    let filter = DeliveryFilter { states: states.to_vec(), before, ..DeliveryFilter::default() };
    let (found, next) = webhooks.deliveries(&endpoint.account, &endpoint.id, &filter, PAGE).await?;
    let latest = DeliveryFilter::default();
    let (latest, _) = webhooks.deliveries(&endpoint.account, &endpoint.id, &latest, MEASURED).await?;
    let (figures, last_failure) = (figures(&latest), last_failure(&latest));
    let mut with_events = Vec::with_capacity(found.len());
    for delivery in found {
        let event = state.context.events.get(&endpoint.account, &delivery.event, docmill_config::clock::now()).await?;
        with_events.push((delivery, event));
    }
    Ok(Shown { status, is_later, found: with_events, next, figures, last_failure })
}

fn last_failure(latest: &[Delivery]) -> Option<Attempt> {
    let attempts = latest.iter().flat_map(|delivery| &delivery.attempts);
    attempts.filter(|attempt| !attempt.sent.is_success()).max_by_key(|attempt| attempt.sent.at).cloned()
}

fn figures(latest: &[Delivery]) -> Option<Figures> {
    let ended: Vec<_> = latest.iter().filter(|delivery| delivery.state.is_ended()).collect();
    let delivered = ended.iter().filter(|delivery| delivery.state == DeliveryState::Delivered).count();
    let mut delays: Vec<u64> = ended.iter().filter_map(|delivery| delay(delivery)).collect();
    delays.sort_unstable();
    let delay_ms = *delays.get(delays.len() / 2)?;
    Some(Figures {
        ended: u64::try_from(ended.len()).unwrap_or_default(),
        delivered: u64::try_from(delivered).unwrap_or_default(),
        delay_ms,
    })
}

fn delay(delivery: &Delivery) -> Option<u64> {
    let sent = &delivery.attempts.first()?.sent;
    let recorded: Timestamp = event_time(&delivery.event)?;
    Some(sent.at.millis_since(recorded) + sent.ms)
}

pub(super) fn section(state: &AppState, viewer: &Viewer, endpoint: &Endpoint, shown: &Shown) -> Markup {
    let path = |before| {
        with_query(&format!("{PATH}/{}", endpoint.id), &[("status", Some(shown.status.to_owned())), ("before", before)])
    };
    let choices = STATUSES.into_iter().map(|(value, label, _)| (value, label)).collect();
    html! {
        section aria-labelledby="deliveries" {
            h2 #deliveries { "Deliveries" }
            @if let Some(figures) = &shown.figures {
                p { (percent(figures.delivered, figures.ended).unwrap_or_default()) " of the last " (figures.ended) " were delivered. The median time from an event to the first answer is " (millis(figures.delay_ms)) "." }
            }
            p.muted { "Kept for " (rough(EVENT_RETENTION)) "." }
            form.filters method="get" action=(state.link(&format!("{PATH}/{}", endpoint.id))) role="search" aria-label="Filter deliveries" {
                (select("status", "Status", choices).value(shown.status).unmarked())
                button.button type="submit" { "Filter" }
            }
            @if shown.found.is_empty() { p.empty { @if shown.next.is_some() { "No matches yet. Search older deliveries." } @else { "No deliveries." } } }
            @else { ul.events { @for (delivery, event) in &shown.found { li.card { (entry(state, viewer, endpoint, delivery, event.as_ref())) } } } }
            (pager(state, "Pages of deliveries", shown.is_later.then(|| path(None)), shown.next.clone().map(|id| path(Some(id)))))
        }
    }
}

fn entry(
    state: &AppState,
    viewer: &Viewer,
    endpoint: &Endpoint,
    delivery: &Delivery,
    event: Option<&StoredEvent>,
) -> Markup {
    html! {
        details {
            summary {
                (badge(delivery)) " " code { (delivery.kind) } " " span.muted { (moment(delivery.created_at)) }
                @if let Some(last) = delivery.attempts.last() { " " (answer(last)) }
            }
            dl.details {
                div { dt { code { "webhook-id" } } dd { code { (delivery.event) } } }
                @if let (DeliveryState::Waiting, Some(due)) = (delivery.state, delivery.due) {
                    div { dt { "Next try" } dd { (moment(due)) } }
                }
                @if let Some(dropped) = delivery.dropped { div { dt { "Dropped" } dd { code { (dropped.as_str()) } } } }
            }
            @for attempt in delivery.attempts.iter().rev() { (attempt_entry(attempt)) }
            @if let (Some(event), Some(last), Some(url)) = (event, delivery.attempts.last(), endpoint.destination.url()) {
                details { summary { "Repeat the last request with curl" } (copyable_code(&format!("curl-{}", delivery.event), Syntax::Shell, &curl(url, event, last))) }
            }
            @if delivery.state.is_ended() && endpoint.disabled.is_none() {
                (button_form(state, viewer, &format!("{PATH}/{}/replay", endpoint.id), "Send again", "", &[("event", &delivery.event)]))
            }
        }
    }
}

fn badge(delivery: &Delivery) -> Markup {
    html! { @match delivery.state {
        DeliveryState::Waiting | DeliveryState::Sending => span.badge.warn { "Pending" },
        DeliveryState::Delivered => span.badge.success { "Delivered" },
        DeliveryState::Failed => span.badge.danger { "Failed" },
        DeliveryState::Dropped => span.badge { "Dropped" },
    } }
}

fn attempt_entry(attempt: &Attempt) -> Markup {
    let sent = &attempt.sent;
    html! {
        p {
            (moment(sent.at)) ", " (millis(sent.ms)) ": " (answer(attempt))
        }
        @if !sent.answer.is_empty() { pre.wrap { code { (sent.answer) } } }
    }
}

/// The status of the answer, or why there was none.
pub(super) fn answer(attempt: &Attempt) -> Markup {
    html! {
        @match (attempt.sent.status, &attempt.sent.error) {
            (Some(status), _) => strong { (status) },
            (None, Some(error)) => (error),
            (None, None) => "no answer",
        }
    }
}

/// The command that sends the same request.
fn curl(url: &str, event: &StoredEvent, attempt: &Attempt) -> String {
    let seconds = attempt.sent.at.as_millis().div_euclid(1000);
    let lines = [
        format!("curl -i {}", quoted(url)),
        "-H 'content-type: application/json'".to_owned(),
        format!("-H 'webhook-id: {}'", event.id),
        format!("-H 'webhook-timestamp: {seconds}'"),
        format!("-H 'webhook-signature: {}'", attempt.signature),
        format!("--data-raw {}", quoted(&event.body())),
    ];
    lines.join(" \\\n  ")
}

/// For a shell: in single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::event::{EventKind, new_event_id};
    use docmill_domain::webhook::{DeliveryId, EndpointId, Sent};
    use serde_json::json;

    const NOW: Timestamp = Timestamp(1_795_176_000_000);

    fn ended(state: DeliveryState, answered_after_ms: i64) -> Delivery {
        let id = DeliveryId { account: "a".into(), endpoint: EndpointId::new(), event: new_event_id(NOW) };
        let at = Timestamp(NOW.as_millis() + answered_after_ms);
        let sent = Sent { at, ms: 10, status: Some(200), answer: String::new(), error: None };
        let attempts = vec![Attempt { sent, signature: "v1,x".into() }];
        Delivery { state, attempts, ..Delivery::new(&id, "job.completed", None, NOW) }
    }

    #[test]
    fn figures_are_of_deliveries_that_have_ended() {
        let latest = [
            ended(DeliveryState::Delivered, 100),
            ended(DeliveryState::Failed, 300),
            ended(DeliveryState::Delivered, 200),
            ended(DeliveryState::Waiting, 9000),
        ];
        let Figures { ended, delivered, delay_ms } = figures(&latest).unwrap();
        assert_eq!((ended, delivered, delay_ms), (3, 2, 210));
        assert!(figures(&latest[3..]).is_none());
    }

    #[test]
    fn the_command_survives_a_shell() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
        let event = StoredEvent::new("a", EventKind::JobCompleted, NOW, json!({"name": "it's"}));
        let delivery = ended(DeliveryState::Delivered, 0);
        let command = curl("https://a.example/?x=1&y=2", &event, &delivery.attempts[0]);
        assert!(command.starts_with("curl -i 'https://a.example/?x=1&y=2' \\\n"));
        assert!(command.contains(r"it'\''s") && command.contains("webhook-timestamp: 1795176000'"));
    }
}
