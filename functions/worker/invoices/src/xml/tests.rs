use super::*;

fn document(source: &str) -> Document {
    read(source.as_bytes()).unwrap()
}

fn refusal(source: &[u8]) -> String {
    read(source).unwrap_err().to_string()
}

#[test]
fn nodes_have_names_texts_and_places() {
    let document = document(
        "<?xml version=\"1.0\"?>\n<a:r xmlns:a=\"urn:a\" x=\"1 &amp; 2\">\n <b>one</b>\n <b>t<!-- -->w<![CDATA[<o>]]></b></a:r>",
    );
    let root = document.root_element().unwrap();
    assert_eq!((document.written(root), document.line(root)), ("a:r", 2));
    assert_eq!(&*document.name(root).unwrap().space, "urn:a");
    let attribute = document.attributes(root).next().unwrap();
    assert_eq!((&*document.text(attribute), document.path(attribute)), ("1 & 2", "/a:r[1]/@x".to_owned()));
    let named = |id: &NodeId| document.written(*id) == "b";
    let found: Vec<NodeId> = document.within(root).filter(named).collect();
    let [first, second] = found[..] else { panic!("{found:?}") };
    assert_eq!((&*document.text(first), document.line(first)), ("one", 3));
    assert_eq!((&*document.text(second), document.path(second)), ("tw<o>", "/a:r[1]/b[2]".to_owned()));
    assert_eq!(&*document.text(root), "\n one\n tw<o>");
    assert_eq!(document.parent(first), Some(root));
    assert_eq!(document.previous(root), None);
}

#[test]
fn encodings_are_those_that_files_name() {
    let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe4</a>";
    let document = read(latin).unwrap();
    assert_eq!(&*document.text(Document::ROOT), "ä");
    let wide: Vec<u8> = "\u{feff}<a>ß</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(&*read(&wide).unwrap().text(Document::ROOT), "ß");
    assert!(refusal(b"<a>\xff</a>").contains("encoding"));
}

#[test]
fn what_could_hurt_is_refused() {
    let entities = b"<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c SYSTEM \"file:///etc/passwd\">]><a>&b;&c;</a>";
    assert_eq!(read(entities).unwrap_err(), Fault::Doctype);
    assert!(refusal(b"<a>&b;</a>").contains("not defined"));
    assert!(refusal(&"<a>".repeat(100_000).into_bytes()).contains("deeply"));
    let names: String = (0..10_000).map(|number| format!(" a{number}='1'")).collect();
    assert_eq!(read(format!("<a{names}/>").as_bytes()).unwrap_err(), Fault::TooLarge);
    let spaces: String = (0..10_000).map(|number| format!(" xmlns:a{number}='1'")).collect();
    assert_eq!(read(format!("<a{spaces}/>").as_bytes()).unwrap_err(), Fault::TooLarge);
}

#[test]
fn what_is_no_document_is_refused() {
    for source in ["", " ", "text", "<a>", "<a></b>", "<a/><b/>", "<a/>text", "<a", "<x:a/>", "<a b='1' b='2'/>"] {
        let refused = read(source.as_bytes()).unwrap_err();
        assert!(matches!(refused, Fault::Malformed(_)), "{source}: {refused}");
    }
}
