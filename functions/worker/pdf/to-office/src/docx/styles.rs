//! Styles: each has the look that most text of its role has in the source.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use docmill_pdf_extract::model::{Block, Document, Look, Role, Span};

use super::NAMESPACES;
use super::paragraph::size_of;
use crate::units::twips;
use crate::xml::{Attributes, Xml};

/// Of a source that tells no fonts.
const FONT: &str = "Arial";
const SIZE: u32 = 22;
/// Single lines of most fonts are as high as that many ems.
const SINGLE: f32 = 1.17;
/// Sizes that differ by less, in half points, are the same.
const SAME: u32 = 2;

/// A font at a size, as characters have it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Face {
    pub font: String,
    /// In half points.
    pub size: u32,
    pub bold: bool,
    pub italic: bool,
}

impl Face {
    /// Writes in what it differs from that of its style.
    pub(super) fn differences(&self, xml: &mut Xml, base: &Self) {
        if self.font != base.font {
            fonts(xml, &self.font);
        }
        for (is, was, [name, of_complex]) in
            [(self.bold, base.bold, ["w:b", "w:bCs"]), (self.italic, base.italic, ["w:i", "w:iCs"])]
        {
            if is != was {
                let value: Attributes<'_> = if is { &[] } else { &[("w:val", "0")] };
                xml.empty(name, value).empty(of_complex, value);
            }
        }
        if self.size != base.size {
            let size = self.size.to_string();
            xml.empty("w:sz", &[("w:val", &size)]).empty("w:szCs", &[("w:val", &size)]);
        }
    }
}

fn fonts(xml: &mut Xml, font: &str) {
    let names = ["w:ascii", "w:hAnsi", "w:eastAsia", "w:cs"].map(|name| (name, font));
    xml.empty("w:rFonts", &names);
}

/// The style of a heading's level.
pub(super) fn heading(level: u8) -> &'static str {
    const STYLES: [&str; 6] = ["Heading1", "Heading2", "Heading3", "Heading4", "Heading5", "Heading6"];
    STYLES.get(usize::from(level.clamp(1, 6)) - 1).copied().unwrap_or("Heading6")
}

fn style_of(role: &Role) -> Option<&'static str> {
    match role {
        Role::Title => Some("Title"),
        Role::Heading { level } => Some(heading(*level)),
        Role::Paragraph | Role::Item { .. } | Role::Formula | Role::FormField { .. } => Some("Normal"),
        Role::Caption { .. } => Some("Caption"),
        Role::Footnote { .. } => Some("FootnoteText"),
        Role::Code => Some("Code"),
        Role::Header => Some("Header"),
        Role::Footer => Some("Footer"),
        Role::Table { .. } | Role::Figure { .. } => None,
    }
}

/// What speaks for a face: how many characters have it.
type Votes = HashMap<Face, usize>;

#[derive(Debug)]
pub(super) struct Styles {
    faces: BTreeMap<&'static str, Face>,
    normal: Face,
    /// The spacing of text, in twentieths of a point, and of its lines, where 240 is single.
    after: i64,
    line: i64,
    pub(super) language: Option<String>,
    used: BTreeSet<String>,
}

impl Styles {
    pub(super) fn of(document: &Document) -> Self {
        let mut votes: BTreeMap<&'static str, Votes> = BTreeMap::new();
        for block in &document.blocks {
            if let (Some(style), Some(look)) = (style_of(&block.role), &block.look) {
                let face = face(look, &block.spans, FONT, SIZE);
                *votes.entry(style).or_default().entry(face).or_default() += block.text.len();
            }
        }
        for cell in document.tables.iter().flat_map(|table| &table.cells) {
            if let Some(look) = &cell.look {
                let face = face(look, &[], FONT, SIZE);
                *votes.entry("TableText").or_default().entry(face).or_default() += cell.text.len();
            }
        }
        let mut faces: BTreeMap<&'static str, Face> =
            votes.into_iter().filter_map(|(style, votes)| Some((style, most(votes)?))).collect();
        let plain = Face { font: FONT.to_owned(), size: SIZE, bold: false, italic: false };
        let known = ["Normal", "TableText", "Heading1", "Title"].iter().find_map(|style| faces.get(style));
        let normal = known.map_or(plain, |face| Face { bold: false, italic: false, ..face.clone() });
        faces.insert("Normal", normal.clone());
        // Half points by which a heading is larger, if the source has none of its level.
        let larger = [("Title", 8), ("Heading1", 6), ("Heading2", 4), ("Heading3", 2)];
        for (style, larger) in larger.into_iter().chain([("Heading4", 0), ("Heading5", 0), ("Heading6", 0)]) {
            faces.entry(style).or_insert_with(|| Face { size: normal.size + larger, bold: true, ..normal.clone() });
        }
        let used = document.blocks.iter().filter_map(|block| block.look.as_ref());
        let used = used.map(|look| look.font.clone()).filter(|font| !font.is_empty()).collect();
        let (after, line) = spacing(document, &normal);
        Self { faces, normal, after, line, language: language(document), used }
    }

    /// The look of a style.
    pub(super) fn face(&self, style: &str) -> &Face {
        self.faces.get(style).unwrap_or(&self.normal)
    }

    /// The font and size of a look in a paragraph of this style. Sizes of recognized text vary a little.
    pub(super) fn face_of(&self, look: Option<&Look>, base: &Face) -> Face {
        let Some(look) = look else { return base.clone() };
        let font = if look.font.is_empty() { base.font.clone() } else { look.font.clone() };
        let size = size_of(look).filter(|size| size.abs_diff(base.size) >= SAME).unwrap_or(base.size);
        Face { font, size, ..base.clone() }
    }

    pub(super) fn part(&self, language: Option<&str>) -> Xml {
        let language = language.or(self.language.as_deref()).unwrap_or("en-US");
        let mut xml = Xml::part();
        xml.open("w:styles", NAMESPACES).open("w:docDefaults", &[]).open("w:rPrDefault", &[]).open("w:rPr", &[]);
        fonts(&mut xml, &self.normal.font);
        let size = self.normal.size.to_string();
        xml.empty("w:sz", &[("w:val", &size)]).empty("w:szCs", &[("w:val", &size)]);
        let east = if matches!(language.get(..2), Some("zh" | "ja" | "ko")) { language } else { "zh-CN" };
        let left = if matches!(language.get(..2), Some("ar" | "he" | "fa" | "ur")) { language } else { "ar-SA" };
        xml.empty("w:lang", &[("w:val", language), ("w:eastAsia", east), ("w:bidi", left)]);
        xml.close("w:rPr").close("w:rPrDefault").open("w:pPrDefault", &[]).open("w:pPr", &[]);
        let (after, line) = (self.after.to_string(), self.line.to_string());
        xml.empty("w:spacing", &[("w:after", &after), ("w:line", &line), ("w:lineRule", "auto")]);
        xml.close("w:pPr").close("w:pPrDefault").close("w:docDefaults");
        self.paragraphs(&mut xml);
        characters(&mut xml);
        tables(&mut xml);
        xml.close("w:styles");
        xml
    }

    fn paragraphs(&self, xml: &mut Xml) {
        xml.open("w:style", &[("w:type", "paragraph"), ("w:default", "1"), ("w:styleId", "Normal")]);
        xml.empty("w:name", &[("w:val", "Normal")]).empty("w:qFormat", &[]).close("w:style");
        let spaced = |before: f64, after: f64| {
            let mut xml = Xml::default();
            let (before, after) = (twips(before).to_string(), twips(after).to_string());
            xml.empty("w:spacing", &[("w:before", &before), ("w:after", &after)]);
            xml.finish()
        };
        let kept = "<w:keepNext/><w:keepLines/>";
        self.style(xml, ("Title", "Title"), &spaced(0.0, 12.0));
        for level in 1..=6_u8 {
            let own = format!("{kept}{}<w:outlineLvl w:val=\"{}\"/>", spaced(12.0, 4.0), level - 1);
            self.style(xml, (heading(level), &format!("heading {level}")), &own);
        }
        let after = twips(2.0);
        self.style(
            xml,
            ("ListParagraph", "List Paragraph"),
            &format!("<w:spacing w:after=\"{after}\"/><w:contextualSpacing/>"),
        );
        self.style(xml, ("Caption", "caption"), &spaced(4.0, 8.0));
        self.style(xml, ("Code", "Code"), &spaced(2.0, 6.0));
        self.style(xml, ("TableText", "Table Text"), &spaced(0.0, 0.0));
        let tabs = "<w:tabs><w:tab w:val=\"center\" w:pos=\"4513\"/><w:tab w:val=\"right\" w:pos=\"9026\"/></w:tabs>";
        for (style, name) in [("Header", "header"), ("Footer", "footer")] {
            self.style(xml, (style, name), &format!("{tabs}{}", spaced(0.0, 0.0)));
        }
        self.style(xml, ("FootnoteText", "footnote text"), &spaced(0.0, 2.0));
    }

    fn style(&self, xml: &mut Xml, (id, name): (&str, &str), paragraph: &str) {
        xml.open("w:style", &[("w:type", "paragraph"), ("w:styleId", id)]);
        xml.empty("w:name", &[("w:val", name)]).empty("w:basedOn", &[("w:val", "Normal")]);
        xml.empty("w:qFormat", &[]).open("w:pPr", &[]).raw(paragraph).close("w:pPr");
        let mut own = Xml::default();
        self.face(id).differences(&mut own, &self.normal);
        if !own.is_empty() {
            xml.open("w:rPr", &[]).raw(&own.finish()).close("w:rPr");
        }
        xml.close("w:style");
    }

    /// The fonts of the document, and what stands in for those that are not installed.
    pub(super) fn fonts(&self) -> Xml {
        let mut xml = Xml::part();
        xml.open("w:fonts", NAMESPACES);
        let all: BTreeSet<&str> = self.used.iter().map(String::as_str).chain([self.normal.font.as_str()]).collect();
        for font in all {
            let has = |parts: &[&str]| parts.iter().any(|part| font.contains(part));
            let (other, family, pitch) = if has(&["Mono", "Courier", "Consolas", "Typewriter"]) {
                ("Courier New", "modern", "fixed")
            } else if has(&[
                "Sans", "Arial", "Helvet", "Calibri", "Verdana", "Tahoma", "Segoe", "Roboto", "Gothic", "Open",
            ]) {
                ("Arial", "swiss", "variable")
            } else {
                ("Times New Roman", "roman", "variable")
            };
            xml.open("w:font", &[("w:name", font)]);
            if other != font {
                xml.empty("w:altName", &[("w:val", other)]);
            }
            xml.empty("w:family", &[("w:val", family)]).empty("w:pitch", &[("w:val", pitch)]).close("w:font");
        }
        xml.close("w:fonts");
        xml
    }
}

/// The face of text with this look, in bold or italics if all of it is.
fn face(look: &Look, spans: &[Span], font: &str, size: u32) -> Face {
    let font = if look.font.is_empty() { font } else { &look.font };
    let all = |is: fn(&Span) -> bool| !spans.is_empty() && spans.iter().all(is);
    Face {
        font: font.to_owned(),
        size: size_of(look).unwrap_or(size),
        bold: all(|span| span.bold),
        italic: all(|span| span.italic),
    }
}

fn most(votes: Votes) -> Option<Face> {
    let key = |face: &Face, count: usize| (count, std::cmp::Reverse((face.size, face.font.clone())));
    votes.into_iter().max_by_key(|(face, count)| key(face, *count)).map(|(face, _)| face)
}

/// The space after paragraphs in twentieths of a point, and that of lines.
fn spacing(document: &Document, normal: &Face) -> (i64, i64) {
    let is_text = |block: &&Block| block.role == Role::Paragraph;
    let leadings = document.blocks.iter().filter(is_text).filter_map(|block| block.look.as_ref()?.leading);
    let size = normal.size as f32 / 2.0;
    let leading = median(leadings.collect()).unwrap_or(size * SINGLE);
    #[expect(clippy::cast_possible_truncation, reason = "clamped")]
    let line = (240.0 * leading / (size * SINGLE)).clamp(200.0, 600.0).round() as i64;
    let line = if line.abs_diff(240) <= 12 { 240 } else { line };
    let gap = |pair: &[Block]| {
        let [a, b] = pair else { return None };
        let (a, b) = (a.places.last()?, b.places.first()?);
        #[expect(clippy::cast_possible_truncation, reason = "it only needs fewer digits")]
        let gap = (b.corners[1] - a.corners[3]) as f32;
        (a.page == b.page && (0.0..size * 2.0).contains(&gap)).then_some(gap)
    };
    let texts = document.blocks.windows(2).filter(|pair| pair.iter().all(|block| is_text(&block)));
    let gap = median(texts.filter_map(gap).collect()).unwrap_or(size * 0.5);
    // Lines have room around them, too.
    let after = (gap - (leading - size * 1.12).max(0.0)).clamp(0.0, 14.0);
    (twips(f64::from(after)), line)
}

fn median(mut values: Vec<f32>) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The language of the document, or that of most of its blocks.
fn language(document: &Document) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for block in &document.blocks {
        if let Some(language) = &block.language {
            *counts.entry(language).or_default() += block.text.len();
        }
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count).map(|(language, _)| language.to_owned());
    document.language.clone().or(most)
}

fn characters(xml: &mut Xml) {
    let style = |xml: &mut Xml, id: &str, name: &str, own: &str| {
        xml.open("w:style", &[("w:type", "character"), ("w:styleId", id)]).empty("w:name", &[("w:val", name)]);
        xml.open("w:rPr", &[]).raw(own).close("w:rPr").close("w:style");
    };
    xml.open("w:style", &[("w:type", "character"), ("w:default", "1"), ("w:styleId", "DefaultParagraphFont")]);
    xml.empty("w:name", &[("w:val", "Default Paragraph Font")]).close("w:style");
    style(xml, "FootnoteReference", "footnote reference", "<w:vertAlign w:val=\"superscript\"/>");
    style(xml, "Hyperlink", "Hyperlink", "<w:color w:val=\"0563C1\"/><w:u w:val=\"single\"/>");
}

fn tables(xml: &mut Xml) {
    let margins = "<w:tblCellMar><w:top w:w=\"0\" w:type=\"dxa\"/><w:left w:w=\"60\" w:type=\"dxa\"/>\
                   <w:bottom w:w=\"0\" w:type=\"dxa\"/><w:right w:w=\"60\" w:type=\"dxa\"/></w:tblCellMar>";
    xml.open("w:style", &[("w:type", "table"), ("w:default", "1"), ("w:styleId", "TableNormal")])
        .empty("w:name", &[("w:val", "Normal Table")])
        .open("w:tblPr", &[])
        .raw("<w:tblInd w:w=\"0\" w:type=\"dxa\"/>")
        .raw(margins)
        .close("w:tblPr")
        .close("w:style");
    let sides = ["top", "left", "bottom", "right", "insideH", "insideV"];
    let border = |side: &str| format!("<w:{side} w:val=\"single\" w:sz=\"4\" w:space=\"0\" w:color=\"auto\"/>");
    xml.open("w:style", &[("w:type", "table"), ("w:styleId", "TableGrid")])
        .empty("w:name", &[("w:val", "Table Grid")])
        .empty("w:basedOn", &[("w:val", "TableNormal")])
        .open("w:tblPr", &[])
        .open("w:tblBorders", &[])
        .raw(&sides.map(border).concat())
        .close("w:tblBorders")
        .close("w:tblPr")
        .close("w:style");
}
