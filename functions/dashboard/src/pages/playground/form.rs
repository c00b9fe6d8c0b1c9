//! The playground's form: source, options and price, with messages next to fields.

use docmill::domain::catalogue::Tool;
use docmill::domain::limits::{Limits, MAX_INLINE_BYTES};
use docmill::domain::source::{SOURCES, SourceKind, SourceProperty};
use docmill::domain::tool::{Definition, ToolState};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::body::{HEADERS, MOST_STEPS, PASSWORD, access, body};
use super::code::{File, Recipe};
use super::label;
use super::options::{Control, Kind, Source, controls, plain, sources};
use super::told::{EXPIRED_UPLOAD, Told};
use super::{PATH, panel};
use crate::assets;
use crate::form::{Field, FormData, checkbox, input, select, text, textarea, token_field};
use crate::layout::{state_badge, tool_groups};
use crate::listing::Listing;
use crate::pages::parts::bytes;
use crate::state::AppState;
use crate::viewer::Viewer;
use docmill_look::code::tabs;

/// The content of the form.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    pub state: &'a AppState,
    pub viewer: &'a Viewer,
    pub tools: &'a [&'a Tool],
    pub tool: &'a Tool,
    pub data: &'a FormData,
    pub told: &'a Told,
}

impl Shown<'_> {
    /// The limits of the viewer's jobs.
    fn limits(&self) -> Limits {
        let widest = self.state.context.config.limits.clone();
        match &self.viewer.user {
            Some(user) => widest.narrowed_by(&self.viewer.settings.ceilings(&user.own_key())),
            None => widest,
        }
    }
}

pub fn without_tools() -> Markup {
    html! {
        header.page-head { h1 { "Playground" } }
        p.empty { "Your plan includes no tools at the moment. Contact the operator of this service." }
    }
}

pub fn page(shown: &Shown<'_>, result: Option<Markup>) -> Markup {
    html! {
        header.page-head {
            h1 { "Playground" }
            p.lead { "Convert a document here, and copy the code that does the same." }
        }
        div.playground {
            div {
                form.form #playground method="post" action=(shown.state.link(PATH)) novalidate
                    data-page=(shown.state.link(PATH))
                    data-uploads=(shown.state.link(&format!("{PATH}/uploads")))
                    data-code=(shown.state.link(&format!("{PATH}/code")))
                    data-viewer=(assets::link(shown.state, "viewer.js"))
                    data-pdf=(assets::link(shown.state, assets::PDF))
                    data-pdf-worker=(assets::link(shown.state, assets::PDF_WORKER)) {
                    (fields(shown))
                }
            }
            div.outcome {
                p.note.warn #connection role="status" hidden {}
                div #result aria-live="polite" {
                    @if let Some(result) = result { (result) }
                    @else { p.empty { "The result appears here." } }
                }
            }
        }
        section.code-block aria-labelledby="code-title" {
            h2 #code-title { "Code" }
            div #code { (code_tabs(shown.state, shown.tool, shown.data)) }
            p.muted { "This converts the document and saves the result. Set " code { "DOCMILL_KEY" } " to one of your "
                a href=(shown.state.link("/app/keys")) { "API keys" } " first. How it waits for the result: "
                a href=(shown.state.link("/docs/waiting")) { "Wait for a result" } "." }
        }
    }
}

/// The fields. The script replaces them after an error.
pub fn fields(shown: &Shown<'_>) -> Markup {
    let Shown { data, told, tool, .. } = shown;
    let definition = &tool.definition;
    html! {
        (token_field(shown.viewer))
        // Identifies the request, so that repeating it returns the same job.
        input type="hidden" name="attempt" value=(attempt(data));
        @if let Some(message) = told.of("") { div.note.danger role="alert" { p { (message) } } }
        @if let Some(message) = told.request() { div.note.warn role="alert" { p { (message) } } }
        (tool_choice(shown))
        (source_choice(definition, data, told, &shown.limits()))
        (option_fields(definition, data, told))
        (step_fields(shown))
        fieldset.choice {
            legend { "Mode" }
            (radio("mode", "live", "Live", data.get("mode") != "test"))
            (radio("mode", "test", "Test: free, marks every page with TEST", data.get("mode") == "test"))
        }
        (maintenance(shown))
        p.actions.submit-bar { button.button.primary type="submit" { "Convert" } (price(shown)) }
        div #upload-progress hidden {
            label for="upload-bar" { "Uploading" }
            progress #upload-bar max="100" value="0" {}
        }
    }
}

fn attempt(data: &FormData) -> String {
    match data.get("attempt") {
        "" => docmill::domain::job::JobId::new().to_string(),
        given => given.to_owned(),
    }
}

fn radio(name: &str, value: &str, label: &str, checked: bool) -> Markup {
    let id = format!("{name}-{value}");
    html! {
        div.radio {
            input type="radio" id=(id) name=(name) value=(value) checked[checked];
            label for=(id) { (label) }
        }
    }
}

fn tool_choice(shown: &Shown<'_>) -> Markup {
    let current = &shown.tool.definition;
    let user = shown.viewer.user.as_ref();
    let tools = user.map(|user| Listing::usable(shown.state, shown.viewer, user)).unwrap_or_default();
    html! {
        input type="hidden" name="tool" value=(current.slug);
        nav.picker aria-label="Tool" {
            details {
                summary { span { "Tool" } " " strong { (current.name) } (state_badge(shown.viewer.settings.tool(shown.tool).state)) }
                (tool_groups(&tools, |listing| html! {
                    a href=(shown.state.link(&format!("{PATH}?tool={}", listing.definition.slug)))
                        aria-current=[(listing.definition.slug == current.slug).then_some("page")] { (listing.name) }
                    (state_badge(listing.settings.state))
                }))
            }
        }
    }
}

fn source_choice(definition: &Definition, data: &FormData, told: &Told, limits: &Limits) -> Markup {
    let sources = sources(definition);
    let chosen = sources.iter().find(|source| source.as_str() == data.get("source")).or(sources.first());
    html! {
        fieldset.choice.sources {
            legend { "Document" }
            @for source in &sources { (radio("source", source.as_str(), &source_label(source), Some(source) == chosen)) }
        }
        @for source in &sources {
            div.source data-source=(source.as_str()) { (source_field(source, definition, data, told, limits)) }
        }
        (access_fields(definition, data, told))
    }
}

/// Password and headers of the source. Headers are only shown if an earlier job had some.
fn access_fields(definition: &Definition, data: &FormData, told: &Told) -> Markup {
    let label =
        if definition.sources.are_several() { "Password of protected files" } else { "Password of a protected file" };
    html! {
        @if definition.sources.properties.contains(&SourceProperty::Password) {
            (input("password", PASSWORD, label).value(data.raw(PASSWORD)).error(told.of(PASSWORD)).with("autocomplete", "off"))
        }
        @if data.has(HEADERS) {
            (text(HEADERS, "Headers that fetch the file, as JSON").value(data.raw(HEADERS)).error(told.of(HEADERS)).with("spellcheck", "false"))
        }
    }
}

fn source_label(source: &Source) -> String {
    match source {
        Source::File => "A file".to_owned(),
        Source::Files => "Files".to_owned(),
        Source::Url(name) if is_page(name) => "A web page".to_owned(),
        Source::Url(_) => "A URL".to_owned(),
        Source::Inline(name) => label::of(name),
    }
}

/// Whether the property takes the address of a page rather than a file.
fn is_page(property: &str) -> bool {
    property == SourceKind::Url.as_str()
}

fn source_field(source: &Source, definition: &Definition, data: &FormData, told: &Told, limits: &Limits) -> Markup {
    match source {
        Source::File | Source::Files => file_field(source, definition, data, told, limits),
        Source::Url(name) => {
            let (label, hint) = if is_page(name) {
                ("URL of the page", "A public http or https URL. The page is shown as a browser shows it.")
            } else {
                ("URL", "A public http or https URL. The service fetches it, not your browser.")
            };
            html! {
                (input("url", name, label).value(data.get(name)).required().error(told.of(name)).hint(hint).with("placeholder", "https://"))
            }
        }
        Source::Inline(name) => html! {
            @let label = label::of(name);
            (textarea(name, &label, 10).value(data.raw(name)).required().error(told.of(name))
                .with("spellcheck", "false").hint(&format!("Up to {}.", bytes(MAX_INLINE_BYTES as u64))))
        },
    }
}

fn shown_name(names: &[&str], index: usize) -> String {
    match names.get(index) {
        Some(name) if !name.is_empty() => (*name).to_owned(),
        Some(_) | None => format!("Uploaded file {}", index + 1),
    }
}

/// The file itself never passes through here: the script uploads it to the bucket and puts the upload's id into the form.
fn file_field(source: &Source, definition: &Definition, data: &FormData, told: &Told, limits: &Limits) -> Markup {
    let (several, extensions) = (*source == Source::Files, &definition.sources.formats);
    let attachments = definition.sources.attachments;
    // Attachments may be of any type.
    let accepted = extensions.iter().filter(|_| attachments == 0).map(|extension| format!(".{extension}"));
    let accepted: Vec<_> = accepted.collect();
    let error = told.of("file");
    let uploads = if error == Some(EXPIRED_UPLOAD) { Vec::new() } else { data.all("uploadId") };
    let names = data.all("fileName");
    let kinds = data.all("fileType");
    let of = |list: &[&str], index: usize| list.get(index).copied().unwrap_or_default().to_owned();
    html! {
        div.field.drop data-invalid[error.is_some()] {
            label for="file" { @if several { "Drop files here, or choose some" } @else { "Drop a file here, or choose one" } }
            // Has no name, so that it is not submitted.
            input type="file" id="file" multiple[several] data-most=(limits.sources.min(definition.sources.most_files() as u64)) accept=(accepted.join(",")) aria-describedby="file-hint file-error file-chosen";
            ol.files #file-chosen {
                @for (index, id) in uploads.iter().enumerate().filter(|(_, id)| !id.is_empty()) {
                    li data-upload=(id) data-kind=(of(&kinds, index)) { span.name { (shown_name(&names, index)) } }
                }
            }
            p.error #file-error { @if let Some(error) = error { (error) } }
            p.hint #file-hint { (extensions.join(", ")) @if attachments > 0 { ", then up to " (attachments) " files of any kind" } ". Up to " (bytes(limits.source_bytes)) ". Files are private and deleted within 48 hours." }
            noscript { p.error { "Uploading a file needs JavaScript. A URL does not." } }
        }
        // Filled by the script, in the order of the list above.
        div #uploads {
            @for (index, id) in uploads.iter().enumerate() {
                input type="hidden" name="uploadId" value=(id);
                input type="hidden" name="fileName" value=(of(&names, index));
                input type="hidden" name="fileType" value=(of(&kinds, index));
            }
        }
    }
}

fn option_fields(definition: &Definition, data: &FormData, told: &Told) -> Markup {
    let controls = controls(definition);
    let Some((first, rest)) = controls.split_first() else { return html! {} };
    let changed = rest.iter().any(|control| control.read(data).is_some() && was_sent(data));
    html! {
        (option_field(first, data, told))
        details.options open[changed || told.has_options()] {
            summary { "Options" }
            div.fields { @for control in rest { (option_field(control, data, told)) } }
        }
    }
}

/// Further tools, each for the result of the one before.
fn step_fields(shown: &Shown<'_>) -> Markup {
    let Shown { data, told, .. } = shown;
    let mut tools = vec![("", "No further step")];
    // A step only gets the result of the one before.
    let followers = shown.tools.iter().filter(|tool| tool.definition.sources.least <= 1);
    tools.extend(followers.map(|tool| (tool.definition.slug.as_str(), tool.definition.name.as_str())));
    let names: Vec<_> =
        (0..MOST_STEPS).map(|number| (format!("step.{number}"), format!("step.{number}.options"))).collect();
    let labels: Vec<_> = (1..=MOST_STEPS)
        .map(|number| (format!("Step {}", number + 1), format!("Options of step {}", number + 1)))
        .collect();
    let is_open =
        names.iter().any(|(name, options)| !data.get(name).is_empty() || told.of(name).or(told.of(options)).is_some());
    html! {
        details.options open[is_open] {
            summary { "Further steps" }
            p.muted { "Each step gets the result of the one before. Options are JSON, as on the tool's page in the docs." }
            div.fields { @for ((name, options), (label, options_label)) in names.iter().zip(&labels) {
                (select(name, label, tools.clone()).value(data.get(name)).error(told.of(name)))
                (text(options, options_label).value(data.raw(options)).error(told.of(options)).with("placeholder", "{}").with("spellcheck", "false"))
            } }
        }
    }
}

/// A new form shows defaults. In a submitted one, a missing box was not ticked.
fn was_sent(data: &FormData) -> bool {
    data.has("tool")
}

fn option_field(control: &Control, data: &FormData, told: &Told) -> Markup {
    let (name, error) = (control.field(), told.of(&control.field()));
    let finish = |field: Field<'_>| {
        let field = field.error(error);
        match &control.hint {
            Some(hint) => html! { (field.hint(hint)) },
            None => html! { (field) },
        }
    };
    let (label, value) = (control.label.as_str(), data.raw(&name));
    let preset = control.default.as_ref().map(plain);
    match &control.kind {
        Kind::Switch if control.is_box() => {
            let on = if was_sent(data) { data.is_on(&name) } else { preset.as_deref() == Some("true") };
            finish(checkbox(&name, label).checked(on))
        }
        Kind::Switch => finish(
            select(&name, label, vec![("", "As in the document"), ("true", "Yes"), ("false", "No")]).value(value),
        ),
        Kind::Choice(values) => {
            let texts: Vec<_> = values.iter().map(plain).collect();
            let none = absent(preset.as_deref());
            let rest = texts.iter().filter(|text| control.default.as_ref().map(plain).as_ref() != Some(*text));
            let choices = [("", none.as_str())].into_iter().chain(rest.map(|text| (text.as_str(), text.as_str())));
            finish(select(&name, label, choices.collect()).value(value))
        }
        Kind::Number { whole, least, most } => {
            let mut field = input("number", &name, label).value(value).with("step", if *whole { "1" } else { "any" });
            for (attribute, bound) in [("min", least), ("max", most)] {
                if let Some(bound) = bound {
                    field = field.with(attribute, bound);
                }
            }
            finish(if let Some(preset) = preset { field.with("placeholder", preset) } else { field })
        }
        Kind::Text { lines: true, .. } => finish(textarea(&name, label, 3).value(value).with("spellcheck", "false")),
        Kind::Text { secret: true, .. } => {
            finish(input("password", &name, label).value(value).with("autocomplete", "off"))
        }
        Kind::Text { longest, .. } => {
            let field = text(&name, label).value(value);
            finish(if let Some(longest) = longest { field.with("maxlength", longest) } else { field })
        }
        Kind::Measure => finish(text(&name, label).value(value).with("placeholder", "20mm")),
        Kind::Variant { words, members } => {
            let words: Vec<_> = words.iter().map(plain).filter(|word| Some(word) != preset.as_ref()).collect();
            let none = absent(preset.as_deref());
            let named: Vec<_> = members.iter().map(|(name, _)| (name.as_str(), label::of(name))).collect();
            let mut choices = vec![("", none.as_str())];
            choices.extend(words.iter().map(|word| (word.as_str(), word.as_str())));
            choices.extend(named.iter().map(|(name, label)| (*name, label.as_str())));
            let beside = control.value_field();
            let labels: Vec<_> = named.iter().map(|(_, label)| label.to_lowercase()).collect();
            let beside_label = format!("{label}: {}", labels.join(", or "));
            html! {
                (finish(select(&name, label, choices).value(value)))
                (text(&beside, &beside_label).value(data.raw(&beside)))
            }
        }
        Kind::Group(members) => html! {
            fieldset id=(name) tabindex="-1" {
                legend { (label) }
                @if let Some(hint) = &control.hint { p.hint { (hint) } }
                @if let Some(error) = error { p.error id={ (name) "-error" } { (error) } }
                div.fields { @for member in members { (option_field(member, data, told)) } }
            }
        },
        Kind::Json => finish(text(&name, label).value(value).with("placeholder", "JSON")),
    }
}

/// The label for no choice.
fn absent(preset: Option<&str>) -> String {
    match preset {
        Some("default") => "default".to_owned(),
        Some(preset) => format!("{preset} (default)"),
        None => "not set".to_owned(),
    }
}

fn maintenance(shown: &Shown<'_>) -> Markup {
    let state = shown.viewer.settings.tool(shown.tool).state;
    html! {
        @if state == ToolState::Maintenance {
            p.note.warn { "This tool is in maintenance. New jobs are refused until it is back." }
        }
    }
}

fn price(shown: &Shown<'_>) -> Markup {
    let cost = shown.viewer.settings.tool(shown.tool).credit_cost;
    html! {
        span.price.muted {
            @if cost == 0 { "This tool is free." }
            @else { "Costs " strong { (panel::credits(cost)) } " in live mode. Test mode and failed jobs are free." }
        }
    }
}

pub fn code_tabs(state: &AppState, tool: &Tool, data: &FormData) -> Markup {
    let definition = &tool.definition;
    let sources = sources(definition);
    let first = sources.first().map_or("file", Source::as_str);
    let source = if data.has("source") { data.get("source") } else { first };
    let or = |given: &str, otherwise: &str| if given.is_empty() { otherwise.to_owned() } else { given.to_owned() };
    let extension = definition.sources.formats.first().map_or("html", String::as_str);
    let (names, kinds) = (data.all("fileName"), data.all("fileType"));
    let fallback = ["document", "second"].map(|name| format!("{name}.{extension}"));
    let count = match source {
        "file" => 1,
        "files" => names.len().max(if definition.sources.are_several() { 2 } else { 1 }),
        _ => 0,
    };
    let given =
        |list: &[&str], index: usize, otherwise: &str| or(list.get(index).copied().unwrap_or_default(), otherwise);
    let chosen: Vec<_> = (0..count)
        .map(|index| (given(&names, index, &fallback[index.min(1)]), given(&kinds, index, "application/octet-stream")))
        .collect();
    let files: Vec<_> = chosen.iter().map(|(name, content_type)| File { name, content_type }).collect();
    let (base, mut body) = (state.absolute(""), body(definition, data));
    if let Some(input) = body.get_mut("input").and_then(Value::as_object_mut).filter(|input| input.is_empty()) {
        // Nothing was entered yet, or the job does not tell: the code shows a placeholder.
        match sources.iter().find(|known| known.as_str() == source) {
            Some(Source::Url(name)) => drop(input.insert(name.clone(), json!("https://…"))),
            Some(Source::Inline(name)) => drop(input.insert(name.clone(), json!("…"))),
            Some(Source::File) => input.extend(access(data)),
            Some(Source::Files) => drop(input.insert(SOURCES.to_owned(), json!([access(data)]))),
            None => {}
        }
    }
    tabs("code-tab", "Language", &Recipe::new(&base, &state.context.catalogue, tool, &body, &files).tabs())
}
