//! fill-form: values that programs read back, and appearances that people see.

use docmill_pdf_core::objects::{Lookup, string, text as text_string};
use docmill_pdf_request::{ErrorCode, Tool};
use docmill_pdf_structure::fields::{self, Field};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use serde_json::{Value, json};

use super::fixture::{plain, plain_document, save};
use super::{Run, catalog, text};

/// A form of one page with a field of every kind, two of them below `address`.
fn form() -> Document {
    let mut document = plain_document("form", 1, (400.0, 500.0));
    let page = document.page_iter().next().unwrap();
    let mut widgets: Vec<Object> = Vec::new();
    let mut fields: Vec<Object> = Vec::new();
    let mut add = |document: &mut Document, rect: [i64; 4], own: Dictionary| {
        let mut widget = dictionary! {
            "Type" => "Annot", "Subtype" => "Widget", "P" => page, "F" => 4,
            "Rect" => rect.map(Object::Integer).to_vec(),
        };
        widget.extend(&own);
        let id = document.add_object(widget);
        widgets.push(id.into());
        id
    };
    let named = |kind: &str, name: &str| dictionary! { "FT" => kind, "T" => text_string(name) };
    let with = |mut field: Dictionary, more: Dictionary| {
        field.extend(&more);
        field
    };
    let bordered = dictionary! { "BG" => vec![Object::Real(0.9)], "BC" => vec![0.into(), 0.into(), 1.into()] };

    let name = with(named("Tx", "name"), dictionary! { "MK" => bordered, "Ff" => 2, "V" => text_string("old") });
    fields.push(add(&mut document, [20, 440, 220, 460], name).into());
    let notes = with(named("Tx", "notes"), dictionary! { "Ff" => 1 << 12 });
    fields.push(add(&mut document, [20, 340, 220, 430], notes).into());
    let code = with(
        named("Tx", "code"),
        dictionary! { "Ff" => 1 << 24, "MaxLen" => 8, "DA" => string("/Helv 11 Tf 1 0 0 rg") },
    );
    fields.push(add(&mut document, [20, 310, 220, 330], code).into());
    let turned = with(named("Tx", "turned"), dictionary! { "MK" => dictionary! { "R" => 90 } });
    fields.push(add(&mut document, [360, 300, 380, 460], turned).into());
    let total = with(named("Tx", "total"), dictionary! { "Q" => 2, "DA" => string("/Helv 20 Tf 0 g") });
    fields.push(add(&mut document, [230, 440, 340, 460], total).into());

    let states = |document: &mut Document, state: &str| {
        let mut drawn = |content: &[u8]| {
            let bounds = vec![0.into(), 0.into(), 15.into(), 15.into()];
            document.add_object(Stream::new(
                dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => bounds },
                content.to_vec(),
            ))
        };
        let (on, off) = (drawn(b"0 0.5 0 rg 2 2 11 11 re f"), drawn(b"0 0 15 15 re S"));
        dictionary! { "AP" => dictionary! { "N" => dictionary! { state => on, "Off" => off } }, "AS" => "Off" }
    };
    let terms = states(&mut document, "Accepted");
    fields.push(add(&mut document, [20, 280, 35, 295], with(named("Btn", "terms"), terms)).into());
    fields.push(add(&mut document, [50, 280, 65, 295], named("Btn", "bare")).into());
    let group = document.new_object_id();
    let mut kids: Vec<Object> = Vec::new();
    for (number, left) in [80, 100, 120].into_iter().enumerate() {
        let own = with(states(&mut document, &number.to_string()), dictionary! { "Parent" => group });
        kids.push(add(&mut document, [left, 280, left + 15, 295], own).into());
    }
    let exported = ["small", "medium", "large"].map(text_string).to_vec();
    let radio = with(named("Btn", "size"), dictionary! { "Ff" => 1 << 15, "Kids" => kids, "Opt" => exported });
    document.objects.insert(group, radio.into());
    fields.push(group.into());

    let pair = |stored: &str, shown: &str| -> Object { vec![text_string(stored), text_string(shown)].into() };
    let countries = vec![pair("de", "Germany"), pair("pl", "Poland")];
    let country = with(named("Ch", "country"), dictionary! { "Ff" => 1 << 17, "Opt" => countries });
    fields.push(add(&mut document, [20, 250, 120, 270], country).into());
    let languages = ["German", "Polish", "Arabic", "Japanese"].map(text_string).to_vec();
    let list = with(named("Ch", "languages"), dictionary! { "Ff" => 1 << 21, "Opt" => languages });
    fields.push(add(&mut document, [20, 180, 120, 245], list).into());
    fields.push(add(&mut document, [230, 250, 340, 270], named("Sig", "signature")).into());

    let address = document.new_object_id();
    let kids: Vec<Object> = ["street", "city"]
        .into_iter()
        .zip([150, 120])
        .map(|(name, bottom)| {
            let own = with(named("Tx", name), dictionary! { "Parent" => address });
            add(&mut document, [20, bottom, 220, bottom + 20], own).into()
        })
        .collect();
    document.objects.insert(address, dictionary! { "T" => text_string("address"), "Kids" => kids }.into());
    fields.push(address.into());

    document.get_dictionary_mut(page).unwrap().set("Annots", widgets);
    let form = dictionary! { "Fields" => fields, "DA" => string("/Helv 0 Tf 0 g") };
    document.catalog_mut().unwrap().set("AcroForm", form);
    document
}

fn filled(values: Value) -> (Run, Document) {
    let run = Run::new().with(&save(&mut form()));
    let result = run.result(Tool::FillForm, json!({ "fields": values }));
    (run, result)
}

fn refused(values: Value) -> String {
    let run = Run::new().with(&save(&mut form()));
    let failure = run.run(Tool::FillForm, json!({ "fields": values })).unwrap_err();
    assert_eq!(failure.code, ErrorCode::RenderFailed, "{failure:?}");
    failure.message
}

fn field(document: &Document, name: &str) -> Field {
    let form = document.child(catalog(document), b"AcroForm").unwrap();
    fields::read(document, form, 100).into_iter().find(|field| field.name == name).unwrap()
}

fn value(document: &Document, name: &str) -> Option<String> {
    field(document, name).value
}

/// The words of a page, by where they are shown: `(left, bottom, word)` in points.
fn words(run: &Run) -> Vec<(f32, f32, String)> {
    let path = run.path("result.pdf");
    let output = std::process::Command::new("pdftotext").args(["-bbox"]).arg(path).arg("-").output().unwrap();
    let html = String::from_utf8(output.stdout).unwrap();
    let number = |line: &str, key: &str| -> f32 {
        line.split_once(&format!("{key}=\"")).unwrap().1.split('"').next().unwrap().parse().unwrap()
    };
    let words = html.lines().filter(|line| line.trim_start().starts_with("<word"));
    words
        .map(|line| {
            let word = line.split_once('>').unwrap().1.split('<').next().unwrap();
            (number(line, "xMin"), 500.0 - number(line, "yMax"), word.to_owned())
        })
        .collect()
}

fn shows(run: &Run, rect: [f32; 4], word: &str) {
    let found = words(run);
    let inside = |(left, bottom, _): &&(f32, f32, String)| {
        rect[0] - 1.0 <= *left && *left <= rect[2] && rect[1] - 6.0 <= *bottom && *bottom <= rect[3]
    };
    assert!(found.iter().filter(inside).any(|(_, _, found)| found == word), "{word} in {rect:?}: {found:?}");
}

fn state(document: &Document, id: ObjectId) -> String {
    text(document.get_dictionary(id).unwrap().get(b"AS").unwrap())
}

#[test]
fn every_kind_of_field_is_filled_and_shown() {
    let values = json!({
        "name": "Zoë Łódź 山田", "notes": "first line\nsecond مرحبا", "code": "AB12", "turned": "upright", "total": 42.5,
        "terms": true, "bare": true, "size": "medium", "country": "Poland", "languages": ["German", "Arabic"],
        "address.city": "Köln",
    });
    let (run, result) = filled(values);
    let text_of = |name: &str| value(&result, name).unwrap();
    assert_eq!(text_of("name"), "Zoë Łódź 山田");
    assert_eq!(text_of("total"), "42.5");
    assert_eq!((text_of("terms"), text_of("bare")), ("Accepted".to_owned(), "Yes".to_owned()));
    // Stored under the form's name, whichever name the client used.
    assert_eq!((text_of("size"), text_of("country")), ("1".to_owned(), "pl".to_owned()));
    let states: Vec<String> = field(&result, "size").widgets.into_iter().map(|id| state(&result, id)).collect();
    assert_eq!(states, ["Off", "1", "Off"]);
    assert_eq!(value(&result, "address.street"), None);
    assert_eq!(text_of("languages"), "German, Arabic");

    shows(&run, [20.0, 440.0, 220.0, 460.0], "Zoë");
    shows(&run, [20.0, 440.0, 220.0, 460.0], "山田");
    shows(&run, [20.0, 400.0, 220.0, 430.0], "second");
    shows(&run, [20.0, 250.0, 120.0, 270.0], "Poland");
    shows(&run, [20.0, 180.0, 120.0, 245.0], "Japanese");
    shows(&run, [20.0, 120.0, 220.0, 140.0], "Köln");
    // At the right edge of its field, and in cells of 25 points.
    shows(&run, [285.0, 440.0, 340.0, 460.0], "42.5");
    let cells: Vec<f32> = ["A", "B", "1", "2"]
        .iter()
        .map(|cell| words(&run).into_iter().find(|(_, bottom, word)| word == cell && *bottom > 300.0).unwrap().0)
        .collect();
    for (number, left) in cells.iter().enumerate() {
        let cell = 20.0 + 25.0 * number as f32;
        assert!((cell..cell + 25.0).contains(left), "{cells:?}");
    }
}

#[test]
fn long_text_breaks_into_lines_and_warns_when_it_is_reduced() {
    let long = "A sentence of several words that is repeated. ".repeat(12);
    let run = Run::new().with(&save(&mut form()));
    let options = json!({"fields": {"notes": long, "total": "1,234,567,890.00 EUR", "name": "x"}});
    let (outcome, _) = run.results(Tool::FillForm, options);
    let lines: std::collections::BTreeSet<i32> = words(&run)
        .iter()
        .filter(|(left, bottom, _)| *left < 220.0 && *bottom > 330.0 && *bottom < 430.0)
        .map(|word| word.1 as i32)
        .collect();
    assert!(lines.len() >= 7, "{lines:?}");
    let warning = outcome.warnings.iter().find(|warning| warning.code == "text_shrunk").unwrap();
    assert!(warning.message.contains("`total`") && !warning.message.contains("notes"), "{}", warning.message);
}

#[test]
fn fields_are_cleared_and_missing_required_fields_are_reported() {
    let run = Run::new().with(&save(&mut form()));
    let (outcome, results) = run.results(Tool::FillForm, json!({"fields": {"name": null}}));
    assert_eq!(value(&results[0], "name").unwrap_or_default(), "");
    assert!(words(&run).iter().all(|(_, _, word)| word != "old"));
    let warning = outcome.warnings.iter().find(|warning| warning.code == "required_fields_empty").unwrap();
    assert!(warning.message.contains("`name`"), "{}", warning.message);
    assert_eq!(outcome.report.unwrap()["filled"], 1);
}

#[test]
fn a_flattened_form_shows_its_values_and_has_no_fields() {
    let run = Run::new().with(&save(&mut form()));
    let options = json!({"fields": {"name": "Łukasz", "terms": true}, "flatten": true});
    let result = run.result(Tool::FillForm, options);
    assert!(!catalog(&result).has(b"AcroForm"));
    shows(&run, [20.0, 440.0, 220.0, 460.0], "Łukasz");
    let page = *result.get_pages().get(&1).unwrap();
    assert!(result.array(result.get_dictionary(page).unwrap(), b"Annots").is_empty());
}

#[test]
fn values_that_do_not_fit_are_refused_with_what_does() {
    let message = refused(json!({"adress.city": "Köln", "nmae": "x"}));
    assert!(message.contains("Did you mean `address.city`") && message.contains("`name`"), "{message}");
    assert!(refused(json!({"zzzzz": "x"})).contains("Its fields are `name`, `notes`"));
    assert!(refused(json!({"code": "123456789"})).contains("`code` takes at most 8 characters; the value has 9."));
    assert!(refused(json!({"country": "France"})).contains("Its choices are `de`, `pl`."));
    assert!(refused(json!({"size": "huge"})).contains("`small`, `medium`, `large`"));
    assert!(refused(json!({"size": true})).contains("has several choices"));
    assert!(refused(json!({"country": ["de", "pl"]})).contains("only one"));
    assert!(refused(json!({"signature": "x"})).contains("signature field"));
    assert!(refused(json!({"name": true})).contains("`name` takes a text."));
}

#[test]
fn documents_without_a_form_and_dynamic_xfa_are_refused() {
    let run = Run::new().with(&plain("one", 1));
    let failure = run.run(Tool::FillForm, json!({"fields": {"a": "b"}})).unwrap_err();
    assert_eq!(failure.message, "This PDF has no form fields.");
    let mut document = form();
    let form = document.catalog_mut().unwrap().get_mut(b"AcroForm").unwrap().as_dict_mut().unwrap();
    form.set("XFA", Vec::<Object>::new());
    let run = Run::new().with(&save(&mut document));
    let (outcome, results) = run.results(Tool::FillForm, json!({"fields": {"name": "b"}}));
    assert!(outcome.warnings.iter().any(|warning| warning.code == "xfa_dropped"), "{:?}", outcome.warnings);
    let filled = results[0].child(catalog(&results[0]), b"AcroForm").unwrap();
    assert!(!filled.has(b"XFA") && filled.has(b"Fields"), "{filled:?}");

    document.catalog_mut().unwrap().set("NeedsRendering", true);
    let run = Run::new().with(&save(&mut document));
    let failure = run.run(Tool::FillForm, json!({"fields": {"name": "b"}})).unwrap_err();
    assert_eq!(failure.code, ErrorCode::UnsupportedFormat);
}

#[test]
fn results_are_the_same_every_time() {
    let bytes = || {
        let (run, _) = filled(json!({"name": "山田", "notes": "مرحبا", "languages": ["Polish"]}));
        std::fs::read(run.path("result.pdf")).unwrap()
    };
    assert_eq!(bytes(), bytes());
}

#[test]
fn emoji_and_other_scripts_are_shown_in_fields() {
    for (value, code) in [("Zoë 🍺", None), ("日本語 Ελλάδα", None), ("a\u{E123}", Some("missing_glyph"))] {
        let run = Run::new().with(&save(&mut form()));
        let name = fields::read(&form(), form().child(catalog(&form()), b"AcroForm").unwrap(), 100)[0].name.clone();
        let options = json!({"fields": { name: value }, "flatten": true});
        let outcome = run.run(Tool::FillForm, options).unwrap();
        let found: Vec<String> = words(&run).into_iter().map(|(.., word)| word).collect();
        // Words may be divided where the font changes.
        assert!(found.concat().contains(&value.replace(' ', "")), "{found:?}");
        let missing = outcome.warnings.iter().find(|warning| warning.code == "missing_glyph");
        assert_eq!(missing.map(|warning| warning.code.as_str()), code);
    }
}
