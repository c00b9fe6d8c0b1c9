//! The fields for the document: files, addresses, text, or the result of an earlier job.

use docmill_domain::job::Job;
use docmill_domain::limits::MAX_INLINE_BYTES;
use docmill_domain::source::{SourceKind, SourceProperty};
use docmill_domain::tool::Definition;
use docmill_formats::Format;
use docmill_site::assets;
use docmill_site::form::{Field, input, radio, select, textarea};
use docmill_site::label;
use docmill_site::parts::bytes;
use maud::{Markup, html};

use super::body::{ENTRY_KIND, ENTRY_VALUE, Entry, FILE_NAME, FILE_TYPE, HEADERS, PASSWORD, entries};
use super::messages::EXPIRED_UPLOAD;
use super::options::{Source, sources};
use super::shown::Shown;
use crate::pages::jobs::table::document;

pub fn source_choice(shown: &Shown<'_>) -> Markup {
    let sources = sources(&shown.tool.definition);
    let given = shown.data.get("source");
    let chosen = sources.iter().find(|source| source.as_str() == given).or(sources.first());
    html! {
        @if sources.len() > 1 {
            fieldset.segments.sources {
                legend { "Document" }
                @for source in &sources {
                    (radio("source", source.as_str(), &html! { (source_label(source)) }, Some(source) == chosen))
                }
            }
        } @else if let Some(only) = chosen { input type="hidden" name="source" value=(only.as_str()); }
        @for source in &sources {
            div.source data-source=(source.as_str()) { (source_field(source, shown)) }
        }
        (access_fields(shown))
    }
}

/// Password and headers of the source. Headers are only shown if an earlier job had some.
fn access_fields(shown: &Shown<'_>) -> Markup {
    let (sources, data) = (&shown.tool.definition.sources, shown.data);
    let label = if sources.are_several() { "Password of protected files" } else { "Password of a protected file" };
    html! {
        @if sources.properties.contains(&SourceProperty::Password) {
            (shown.messages.at(PASSWORD, input("password", PASSWORD, label).value(data.raw(PASSWORD)).with("autocomplete", "off")))
        }
        @if data.has(HEADERS) {
            (shown.messages.at(HEADERS, textarea(HEADERS, "Headers that fetch the file", 3).hint("One a line, such as Authorization: Bearer …").value(data.raw(HEADERS)).with("spellcheck", "false")))
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
        Source::Job => "An earlier result".to_owned(),
        Source::Stored => "A stored template".to_owned(),
    }
}

/// Whether the property takes the address of a page rather than a file.
fn is_page(property: &str) -> bool {
    property == SourceKind::Url.as_str()
}

fn source_field(source: &Source, shown: &Shown<'_>) -> Markup {
    let (data, messages) = (shown.data, &shown.messages);
    match source {
        Source::File | Source::Files => file_field(source, shown),
        Source::Url(name) => {
            let (label, hint) = if is_page(name) {
                ("URL of the page", "A public http or https URL. The page is shown as a browser shows it.")
            } else {
                ("URL", "A public http or https URL. The service fetches it, not your browser.")
            };
            let field = input("url", name, label).value(data.get(name)).required().hint(hint);
            html! { (messages.at(name, field.with("placeholder", "https://"))) }
        }
        Source::Inline(name) => {
            let (label, hint) = (label::of(name), format!("Up to {}.", bytes(MAX_INLINE_BYTES as u64)));
            let field = textarea(name, &label, 10).value(data.raw(name)).required().hint(&hint);
            html! { (messages.at(name, field.with("spellcheck", "false"))) }
        }
        Source::Stored => html! { (messages.at("template", templates(shown))) },
        Source::Job => {
            let jobs = fitting(shown);
            html! { (messages.at("jobId", results("jobId", &jobs).value(data.get("jobId")).hint("The latest results that this tool accepts."))) }
        }
    }
}

/// The account's stored templates. The chosen one is among them.
fn templates<'a>(shown: &'a Shown<'_>) -> Field<'a> {
    let chosen = shown.data.get("template");
    let names = shown.own.templates.iter().map(|name| name.as_str());
    let missing = (!chosen.is_empty() && names.clone().all(|name| name != chosen)).then_some(chosen);
    let none = if shown.own.templates.is_empty() { "You have no stored templates" } else { "Choose a template" };
    let choices = [("", none)].into_iter().chain(names.chain(missing).map(|name| (name, name)));
    select("template", "Stored template", choices.collect())
        .value(chosen)
        .required()
        .hint("The page Templates adds and lists them. Jobs take the newest version.")
}

/// The latest results that the tool accepts, as values and labels. The chosen one is among them.
fn fitting(shown: &Shown<'_>) -> Vec<(String, String)> {
    let accepts = |job: &&Job| {
        let format = job.result.output.as_ref().and_then(|output| Format::from_extension(&output.format));
        format.is_some_and(|format| shown.tool.definition.sources.accepts(format))
    };
    let label = |job: &Job| {
        let name = job.result.output.as_ref().map(|output| output.filename.clone()).filter(|name| !name.is_empty());
        format!("{}, {}", name.or_else(|| document(job)).unwrap_or_default(), job.times.created_at.for_people())
    };
    let mut jobs: Vec<_> = shown.own.jobs.iter().filter(accepts).map(|job| (job.id.to_string(), label(job))).collect();
    let chosen = shown.data.get("jobId");
    if !chosen.is_empty() && jobs.iter().all(|(id, _)| id != chosen) {
        jobs.push((chosen.to_owned(), format!("Job {chosen}")));
    }
    jobs
}

fn results<'a>(name: &'a str, jobs: &'a [(String, String)]) -> Field<'a> {
    let none = if jobs.is_empty() { "No result that this tool accepts" } else { "Choose a result" };
    let choices = jobs.iter().map(|(id, label)| (id.as_str(), label.as_str()));
    select(name, "Result of an earlier job", [("", none)].into_iter().chain(choices).collect())
        .required()
        .with("data-results", "")
}

fn shown_name(entry: &Entry<'_>, index: usize) -> String {
    if entry.name.is_empty() { format!("Uploaded file {}", index + 1) } else { entry.name.to_owned() }
}

/// The file itself never passes through here: the script uploads it to the bucket and puts the upload's id into the form.
fn file_field(source: &Source, shown: &Shown<'_>) -> Markup {
    let Shown { data, messages, .. } = shown;
    let definition = &shown.tool.definition;
    let limits = shown.limits();
    let (several, extensions) = (*source == Source::Files, definition.sources.extensions());
    let attachments = definition.sources.attachments;
    // Attachments that are not opened may be of any type.
    let any_kind = attachments > 0 && !definition.sources.opens_attachments;
    let accepted = extensions.iter().filter(|_| !any_kind).map(|extension| format!(".{extension}"));
    let accepted: Vec<_> = accepted.collect();
    let error = messages.of("file");
    let entries = if error == Some(EXPIRED_UPLOAD) { Vec::new() } else { entries(data) };
    let most = limits.sources.min(definition.sources.most_files() as u64);
    html! {
        div.field.drop data-invalid[error.is_some()] {
            label for="file" { @if several { "Drop files here, or choose some" } @else { "Drop a file here, or choose one" } }
            // Has no name, so that it is not submitted.
            input type="file" id="file" multiple[several] data-most=(most) accept=(accepted.join(",")) aria-describedby="file-hint file-error file-chosen";
            ol.files #file-chosen {
                @for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| !entry.value.is_empty()) {
                    li data-source-kind=(entry.kind) data-value=(entry.value) data-type=(entry.content_type) { span.name { (shown_name(entry, index)) } }
                }
            }
            p.error #file-error { @if let Some(error) = error { (error) } }
            p.hint #file-hint {
                @if several && definition.sources.roles { (definition.sources.description) " " }
                (extensions.join(", ")) @if any_kind { ", then up to " (attachments) " files of any kind" } @else if attachments > 0 { ", up to " (attachments) " more for its tags to name" } ". Up to " (bytes(limits.source_bytes)) ". Files are private and deleted within 48 hours."
            }
            @if definition.sources.are_several() { (other_sources(shown)) }
            (samples(shown))
            noscript { p.error { "Uploading a file needs JavaScript." @if !several { " A URL does not." } } }
        }
        // Filled by the script, in the order of the list above.
        div #uploads {
            @for entry in &entries {
                @if several {
                    input type="hidden" name=(ENTRY_KIND) value=(entry.kind);
                    input type="hidden" name=(ENTRY_VALUE) value=(entry.value);
                } @else { input type="hidden" name="uploadId" value=(entry.value); }
                input type="hidden" name=(FILE_NAME) value=(entry.name);
                input type="hidden" name=(FILE_TYPE) value=(entry.content_type);
            }
        }
    }
}

type Sample = (&'static str, Format);

/// Documents to try a tool with, for people who have none at hand.
const SAMPLES: [Sample; 2] = [("small.docx", Format::Docx), ("tree-survey.pdf", Format::Pdf)];
const TEMPLATE: Sample = ("invoice-template.docx", Format::Docx);
const FORM: Sample = ("order-form.pdf", Format::Pdf);
const SCAN: Sample = ("tree-survey-scan.pdf", Format::Pdf);
const INVOICE: Sample = ("invoice.xml", Format::Xml);

/// Documents that show what the tool does.
fn samples_of(definition: &Definition) -> &'static [Sample] {
    match definition.slug.as_str() {
        "render-template" => &[TEMPLATE],
        "fill-form" | "flatten-pdf" => &[FORM],
        "ocr-pdf" => &[SCAN],
        "validate-invoice" | "read-invoice" => &[INVOICE],
        _ => &SAMPLES,
    }
}

/// A button of the script for each sample that the tool accepts.
fn samples(shown: &Shown<'_>) -> Markup {
    let definition = &shown.tool.definition;
    let fitting: Vec<_> =
        samples_of(definition).iter().filter(|(_, format)| definition.sources.accepts(*format)).collect();
    html! {
        @if !fitting.is_empty() {
            p.samples {
                "No file at hand? Try a sample: "
                @for (name, _) in fitting {
                    button.button.small type="button" data-sample=(assets::link(shown.state, name)) data-name=(name) { (name) } " "
                }
            }
        }
    }
}

/// Buttons of the script for sources that are not files, and a template of the field for each.
fn other_sources(shown: &Shown<'_>) -> Markup {
    let Definition { sources, .. } = &shown.tool.definition;
    let jobs = fitting(shown);
    let kinds = sources.kinds.iter().filter_map(|kind| {
        let name = kind.as_str();
        let id = format!("entry-{name}");
        let (button, field) = match kind {
            SourceKind::UploadId | SourceKind::Template => return None,
            SourceKind::SourceUrl => {
                ("Add a URL", html! { (input("url", &id, "URL of a file").with("placeholder", "https://")) })
            }
            SourceKind::Url => {
                ("Add a web page", html! { (input("url", &id, "URL of a page").with("placeholder", "https://")) })
            }
            SourceKind::JobId => ("Add an earlier result", html! { (results(&id, &jobs)) }),
            SourceKind::Html => ("Add HTML", html! { (textarea(&id, "HTML", 4).with("spellcheck", "false")) }),
            SourceKind::Markdown => {
                ("Add Markdown", html! { (textarea(&id, "Markdown", 4).with("spellcheck", "false")) })
            }
            SourceKind::Text => ("Add text", html! { (textarea(&id, "Text", 4)) }),
        };
        Some((name, button, field))
    });
    html! {
        div.others { @for (name, button, field) in kinds {
            button.button.small type="button" data-add-source=(name) { (button) }
            template data-source-field=(name) { (field) }
        } }
    }
}
