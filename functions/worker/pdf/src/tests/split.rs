use super::*;
use fixture::{plain, plain_document, rich, save};

fn names(outcome: &Outcome) -> Vec<&str> {
    outcome.artifacts.iter().map(|artifact| artifact.filename.as_deref().unwrap()).collect()
}

#[test]
fn a_part_does_not_contain_the_rest() {
    let run = Run::new().with(&rich("one", 4));
    let (outcome, parts) = run.results(Tool::SplitPdf, json!({"mode": "ranges", "ranges": ["1-2", "3,z"]}));
    assert_eq!(names(&outcome), ["file 0-1.pdf", "file 0-2.pdf"]);
    let (first, second) = (&parts[0], &parts[1]);
    assert!(page_texts(first)[0].starts_with("one 1"));
    assert_eq!(outline(first), ["0 Chapters 1 closed", "1 one chapter 1 1", "1 one chapter 2 2"]);
    assert_eq!(outline(second), ["0 Chapters - closed", "1 one chapter 3 1", "1 one chapter 4 2", "0 End 2"]);
    // From 1 to 2 and to itself; from 2 to 1, not to 3. From 3 to 4.
    assert_eq!(links(first), [vec![2, 1], vec![1]]);
    assert_eq!(links(second), [vec![2], vec![]]);
    assert_eq!(fields(first), [("name".to_owned(), 1), ("choice".to_owned(), 2)]);
    assert_eq!(fields(second), [("choice".to_owned(), 2)]);
    assert_eq!(structure(second), "Document(Para([1])Para([2]))");
    parents_resolve(first);
    parents_resolve(second);
    assert_eq!(layers(first), (vec!["one shown".to_owned()], vec![]));
    assert_eq!(layers(second), (vec!["one hidden".to_owned()], vec!["one hidden".to_owned()]));
    assert_eq!(destinations(second).len(), 4);
    for gone in ["one 3", "one 4", "chapter 3", "page003", "one hidden"] {
        assert!(!holds(first, gone), "{gone}");
    }
    // Data that belongs to no page is in one part.
    assert_eq!((attachments(first).len(), attachments(second).len()), (1, 0));
}

#[test]
fn an_option_says_its_mode() {
    let run = Run::new().with(&plain("one", 10));
    let pages = |options: Value| {
        let (outcome, parts) = run.results(Tool::SplitPdf, options);
        let codes: Vec<_> = outcome.warnings.iter().map(|warning| warning.code.to_string()).collect();
        (parts.iter().map(|part| part.get_pages().len()).collect::<Vec<_>>(), codes)
    };
    assert_eq!(pages(json!({"ranges": ["1-3", "4-10"]})), (vec![3, 7], vec![]));
    assert_eq!(pages(json!({"mebibytes": 100})), (vec![10], vec![]));
    assert_eq!(pages(json!({"every": 5})), (vec![5, 5], vec![]));
    let contradiction = json!({"mode": "every", "every": 5, "ranges": ["1"]});
    assert_eq!(pages(contradiction), (vec![5, 5], vec!["option_without_effect".to_owned()]));
}

#[test]
fn every_page_becomes_a_file() {
    let run = Run::new().with(&plain("one", 11));
    let (outcome, parts) = run.results(Tool::SplitPdf, json!({}));
    assert_eq!(parts.len(), 11);
    assert_eq!((names(&outcome)[0], names(&outcome)[10]), ("file 0-01.pdf", "file 0-11.pdf"));
    assert_eq!(page_texts(&parts[10]), ["one 11"]);
    let (_, parts) = run.results(Tool::SplitPdf, json!({"mode": "every", "every": 4}));
    assert_eq!(parts.iter().map(|part| part.get_pages().len()).collect::<Vec<_>>(), [4, 4, 3]);
}

#[test]
fn bookmarks_start_and_name_parts() {
    let run = Run::new().with(&rich("one", 3));
    let options = json!({"mode": "bookmarks", "level": 2, "filenamePattern": "{name}-{n}-{title}"});
    let (outcome, parts) = run.results(Tool::SplitPdf, options);
    let expected = ["file 0-1-Chapters.pdf", "file 0-2-one chapter 2.pdf", "file 0-3-one chapter 3.pdf"];
    assert_eq!(names(&outcome), expected);
    assert!(page_texts(&parts[1])[0].starts_with("one 2"));
    let (outcome, parts) = run.results(Tool::SplitPdf, json!({"mode": "bookmarks", "filenamePattern": "{title}"}));
    assert_eq!((names(&outcome), parts[0].get_pages().len()), (vec!["Chapters.pdf", "End.pdf"], 2));
}

#[test]
fn splitting_by_missing_bookmarks_suggests_another_way() {
    let failure = Run::new().with(&plain("one", 3)).run(Tool::SplitPdf, json!({"mode": "bookmarks"})).unwrap_err();
    assert!(failure.message.contains("no bookmarks"), "{}", failure.message);
}

#[test]
fn blank_pages_separate_parts() {
    let mut document = plain_document("one", 6, (300.0, 400.0));
    let pages: Vec<_> = document.get_pages().into_values().collect();
    for index in [0, 2, 3] {
        let content =
            document.add_object(lopdf::Stream::new(Dictionary::new(), b"q 1 0 0 1 0 0 cm BT ( ) Tj ET Q".to_vec()));
        document.get_dictionary_mut(pages[index]).unwrap().set("Contents", content);
    }
    let run = Run::new().with(&save(&mut document));
    let (_, parts) = run.results(Tool::SplitPdf, json!({"mode": "blank"}));
    let texts: Vec<Vec<String>> = parts.iter().map(page_texts).collect();
    assert_eq!(texts, [vec!["one 2"], vec!["one 5", "one 6"]]);
}

#[test]
fn parts_are_as_large_as_they_may_be() {
    let mut document = plain_document("one", 9, (300.0, 400.0));
    let pages: Vec<_> = document.get_pages().into_values().collect();
    let mut state = 1_u32;
    for (index, page) in pages.iter().enumerate() {
        // Noise does not compress. Page 5 alone is beyond the size asked for.
        let length = if index == 4 { 90_000 } else { 20_000 };
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .take(length)
        .collect();
        let noise = document.add_object(lopdf::Stream::new(Dictionary::new(), noise));
        document.get_dictionary_mut(*page).unwrap().set("Thumb", noise);
    }
    let run = Run::new().with(&save(&mut document));
    let (outcome, parts) = run.results(Tool::SplitPdf, json!({"mode": "size", "mebibytes": 0.0625}));
    let counts: Vec<usize> = parts.iter().map(|part| part.get_pages().len()).collect();
    assert_eq!(counts, [3, 1, 1, 3, 1]);
    assert_eq!(outcome.warnings[0].code, "part_too_large");
    for (position, artifact) in outcome.artifacts.iter().enumerate() {
        assert!(std::fs::metadata(run.path(&artifact.file)).unwrap().len() <= 65_536 || position == 2);
    }
}

#[test]
fn parts_of_the_same_name_get_different_names() {
    let (outcome, _) = Run::new().with(&plain("one", 2)).results(Tool::SplitPdf, json!({"filenamePattern": "{name}"}));
    assert_eq!(names(&outcome), ["file 0.pdf", "file 0-2.pdf"]);
}
