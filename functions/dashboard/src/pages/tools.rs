//! The tools that this account can use, with prices.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use docmill_site::layout::{page, state_badge};
use docmill_site::listing::{Listing, tier_name};
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};

pub fn routes() -> Router<AppState> {
    Router::new().route("/app/tools", get(show))
}

async fn show(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Response {
    let tools = Listing::usable(&state, &viewer, &user);
    let content = html! {
        header.page-head {
            h1 { "Your tools" }
            p.lead { "The tools that you can use on the plan " code { (user.profile.plan) } "." }
        }
        @if tools.is_empty() { p.empty { "Your plan includes no tools at the moment. Contact the operator of this service." } }
        @else { (table(&state, &tools)) }
    };
    page(&state, &viewer, "Your tools", content)
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
