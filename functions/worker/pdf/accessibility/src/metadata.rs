//! The document's XMP metadata: its title, and what it says of PDF/UA.

use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_core::xml;
use roxmltree::{Attribute, Document, Node};

use crate::Check;
use crate::rules::Rule;

const UA: &str = "http://www.aiim.org/pdfua/ns/id/";
const DUBLIN_CORE: &str = "http://purl.org/dc/elements/1.1/";
const XML: &str = "http://www.w3.org/XML/1998/namespace";
/// Most bytes and nodes of metadata.
const BYTES: usize = 16 << 20;
const NODES: u32 = 200_000;

/// The members of the identification whose prefix is fixed.
const PREFIXED: [(&str, Rule); 3] =
    [("part", Rule::PartPrefix), ("amd", Rule::AmendmentPrefix), ("corr", Rule::CorrigendumPrefix)];

pub(crate) fn check(check: &mut Check<'_>) {
    let document = check.document;
    let stream = document.catalog().ok().and_then(|catalog| document.value(catalog, b"Metadata")?.as_stream().ok());
    let text = stream.and_then(|stream| unpacked(stream, BYTES)).map(|bytes| decoded(&bytes));
    check.findings.add_if(stream.is_none(), Rule::MetadataMissing);
    let packet = text
        .as_deref()
        .and_then(|text| xml::parse(text.trim_start_matches('\u{feff}').trim_end_matches('\0'), NODES).ok());
    let Some(packet) = packet else {
        // Without metadata, the rest is about nothing.
        check.findings.add_if(stream.is_some(), Rule::TitleMissing);
        check.findings.add_if(stream.is_some(), Rule::ClaimMissing);
        return;
    };
    let has_language = check.has_language;
    let mut find = |is: bool, rule: Rule| check.findings.add_if(is, rule);
    find(!has_title(&packet), Rule::TitleMissing);
    let claims = claims(&packet);
    find(claims.is_empty(), Rule::ClaimMissing);
    for Claim { name, prefix, value } in &claims {
        find(*name == "part" && value.trim() != "1", Rule::ClaimOfOtherPart);
        for (_, rule) in PREFIXED.iter().filter(|(member, _)| member == name && *prefix != "pdfuaid") {
            find(true, *rule);
        }
    }
    let has_unnamed = packet.descendants().any(|node| is_in_default_language_only(&node));
    find(has_unnamed && !has_language, Rule::MetadataLanguage);
}

/// Whether a text is given once, without its language.
fn is_in_default_language_only(alternatives: &Node<'_, '_>) -> bool {
    let mut languages = alternatives.children().filter_map(|node| node.attribute((XML, "lang")));
    alternatives.tag_name().name() == "Alt" && languages.next() == Some("x-default") && languages.next().is_none()
}

/// XMP is in UTF-8 or UTF-16.
fn decoded(bytes: &[u8]) -> String {
    let units = |read: fn([u8; 2]) -> u16| bytes.as_chunks().0.iter().map(|unit| read(*unit)).collect::<Vec<u16>>();
    match bytes {
        [0xfe, 0xff, ..] => String::from_utf16_lossy(&units(u16::from_be_bytes)),
        [0xff, 0xfe, ..] => String::from_utf16_lossy(&units(u16::from_le_bytes)),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// A title is a list of alternatives by language, not a plain text (XMP specification, part 1, 8.3).
fn has_title(packet: &Document<'_>) -> bool {
    let is_alternative = |node: Node<'_, '_>| node.descendants().any(|inner| inner.tag_name().name() == "li");
    packet.descendants().any(|node| node.has_tag_name((DUBLIN_CORE, "title")) && is_alternative(node))
}

/// A member of the identification.
struct Claim<'p> {
    name: &'p str,
    prefix: &'p str,
    value: &'p str,
}

fn claims<'p>(packet: &'p Document<'_>) -> Vec<Claim<'p>> {
    let text = packet.input_text();
    let prefix = |at: usize| {
        let name = text.get(at..).unwrap_or_default().trim_start_matches('<');
        name.split_once(':').map_or("", |(prefix, _)| prefix)
    };
    let of_attribute = |attribute: Attribute<'p, '_>| {
        let is_ours = attribute.namespace() == Some(UA);
        is_ours.then(|| Claim {
            name: attribute.name(),
            prefix: prefix(attribute.range().start),
            value: attribute.value(),
        })
    };
    let of_node = |node: &Node<'p, '_>| {
        let is_ours = node.tag_name().namespace() == Some(UA);
        let value = node.text().unwrap_or_default();
        is_ours.then(|| Claim { name: node.tag_name().name(), prefix: prefix(node.range().start), value })
    };
    packet
        .descendants()
        .flat_map(|node| of_node(&node).into_iter().chain(node.attributes().filter_map(of_attribute)))
        .collect()
}
