//! A signature as it lies in the file: which bytes it covers, and what it says about itself.

use docmill_domain::time::Timestamp;
use lopdf::{Dictionary, Object, StringFormat};

use crate::cms::asn1::to_der;
use crate::fields::{Field, text};
use crate::file::{View, dict_of, hexadecimal};

/// The most bytes of a signature's `Contents`.
const MOST_CONTENTS: usize = 8 << 20;

/// A signature dictionary with its field.
#[derive(Debug)]
pub(crate) struct Seal {
    pub(crate) field: String,
    pub(crate) dict: Dictionary,
    /// The numbers of the field and, unless it is part of the field, of the signature.
    pub(crate) field_number: u32,
    pub(crate) number: Option<u32>,
    pub(crate) sub_filter: Option<String>,
}

/// The bytes that a signature covers.
#[derive(Debug)]
pub(crate) struct Covered {
    /// Before and after the gap with the signature itself.
    pub(crate) parts: [std::ops::Range<usize>; 2],
    /// The signature, as DER.
    pub(crate) contents: Vec<u8>,
}

impl Covered {
    /// Where the signed revision ends.
    pub(crate) const fn end(&self) -> usize {
        self.parts[1].end
    }
}

/// What a signature restricts.
#[derive(Debug, Default)]
pub(crate) struct Restrictions {
    /// What a certifying signature allows. `None` for others.
    pub(crate) certified: Option<u8>,
    /// The same, and what the field's lock allows.
    pub(crate) permission: Option<u8>,
    pub(crate) locks: Vec<Lock>,
}

/// Fields that must not be changed.
#[derive(Debug)]
pub(crate) enum Lock {
    All,
    Include(Vec<String>),
    Exclude(Vec<String>),
}

impl Lock {
    pub(crate) fn covers(&self, field: &str) -> bool {
        let is_in = |names: &[String]| {
            names.iter().any(|name| {
                field.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        match self {
            Self::All => true,
            Self::Include(names) => is_in(names),
            Self::Exclude(names) => !is_in(names),
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        match self {
            Self::All => vec!["*".to_owned()],
            Self::Include(names) => names.clone(),
            Self::Exclude(names) => names.iter().map(|name| format!("* except {name}")).collect(),
        }
    }
}

impl Seal {
    /// The signature of a field. `None` if it has none.
    pub(crate) fn of(view: &View<'_>, field: &Field) -> Option<Self> {
        if !field.is_signature() {
            return None;
        }
        let value = field.dict.get(b"V").ok()?;
        let dict = dict_of(view.resolve(value)?)?;
        let sub_filter = view.value(&dict, b"SubFilter").and_then(|name| name.as_name().map(<[u8]>::to_vec).ok());
        Some(Self {
            field: field.name.clone(),
            dict,
            field_number: field.number,
            number: value.as_reference().ok().map(|id| id.0),
            sub_filter: sub_filter.map(|name| String::from_utf8_lossy(&name).into_owned()),
        })
    }

    pub(crate) fn is_time_stamp(&self) -> bool {
        self.sub_filter.as_deref() == Some("ETSI.RFC3161")
    }

    /// The numbers of its byte range, whatever they are.
    pub(crate) fn byte_range(&self, view: &View<'_>) -> Vec<i64> {
        view.array(&self.dict, b"ByteRange").iter().take(8).filter_map(|number| number.as_i64().ok()).collect()
    }

    /// The bytes that it covers, if they are all but its `Contents`. Otherwise what is wrong.
    pub(crate) fn covered(&self, view: &View<'_>, bytes: &[u8]) -> Result<Covered, &'static str> {
        let range = self.byte_range(view);
        let whole: Vec<usize> = range.iter().filter_map(|number| usize::try_from(*number).ok()).collect();
        let &[start, first, second, last] = whole.as_slice() else {
            return Err("It does not say which bytes are signed, or says it in an unusual way.");
        };
        let end = second.checked_add(last).filter(|end| *end <= bytes.len());
        let end = end.ok_or("It says that it covers more bytes than the file has.")?;
        if start != 0 {
            return Err("The signed bytes do not begin at the file's start.");
        }
        let gap = bytes.get(first..second).ok_or("The parts that it covers overlap.")?;
        let Ok(Object::String(contents, StringFormat::Hexadecimal)) = self.dict.get(b"Contents") else {
            return Err("The signature itself is missing, or not where it belongs.");
        };
        let inner = gap.strip_prefix(b"<").and_then(|gap| gap.strip_suffix(b">"));
        let written = inner.filter(|gap| gap.len() <= MOST_CONTENTS * 2).and_then(hexadecimal);
        let holder = view.extent(self.number.unwrap_or(self.field_number));
        let inside = holder.is_some_and(|holder| holder.start < first && second < holder.end);
        if written.as_ref() != Some(contents) || !inside {
            return Err("The part that is not signed is not exactly the signature, so something else may hide there.");
        }
        let contents = to_der(contents).ok_or("The signature is empty or can't be read.")?;
        Ok(Covered { parts: [0..first, second..end], contents })
    }

    /// What it restricts in later revisions. `signed` is its own revision.
    pub(crate) fn restrictions(&self, signed: &View<'_>) -> Restrictions {
        let mut found = Restrictions::default();
        for reference in signed.array(&self.dict, b"Reference") {
            let Some(reference) = signed.resolve(&reference).and_then(dict_of) else { continue };
            let method = signed.value(&reference, b"TransformMethod");
            let parameters = signed.dictionary(&reference, b"TransformParams").unwrap_or_default();
            match method.as_ref().and_then(|method| method.as_name().ok()) {
                Some(b"DocMDP") => found.certified = Some(permission(signed, &parameters).unwrap_or(2)),
                Some(b"FieldMDP") => found.locks.extend(lock(signed, &parameters)),
                Some(_) | None => {}
            }
        }
        found.permission = found.certified;
        let field = signed.object(self.field_number).and_then(dict_of).unwrap_or_default();
        if let Some(own) = signed.dictionary(&field, b"Lock") {
            found.locks.extend(lock(signed, &own));
            found.permission = [found.permission, permission(signed, &own)].into_iter().flatten().min();
        }
        found
    }

    /// The certificates of signatures that have them outside: `adbe.x509.rsa_sha1`.
    pub(crate) fn certificates(&self, view: &View<'_>) -> Vec<Vec<u8>> {
        let list = match view.value(&self.dict, b"Cert") {
            Some(Object::Array(items)) => items,
            Some(one) => vec![one],
            None => Vec::new(),
        };
        let texts = list.iter().filter_map(|item| view.resolve(item));
        texts.filter_map(|item| item.as_str().map(<[u8]>::to_vec).ok()).collect()
    }

    pub(crate) fn text(&self, view: &View<'_>, key: &[u8]) -> Option<String> {
        text(view, &self.dict, key)
    }

    /// The time that the dictionary claims: `D:YYYYMMDDHHMMSS` with an offset.
    pub(crate) fn claimed_time(&self, view: &View<'_>) -> Option<Timestamp> {
        let text = self.text(view, b"M")?;
        let rest = text.strip_prefix("D:").unwrap_or(&text);
        if !rest.is_ascii() || rest.len() < 14 {
            return None;
        }
        let (digits, zone) = rest.split_at(14);
        let part = |range: std::ops::Range<usize>| digits.get(range).unwrap_or_default();
        let offset = zone.trim_end_matches('\'').replace('\'', ":");
        let offset = if offset.is_empty() || offset.starts_with('Z') { "Z".to_owned() } else { offset };
        let [year, month, day] = [part(0..4), part(4..6), part(6..8)];
        let [hour, minute, second] = [part(8..10), part(10..12), part(12..14)];
        Timestamp::parse(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}{offset}"))
    }
}

fn permission(view: &View<'_>, parameters: &Dictionary) -> Option<u8> {
    let permission = view.value(parameters, b"P")?.as_i64().ok()?;
    // What is not defined allows nothing.
    Some(u8::try_from(permission).ok().filter(|permission| (1..=3).contains(permission)).unwrap_or(1))
}

fn lock(view: &View<'_>, parameters: &Dictionary) -> Option<Lock> {
    let action = view.value(parameters, b"Action")?;
    let names = || {
        let names = view.array(parameters, b"Fields");
        names.iter().filter_map(|name| lopdf::decode_text_string(name).ok()).collect()
    };
    match action.as_name().ok()? {
        b"Include" => Some(Lock::Include(names())),
        b"Exclude" => Some(Lock::Exclude(names())),
        _ => Some(Lock::All),
    }
}
