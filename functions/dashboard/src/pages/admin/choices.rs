//! Fields for tools and origins, which plans and accounts share.

use docmill::domain::account::parse_origin;
use docmill::domain::catalogue::Tool;
use maud::{Markup, html};

use crate::form::{FormData, FormErrors, textarea};

/// Enough for any account, and few enough to copy into each key.
const MOST_ORIGINS: usize = 50;

/// The pairs by which a form shows this choice of tools.
pub(super) fn tool_pairs(allowed: Option<&Vec<String>>) -> Vec<(String, String)> {
    match allowed {
        None => vec![("all_tools".into(), "on".into())],
        Some(slugs) => slugs.iter().map(|slug| ("tool".to_owned(), slug.clone())).collect(),
    }
}

/// `None`: every tool.
pub(super) fn read_tools(form: &FormData, errors: &mut FormErrors, catalogue: &[Tool]) -> Option<Vec<String>> {
    if form.is_on("all_tools") {
        return None;
    }
    let chosen = form.all("tool");
    let known = |slug: &str| catalogue.iter().any(|tool| tool.definition.slug == slug);
    if chosen.is_empty() {
        errors.add("tool", "Choose all tools or at least one.");
    } else if let Some(unknown) = chosen.iter().find(|slug| !known(slug)) {
        errors.add("tool", format!("There is no tool named {unknown}."));
    }
    Some(chosen.into_iter().map(str::to_owned).collect())
}

pub(super) fn tool_fields(form: &FormData, errors: &FormErrors, catalogue: &[Tool], all: &str) -> Markup {
    let chosen = form.all("tool");
    html! {
        fieldset data-invalid[errors.of("tool").is_some()] aria-describedby=[errors.of("tool").map(|_| "tool-error")] {
            legend { "Tools" }
            div.field.check {
                input type="checkbox" id="all_tools" name="all_tools" value="on" checked[form.is_on("all_tools")];
                label for="all_tools" { (all) }
            }
            @for tool in catalogue {
                @let slug = &tool.definition.slug;
                @let id = format!("tool-{slug}");
                div.field.check {
                    input type="checkbox" id=(id) name="tool" value=(slug) checked[chosen.contains(&slug.as_str())];
                    label for=(id) { (tool.definition.name) }
                }
            }
            @if let Some(error) = errors.of("tool") { p.error #tool-error { (error) } }
            p.hint { "To choose single tools, clear the first box." }
        }
    }
}

pub(super) fn read_origins(form: &FormData, errors: &mut FormErrors) -> Vec<String> {
    let mut origins = Vec::new();
    for line in form.lines("origins") {
        match parse_origin(line) {
            Some(origin) if !origins.contains(&origin) => origins.push(origin),
            Some(_) => {}
            None => errors.add("origins", format!("“{line}” is not an origin. Use the form https://app.example.com.")),
        }
    }
    if origins.len() > MOST_ORIGINS {
        errors.add("origins", format!("At most {MOST_ORIGINS} origins."));
    }
    origins
}

pub(super) fn origins_field(form: &FormData, errors: &FormErrors) -> Markup {
    html! {
        (textarea("origins", "Origins", 3)
            .value(form.raw("origins"))
            .hint("One per line, such as https://app.example.com. Leave empty to allow requests from anywhere.")
            .error(errors.of("origins"))
            .with("spellcheck", "false"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill::domain::catalogue::Catalogue;

    #[test]
    fn tools_are_all_or_some_that_exist() {
        let catalogue = Catalogue::load().unwrap();
        let read = |pairs: &[(&str, &str)]| {
            let mut errors = FormErrors::default();
            let tools = read_tools(&FormData::of(pairs), &mut errors, catalogue.tools());
            if errors.is_empty() { Ok(tools) } else { Err(errors.of("tool").map(str::to_owned)) }
        };
        assert_eq!(read(&[("all_tools", "on"), ("tool", "html-to-pdf")]), Ok(None));
        assert_eq!(read(&[("tool", "html-to-pdf")]), Ok(Some(vec!["html-to-pdf".to_owned()])));
        assert_eq!(read(&[("tool", "x")]), Err(Some("There is no tool named x.".to_owned())));
        assert!(read(&[]).is_err());
    }

    #[test]
    fn what_was_read_is_shown_again() {
        let catalogue = Catalogue::load().unwrap();
        for allowed in [None, Some(vec!["html-to-pdf".to_owned()])] {
            let pairs = tool_pairs(allowed.as_ref());
            let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let again = read_tools(&FormData::of(&pairs), &mut FormErrors::default(), catalogue.tools());
            assert_eq!(again, allowed);
        }
    }

    #[test]
    fn origins_are_normalised_and_named_when_they_are_wrong() {
        let mut errors = FormErrors::default();
        let form = FormData::of(&[("origins", "https://A.example\r\n\r\n https://a.example/ \nhttp://localhost:3000")]);
        assert_eq!(read_origins(&form, &mut errors), ["https://a.example", "http://localhost:3000"]);
        assert!(errors.is_empty());
        read_origins(&FormData::of(&[("origins", "https://a.example\nexample.com")]), &mut errors);
        assert!(errors.of("origins").unwrap().contains("“example.com”"));
    }
}
