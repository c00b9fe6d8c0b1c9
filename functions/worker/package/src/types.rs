//! The list of the parts' content types in Office's packages (ECMA-376, part 2).

use crate::Error;
use crate::markup::{scan, value};

/// The part with the list.
pub const PART: &str = "[Content_Types].xml";

/// The content type of a part: its own, or that of its extension.
///
/// # Errors
/// If the list is malformed.
pub fn of(list: &str, part: &str) -> Result<Option<String>, Error> {
    let markup = scan(list)?;
    let find = |element: &str, name: &str, is: &dyn Fn(&str) -> bool| {
        let mut entries = markup.named(element).map(|(_, element)| element);
        let entry = entries.find(|element| value(list, element, name).is_some_and(|value| is(&value)))?;
        value(list, entry, "ContentType")
    };
    let extension = part.rsplit_once('.').map_or("", |(_, extension)| extension);
    let own = find("Override", "PartName", &|name| name.trim_start_matches('/').eq_ignore_ascii_case(part));
    Ok(own.or_else(|| find("Default", "Extension", &|name| name.eq_ignore_ascii_case(extension))))
}

/// An entry of the list for one part.
#[must_use]
pub fn of_part(part: &str, content_type: &str) -> String {
    let kind = quick_xml::escape::escape(content_type);
    format!("<Override PartName=\"/{part}\" ContentType=\"{kind}\"/>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_its_own_type_or_that_of_its_extension() {
        let list =
            "<Types><Default Extension='XML' ContentType='b'/><Override PartName='/A/b.xml' ContentType='a'/></Types>";
        assert_eq!(of(list, "a/B.xml").unwrap().as_deref(), Some("a"));
        assert_eq!(of(list, "a/c.xml").unwrap().as_deref(), Some("b"));
        assert_eq!(of(list, "a/c.png").unwrap(), None);
        assert!(of("<Types>", "a").is_err());
    }
}
