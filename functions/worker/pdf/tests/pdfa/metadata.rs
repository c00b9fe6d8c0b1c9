//! The claims and metadata that `edit-metadata` and `pdf-to-pdfa` keep.

use docmill_formats::Format;

use super::*;

/// A document with a claim and custom properties, described as PDF/A requires, and one that nothing describes.
fn described(claims: &str) -> Document {
    let packet = format!(
        r#"<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"
  xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:acme="https://acme.example/ns/" xmlns:odd="https://odd.example/" acme:Case="17/b &amp; 18">
{claims}<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Only here</rdf:li><rdf:li xml:lang="de">Nur hier</rdf:li></rdf:Alt></dc:title>
<acme:Pages>12</acme:Pages><odd:Thing>lost</odd:Thing></rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
  xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>Acme</pdfaSchema:schema><pdfaSchema:namespaceURI>https://acme.example/ns/</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>acme</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq>
<rdf:li pdfaProperty:name="Case" pdfaProperty:valueType="Text" pdfaProperty:category="external" pdfaProperty:description="Case"/>
<rdf:li rdf:parseType="Resource"><pdfaProperty:name>Pages</pdfaProperty:name><pdfaProperty:valueType>Integer</pdfaProperty:valueType>
<pdfaProperty:category>internal</pdfaProperty:category><pdfaProperty:description>Pages</pdfaProperty:description></rdf:li>
</rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>
</rdf:RDF></x:xmpmeta><?xpacket end="w"?>"#
    );
    let mut document = unfit(false);
    let packet =
        document.add_object(Stream::new(dictionary! { "Type" => "Metadata", "Subtype" => "XML" }, packet.into_bytes()));
    let root = document.trailer.get(b"Root").unwrap().as_reference().unwrap();
    document.get_dictionary_mut(root).unwrap().set("Metadata", packet);
    let info = document.trailer.get(b"Info").unwrap().as_reference().unwrap();
    document.get_dictionary_mut(info).unwrap().remove(b"Title");
    document
}

fn packet(path: &Path) -> String {
    let document = Document::load(path).unwrap();
    let packet = document.catalog().unwrap().get(b"Metadata").unwrap().as_reference().unwrap();
    String::from_utf8(document.get_object(packet).unwrap().as_stream().unwrap().content.clone()).unwrap()
}

fn codes(outcome: &Outcome) -> Vec<&str> {
    outcome.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

#[test]
fn described_metadata_and_a_claim_of_pdf_ua_are_kept_and_pass() {
    let scratch = TempDir::new().unwrap();
    let mut document = described("<pdfuaid:part>1</pdfuaid:part>");
    // A hidden annotation would be removed, but tags may need it.
    for object in document.objects.values_mut() {
        if let Ok(annotation) = object.as_dict_mut()
            && annotation.get(b"F").and_then(Object::as_i64).is_ok_and(|flags| flags == 2)
        {
            annotation.set("F", 4);
            annotation.set("Subtype", "Link");
        }
    }
    let source = saved(document, &scratch.path().join("described.pdf"));
    let mut made = Vec::new();
    for level in LEVELS {
        let directory = scratch.path().join(level);
        let outcome = run(Tool::PdfToPdfa, &[(&source, Format::Pdf)], json!({"level": level}), &directory).unwrap();
        assert_eq!(codes(&outcome), ["metadata_dropped", "content_removed"]);
        assert_eq!(outcome.warnings[0].detail.as_deref(), Some("odd"));
        let result = directory.join("result.pdf");
        let packet = packet(&result);
        for said in [
            "<acme:Case>17/b &amp; 18</acme:Case>",
            "<acme:Pages>12</acme:Pages>",
            "<pdfuaid:part>1<",
            ">Only here</rdf:li>",
        ] {
            assert!(packet.contains(said), "{said}: {packet}");
        }
        assert!(!packet.contains("lost") && !packet.contains("Nur hier"), "{packet}");
        made.push((level.to_owned(), result));
    }
    assert_eq!(judge(&made), ["pass"; 3]);
}

#[test]
fn a_claim_of_pdf_ua_is_dropped_with_annotations() {
    let scratch = TempDir::new().unwrap();
    let source = saved(described("<pdfuaid:part>1</pdfuaid:part>"), &scratch.path().join("described.pdf"));
    let outcome = run(Tool::PdfToPdfa, &[(&source, Format::Pdf)], json!({}), scratch.path()).unwrap();
    assert_eq!(codes(&outcome), ["metadata_dropped", "conformance_removed", "content_removed"]);
    assert!(!packet(&scratch.path().join("result.pdf")).contains("<pdfuaid:part>"));
}

#[test]
fn edited_pdf_a_still_conforms_to_its_claim() {
    let scratch = TempDir::new().unwrap();
    let source = saved(unfit(false), &scratch.path().join("unfit.pdf"));
    let table = root().join("tests/fixtures/office/codes.csv");
    let mut made = Vec::new();
    for level in LEVELS {
        let archive = scratch.path().join(level);
        run(Tool::PdfToPdfa, &[(&source, Format::Pdf)], json!({"level": level}), &archive).unwrap();
        let archive = archive.join("result.pdf");
        let titled = scratch.path().join(format!("{level}-titled"));
        let options = json!({"set": {"title": "Neu", "custom": {"Akte": "17"}}, "remove": ["Producer"]});
        let outcome = run(Tool::EditMetadata, &[(&archive, Format::Pdf)], options, &titled).unwrap();
        assert_eq!(codes(&outcome), Vec::<&str>::new());
        made.push((level.to_owned(), titled.join("result.pdf")));
        let attached = scratch.path().join(format!("{level}-attached"));
        let sources = [(archive.as_path(), Format::Pdf), (table.as_path(), Format::Other)];
        let outcome = run(Tool::EditMetadata, &sources, json!({"attachments": [{"source": 1}]}), &attached).unwrap();
        let result = attached.join("result.pdf");
        if level == "3b" {
            assert_eq!(codes(&outcome), Vec::<&str>::new());
            made.push((level.to_owned(), result));
        } else {
            assert_eq!(codes(&outcome), ["conformance_removed"]);
            assert!(!packet(&result).contains("<pdfaid:part>"));
        }
    }
    assert_eq!(judge(&made), ["pass"; 4]);
}

#[test]
fn marked_pdf_a_is_still_pdf_a_and_changed_pdf_a_does_not_say_so() {
    let scratch = TempDir::new().unwrap();
    let source = saved(unfit(false), &scratch.path().join("unfit.pdf"));
    let mut made = Vec::new();
    for level in LEVELS {
        let archive = scratch.path().join(level);
        run(Tool::PdfToPdfa, &[(&source, Format::Pdf)], json!({"level": level}), &archive).unwrap();
        let archive = archive.join("result.pdf");
        let marked = scratch.path().join(format!("{level}-marked"));
        let outcome = run(Tool::MarkTest, &[(&archive, Format::Pdf)], json!({}), &marked).unwrap();
        assert_eq!(codes(&outcome), Vec::<&str>::new());
        made.push((level.to_owned(), marked.join("result.pdf")));
        for (tool, options) in [
            (Tool::WatermarkPdf, json!({"text": "Draft"})),
            (Tool::OrganizePdf, json!({"pages": "1"})),
            (Tool::OcrPdf, json!({"mode": "redo"})),
            (Tool::FlattenPdf, json!({})),
        ] {
            let changed = scratch.path().join(format!("{level}-{tool:?}"));
            let outcome = run(tool, &[(&archive, Format::Pdf)], options, &changed).unwrap();
            assert!(codes(&outcome).contains(&"conformance_removed"), "{tool:?}: {:?}", codes(&outcome));
            assert!(!packet(&changed.join("result.pdf")).contains("<pdfaid:part>"), "{tool:?}");
        }
    }
    assert_eq!(judge(&made), ["pass"; 3]);
}

#[test]
fn a_field_on_no_page_gets_an_appearance() {
    let scratch = TempDir::new().unwrap();
    let mut document = unfit(false);
    let rectangle: Vec<Object> = vec![0.into(), 0.into(), 50.into(), 50.into()];
    let field = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "Widget", "FT" => "Sig", "T" => Object::string_literal("Signature"), "Rect" => rectangle,
        "F" => 132,
    });
    let root = document.trailer.get(b"Root").unwrap().as_reference().unwrap();
    let form = dictionary! { "Fields" => vec![field.into()] };
    document.get_dictionary_mut(root).unwrap().set("AcroForm", form);
    let source = saved(document, &scratch.path().join("signature.pdf"));
    run(Tool::PdfToPdfa, &[(&source, Format::Pdf)], json!({"level": "1b"}), scratch.path()).unwrap();
    assert_eq!(judge(&[("1b".to_owned(), scratch.path().join("result.pdf"))]), ["pass"]);
}

#[test]
fn bookmarks_get_their_last_item() {
    let scratch = TempDir::new().unwrap();
    let mut document = unfit(false);
    let (outline, one, two) = (document.new_object_id(), document.new_object_id(), document.new_object_id());
    let title = |name: &str| dictionary! { "Title" => Object::string_literal(name), "Parent" => outline };
    let mut first = title("One");
    first.set("Next", two);
    let mut second = title("Two");
    second.set("Prev", one);
    document.objects.insert(one, first.into());
    document.objects.insert(two, second.into());
    document.objects.insert(outline, dictionary! { "Type" => "Outlines", "First" => one, "Count" => 2 }.into());
    let root = document.trailer.get(b"Root").unwrap().as_reference().unwrap();
    document.get_dictionary_mut(root).unwrap().set("Outlines", outline);
    let source = saved(document, &scratch.path().join("bookmarks.pdf"));
    run(Tool::PdfToPdfa, &[(&source, Format::Pdf)], json!({"level": "1b"}), scratch.path()).unwrap();
    assert_eq!(judge(&[("1b".to_owned(), scratch.path().join("result.pdf"))]), ["pass"]);
}
