//! What is drawn is decoded by another program: ZXing's reader in C++, from Debian.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::Command;

use docmill_codes::{Code, Mistake, Symbology, encode, encode_text};
use proptest::prelude::*;
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use serde_json::{Value, json};

/// Pixels for each millimeter, and around the drawing: linear codes have no quiet zone above and below.
const SCALE: f32 = 12.0;
const EDGE: f32 = 20.0;

/// The format that the reader finds in a picture of the code, and the text.
fn decoded(code: &Code) -> (String, String) {
    let tree = Tree::from_str(&code.svg(), &Options::default()).unwrap();
    // The drawing's own units are 96 to the inch.
    let scale = SCALE * 25.4 / 96.0;
    let size = |length: f32| (length * scale + 2.0 * EDGE).ceil() as u32;
    let mut picture = Pixmap::new(size(tree.size().width()), size(tree.size().height())).unwrap();
    picture.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale, scale).post_translate(EDGE, EDGE), &mut picture.as_mut());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("code.png");
    picture.save_png(&file).unwrap();
    let run = |option: &str| {
        let output = Command::new("ZXingReader").arg(option).arg(&file).output();
        output.expect("zxing-cpp-tools is missing: run infra/setup.sh system").stdout
    };
    let format = String::from_utf8_lossy(&run("-1")).split_whitespace().nth(1).unwrap_or_default().to_owned();
    let bytes = run("-bytes");
    let latin = || bytes.iter().map(|byte| char::from(*byte)).collect();
    (format, String::from_utf8(bytes.clone()).unwrap_or_else(|_| latin()))
}

fn assert_reads(symbology: Symbology, text: &str, format: &str, expected: &str) {
    let code = encode_text(symbology, text).unwrap();
    assert_eq!(decoded(&code), (format.to_owned(), expected.to_owned()), "{symbology}");
}

#[test]
fn texts_are_read_back() {
    let long = "Docmill 0123456789 ".repeat(20);
    for text in ["https://example.com/?q=1", "0123456789", "HELLO 123", "Zoë Łódź 機密 € 😀", &long] {
        assert_reads(Symbology::Qr, text, "QRCode", text);
    }
    for text in ["A", "0123456789", "Part #12-34/x", "Zoë", "機密 €", &long] {
        assert_reads(Symbology::DataMatrix, text, "DataMatrix", text);
    }
    for text in ["A", "Docmill: 12 pages (final).", "12345678901234567890123", "Zoë", "Łódź €", &long] {
        assert_reads(Symbology::Pdf417, text, "PDF417", text);
    }
    for text in ["A", "INV-2026-00042", "0123456789", "lower UPPER 12345678 ~|", "tab\there"] {
        assert_reads(Symbology::Code128, text, "Code128", text);
    }
}

#[test]
fn check_digits_are_added() {
    for (symbology, text, format, expected) in [
        (Symbology::Ean13, "400638133393", "EAN-13", "4006381333931"),
        (Symbology::Ean13, "4006381333931", "EAN-13", "4006381333931"),
        (Symbology::Ean8, "9638507", "EAN-8", "96385074"),
        (Symbology::UpcA, "03600029145", "UPC-A", "036000291452"),
    ] {
        assert_reads(symbology, text, format, expected);
    }
    let code = encode(Symbology::Ean13, &json!(4_006_381_333_931_u64)).unwrap();
    assert_eq!(decoded(&code).1, "4006381333931");
}

#[test]
fn a_sepa_payment_is_read_back() {
    let payment = json!({
        "name": "Zoë & Söhne GmbH", "iban": "de89 3704 0044 0532 0130 00", "amount": 12.5, "bic": "COBADEFFXXX",
        "text": "Invoice 2026-042", "unused": true,
    });
    let (format, text) = decoded(&encode(Symbology::Epc, &payment).unwrap());
    assert_eq!(format, "QRCode");
    let expected =
        "BCD\n002\n1\nSCT\nCOBADEFFXXX\nZoë & Söhne GmbH\nDE89370400440532013000\nEUR12.50\n\n\nInvoice 2026-042";
    assert_eq!(text, expected);
    let payment =
        json!({"name": "A", "iban": "DE89370400440532013000", "amount": "1", "reference": "RF18 5390 0754 7034"});
    let (_, text) = decoded(&encode_text(Symbology::Epc, &payment.to_string()).unwrap());
    assert_eq!(text, "BCD\n002\n1\nSCT\n\nA\nDE89370400440532013000\nEUR1.00\n\nRF18539007547034");
}

/// The example of the Swiss guidelines.
fn bill() -> Value {
    json!({
        "iban": "CH44 3199 9123 0008 8901 2", "amount": "1949.75",
        "creditor": {
            "name": "Robert Schneider AG", "street": "Rue du Lac", "houseNumber": "1268", "postalCode": "2501",
            "town": "Biel", "country": "ch",
        },
        "debtor": {
            "name": "Pia-Maria Rutschmann-Schnyder", "street": "Grosse Marktgasse", "houseNumber": "28",
            "postalCode": "9400", "town": "Rorschach", "country": "CH",
        },
        "reference": "210000000003139471430009017", "message": "Auftrag vom 15.06.2020",
    })
}

#[test]
fn a_swiss_bill_is_read_back_with_the_cross_over_it() {
    let code = encode(Symbology::SwissQr, &bill()).unwrap();
    assert_eq!(code.layers.len(), 4);
    assert!((code.width * code.module - 46.0).abs() < 0.01);
    let (format, text) = decoded(&code);
    assert_eq!(format, "QRCode");
    let expected = "SPC 0200 1 CH4431999123000889012 S Robert_Schneider_AG Rue_du_Lac 1268 2501 Biel CH . . . . . . . \
        1949.75 CHF S Pia-Maria_Rutschmann-Schnyder Grosse_Marktgasse 28 9400 Rorschach CH QRR \
        210000000003139471430009017 Auftrag_vom_15.06.2020 EPD";
    let lines: Vec<String> = expected.split_whitespace().map(|line| line.replace('_', " ")).collect();
    let found: Vec<&str> = text.split('\n').map(|line| if line.is_empty() { "." } else { line }).collect();
    assert_eq!(found, lines);
}

#[test]
fn bills_without_amount_and_debtor_have_empty_lines() {
    let mut open = bill();
    for name in ["amount", "debtor", "message", "reference"] {
        open.as_object_mut().unwrap().remove(name);
    }
    open["iban"] = json!("CH9300762011623852957");
    open["billingInformation"] = json!("//S1/10/10201409");
    let (_, text) = decoded(&encode(Symbology::SwissQr, &open).unwrap());
    let lines: Vec<&str> = text.split('\n').collect();
    assert_eq!(lines.len(), 32);
    assert_eq!((lines[18], lines[19]), ("", "CHF"));
    assert_eq!(lines[20..27], [""; 7]);
    assert_eq!(lines[27..], ["NON", "", "", "EPD", "//S1/10/10201409"]);
}

fn messages(symbology: Symbology, value: Value) -> Vec<String> {
    encode(symbology, &value).unwrap_err().iter().map(Mistake::to_string).collect()
}

#[test]
fn mistakes_say_what_to_do() {
    let one = |symbology, value: &str| messages(symbology, json!(value)).join("; ");
    assert_eq!(one(Symbology::Qr, ""), "the value is empty: give the text to encode");
    assert_eq!(
        one(Symbology::Ean13, "4006381333932"),
        "the check digit is wrong: it should be 1. Correct the number, or leave the check digit out"
    );
    assert_eq!(
        one(Symbology::Ean8, "12345"),
        "an EAN-8 has 8 digits, and the value has 5: give 8, or the first 7 to have the check digit added"
    );
    assert_eq!(one(Symbology::UpcA, "12-45"), "character 3 cannot be in a UPC-A: use digits only");
    assert_eq!(
        one(Symbology::Code128, "Zoë"),
        "character 3 cannot be in a Code 128: use unaccented letters, digits and ASCII signs, or a QR code"
    );
    for symbology in [Symbology::Qr, Symbology::DataMatrix, Symbology::Pdf417, Symbology::Code128] {
        let message = one(symbology, &"x".repeat(3500));
        assert!(message.starts_with(&format!("the value is too long for {symbology}: it has room for")), "{message}");
    }
    assert_eq!(messages(Symbology::Qr, json!([])), ["a QR code needs text: give a string"]);
    assert!(messages(Symbology::Epc, json!("BCD"))[0].starts_with("an EPC payment code needs an object: give `name`"));
}

#[test]
fn all_wrong_fields_of_a_payment_are_told_at_once() {
    let payment = json!({
        "name": "x".repeat(71), "iban": "DE89370400440532013001", "amount": 12.345, "bic": "COBA",
        "reference": "RF19539007547034", "text": "a\nb",
    });
    let told = messages(Symbology::Epc, payment).join("\n");
    for part in [
        "`name` must have at most 70 characters",
        "`iban` is no valid IBAN",
        "`bic` is no valid BIC",
        "`amount` must be from 0.01 to 999999999.99",
        "`reference` must be a creditor reference",
        "`text` must be one line",
        "`text` cannot be given with `reference`",
    ] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    let mut wrong = bill();
    wrong["reference"] = json!("210000000003139471430009018");
    wrong["creditor"]["town"] = json!(null);
    wrong["debtor"]["name"] = json!("Ψ");
    wrong["currency"] = json!("USD");
    let told = messages(Symbology::SwissQr, wrong).join("\n");
    for part in ["`reference` must be a QR reference", "`creditor.town` is missing", "`debtor.name` has", "`currency`"]
    {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    assert!(messages(Symbology::SwissQr, json!({"iban": "DE89370400440532013000"}))[0].contains("Liechtenstein"));
}

#[test]
fn names_of_symbologies_are_those_of_requests() {
    for symbology in Symbology::ALL {
        assert_eq!(serde_json::to_value(symbology).unwrap(), json!(symbology.name()));
        assert_eq!(Symbology::from_name(symbology.name()), Some(symbology));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Accepted values are read back, and nothing panics.
    #[test]
    fn any_text_is_read_back_or_refused(text in "[ -~]{1,60}|\\PC{1,40}|[0-9]{1,90}|[A-Z0-9]{1,80}") {
        for symbology in [Symbology::Qr, Symbology::DataMatrix, Symbology::Pdf417, Symbology::Code128] {
            if let Ok(code) = encode_text(symbology, &text) {
                let (format, found) = decoded(&code);
                prop_assert_eq!(&found, &text, "{} {}", symbology, format);
            } else {
                prop_assert!(symbology == Symbology::Code128);
            }
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), long in "\\PC{300,1200}") {
        for symbology in Symbology::ALL {
            let _ = encode_text(symbology, &text);
            let _ = encode_text(symbology, &long);
        }
    }
}
