//! What is particular to OpenDocument packages and EPUB.

use std::io::{Read, Seek};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::Package;

/// What lists the parts of an OpenDocument package.
const MANIFEST: &str = "META-INF/manifest.xml";

impl<R: Read + Seek> Package<R> {
    /// The media type of an OpenDocument package or EPUB: its `mimetype` part, or the manifest's type of the root.
    pub fn media_type(&mut self) -> Option<String> {
        if let Some(text) = self.description("mimetype") {
            return Some(text.trim().to_owned());
        }
        let manifest = self.description(MANIFEST)?;
        let of_root = |entry: &BytesStart<'_>| {
            let is_root = attribute(entry, "full-path").is_some_and(|path| path == "/");
            attribute(entry, "media-type").filter(|_| is_root)
        };
        elements(&manifest, "file-entry")?.iter().find_map(of_root)
    }

    /// Whether an OpenDocument package's manifest names encrypted parts.
    pub fn is_encrypted(&mut self) -> bool {
        let manifest = self.description(MANIFEST);
        manifest.and_then(|manifest| Some(!elements(&manifest, "encryption-data")?.is_empty())).unwrap_or(false)
    }

    /// Whether an OpenDocument package has macros.
    pub fn has_scripts(&self) -> bool {
        self.names().iter().any(|name| name.starts_with("Basic/") || name.starts_with("Scripts/"))
    }
}

/// All elements with this name. Old manifests have a document type, which is ignored. `None` if the manifest is malformed: its content
/// is then unreliable.
fn elements<'x>(manifest: &'x str, name: &str) -> Option<Vec<BytesStart<'x>>> {
    let mut reader = Reader::from_str(manifest);
    let mut found = Vec::new();
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) | Event::Empty(tag) if tag.local_name().as_ref() == name => found.push(tag),
            Event::Eof => return Some(found),
            Event::Start(_)
            | Event::Empty(_)
            | Event::End(_)
            | Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::GeneralRef(_) => {}
        }
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    let mut readable = attributes.with_checks(false).map_while(Result::ok);
    Some(readable.find(|attribute| attribute.key.local_name().as_ref() == name)?.value.into_owned())
}
