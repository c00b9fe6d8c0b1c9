//! The fields of a form, by their full names.

use std::collections::HashSet;

use docmill_pdf_core::objects::{DEPTH, Lookup, decode, reference};
use lopdf::{Dictionary, Document, Object, ObjectId};

/// Flags of all fields (ISO 32000-1, table 221).
const READ_ONLY: i64 = 1;
const REQUIRED: i64 = 1 << 1;
/// Flags of buttons (table 226).
const RADIO: i64 = 1 << 15;
const PUSH_BUTTON: i64 = 1 << 16;
/// Flags of fields of text (table 228).
pub(crate) const MULTILINE: i64 = 1 << 12;
/// The text is not shown.
pub const PASSWORD: i64 = 1 << 13;
const FILE_SELECT: i64 = 1 << 20;
pub(crate) const COMB: i64 = 1 << 24;
/// Flags of choice fields (table 230).
pub(crate) const COMBO: i64 = 1 << 17;
/// The choices are suggestions: any text may be given.
pub const EDITABLE: i64 = 1 << 18;
/// Several choices may be made.
pub const MULTI_SELECT: i64 = 1 << 21;

/// What a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// Yes or no.
    Checkbox,
    /// One of a group of buttons.
    Radio,
    /// Nothing: it does something.
    Button,
    /// A choice that is opened.
    Dropdown,
    /// Choices that are all seen.
    List,
    /// A signature.
    Signature,
    /// It does not say, or wrongly.
    Unknown,
}

impl Kind {
    fn of(kind: Option<&[u8]>, flags: i64) -> Self {
        match kind.unwrap_or_default() {
            b"Tx" if flags & FILE_SELECT == 0 => Self::Text,
            b"Btn" if flags & PUSH_BUTTON != 0 => Self::Button,
            b"Btn" if flags & RADIO != 0 => Self::Radio,
            b"Btn" => Self::Checkbox,
            b"Ch" if flags & COMBO != 0 => Self::Dropdown,
            b"Ch" => Self::List,
            b"Sig" => Self::Signature,
            _ => Self::Unknown,
        }
    }

    /// As reports have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Checkbox => "checkbox",
            Self::Radio => "radio",
            Self::Button => "button",
            Self::Dropdown => "dropdown",
            Self::List => "list",
            Self::Signature => "signature",
            Self::Unknown => "unknown",
        }
    }
}

/// A field that can have a value.
#[derive(Clone, Debug)]
pub struct Field {
    /// The object that holds the value. `None` for one written into its parent, which no tool changes.
    pub id: Option<ObjectId>,
    /// The path of names, joined by periods (ISO 32000-1, 12.7.3.2).
    pub name: String,
    /// What it takes.
    pub kind: Kind,
    /// As the document has them (tables 227 to 230).
    pub flags: i64,
    /// As text. `None` if it is empty.
    pub value: Option<String>,
    /// Its widgets.
    pub widgets: Vec<ObjectId>,
}

impl Field {
    /// Whether a form without it must not be sent.
    pub fn is_required(&self) -> bool {
        self.flags & REQUIRED != 0
    }

    /// Whether people can't change it.
    pub fn is_read_only(&self) -> bool {
        self.flags & READ_ONLY != 0
    }
}

/// The fields of a form in order, at most `most`.
pub fn read(document: &Document, form: &Dictionary, most: usize) -> Vec<Field> {
    let (mut fields, mut seen) = (Vec::new(), HashSet::new());
    let roots = document.array(form, b"Fields");
    let mut stack: Vec<(&Object, String, usize)> = roots.iter().rev().map(|field| (field, String::new(), 0)).collect();
    while let Some((object, parent, depth)) = stack.pop() {
        let id = object.as_reference().ok();
        let new = id.is_none_or(|id| seen.insert(id));
        let Some(field) = document.dictionary(object).filter(|_| new && depth < DEPTH && fields.len() < most) else {
            continue;
        };
        let name = match (document.value(field, b"T").and_then(decode), parent.is_empty()) {
            (Some(own), true) => own,
            (Some(own), false) => format!("{parent}.{own}"),
            (None, _) => parent,
        };
        let kids = document.array(field, b"Kids");
        let is_named = |kid: &Object| document.dictionary(kid).is_some_and(|kid| kid.has(b"T"));
        if kids.iter().any(is_named) {
            stack.extend(kids.iter().rev().map(|kid| (kid, name.clone(), depth + 1)));
            continue;
        }
        let flags = inherited(document, field, b"Ff").and_then(|flags| flags.as_i64().ok()).unwrap_or(0);
        let kind = Kind::of(inherited(document, field, b"FT").and_then(|kind| kind.as_name().ok()), flags);
        let value = inherited(document, field, b"V").and_then(|value| value_text(document, value));
        let widgets = match kids {
            [] => id.into_iter().collect(),
            kids => kids.iter().filter_map(|kid| kid.as_reference().ok()).collect(),
        };
        fields.push(Field { id, name, kind, flags, value, widgets });
    }
    fields
}

/// A text, the name of a state, or the choices of a list.
fn value_text(document: &Document, value: &Object) -> Option<String> {
    match value {
        Object::Name(name) => Some(String::from_utf8_lossy(name).into_owned()),
        Object::Array(values) => {
            let texts = values.iter().filter_map(|value| decode(document.resolve(value)?));
            Some(texts.collect::<Vec<_>>().join(", "))
        }
        value => decode(value),
    }
}

/// A field's own entry, or that of the nearest field above it.
pub fn inherited<'a>(document: &'a Document, field: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
    let mut field = field;
    for _ in 0..DEPTH {
        if let Some(value) = document.value(field, key) {
            return Some(value);
        }
        field = document.get_dictionary(reference(field, b"Parent")?).ok()?;
    }
    None
}

/// The choices of a field: the stored value and the displayed text of each.
pub fn choices(document: &Document, field: &Dictionary) -> Vec<(String, String)> {
    let options = inherited(document, field, b"Opt").and_then(|options| options.as_array().ok());
    let choice = |option: &Object| match document.resolve(option)? {
        Object::Array(pair) => {
            let stored = decode(document.resolve(pair.first()?)?)?;
            let shown = pair.get(1).and_then(|shown| decode(document.resolve(shown)?));
            Some((stored.clone(), shown.unwrap_or(stored)))
        }
        option => decode(option).map(|text| (text.clone(), text)),
    };
    options.into_iter().flatten().filter_map(choice).collect()
}

/// The states of a button's widget other than `Off`. Usually there is one.
pub fn on_states(document: &Document, widget: &Dictionary) -> Vec<Vec<u8>> {
    let normal = document.child(widget, b"AP").and_then(|appearances| document.value(appearances, b"N"));
    let states = normal.and_then(|normal| normal.as_dict().ok());
    let names = states.into_iter().flat_map(Dictionary::iter).map(|(name, _)| name.clone());
    names.filter(|name| name != b"Off").collect()
}

/// The choices of a box or group of buttons: the form's name and the state for each.
pub fn button_choices(document: &Document, field: &Field) -> Vec<(String, Vec<u8>)> {
    let dictionary = field.id.and_then(|id| document.get_dictionary(id).ok());
    // If states are numbers, the exported values are listed separately by widget (ISO 32000-1, 12.7.4.2.3).
    let exported = dictionary.map(|dictionary| choices(document, dictionary)).unwrap_or_default();
    let mut found: Vec<(String, Vec<u8>)> = Vec::new();
    for (number, widget) in field.widgets.iter().enumerate() {
        let Ok(widget) = document.get_dictionary(*widget) else { continue };
        for state in on_states(document, widget) {
            let name = exported.get(number).map(|(stored, _)| stored.clone());
            let name = name.unwrap_or_else(|| String::from_utf8_lossy(&state).into_owned());
            if !found.iter().any(|(_, known)| *known == state) {
                found.push((name, state));
            }
        }
    }
    found
}
