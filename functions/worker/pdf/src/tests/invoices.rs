use docmill_pdf_request::ErrorCode;
use fixture::{rich, save};
use lopdf::dictionary;

use super::*;

const CII: &str = include_str!("../../../../../tests/fixtures/invoices/en16931.xml");
const UBL: &str = include_str!("../../../../../samples/invoice.xml");

fn xml(content: &[u8]) -> Run {
    let mut run = Run::new();
    run.push(content, Format::Xml);
    run
}

/// The outcome, and the result.
fn validated(run: &Run, options: Value) -> (Outcome, Value) {
    let outcome = run.run(Tool::ValidateInvoice, options).unwrap();
    let written = std::fs::read(run.path(&outcome.artifacts[0].file)).unwrap();
    (outcome, serde_json::from_slice(&written).unwrap())
}

fn refused(run: &Run) -> (ErrorCode, String) {
    let failure = run.run(Tool::ValidateInvoice, json!({})).unwrap_err();
    (failure.code, failure.message)
}

/// A Factur-X invoice.
fn hybrid() -> Vec<u8> {
    let run = Run::new().with(&rich("one", 1));
    let options = json!({"facturX": {"xml": CII, "onUnsupported": "warn"}});
    let outcome = run.run(Tool::EditMetadata, options).unwrap();
    std::fs::read(run.path(&outcome.artifacts[0].file)).unwrap()
}

/// A PDF with these files, which nothing describes.
fn holding(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut run = Run::new().with(&rich("one", 1));
    let attachments = files.iter().enumerate().map(|(index, (name, content))| {
        run.push(content, Format::Other);
        json!({"source": index + 1, "filename": name})
    });
    let attachments: Vec<_> = attachments.collect();
    let outcome = run.run(Tool::EditMetadata, json!({"attachments": attachments})).unwrap();
    std::fs::read(run.path(&outcome.artifacts[0].file)).unwrap()
}

fn ids(verdict: &Value) -> Vec<&str> {
    verdict["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect()
}

#[test]
fn invoices_in_xml_are_judged() {
    let (outcome, verdict) = validated(&xml(UBL.as_bytes()), json!({}));
    let sets = json!([{"name": "UBL", "version": "2.1"}, {"name": "EN 16931", "version": "1.3.16"}]);
    assert_eq!((&verdict["valid"], &verdict["ruleSets"], &verdict["rules"]), (&json!(true), &sets, &json!([])));
    assert_eq!((&verdict["syntax"], &verdict["withoutRulesOf"]), (&json!("ubl-invoice"), &Value::Null));
    assert_eq!(verdict["invoice"]["totals"]["payable"], "307.50");
    assert!(outcome.warnings.is_empty() && verdict.get("pdf").is_none());
    let report = json!({"valid": true, "errors": 0, "warnings": 0, "ruleSets": ["UBL", "EN 16931"], "broken": []});
    assert_eq!(outcome.report, Some(report));
}

#[test]
fn a_broken_rule_has_its_place() {
    let wrong = CII.replace("Flour, 25 kg", "");
    let (outcome, verdict) = validated(&xml(wrong.as_bytes()), json!({}));
    let rules = verdict["rules"].as_array().unwrap();
    let rule = rules.iter().find(|rule| rule["id"] == "BR-25").unwrap_or_else(|| panic!("{verdict}"));
    let place = json!({
        "xpath": "/rsm:CrossIndustryInvoice[1]/rsm:SupplyChainTradeTransaction[1]/ram:IncludedSupplyChainTradeLineItem[1]",
        "line": 18,
    });
    assert_eq!((&rule["place"], &rule["severity"]), (&place, &json!("error")));
    let message = rule["message"].as_str().unwrap();
    assert!(message.starts_with("Each Invoice line (BG-25) shall contain the Item name (BT-153)"), "{rule}");
    let report = outcome.report.unwrap();
    assert_eq!(report["valid"], false);
    assert!(report["broken"].as_array().unwrap().contains(&json!("BR-25")), "{report}");
}

#[test]
fn the_profile_is_the_invoices_own_or_that_of_the_option() {
    let names = |verdict: &Value| {
        let sets = verdict["ruleSets"].as_array().unwrap().iter();
        sets.map(|set| set["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(", ")
    };
    let german = include_bytes!("../../../../../tests/fixtures/invoices/xrechnung.xml");
    let (outcome, verdict) = validated(&xml(german), json!({}));
    assert_eq!((names(&verdict).as_str(), &verdict["valid"]), ("CII, EN 16931, XRechnung 3.0", &json!(true)));
    assert!(outcome.warnings.is_empty());
    let (outcome, verdict) = validated(&xml(german), json!({"profile": "en16931"}));
    assert_eq!((names(&verdict).as_str(), &verdict["withoutRulesOf"]), ("CII, EN 16931", &json!("XRechnung")));
    assert_eq!(outcome.warnings[0].code, "rules_not_applied");
    let (_, verdict) = validated(&xml(UBL.as_bytes()), json!({"profile": "xrechnung"}));
    assert!(verdict["valid"] == false && ids(&verdict).contains(&"BR-DE-21"), "{verdict}");
}

#[test]
fn an_invoice_of_peppol_is_checked_by_the_rules_of_en16931_and_says_so() {
    let peppol = UBL.replace(
        "urn:cen.eu:en16931:2017<",
        "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0<",
    );
    let (outcome, verdict) = validated(&xml(peppol.as_bytes()), json!({}));
    assert_eq!((&verdict["valid"], &verdict["withoutRulesOf"]), (&json!(true), &json!("Peppol BIS Billing 3.0")));
    let warning = &outcome.warnings[0];
    assert_eq!(
        (warning.code.as_ref(), warning.detail.as_deref()),
        ("rules_not_applied", Some("Peppol BIS Billing 3.0"))
    );
    assert!(warning.message.ends_with("It was checked by: UBL, EN 16931."), "{}", warning.message);
}

#[test]
fn a_hybrid_invoice_is_judged_with_its_pdf() {
    let run = Run::new().with(&hybrid());
    let (_, verdict) = validated(&run, json!({}));
    let pdf = json!({
        "fileName": "factur-x.xml", "otherInvoices": 0, "relationship": "Alternative", "mediaType": "text/xml",
        "isAssociated": true, "pdfaPart": verdict["pdf"]["pdfaPart"],
        "metadata": {"documentType": "INVOICE", "fileName": "factur-x.xml", "version": "1.0", "conformanceLevel": "EN 16931"},
    });
    assert_eq!(verdict["pdf"], pdf);
    assert_eq!(verdict["invoice"]["number"], "2026-0008");
    let bare = Run::new().with(&holding(&[("factur-x.xml", CII.as_bytes())]));
    let (_, verdict) = validated(&bare, json!({}));
    assert_eq!(ids(&verdict), ["PDF-RELATIONSHIP", "PDF-A3", "PDF-XMP"]);
    assert_eq!((&verdict["valid"], &verdict["rules"][0]["place"]), (&json!(false), &Value::Null));
}

#[test]
fn of_several_files_the_one_with_an_invoices_name_counts() {
    let one = Run::new().with(&holding(&[("a.xml", b"<a/>"), ("factur-x.xml", CII.as_bytes())]));
    let (_, verdict) = validated(&one, json!({}));
    assert_eq!((&verdict["pdf"]["fileName"], &verdict["pdf"]["otherInvoices"]), (&json!("factur-x.xml"), &json!(0)));
    let two = Run::new().with(&holding(&[("factur-x.xml", CII.as_bytes()), ("xrechnung.xml", CII.as_bytes())]));
    let (_, verdict) = validated(&two, json!({}));
    assert!(ids(&verdict).contains(&"PDF-ONE"), "{verdict}");
    let odd = Run::new().with(&holding(&[("rechnung.xml", CII.as_bytes()), ("note.txt", b"x")]));
    let (_, verdict) = validated(&odd, json!({}));
    assert!(ids(&verdict).contains(&"PDF-NAME"), "{verdict}");
    let unclear = Run::new().with(&holding(&[("a.xml", CII.as_bytes()), ("b.xml", CII.as_bytes())]));
    assert_eq!(refused(&unclear).0, ErrorCode::UnsupportedFormat);
}

#[test]
fn what_is_no_invoice_is_refused_with_the_reason() {
    let bomb = b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><Invoice>&b;</Invoice>";
    let cases: [(Run, ErrorCode, &str); 7] = [
        (xml(bomb), ErrorCode::CorruptDocument, "document type"),
        (xml(b"<?xml version='1.0' encoding='utf-8'?><a>\xe4</a>"), ErrorCode::CorruptDocument, "encoding"),
        (xml(b"<Invoice>"), ErrorCode::CorruptDocument, "not well-formed"),
        (xml(b"<Order/>"), ErrorCode::UnsupportedFormat, "root element is `Order`"),
        (xml(&b"<a>".repeat(100_000)), ErrorCode::CorruptDocument, "nested too deeply"),
        (Run::new().with(&rich("one", 1)), ErrorCode::UnsupportedFormat, "no electronic invoice"),
        (
            Run::new().with(&holding(&[("factur-x.xml", b"%PDF-1.7\n")])),
            ErrorCode::CorruptDocument,
            "The attached file factur-x.xml can't be read as an invoice",
        ),
    ];
    for (run, code, said) in cases {
        let (found, message) = refused(&run);
        assert_eq!(found, code, "{message}");
        assert!(message.contains(said), "{message}");
    }
}

#[test]
fn an_attachment_that_unpacks_to_too_much_is_refused() {
    let mut document = Document::load_mem(&holding(&[("factur-x.xml", CII.as_bytes())])).unwrap();
    let huge = vec![b' '; 80 << 20];
    for stream in document.objects.values_mut().filter_map(|object| object.as_stream_mut().ok()) {
        if stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"text/xml") {
            *stream = lopdf::Stream::new(dictionary! { "Type" => "EmbeddedFile" }, huge.clone());
            stream.compress().unwrap();
        }
    }
    let (code, message) = refused(&Run::new().with(&save(&mut document)));
    assert_eq!(code, ErrorCode::CorruptDocument);
    assert!(message.contains("too large for an invoice"), "{message}");
}

/// The result of read-invoice, of a text or a PDF.
fn read(run: &Run, options: Value) -> String {
    let outcome = run.run(Tool::ReadInvoice, options).unwrap();
    assert!(outcome.warnings.is_empty() && outcome.report.is_none());
    String::from_utf8(std::fs::read(run.path(&outcome.artifacts[0].file)).unwrap()).unwrap()
}

#[test]
fn invoices_are_read_in_one_model() {
    let of = |run: &Run| serde_json::from_str::<Value>(&read(run, json!({}))).unwrap();
    let ubl = of(&xml(UBL.as_bytes()));
    assert_eq!((&ubl["syntax"], &ubl["invoice"]["number"]), (&json!("ubl-invoice"), &json!("2026-0009")));
    assert_eq!(ubl["invoice"]["seller"]["address"]["country"], "IE");
    let alone = of(&xml(CII.as_bytes()));
    assert_eq!((&alone["syntax"], &alone["invoice"]["lines"][0]["name"]), (&json!("cii"), &json!("Flour, 25 kg")));
    // The same that a PDF holds.
    assert_eq!(of(&Run::new().with(&hybrid())), alone);
}

#[test]
fn invoices_are_shown_as_a_page() {
    let page = read(&xml(CII.as_bytes()), json!({"format": "html", "language": "de"}));
    assert!(page.contains("<h1>Rechnung 2026-0008</h1>") && page.contains("Flour, 25 kg"), "{page}");
}

#[test]
fn what_is_no_invoice_is_not_read() {
    let failure = xml(b"<Order/>").run(Tool::ReadInvoice, json!({})).unwrap_err();
    assert_eq!(failure.code, ErrorCode::UnsupportedFormat);
    assert!(failure.message.contains("`Order`"), "{}", failure.message);
}

#[test]
fn verdicts_are_shown_as_a_page() {
    let wrong = CII.replace("Flour, 25 kg", "");
    let outcome =
        xml(wrong.as_bytes()).run(Tool::ValidateInvoice, json!({"format": "html", "language": "fr"})).unwrap();
    assert_eq!((outcome.artifacts[0].media, &outcome.report.unwrap()["valid"]), (Format::Html, &json!(false)));
}
