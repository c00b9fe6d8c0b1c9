//! A document's metadata: its information dictionary, and the same as XMP.

use std::collections::BTreeMap;

use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use quick_xml::Reader;
use quick_xml::escape::escape;
use quick_xml::events::{BytesStart, Event};

use super::objects::{Lookup, bytes, decode, reference, text};

/// An XMP packet usually takes a few KiB. Larger ones are not read.
const XMP_BYTES: usize = 4 << 20;
/// Entries with a counterpart in XMP.
const STANDARD: [&str; 9] =
    ["Title", "Author", "Subject", "Keywords", "Creator", "Producer", "CreationDate", "ModDate", "Trapped"];

/// Entries of the information dictionary, as text. `Trapped` alone is a name.
pub(crate) type Information = BTreeMap<String, String>;

/// The standards that an XMP packet claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claims {
    /// `pdfaid` and `pdfuaid`: their names and values.
    entries: BTreeMap<String, String>,
}

pub(crate) fn read(document: &Document) -> Information {
    let Some(info) = document.child(&document.trailer, b"Info") else { return Information::new() };
    info.iter()
        .filter_map(|(key, value)| {
            let value = document.resolve(value)?;
            let value = decode(value).or_else(|| Some(String::from_utf8_lossy(bytes(value)?).into_owned()))?;
            Some((String::from_utf8(key.clone()).ok()?, value))
        })
        .collect()
}

/// Replaces the document's metadata. The XMP packet is rewritten, and keeps the claims of the old one.
pub(crate) fn write(document: &mut Document, information: &Information) {
    let claims = claims(document);
    write_with(document, information, &claims);
}

/// Replaces the document's metadata. The XMP packet claims to be PDF/A of this part, level B, or nothing.
pub(crate) fn write_as(document: &mut Document, information: &Information, part: Option<&str>) {
    let mut claims = Claims::default();
    if let Some(part) = part {
        claims.entries.insert("pdfaid:part".to_owned(), part.to_owned());
        claims.entries.insert("pdfaid:conformance".to_owned(), "B".to_owned());
    }
    write_with(document, information, &claims);
}

fn write_with(document: &mut Document, information: &Information, claims: &Claims) {
    let info: Dictionary = information
        .iter()
        .map(|(key, value)| {
            let object = if key == "Trapped" { Object::Name(value.clone().into_bytes()) } else { text(value) };
            (key.clone().into_bytes(), object)
        })
        .collect();
    let info = document.add_object(info);
    document.trailer.set("Info", info);
    let head = dictionary! { "Type" => "Metadata", "Subtype" => "XML" };
    let packet = document.add_object(Stream::new(head, packet(information, claims).into_bytes()));
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("Metadata", packet);
    }
}

/// Removes the metadata of the document and of its parts, claims of PDF/A included.
pub(crate) fn remove_all(document: &mut Document) {
    document.trailer.remove(b"Info");
    for object in document.objects.values_mut() {
        let dictionary = match object {
            Object::Dictionary(dictionary) => dictionary,
            Object::Stream(stream) => &mut stream.dict,
            _ => continue,
        };
        for key in [b"Metadata".as_slice(), b"PieceInfo", b"LastModified"] {
            dictionary.remove(key);
        }
    }
}

/// Whether the document claims to be PDF/A or PDF/UA.
pub(crate) fn has_claims(document: &Document) -> bool {
    !claims(document).entries.is_empty()
}

fn claims(document: &Document) -> Claims {
    let packet = document
        .catalog()
        .ok()
        .and_then(|catalog| document.get_object(reference(catalog, b"Metadata")?).ok()?.as_stream().ok())
        .and_then(|stream| stream.get_plain_content_with_limit(XMP_BYTES).ok());
    packet.map(|packet| read_claims(&packet)).unwrap_or_default()
}

/// Claims are attributes of a description, or elements in it.
pub(crate) fn read_claims(packet: &[u8]) -> Claims {
    let mut claims = Claims::default();
    let Ok(packet) = std::str::from_utf8(packet) else { return claims };
    let mut reader = Reader::from_str(packet);
    let mut current: Option<String> = None;
    loop {
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                take_attributes(&mut claims, &element);
                current = claim_name(element.name().as_ref());
            }
            Ok(Event::Empty(element)) => take_attributes(&mut claims, &element),
            Ok(Event::Text(value)) => {
                if let Some(name) = current.take() {
                    take(&mut claims, name, value.trim());
                }
            }
            Ok(Event::End(_)) => current = None,
            Ok(Event::Eof) | Err(_) => return claims,
            Ok(_) => {}
        }
    }
}

fn take_attributes(claims: &mut Claims, element: &BytesStart<'_>) {
    for attribute in element.attributes().flatten() {
        if let Some(name) = claim_name(attribute.key.as_ref()) {
            take(claims, name, &attribute.value);
        }
    }
}

fn claim_name(name: &str) -> Option<String> {
    let known = ["pdfaid:part", "pdfaid:conformance", "pdfaid:rev", "pdfaid:amd", "pdfuaid:part", "pdfuaid:rev"];
    known.contains(&name).then(|| name.to_owned())
}

/// Values are short, such as `2` or `B`. Anything else is not a claim.
fn take(claims: &mut Claims, name: String, value: &str) {
    if !value.is_empty() && value.len() <= 8 && value.chars().all(|character| character.is_ascii_alphanumeric()) {
        claims.entries.insert(name, value.to_owned());
    }
}

fn packet(information: &Information, claims: &Claims) -> String {
    let mut body = String::new();
    let entry = |key: &str| information.get(key).map(|value| escape(clean(value)).into_owned());
    for (key, element) in [("Title", "dc:title"), ("Subject", "dc:description")] {
        if let Some(value) = entry(key) {
            body.push_str(&format!(
                "<{element}><rdf:Alt><rdf:li xml:lang=\"x-default\">{value}</rdf:li></rdf:Alt></{element}>\n"
            ));
        }
    }
    if let Some(value) = entry("Author") {
        body.push_str(&format!("<dc:creator><rdf:Seq><rdf:li>{value}</rdf:li></rdf:Seq></dc:creator>\n"));
    }
    for (key, element) in [("Keywords", "pdf:Keywords"), ("Producer", "pdf:Producer"), ("Creator", "xmp:CreatorTool")] {
        if let Some(value) = entry(key) {
            body.push_str(&format!("<{element}>{value}</{element}>\n"));
        }
    }
    for (key, element) in [("CreationDate", "xmp:CreateDate"), ("ModDate", "xmp:ModifyDate")] {
        if let Some(date) = information.get(key).and_then(|date| iso_date(date)) {
            body.push_str(&format!("<{element}>{date}</{element}>\n"));
        }
    }
    for (name, value) in &claims.entries {
        body.push_str(&format!("<{name}>{value}</{name}>\n"));
    }
    format!(
        "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n\
         <x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n\
         <rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" \
         xmlns:pdf=\"http://ns.adobe.com/pdf/1.3/\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" \
         xmlns:pdfaid=\"http://www.aiim.org/pdfa/ns/id/\" xmlns:pdfuaid=\"http://www.aiim.org/pdfua/ns/id/\">\n\
         {body}</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"w\"?>"
    )
}

/// Characters that XML does not allow become spaces.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() && c != '\n' || matches!(c, '\u{FFFE}' | '\u{FFFF}') { ' ' } else { c })
        .collect()
}

/// A date in the one form that says the same here and in XMP, with a zone. `None` if it is incomplete.
pub(crate) fn complete_date(date: &str) -> Option<String> {
    let iso = iso_date(date)?;
    let (moment, zone) = iso.split_at(19);
    let digits: String = moment.chars().filter(char::is_ascii_digit).collect();
    let zone = match zone.split_once(':') {
        Some((hours, minutes)) => format!("{hours}'{minutes}'"),
        None => "+00'00'".to_owned(),
    };
    Some(format!("D:{digits}{zone}"))
}

/// `D:20261121093000+01'00'` as `2026-11-21T09:30:00+01:00`.
fn iso_date(date: &str) -> Option<String> {
    let digits = date.strip_prefix("D:").unwrap_or(date);
    let number = digits.get(..14).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))?;
    let part = |from: usize, to: usize| number.get(from..to);
    let zone = digits.get(14..).unwrap_or_default().replace('\'', "");
    let zone = match zone.as_bytes() {
        [sign @ (b'+' | b'-'), hours @ ..] if hours.len() == 4 && hours.iter().all(u8::is_ascii_digit) => {
            format!("{}{}:{}", *sign as char, zone.get(1..3)?, zone.get(3..5)?)
        }
        [b'Z', ..] => "Z".to_owned(),
        _ => String::new(),
    };
    Some(format!(
        "{}-{}-{}T{}:{}:{}{zone}",
        part(0, 4)?,
        part(4, 6)?,
        part(6, 8)?,
        part(8, 10)?,
        part(10, 12)?,
        part(12, 14)?
    ))
}

/// Whether the name of a custom entry is that of a standard one.
pub(crate) fn is_standard(name: &str) -> bool {
    STANDARD.iter().any(|standard| standard.eq_ignore_ascii_case(name))
}
