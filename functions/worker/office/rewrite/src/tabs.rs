//! Tab stops of a slide's paragraphs. LibreOffice drops them if the paragraph has a first-line indent, even zero, and measures
//! them from the margin. PowerPoint measures them from the edge of the box.

use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Edit, attribute};

/// The relevant properties of a paragraph. Lengths are in EMU: 914,400 per inch.
#[derive(Debug, Default)]
pub(super) struct Paragraph {
    start: Range<usize>,
    margin: i64,
    indent: Option<i64>,
    tabs: Vec<(Range<usize>, i64)>,
    bullet: bool,
    /// Known at the end of the properties.
    pub(super) loses_tabs: bool,
}

impl Paragraph {
    pub(super) fn open(range: Range<usize>, tag: &BytesStart<'_>) -> Self {
        let length = |name| attribute(tag, name).and_then(|value| value.parse().ok());
        Self { start: range, margin: length("marL").unwrap_or(0), indent: length("indent"), ..Self::default() }
    }

    pub(super) fn has_bullet(&mut self) {
        self.bullet = true;
    }

    pub(super) fn tab(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        if let Some(position) = attribute(tag, "pos").and_then(|position| position.parse().ok()) {
            self.tabs.push((range, position));
        }
    }

    /// The edits that keep the tab stops. `inherits`: further properties come from a layout.
    pub(super) fn close(&mut self, xml: &str, inherits: bool) -> Vec<Edit> {
        if self.tabs.is_empty() {
            return Vec::new();
        }
        // Lists need their indent, and the layout's properties are unknown.
        self.loses_tabs = inherits || self.bullet || self.indent.is_some_and(|indent| indent != 0);
        if self.loses_tabs {
            return Vec::new();
        }
        let start = xml.get(self.start.clone()).unwrap_or_default();
        let indent = self.indent.and_then(|_| without_attribute(start, "indent"));
        let indent = indent.map(|start| Edit::new(self.start.clone(), start));
        let moved = self.tabs.iter().filter(|(_, position)| self.margin > 0 && *position > self.margin);
        let moved = moved.filter_map(|(range, position)| {
            let tab = xml.get(range.clone())?;
            let place = format!("pos=\"{}\"", position - self.margin);
            Some(Edit::new(range.clone(), tab.replace(&format!("pos=\"{position}\""), &place)))
        });
        indent.into_iter().chain(moved).collect()
    }
}

/// A start tag without one of its attributes.
fn without_attribute(tag: &str, name: &str) -> Option<String> {
    let from = tag.find(&format!(" {name}=\""))?;
    let value = from + name.len() + 3;
    let to = value + tag.get(value..)?.find('"')? + 1;
    Some(format!("{}{}", tag.get(..from)?, tag.get(to..)?))
}

#[cfg(test)]
mod tests {
    use super::super::slides::{Number, edited};

    fn paragraph(attributes: &str, inside: &str) -> String {
        format!("<p:sp><a:p><a:pPr{attributes}>{inside}</a:pPr><a:r><a:t>A\tB</a:t></a:r></a:p></p:sp>")
    }

    #[test]
    fn tab_stops_are_kept_where_a_zero_indent_would_drop_them() {
        let tabs = "<a:tabLst><a:tab pos=\"3000\" algn=\"r\"/></a:tabLst>";
        let moved = "<a:tabLst><a:tab pos=\"2000\" algn=\"r\"/></a:tabLst>";
        let kept = |xml: &str| edited(xml, Number::default()).unwrap().xml.unwrap();
        assert_eq!(kept(&paragraph(" marL=\"0\" indent=\"0\"", tabs)), paragraph(" marL=\"0\"", tabs));
        assert_eq!(kept(&paragraph(" marL=\"1000\"", tabs)), paragraph(" marL=\"1000\"", moved));
    }

    #[test]
    fn lost_tab_stops_are_reported() {
        let tabs = "<a:tabLst><a:tab pos=\"3000\" algn=\"r\"/></a:tabLst>";
        let in_layout = paragraph("", tabs).replace("<a:p>", "<p:ph type=\"body\"/><a:p>");
        let listed = paragraph("", &format!("<a:buChar char=\"x\"/>{tabs}"));
        for lost in [paragraph(" marL=\"1000\" indent=\"-1000\"", tabs), listed, in_layout] {
            let edited = edited(&lost, Number::default()).unwrap();
            assert!(edited.xml.is_none() && edited.losses.tab_stops, "{lost}");
        }
        let without_tab = paragraph(" indent=\"-1000\"", tabs).replace('\t', " ");
        assert!(!edited(&without_tab, Number::default()).unwrap().losses.tab_stops);
    }
}
