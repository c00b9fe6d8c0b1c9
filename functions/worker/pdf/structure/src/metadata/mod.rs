//! A document's metadata: its information dictionary, and the same data as XMP.

mod date;
mod packet;
mod schema;
mod xml;

use std::collections::BTreeMap;

use docmill_pdf_core::objects::{Lookup, bytes, decode, reference, text, unpacked};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};

pub use self::date::complete_date;
pub use self::packet::{Information, PdfUa, Statement};
pub use self::schema::{Property, Schema};

/// An XMP packet usually takes a few KiB. Larger ones are not read.
const XMP_BYTES: usize = 4 << 20;
/// Entries with a counterpart in XMP.
const STANDARD: [&str; 9] =
    ["Title", "Author", "Subject", "Keywords", "Creator", "Producer", "CreationDate", "ModDate", "Trapped"];

/// The entries of the information dictionary, and those that are only in the XMP packet.
pub fn read(document: &Document) -> Information {
    let mut information = packet(document).map(|packet| packet::information(&packet)).unwrap_or_default();
    if let Some(info) = document.child(&document.trailer, b"Info") {
        information.extend(info.iter().filter_map(|(key, value)| {
            let value = document.resolve(value)?;
            let value = decode(value).or_else(|| Some(String::from_utf8_lossy(bytes(value)?).into_owned()))?;
            Some((String::from_utf8(key.clone()).ok()?, value))
        }));
    }
    information
}

/// Further statements of the XMP packet.
pub fn statement(document: &Document) -> Statement {
    packet(document).map(|packet| Statement::read(&packet)).unwrap_or_default()
}

/// The plain values of the XMP packet's properties in a namespace that `is_wanted`, the first of each name.
pub fn values(document: &Document, is_wanted: impl Fn(&str) -> bool) -> BTreeMap<String, String> {
    packet(document).map(|packet| packet::values(&packet, is_wanted)).unwrap_or_default()
}

fn packet(document: &Document) -> Option<String> {
    let packet = document.get_object(reference(document.catalog().ok()?, b"Metadata")?).ok()?.as_stream().ok()?;
    String::from_utf8(unpacked(packet, XMP_BYTES)?).ok()
}

/// Removes the pictures of pages from the XMP packet.
pub fn remove_thumbnails(document: &mut Document) {
    let Some(rest) = packet(document).and_then(|packet| packet::without_thumbnails(&packet)) else { return };
    let id = document.catalog().ok().and_then(|catalog| reference(catalog, b"Metadata"));
    let stream = id.and_then(|id| document.get_object_mut(id).ok()?.as_stream_mut().ok());
    if let Some(stream) = stream {
        stream.set_plain_content(rest.into_bytes());
    }
}

/// Replaces the document's metadata: the information dictionary, and the XMP packet.
pub fn write(document: &mut Document, information: &Information, statement: &Statement) {
    let info: Dictionary = information
        .iter()
        .map(|(key, value)| {
            let object = if key == "Trapped" { Object::Name(value.clone().into_bytes()) } else { text(value) };
            (key.clone().into_bytes(), object)
        })
        .collect();
    let info = document.add_object(info);
    document.trailer.set("Info", info);
    let packet = document.add_object(xmp(information, statement));
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("Metadata", packet);
    }
}

/// Replaces the statements besides the document's information, which stays.
pub fn restate(document: &mut Document, statement: &Statement) {
    let information = read(document);
    write(document, &information, statement);
}

/// The XMP packet, as the catalogue refers to it.
pub fn xmp(information: &Information, statement: &Statement) -> Stream {
    let head = dictionary! { "Type" => "Metadata", "Subtype" => "XML" };
    Stream::new(head, packet::write(information, statement).into_bytes())
}

/// Removes the metadata of the document and its parts, including claims of PDF/A.
pub fn remove_all(document: &mut Document) {
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

/// Whether a custom entry has the name of a standard one.
pub fn is_standard(name: &str) -> bool {
    STANDARD.iter().any(|standard| standard.eq_ignore_ascii_case(name))
}
