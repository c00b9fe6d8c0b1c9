//! Fields that several forms share: tools, origins and limits of jobs.

use docmill_domain::account::parse_origin;
use docmill_domain::catalogue::Tool;
use docmill_domain::limits::{Ceilings, Limit, Limits};
use docmill_site::form::{FormData, FormErrors, input, textarea};
use maud::{Markup, html};

use super::number;

/// Enough for any account, and few enough to copy to each key.
const MOST_ORIGINS: usize = 50;
/// Integers up to here are exact in scripts and in the table.
const MOST_OF_ANY: u64 = 1 << 50;

/// Form values for a choice of tools.
pub(super) fn tool_pairs(allowed: Option<&Vec<String>>) -> Vec<(String, String)> {
    match allowed {
        None => vec![("all_tools".into(), "on".into())],
        Some(slugs) => slugs.iter().map(|slug| ("tool".to_owned(), slug.clone())).collect(),
    }
}

/// `None` means all tools.
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

/// Form values for limits.
pub(super) fn limit_pairs(ceilings: &Ceilings) -> Vec<(String, String)> {
    let set = Limit::ALL.into_iter().filter_map(|limit| Some((limit, ceilings.get(limit)?)));
    set.map(|(limit, most)| (limit.as_str().to_owned(), most.to_string())).collect()
}

/// Empty fields set no limit.
pub(super) fn read_limits(form: &FormData, errors: &mut FormErrors) -> Ceilings {
    let mut ceilings = Ceilings::default();
    for limit in Limit::ALL.into_iter().filter(|limit| !form.get(limit.as_str()).is_empty()) {
        ceilings.set(limit, Some(number(form, errors, limit.as_str(), 1, MOST_OF_ANY)));
    }
    ceilings
}

/// A field for each limit. `widest`: the limits that apply to empty fields.
pub(super) fn limit_fields(form: &FormData, errors: &FormErrors, widest: &Limits) -> Markup {
    html! {
        fieldset {
            legend { "Limits of jobs and of the account's use" }
            @for limit in Limit::ALL {
                @let name = limit.as_str();
                (input("number", name, label(limit)).value(form.get(name)).error(errors.of(name)).with("min", 1)
                    .with("max", MOST_OF_ANY).with("placeholder", widest.get(limit)))
            }
            p.hint { "Only lower values than the service allows have an effect. Leave a field empty for no further limit." }
        }
    }
}

const fn label(limit: Limit) -> &'static str {
    match limit {
        Limit::Sources => "Sources",
        Limit::SourceBytes => "Size of the sources in bytes",
        Limit::UnpackedBytes => "Unpacked size of an archive in bytes",
        Limit::ArchiveEntries => "Entries of an archive",
        Limit::OutputBytes => "Size of the result in bytes",
        Limit::Pages => "Pages",
        Limit::ConversionMs => "Time to convert in milliseconds",
        Limit::FetchMs => "Time to fetch in milliseconds",
        Limit::Redirects => "Redirects",
        Limit::RunningJobs => "Running jobs of the account in each queue",
        Limit::Waits => "Requests of the account that wait at once",
        Limit::DailyUploadBytes => "Uploads of the account per day in bytes",
        Limit::DailyRefundedMs => "Time of the account's refunded failures per day in milliseconds",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::catalogue::Catalogue;

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
    fn a_choice_of_tools_survives_the_form() {
        let catalogue = Catalogue::load().unwrap();
        for allowed in [None, Some(vec!["html-to-pdf".to_owned()])] {
            let pairs = tool_pairs(allowed.as_ref());
            let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let again = read_tools(&FormData::of(&pairs), &mut FormErrors::default(), catalogue.tools());
            assert_eq!(again, allowed);
        }
    }

    #[test]
    fn limits_are_whole_numbers_or_left_open() {
        let read = |pairs: &[(&str, &str)]| {
            let mut errors = FormErrors::default();
            let ceilings = read_limits(&FormData::of(pairs), &mut errors);
            (ceilings, errors)
        };
        let (ceilings, errors) = read(&[("pages", "50"), ("sourceBytes", " ")]);
        assert!(errors.is_empty());
        assert_eq!(limit_pairs(&ceilings), [("pages".to_owned(), "50".to_owned())]);
        for wrong in ["0", "-1", "many", "1.5"] {
            assert!(read(&[("pages", wrong)]).1.of("pages").is_some(), "{wrong}");
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
