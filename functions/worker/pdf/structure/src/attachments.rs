//! Files in a document: attaching, associating, and removing them by name.

use docmill_formats::Format;
use docmill_pdf_core::objects::{Lookup, count, decode, reference, string, text, tree, unpacked};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use serde::Deserialize;

/// How a file relates to its document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relationship {
    /// The document was made from it.
    Source,
    /// What the document shows, for programs.
    Data,
    /// The same in another form.
    Alternative,
    /// It says more than the document.
    Supplement,
    /// Nothing is said.
    #[default]
    Unspecified,
}

impl Relationship {
    const fn name(self) -> &'static str {
        match self {
            Self::Source => "Source",
            Self::Data => "Data",
            Self::Alternative => "Alternative",
            Self::Supplement => "Supplement",
            Self::Unspecified => "Unspecified",
        }
    }
}

/// A file to attach.
#[derive(Debug)]
pub struct Attachment<'a> {
    /// As viewers list it.
    pub name: &'a str,
    /// Its bytes.
    pub content: Vec<u8>,
    /// Its media type; parameters are left out.
    pub content_type: &'a str,
    /// How it relates to the document.
    pub relationship: Relationship,
    /// For people.
    pub description: Option<&'a str>,
    /// When the file was changed, as PDF writes dates.
    pub modified: Option<String>,
}

/// Attaches a file to the document.
pub fn attach(document: &mut Document, attachment: Attachment<'_>) {
    let mut parameters = dictionary! { "Size" => count(attachment.content.len()) };
    if let Some(modified) = &attachment.modified {
        parameters.set("ModDate", text(modified));
    }
    let kind = attachment.content_type.split(';').next().unwrap_or_default();
    let head = dictionary! {
        "Type" => "EmbeddedFile", "Subtype" => Object::Name(kind.as_bytes().to_vec()), "Params" => parameters,
    };
    let file = document.add_object(Stream::new(head, attachment.content));
    let name = attachment.name;
    let mut specification = dictionary! {
        "Type" => "Filespec", "F" => text(name), "UF" => text(name), "EF" => dictionary! { "F" => file, "UF" => file },
        "AFRelationship" => attachment.relationship.name(),
    };
    if let Some(description) = attachment.description {
        specification.set("Desc", text(description));
    }
    let specification = document.add_object(specification);
    let mut files = listed(document);
    files.push((string(name.as_bytes().to_vec()), specification.into()));
    let catalog = document.catalog().cloned().unwrap_or_default();
    let mut associated = document.array(&catalog, b"AF").to_vec();
    associated.push(specification.into());
    list(document, files, associated);
}

/// Removes files with one of these lower-case names.
pub fn remove_named(document: &mut Document, names: &[&str]) {
    let is_named = |key: &Object, file: &Object| {
        let own = document.dictionary(file).and_then(|file| name_of(document, file)).or_else(|| decode(key));
        own.is_some_and(|name| names.contains(&name.to_lowercase().as_str()))
    };
    let (removed, kept): (Vec<_>, Vec<_>) = listed(document).into_iter().partition(|(key, file)| is_named(key, file));
    if removed.is_empty() {
        return;
    }
    let ids: Vec<ObjectId> = removed.iter().filter_map(|(_, file)| file.as_reference().ok()).collect();
    let catalog = document.catalog().cloned().unwrap_or_default();
    let associated = document.array(&catalog, b"AF").iter();
    let associated = associated.filter(|file| !file.as_reference().is_ok_and(|id| ids.contains(&id))).cloned();
    let associated = associated.collect();
    list(document, kept, associated);
    for id in ids {
        document.objects.remove(&id);
    }
}

/// A file in a document.
#[derive(Debug)]
pub struct Attached {
    /// As viewers list it.
    pub name: String,
    /// `AFRelationship`.
    pub relationship: Option<String>,
    /// As the document says, unchecked.
    pub content_type: Option<String>,
    /// Whether the document lists it among the files associated with it.
    pub is_associated: bool,
    content: Option<ObjectId>,
}

impl Attached {
    /// Its bytes, at most `most`. `None` if they can't be read.
    pub fn content(&self, document: &Document, most: usize) -> Option<Vec<u8>> {
        unpacked(document.get_object(self.content?).ok()?.as_stream().ok()?, most)
    }
}

/// The files of a document as a whole, each once.
pub fn all(document: &Document) -> Vec<Attached> {
    let catalog = document.catalog().cloned().unwrap_or_default();
    let associated = document.array(&catalog, b"AF");
    let mut files = listed(document);
    let unlisted = associated.iter().filter(|file| files.iter().all(|(_, known)| known != *file)).cloned();
    let unlisted: Vec<_> = unlisted.collect();
    files.extend(unlisted.into_iter().map(|file| (Object::Null, file)));
    let describe = |(key, value): &(Object, Object)| {
        let file = document.dictionary(value)?;
        let embedded = document.child(file, b"EF");
        let content = embedded.and_then(|files| reference(files, b"UF").or_else(|| reference(files, b"F")));
        let stream = content.and_then(|id| document.get_object(id).ok()?.as_stream().ok());
        let lossy = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        Some(Attached {
            name: name_of(document, file).or_else(|| decode(key)).unwrap_or_default(),
            relationship: document.name(file, b"AFRelationship").map(lossy),
            content_type: stream.and_then(|stream| document.name(&stream.dict, b"Subtype")).map(lossy),
            is_associated: associated.contains(value),
            content,
        })
    };
    files.iter().filter_map(describe).collect()
}

fn name_of(document: &Document, file: &Dictionary) -> Option<String> {
    document.value(file, b"UF").or_else(|| document.value(file, b"F")).and_then(decode)
}

fn listed(document: &Document) -> Vec<(Object, Object)> {
    let names = document.catalog().ok().and_then(|catalog| document.child(catalog, b"Names"));
    let files = names.and_then(|names| document.child(names, b"EmbeddedFiles"));
    files.map_or_else(Vec::new, |root| tree(document, root, b"Names"))
}

fn list(document: &mut Document, mut files: Vec<(Object, Object)>, associated: Vec<Object>) {
    // Readers use binary search for names.
    files.sort_by(|(one, _), (other, _)| one.as_str().unwrap_or_default().cmp(other.as_str().unwrap_or_default()));
    let pairs: Vec<Object> = files.into_iter().flat_map(|(name, file)| [name, file]).collect();
    let catalog = document.catalog().cloned().unwrap_or_default();
    let mut names = document.child(&catalog, b"Names").cloned().unwrap_or_default();
    names.set("EmbeddedFiles", dictionary! { "Names" => pairs });
    if let Ok(catalog) = document.catalog_mut() {
        catalog.set("Names", Dictionary::from_iter(names));
        catalog.set("AF", associated);
    }
}

/// The content type of a file, determined by its kind or else its name.
pub fn content_type(media: Format, name: &str) -> &'static str {
    if media != Format::Other {
        return media.content_type();
    }
    let named = Format::from_filename(name);
    let is_known = |format: &Format| {
        format.is_office() || matches!(format, Format::Json | Format::Xml | Format::Zip | Format::Html)
    };
    named.filter(is_known).unwrap_or(Format::Other).content_type()
}
