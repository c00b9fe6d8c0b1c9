//! Changes of an account, each on its own page.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use docmill_domain::account::{AccountPolicy, Plan, Profile};
use docmill_domain::catalogue::Tool;
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{FormData, FormErrors, checkbox, form, input, select};
use docmill_site::layout::{Page, page};
use docmill_site::state::AppState;
use docmill_site::viewer::{AdminUser, Proved, Viewer};
use docmill_store::accounts::{Changed, Granted};
use maud::{Markup, html};
use uuid::Uuid;

use super::accounts::path;
use super::choices::{origins_field, read_origins, read_tools, tool_fields, tool_pairs};
use super::{author, check_reason, number, reason_field, shown_version, stale_notice, version_field};

const MOST_CREDITS: u64 = 1_000_000_000;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/admin/accounts/{id}/edit", get(edit).post(save))
        .route("/admin/accounts/{id}/grant", get(granting).post(grant))
        .route("/admin/accounts/{id}/suspension", get(suspending).post(suspend))
}

/// The account of the form, and the visitor.
struct AccountForms<'a> {
    state: &'a AppState,
    viewer: &'a Viewer,
    id: &'a str,
    profile: Profile,
    plans: Vec<Plan>,
}

impl<'a> AccountForms<'a> {
    async fn open(state: &'a AppState, viewer: &'a Viewer, id: &'a str) -> Result<Self, PageError> {
        let (profile, settings) =
            futures_util::try_join!(state.context.usage.profile(id), state.context.settings.fresh())?;
        let profile = profile.ok_or(PageError::NotFound)?;
        Ok(Self { state, viewer, id, profile, plans: settings.plans() })
    }

    /// A page with one form and a link back to the account.
    fn frame(&self, title: &str, lead: &str, form_path: &str, notice: Option<Markup>, fields: Markup) -> Markup {
        let Self { state, viewer, id, profile, .. } = self;
        html! {
            nav.crumbs aria-label="Breadcrumb" { ol {
                li { a href=(state.link("/admin/accounts")) { "Accounts" } }
                li { a href=(state.link(&path(id))) { (profile.name) } }
            } }
            header.page-head { h1 { (title) } p.lead { (lead) } }
            @if let Some(notice) = notice { (notice) }
            (form(state, viewer, &format!("{}/{form_path}", path(id)), fields))
        }
    }

    fn again(&self, title: &str, status: StatusCode, content: Markup) -> Response {
        Page::new(title, content).status(status).respond(self.state, self.viewer)
    }

    fn buttons(&self, class: &str, label: &str) -> Markup {
        html! {
            div.actions {
                button.{ "button " (class) } type="submit" { (label) }
                a.button href=(self.state.link(&path(self.id))) { "Cancel" }
            }
        }
    }

    /// Changes the policy. Returns the redirect, or the current profile if somebody else has changed it.
    async fn change(
        &self,
        policy: &AccountPolicy,
        admin: &AdminUser,
        sent: &FormData,
        done: &str,
    ) -> Result<Result<Response, Profile>, PageError> {
        let by = author(admin, sent);
        match self.state.context.accounts.change(self.id, shown_version(sent), policy, &by).await? {
            Changed::Written(_) => Ok(Ok(Flash::success(done).on(self.state, &path(self.id)))),
            Changed::Stale(current) => Ok(Err(current)),
            Changed::NoAccount => Err(PageError::NotFound),
        }
    }
}

const EDIT: &str = "Plan, tools and origins";

async fn edit(
    State(state): State<AppState>,
    viewer: Viewer,
    _admin: AdminUser,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let forms = AccountForms::open(&state, &viewer, &id).await?;
    let values = as_form(&forms.profile.policy());
    Ok(page(&state, &viewer, EDIT, forms.editor(forms.profile.version, &values, &FormErrors::default(), None)))
}

async fn save(
    State(state): State<AppState>,
    viewer: Viewer,
    admin: AdminUser,
    Path(id): Path<String>,
    sent: FormData,
) -> Result<Response, PageError> {
    let forms = AccountForms::open(&state, &viewer, &id).await?;
    let wanted = match read(&sent, forms.profile.suspended, &forms.plans, state.context.catalogue.tools()) {
        Ok(wanted) => wanted,
        Err(errors) => {
            let content = forms.editor(shown_version(&sent), &sent, &errors, None);
            return Ok(forms.again(EDIT, StatusCode::UNPROCESSABLE_ENTITY, content));
        }
    };
    match forms.change(&wanted, &admin, &sent, "The account was saved. The changes apply to its keys at once.").await? {
        Ok(done) => Ok(done),
        Err(current) => {
            // Settings that the form does not contain stay unchanged.
            let wanted = AccountPolicy { suspended: current.suspended, ..wanted };
            let notice = Some(stale_notice(&current.policy(), &wanted)?);
            let content = forms.editor(current.version, &sent, &FormErrors::default(), notice);
            Ok(forms.again(EDIT, StatusCode::CONFLICT, content))
        }
    }
}

impl AccountForms<'_> {
    fn editor(&self, version: u64, values: &FormData, errors: &FormErrors, notice: Option<Markup>) -> Markup {
        let chosen = values.get("plan").to_owned();
        // The account's current plan can be chosen even if it has no description.
        let mut plans: Vec<_> = self.plans.iter().map(|plan| (plan.id.as_str(), plan.id.as_str())).collect();
        if !self.plans.iter().any(|plan| plan.id == self.profile.plan) {
            plans.push((&self.profile.plan, &self.profile.plan));
        }
        let fields = html! {
            (version_field(version))
            (select("plan", "Plan", plans).value(chosen).error(errors.of("plan")).required())
            (checkbox("test_mode", "Test keys work").checked(values.is_on("test_mode")))
            (tool_fields(values, errors, self.state.context.catalogue.tools(), "All tools of the plan"))
            (origins_field(values, errors))
            (reason_field(values, errors))
            (self.buttons("primary", "Save"))
        };
        self.frame(EDIT, "Changes apply to all keys of the account at once.", "edit", notice, fields)
    }
}

fn as_form(policy: &AccountPolicy) -> FormData {
    let origins = policy.account_origins.join("\n");
    let tools = tool_pairs(policy.account_tools.as_ref());
    let mut pairs = vec![("plan", policy.plan.as_str()), ("origins", origins.as_str())];
    pairs.extend(policy.test_mode.then_some(("test_mode", "on")));
    pairs.extend(tools.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    FormData::of(&pairs)
}

fn read(sent: &FormData, suspended: bool, plans: &[Plan], catalogue: &[Tool]) -> Result<AccountPolicy, FormErrors> {
    let mut errors = FormErrors::default();
    let plan = sent.get("plan").to_owned();
    if plan.is_empty() || plan.len() > 100 {
        errors.add("plan", "Choose a plan from the list.");
    } else if !plans.iter().any(|known| known.id == plan) {
        errors.add("plan", "This plan does not exist. Create it first, or choose another.");
    }
    let policy = AccountPolicy {
        plan,
        suspended,
        test_mode: sent.is_on("test_mode"),
        account_origins: read_origins(sent, &mut errors),
        account_tools: read_tools(sent, &mut errors, catalogue),
    };
    check_reason(sent, &mut errors);
    if errors.is_empty() { Ok(policy) } else { Err(errors) }
}

const GRANT: &str = "Grant credits";

async fn granting(
    State(state): State<AppState>,
    viewer: Viewer,
    _admin: AdminUser,
    _proved: Proved,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let forms = AccountForms::open(&state, &viewer, &id).await?;
    let grant = Uuid::now_v7().to_string();
    let values = FormData::of(&[("grant", &grant)]);
    Ok(page(&state, &viewer, GRANT, forms.grant_form(&values, &FormErrors::default())))
}

async fn grant(
    State(state): State<AppState>,
    viewer: Viewer,
    admin: AdminUser,
    _proved: Proved,
    Path(id): Path<String>,
    sent: FormData,
) -> Result<Response, PageError> {
    let forms = AccountForms::open(&state, &viewer, &id).await?;
    let mut errors = FormErrors::default();
    let credits = number(&sent, &mut errors, "credits", 1, MOST_CREDITS);
    require_reason(&sent, &mut errors);
    let grant = Uuid::parse_str(sent.get("grant")).map_err(|_| PageError::BadRequest)?;
    if !errors.is_empty() {
        return Ok(forms.again(GRANT, StatusCode::UNPROCESSABLE_ENTITY, forms.grant_form(&sent, &errors)));
    }
    let flash = match state.context.accounts.grant(&id, credits, grant, &author(&admin, &sent)).await? {
        Granted::Yes => Flash::success(format!("{credits} credits were granted.")),
        Granted::Already => Flash::info("These credits were already granted. Nothing was added again."),
        Granted::NoAccount => return Err(PageError::NotFound),
    };
    Ok(flash.on(&state, &path(&id)))
}

impl AccountForms<'_> {
    fn grant_form(&self, values: &FormData, errors: &FormErrors) -> Markup {
        let fields = html! {
            // Sending the form twice grants once.
            input type="hidden" name="grant" value=(values.get("grant"));
            (input("number", "credits", "Credits").value(values.get("credits")).error(errors.of("credits")).required()
                .with("min", 1).with("max", MOST_CREDITS))
            (reason_field(values, errors).required())
            (self.buttons("primary", "Grant"))
        };
        let lead = "Granted credits are used after the included ones, and carry over from month to month.";
        self.frame(GRANT, lead, "grant", None, fields)
    }
}

fn require_reason(sent: &FormData, errors: &mut FormErrors) {
    if sent.get("reason").is_empty() {
        errors.add("reason", "Enter a reason for the audit trail.");
    }
    check_reason(sent, errors);
}

async fn suspending(
    State(state): State<AppState>,
    viewer: Viewer,
    _admin: AdminUser,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let forms = AccountForms::open(&state, &viewer, &id).await?;
    let content = forms.suspension_form(&forms.profile, &FormData::default(), &FormErrors::default(), None);
    Ok(page(&state, &viewer, suspension_title(&forms.profile), content))
}

async fn suspend(
    State(state): State<AppState>,
    viewer: Viewer,
    admin: AdminUser,
    Path(id): Path<String>,
    sent: FormData,
) -> Result<Response, PageError> {
    let forms = AccountForms::open(&state, &viewer, &id).await?;
    let title = suspension_title(&forms.profile);
    let mut errors = FormErrors::default();
    require_reason(&sent, &mut errors);
    if !errors.is_empty() {
        let content = forms.suspension_form(&forms.profile, &sent, &errors, None);
        return Ok(forms.again(title, StatusCode::UNPROCESSABLE_ENTITY, content));
    }
    let suspended = sent.get("suspend") == "on";
    let wanted = AccountPolicy { suspended, ..forms.profile.policy() };
    let done =
        if suspended { "The account is suspended. Its keys no longer work." } else { "The account is reinstated." };
    match forms.change(&wanted, &admin, &sent, done).await? {
        Ok(done) => Ok(done),
        Err(current) => {
            let wanted = AccountPolicy { suspended, ..current.policy() };
            let notice = Some(stale_notice(&current.policy(), &wanted)?);
            let content = forms.suspension_form(&current, &sent, &FormErrors::default(), notice);
            Ok(forms.again(suspension_title(&current), StatusCode::CONFLICT, content))
        }
    }
}

fn suspension_title(profile: &Profile) -> &'static str {
    if profile.suspended { "Reinstate the account" } else { "Suspend the account" }
}

impl AccountForms<'_> {
    fn suspension_form(
        &self,
        profile: &Profile,
        values: &FormData,
        errors: &FormErrors,
        notice: Option<Markup>,
    ) -> Markup {
        let (class, lead) = if profile.suspended {
            ("primary", "Its keys and users get access again at once.")
        } else {
            (
                "danger",
                "All requests with its keys get 403 account_suspended at once, and its users can't use the dashboard. \
                        Jobs that have started still finish. You can undo this.",
            )
        };
        let fields = html! {
            (version_field(profile.version))
            input type="hidden" name="suspend" value=(if profile.suspended { "off" } else { "on" });
            (reason_field(values, errors).required())
            (self.buttons(class, suspension_title(profile)))
        };
        self.frame(suspension_title(profile), lead, "suspension", notice, fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::catalogue::Catalogue;

    fn policy() -> AccountPolicy {
        AccountPolicy {
            plan: "team".into(),
            suspended: false,
            test_mode: true,
            account_origins: vec!["https://a.example".into()],
            account_tools: Some(vec!["html-to-pdf".into()]),
        }
    }

    fn read_with(sent: &FormData, suspended: bool) -> Result<AccountPolicy, FormErrors> {
        let catalogue = Catalogue::load().unwrap();
        read(sent, suspended, &[Plan::fallback("team"), Plan::fallback("free")], catalogue.tools())
    }

    #[test]
    fn an_unchanged_form_changes_nothing() {
        let open = AccountPolicy { test_mode: false, account_origins: Vec::new(), account_tools: None, ..policy() };
        let suspended = AccountPolicy { suspended: true, ..policy() };
        for policy in [policy(), open, suspended] {
            assert_eq!(read_with(&as_form(&policy), policy.suspended), Ok(policy));
        }
    }

    #[test]
    fn errors_are_shown_at_their_fields() {
        for (field, value) in [("plan", ""), ("plan", "none such"), ("origins", "x"), ("tool", "nothing")] {
            let form = as_form(&policy());
            let pairs: Vec<_> = form.pairs().filter(|(name, _)| *name != field).chain([(field, value)]).collect();
            let errors = read_with(&FormData::of(&pairs), false).unwrap_err();
            assert!(errors.of(field).is_some(), "{field}={value}: {errors:?}");
        }
    }
}
