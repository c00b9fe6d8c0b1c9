//! HTML by its elements. Style sheets are not read: only attributes and styles of elements tell what is hidden.

mod element;
mod field;
mod notes;
mod parse;
mod table;
mod walk;

use docmill_pdf_request::Failure;
use encoding_rs::{Encoding, UTF_8};
use url::Url;

use super::builder::Builder;
use walk::Walker;

/// Finds a picture that comes with the page, by its address.
pub(super) type Attached<'a> = &'a dyn Fn(&str) -> Option<&'a [u8]>;

/// Bytes in which a page declares its encoding.
const HEAD: usize = 1024;

pub(super) fn read(
    html: &str,
    base: Option<&str>,
    attached: Attached<'_>,
    builder: &mut Builder<'_, '_>,
) -> Result<(), Failure> {
    let page = parse::document(html)?;
    let root = page.root_element();
    if let Some(language) = root.attr("lang") {
        builder.document_language(language.trim());
    }
    let mut base = base.and_then(|base| Url::parse(base).ok());
    let mut own_base = None;
    for node in root.descendants() {
        let Some(element) = node.value().as_element() else { continue };
        match element.name() {
            "title" if node.parent().is_some_and(|parent| element::is_named(parent, "head")) => {
                builder.title(&element::text(node));
            }
            "base" => {
                own_base = own_base.or_else(|| element.attr("href"));
            }
            "body" => break,
            _ => {}
        }
    }
    if let Some(address) = own_base {
        base = base.map_or_else(|| Url::parse(address), |base| base.join(address)).ok();
    }
    Walker::new(&page, base, attached, builder).run(*root)
}

/// A page's text: in UTF-8, in the encoding that it declares, or in the one that it probably has.
pub(super) fn decoded(bytes: &[u8]) -> String {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding.decode_with_bom_removal(bytes).0.into_owned();
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    if let Some(encoding) = declared(bytes) {
        return encoding.decode_without_bom_handling(bytes).0.into_owned();
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Deny).decode_without_bom_handling(bytes).0.into_owned()
}

/// The first `charset=`. UTF-8 is not believed, since the bytes are not in it.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(bytes.get(..HEAD.min(bytes.len()))?).to_ascii_lowercase();
    let (_, after) = head.split_once("charset=")?;
    let label = after.trim_start_matches(['"', '\'', ' ']).split(['"', '\'', ' ', '>', ';', '/']).next()?;
    Encoding::for_label(label.as_bytes()).filter(|encoding| *encoding != UTF_8)
}
