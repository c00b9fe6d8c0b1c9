//! The space between a page's text and its footnotes. In Word it is a paragraph with a line of its own; LibreOffice reads whether there
//! is a line, but not how high the paragraph is, and leaves about half of it.

use std::io;

use serde::{Deserialize, Serialize};

use super::edit::{Tag, scan, value};
use super::paragraph_styles::{ParagraphStyles, Properties};
use super::theme::ThemeFonts;
use super::{Package, part};

const PART: &str = "word/footnotes.xml";
/// Of letters, in half points, where nothing names one.
const SIZE: i64 = 20;
/// A line's height in parts of this of its letters', and what such a line is by default.
const SINGLE: i64 = 240;
/// Higher ones are mistakes, or pictures.
const HIGHEST: i64 = 72 * 20;
/// LibreOffice's own line is half a point thick.
const THICKNESS: i64 = 10;

/// The space above and below the line, in hundredths of a millimetre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Separator {
    /// Below the page's text.
    pub above: i32,
    /// Above the first note.
    pub below: i32,
}

/// `None` if the document has no footnotes.
pub(super) fn separator(
    package: &mut Package,
    styles: &ParagraphStyles,
    fonts: &ThemeFonts,
) -> io::Result<Option<Separator>> {
    let notes = part(package, PART)?;
    if notes.is_empty() {
        return Ok(None);
    }
    of(&notes, styles, fonts)
}

fn of(notes: &str, styles: &ParagraphStyles, fonts: &ThemeFonts) -> io::Result<Option<Separator>> {
    let (mut is_separator, mut open, mut height, mut notes_of_text) = (false, None::<Properties>, 0, 0_usize);
    scan(notes, |_, tag| match (&tag, &mut open) {
        (Tag::Start(tag), _) if tag.name().as_ref() == "w:footnote" => {
            let kind = value(tag, "w:type");
            is_separator = kind.as_deref() == Some("separator");
            notes_of_text += usize::from(kind.is_none());
        }
        (Tag::Start(tag), _) if is_separator && tag.name().as_ref() == "w:p" => open = Some(Properties::default()),
        (Tag::Empty(tag), Some(paragraph)) if tag.name().as_ref() != "w:rStyle" => paragraph.read(tag),
        (Tag::End(name), _) if name == "w:p" => {
            height += open.take().map_or(0, |paragraph| height_of(&styles.complete(paragraph), fonts));
        }
        (Tag::Start(_) | Tag::Empty(_) | Tag::End(_), _) => {}
    })?;
    let is_plausible = notes_of_text > 0 && height > THICKNESS && height <= HIGHEST;
    Ok(is_plausible.then(|| divided(height - THICKNESS)))
}

/// The line stands a little below the middle of its paragraph.
fn divided(height: i64) -> Separator {
    let hundredths = |twentieths: i64| i32::try_from(twentieths * 127 / 72).unwrap_or_default();
    let above = height * 3 / 5;
    Separator { above: hundredths(above), below: hundredths(height - above) }
}

/// In twentieths of a point.
fn height_of(paragraph: &Properties, fonts: &ThemeFonts) -> i64 {
    let letters = paragraph.size.unwrap_or(SIZE) * 10;
    let single = letters * percent(fonts.name(paragraph.face.as_ref())) / 100;
    let asked = paragraph.line.unwrap_or(SINGLE);
    let line = match paragraph.line_rule.as_deref() {
        Some("exact") => asked,
        Some("atLeast") => asked.max(single),
        Some(_) | None => single * asked / SINGLE,
    };
    line + paragraph.above.unwrap_or_default() + paragraph.below.unwrap_or_default()
}

/// The height of a line, in percent of its letters' size, as the fonts of Office say.
fn percent(face: Option<&str>) -> i64 {
    match face.unwrap_or_default().to_lowercase().as_str() {
        "calibri" | "calibri light" | "verdana" | "tahoma" | "aptos" | "aptos display" => 122,
        "cambria" | "consolas" => 117,
        "segoe ui" => 133,
        "georgia" => 114,
        _ => 115,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: &str = "<w:footnote w:id=\"2\"><w:p><w:r><w:t>See there.</w:t></w:r></w:p></w:footnote>";

    fn separator(paragraph: &str, defaults: &str, more: &str) -> Option<Separator> {
        let styles = ParagraphStyles::read(&format!("<w:styles><w:docDefaults>{defaults}</w:docDefaults></w:styles>"));
        let notes = format!(
            "<w:footnotes><w:footnote w:type=\"separator\" w:id=\"-1\">{paragraph}</w:footnote>\
             <w:footnote w:type=\"continuationSeparator\" w:id=\"0\"><w:p/></w:footnote>{more}</w:footnotes>"
        );
        of(&notes, &styles.unwrap(), &ThemeFonts::of_latin("Calibri")).unwrap()
    }

    /// In points.
    fn height(paragraph: &str, defaults: &str) -> i32 {
        let Separator { above, below } = separator(paragraph, defaults, NOTE).unwrap();
        (above + below) * 72 / 2540
    }

    #[test]
    fn the_space_is_as_high_as_its_paragraph() {
        let line = "<w:p><w:r><w:separator/></w:r></w:p>";
        // Twelve points of Times New Roman, without the line itself.
        assert_eq!(height(line, "<w:sz w:val=\"24\"/>"), 13);
        let calibri =
            "<w:rFonts w:asciiTheme=\"minorHAnsi\"/><w:sz w:val=\"22\"/><w:spacing w:after=\"200\" w:line=\"276\"/>";
        assert_eq!(height(line, calibri), 24, "with the space below it");
        let single = "<w:p><w:pPr><w:spacing w:after=\"0\" w:line=\"240\" w:lineRule=\"auto\"/></w:pPr></w:p>";
        assert_eq!(height(single, calibri), 12, "its own properties count");
        let exact = "<w:p><w:pPr><w:spacing w:line=\"200\" w:lineRule=\"exact\"/></w:pPr></w:p>";
        assert_eq!(height(exact, ""), 9);
    }

    #[test]
    fn documents_without_notes_are_left_alone() {
        assert_eq!(separator("<w:p><w:r><w:separator/></w:r></w:p>", "", ""), None);
        assert_eq!(separator("", "", NOTE), None, "LibreOffice has no line then");
    }
}
