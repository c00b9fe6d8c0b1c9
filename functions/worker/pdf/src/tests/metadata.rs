use docmill_formats::Format;

use super::*;
use fixture::{rich, rich_document, save};
use lopdf::dictionary;

fn information(document: &Document) -> BTreeMap<String, String> {
    let info = document.child(&document.trailer, b"Info");
    info.into_iter()
        .flat_map(Dictionary::iter)
        .map(|(key, value)| (String::from_utf8(key.clone()).unwrap(), text(value)))
        .collect()
}

fn packet(document: &Document) -> String {
    let stream = document.value(catalog(document), b"Metadata").unwrap().as_stream().unwrap();
    String::from_utf8(stream.get_plain_content().unwrap()).unwrap()
}

#[test]
fn entries_are_set_in_both_places() {
    let options =
        json!({"set": {"title": "Büro & <山>", "author": "Zoë", "custom": {"Case": "17/b"}}, "remove": ["subject"]});
    let result = Run::new().with(&rich("one", 1)).result(Tool::EditMetadata, options);
    let expected = [("Author", "Zoë"), ("Case", "17/b"), ("Title", "Büro & <山>")];
    assert_eq!(information(&result), expected.map(|(key, value)| (key.to_owned(), value.to_owned())).into());
    let packet = packet(&result);
    assert!(packet.contains("<rdf:li xml:lang=\"x-default\">Büro &amp; &lt;山&gt;</rdf:li>"), "{packet}");
    assert!(packet.contains("<rdf:Seq><rdf:li>Zoë</rdf:li></rdf:Seq>"), "{packet}");
    assert_eq!(outline(&result).len(), 3);
}

#[test]
fn a_claim_of_pdf_a_is_kept() {
    let mut document = rich_document("one", 1);
    let old = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" pdfaid:part="2"><pdfaid:conformance>B</pdfaid:conformance></rdf:Description></rdf:RDF>"#;
    let old = document.add_object(lopdf::Stream::new(dictionary! { "Type" => "Metadata" }, old.as_bytes().to_vec()));
    let root = document.trailer.get(b"Root").unwrap().as_reference().unwrap();
    document.get_dictionary_mut(root).unwrap().set("Metadata", old);
    let run = Run::new().with(&save(&mut document));
    let packet = packet(&run.result(Tool::EditMetadata, json!({"set": {"title": "New"}})));
    assert!(packet.contains("<pdfaid:conformance>B</pdfaid:conformance>\n<pdfaid:part>2</pdfaid:part>"), "{packet}");
    let (outcome, documents) = run.results(Tool::EditMetadata, json!({"remove": "all"}));
    assert_eq!(outcome.warnings[0].code, "conformance_removed");
    assert!(!catalog(&documents[0]).has(b"Metadata") && information(&documents[0]).is_empty());
    assert!(!holds(&documents[0], "Title of one"));
}

#[test]
fn files_are_attached() {
    let mut run = Run::new().with(&rich("one", 1));
    run.push(b"{\"a\": 1}", Format::Json);
    let options =
        json!({"attachments": [{"source": 1, "filename": "datos.json", "relationship": "data", "description": "Ñ"}]});
    let result = run.result(Tool::EditMetadata, options);
    let files = attachments(&result);
    assert_eq!(
        (files["datos.json"].as_slice(), files["note.txt"].as_slice()),
        (b"{\"a\": 1}".as_slice(), b"attachment of one".as_slice())
    );
    let file = result.dictionary(&result.array(catalog(&result), b"AF")[0]).unwrap();
    assert_eq!(result.name(file, b"AFRelationship"), Some(b"Data".as_slice()));
    let failure = run.run(Tool::EditMetadata, json!({"attachments": [{"source": 2}]})).unwrap_err();
    assert!(failure.message.contains("source 2"), "{}", failure.message);
}
