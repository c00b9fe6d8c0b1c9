//! Settings of each tool: where it is listed, its state and its price.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use docmill_domain::catalogue::Tool;
use docmill_domain::tool::{AccessTier, PageVisibility, ToolSettings, ToolState};
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{FormData, FormErrors, checkbox, form, input, select, text, textarea};
use docmill_site::layout::{Page, page};
use docmill_site::state::AppState;
use docmill_site::viewer::AdminUser;
use docmill_site::viewer::Viewer;
use docmill_store::settings::{Change, Versioned};
use maud::{Markup, html};

use super::{author, check_reason, number, reason_field, shown_version, stale_notice, version_field};

const MOST_CREDITS: u64 = 10_000;
const DESCRIPTION_LENGTH: usize = 300;
const CATEGORY_LENGTH: usize = 40;

const STATES: [(ToolState, &str, &str); 4] = [
    (ToolState::Live, "live", "Live"),
    (ToolState::Beta, "beta", "Beta: works, and is marked as beta"),
    (ToolState::Maintenance, "maintenance", "Maintenance: refuses jobs (503)"),
    (ToolState::Disabled, "disabled", "Disabled: hidden, refuses jobs (403)"),
];
pub(super) const TIERS: [(AccessTier, &str, &str); 4] = [
    (AccessTier::Free, "free", "Free"),
    (AccessTier::Starter, "starter", "Starter"),
    (AccessTier::Pro, "pro", "Pro"),
    (AccessTier::Enterprise, "enterprise", "Enterprise"),
];
/// The five places: field, label, hint.
const PLACES: [(&str, &str, &str); 5] = [
    ("public", "Public page", "The tool's own page."),
    ("category_pages", "Category pages", "The list of tools and the page of its category."),
    ("navigation", "Navigation", "The menu on every page."),
    ("homepage", "Homepage", "The cards on the homepage."),
    ("api", "API", "GET /v1/tools lists the tool, and keys can use it."),
];

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/admin/tools", get(list)).route("/admin/tools/{slug}", get(edit).post(save))
}

async fn list(State(state): State<AppState>, viewer: Viewer, _admin: AdminUser) -> Result<Response, PageError> {
    let settings = state.context.settings.fresh().await?;
    let tools: Vec<_> =
        state.context.catalogue.tools().iter().map(|tool| (tool, settings.versioned_tool(tool))).collect();
    let content = html! {
        header.page-head {
            h1 { "Tools" }
            p.lead { "Where tools are listed, their state and their price." }
        }
        div.table-frame tabindex="0" role="region" aria-label="Tools and their settings" {
            table {
                thead { tr {
                    th scope="col" { "Tool" } th scope="col" { "State" } th scope="col" { "Listed" }
                    th scope="col" { "Tier" } th scope="col" { "Credits" } th scope="col" { "Version" }
                } }
                tbody { @for (tool, Versioned { value, version }) in &tools {
                    tr {
                        th scope="row" {
                            a href=(state.link(&path(tool))) { (tool.definition.name) } br; code { (tool.definition.slug) }
                        }
                        td { (state_name(value.state)) }
                        td { (places(value.page_visibility)) }
                        td { (tier_name(value.access_tier)) }
                        td { (value.credit_cost) }
                        td { @if *version == 0 { "default" } @else { (version) } }
                    }
                } }
            }
        }
    };
    Ok(page(&state, &viewer, "Tools", content))
}

fn path(tool: &Tool) -> String {
    format!("/admin/tools/{}", tool.definition.slug)
}

fn places(visibility: PageVisibility) -> Markup {
    let shown: Vec<_> =
        PLACES.iter().zip(switches(visibility)).filter(|(_, on)| *on).map(|((_, label, _), _)| *label).collect();
    html! { @if shown.is_empty() { span.muted { "nowhere" } } @else { (shown.join(", ")) } }
}

/// In the order of [`PLACES`].
fn switches(visibility: PageVisibility) -> [bool; 5] {
    let PageVisibility { public, category, navigation, homepage, api } = visibility;
    [public, category, navigation, homepage, api]
}

fn state_name(state: ToolState) -> &'static str {
    STATES.iter().find(|(known, ..)| *known == state).map_or("", |(_, name, _)| name)
}

pub(super) fn tier_name(tier: AccessTier) -> &'static str {
    TIERS.iter().find(|(known, ..)| *known == tier).map_or("", |(_, name, _)| name)
}

async fn edit(
    State(state): State<AppState>,
    viewer: Viewer,
    _admin: AdminUser,
    Path(slug): Path<String>,
) -> Result<Response, PageError> {
    let tool = state.context.catalogue.find(&slug).ok_or(PageError::NotFound)?;
    let current = state.context.settings.fresh().await?.versioned_tool(tool);
    let shown = editor(&state, &viewer, tool, current.version, &as_form(&current.value), &FormErrors::default(), None);
    Ok(page(&state, &viewer, &tool.definition.name, shown))
}

async fn save(
    State(state): State<AppState>,
    viewer: Viewer,
    admin: AdminUser,
    Path(slug): Path<String>,
    sent: FormData,
) -> Result<Response, PageError> {
    let tool = state.context.catalogue.find(&slug).ok_or(PageError::NotFound)?;
    let before = state.context.settings.fresh().await?.versioned_tool(tool);
    let again = |status, version, errors: &FormErrors, notice| {
        let content = editor(&state, &viewer, tool, version, &sent, errors, notice);
        Page::new(&tool.definition.name, content).status(status).respond(&state, &viewer)
    };
    let wanted = match read(&sent, &before.value) {
        Ok(wanted) => wanted,
        Err(errors) => {
            return Ok(again(StatusCode::UNPROCESSABLE_ENTITY, shown_version(&sent), &errors, None));
        }
    };
    let change = if before.version == shown_version(&sent) {
        state.context.settings.change_tool(&slug, &before, &wanted, &author(&admin, &sent)).await?
    } else {
        Change::Stale(before)
    };
    match change {
        Change::Written(_) => {
            Ok(Flash::success(format!("{} was saved.", tool.definition.name)).on(&state, "/admin/tools"))
        }
        Change::Stale(current) => {
            let notice = Some(stale_notice(&current.value, &wanted)?);
            Ok(again(StatusCode::CONFLICT, current.version, &FormErrors::default(), notice))
        }
    }
}

/// Settings as their form shows them.
fn as_form(settings: &ToolSettings) -> FormData {
    let cost = settings.credit_cost.to_string();
    let mut pairs = vec![
        ("state", state_name(settings.state)),
        ("access_tier", tier_name(settings.access_tier)),
        ("credit_cost", cost.as_str()),
        ("description", settings.description.as_deref().unwrap_or_default()),
        ("category", settings.category.as_deref().unwrap_or_default()),
    ];
    let on = PLACES.iter().zip(switches(settings.page_visibility)).filter(|(_, on)| *on);
    pairs.extend(on.map(|((field, ..), _)| (*field, "on")));
    FormData::of(&pairs)
}

/// The form's settings, or its errors.
fn read(sent: &FormData, before: &ToolSettings) -> Result<ToolSettings, FormErrors> {
    let mut errors = FormErrors::default();
    let credit_cost = number(sent, &mut errors, "credit_cost", 0, MOST_CREDITS);
    let state = STATES.iter().find(|(_, name, _)| *name == sent.get("state")).map(|(state, ..)| *state);
    let tier = TIERS.iter().find(|(_, name, _)| *name == sent.get("access_tier")).map(|(tier, ..)| *tier);
    let mut words = |field: &'static str, most: usize| {
        let text = sent.get(field);
        if text.chars().count() > most {
            errors.add(field, format!("Use at most {most} characters."));
        }
        (!text.is_empty()).then(|| text.to_owned())
    };
    let (description, category) = (words("description", DESCRIPTION_LENGTH), words("category", CATEGORY_LENGTH));
    check_reason(sent, &mut errors);
    if state == Some(ToolState::Disabled) && before.state != ToolState::Disabled && !sent.is_on("confirm") {
        errors.add("confirm", "Confirm that you want to switch the tool off for all users.");
    }
    let (Some(state), Some(access_tier)) = (state, tier) else {
        errors.add(if state.is_none() { "state" } else { "access_tier" }, "Choose an option from the list.");
        return Err(errors);
    };
    let page_visibility = PageVisibility {
        public: sent.is_on("public"),
        category: sent.is_on("category_pages"),
        navigation: sent.is_on("navigation"),
        homepage: sent.is_on("homepage"),
        api: sent.is_on("api"),
    };
    let wanted = ToolSettings { access_tier, credit_cost, state, page_visibility, description, category };
    if errors.is_empty() { Ok(wanted) } else { Err(errors) }
}

fn editor(
    state: &AppState,
    viewer: &Viewer,
    tool: &Tool,
    version: u64,
    values: &FormData,
    errors: &FormErrors,
    notice: Option<Markup>,
) -> Markup {
    let definition = &tool.definition;
    let disabling = errors.of("confirm").is_some() || values.is_on("confirm");
    let fields = html! {
        (version_field(version))
        fieldset {
            legend { "Where it is listed" }
            @for (field, label, hint) in PLACES { (checkbox(field, label).checked(values.is_on(field)).hint(hint)) }
        }
        fieldset {
            legend { "State and price" }
            (select("state", "State", STATES.map(|(_, name, label)| (name, label)).to_vec())
                .value(values.get("state")).error(errors.of("state")).required())
            @if disabling {
                (checkbox("confirm", "Yes, refuse all new jobs of this tool")
                    .checked(values.is_on("confirm")).error(errors.of("confirm")))
            }
            (select("access_tier", "Access tier", TIERS.map(|(_, name, label)| (name, label)).to_vec())
                .value(values.get("access_tier")).error(errors.of("access_tier")).required()
                .hint("Shown on the tool's page. You choose the tools of a plan on the plan's page."))
            (input("number", "credit_cost", "Credits per job").value(values.get("credit_cost"))
                .error(errors.of("credit_cost")).required().with("min", 0).with("max", MOST_CREDITS))
        }
        fieldset {
            legend { "Description" }
            (textarea("description", "Description", 3).value(values.raw("description")).error(errors.of("description"))
                .hint("Leave empty to use the default text below."))
            p.hint { (definition.description) }
            (text("category", "Category").value(values.get("category")).error(errors.of("category"))
                .with("maxlength", CATEGORY_LENGTH))
            p.hint { "Leave empty to use the default: " (definition.category) "." }
        }
        (reason_field(values, errors))
        div.actions {
            button.button.primary type="submit" { "Save" }
            a.button href=(state.link("/admin/tools")) { "Cancel" }
        }
    };
    html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link("/admin/tools")) { "Tools" } } } }
        header.page-head { h1 { (definition.name) } p.lead { code { (definition.slug) } } }
        @if let Some(notice) = notice { (notice) }
        (form(state, viewer, &path(tool), fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::catalogue::Catalogue;
    use proptest::prelude::*;

    fn settings() -> impl Strategy<Value = ToolSettings> {
        let words = |pattern: &'static str| prop::option::of(pattern);
        let switches = any::<[bool; 5]>();
        (0..4usize, 0..4usize, 0..=MOST_CREDITS, switches, words("[a-z][a-z <>&\"]{0,40}[a-z]"), words("[a-z]{1,10}"))
            .prop_map(
                |(state, tier, credit_cost, [public, category, navigation, homepage, api], description, group)| {
                    ToolSettings {
                        access_tier: TIERS[tier].0,
                        credit_cost,
                        state: STATES[state].0,
                        page_visibility: PageVisibility { public, category, navigation, homepage, api },
                        description,
                        category: group,
                    }
                },
            )
    }

    proptest! {
        #[test]
        fn an_unchanged_form_changes_nothing(settings in settings()) {
            prop_assert_eq!(read(&as_form(&settings), &settings), Ok(settings));
        }
    }

    fn delivered() -> ToolSettings {
        Catalogue::load().unwrap().tools()[0].definition.settings.clone()
    }

    fn changed(field: &str, value: &str) -> Result<ToolSettings, FormErrors> {
        let form = as_form(&delivered());
        let others = form.pairs().filter(|(name, _)| *name != field);
        let pairs: Vec<_> = others.chain([(field, value)]).collect();
        read(&FormData::of(&pairs), &delivered())
    }

    #[test]
    fn errors_are_shown_at_their_fields() {
        for (field, value) in [
            ("state", "asleep"),
            ("access_tier", ""),
            ("credit_cost", "-1"),
            ("credit_cost", "many"),
            ("category", &"x".repeat(CATEGORY_LENGTH + 1)),
            ("description", &"x".repeat(DESCRIPTION_LENGTH + 1)),
            ("reason", &"x".repeat(501)),
        ] {
            let errors = changed(field, value).unwrap_err();
            assert!(errors.of(field).is_some(), "{field}={value}: {errors:?}");
        }
    }

    #[test]
    fn disabling_a_tool_needs_confirmation() {
        let form = as_form(&ToolSettings { state: ToolState::Disabled, ..delivered() });
        assert!(read(&form, &delivered()).unwrap_err().of("confirm").is_some());
        let pairs: Vec<_> = form.pairs().chain([("confirm", "on")]).collect();
        assert_eq!(read(&FormData::of(&pairs), &delivered()).unwrap().state, ToolState::Disabled);
        let disabled = ToolSettings { state: ToolState::Disabled, ..delivered() };
        assert_eq!(read(&form, &disabled), Ok(disabled));
    }
}
