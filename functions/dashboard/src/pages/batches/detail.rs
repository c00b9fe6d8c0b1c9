//! A batch: how far it is, what failed, and its results.

use docmill_domain::api_key::Mode;
use docmill_domain::batch::{Batch, CancelReason, PauseReason, Reason, State};
use docmill_site::parts::{moment, moment_or, percent};
use maud::{Markup, html};

use super::failures::Failures;
use super::items::Items;
use super::{PATH, Shown, badge, control, download, is_moving, tool};

pub(super) fn page(shown: &Shown<'_>, failures: &Failures, items: &Items) -> Markup {
    let Shown { state, batch, .. } = *shown;
    html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link(PATH)) { "Batches" } } } }
        header.page-head {
            h1 { (tool(state, batch)) }
            p.lead { (batch.total) @if batch.total == 1 { " item" } @else { " items" } ", created " (moment(batch.created_at))
                ". Batch " code { (batch.id) } }
        }
        (live(shown))
        (failures.show(state))
        (items.show(shown))
        (download::section(shown))
    }
}

/// The part that changes. It refreshes itself until nothing happens by itself.
pub(super) fn live(shown: &Shown<'_>) -> Markup {
    let Shown { state, viewer, batch, now } = *shown;
    let again = is_moving(batch).then(|| state.link(&format!("{PATH}/{}/progress", batch.id)));
    let ended = u64::from(batch.tally.ended());
    html! {
        div #progress hx-get=[again.as_ref()] hx-trigger=[again.as_ref().map(|_| "every 2s")] hx-swap="outerHTML" {
            section.card aria-labelledby="status" {
                header.row {
                    h2 #status { "Status" }
                    p role="status" { (badge(batch)) @if batch.mode == Mode::Test { " " span.badge { "test" } } }
                }
                p { (said(batch)) @if again.is_some() { noscript { " Reload the page to see its progress." } } }
                progress max=(batch.total) value=(ended) aria-label="Items that have ended" {
                    (percent(ended, u64::from(batch.total)).unwrap_or_default())
                }
                (counts(batch))
                div.actions { (control::actions(state, viewer, batch, now)) }
                (facts(batch))
            }
        }
    }
}

fn said(batch: &Batch) -> &'static str {
    match batch.state {
        State::Processing => "Jobs are created and run.",
        State::Paused => match batch.reason {
            Some(Reason::Paused(why)) => paused(why),
            Some(Reason::Canceled(_)) | None => "The batch is paused.",
        },
        State::Canceling => "No more jobs are created, and unfinished ones are being canceled.",
        State::Archiving => "All items have ended. The ZIP of the results is being made.",
        State::Completed => "All items have ended.",
        State::Canceled => match batch.reason {
            Some(Reason::Canceled(CancelReason::ItemFailed)) => "An item failed, so the batch was canceled.",
            Some(Reason::Canceled(CancelReason::PausedTooLong)) => {
                "The batch was paused for a week, so it was canceled."
            }
            Some(Reason::Canceled(CancelReason::Requested) | Reason::Paused(_)) | None => "The batch was canceled.",
        },
        State::Deleting => "The batch, its jobs and their results are being deleted.",
    }
}

fn paused(why: PauseReason) -> &'static str {
    match why {
        PauseReason::InsufficientCredits => "Your account is out of credits. Get more, and resume the batch.",
        PauseReason::TestLimitReached => "No test jobs are left for today. Resume the batch tomorrow.",
        PauseReason::RevokedApiKey => {
            "The key of the batch no longer works. If you resume it, it goes on without that key."
        }
        PauseReason::AccountSuspended => "Your account is suspended.",
        PauseReason::TestModeDisabled => "Your account can no longer run test jobs.",
        PauseReason::ToolNotAllowed => "The key or the plan no longer has the tool.",
    }
}

fn counts(batch: &Batch) -> Markup {
    let open = batch.total.saturating_sub(batch.tally.ended());
    let processing = if batch.state.is_ended() { 0 } else { batch.processing.min(open) };
    let counts = [
        ("Waiting", open - processing),
        ("Running", processing),
        ("Completed", batch.tally.completed),
        ("Failed", batch.tally.failed),
        ("Canceled", batch.tally.canceled),
    ];
    html! {
        dl.figures { @for (name, count) in counts { div { dt { (name) } dd.big { (count) } } } }
    }
}

fn facts(batch: &Batch) -> Markup {
    html! {
        dl.details {
            div { dt { "Created" } dd { (moment(batch.created_at)) } }
            @if batch.finished_at.is_some() { div { dt { "Ended" } dd { (moment_or(batch.finished_at, "")) } } }
            div { dt { "Credits" } dd {
                (batch.charged) " charged" @if batch.refunded > 0 { ", " (batch.refunded) " refunded" }
            } }
        }
    }
}
