//! Puts pictures into an archive: their files, their types, and the relationships of parts that show them.

use std::rc::Rc;

use crate::fill::{Filled, relation_id};
use crate::markup::{applied, scan, value};
use crate::package::{Changes, Package, TYPES};
use crate::pictures::Picture;
use crate::problem::Failure;
use crate::relations;

const IMAGE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image";
const NO_RELATIONS: &str =
    "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"></Relationships>";

/// Nothing if no part shows a picture.
pub(crate) fn added(
    package: &Package,
    parts: &[(String, Filled)],
    pictures: &[Rc<Picture>],
    mut left: usize,
) -> Result<Changes, Failure> {
    let mut changes = Changes::default();
    if pictures.is_empty() {
        return Ok(changes);
    }
    let mut package = package.clone();
    for (part, filled) in parts.iter().filter(|(_, filled)| !filled.pictures.is_empty()) {
        let name = relations::part_of(part);
        let known = if package.has(&name) { Some(package.text(&name, &mut left)?) } else { None };
        let own = filled.pictures.iter().filter_map(|number| Some((*number, pictures.get(*number)?)));
        let entries: String = own
            .map(|(number, picture)| {
                let (id, target) = (relation_id(number), file(part, number, picture));
                format!("<Relationship Id=\"{id}\" Type=\"{IMAGE}\" Target=\"/{target}\"/>")
            })
            .collect();
        let text = inserted(known.as_deref().unwrap_or(NO_RELATIONS), "Relationships", &entries)?;
        match known {
            Some(_) => drop(changes.texts.insert(name, text)),
            None => changes.added.push((name, text.into_bytes())),
        }
    }
    let folder = parts.first().map_or("", |(part, _)| part);
    for (number, picture) in pictures.iter().enumerate() {
        changes.added.push((file(folder, number, picture), picture.bytes.clone()));
    }
    changes.texts.insert(TYPES.to_owned(), types(&package.text(TYPES, &mut left)?, pictures)?);
    Ok(changes)
}

/// All pictures are in the folder of the document's main parts: `word/media`, `ppt/media`.
fn file(part: &str, number: usize, picture: &Picture) -> String {
    let folder = part.split('/').next().unwrap_or_default();
    format!("{folder}/media/docmill{}.{}", number + 1, picture.kind.extension())
}

fn types(source: &str, pictures: &[Rc<Picture>]) -> Result<String, Failure> {
    let markup = scan(source)?;
    let mut known: Vec<String> = markup
        .named("Default")
        .filter_map(|(_, element)| value(source, element, "Extension"))
        .map(|extension| extension.to_lowercase())
        .collect();
    let mut entries = String::new();
    for picture in pictures {
        let extension = picture.kind.extension();
        if !known.iter().any(|known| known == extension) {
            known.push(extension.to_owned());
            entries += &format!("<Default Extension=\"{extension}\" ContentType=\"{}\"/>", picture.kind.media());
        }
    }
    inserted(source, "Types", &entries)
}

/// The source with entries at the begin of an element.
fn inserted(source: &str, element: &str, entries: &str) -> Result<String, Failure> {
    let markup = scan(source)?;
    let Some((_, root)) = markup.named(element).next() else {
        return Err(Failure::Corrupt(format!("a part has no element {element}")));
    };
    if root.close.is_empty() {
        let open = source.get(root.open.start..root.open.end.saturating_sub(2)).unwrap_or_default();
        let whole = format!("{open}>{entries}</{}>", root.name);
        return Ok(applied(source, vec![(root.range(), whole)]));
    }
    Ok(applied(source, vec![(root.open.end..root.open.end, entries.to_owned())]))
}
