use docmill_formats::Format;

use super::*;
use fixture::{plain, plain_document, rich, save};

#[test]
fn merging_keeps_everything_of_every_source() {
    let run = Run::new().with(&rich("one", 3)).with(&rich("two", 2));
    let result = run.result(Tool::MergePdf, json!({}));
    assert_eq!(page_texts(&result).len(), 5);
    assert!(page_texts(&result)[3].starts_with("two 1"));
    assert_eq!(
        outline(&result),
        [
            "0 Chapters 1 closed",
            "1 one chapter 1 1",
            "1 one chapter 2 2",
            "1 one chapter 3 3",
            "0 End 3",
            "0 Chapters 4 closed",
            "1 two chapter 1 4",
            "1 two chapter 2 5",
            "0 End 5",
        ]
    );
    assert_eq!(links(&result), [[2, 1], [3, 1], [1, 1], [5, 4], [4, 4]]);
    let names = destinations(&result);
    assert_eq!(
        (names["page002"], names["page002+2"], names["old1"], names["old1+2"]),
        (Some(2), Some(5), Some(1), Some(4))
    );
    let all = [("name", 1), ("choice", 3), ("name+2", 1), ("choice+2", 2)].map(|(name, kids)| (name.to_owned(), kids));
    assert_eq!(fields(&result), all);
    assert_eq!(structure(&result), "Document(Para([1])Para([2])Para([3]))Document(Para([4])Para([5]))");
    parents_resolve(&result);
    let (groups, hidden) = layers(&result);
    assert_eq!(groups, ["one shown", "one hidden", "two shown", "two hidden"]);
    assert_eq!(hidden, ["one hidden", "two hidden"]);
    let files = attachments(&result);
    assert_eq!(files["note.txt"], b"attachment of one");
    assert_eq!(files["note.txt+2"], b"attachment of two");
}

#[test]
fn element_identifiers_of_sources_are_kept_apart() {
    let run = Run::new().with(&rich("one", 1)).with(&rich("two", 1));
    let result = run.result(Tool::MergePdf, json!({}));
    let root = result.child(catalog(&result), b"StructTreeRoot").unwrap();
    let ids = tree(&result, result.child(root, b"IDTree").unwrap(), b"Names");
    let ids: Vec<(String, String)> = ids
        .iter()
        .map(|(id, element)| (text(id), text(result.value(result.dictionary(element).unwrap(), b"ID").unwrap())))
        .collect();
    assert_eq!(ids, [("node1", "node1"), ("node1+2", "node1+2")].map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn page_labels_go_on_with_each_source() {
    let run = Run::new().with(&rich("one", 3)).with(&plain("two", 2));
    let result = run.result(Tool::MergePdf, json!({}));
    let labels = tree(&result, result.child(catalog(&result), b"PageLabels").unwrap(), b"Nums");
    let labels: Vec<String> = labels
        .iter()
        .map(|(page, label)| {
            let label = label.as_dict().unwrap();
            let value = |key: &[u8]| label.get(key).ok().map(text).unwrap_or_default();
            format!("{} {} {}", page.as_i64().unwrap(), value(b"S"), value(b"P"))
        })
        .collect();
    assert_eq!(labels, ["0 r ", "2 D A-", "3 D "]);
}

#[test]
fn a_title_holds_the_bookmarks_of_its_source() {
    let mut run = Run::new();
    run.push(&rich("one", 1), Format::Pdf).title = Some("Première partie 山".to_owned());
    run.push(&plain("two", 2), Format::Pdf).title = Some("Second".to_owned());
    let result = run.result(Tool::MergePdf, json!({}));
    let expected = ["0 Première partie 山 1", "1 Chapters 1 closed", "2 one chapter 1 1", "1 End 1", "0 Second 2"];
    assert_eq!(outline(&result), expected);
    let titles = run.result(Tool::MergePdf, json!({"bookmarks": "titles"}));
    assert_eq!(outline(&titles), ["0 Première partie 山 1", "0 Second 2"]);
    let none = run.result(Tool::MergePdf, json!({"bookmarks": "none"}));
    assert_eq!(outline(&none), [""; 0]);
}

#[test]
fn untitled_sources_get_their_own_title_or_name() {
    let run = Run::new().with(&rich("one", 1)).with(&plain("two", 1));
    let result = run.result(Tool::MergePdf, json!({"bookmarks": "titles"}));
    assert_eq!(outline(&result), ["0 Title of one 1", "0 file 1 2"]);
}

#[test]
fn a_page_range_brings_what_belongs_to_its_pages() {
    let mut run = Run::new();
    run.push(&rich("one", 4), Format::Pdf).page_range = Some("3-2".to_owned());
    run.push(&plain("two", 2), Format::Pdf).page_range = Some("z".to_owned());
    let result = run.result(Tool::MergePdf, json!({}));
    let texts = page_texts(&result);
    assert_eq!((texts[0].as_str(), texts[1].as_str(), texts[2].as_str()), ("one 3", "one 2", "two 2"));
    assert_eq!(outline(&result), ["0 Chapters - closed", "1 one chapter 2 2", "1 one chapter 3 1"]);
    assert_eq!(fields(&result), [("choice".to_owned(), 2)]);
    assert_eq!(structure(&result), "Document(Para([2])Para([1]))");
    // Links from 3 to 4, and from both to 1, have no target now.
    assert_eq!(links(&result), [vec![], vec![1], vec![]]);
    assert!(!holds(&result, "one 4") && !holds(&result, "one 1"));
}

#[test]
fn a_range_beyond_the_document_is_an_error() {
    let mut run = Run::new();
    run.push(&plain("one", 2), Format::Pdf).page_range = Some("2-3".to_owned());
    let failure = run.run(Tool::MergePdf, json!({})).unwrap_err();
    assert_eq!(failure.code, docmill_pdf_request::ErrorCode::RenderFailed);
    assert_eq!(
        failure.message,
        "`sources[0].pageRange`: There is no page 3: the document has 2 pages. Use `z` for the last one."
    );
}

#[test]
fn pages_get_the_same_size() {
    let wide = save(&mut plain_document("wide", 1, (800.0, 300.0)));
    let run = Run::new().with(&plain("tall", 1)).with(&wide);
    let sizes = |result: &Document| -> Vec<(f32, f32)> {
        let pages = result.get_pages();
        pages
            .values()
            .map(|page| docmill_pdf_core::space::shown_size(result, result.get_dictionary(*page).unwrap()))
            .collect()
    };
    assert_eq!(sizes(&run.result(Tool::MergePdf, json!({}))), [(300.0, 400.0), (800.0, 300.0)]);
    let first = run.result(Tool::MergePdf, json!({"pageSize": "first"}));
    assert_eq!(sizes(&first), [(300.0, 400.0), (400.0, 300.0)]);
    assert_eq!(page_texts(&first), ["tall 1", "wide 1"]);
    let a4 = run.result(Tool::MergePdf, json!({"pageSize": "A4"}));
    assert_eq!(sizes(&a4), [(595.28, 841.89), (841.89, 595.28)]);
}

#[test]
fn each_source_starts_on_a_right_hand_page() {
    let run = Run::new().with(&plain("one", 3)).with(&plain("two", 2)).with(&plain("three", 1));
    let result = run.result(Tool::MergePdf, json!({"blankPages": "odd"}));
    assert_eq!(page_texts(&result), ["one 1", "one 2", "one 3", "", "two 1", "two 2", "three 1"]);
}

#[test]
fn the_same_sources_make_the_same_bytes() {
    let run = Run::new().with(&rich("one", 3)).with(&rich("two", 2));
    let bytes = || {
        run.run(Tool::MergePdf, json!({})).unwrap();
        std::fs::read(run.path("result.pdf")).unwrap()
    };
    assert_eq!(bytes(), bytes());
}

#[test]
fn fonts_of_forms_are_kept_apart() {
    let mut other = fixture::rich_document("two", 1);
    for object in other.objects.values_mut() {
        if let Object::Dictionary(font) = object
            && font.has_type(b"Font")
        {
            font.set("BaseFont", "Courier");
        }
    }
    let run = Run::new().with(&rich("one", 1)).with(&save(&mut other));
    let result = run.result(Tool::MergePdf, json!({}));
    let form = result.child(catalog(&result), b"AcroForm").unwrap();
    let fonts = result.child(result.child(form, b"DR").unwrap(), b"Font").unwrap();
    let base = |name: &[u8]| text(result.value(result.child(fonts, name).unwrap(), b"BaseFont").unwrap());
    assert_eq!((base(b"Helv"), base(b"Helv+2")), ("Helvetica".to_owned(), "Courier".to_owned()));
    let fields = result.array(form, b"Fields");
    let appearance = |index: usize| text(result.value(result.dictionary(&fields[index]).unwrap(), b"DA").unwrap());
    assert_eq!((appearance(0).as_str(), appearance(2).as_str()), ("/Helv 10 Tf", "/Helv+2 10 Tf"));
}

#[test]
fn too_many_pages_are_refused() {
    let mut run = Run::new().with(&plain("one", 6)).with(&plain("two", 6));
    run.limits.pages = 10;
    let failure = run.run(Tool::MergePdf, json!({})).unwrap_err();
    assert_eq!(failure.code, docmill_pdf_request::ErrorCode::PageLimitExceeded);
}
