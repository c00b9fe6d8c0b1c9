//! Pictures over cells: each begins at the upper left corner of a cell, in the drawing of its sheet.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use docmill_package::markup::{appended, applied, attribute, inserted, scan, value};
use docmill_package::{Changes, Memory, Package, relations, types};

use super::place;
use crate::cell::PICTURE;
use crate::fill::relation_id;
use crate::media::Shown;
use crate::pictures::Picture;
use crate::problem::Failure;

const TYPE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const DRAWING: &str = "http://schemas.openxmlformats.org/drawingml/2006";
/// What comes after a sheet's drawing.
const AFTER: [&str; 9] = [
    "legacyDrawing",
    "legacyDrawingHF",
    "drawingHF",
    "picture",
    "oleObjects",
    "controls",
    "webPublishItems",
    "tableParts",
    "extLst",
];
/// Pictures that the template has are below this number.
const FIRST_NUMBER: usize = 100_000;

/// Places the pictures that cells are marked with. Sheets in `shown` are replaced by their drawings.
pub(crate) fn place_pictures(
    changes: &mut Changes,
    package: &Package<Memory>,
    shown: &mut Shown,
    pictures: &[Rc<Picture>],
) -> Result<(), Failure> {
    let mut placing = Placing { changes, package: package.afresh() };
    // A drawing may show pictures of its own too.
    let mut all: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (part, numbers) in std::mem::take(shown) {
        let is_marked = placing.changes.texts.get(&part).is_some_and(|text| text.contains(PICTURE));
        let (part, numbers) = if is_marked { placing.sheet(&part, pictures)? } else { (part, numbers) };
        all.entry(part).or_default().extend(numbers);
    }
    shown.extend(all);
    Ok(())
}

struct Placing<'c> {
    changes: &'c mut Changes,
    package: Package<Memory>,
}

impl Placing<'_> {
    /// Places a sheet's pictures. Returns its drawing, with their numbers.
    fn sheet(&mut self, part: &str, pictures: &[Rc<Picture>]) -> Result<(String, BTreeSet<usize>), Failure> {
        let source = self.changes.texts.get(part).cloned().unwrap_or_default();
        let markup = scan(&source)?;
        let (mut edits, mut anchors, mut numbers) = (Vec::new(), String::new(), BTreeSet::new());
        let mut id = FIRST_NUMBER;
        for (_, cell) in markup.named("c") {
            let Some(mark) = attribute(&source, cell.open.clone(), PICTURE) else { continue };
            let number = source.get(mark.clone()).and_then(|number| number.parse::<usize>().ok());
            edits.push((mark.start - PICTURE.len() - " =\"".len()..mark.end + 1, String::new()));
            let at = value(&source, cell, "r").and_then(|name| place(&name));
            let Some((number, picture, (column, row))) =
                number.and_then(|number| Some((number, pictures.get(number)?, at?)))
            else {
                continue;
            };
            anchors += &picture.over_cell(column.saturating_sub(1), row.saturating_sub(1), id, &relation_id(number));
            numbers.insert(number);
            id += 1;
        }
        let mut text = applied(&source, edits);
        let drawing = match self.drawing(part)? {
            Some(drawing) => {
                let old = self.text(&drawing)?.unwrap_or_default();
                self.changes.texts.insert(drawing.clone(), appended(&old, &anchors)?);
                drawing
            }
            None => {
                let file = part.rsplit('/').next().unwrap_or_default();
                let drawing = format!("xl/drawings/docmill-{file}");
                text = self.add(part, &text, &drawing, &anchors)?;
                drawing
            }
        };
        self.changes.texts.insert(part.to_owned(), text);
        Ok((drawing, numbers))
    }

    fn text(&mut self, part: &str) -> Result<Option<String>, Failure> {
        match self.changes.texts.get(part) {
            Some(text) => Ok(Some(text.clone())),
            None => Ok(self.package.text(part)?),
        }
    }

    /// The drawing that a sheet has.
    fn drawing(&mut self, part: &str) -> Result<Option<String>, Failure> {
        let Some(source) = self.text(&relations::part_of(part))? else { return Ok(None) };
        let related = relations::internal(part, &source)?;
        let found = related.into_iter().find(|relation| relation.kind == "drawing").map(|relation| relation.target);
        Ok(found.filter(|drawing| self.package.has(drawing)))
    }

    /// Adds a drawing to a sheet. Returns the sheet's text with it.
    fn add(&mut self, part: &str, text: &str, drawing: &str, anchors: &str) -> Result<String, Failure> {
        const ID: &str = "docmillDrawing";
        let name = relations::part_of(part);
        let entry = format!("<Relationship Id=\"{ID}\" Type=\"{TYPE}/drawing\" Target=\"/{drawing}\"/>");
        let known = self.text(&name)?;
        let related = inserted(known.as_deref().unwrap_or(relations::EMPTY), "Relationships", &entry)?;
        match known {
            Some(_) => drop(self.changes.texts.insert(name, related)),
            None => drop(self.changes.added.insert(name, related.into_bytes())),
        }
        let list = self.text(types::PART)?.unwrap_or_default();
        let kind = "application/vnd.openxmlformats-officedocument.drawing+xml";
        let list = appended(&list, &types::of_part(drawing, kind))?;
        self.changes.texts.insert(types::PART.to_owned(), list);
        let root = format!("<xdr:wsDr xmlns:xdr=\"{DRAWING}/spreadsheetDrawing\">{anchors}</xdr:wsDr>");
        self.changes.added.insert(drawing.to_owned(), root.into_bytes());
        let markup = scan(text)?;
        let root = docmill_package::markup::root(&markup)?;
        let prefix = root.name.strip_suffix(root.local()).unwrap_or_default();
        let next = markup.elements.iter().find(|element| element.parent == Some(0) && AFTER.contains(&element.local()));
        let at = next.map_or(root.close.start, |next| next.open.start);
        Ok(applied(text, vec![(at..at, format!("<{prefix}drawing xmlns:r=\"{TYPE}\" r:id=\"{ID}\"/>"))]))
    }
}
