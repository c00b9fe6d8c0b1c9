use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;

fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn package(parts: &[(&str, &[u8])]) -> Package<Memory> {
    Package::read(archive(parts), Limits::CHECKED).unwrap()
}

#[test]
fn a_part_counts_once_however_often_it_is_read() {
    let parts: &[(&str, &[u8])] = &[("a", &[b'x'; 600]), ("b", &[b'y'; 600])];
    let limits = Limits::of(10, 1000);
    let mut package = Package::read(archive(parts), limits).unwrap();
    for _ in 0..3 {
        assert_eq!(package.bytes("a", 600).unwrap().unwrap(), [b'x'; 600]);
    }
    assert_eq!(package.left(), 400);
    assert!(matches!(package.bytes("b", 600), Err(Error::TooLarge)));
    let mut start = Vec::new();
    package.part_named("b").unwrap().take(300).read_to_end(&mut start).unwrap();
    assert_eq!((start.len(), package.left()), (300, 100));
    assert!(package.part_named("b").unwrap().read_to_end(&mut start).is_err());
    assert_eq!(package.left(), 0);
    assert!(matches!(Package::read(archive(parts), limits).unwrap().check(), Err(Error::TooLarge)));
}

#[test]
fn limits_are_on_parts_and_on_each_part() {
    let parts: &[(&str, &[u8])] = &[("a", b"12345"), ("b", b"")];
    assert!(matches!(Package::read(archive(parts), Limits::of(1, 100)), Err(Error::TooManyParts(1))));
    let mut package = Package::read(archive(parts), Limits::of(2, 100)).unwrap();
    assert!(matches!(package.bytes("a", 4), Err(Error::TooLarge)));
    assert_eq!(package.bytes("a", 5).unwrap().unwrap(), b"12345");
    assert_eq!(package.bytes("c", 5).unwrap(), None);
    let mut small = Package::read(archive(parts), Limits { part_bytes: 4, ..Limits::CHECKED }).unwrap();
    assert!(matches!(small.text("a"), Err(Error::TooLarge)));
    assert!(matches!(small.needed("c"), Err(Error::Invalid(why)) if why == "it has no part c"));
}

#[test]
fn archives_that_readers_could_disagree_on_are_refused() {
    let mut twice = archive(&[("aa", b"1"), ("ab", b"2")]);
    // The second name, in both of its headers.
    for at in memchr::memmem::find_iter(&twice.clone(), b"ab") {
        twice[at + 1] = b'a';
    }
    // The reader keeps only one of them, or both: either is a refusal or the loss of a part.
    match Package::read(twice, Limits::CHECKED) {
        Err(error) => assert_eq!(error.to_string(), "two parts of its archive have the same name"),
        Ok(package) => panic!("two parts of the same name were read as {}", package.len()),
    }
    assert!(matches!(Package::read(b"PK\x03\x04 and no more".to_vec(), Limits::CHECKED), Err(Error::Broken(_))));
}

#[test]
fn damaged_parts_are_read_as_office_programs_do_or_not_at_all() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    writer.start_file("a", options).unwrap();
    writer.write_all(b"whole").unwrap();
    let mut bytes = writer.finish().unwrap().into_inner();
    let at = memchr::memmem::find(&bytes, b"whole").unwrap();
    bytes[at] = b'W';
    let mut package = Package::read(bytes, Limits::CHECKED).unwrap();
    let mut text = String::new();
    package.part(0).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "Whole");
    assert!(matches!(package.bytes("a", 100), Err(Error::Broken(_))));
    assert!(matches!(package.check(), Err(Error::Broken(_))));
}

#[test]
fn the_main_part_is_found_by_its_relationship_and_type() {
    let relations =
        b"<Relationships><Relationship Id='a' Type='http://x/officeDocument' Target='./w/d.xml'/></Relationships>";
    let types = b"<Types><Override PartName='/W/D.xml' ContentType='X/Main'/></Types>";
    let of_main = b"<Relationships><Relationship Id='a' Type='http://x/worksheet' Target='../s.xml'/></Relationships>";
    let mut package = package(&[
        ("_rels/.rels", relations),
        ("[Content_Types].xml", types),
        ("w/d.xml", b"<d/>"),
        ("w/_rels/d.xml.rels", of_main),
    ]);
    assert_eq!(package.main_part(), Some(("w/d.xml".to_owned(), "x/main".to_owned())));
    assert_eq!(package.related("worksheet"), ["s.xml"]);
    assert_eq!(package.relations("w/d.xml").unwrap().part("a"), Some("s.xml"));
    assert_eq!(package.relations("none").unwrap().part("a"), None);
}

#[test]
fn open_documents_name_their_type_and_encryption_in_old_manifests_too() {
    let manifest = b"<!DOCTYPE manifest:manifest PUBLIC 'a' 'b'><manifest:manifest><manifest:file-entry \
        manifest:full-path='/' manifest:media-type='x/odt'><manifest:encryption-data/></manifest:file-entry></manifest:manifest>";
    let mut old = package(&[("META-INF/manifest.xml", manifest), ("Basic/a.xml", b"")]);
    assert_eq!((old.media_type().as_deref(), old.is_encrypted(), old.has_scripts()), (Some("x/odt"), true, true));
    let mut new = package(&[("mimetype", b"x/ods\n"), ("META-INF/manifest.xml", b"<manifest/>")]);
    assert_eq!((new.media_type().as_deref(), new.is_encrypted(), new.has_scripts()), (Some("x/ods"), false, false));
    let mut broken = package(&[("META-INF/manifest.xml", b"<manifest><encryption-data/>")]);
    assert!(broken.media_type().is_none());
}

#[test]
fn texts_are_read_without_a_mark_and_in_utf_16() {
    let utf16: Vec<u8> = "\u{feff}<é/>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut package = package(&[("a", "\u{feff}<é/>".as_bytes()), ("b", &utf16)]);
    assert_eq!(package.text("a").unwrap().unwrap(), "<é/>");
    assert!(matches!(package.text("b"), Err(Error::Invalid(_))));
    assert_eq!(package.decoded("b").unwrap().unwrap(), "<é/>");
}

#[test]
fn only_changed_parts_are_written_again() {
    let mut package = package(&[("a", b"old"), ("b", b"same"), ("c", b"gone")]);
    let mut changes = Changes::default();
    changes.set(&package, "a", "new".to_owned());
    changes.set(&package, "d", "more".to_owned());
    changes.remove("c");
    assert_eq!(changes.text(&mut package, "a").unwrap().as_deref(), Some("new"));
    assert_eq!(changes.text(&mut package, "b").unwrap().as_deref(), Some("same"));
    assert_eq!(changes.text(&mut package, "c").unwrap(), None);
    let written = package.write(changes, Packing::Stored, Cursor::new(Vec::new())).unwrap().into_inner();
    let mut read = Package::read(written.clone(), Limits::CHECKED).unwrap();
    assert_eq!(read.names(), ["a", "b", "d"]);
    let texts = ["a", "b", "d"].map(|name| read.text(name).unwrap().unwrap());
    assert_eq!(texts, ["new", "same", "more"]);
    assert!(memchr::memmem::find(&written, b"new").is_some(), "stored");
}

#[test]
fn entries_are_added_where_they_belong() {
    assert_eq!(markup::inserted("<a><b>x</b></a>", "b", "<c/>").unwrap(), "<a><b><c/>x</b></a>");
    assert_eq!(markup::inserted("<a><x:b y='1'/></a>", "b", "<c/>").unwrap(), "<a><x:b y='1'><c/></x:b></a>");
    assert_eq!(markup::appended("<?xml?><a>x</a>", "<c/>").unwrap(), "<?xml?><a>x<c/></a>");
    assert_eq!(markup::appended("<?xml?><a/>", "<c/>").unwrap(), "<?xml?><a><c/></a>");
    assert!(matches!(markup::inserted("<a/>", "b", ""), Err(Error::Invalid(_))));
}

#[test]
fn fuzz_packages() {
    docmill_fuzz::fuzz("documents", &[], |bytes| {
        let Ok(mut package) = Package::read(bytes.to_vec(), Limits::of(100, 1 << 20)) else { return };
        let _ = (package.main_part(), package.media_type(), package.is_encrypted(), package.related("worksheet"));
        for name in package.names() {
            let _ = (package.relations(&name), package.text(&name));
        }
        if let Ok(written) = package.write(Changes::default(), Packing::AsBefore, Cursor::new(Vec::new())) {
            let mut read = Package::read(written.into_inner(), Limits::of(100, 1 << 20)).unwrap();
            assert!(read.len() == package.len() && read.left() <= 1 << 20);
            let _ = read.check();
        }
    });
}
