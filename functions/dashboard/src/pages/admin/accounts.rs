//! The list of accounts: by name, id, or the email address of users.

use std::collections::BTreeSet;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use axum::routing::get;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docmill_domain::user::Email;
use docmill_site::error::PageError;
use docmill_site::layout::page;
use docmill_site::state::AppState;
use docmill_site::viewer::AdminUser;
use docmill_site::viewer::Viewer;
use docmill_store::accounts::{AccountMark, AccountSummary};
use maud::{Markup, html};

use super::query;

const PAGE: u16 = 50;
const SEARCH_LENGTH: usize = 100;

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/admin/accounts", get(list))
}

async fn list(
    State(state): State<AppState>,
    viewer: Viewer,
    _admin: AdminUser,
    asked: RawQuery,
) -> Result<Response, PageError> {
    let asked = query(asked);
    let search: String = asked.get("q").chars().take(SEARCH_LENGTH).collect();
    let context = &state.context;
    let (named, users, found) = futures_util::try_join!(by_id(&state, &search), by_email(&state, &search), async {
        Ok(context.accounts.list(&search, read_mark(asked.get("after")), PAGE).await?)
    },)?;
    // An id or email address finds its accounts; anything else is the start of a name.
    let known: Vec<_> = named.into_iter().chain(users).collect();
    if let [account] = known.as_slice() {
        return Ok(state.redirect(&path(account)));
    }
    let content = html! {
        header.page-head {
            h1 { "Accounts" }
            p.lead { "Sorted by name. New accounts appear after a moment." }
        }
        (search_form(&state, &search))
        @if !known.is_empty() { (users_accounts(&state, &known)) }
        @else if found.accounts.is_empty() {
            p.empty { @if search.is_empty() { "There are no accounts yet." } @else { "No account has this id, a user with this email address, or a name that begins with this text." } }
        } @else { (table(&state, &found.accounts)) }
        @if let Some(next) = found.next.as_ref().filter(|_| known.is_empty()) {
            div.actions { a.button href=(state.link(&next_page(&search, next))) { "Next page" } }
        }
    };
    Ok(page(&state, &viewer, "Accounts", content))
}

async fn by_id(state: &AppState, search: &str) -> Result<Option<String>, PageError> {
    if search.is_empty() {
        return Ok(None);
    }
    Ok(state.context.usage.profile(search).await?.map(|_| search.to_owned()))
}

/// The accounts of all users with this address. There are several if several issuers know it.
async fn by_email(state: &AppState, search: &str) -> Result<BTreeSet<String>, PageError> {
    let Some(email) = Email::parse(search) else { return Ok(BTreeSet::new()) };
    let users = state.context.users.users(Some(&email)).await?;
    Ok(users.into_iter().map(|user| user.account).collect())
}

fn users_accounts(state: &AppState, accounts: &[String]) -> Markup {
    html! {
        p { "Users with this email address belong to several accounts:" }
        ul { @for account in accounts { li { a href=(state.link(&path(account))) { code { (account) } } } } }
    }
}

pub(super) fn path(account: &str) -> String {
    format!("/admin/accounts/{account}")
}

fn search_form(state: &AppState, search: &str) -> Markup {
    html! {
        form.filters role="search" method="get" action=(state.link("/admin/accounts")) aria-label="Find an account" {
            div.field {
                label for="q" { "Id, user’s email address, or start of the name" }
                input type="search" id="q" name="q" value=(search) maxlength=(SEARCH_LENGTH);
            }
            button.button type="submit" { "Search" }
        }
    }
}

fn table(state: &AppState, accounts: &[AccountSummary]) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label="Accounts" {
            table {
                thead { tr {
                    th scope="col" { "Account" } th scope="col" { "Plan" } th scope="col" { "Status" }
                    th scope="col" { "Since" }
                } }
                tbody { @for account in accounts {
                    tr {
                        th scope="row" { a href=(state.link(&path(&account.id))) { (account.name) } br; code { (account.id) } }
                        td { code { (account.plan) } }
                        td { (status_of(account.suspended, account.test_mode)) }
                        td { (account.created_at.day()) }
                    }
                } }
            }
        }
    }
}

pub(super) fn status_of(suspended: bool, test_mode: bool) -> Markup {
    html! {
        @if suspended { span.badge.bad { "suspended" } } @else { "active" }
        @if !test_mode { " " span.badge.warn { "no test mode" } }
    }
}

fn next_page(search: &str, mark: &AccountMark) -> String {
    // Two strings can always be serialised.
    let after = URL_SAFE_NO_PAD.encode(serde_json::to_vec(mark).unwrap_or_default());
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs([("q", search), ("after", after.as_str())])
        .finish();
    format!("/admin/accounts?{query}")
}

/// The end of a page. An invalid mark means the first page.
fn read_mark(text: &str) -> Option<AccountMark> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_next_page_continues_after_the_last_account(search in "\\PC{0,20}", name_key in "\\PC{1,20}", account in "[a-z_]{1,20}") {
            let mark = AccountMark { name_key, account };
            let link = next_page(&search, &mark);
            let query: Vec<(String, String)> =
                url::form_urlencoded::parse(link.split_once('?').unwrap().1.as_bytes()).into_owned().collect();
            prop_assert_eq!(&query[0].1, &search);
            prop_assert_eq!(read_mark(&query[1].1), Some(mark));
        }

        #[test]
        fn an_invalid_mark_starts_at_the_first_page(text in "\\PC*") {
            prop_assume!(URL_SAFE_NO_PAD.decode(&text).is_err());
            prop_assert_eq!(read_mark(&text), None);
        }
    }
}
