//! Puts pictures into an archive: their files, their types, and the relationships of parts that show them.

use std::collections::BTreeSet;
use std::rc::Rc;

use docmill_package::markup::{inserted, scan, value};
use docmill_package::{Changes, Memory, Package, relations, types};

use crate::fill::{Filled, link_id, relation_id};
use crate::links::Address;
use crate::pictures::Picture;
use crate::problem::Failure;

const IMAGE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image";
const LINK: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink";

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
    package: &mut Package<Memory>,
    linked: &[(String, Vec<Address>)],
) -> Result<(), Failure> {
    for (part, addresses) in linked {
        let name = relations::part_of(part);
        let known = changes.text(package, &name)?;
        let entries: String = addresses
            .iter()
            .enumerate()
            .map(|(number, address)| {
                let (id, target) = (link_id(number), quick_xml::escape::escape(address.as_str()));
                format!("<Relationship Id=\"{id}\" Type=\"{LINK}\" Target=\"{target}\" TargetMode=\"External\"/>")
            })
            .collect();
        let text = inserted(known.as_deref().unwrap_or(relations::EMPTY), "Relationships", &entries)?;
        changes.set(package, &name, text);
    }
    Ok(())
}

/// Adds pictures to what changes in a package.
pub(crate) fn add(
    changes: &mut Changes,
    package: &mut Package<Memory>,
    shown: &Shown,
    pictures: &[Rc<Picture>],
) -> Result<(), Failure> {
    if pictures.is_empty() {
        return Ok(());
    }
    if package.has(types::PART) {
        add_office(changes, package, shown, pictures)
    } else {
        add_open(changes, package, pictures)
    }
}

fn add_office(
    changes: &mut Changes,
    package: &mut Package<Memory>,
    shown: &Shown,
    pictures: &[Rc<Picture>],
) -> Result<(), Failure> {
    let folder = shown.first().and_then(|(part, _)| part.split('/').next()).unwrap_or_default();
    let file = |number: usize, picture: &Picture| format!("{folder}/media/{}", file_name(number, picture));
    for (part, numbers) in shown {
        let name = relations::part_of(part);
        let known = changes.text(package, &name)?;
        let own = numbers.iter().filter_map(|number| Some((*number, pictures.get(*number)?)));
        let entries: String = own
            .map(|(number, picture)| {
                let (id, target) = (relation_id(number), file(number, picture));
                format!("<Relationship Id=\"{id}\" Type=\"{IMAGE}\" Target=\"/{target}\"/>")
            })
            .collect();
        let text = inserted(known.as_deref().unwrap_or(relations::EMPTY), "Relationships", &entries)?;
        changes.set(package, &name, text);
    }
    for (number, picture) in pictures.iter().enumerate() {
        changes.added.insert(file(number, picture), picture.bytes.clone());
    }
    let list = with_types(&changes.needed(package, types::PART)?, pictures)?;
    changes.texts.insert(types::PART.to_owned(), list);
    Ok(())
}

fn add_open(changes: &mut Changes, package: &mut Package<Memory>, pictures: &[Rc<Picture>]) -> Result<(), Failure> {
    let source = changes.needed(package, MANIFEST)?;
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

fn with_types(source: &str, pictures: &[Rc<Picture>]) -> Result<String, Failure> {
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
    Ok(inserted(source, "Types", &entries)?)
}
