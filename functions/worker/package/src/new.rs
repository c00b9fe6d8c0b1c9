use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Seek, Write};
use std::path::PathBuf;

use quick_xml::escape::escape;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::relations::{EMPTY, part_of};
use crate::types::PART;
use crate::{Error, types};

/// A package of Office Open XML that is made from scratch: its list of content types and its relations follow from its parts.
#[derive(Debug, Default)]
pub struct NewPackage {
    parts: Vec<(String, Content)>,
    /// The types of parts by name, and of others by extension.
    types: BTreeMap<String, String>,
    extensions: BTreeMap<String, String>,
    /// By the part that has them; those of the package itself by an empty name.
    relations: BTreeMap<String, Vec<String>>,
}

/// What a part is written from.
#[derive(Debug)]
enum Content {
    Text(String),
    /// A picture, which is compressed already.
    File(PathBuf),
}

impl NewPackage {
    /// A package without parts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a part of XML, with its content type.
    pub fn add(&mut self, name: &str, content_type: &str, text: String) {
        self.types.insert(name.to_owned(), content_type.to_owned());
        self.parts.push((name.to_owned(), Content::Text(text)));
    }

    /// Adds a file as a part, whose content type is that of its extension. It is read when the package is written.
    pub fn add_file(&mut self, name: &str, content_type: &str, file: PathBuf) {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        self.extensions.insert(extension.to_owned(), content_type.to_owned());
        self.parts.push((name.to_owned(), Content::File(file)));
    }

    /// Relates a part to another one, both by their names, and gives the relation's id. The package itself has an empty name.
    pub fn relate(&mut self, part: &str, kind: &str, target: &str) -> String {
        let target = relative(part, target);
        self.relation(part, kind, &target, "")
    }

    /// Relates a part to an address outside the package, and gives the relation's id.
    pub fn relate_outside(&mut self, part: &str, kind: &str, address: &str) -> String {
        self.relation(part, kind, address, " TargetMode=\"External\"")
    }

    fn relation(&mut self, part: &str, kind: &str, target: &str, mode: &str) -> String {
        let own = self.relations.entry(part.to_owned()).or_default();
        let id = format!("rId{}", own.len() + 1);
        let (kind, target) = (escape(kind), escape(target));
        own.push(format!("<Relationship Id=\"{id}\" Type=\"{kind}\" Target=\"{target}\"{mode}/>"));
        id
    }

    /// Writes the package, its list of content types first.
    ///
    /// # Errors
    /// If a file can't be read, or the target can't be written.
    pub fn write<W: Write + Seek>(self, target: W) -> Result<W, Error> {
        let mut writer = ZipWriter::new(target);
        let deflated = SimpleFileOptions::default();
        writer.start_file(PART, deflated)?;
        writer.write_all(self.list().as_bytes()).map_err(Error::Io)?;
        for (part, relations) in &self.relations {
            writer.start_file(part_of(part), deflated)?;
            writer.write_all(listed(relations).as_bytes()).map_err(Error::Io)?;
        }
        for (name, content) in self.parts {
            match content {
                Content::Text(text) => {
                    writer.start_file(name, deflated)?;
                    writer.write_all(text.as_bytes()).map_err(Error::Io)?;
                }
                Content::File(path) => {
                    writer.start_file(name, deflated.compression_method(CompressionMethod::Stored))?;
                    std::io::copy(&mut File::open(path).map_err(Error::Io)?, &mut writer).map_err(Error::Io)?;
                }
            }
        }
        Ok(writer.finish()?)
    }

    fn list(&self) -> String {
        let mut list = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
             <Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
             <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
             <Default Extension=\"xml\" ContentType=\"application/xml\"/>",
        );
        for (extension, kind) in &self.extensions {
            let _ = write!(list, "<Default Extension=\"{}\" ContentType=\"{}\"/>", escape(extension), escape(kind));
        }
        list.extend(self.types.iter().map(|(name, kind)| types::of_part(name, kind)));
        list + "</Types>"
    }
}

/// The part with these relations.
fn listed(relations: &[String]) -> String {
    EMPTY.replace("></", &format!(">{}</", relations.concat()))
}

/// The name of a part as seen from another one.
fn relative(from: &str, to: &str) -> String {
    let (own, other) = (folders(from), folders(to));
    let shared = own.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(own.len() - shared);
    let rest: Vec<&str> = to.split('/').skip(shared).collect();
    up + &rest.join("/")
}

fn folders(name: &str) -> Vec<&str> {
    name.rsplit_once('/').map_or_else(Vec::new, |(folder, _)| folder.split('/').collect())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::{Limits, Package, Relations};

    #[test]
    fn a_new_package_has_types_relations_and_files() {
        let directory = std::env::temp_dir().join(format!("docmill-new-package-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let picture = directory.join("a.png");
        std::fs::write(&picture, b"\x89PNG").unwrap();
        let mut made = NewPackage::new();
        made.add("ppt/slides/slide1.xml", "application/slide", "<a/>".to_owned());
        made.add_file("ppt/media/image1.png", "image/png", picture);
        assert_eq!(made.relate("", "kind", "ppt/slides/slide1.xml"), "rId1");
        assert_eq!(made.relate("ppt/slides/slide1.xml", "image", "ppt/media/image1.png"), "rId1");
        assert_eq!(made.relate_outside("ppt/slides/slide1.xml", "link", "https://example.com/?a&b"), "rId2");
        let bytes = made.write(Cursor::new(Vec::new())).unwrap().into_inner();
        std::fs::remove_dir_all(&directory).unwrap();

        let mut package = Package::read(bytes, Limits::CHECKED).unwrap();
        let list = package.text(PART).unwrap().unwrap();
        assert_eq!(types::of(&list, "ppt/slides/slide1.xml").unwrap().as_deref(), Some("application/slide"));
        assert_eq!(types::of(&list, "ppt/media/image1.png").unwrap().as_deref(), Some("image/png"));
        let name = part_of("ppt/slides/slide1.xml");
        let source = package.text(&name).unwrap().unwrap();
        let relations = Relations::read("ppt/slides/slide1.xml", &source).unwrap();
        assert_eq!(relations.part("rId1"), Some("ppt/media/image1.png"));
        assert_eq!(relations.address("rId2"), Some("https://example.com/?a&b"));
        assert!(source.contains("Target=\"../media/image1.png\""), "{source}");
    }
}
