//! The differences between versions of a document, and how sheets show them.

use super::*;
use fixture::{plain, plain_document, rich, save};
use lopdf::Stream;

/// Pages with these texts, a line each.
fn pages(texts: &[&str]) -> Vec<u8> {
    let mut document = plain_document("unused", texts.len(), (300.0, 400.0));
    let ids: Vec<_> = document.get_pages().into_values().collect();
    for (id, text) in ids.into_iter().zip(texts) {
        write(&mut document, id, &format!("BT /F 12 Tf 40 300 Td ({text}) Tj ET"));
    }
    save(&mut document)
}

fn write(document: &mut Document, page: lopdf::ObjectId, content: &str) {
    let content = document.add_object(Stream::new(Dictionary::new(), content.as_bytes().to_vec()));
    document.get_dictionary_mut(page).unwrap().set("Contents", content);
}

fn compared(before: &[u8], after: &[u8], mut options: Value) -> (Value, Outcome) {
    options["format"] = json!("json");
    let run = Run::new().with(before).with(after);
    let outcome = run.run(Tool::CompareDocuments, options).unwrap();
    let data = std::fs::read(run.path(&outcome.artifacts[0].file)).unwrap();
    (serde_json::from_slice(&data).unwrap(), outcome)
}

fn texts(changes: &Value) -> Vec<&str> {
    changes.as_array().unwrap().iter().map(|change| change["text"].as_str().unwrap()).collect()
}

const OLD: &str = "The price of the house is 100 euros, payable in May";
const NEW: &str = "The price of the garden is 100 euros, payable in June";

#[test]
fn changed_words_are_found_where_they_stand() {
    let (data, outcome) = compared(&pages(&[OLD]), &pages(&[NEW]), json!({}));
    let page = &data["pages"][0];
    assert_eq!((texts(&page["removed"]), texts(&page["added"])), (vec!["house", "May"], vec!["garden", "June"]));
    // The line is 300 points above the lower edge of a page of 400: its letters end slightly above 100.
    let place = &page["removed"][0]["area"];
    let (x, y) = (place["x"].as_f64().unwrap(), place["y"].as_f64().unwrap());
    let (width, height) = (place["width"].as_f64().unwrap(), place["height"].as_f64().unwrap());
    assert!(x > 100.0 && x < 200.0 && y > 85.0 && y + height < 105.0, "{place}");
    assert!(width > 20.0 && width < 50.0, "{place}");
    assert!(!page["areas"].as_array().unwrap().is_empty());
    assert!(page["similarity"].as_f64().unwrap() < 1.0);
    let report = outcome.report.unwrap();
    assert_eq!((&report["wordsRemoved"], &report["wordsAdded"]), (&json!(2), &json!(2)));
    assert_eq!(report["changedPages"], 1);
    // The report is stored with the job, so it must not contain the documents' text.
    assert!(!report.to_string().contains("garden"));
}

#[test]
fn equal_documents_have_no_changes() {
    for options in [json!({}), json!({"mode": "text"})] {
        let (data, outcome) = compared(&rich("one", 3), &rich("one", 3), options);
        assert_eq!(data["similarity"], 1.0);
        for page in data["pages"].as_array().unwrap() {
            assert_eq!((&page["areas"], &page["removed"], &page["added"]), (&json!([]), &json!([]), &json!([])));
        }
        assert_eq!(outcome.report.unwrap()["changedPages"], 0);
    }
}

#[test]
fn a_drawing_that_changes_is_an_area_without_words() {
    let drawn = |square: &str| {
        let mut document = plain_document("plan", 1, (300.0, 400.0));
        let page = document.get_pages()[&1];
        write(&mut document, page, &format!("BT /F 20 Tf 40 200 Td (plan 1) Tj ET {square}"));
        save(&mut document)
    };
    let (data, _) = compared(&drawn(""), &drawn("1 0 0 rg 200 50 40 30 re f"), json!({}));
    let page = &data["pages"][0];
    assert_eq!((texts(&page["removed"]).len(), texts(&page["added"]).len()), (0, 0));
    let areas = page["areas"].as_array().unwrap();
    assert_eq!(areas.len(), 1, "{areas:?}");
    let (x, y) = (areas[0]["x"].as_f64().unwrap(), areas[0]["y"].as_f64().unwrap());
    assert!((193.0..=200.0).contains(&x) && (313.0..=320.0).contains(&y), "{areas:?}");
    // As texts they are equal.
    assert_eq!(compared(&drawn(""), &drawn("200 50 40 30 re f"), json!({"mode": "text"})).0["similarity"], 1.0);
}

#[test]
fn an_inserted_page_does_not_change_those_after_it() {
    let (before, after) =
        (pages(&["one cat", "two dogs", "three birds"]), pages(&["one cat", "a new page", "two dogs", "three birds"]));
    let (data, outcome) = compared(&before, &after, json!({}));
    let numbers: Vec<_> = data["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| (page["before"].as_u64(), page["after"].as_u64()))
        .collect();
    assert_eq!(numbers, [(Some(1), Some(1)), (None, Some(2)), (Some(2), Some(3)), (Some(3), Some(4))]);
    assert_eq!(outcome.report.unwrap()["changedPages"], 1);
}

#[test]
fn text_that_moves_to_the_next_page_is_not_a_change() {
    let (before, after) = (pages(&["one two three", "four five"]), pages(&["one two", "three four five six"]));
    let (data, _) = compared(&before, &after, json!({"mode": "text"}));
    assert_eq!((data["wordsRemoved"].as_u64(), data["wordsAdded"].as_u64()), (Some(0), Some(1)));
    assert_eq!(texts(&data["pages"][1]["added"]), ["six"]);
    let (data, _) = compared(&before, &after, json!({"mode": "visual"}));
    assert_eq!((data["wordsRemoved"].as_u64(), data["wordsAdded"].as_u64()), (Some(1), Some(2)));
}

#[test]
fn sheets_show_both_pages_with_their_marks() {
    let run = Run::new().with(&pages(&[OLD, "same"])).with(&pages(&[NEW, "same", "more"]));
    let (outcome, documents) = run.results(Tool::CompareDocuments, json!({}));
    let sheets: Vec<_> = documents[0].get_pages().into_values().collect();
    assert_eq!(sheets.len(), 3);
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    let box_of = |page| docmill_pdf_core::space::visible_box(&documents[0], documents[0].get_dictionary(page).unwrap());
    assert_eq!((box_of(sheets[0]).width(), box_of(sheets[0]).height()), (636.0, 436.0));
    let text = text_of(&run, &outcome);
    assert!(text[0].contains("house") && text[0].contains("garden"), "{text:?}");
    assert!(text[0].contains("Before: page 1") && text[0].contains("After: page 1"), "{text:?}");
    assert!(text[0].contains("% alike") && text[1].contains("No changes") && text[2].contains("Added"), "{text:?}");
    let (outcome, documents) = run.results(Tool::CompareDocuments, json!({"onlyChanged": true}));
    assert_eq!(documents[0].get_pages().len(), 2);
    assert!(!text_of(&run, &outcome).iter().any(|page| page.contains("No changes")));
}

/// pdfium's text of each page in a result.
fn text_of(run: &Run, outcome: &Outcome) -> Vec<String> {
    let session = engines().libraries.pdfium().unwrap().session();
    let path = run.path(&outcome.artifacts[0].file);
    let document = docmill_pdf_core::pdfium::Document::open(&session, &path, None).unwrap();
    (0..document.pages()).map(|page| document.page(page).unwrap().text().unwrap().string()).collect()
}

#[test]
fn the_marks_lie_on_the_words_of_turned_pages_too() {
    let turned = |text: &str| {
        let mut document = plain_document("unused", 1, (300.0, 400.0));
        let page = document.get_pages()[&1];
        write(&mut document, page, &format!("BT /F 12 Tf 0 1 -1 0 150 40 Tm ({text}) Tj ET"));
        document.get_dictionary_mut(page).unwrap().set("Rotate", 90);
        save(&mut document)
    };
    let run = Run::new().with(&turned(OLD)).with(&turned(NEW));
    let (outcome, _) = run.results(Tool::CompareDocuments, json!({}));
    let session = engines().libraries.pdfium().unwrap().session();
    let path = run.path(&outcome.artifacts[0].file);
    let document = docmill_pdf_core::pdfium::Document::open(&session, &path, None).unwrap();
    let page = document.page(0).unwrap();
    let (width, height) = page.size();
    let picture =
        page.render(width as u32, height as u32, docmill_pdf_core::pdfium::Background::Color([255; 3])).unwrap();
    let content = docmill_pdf_text::read(&page, 1, false).unwrap();
    // How many red or blue pixels are behind a word.
    let behind = |text: &str, is_of: fn([u8; 3]) -> bool| {
        let word = content.words.iter().chain(&content.aside).find(|word| word.text.starts_with(text)).unwrap();
        let columns = word.place.x0 as usize..word.place.x1 as usize;
        let rows = word.place.y0 as usize..word.place.y1 as usize;
        let places = rows.flat_map(|y| columns.clone().map(move |x| (y * picture.width as usize + x) * 4));
        places.filter(|at| is_of([picture.data[*at], picture.data[at + 1], picture.data[at + 2]])).count()
    };
    let red = |[red, _, blue]: [u8; 3]| red > blue.saturating_add(40);
    let blue = |[red, _, blue]: [u8; 3]| blue > red.saturating_add(40);
    assert!(behind("house", red) > 50 && behind("house", blue) == 0);
    // The frame around the changed area is orange.
    assert!(behind("garden", blue) > 50 && behind("garden", blue) > behind("garden", red));
    assert_eq!((behind("price", red), behind("price", blue)), (0, 0));
    // The letters are as black as on the original page.
    assert!(picture.data.chunks_exact(4).any(|pixel| pixel[..3].iter().all(|part| *part < 60)));
}

#[test]
fn bookmarks_of_the_first_document_lead_to_its_sheets() {
    let run = Run::new().with(&rich("one", 3)).with(&plain("one", 3));
    let result = run.result(Tool::CompareDocuments, json!({}));
    assert_eq!(outline(&result)[1..4], ["1 one chapter 1 1", "1 one chapter 2 2", "1 one chapter 3 3"]);
    assert!(fields(&result).is_empty());
    assert!(attachments(&result).is_empty());
}

#[test]
fn a_document_without_text_is_told_of_in_text_mode() {
    let mut blank = plain_document("unused", 1, (300.0, 400.0));
    let page = blank.get_pages()[&1];
    write(&mut blank, page, "200 50 40 30 re f");
    let (_, outcome) = compared(&save(&mut blank), &pages(&[NEW]), json!({"mode": "text"}));
    assert_eq!(outcome.warnings.iter().map(|warning| warning.code.as_str()).collect::<Vec<_>>(), ["no_text"]);
}

#[test]
fn pages_of_different_sizes_are_compared_from_their_top_left_corner() {
    let sized = |width: f32, height: f32| {
        let mut document = plain_document("unused", 1, (width, height));
        let page = document.get_pages()[&1];
        let baseline = height - 100.0;
        write(&mut document, page, &format!("BT /F 12 Tf 40 {baseline} Td (The same line) Tj ET"));
        save(&mut document)
    };
    let (data, _) = compared(&sized(300.0, 400.0), &sized(500.0, 600.0), json!({}));
    assert_eq!(data["pages"][0]["areas"], json!([]));
    let result = Run::new().with(&sized(300.0, 400.0)).with(&sized(500.0, 600.0));
    assert_eq!(result.result(Tool::CompareDocuments, json!({})).get_pages().len(), 1);
}
