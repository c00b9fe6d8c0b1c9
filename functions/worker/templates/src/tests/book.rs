//! Makes workbooks, and takes cells out of results.

use serde_json::Value;

use super::fixture::*;
use crate::{Format, Rendered};

pub(super) const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A workbook of one sheet, `Items`. Cells that are text are shared.
pub(super) struct Book {
    strings: Vec<String>,
    rows: String,
    after: String,
    extra: Vec<(String, String)>,
    names: String,
    related: String,
    book_related: String,
    more_sheets: Vec<(String, String)>,
}

impl Book {
    pub(super) fn new() -> Self {
        Self {
            strings: Vec::new(),
            rows: String::new(),
            after: String::new(),
            extra: Vec::new(),
            names: String::new(),
            more_sheets: Vec::new(),
            related: String::new(),
            book_related: String::new(),
        }
    }

    /// A row: `=` begins a formula, digits a number, and `s1|` gives the style 1.
    pub(super) fn row(mut self, number: u32, cells: &[&str]) -> Self {
        let mut xml = String::new();
        for (column, content) in ('A'..).zip(cells) {
            let (style, content) = match content.split_once('|').filter(|(style, _)| style.starts_with('s')) {
                Some((style, content)) => (format!(" s=\"{}\"", &style[1..]), content),
                None => (String::new(), *content),
            };
            let place = format!("r=\"{column}{number}\"{style}");
            if let Some(formula) = content.strip_prefix('=') {
                xml += &format!("<c {place}><f>{formula}</f><v>99</v></c>");
            } else if content.is_empty() {
                xml += &format!("<c {place}/>");
            } else if content.parse::<f64>().is_ok() {
                xml += &format!("<c {place}><v>{content}</v></c>");
            } else {
                xml += &format!("<c {place} t=\"s\"><v>{}</v></c>", self.strings.len());
                self.strings.push(content.to_owned());
            }
        }
        self.rows += &format!("<row r=\"{number}\" ht=\"2{number}\">{xml}</row>");
        self
    }

    pub(super) fn raw(mut self, row: &str) -> Self {
        self.rows += row;
        self
    }

    pub(super) fn after(mut self, xml: &str) -> Self {
        self.after += xml;
        self
    }

    pub(super) fn part(mut self, name: &str, text: &str) -> Self {
        self.extra.push((name.to_owned(), text.to_owned()));
        self
    }

    pub(super) fn names(mut self, names: &str) -> Self {
        self.names = format!("<definedNames>{names}</definedNames>");
        self
    }

    /// A further sheet, with this between its root's tags.
    pub(super) fn sheet_beside(mut self, name: &str, content: &str) -> Self {
        self.more_sheets.push((name.to_owned(), format!("<worksheet>{content}</worksheet>")));
        self
    }

    /// A relationship of the sheet to a part, and the part.
    pub(super) fn related(mut self, kind: &str, part: &str, text: &str) -> Self {
        let number = self.extra.len();
        self.related += &format!(r#"<Relationship Id="e{number}" Type="{RELATIONS}/{kind}" Target="/{part}"/>"#);
        self.part(part, text)
    }

    /// A relationship of the workbook to a part, and the part.
    pub(super) fn book_related(mut self, kind: &str, part: &str, text: &str) -> Self {
        self.book_related += &format!(r#"<Relationship Id="{kind}" Type="{RELATIONS}/{kind}" Target="/{part}"/>"#);
        self.part(part, text)
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        let types = r#"<Types><Override PartName="/xl/workbook.xml" ContentType="b"/><Override PartName="/xl/calcChain.xml" ContentType="c"/></Types>"#;
        let beside = || (2..).zip(&self.more_sheets);
        let more: String = beside()
            .map(|(number, (name, _))| format!(r#"<sheet name="{name}" sheetId="{number}" r:id="s{number}"/>"#))
            .collect();
        let book = format!(
            r#"<workbook xmlns:r="r"><sheets><sheet name="Items" sheetId="1" r:id="r1"/>{more}</sheets>{}</workbook>"#,
            self.names
        );
        let more: String = beside()
            .map(|(number, _)| {
                format!(r#"<Relationship Id="s{number}" Type="{RELATIONS}/worksheet" Target="worksheets/sheet{number}.xml"/>"#)
            })
            .collect();
        let related = format!(
            r#"<Relationships><Relationship Id="r1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="{RELATIONS}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="r3" Type="{RELATIONS}/styles" Target="styles.xml"/><Relationship Id="r4" Type="{RELATIONS}/calcChain" Target="calcChain.xml"/>{more}{}</Relationships>"#,
            self.book_related
        );
        let strings: String = self.strings.iter().map(|text| format!("<si><t>{text}</t></si>")).collect();
        let strings = format!("<sst>{strings}</sst>");
        let sheet = format!("<worksheet><sheetData>{}</sheetData>{}</worksheet>", self.rows, self.after);
        let styles =
            r#"<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="49"/></cellXfs></styleSheet>"#;
        let mut parts = vec![
            ("[Content_Types].xml", types),
            ("xl/workbook.xml", &book),
            ("xl/_rels/workbook.xml.rels", &related),
            ("xl/sharedStrings.xml", &strings),
            ("xl/styles.xml", styles),
            ("xl/calcChain.xml", "<calcChain/>"),
            ("xl/worksheets/sheet1.xml", &sheet),
        ];
        let beside: Vec<_> =
            beside().map(|(number, (_, text))| (format!("xl/worksheets/sheet{number}.xml"), text)).collect();
        parts.extend(beside.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        let own_related = format!("<Relationships>{}</Relationships>", self.related);
        if !self.related.is_empty() {
            parts.push(("xl/worksheets/_rels/sheet1.xml.rels", &own_related));
        }
        parts.extend(self.extra.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        archive(&parts)
    }

    pub(super) fn fill(self, data: &Value) -> Rendered {
        render(self.bytes(), Format::Xlsx, data)
    }

    pub(super) fn sheet(self, data: &Value) -> String {
        part(&self.fill(data).bytes, "xl/worksheets/sheet1.xml")
    }

    /// Cells with their contents: `B5:12`. Texts without tags are numbers of shared ones.
    pub(super) fn cells(self, data: &Value) -> Vec<String> {
        let sheet = self.sheet(data);
        let shown = |cell: &str| {
            let name = cell.split('"').next().unwrap_or_default();
            let between = |open: &str, close: &str| {
                let rest = &cell[cell.find(open)? + open.len()..];
                Some(rest[..rest.find(close)?].to_owned())
            };
            let formula = between("<f>", "</f>").map(|formula| format!("={formula}"));
            let value = formula.or_else(|| between("<v>", "</v>"));
            let text = between("<is>", "</is>").map(|text| between_tags(&text));
            format!("{name}:{}", value.or(text).unwrap_or_default())
        };
        sheet.split("<c r=\"").skip(1).map(|cell| shown(cell.split("</row>").next().unwrap())).collect()
    }
}

fn between_tags(xml: &str) -> String {
    xml.split('<').filter_map(|piece| piece.split_once('>')).map(|(_, text)| text).collect()
}
