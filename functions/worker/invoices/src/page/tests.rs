use super::*;
use crate::model::{Invoice, Payment};
use crate::{Profile, read, validate};

fn of(file: &str, language: Language) -> String {
    let path = format!("{}/../../../{file}", env!("CARGO_MANIFEST_DIR"));
    invoice_page(&read(&std::fs::read(path).unwrap()).unwrap().1, language)
}

#[test]
fn a_page_shows_parties_lines_and_amounts() {
    let page = of("samples/invoice.xml", Language::En);
    for shown in [
        "<h1>Invoice 2026-0009</h1>",
        "<strong>Harbor Park Nursery Ltd</strong>",
        "<strong>Young poplar</strong>",
        "<td class=\"number\">200.00</td>",
        "<th scope=\"row\">Amount due</th><td>307.50\u{a0}EUR</td>",
    ] {
        assert!(page.contains(shown), "{shown} is missing in {page}");
    }
}

#[test]
fn a_page_speaks_a_language() {
    let page = of("tests/fixtures/invoices/xrechnung.xml", Language::De);
    for shown in ["<html lang=\"de\">", "<h1>Rechnung 2026-0008</h1>", "Leitweg-ID/Käuferreferenz", "2\u{a0}Stück"] {
        assert!(page.contains(shown), "{shown} is missing in {page}");
    }
    assert!(of("samples/invoice.xml", Language::Fr).contains("<h1>Facture 2026-0009</h1>"));
}

#[test]
fn nothing_of_an_invoice_is_markup() {
    let invoice = Invoice {
        number: Some("<script>alert(1)</script>".to_owned()),
        payment_terms: Some("a & b".to_owned()),
        ..Invoice::default()
    };
    let page = invoice_page(&invoice, Language::En);
    assert!(!page.contains("<script"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)") && page.contains("a &amp; b"), "{page}");
}

#[test]
fn common_codes_are_words_and_others_stay() {
    let page = |code: &str| {
        let payments = vec![Payment { means_code: Some(code.to_owned()), ..Payment::default() }];
        invoice_page(&Invoice { payments, ..Invoice::default() }, Language::En)
    };
    assert!(page("58").contains("<td>SEPA credit transfer</td>"));
    assert!(page("97").contains("<td>97</td>"));
}

#[test]
fn a_verdict_says_what_is_wrong_and_where() {
    let path = format!("{}/../../../samples/invoice.xml", env!("CARGO_MANIFEST_DIR"));
    let right = std::fs::read_to_string(path).unwrap();
    let page = |text: &str| verdict_page(&validate(text.as_bytes(), Profile::Auto).unwrap(), Language::En);
    let valid = page(&right);
    assert!(valid.contains("<h1>The invoice is valid</h1>") && valid.contains("No rule is broken."), "{valid}");
    assert!(valid.contains("<td>UBL 2.1, EN 16931 1.3.16</td>") && valid.contains("<td>307.50 EUR</td>"), "{valid}");
    let wrong = page(&right.replace("Young poplar", ""));
    for shown in ["<h1>The invoice is not valid</h1>", "<h2>Errors (", "<strong>BR-25</strong>", "cac:InvoiceLine[1]"] {
        assert!(wrong.contains(shown), "{shown} is missing in {wrong}");
    }
}
