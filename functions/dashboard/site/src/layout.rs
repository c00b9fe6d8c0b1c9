//! The frame of every page: head, navigation, messages, footer.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use docmill_domain::tool::ToolState;
use maud::{DOCTYPE, Markup, html};
use serde_json::json;

use crate::assets;
use crate::csrf;
use crate::form::token_field;
use crate::listing::{Listing, by_category, category_title};
use crate::security::Policy;
use crate::session::SignedIn;
use crate::state::AppState;
use crate::viewer::Viewer;
use docmill_look::{icons, theme};

/// Pages of all users, in the order of the menu.
const USER_MENU: [(&str, &str); 11] = [
    ("/app", "Overview"),
    ("/app/playground", "Playground"),
    ("/app/keys", "API keys"),
    ("/app/jobs", "Jobs"),
    ("/app/batches", "Batches"),
    ("/app/requests", "Requests"),
    ("/app/templates", "Templates"),
    ("/app/fonts", "Fonts"),
    ("/app/webhooks", "Webhooks"),
    ("/app/tools", "Your tools"),
    ("/docs", "Docs"),
];
const ADMIN_MENU: [(&str, &str); 7] = [
    ("/admin", "Service overview"),
    ("/admin/tools", "Tool settings"),
    ("/admin/plans", "Plans"),
    ("/admin/accounts", "Accounts"),
    ("/admin/service", "Service"),
    ("/admin/health", "Health"),
    ("/admin/audit", "Audit trail"),
];

/// A normal page: `layout::page(&state, &viewer, "API keys", html! { … })`.
pub fn page(state: &AppState, viewer: &Viewer, title: &str, content: Markup) -> Response {
    Page::new(title, content).respond(state, viewer)
}

/// A part of a page, for scripts.
pub fn fragment(content: Markup) -> Response {
    ([(HeaderName::from_static("x-fragment"), HeaderValue::from_static("1"))], content_type(), content.into_string())
        .into_response()
}

fn content_type() -> [(HeaderName, HeaderValue); 1] {
    [(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"))]
}

/// A page that differs from the normal one.
#[derive(Debug)]
pub struct Page<'a> {
    title: &'a str,
    content: Markup,
    status: StatusCode,
    policy: Policy,
    scripts: Vec<&'a str>,
    live: bool,
    summary: Option<&'a str>,
}

impl<'a> Page<'a> {
    /// A page with status 200 and the strictest policy.
    pub fn new(title: &'a str, content: Markup) -> Self {
        Self {
            title,
            content,
            status: StatusCode::OK,
            policy: Policy::default(),
            scripts: Vec::new(),
            live: false,
            summary: None,
        }
    }

    /// One sentence for search engines and link previews.
    pub fn summary(mut self, summary: &'a str) -> Self {
        self.summary = Some(summary);
        self
    }

    /// For example 422 for a form that is shown again.
    pub fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Additional permissions of the page, e.g. `Policy::default().frame(origin)`.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// A script for this page, by its name among the assets.
    pub fn script(mut self, asset: &'a str) -> Self {
        self.scripts.push(asset);
        self
    }

    /// A page with parts that htmx updates.
    pub fn live(mut self) -> Self {
        self.live = true;
        self.policy = self.policy.with_plain_html();
        self
    }

    /// The page in its frame, for this visitor.
    pub fn respond(self, state: &AppState, viewer: &Viewer) -> Response {
        let policy = self.policy.clone().form(&viewer.form_origins).to_header();
        let mut response = (self.status, content_type(), self.document(state, viewer).into_string()).into_response();
        // Every origin in a policy comes from a parsed URL.
        if let Ok(policy) = HeaderValue::try_from(policy) {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response
    }

    fn document(&self, state: &AppState, viewer: &Viewer) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                (self.head(state, viewer))
                body hx-headers=[viewer.form_token.as_ref().map(|token| json!({csrf::HEADER: token}).to_string())] {
                    a.skip href="#content" { "Skip to content" }
                    (top(state, viewer))
                    div.shell data-app[in_app(viewer)] {
                        @if let Some(user) = viewer.user.as_ref().filter(|_| in_app(viewer)) { (side(state, viewer, user)) }
                        main #content tabindex="-1" {
                            @if let Some(flash) = &viewer.flash { (flash.show()) }
                            @if self.status == StatusCode::UNPROCESSABLE_ENTITY { (error_summary()) }
                            (self.content)
                        }
                    }
                    (foot(state))
                }
            }
        }
    }

    fn head(&self, state: &AppState, viewer: &Viewer) -> Markup {
        // No inline styles or code, no pages in the browser's storage, and only requests to this host.
        let htmx = json!({
            "includeIndicatorStyles": false, "allowEval": false, "allowScriptTags": false, "selfRequestsOnly": true,
            "historyCacheSize": 0, "refreshOnHistoryMiss": true, "scrollBehavior": "auto",
        });
        html! {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                @if self.live { meta name="htmx-config" content=(htmx.to_string()); }
                title { (self.title) " · Docmill" }
                @if let Some(summary) = self.summary {
                    meta name="description" content=(summary);
                    meta property="og:title" content={ (self.title) " · Docmill" };
                    meta property="og:description" content=(summary);
                    meta property="og:type" content="website";
                    meta property="og:url" content=(state.absolute(&viewer.path));
                }
                link rel="stylesheet" href=(assets::link(state, "style.css"));
                link rel="icon" type="image/svg+xml" href=(assets::link(state, "icon.svg"));
                @if self.live { script src=(assets::link(state, assets::HTMX)) defer {} }
                script src=(assets::link(state, "page.js")) {}
                @for script in &self.scripts { script src=(assets::link(state, script)) defer {} }
            }
        }
    }
}

/// Gets the focus after a form was rejected. `page.js` lists the invalid fields.
fn error_summary() -> Markup {
    html! {
        div.note.danger #error-summary role="alert" tabindex="-1" autofocus {
            p { strong { "Check the fields marked below." } }
        }
    }
}

fn in_app(viewer: &Viewer) -> bool {
    viewer.user.is_some() && (viewer.path.starts_with("/app") || viewer.path.starts_with("/admin"))
}

fn top(state: &AppState, viewer: &Viewer) -> Markup {
    html! {
        header.top {
            div.bar {
                a.brand href=(state.link("/")) { (icons::mark()) "Docmill" }
                // Works without scripts: phones show the summary, wide windows the list.
                details.menu {
                    summary { (icons::menu()) span { "Menu" } }
                    nav aria-label="Site" { ul {
                        (tools_menu(state, viewer))
                        li { (entry(state, viewer, "/plans", "Plans")) }
                        li { (entry(state, viewer, "/docs", "Docs")) }
                        @if let Some(user) = &viewer.user {
                            li.phone { (entry(state, viewer, "/app", "Dashboard")) }
                            @for (path, label) in USER_MENU.into_iter().skip(1).take(7) {
                                li.phone { (entry(state, viewer, path, label)) }
                            }
                            @if user.is_admin() { @for (path, label) in ADMIN_MENU {
                                li.phone { (entry(state, viewer, path, &format!("Admin: {}", label.to_lowercase()))) }
                            } }
                        }
                    } }
                }
                div.who {
                    @match &viewer.user {
                        Some(user) => {
                            @if !in_app(viewer) { a.button href=(state.link("/app")) { "Dashboard" } }
                            (person(state, viewer, user))
                        }
                        None if viewer.suspended => { (sign_out(state, viewer)) }
                        None => { a.button.primary href=(state.link("/app")) { "Sign in" } }
                    }
                }
            }
        }
    }
}

/// The tools that administrators have added to the navigation, by category.
fn tools_menu(state: &AppState, viewer: &Viewer) -> Markup {
    let tools = Listing::in_navigation(state, viewer);
    let all = html! { (entry(state, viewer, "/tools", "All tools")) };
    html! {
        li {
            @if tools.is_empty() { (all) }
            @else {
                details.tools-menu {
                    summary { "Tools" }
                    div.card {
                        (tool_groups(&tools, |listing| html! {
                            (entry(state, viewer, &listing.path(), listing.name)) (state_badge(listing.settings.state))
                        }))
                        p.all-tools { (all) }
                    }
                }
            }
        }
    }
}

/// Lists of tools by category.
pub fn tool_groups(tools: &[Listing<'_>], show: impl Fn(&Listing<'_>) -> Markup) -> Markup {
    html! {
        div.tool-groups {
            @for (category, members) in by_category(tools) {
                div {
                    p.group { (category_title(category)) }
                    ul { @for listing in &members { li { (show(listing)) } } }
                }
            }
        }
    }
}

fn entry(state: &AppState, viewer: &Viewer, path: &str, label: &str) -> Markup {
    let here = viewer.path.split('?').next().unwrap_or_default();
    let below = here.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    let is_here = here == path || (below && !matches!(path, "/app" | "/admin" | "/tools"));
    html! { a href=(state.link(path)) aria-current=[is_here.then_some("page")] { (label) } }
}

fn side(state: &AppState, viewer: &Viewer, user: &SignedIn) -> Markup {
    html! {
        div.side {
            nav aria-label="Dashboard" { ul {
                @for (path, label) in USER_MENU { li { (entry(state, viewer, path, label)) } }
            } }
            @if user.is_admin() {
                nav aria-labelledby="admin-menu" {
                    h2 #admin-menu { "Administration" }
                    ul { @for (path, label) in ADMIN_MENU { li { (entry(state, viewer, path, label)) } } }
                }
            }
        }
    }
}

fn person(state: &AppState, viewer: &Viewer, user: &SignedIn) -> Markup {
    html! {
        details.person {
            summary { (icons::person()) span.name { (user.email) } span.quiet { " account menu" } }
            div.card {
                p { strong { (user.email) } }
                p.muted { (user.profile.name) br; code { (user.account) } }
                @if user.is_admin() { p { span.badge { "administrator" } } }
                (sign_out(state, viewer))
            }
        }
    }
}

pub(crate) fn sign_out(state: &AppState, viewer: &Viewer) -> Markup {
    html! {
        form.sign-out method="post" action=(state.link("/app/sign-out")) {
            (token_field(viewer))
            button.button type="submit" { "Sign out" }
            button.link type="submit" name="everywhere" value="on" { "Sign out on all devices" }
        }
    }
}

fn foot(state: &AppState) -> Markup {
    html! {
        footer.foot { div.bar {
            p { "Docmill is open source under Apache-2.0." }
            (theme::choice())
            nav aria-label="Further" { ul {
                li { a href=(state.link("/docs")) { "Docs" } }
                li { a href=(state.link("/openapi.json")) { "OpenAPI 3.1" } }
                li { a href=(state.link("/tools")) { "Tools" } }
                li { a href=(state.link("/plans")) { "Plans and prices" } }
                @for (page, title) in docmill_look::LEGAL { li { a href=(state.link(&format!("/docs/{page}"))) { (title) } } }
            } }
        } }
    }
}

/// A badge for tools that are not simply live.
pub fn state_badge(state: ToolState) -> Markup {
    match state {
        ToolState::Live | ToolState::Disabled => html! {},
        ToolState::Beta => html! { " " span.badge.info { "beta" } },
        ToolState::Maintenance => html! { " " span.badge.warn { "maintenance" } },
    }
}
