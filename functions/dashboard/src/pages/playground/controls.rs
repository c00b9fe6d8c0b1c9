//! The fields of options. Rows of lists are added and removed by `playground.js`; without it, each list has one more empty row.

use docmill_domain::tool::Definition;
use docmill_site::form::{Field, FormData, checkbox, input, select, text, textarea};
use docmill_site::label;
use maud::{Markup, html};
use serde_json::Value;

use super::data_form::{self, Subject, controls};
use super::messages::Messages;
use super::options::{Control, Kind, entries, plain};

/// Where the fields of one tool's options belong: those of a further step have names that begin with its scope.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub scope: &'a str,
    /// The fields without their scope.
    pub data: &'a FormData,
    pub messages: &'a Messages,
}

/// The place of a row that the script adds.
const NEW_ROW: &str = "new-row";

/// The first option, and the others folded.
pub fn option_fields(definition: &Definition, place: &Place<'_>) -> Markup {
    let mut controls = controls(definition, place.data);
    // Areas can be drawn, so they come first.
    controls.sort_by_key(|control| !is_of_areas(control));
    let Some((first, rest)) = controls.split_first() else { return html! {} };
    let changed = rest.iter().any(|control| was_sent(place.data) && control.read(place.data).is_some());
    // What can be given in place of areas stands beside them.
    let leads = |control: &&Control| is_of_areas(first) && is_of_objects(control);
    let (shown, folded): (Vec<_>, Vec<_>) = rest.iter().partition(leads);
    html! {
        (field(first, place))
        @if let (true, Some(subject)) = (place.scope.is_empty(), Subject::of(definition)) { (data_form_buttons(subject, place.data)) }
        @for control in shown { (field(control, place)) }
        @if !folded.is_empty() {
            details.options open[changed || place.messages.has_below(&format!("{}option.", place.scope))] {
                summary { "Options" }
                div.fields { @for control in folded { (field(control, place)) } }
            }
        }
    }
}

/// The buttons between fields for each value and the option as it is. They need scripts.
fn data_form_buttons(subject: Subject, data: &FormData) -> Markup {
    let [first, again, without] = subject.buttons();
    let schema = data.raw(data_form::SCHEMA);
    html! {
        @if schema.is_empty() {
            p { button.button.small type="button" data-as="form" { (first) } }
        } @else {
            input type="hidden" name=(data_form::SCHEMA) value=(schema);
            p.actions {
                button.button.small type="button" data-as="form" { (again) }
                button.button.small type="button" data-as="option" { (without) }
            }
        }
    }
}

/// Whether the option is a list of areas of pages, which can be drawn.
fn is_of_areas(control: &Control) -> bool {
    let Kind::List { entry, .. } = &control.kind else { return false };
    entry.pointer("/properties/box").is_some() && entry.pointer("/properties/page").is_some()
}

fn is_of_objects(control: &Control) -> bool {
    matches!(&control.kind, Kind::List { entry, .. } if matches!(control.row(entry, 0).kind, Kind::Group(_)))
}

/// A new form shows defaults. In a submitted one, a missing box was not ticked.
fn was_sent(data: &FormData) -> bool {
    data.has("tool")
}

fn field(control: &Control, place: &Place<'_>) -> Markup {
    let name = format!("{}{}", place.scope, control.field());
    let own = control.field();
    let finish = |field: Field<'_>| {
        let field = field.error(place.messages.of(&name)).note(place.messages.note(&name));
        match &control.hint {
            Some(hint) => html! { (field.hint(hint)) },
            None => html! { (field) },
        }
    };
    let (label, value) = (control.label.as_str(), place.data.raw(&own));
    let preset = control.default.as_ref().map(plain);
    match &control.kind {
        Kind::Switch if control.is_box() => {
            let on = if was_sent(place.data) { place.data.is_on(&own) } else { preset.as_deref() == Some("true") };
            finish(checkbox(&name, label).checked(on))
        }
        Kind::Switch => finish(
            select(&name, label, vec![("", "As in the document"), ("true", "Yes"), ("false", "No")]).value(value),
        ),
        Kind::Choice(values) => {
            let (none, texts) = choices(values, preset.as_deref());
            let choices = texts.iter().map(|(value, label)| (value.as_str(), label.as_str()));
            finish(select(&name, label, [("", none.as_str())].into_iter().chain(choices).collect()).value(value))
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
            let field = if let Some(preset) = preset { field.with("placeholder", preset) } else { field };
            finish(if let Some(longest) = longest { field.with("maxlength", longest) } else { field })
        }
        Kind::Measure { is_length } => {
            let example = preset.or(is_length.then(|| "20mm".to_owned())).unwrap_or_default();
            finish(text(&name, label).value(value).with("placeholder", example))
        }
        Kind::Variant { .. } => variant(control, place, finish),
        Kind::Group(members) | Kind::Tuple(members) => group(control, members, place),
        Kind::List { entry, .. } => list(control, entry, place),
        Kind::Map { .. } => map(control, place),
        Kind::Json => {
            finish(textarea(&name, label, 6).value(value).with("spellcheck", "false").with("placeholder", "JSON"))
        }
    }
}

/// The label for no choice, and the values with their labels.
fn choices(values: &[Value], preset: Option<&str>) -> (String, Vec<(String, String)>) {
    let texts = values.iter().map(plain).filter(|text| Some(text.as_str()) != preset);
    (absent(preset), texts.map(|text| (text.clone(), label::of_value(&text))).collect())
}

/// The label for no choice.
fn absent(preset: Option<&str>) -> String {
    match preset {
        Some("default") => "default".to_owned(),
        Some(preset) => format!("{} (default)", label::of_value(preset)),
        None => "not set".to_owned(),
    }
}

fn variant(control: &Control, place: &Place<'_>, finish: impl Fn(Field<'_>) -> Markup) -> Markup {
    let Kind::Variant { words, members } = &control.kind else { return html! {} };
    let name = format!("{}{}", place.scope, control.field());
    let preset = control.default.as_ref().map(plain);
    let (none, words) = choices(words, preset.as_deref());
    let named: Vec<_> = members.iter().map(|(name, _)| (name.as_str(), label::of(name))).collect();
    let mut choices = vec![("", none.as_str())];
    choices.extend(words.iter().map(|(value, label)| (value.as_str(), label.as_str())));
    choices.extend(named.iter().map(|(name, label)| (*name, label.as_str())));
    let beside = control.value_field();
    let labels: Vec<_> = named.iter().map(|(_, label)| label.to_lowercase()).collect();
    let beside_label = format!("{}: {}", control.label, labels.join(", or "));
    html! {
        (finish(select(&name, &control.label, choices).value(place.data.raw(&control.field()))))
        (text(&format!("{}{beside}", place.scope), &beside_label).value(place.data.raw(&beside)))
    }
}

/// The frame of several fields, with the messages for all of them.
fn frame(control: &Control, place: &Place<'_>, class: &str, content: &Markup) -> Markup {
    let name = format!("{}{}", place.scope, control.field());
    html! {
        fieldset id=(name) tabindex="-1" class=(class) data-invalid[place.messages.of(&name).is_some()] {
            legend { (control.label) }
            @if let Some(hint) = &control.hint { p.hint { (hint) } }
            @if let Some(note) = place.messages.note(&name) { p.again { (note) } }
            @if let Some(error) = place.messages.of(&name) { p.error id={ (name) "-error" } { (error) } }
            (content)
        }
    }
}

fn group(control: &Control, members: &[Control], place: &Place<'_>) -> Markup {
    frame(control, place, "", &html! { div.fields { @for member in members { (field(member, place)) } } })
}

/// Rows with buttons to add and remove them. Areas of the source's pages can also be drawn: see `areas.js`.
fn list(control: &Control, entry: &Value, place: &Place<'_>) -> Markup {
    let given = entries(control.given(place.data).as_ref());
    let blank = |index: &str| {
        let row = control.row(entry, index);
        row_of(&row, index, &Place { data: &row.form(None), ..*place })
    };
    let content = html! {
        @if is_of_areas(control) && place.scope.is_empty() { div.draw data-draw={ (place.scope) (control.field()) } {} }
        ol.rows {
            @for (index, value) in given.iter().enumerate() {
                @let row = control.row(entry, index);
                (row_of(&row, &index.to_string(), &Place { data: &row.form(Some(value)), ..*place }))
            }
            noscript { (blank(&given.len().to_string())) }
        }
        template { (blank(NEW_ROW)) }
        p { button.button.small type="button" data-add { "Add" span.quiet { " to " (control.label.to_lowercase()) } } }
    };
    frame(control, place, "list", &content)
}

fn row_of(row: &Control, index: &str, place: &Place<'_>) -> Markup {
    let number = index.parse::<usize>().map_or_else(|_| String::new(), |index| format!(" {}", index + 1));
    let row = Control { label: format!("{}{number}", row.label), ..row.clone() };
    html! {
        li {
            (field(&row, place))
            button.button.small type="button" data-remove { "Remove" span.quiet { " " (row.label.to_lowercase()) } }
        }
    }
}

fn map(control: &Control, place: &Place<'_>) -> Markup {
    let given = control.given(place.data);
    let pairs: Vec<_> = given.as_ref().and_then(Value::as_object).into_iter().flatten().collect();
    let row = |index: &str, name: &str, value: &str| {
        let [name_field, value_field] = control.pair_fields(index).map(|field| format!("{}{field}", place.scope));
        html! {
            li {
                div.fields {
                    (text(&name_field, "Name").value(name))
                    (text(&value_field, "Value").value(value))
                }
                button.button.small type="button" data-remove { "Remove" }
            }
        }
    };
    let content = html! {
        ol.rows {
            @for (index, (name, value)) in pairs.iter().enumerate() { (row(&index.to_string(), name, &plain(value))) }
            noscript { (row(&pairs.len().to_string(), "", "")) }
        }
        template { (row(NEW_ROW, "", "")) }
        p { button.button.small type="button" data-add { "Add" span.quiet { " to " (control.label.to_lowercase()) } } }
    };
    frame(control, place, "list", &content)
}
