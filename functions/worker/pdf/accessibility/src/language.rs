//! The languages of texts.

use docmill_pdf_core::language::is_tag;
use docmill_pdf_core::objects::decode;
use lopdf::Object;

/// Whether an object is a text with a language tag.
pub(crate) fn is_known(object: &Object) -> bool {
    decode(object).is_some_and(|text| is_tag(&text))
}
