//! Forms: reading the submitted values, and showing them again with messages next to invalid fields.

use std::collections::BTreeMap;

use axum::extract::{FromRequest, Request};
use maud::{Markup, html};
use url::form_urlencoded;

use crate::csrf;
use crate::error::PageError;
use crate::state::AppState;
use crate::viewer::Viewer;

const FORM_BYTES: usize = 1024 * 1024;

/// A submitted form. Missing values read as empty, so that it can always be shown again.
#[derive(Clone, Debug, Default)]
pub struct FormData(Vec<(String, String)>);

impl FormData {
    /// As if these values had been submitted.
    pub fn of(pairs: &[(&str, &str)]) -> Self {
        Self(pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    /// Names and values in the order of their controls.
    pub fn from_pairs(pairs: impl Iterator<Item = (String, String)>) -> Self {
        Self(pairs.collect())
    }

    /// The first value of a name, trimmed.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.trim())
    }

    /// The first value unchanged, e.g. of a document or password.
    pub fn raw(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// All values of a name, for check boxes and multiple choice.
    pub fn all(&self, name: &str) -> Vec<&str> {
        self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
    }

    /// Whether the form has a value of this name, even an empty one.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// The values whose names have this start, without it.
    pub fn below(&self, start: &str) -> Self {
        let below = |(name, value): &(String, String)| Some((name.strip_prefix(start)?.to_owned(), value.clone()));
        Self(self.0.iter().filter_map(below).collect())
    }

    /// Whether a check box was ticked. Browsers only send ticked ones.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name) == "on"
    }

    /// The non-empty lines of a text.
    pub fn lines(&self, name: &str) -> Vec<&str> {
        self.raw(name).lines().map(str::trim).filter(|line| !line.is_empty()).collect()
    }

    /// All names and values, unchanged.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<S: Sync> FromRequest<S> for FormData {
    type Rejection = PageError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, PageError> {
        let bytes = axum::body::to_bytes(request.into_body(), FORM_BYTES).await.map_err(|_| PageError::BadRequest)?;
        Ok(Self::from_pairs(form_urlencoded::parse(&bytes).into_owned()))
    }
}

/// The errors of a form by field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormErrors(BTreeMap<&'static str, String>);

impl FormErrors {
    /// The first error of a field is kept.
    pub fn add(&mut self, field: &'static str, message: impl Into<String>) {
        self.0.entry(field).or_insert_with(|| message.into());
    }

    /// What to show next to the field.
    pub fn of(&self, field: &str) -> Option<&str> {
        self.0.get(field).map(String::as_str)
    }

    /// Whether the form is valid.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A form that posts to one of our paths with the session's token.
pub fn form(state: &AppState, viewer: &Viewer, path: &str, content: Markup) -> Markup {
    html! {
        form.form method="post" action=(state.link(path)) { (token_field(viewer)) (content) }
    }
}

/// A button that posts by itself, e.g. to revoke something. `class` is `primary`, `danger` or empty.
pub fn button_form(
    state: &AppState,
    viewer: &Viewer,
    path: &str,
    label: &str,
    class: &str,
    fields: &[(&str, &str)],
) -> Markup {
    html! {
        form.inline method="post" action=(state.link(path)) {
            (token_field(viewer))
            @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
            button.{ "button " (class) } type="submit" { (label) }
        }
    }
}

/// The two ways on from a question: the button `yes` posts to `path`, and `no` leads back.
pub fn confirm(state: &AppState, viewer: &Viewer, (path, yes): (&str, &str), (back, no): (&str, &str)) -> Markup {
    html! {
        div.actions {
            (button_form(state, viewer, path, yes, "danger", &[]))
            a.button href=(state.link(back)) { (no) }
        }
    }
}

/// The hidden field for [`csrf`], for forms that are not made by [`form`].
pub fn token_field(viewer: &Viewer) -> Markup {
    html! {
        @if let Some(token) = &viewer.form_token { input type="hidden" name=(csrf::FIELD) value=(token); }
    }
}

/// One of several choices of this name.
pub fn radio(name: &str, value: &str, label: &Markup, checked: bool) -> Markup {
    let id = format!("{name}-{value}");
    html! {
        div.radio {
            input type="radio" id=(id) name=(name) value=(value) checked[checked];
            label for=(id) { (label) }
        }
    }
}

/// A labelled control, made by [`text`], [`textarea`], [`select`] or [`checkbox`] and rendered as `(field)` in a template.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    kind: Kind<'a>,
    name: &'a str,
    label: &'a str,
    value: String,
    hint: Option<&'a str>,
    /// What to know before it is filled in again, which is no error.
    note: Option<&'a str>,
    error: Option<&'a str>,
    required: bool,
    /// Whether the label of an optional control says so.
    marked: bool,
    /// Further attributes of the control, e.g. `("min", "1")`, `("hx-get", …)`, `("placeholder", …)`.
    attributes: Vec<(&'a str, String)>,
}

#[derive(Clone, Debug)]
enum Kind<'a> {
    Input(&'a str),
    Textarea(u8),
    Select(Vec<(&'a str, &'a str)>),
    Checkbox,
}

impl<'a> Field<'a> {
    fn new(kind: Kind<'a>, name: &'a str, label: &'a str) -> Self {
        let (value, attributes) = Default::default();
        Self {
            kind,
            name,
            label,
            value,
            hint: None,
            note: None,
            error: None,
            required: false,
            marked: true,
            attributes,
        }
    }

    /// What it shows at first; of a choice, the chosen one.
    pub fn value(mut self, value: impl ToString) -> Self {
        self.value = value.to_string();
        self
    }

    /// For check boxes.
    pub fn checked(self, checked: bool) -> Self {
        self.value(if checked { "on" } else { "" })
    }

    /// What to enter, in one line.
    pub fn hint(mut self, hint: &'a str) -> Self {
        self.hint = Some(hint);
        self
    }

    /// What is wrong with the value.
    pub fn error(mut self, error: Option<&'a str>) -> Self {
        self.error = error;
        self
    }

    /// What to know before it is filled in again.
    pub fn note(mut self, note: Option<&'a str>) -> Self {
        self.note = note;
        self
    }

    /// The browser does not send the form without it.
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Omits the word "optional", for forms without required fields.
    pub fn unmarked(mut self) -> Self {
        self.marked = false;
        self
    }

    /// Another attribute of the control.
    pub fn with(mut self, attribute: &'a str, value: impl ToString) -> Self {
        self.attributes.push((attribute, value.to_string()));
        self
    }

    fn described_by(&self) -> Option<String> {
        let hint = self.hint.map(|_| format!("{}-hint", self.name));
        let error = self.error.map(|_| format!("{}-error", self.name));
        let note = self.note.map(|_| format!("{}-note", self.name));
        let ids: Vec<_> = error.into_iter().chain(note).chain(hint).collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }
}

/// One line of `kind` text, email, url, number, search, date …
pub fn input<'a>(kind: &'a str, name: &'a str, label: &'a str) -> Field<'a> {
    Field::new(Kind::Input(kind), name, label)
}

/// One line of text.
pub fn text<'a>(name: &'a str, label: &'a str) -> Field<'a> {
    input("text", name, label)
}

/// Several lines of text; so many are shown.
pub fn textarea<'a>(name: &'a str, label: &'a str, rows: u8) -> Field<'a> {
    Field::new(Kind::Textarea(rows), name, label)
}

/// Choices as value and label.
pub fn select<'a>(name: &'a str, label: &'a str, choices: Vec<(&'a str, &'a str)>) -> Field<'a> {
    Field::new(Kind::Select(choices), name, label)
}

/// A check box, sent as `on`.
pub fn checkbox<'a>(name: &'a str, label: &'a str) -> Field<'a> {
    Field::new(Kind::Checkbox, name, label)
}

impl maud::Render for Field<'_> {
    fn render(&self) -> Markup {
        let class = if matches!(self.kind, Kind::Checkbox) { "field check" } else { "field" };
        html! {
            div class=(class) data-invalid[self.error.is_some()] {
                @if matches!(self.kind, Kind::Checkbox) {
                    (Control(self))
                    label for=(self.name) { (self.label) }
                } @else {
                    label for=(self.name) {
                        (self.label)
                        @if self.marked && !self.required { " " span.optional { "optional" } }
                    }
                    (Control(self))
                }
                @if let Some(error) = self.error { p.error id={ (self.name) "-error" } { (error) } }
                @if let Some(note) = self.note { p.again id={ (self.name) "-note" } { (note) } }
                @if let Some(hint) = self.hint { p.hint id={ (self.name) "-hint" } { (hint) } }
            }
        }
    }
}

/// The control itself. Its further attributes are rendered by hand, since attribute names in a template are fixed.
struct Control<'a>(&'a Field<'a>);

impl maud::Render for Control<'_> {
    fn render(&self) -> Markup {
        let field = self.0;
        let mut attributes = vec![("id", field.name.to_owned()), ("name", field.name.to_owned())];
        attributes.extend(field.described_by().map(|ids| ("aria-describedby", ids)));
        if field.error.is_some() {
            attributes.push(("aria-invalid", "true".to_owned()));
        }
        if field.required {
            attributes.push(("required", String::new()));
        }
        attributes.extend(field.attributes.clone());
        let open = |tag: &str, more: &[(&str, String)]| {
            let all = attributes.iter().chain(more);
            let escaped = all.map(|(name, value)| format!(" {name}=\"{}\"", html! { (value) }.into_string()));
            maud::PreEscaped(format!("<{tag}{}>", escaped.collect::<String>()))
        };
        match &field.kind {
            Kind::Input(kind) => open("input", &[("type", (*kind).to_owned()), ("value", field.value.clone())]),
            Kind::Checkbox => {
                let mut more = vec![("type", "checkbox".to_owned()), ("value", "on".to_owned())];
                if field.value == "on" {
                    more.push(("checked", String::new()));
                }
                open("input", &more)
            }
            Kind::Textarea(rows) => html! {
                (open("textarea", &[("rows", rows.to_string())]))
                // HTML parsers drop the first line break.
                "\n" (field.value)
                (maud::PreEscaped("</textarea>"))
            },
            Kind::Select(choices) => html! {
                (open("select", &[]))
                @for (value, label) in choices { option value=(value) selected[*value == field.value] { (label) } }
                (maud::PreEscaped("</select>"))
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maud::Render;

    #[test]
    fn a_field_keeps_its_value_and_shows_its_message() {
        let field = text("name", "Name").value("<b>\"x\"").hint("A name").error(Some("Too short")).required();
        let shown = field.render().into_string();
        assert!(shown.contains("value=\"&lt;b&gt;&quot;x&quot;\""), "{shown}");
        assert!(shown.contains("aria-describedby=\"name-error name-hint\" aria-invalid=\"true\" required"), "{shown}");
        assert!(shown.contains("<p class=\"error\" id=\"name-error\">Too short</p>"), "{shown}");
        assert!(shown.contains("<label for=\"name\">Name</label>"), "{shown}");
    }

    #[test]
    fn choices_texts_and_boxes_show_their_state() {
        let choice =
            select("mode", "Mode", vec![("live", "Live"), ("test", "Test")]).value("test").render().into_string();
        assert!(choice.contains("<option value=\"test\" selected>Test</option>"), "{choice}");
        let area = textarea("html", "HTML", 4).value("</textarea><script>").render().into_string();
        assert!(area.contains("&lt;/textarea&gt;&lt;script&gt;</textarea>"), "{area}");
        assert!(checkbox("on", "On").checked(true).render().into_string().contains(" checked="));
        assert!(!checkbox("on", "On").checked(false).render().into_string().contains("checked="));
    }

    #[test]
    fn missing_fields_read_as_empty() {
        let data =
            FormData::of(&[("a", " x "), ("tool", "one"), ("tool", "two"), ("box", "on"), ("lines", "a\n\n b ")]);
        assert_eq!((data.get("a"), data.raw("a"), data.get("none")), ("x", " x ", ""));
        assert_eq!(data.all("tool"), ["one", "two"]);
        assert!(data.is_on("box") && !data.is_on("other"));
        assert_eq!(data.lines("lines"), ["a", "b"]);
    }
}
