//! Puts pictures into an archive: their files, their types, and the relationships of parts that show them.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::fill::{Filled, link_id, relation_id};
use crate::links::Address;
use crate::markup::{applied, scan, value};
use crate::package::{Changes, Package, TYPES};
use crate::pictures::Picture;
use crate::problem::Failure;
use crate::relations;

const IMAGE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image";
const LINK: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink";
pub(crate) const NO_RELATIONS: &str =
    "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"></Relationships>";

/// What lists the files of an OpenDocument package.
const MANIFEST: &str = "META-INF/manifest.xml";

/// The parts that show pictures, with the numbers of these.
pub(crate) type Shown = Vec<(String, BTreeSet<usize>)>;

pub(crate) fn shown(parts: &[(String, Filled)]) -> Shown {
    let showing = parts.iter().filter(|(_, filled)| !filled.pictures.is_empty());
    showing.map(|(part, filled)| (part.clone(), filled.pictures.clone())).collect()
}

/// The parts that have links, with their addresses.
pub(crate) fn linked(parts: &[(String, Filled)]) -> Vec<(String, Vec<Address>)> {
    let linking = parts.iter().filter(|(_, filled)| !filled.links.is_empty());
    linking.map(|(part, filled)| (part.clone(), filled.links.clone())).collect()
}

/// Adds the relationships of links.
pub(crate) fn link(
    changes: &mut Changes,
    package: &Package,
    linked: &[(String, Vec<Address>)],
    left: usize,
) -> Result<(), Failure> {
    let mut package = Reader { package: package.clone(), left };
    for (part, addresses) in linked {
        let name = relations::part_of(part);
        let known = package.text(changes, &name)?;
        let entries: String = addresses
            .iter()
            .enumerate()
            .map(|(number, address)| {
                let (id, target) = (link_id(number), quick_xml::escape::escape(address.as_str()));
                format!("<Relationship Id=\"{id}\" Type=\"{LINK}\" Target=\"{target}\" TargetMode=\"External\"/>")
            })
            .collect();
        let text = inserted(known.as_deref().unwrap_or(NO_RELATIONS), "Relationships", &entries)?;
        changes.set(&package.package, &name, text);
    }
    Ok(())
}

/// Adds pictures to what changes in a package.
pub(crate) fn add(
    changes: &mut Changes,
    package: &Package,
    shown: &Shown,
    pictures: &[Rc<Picture>],
    left: usize,
) -> Result<(), Failure> {
    if pictures.is_empty() {
        return Ok(());
    }
    let mut package = Reader { package: package.clone(), left };
    if package.package.has(TYPES) {
        add_office(changes, &mut package, shown, pictures)
    } else {
        add_open(changes, &mut package, pictures)
    }
}

struct Reader {
    package: Package,
    left: usize,
}

impl Reader {
    /// A part as it has become so far.
    fn text(&mut self, changes: &Changes, part: &str) -> Result<Option<String>, Failure> {
        changes.text(&mut self.package, part, &mut self.left)
    }

    fn needed(&mut self, changes: &Changes, part: &str) -> Result<String, Failure> {
        self.text(changes, part)?.ok_or_else(|| Failure::Corrupt(format!("it has no part {part}")))
    }
}

fn add_office(
    changes: &mut Changes,
    package: &mut Reader,
    shown: &Shown,
    pictures: &[Rc<Picture>],
) -> Result<(), Failure> {
    let folder = shown.first().and_then(|(part, _)| part.split('/').next()).unwrap_or_default();
    let file = |number: usize, picture: &Picture| format!("{folder}/media/{}", file_name(number, picture));
    for (part, numbers) in shown {
        let name = relations::part_of(part);
        let known = package.text(changes, &name)?;
        let own = numbers.iter().filter_map(|number| Some((*number, pictures.get(*number)?)));
        let entries: String = own
            .map(|(number, picture)| {
                let (id, target) = (relation_id(number), file(number, picture));
                format!("<Relationship Id=\"{id}\" Type=\"{IMAGE}\" Target=\"/{target}\"/>")
            })
            .collect();
        let text = inserted(known.as_deref().unwrap_or(NO_RELATIONS), "Relationships", &entries)?;
        changes.set(&package.package, &name, text);
    }
    for (number, picture) in pictures.iter().enumerate() {
        changes.added.insert(file(number, picture), picture.bytes.clone());
    }
    let types = types(&package.needed(changes, TYPES)?, pictures)?;
    changes.texts.insert(TYPES.to_owned(), types);
    Ok(())
}

fn add_open(changes: &mut Changes, package: &mut Reader, pictures: &[Rc<Picture>]) -> Result<(), Failure> {
    let source = package.needed(changes, MANIFEST)?;
    let mut entries = String::new();
    for (number, picture) in pictures.iter().enumerate() {
        let (file, media) = (open_file(number, picture), picture.kind.media());
        entries += &format!("<manifest:file-entry manifest:full-path=\"{file}\" manifest:media-type=\"{media}\"/>");
        changes.added.insert(file, picture.bytes.clone());
    }
    let manifest = inserted(&source, "manifest", &entries)?;
    changes.texts.insert(MANIFEST.to_owned(), manifest);
    Ok(())
}

fn file_name(number: usize, picture: &Picture) -> String {
    format!("docmill{}.{}", number + 1, picture.kind.extension())
}

/// The file of a picture in an OpenDocument package.
pub(crate) fn open_file(number: usize, picture: &Picture) -> String {
    format!("Pictures/{}", file_name(number, picture))
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
pub(crate) fn inserted(source: &str, element: &str, entries: &str) -> Result<String, Failure> {
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
