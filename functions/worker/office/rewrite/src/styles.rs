//! Table styles that no table uses. Word's templates define a hundred of them, and LibreOffice would take a third of a short
//! document's time to read them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;

use memchr::memmem;

use super::edit::{Edit, Edited, Tag, apply, attributes, scan, tag_at, value};
use super::{Losses, MOST_BYTES, Package, short_part};

/// The part with the styles.
pub(super) const PART: &str = "word/styles.xml";

/// Without this, no style is for tables.
pub(super) const SIGNS: [&str; 1] = ["w:type=\"table\""];

/// Fewer table styles are not worth a search for those in use.
const MANY: usize = 8;

/// Every element that names a table style contains one of these.
const NAMING: [&str; 2] = ["tblStyle", "TableStyle"];

/// The names of elements are shorter than this.
const LONGEST_NAME: usize = 64;

/// The attribute values of all elements that could name a table style.
pub(super) type Named = BTreeSet<String>;

/// `None` if all table styles stay.
pub(super) fn named(package: &mut Package, styles: &str) -> io::Result<Option<Named>> {
    if styles.matches(SIGNS[0]).count() < MANY {
        return Ok(None);
    }
    let mut named = Named::new();
    for name in package.names() {
        if name != PART && name.starts_with("word/") && name.ends_with(".xml") {
            let Some(xml) = short_part(package, &name, MOST_BYTES)? else { return Ok(None) };
            named.extend(named_by(&xml));
        }
    }
    Ok(Some(named))
}

/// Finds the few tags without parsing the rest, which may be long.
fn named_by(xml: &str) -> impl Iterator<Item = String> {
    let signs = NAMING.into_iter().flat_map(|sign| memmem::find_iter(xml.as_bytes(), sign));
    let starts = signs.filter_map(|at| {
        let from = at.saturating_sub(LONGEST_NAME);
        Some(from + memchr::memrchr(b'<', xml.as_bytes().get(from..at)?)?)
    });
    starts.filter_map(|start| tag_at(xml, start)).flat_map(|tag| attributes(&tag)).map(|(_, value)| value)
}

/// A style of a table, with the styles that it refers to.
struct TableStyle {
    range: Range<usize>,
    refers_to: Vec<String>,
}

#[derive(Default)]
struct Styles {
    of_tables: BTreeMap<String, TableStyle>,
    /// The default table style, and table styles that other styles refer to.
    needed: Vec<String>,
}

/// Removes the table styles that are neither named nor needed by those that are.
pub(super) fn edited(xml: &str, named: &Named) -> io::Result<Edited> {
    let Styles { mut of_tables, needed } = read(xml)?;
    let mut kept = named.iter().cloned().chain(needed).collect::<Vec<_>>();
    while let Some(id) = kept.pop() {
        kept.extend(of_tables.remove(&id).into_iter().flat_map(|style| style.refers_to));
    }
    let removals = of_tables.into_values().map(|unused| Edit::removal(unused.range)).collect();
    Ok(Edited { xml: apply(xml, removals), losses: Losses::default() })
}

fn read(xml: &str) -> io::Result<Styles> {
    let mut styles = Styles::default();
    let mut open = None::<(Option<String>, TableStyle)>;
    scan(xml, |range, tag| match tag {
        Tag::Start(tag) if tag.name().as_ref() == "w:style" => {
            let id = value(&tag, "w:styleId");
            if value(&tag, "w:default").is_some() {
                styles.needed.extend(id.clone());
            }
            let of_table = value(&tag, "w:type").as_deref() == Some("table");
            open = Some((id.filter(|_| of_table), TableStyle { range, refers_to: Vec::new() }));
        }
        Tag::Empty(tag) if matches!(tag.name().as_ref(), "w:basedOn" | "w:next" | "w:link") => {
            if let Some((_, style)) = &mut open {
                style.refers_to.extend(value(&tag, "w:val"));
            }
        }
        Tag::End(name) if name == "w:style" => match open.take() {
            Some((Some(id), style)) => {
                let range = style.range.start..range.end;
                // A second style of the same name takes the place of the first, which stays in the document.
                styles.of_tables.insert(id, TableStyle { range, ..style });
            }
            Some((None, style)) => styles.needed.extend(style.refers_to),
            None => {}
        },
        Tag::Start(_) | Tag::Empty(_) | Tag::End(_) => {}
    })?;
    Ok(styles)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table_style(id: &str, inside: &str) -> String {
        format!("<w:style w:type=\"table\" w:styleId=\"{id}\">{inside}</w:style>")
    }

    #[test]
    fn only_table_styles_in_use_stay() {
        let default = "<w:style w:type=\"table\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"N\"/></w:style>";
        let text = "<w:style w:type=\"paragraph\" w:styleId=\"Unused\"><w:link w:val=\"Linked\"/></w:style>";
        let used = table_style("Used &amp; &quot;liked&quot;", "<w:basedOn w:val=\"Base\"/><w:tblStylePr/>");
        let [base, linked] = [table_style("Base", "<w:basedOn w:val=\"Base\"/>"), table_style("Linked", "")];
        let all = |unused: &str| format!("<w:styles>{default}{unused}{text}{used}{base}{linked}</w:styles>");
        let named = named_by("<ns0:tblPr><ns0:tblStyle ns0:val='Used &#38; \"liked\"'/></ns0:tblPr>").collect();
        let unused = table_style("Unused", "<w:tblStylePr w:type=\"firstRow\"><w:rPr/></w:tblStylePr>");
        assert_eq!(edited(&all(&unused), &named).unwrap().xml.unwrap(), all(""));
        assert_eq!(edited(&all(""), &named).unwrap().xml, None);
    }

    #[test]
    fn a_default_table_style_counts_and_text_about_styles_does_not() {
        let of = |xml| named_by(xml).collect::<Vec<_>>();
        assert_eq!(of("<w:settings><w:defaultTableStyle w:val=\"a&gt;b>c\"/></w:settings>"), ["a>b>c"]);
        assert_eq!(of("<w:t>tblStyle w:val=\"x\"</w:t><w:tblStylePr/>tblStyle"), [""; 0]);
        assert_eq!(of(&"tblStyle".repeat(1000)), [""; 0]);
    }
}
