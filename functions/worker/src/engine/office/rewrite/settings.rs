//! Which version of Word a text document is laid out as.

use std::io;

use super::breaks::SpaceAbove;
use super::edit::{Tag, scan, value};
use super::{Package, part};

const PART: &str = "word/settings.xml";
/// The `compatibilityMode` of Word 2013 and all later versions ([MS-DOCX] 2.3.2).
const WORD_2013: u32 = 15;

/// The rule for space above paragraphs that begin a page. A document without the setting is laid out as by Word 2007.
pub(super) fn space_above(package: &mut Package) -> io::Result<SpaceAbove> {
    let is_word_2013 = mode(&part(package, PART)?)? >= Some(WORD_2013);
    Ok(if is_word_2013 { SpaceAbove::Dropped } else { SpaceAbove::WithoutSpaceBelow })
}

fn mode(settings: &str) -> io::Result<Option<u32>> {
    let mut mode = None;
    scan(settings, |_, tag| {
        if let Tag::Empty(tag) | Tag::Start(tag) = tag
            && tag.name().as_ref() == "w:compatSetting"
            && value(&tag, "w:name").as_deref() == Some("compatibilityMode")
        {
            mode = value(&tag, "w:val").and_then(|mode| mode.parse().ok());
        }
    })?;
    Ok(mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_is_read_among_other_settings() {
        let settings = |mode: &str| {
            format!(
                "<w:settings><w:compat><w:compatSetting w:name=\"compatibilityMode\" w:val=\"{mode}\"/>\
                 <w:compatSetting w:name=\"enableOpenTypeFeatures\" w:val=\"1\"/></w:compat></w:settings>"
            )
        };
        assert_eq!(mode(&settings("15")).unwrap(), Some(15));
        assert_eq!(mode(&settings("x")).unwrap(), None);
        assert_eq!(mode("").unwrap(), None);
    }
}
