//! What this account may use, and what it costs.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use docmill::domain::account::Plan;
use maud::{Markup, html};

use super::public::{Listing, tier_name};
use crate::layout::{page, state_badge};
use crate::session::SignedIn;
use crate::state::AppState;
use crate::visit::Viewer;

pub fn routes() -> Router<AppState> {
    Router::new().route("/app/tools", get(show))
}

async fn show(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Response {
    let plan = viewer.settings.plan(&user.profile.plan);
    let tools: Vec<_> = Listing::all(&state, &viewer).filter(|listing| is_usable(listing, &plan)).collect();
    let content = html! {
        header.page-head {
            h1 { "Tools" }
            p.lead { "What the keys of this account may use, on the plan " code { (plan.id) } "." }
        }
        @if tools.is_empty() { p.empty { "Your plan includes no tool at the moment. Please contact whoever runs this service." } }
        @else { (table(&state, &tools)) }
    };
    page(&state, &viewer, "Tools", content)
}

/// As the API's list decides for a key without limits of its own.
fn is_usable(listing: &Listing<'_>, plan: &Plan) -> bool {
    let slug = &listing.definition.slug;
    listing.settings.page_visibility.api && plan.allowed_tools.as_ref().is_none_or(|allowed| allowed.contains(slug))
}

fn table(state: &AppState, tools: &[Listing<'_>]) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label="Tools of this account" {
            table {
                thead { tr {
                    th scope="col" { "Tool" } th scope="col" { "What it does" } th scope="col" { "Price" }
                    th scope="col" { "Access" } th scope="col" { span.quiet { "Try" } }
                } }
                tbody { @for listing in tools {
                    tr {
                        th scope="row" {
                            @if listing.settings.page_visibility.public { a href=(state.link(&listing.path())) { (listing.name) } }
                            @else { (listing.name) }
                            (state_badge(listing.settings.state))
                            br; code { (listing.definition.slug) }
                        }
                        td { (listing.description()) }
                        td { (listing.price()) }
                        td { (tier_name(listing.settings.access_tier)) }
                        td { a.button href=(state.link(&format!("/app/playground?tool={}", listing.definition.slug))) { "Try it" } }
                    }
                } }
            }
        }
    }
}
