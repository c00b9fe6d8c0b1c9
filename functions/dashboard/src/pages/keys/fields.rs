//! A key's editable fields: name, tools, origins and last day.

use docmill_domain::account::{StoredKey, parse_origin};
use docmill_domain::time::Timestamp;
use docmill_site::form::{FormData, FormErrors, input, radio, text, textarea};
use docmill_site::layout::tool_groups;
use docmill_site::listing::Listing;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use docmill_store::accounts::keys::KeyDetails;
use maud::{Markup, html};

const MAX_NAME: usize = 80;
const MAX_ORIGINS: usize = 20;
/// The values of the choice between all tools and some.
pub(super) const ALL_TOOLS: &str = "all";
const SOME_TOOLS: &str = "some";

/// Reads the fields and reports errors next to them.
pub(super) fn read(
    state: &AppState,
    viewer: &Viewer,
    data: &FormData,
    now: Timestamp,
    errors: &mut FormErrors,
) -> Option<KeyDetails> {
    let name = data.get("name");
    if name.is_empty() {
        errors.add("name", "Enter a name for the key.");
    } else if name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        errors.add("name", format!("Use at most {MAX_NAME} characters on one line."));
    }
    let origins: Option<Vec<_>> = data.lines("origins").into_iter().map(parse_origin).collect();
    match &origins {
        None => errors.add("origins", "Enter one origin per line, such as https://app.example, without a path."),
        Some(origins) if origins.len() > MAX_ORIGINS => {
            errors.add("origins", format!("Enter at most {MAX_ORIGINS} origins."));
        }
        Some(_) => {}
    }
    let expires = match data.get("expires") {
        "" => Ok(None),
        date => Timestamp::end_of_day(date).filter(|end| *end > now).map(Some).ok_or(()),
    };
    if expires.is_err() {
        errors.add("expires", "Choose today or a later day.");
    }
    let tools = chosen_tools(state, viewer, data);
    // Without any, the key would have all.
    if data.get("access") == SOME_TOOLS && tools.is_empty() {
        errors.add("tools", "Choose at least one tool, or all.");
    }
    match (origins, expires) {
        (Some(allowed_origins), Ok(expires_at)) if errors.is_empty() => Some(KeyDetails {
            name: name.to_owned(),
            allowed_tools: (!tools.is_empty()).then_some(tools),
            allowed_origins,
            expires_at,
        }),
        (Some(_) | None, _) => None,
    }
}

/// The form values of a key.
pub(super) fn of_key(key: &StoredKey) -> FormData {
    let expires = key.expires_at.map(|at| at.day().to_string()).unwrap_or_default();
    let origins = key.allowed_origins.join("\n");
    let access = if key.allowed_tools.is_some() { SOME_TOOLS } else { ALL_TOOLS };
    let mut fields = vec![("name", key.name.as_str()), ("origins", origins.as_str()), ("expires", expires.as_str())];
    fields.push(("access", access));
    fields.extend(key.allowed_tools.iter().flatten().map(|tool| ("tool", tool.as_str())));
    FormData::of(&fields)
}

/// The tools to choose from.
pub(super) fn tools<'a>(state: &'a AppState, viewer: &'a Viewer) -> Vec<Listing<'a>> {
    viewer.user.as_ref().map(|user| Listing::usable(state, viewer, user)).unwrap_or_default()
}

fn chosen_tools(state: &AppState, viewer: &Viewer, data: &FormData) -> Vec<String> {
    if data.get("access") == ALL_TOOLS {
        return Vec::new();
    }
    let chosen = data.all("tool");
    let slugs = tools(state, viewer).into_iter().map(|listing| listing.definition.slug.clone());
    slugs.filter(|slug| chosen.contains(&slug.as_str())).collect()
}

pub(super) fn name_field(data: &FormData, errors: &FormErrors) -> Markup {
    html! {
        (text("name", "Name").value(data.get("name")).error(errors.of("name"))
            .hint("Only you see it, for example the name of the program that uses the key.").with("maxlength", MAX_NAME)
            .with("autocomplete", "off").required())
    }
}

pub(super) fn limit_fields(state: &AppState, viewer: &Viewer, data: &FormData, errors: &FormErrors) -> Markup {
    html! {
        (tool_choice(&tools(state, viewer), data, errors))
        (textarea("origins", "Origins", 3).value(data.raw("origins")).error(errors.of("origins"))
            .hint("One per line, such as https://app.example. Leave empty to allow requests from anywhere."))
        (input("date", "expires", "Expires on").value(data.get("expires")).error(errors.of("expires"))
            .hint("The key works through this day, in UTC. Leave empty for a key that does not expire."))
    }
}

/// All tools, or a list that the style sheet shows only for "only these".
fn tool_choice(tools: &[Listing<'_>], data: &FormData, errors: &FormErrors) -> Markup {
    let is_all = data.get("access") != SOME_TOOLS;
    html! {
        fieldset.field.choice data-invalid[errors.of("tools").is_some()] aria-describedby="tools-error" {
            legend { "Tools" }
            (radio("access", ALL_TOOLS, &html! { "All tools of the account, including future ones" }, is_all))
            (radio("access", SOME_TOOLS, &html! { "Only these" }, !is_all))
            p.error #tools-error { @if let Some(error) = errors.of("tools") { (error) } }
            (tool_groups(tools, |listing| {
                let slug = listing.definition.slug.as_str();
                html! {
                    div.field.check {
                        input type="checkbox" id={ "tool-" (slug) } name="tool" value=(slug) checked[data.all("tool").contains(&slug)];
                        label for={ "tool-" (slug) } { (listing.name) }
                    }
                }
            }))
        }
    }
}
