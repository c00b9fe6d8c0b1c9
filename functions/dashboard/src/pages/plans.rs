//! Plans and prices: offered plans, prices of tools, and where to ask for credits.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use docmill_domain::account::Plan;
use docmill_domain::limits::Limits;
use docmill_domain::offer::{Contact, Offer};
use docmill_look::number::grouped;
use docmill_site::layout::Page;
use docmill_site::listing::{Listing, by_category, category_title, tier_name};
use docmill_site::parts::{bytes, rough};
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};

pub fn routes() -> Router<AppState> {
    Router::new().route("/plans", get(show))
}

async fn show(State(state): State<AppState>, viewer: Viewer) -> Response {
    let service = &viewer.settings.service;
    let offered = viewer.settings.offered_plans();
    let tools = Listing::shown(&state, &viewer, |visibility| visibility.category);
    let content = html! {
        header.page-head {
            h1 { "Plans and prices" }
            p.lead { "You pay for documents in credits. Failed jobs and test keys cost nothing." }
        }
        @if !offered.is_empty() {
            section aria-labelledby="plans" {
                h2 #plans { "Plans" }
                ul.cards { @for (plan, offer) in &offered {
                    @let limits = state.context.config.limits.clone()
                        .narrowed_by(&service.limits.clone().and(&plan.limits));
                    (card(plan, offer, &limits))
                } }
            }
        }
        @if let Some(contact) = &service.credits_contact { (ask(contact)) }
        @if !tools.is_empty() {
            section aria-labelledby="costs" {
                h2 #costs { "Cost of each tool" }
                p.muted { "A job with several steps costs the sum of its tools. A plan includes the tools of its tier and below." }
                (costs(&state, &tools))
            }
        }
    };
    Page::new("Plans and prices", content)
        .summary("Plans of Docmill, with their credits, limits and prices, and the cost of each tool.")
        .respond(&state, &viewer)
}

fn ask(contact: &Contact) -> Markup {
    html! { p { "For another plan or more credits, contact " a href=(contact.as_url()) { (contact) } "." } }
}

fn card(plan: &Plan, offer: &Offer, limits: &Limits) -> Markup {
    html! {
        li.card {
            h3 { (offer.title) }
            p { strong { (offer.price) } }
            ul {
                li { (grouped(plan.included_credits)) " credits per month" }
                li { @match &plan.allowed_tools {
                    None => { "Tools up to tier " (tier_name(plan.tier)) }
                    Some(tools) if tools.len() == 1 => "1 tool",
                    Some(tools) => { (tools.len()) " tools" }
                } }
                li { (plan.create_limit.per_minute) " jobs per minute and key" }
                li { "Files up to " (bytes(limits.source_bytes)) ", results up to " (grouped(u64::from(limits.pages))) " pages" }
                li { "Up to " (rough(limits.conversion)) " per conversion" }
            }
        }
    }
}

fn costs(state: &AppState, tools: &[Listing<'_>]) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label="Tools and their cost" {
            table {
                thead { tr { th scope="col" { "Tool" } th scope="col" { "Category" } th scope="col" { "Cost" } th scope="col" { "Tier" } } }
                tbody { @for (category, members) in by_category(tools) { @for listing in members {
                    tr {
                        th scope="row" { a href=(state.link(&listing.path())) { (listing.name) } }
                        td { (category_title(category)) }
                        td { (listing.price()) }
                        td { (tier_name(listing.settings.access_tier)) }
                    }
                } } }
            }
        }
    }
}

/// Other plans, on the account's overview. Empty if no plans are listed and there is no contact.
pub fn section(state: &AppState, viewer: &Viewer, own: &str) -> Markup {
    let offered = viewer.settings.offered_plans();
    let contact = viewer.settings.service.credits_contact.as_ref();
    html! {
        @if !offered.is_empty() || contact.is_some() {
            section aria-labelledby="plans" {
                header.row {
                    h2 #plans { "Plans" }
                    a href=(state.link("/plans")) { "Plans and prices" }
                }
                @if !offered.is_empty() {
                    div.table-frame tabindex="0" role="region" aria-label="Plans on offer" {
                        table {
                            thead { tr { th scope="col" { "Plan" } th scope="col" { "Price" } th scope="col" { "Credits per month" } th scope="col" { "Tier" } } }
                            tbody { @for (plan, offer) in &offered {
                                tr {
                                    th scope="row" { (offer.title) @if plan.id == own { " " span.badge { "your plan" } } }
                                    td { (offer.price) }
                                    td { (grouped(plan.included_credits)) }
                                    td { (tier_name(plan.tier)) }
                                }
                            } }
                        }
                    }
                }
                @if let Some(contact) = contact { (ask(contact)) }
            }
        }
    }
}
