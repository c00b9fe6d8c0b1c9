//! What the author of a document asks of the signature in a field (`SV`). What is asked for and can't be kept is refused.

use lopdf::{Dictionary, Object};

use super::{Unsignable, Wanted};
use crate::fields::Field;
use crate::file::View;

/// Bits of `Ff`: what is not just a wish.
const SUB_FILTER: i64 = 1 << 1;
const FILTER: i64 = 1;
const REASONS: i64 = 1 << 3;
const LEGAL: i64 = 1 << 4;
const REVOCATION: i64 = 1 << 5;
const DIGESTS: i64 = 1 << 6;
const LOCK: i64 = 1 << 7;
const LOOK: i64 = 1 << 8;

/// Fails if a signature as wanted is not as the field asks for.
pub(super) fn check(view: &View<'_>, field: &Field, wanted: &Wanted<'_>) -> Result<(), Unsignable> {
    let Some(seed) = view.dictionary(&field.dict, b"SV") else { return Ok(()) };
    match broken(view, &seed, wanted) {
        None => Ok(()),
        Some(what) => {
            let name = &field.name;
            Err(Unsignable::refused(format!(
                "The field {name} asks for {what}. Sign in another field, or ask the document's author."
            )))
        }
    }
}

/// What is asked for and not kept.
fn broken(view: &View<'_>, seed: &Dictionary, wanted: &Wanted<'_>) -> Option<&'static str> {
    let flags = number(view, seed, b"Ff").unwrap_or(0);
    let must = |flag: i64| flags & flag != 0;
    let lists = |key: &[u8], value: &str| texts(view, seed, key).iter().any(|each| each == value);
    if must(FILTER) && name(view, seed, b"Filter").is_some_and(|filter| filter != "Adobe.PPKLite") {
        return Some("a program of its own to sign with");
    }
    if must(SUB_FILTER) && seed.has(b"SubFilter") && !lists(b"SubFilter", "ETSI.CAdES.detached") {
        return Some("another form of signature than PAdES");
    }
    let digests = ["SHA256", "SHA384", "SHA512"];
    if must(DIGESTS) && seed.has(b"DigestMethod") && !digests.iter().any(|digest| lists(b"DigestMethod", digest)) {
        return Some("a digest that is no longer safe");
    }
    if must(REASONS) {
        let reasons = texts(view, seed, b"Reasons");
        let none = reasons.is_empty() || reasons == ["."];
        match wanted.reason {
            Some(_) if none => return Some("a signature without `reason`"),
            Some(reason) if !reasons.iter().any(|each| each == reason) => {
                return Some("one of its own texts in `reason`");
            }
            None if !none => return Some("one of its own texts in `reason`"),
            Some(_) | None => {}
        }
    }
    if let Some(asked) = view.dictionary(seed, b"MDP").and_then(|mdp| number(view, &mdp, b"P"))
        && wanted.certify.permission().unwrap_or(0) != asked
    {
        return Some(match asked {
            0 => "a signature that does not certify: leave out `certify`",
            1 => "a certifying signature: `certify` must be `noChanges`",
            2 => "a certifying signature: `certify` must be `forms`",
            _ => "a certifying signature: `certify` must be `annotations`",
        });
    }
    let is_true = |key: &[u8]| view.value(seed, key).is_some_and(|value| matches!(value, Object::Boolean(true)));
    let asks =
        |dict: Option<Dictionary>| dict.and_then(|dict| number(view, &dict, b"Ff")).is_some_and(|flags| flags != 0);
    if asks(view.dictionary(seed, b"Cert")) {
        return Some("certain certificates");
    }
    if asks(view.dictionary(seed, b"TimeStamp")) {
        return Some("the time stamp of a certain authority");
    }
    if must(REVOCATION) && is_true(b"AddRevInfo") {
        return Some("proof within the signature that no certificate was revoked");
    }
    let others = [(LEGAL, "a legal attestation"), (LOCK, "a locked document"), (LOOK, "a certain look")];
    others.into_iter().find(|(flag, _)| must(*flag)).map(|(_, what)| what)
}

fn number(view: &View<'_>, dict: &Dictionary, key: &[u8]) -> Option<i64> {
    view.value(dict, key)?.as_i64().ok()
}

fn name(view: &View<'_>, dict: &Dictionary, key: &[u8]) -> Option<String> {
    view.value(dict, key).and_then(|value| text(&value))
}

/// The names or texts in a list.
fn texts(view: &View<'_>, dict: &Dictionary, key: &[u8]) -> Vec<String> {
    view.array(dict, key).iter().filter_map(|each| text(&view.resolve(each)?)).collect()
}

fn text(value: &Object) -> Option<String> {
    match value.as_name() {
        Ok(name) => Some(String::from_utf8_lossy(name).into_owned()),
        Err(_) => lopdf::decode_text_string(value).ok(),
    }
}
