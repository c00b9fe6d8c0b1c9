//! Turning the pages of a document: LibreOffice has no option for it, but its own format says it in one element.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, Writer};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::tree;

/// What every page of a text document or spreadsheet takes its form from.
const PAGE: &str = "style:page-layout-properties";
const WIDTH: &str = "fo:page-width";
const HEIGHT: &str = "fo:page-height";
const ORIENTATION: &str = "style:print-orientation";

/// A4, for a page that names no size.
const SHORT_SIDE: &str = "210mm";
const LONG_SIDE: &str = "297mm";

/// The part of a package that all page layouts are in.
const STYLES: &str = "styles.xml";

/// Copies an OpenDocument package, each page layout in it turned to landscape, or else to portrait.
pub(super) fn turn(source: &Path, target: &Path, landscape: bool) -> io::Result<()> {
    let mut package = ZipArchive::new(BufReader::new(tree::open_written(source)?))?;
    let mut copy = ZipWriter::new(BufWriter::new(File::create(target)?));
    for index in 0..package.len() {
        let part = package.by_index_raw(index)?;
        if part.name()? == STYLES {
            drop(part);
            copy.start_file(STYLES, SimpleFileOptions::default())?;
            turn_pages(BufReader::new(package.by_name(STYLES)?), &mut copy, landscape)?;
        } else {
            copy.raw_copy_file(part)?;
        }
    }
    copy.finish()?.flush()
}

fn turn_pages(styles: impl BufRead, target: impl Write, landscape: bool) -> io::Result<()> {
    let mut reader = Reader::from_reader(styles);
    let mut writer = Writer::new(target);
    let mut buffer = Vec::new();
    loop {
        let event = match reader.read_event_into(&mut buffer).map_err(io::Error::other)? {
            Event::Start(page) if page.name().as_ref() == PAGE => Event::Start(turned(&page, landscape)?),
            Event::Empty(page) if page.name().as_ref() == PAGE => Event::Empty(turned(&page, landscape)?),
            Event::Eof => return Ok(()),
            other @ (Event::Start(_)
            | Event::End(_)
            | Event::Empty(_)
            | Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::GeneralRef(_)) => other,
        };
        writer.write_event(event)?;
        buffer.clear();
    }
}

/// The same page layout with its longer side across, or upright.
fn turned(page: &BytesStart<'_>, landscape: bool) -> io::Result<BytesStart<'static>> {
    let attributes: Vec<Attribute<'_>> = page.attributes().collect::<Result<_, _>>().map_err(io::Error::other)?;
    let value = |name: &str| {
        let attribute = attributes.iter().find(|attribute| attribute.key.as_ref() == name)?;
        Some(attribute.value.to_string())
    };
    let (short, long) = match (value(WIDTH), value(HEIGHT)) {
        (Some(width), Some(height)) if millimetres(&width) <= millimetres(&height) => (width, height),
        (Some(width), Some(height)) => (height, width),
        (Some(_), None) | (None, Some(_)) | (None, None) => (SHORT_SIDE.to_owned(), LONG_SIDE.to_owned()),
    };
    let (width, height, orientation) = if landscape { (long, short, "landscape") } else { (short, long, "portrait") };

    let mut turned = BytesStart::new(PAGE);
    let replaced = [WIDTH, HEIGHT, ORIENTATION];
    let kept = attributes.iter().filter(|attribute| !replaced.contains(&attribute.key.as_ref()));
    kept.for_each(|attribute| turned.push_attribute(attribute.clone()));
    turned.push_attribute((WIDTH, width.as_str()));
    turned.push_attribute((HEIGHT, height.as_str()));
    turned.push_attribute((ORIENTATION, orientation));
    Ok(turned.into_owned())
}

/// A length of ODF, such as `21.59cm` or `8.5in`. What can't be read is taken for nothing.
fn millimetres(length: &str) -> f64 {
    let unit = length.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(length.len());
    let (number, unit) = length.split_at(unit);
    let factor = match unit {
        "cm" => 10.0,
        "in" => 25.4,
        "pt" => 25.4 / 72.0,
        "pc" => 25.4 / 6.0,
        _ => 1.0,
    };
    number.trim().parse::<f64>().unwrap_or(0.0) * factor
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn_text(xml: &str, landscape: bool) -> String {
        let mut turned = Vec::new();
        turn_pages(xml.as_bytes(), &mut turned, landscape).unwrap();
        String::from_utf8(turned).unwrap()
    }

    #[test]
    fn only_page_layouts_change() {
        let before = r#"<a x="&amp;">t &lt; <style:page-layout-properties fo:page-width="8.5in" fo:page-height="27.94cm" fo:margin="1cm"><b/></style:page-layout-properties></a>"#;
        let after = r#"<a x="&amp;">t &lt; <style:page-layout-properties fo:margin="1cm" fo:page-width="27.94cm" fo:page-height="8.5in" style:print-orientation="landscape"><b/></style:page-layout-properties></a>"#;
        assert_eq!(turn_text(before, true), after);
    }

    #[test]
    fn a_page_that_lies_right_stays_and_one_without_size_is_a4() {
        let wide = r#"<style:page-layout-properties fo:page-width="20cm" fo:page-height="100mm"/>"#;
        let kept = turn_text(wide, true);
        assert!(kept.contains(r#"fo:page-width="20cm" fo:page-height="100mm""#), "{kept}");
        let upright = turn_text(wide, false);
        assert!(upright.contains(r#"fo:page-width="100mm" fo:page-height="20cm""#), "{upright}");
        assert!(turn_text("<style:page-layout-properties/>", true).contains(r#"fo:page-width="297mm""#));
    }

    #[test]
    fn units_are_compared_not_numbers() {
        assert!(millimetres("8.5in") < millimetres("27.94cm"));
        assert!((millimetres("72pt") - 25.4).abs() < 1e-9);
    }
}
