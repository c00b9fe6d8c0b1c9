//! Plans: credits, tools, origins, rate limits and limits of jobs.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use docmill_domain::account::Plan;
use docmill_domain::catalogue::Tool;
use docmill_domain::offer::Offer;
use docmill_domain::quota::RateLimit;
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{FormData, FormErrors, checkbox, form, input, select, text};
use docmill_site::layout::{Page, page};
use docmill_site::state::AppState;
use docmill_site::viewer::AdminUser;
use docmill_site::viewer::Viewer;
use docmill_store::settings::{Change, Versioned};
use maud::{Markup, html};

use super::choices::{
    limit_fields, limit_pairs, origins_field, read_limits, read_origins, read_tools, tool_fields, tool_pairs,
};
use super::tools::{TIERS, tier_name};
use super::{author, check_reason, number, reason_field, shown_version, stale_notice, version_field};

const MOST_CREDITS: u64 = 1_000_000_000;
const MOST_PER_MINUTE: u32 = 100_000;
const ID_LENGTH: usize = 40;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/admin/plans", get(list).post(create))
        .route("/admin/plans/new", get(new))
        .route("/admin/plans/{id}", get(edit).post(save))
}

async fn list(State(state): State<AppState>, viewer: Viewer, _admin: AdminUser) -> Result<Response, PageError> {
    let plans = state.context.settings.fresh().await?.plans();
    let content = html! {
        header.page-head {
            h1 { "Plans" }
            p.lead { "Changes apply to all accounts on the plan within seconds. New rate limits apply to keys created later, limits of jobs to new jobs." }
            div.actions { a.button.primary href=(state.link("/admin/plans/new")) { "New plan" } }
        }
        div.table-frame tabindex="0" role="region" aria-label="Plans" {
            table {
                thead { tr {
                    th scope="col" { "Plan" } th scope="col" { "Credits per month" } th scope="col" { "Tools" }
                    th scope="col" { "Public price" } th scope="col" { "Origins" } th scope="col" { "Jobs per minute" } th scope="col" { "Reads per minute" }
                } }
                tbody { @for plan in &plans {
                    tr {
                        th scope="row" { a href=(state.link(&path(&plan.id))) { (plan.id) } }
                        td { (plan.included_credits) }
                        td { @match &plan.allowed_tools { None => "all", Some(tools) => (tools.join(", ")) } }
                        td { @match &plan.offer { Some(offer) => (offer.price), None => span.muted { "not listed" } } }
                        td { @if plan.allowed_origins.is_empty() { "any" } @else { (plan.allowed_origins.len()) } }
                        td { (limit(plan.create_limit)) }
                        td { (limit(plan.read_limit)) }
                    }
                } }
            }
        }
    };
    Ok(page(&state, &viewer, "Plans", content))
}

fn path(id: &str) -> String {
    format!("/admin/plans/{id}")
}

fn limit(limit: RateLimit) -> String {
    format!("{} (burst {})", limit.per_minute, limit.burst)
}

async fn new(State(state): State<AppState>, viewer: Viewer, _admin: AdminUser) -> Response {
    let editor = Editor { state: &state, viewer: &viewer, id: None, version: 0 };
    let values = as_form(&Plan::fallback(""));
    page(&state, &viewer, "New plan", editor.show(&values, &FormErrors::default(), None))
}

async fn edit(
    State(state): State<AppState>,
    viewer: Viewer,
    _admin: AdminUser,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let current = known(&state, &id).await?;
    let editor = Editor { state: &state, viewer: &viewer, id: Some(&id), version: current.version };
    Ok(page(&state, &viewer, &id, editor.show(&as_form(&current.value), &FormErrors::default(), None)))
}

/// A plan that an administrator saved, or the default plan.
async fn known(state: &AppState, id: &str) -> Result<Versioned<Plan>, PageError> {
    let settings = state.context.settings.fresh().await?;
    let exists = settings.plans().iter().any(|plan| plan.id == id);
    if exists { Ok(settings.versioned_plan(id)) } else { Err(PageError::NotFound) }
}

async fn create(
    State(state): State<AppState>,
    viewer: Viewer,
    admin: AdminUser,
    sent: FormData,
) -> Result<Response, PageError> {
    let id = sent.get("id");
    let taken = state.context.settings.fresh().await?.plans().iter().any(|plan| plan.id == id);
    let mut wanted = read(&sent, id, state.context.catalogue.tools());
    if let Some(error) = wrong_id(id, taken) {
        let mut errors = wanted.err().unwrap_or_default();
        errors.add("id", error);
        wanted = Err(errors);
    }
    let editor = Editor { state: &state, viewer: &viewer, id: None, version: 0 };
    let wanted = match wanted {
        Ok(wanted) => wanted,
        Err(errors) => return Ok(editor.again(StatusCode::UNPROCESSABLE_ENTITY, &sent, &errors, None)),
    };
    let unset = Versioned { value: Plan::fallback(id), version: 0 };
    match state.context.settings.change_plan(&unset, &wanted, &author(&admin, &sent)).await? {
        Change::Written(_) => Ok(Flash::success(format!("The plan {id} was created.")).on(&state, "/admin/plans")),
        Change::Stale(_) => {
            let mut errors = FormErrors::default();
            errors.add("id", "Somebody has just created a plan with this name.");
            Ok(editor.again(StatusCode::CONFLICT, &sent, &errors, None))
        }
    }
}

fn wrong_id(id: &str, taken: bool) -> Option<&'static str> {
    let plain =
        |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || "_-".contains(character);
    if id.is_empty() || id.len() > ID_LENGTH || !id.chars().all(plain) || id == "new" {
        return Some("Use up to 40 lower-case letters, digits, hyphens and underscores. “new” is not allowed.");
    }
    taken.then_some("A plan with this name already exists.")
}

async fn save(
    State(state): State<AppState>,
    viewer: Viewer,
    admin: AdminUser,
    Path(id): Path<String>,
    sent: FormData,
) -> Result<Response, PageError> {
    let before = known(&state, &id).await?;
    let shown = shown_version(&sent);
    let mut editor = Editor { state: &state, viewer: &viewer, id: Some(&id), version: shown };
    let wanted = match read(&sent, &id, state.context.catalogue.tools()) {
        Ok(wanted) => wanted,
        Err(errors) => return Ok(editor.again(StatusCode::UNPROCESSABLE_ENTITY, &sent, &errors, None)),
    };
    let change = if before.version == shown {
        state.context.settings.change_plan(&before, &wanted, &author(&admin, &sent)).await?
    } else {
        Change::Stale(before)
    };
    match change {
        Change::Written(_) => Ok(Flash::success(format!("The plan {id} was saved.")).on(&state, "/admin/plans")),
        Change::Stale(current) => {
            editor.version = current.version;
            let notice = Some(stale_notice(&current.value, &wanted)?);
            Ok(editor.again(StatusCode::CONFLICT, &sent, &FormErrors::default(), notice))
        }
    }
}

fn as_form(plan: &Plan) -> FormData {
    let mut pairs = vec![
        ("included_credits".to_owned(), plan.included_credits.to_string()),
        ("origins".to_owned(), plan.allowed_origins.join("\n")),
        ("create_limit".to_owned(), plan.create_limit.per_minute.to_string()),
        ("create_burst".to_owned(), plan.create_limit.burst.to_string()),
        ("read_limit".to_owned(), plan.read_limit.per_minute.to_string()),
        ("read_burst".to_owned(), plan.read_limit.burst.to_string()),
    ];
    pairs.push(("tier".to_owned(), tier_name(plan.tier).to_owned()));
    if let Some(Offer { title, price }) = &plan.offer {
        pairs.push(("offered".to_owned(), "on".to_owned()));
        pairs.push(("offer_title".to_owned(), title.clone()));
        pairs.push(("offer_price".to_owned(), price.clone()));
    }
    pairs.extend(limit_pairs(&plan.limits));
    pairs.extend(tool_pairs(plan.allowed_tools.as_ref()));
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    FormData::of(&pairs)
}

fn read(sent: &FormData, id: &str, catalogue: &[Tool]) -> Result<Plan, FormErrors> {
    let mut errors = FormErrors::default();
    let mut rate = |per_minute, burst| RateLimit {
        per_minute: number(sent, &mut errors, per_minute, 1, MOST_PER_MINUTE),
        burst: number(sent, &mut errors, burst, 1, MOST_PER_MINUTE),
    };
    let (create_limit, read_limit) = (rate("create_limit", "create_burst"), rate("read_limit", "read_burst"));
    let tier = TIERS.iter().find(|(_, name, _)| *name == sent.get("tier")).map(|(tier, ..)| *tier);
    if tier.is_none() {
        errors.add("tier", "Choose an option from the list.");
    }
    let plan = Plan {
        id: id.to_owned(),
        included_credits: number(sent, &mut errors, "included_credits", 0, MOST_CREDITS),
        tier: tier.unwrap_or_default(),
        allowed_tools: read_tools(sent, &mut errors, catalogue),
        allowed_origins: read_origins(sent, &mut errors),
        create_limit,
        read_limit,
        limits: read_limits(sent, &mut errors),
        offer: read_offer(sent, &mut errors),
    };
    check_reason(sent, &mut errors);
    if errors.is_empty() { Ok(plan) } else { Err(errors) }
}

/// `None` means that the public page does not list the plan.
fn read_offer(sent: &FormData, errors: &mut FormErrors) -> Option<Offer> {
    if !sent.is_on("offered") {
        return None;
    }
    let (title, price) = (sent.get("offer_title"), sent.get("offer_price"));
    let offer = Offer::new(title, price);
    for (field, text, most) in
        [("offer_title", title, Offer::TITLE_LENGTH), ("offer_price", price, Offer::PRICE_LENGTH)]
    {
        if !Offer::fits(text, most) {
            errors.add(field, format!("Enter 1 to {most} characters."));
        }
    }
    offer
}

/// The form for an existing or new plan.
struct Editor<'a> {
    state: &'a AppState,
    viewer: &'a Viewer,
    id: Option<&'a str>,
    version: u64,
}

impl Editor<'_> {
    fn again(&self, status: StatusCode, values: &FormData, errors: &FormErrors, notice: Option<Markup>) -> Response {
        let content = self.show(values, errors, notice);
        Page::new(self.id.unwrap_or("New plan"), content).status(status).respond(self.state, self.viewer)
    }

    fn show(&self, values: &FormData, errors: &FormErrors, notice: Option<Markup>) -> Markup {
        let Self { state, viewer, id, version } = self;
        let amount = |name: &'static str, label: &'static str, least: u64, most: u64| {
            html! {
                (input("number", name, label).value(values.get(name)).error(errors.of(name)).required()
                    .with("min", least).with("max", most))
            }
        };
        let rate = u64::from(MOST_PER_MINUTE);
        let fields = html! {
            @if id.is_none() {
                (text("id", "Name").value(values.get("id")).error(errors.of("id")).required().with("maxlength", ID_LENGTH)
                    .hint("You cannot change it later."))
            }
            (version_field(*version))
            (amount("included_credits", "Credits per month", 0, MOST_CREDITS))
            (select("tier", "Tier", TIERS.map(|(_, name, label)| (name, label)).to_vec())
                .value(values.get("tier")).error(errors.of("tier")).required()
                .hint("The plan may use tools of this tier and below."))
            (offer_fields(values, errors))
            (tool_fields(values, errors, state.context.catalogue.tools(), "All tools of the tier, including future ones"))
            (origins_field(values, errors))
            fieldset {
                legend { "Rate limits of new keys" }
                (amount("create_limit", "Jobs per minute", 1, rate))
                (amount("create_burst", "Jobs at once", 1, rate))
                (amount("read_limit", "Reads per minute", 1, rate))
                (amount("read_burst", "Reads at once", 1, rate))
            }
            (limit_fields(values, errors, &state.context.config.limits))
            (reason_field(values, errors))
            div.actions {
                button.button.primary type="submit" { "Save" }
                a.button href=(state.link("/admin/plans")) { "Cancel" }
            }
        };
        let target = id.map_or("/admin/plans".to_owned(), path);
        html! {
            nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link("/admin/plans")) { "Plans" } } } }
            header.page-head { h1 { @match id { Some(id) => { "Plan " code { (id) } }, None => "New plan" } } }
            @if let Some(notice) = notice { (notice) }
            (form(state, viewer, &target, fields))
        }
    }
}

fn offer_fields(values: &FormData, errors: &FormErrors) -> Markup {
    html! {
        fieldset {
            legend { "Public plans page" }
            (checkbox("offered", "List this plan").checked(values.is_on("offered")))
            (text("offer_title", "Title").value(values.get("offer_title")).error(errors.of("offer_title"))
                .with("maxlength", Offer::TITLE_LENGTH))
            (text("offer_price", "Price").value(values.get("offer_price")).error(errors.of("offer_price"))
                .hint("Amount, currency and period as customers should read them, such as €29 per month.")
                .with("maxlength", Offer::PRICE_LENGTH))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::catalogue::Catalogue;
    use docmill_domain::limits::{Ceilings, Limit};
    use docmill_domain::tool::AccessTier;

    fn plan() -> Plan {
        let mut limits = Ceilings::default();
        limits.set(Limit::Pages, Some(50));
        Plan {
            included_credits: 500,
            allowed_tools: Some(vec!["html-to-pdf".into()]),
            allowed_origins: vec!["https://a.example".into()],
            tier: AccessTier::Pro,
            limits,
            offer: Offer::new("Team", "€29 per month"),
            ..Plan::fallback("team")
        }
    }

    #[test]
    fn an_unchanged_form_changes_nothing() {
        let catalogue = Catalogue::load().unwrap();
        for plan in [plan(), Plan::fallback("free")] {
            assert_eq!(read(&as_form(&plan), &plan.id, catalogue.tools()), Ok(plan));
        }
    }

    #[test]
    fn errors_are_shown_at_their_fields() {
        let catalogue = Catalogue::load().unwrap();
        for (field, value) in [
            ("included_credits", "lots"),
            ("create_limit", "0"),
            ("create_burst", "0"),
            ("read_limit", "100001"),
            ("read_burst", ""),
            ("origins", "example.com"),
            ("tool", "nothing"),
            ("tier", "gold"),
            ("pages", "0"),
            ("offer_title", ""),
            ("offer_price", &"9".repeat(100)),
        ] {
            let form = as_form(&plan());
            let pairs: Vec<_> = form.pairs().filter(|(name, _)| *name != field).chain([(field, value)]).collect();
            let errors = read(&FormData::of(&pairs), "team", catalogue.tools()).unwrap_err();
            assert!(errors.of(field).is_some(), "{field}={value}: {errors:?}");
        }
    }

    #[test]
    fn a_plans_name_is_plain_and_its_own() {
        assert_eq!(wrong_id("team-2_x", false), None);
        for id in ["", "Team", "a b", "a/b", "new", &"x".repeat(ID_LENGTH + 1)] {
            assert!(wrong_id(id, false).is_some(), "{id}");
        }
        assert!(wrong_id("team", true).is_some());
    }
}
