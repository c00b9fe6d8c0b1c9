//! Signs a file, so that other programs can judge it: `sign FILE KEY.p12 PASSWORD RESULT [none|noChanges|forms|annotations]`.

use docmill_domain::time::Timestamp;
use docmill_pdf_signatures::make::{Attributes, SigningKey, fill, signature};
use docmill_pdf_signatures::sign::{Certify, Draft, Position, Wanted};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, key, password, result, rest @ ..] = words.as_slice() else { return Err("four arguments".into()) };
    let certify = match rest.first().map(String::as_str) {
        Some("noChanges") => Certify::NoChanges,
        Some("forms") => Certify::Forms,
        Some("annotations") => Certify::Annotations,
        Some(_) | None => Certify::No,
    };
    let file = std::fs::read(file)?;
    let draft = Draft::open(&file, "")?;
    let prepared = draft.prepare(Wanted {
        spot: draft.spot(None)?,
        position: Position { page: draft.page(0)?, rectangle: [0.0; 4] },
        look: None,
        certify,
        reason: Some("Approved"),
        location: None,
        contact: None,
        time: Timestamp::parse("2026-11-29T12:00:00Z").ok_or("a time")?,
        reserved: 16 << 10,
    })?;
    let mut whole = [file, prepared.update].concat();
    let key = SigningKey::from_pkcs12(&std::fs::read(key)?, password)?;
    let own = key.certificates().first().ok_or("a certificate")?;
    let gap = prepared.gap;
    let mut digest = key.algorithm().digest();
    digest.update(whole.get(..gap.start).ok_or("the gap")?);
    digest.update(whole.get(gap.end..).ok_or("the gap")?);
    let attributes = Attributes::new(key.algorithm(), digest.finish().as_ref(), own);
    let signed = key.sign(&attributes.signed).ok_or("no signature")?;
    let made = signature(&attributes, &signed, key.certificates(), None).ok_or("no message")?;
    let filled = fill(&made, gap.len()).ok_or("too large")?;
    whole.get_mut(gap).ok_or("the gap")?.copy_from_slice(&filled);
    std::fs::write(result, whole)?;
    Ok(())
}
