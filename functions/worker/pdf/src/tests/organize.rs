use docmill_pdf_core::space::{rotation, shown_size, visible_box};

use super::*;
use fixture::{plain, rich};

#[test]
fn pages_are_selected_reordered_and_repeated() {
    let result = Run::new().with(&plain("one", 5)).result(Tool::OrganizePdf, json!({"pages": "z-4,1,1"}));
    assert_eq!(page_texts(&result), ["one 5", "one 4", "one 1", "one 1"]);
}

#[test]
fn a_repeated_page_adds_no_second_field() {
    let result = Run::new().with(&rich("one", 2)).result(Tool::OrganizePdf, json!({"pages": "1,2,1"}));
    assert_eq!(fields(&result), [("name".to_owned(), 1), ("choice".to_owned(), 2)]);
    assert_eq!(links(&result), [[2, 1], [1, 1], [2, 1]]);
    let last = *result.get_pages().get(&3).unwrap();
    let annotations = result.array(result.get_dictionary(last).unwrap(), b"Annots");
    let kinds: Vec<String> = annotations
        .iter()
        .map(|annotation| text(result.value(result.dictionary(annotation).unwrap(), b"Subtype").unwrap()))
        .collect();
    // The text field's appearance stays visible; the radio button has none.
    assert_eq!(kinds, ["Stamp", "Link", "Link"]);
}

#[test]
fn pages_of_the_result_are_turned_and_cropped() {
    let options = json!({
        "pages": "1,1,2",
        "rotate": [{"pages": "2", "degrees": 90}, {"degrees": 180}],
        "crop": {"top": 10, "left": 50, "pages": "2-3"},
    });
    let result = Run::new().with(&plain("one", 2)).result(Tool::OrganizePdf, options);
    let pages: Vec<&Dictionary> = result.get_pages().values().map(|id| result.get_dictionary(*id).unwrap()).collect();
    assert_eq!(pages.iter().map(|page| rotation(&result, page)).collect::<Vec<_>>(), [180, 270, 180]);
    assert_eq!(shown_size(&result, pages[0]), (300.0, 400.0));
    assert_eq!(shown_size(&result, pages[1]), (350.0, 290.0));
    // At 180 degrees, the displayed top left is the page's own bottom right.
    let visible = visible_box(&result, pages[2]);
    assert_eq!((visible.left, visible.bottom, visible.right, visible.top), (0.0, 10.0, 250.0, 400.0));
}

#[test]
fn a_crop_of_everything_is_refused() {
    let run = Run::new().with(&plain("one", 1));
    let failure = run.run(Tool::OrganizePdf, json!({"crop": {"left": 200, "right": 150}})).unwrap_err();
    assert!(failure.message.contains("leaves nothing of page 1"), "{}", failure.message);
}

#[test]
fn pages_are_placed_side_by_side() {
    let run = Run::new().with(&rich("one", 5));
    let (outcome, documents) = run.results(Tool::OrganizePdf, json!({"nUp": 2}));
    let result = &documents[0];
    let pages: Vec<_> = result.get_pages().into_values().collect();
    assert_eq!(pages.len(), 3);
    assert_eq!(shown_size(result, result.get_dictionary(pages[0]).unwrap()), (400.0, 300.0));
    // Bookmarks and links lead to the sheet that shows the page.
    assert_eq!(outline(result)[1..4], ["1 one chapter 1 1", "1 one chapter 2 1", "1 one chapter 3 2"]);
    assert_eq!(links(result), [vec![1, 1, 2, 1], vec![2, 1, 3, 1], vec![1, 1]]);
    assert_eq!(fields(result), [("name".to_owned(), 1), ("choice".to_owned(), 5)]);
    assert!(outcome.warnings.iter().all(|warning| warning.code != "tags_removed"), "{:?}", outcome.warnings);
    assert_eq!(structure(result), "Document(Para(<1>)Para(<1>)Para(<2>)Para(<2>)Para(<3>))");
    for (count, sheets) in [(4, 2), (9, 1)] {
        assert_eq!(run.result(Tool::OrganizePdf, json!({"nUp": count})).get_pages().len(), sheets);
    }
}

#[test]
fn repeated_pages_have_tags_of_their_own() {
    let run = Run::new().with(&rich("one", 3));
    let result = run.result(Tool::OrganizePdf, json!({"pages": "1,2,1,3,2"}));
    assert_eq!(structure(&result), "Document(Para([1])Para([2])Para([3])Para([4])Para([5]))");
    parents_resolve(&result);
    let result = run.result(Tool::OrganizePdf, json!({"pages": "2,2,1", "nUp": 4}));
    assert_eq!(structure(&result), "Document(Para(<1>)Para(<1>)Para(<1>))");
}

#[test]
fn a_booklet_has_its_pages_where_folding_needs_them() {
    let result = Run::new().with(&plain("one", 6)).result(Tool::OrganizePdf, json!({"booklet": true}));
    let sides: Vec<Vec<String>> = result
        .get_pages()
        .values()
        .map(|id| {
            let page = result.get_dictionary(*id).unwrap();
            let forms = result.child(result.child(page, b"Resources").unwrap(), b"XObject").unwrap();
            forms
                .iter()
                .map(|(_, form)| {
                    let content = result.resolve(form).unwrap().as_stream().unwrap().get_plain_content().unwrap();
                    let content = String::from_utf8(content).unwrap();
                    content.split(['(', ')']).nth(1).unwrap().to_owned()
                })
                .collect()
        })
        .collect();
    assert_eq!(sides, [vec!["one 1"], vec!["one 2"], vec!["one 6", "one 3"], vec!["one 4", "one 5"]]);
}
