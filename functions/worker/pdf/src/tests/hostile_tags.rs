//! Hostile tags: `extract-document` reads the text all the same, by the tags or by what the pages look like.

use lopdf::{Object, ObjectId, Stream, dictionary};

use super::*;
use fixture::{plain_document, save};

const TITLE: &str = "Results";
const TEXT: &str = "Some words of a text that goes on for a while.";

/// A document of two pages, each a heading with the mark 0 and a paragraph with the mark 1. `tags` makes the kids of its structure.
fn tagged(tags: impl FnOnce(&mut Document, [ObjectId; 2]) -> Object) -> Vec<u8> {
    let mut document = plain_document("page", 2, (300.0, 400.0));
    let pages: Vec<ObjectId> = document.get_pages().into_values().collect();
    for page in &pages {
        let title = format!("/H1 <</MCID 0>> BDC BT /F 20 Tf 40 300 Td ({TITLE}) Tj ET EMC");
        let text = format!("/P <</MCID 1>> BDC BT /F 10 Tf 40 250 Td ({TEXT}) Tj ET EMC");
        let content = Stream::new(Dictionary::new(), format!("{title}\n{text}").into_bytes());
        let content = document.add_object(content);
        document.get_dictionary_mut(*page).unwrap().set("Contents", content);
    }
    let kids = tags(&mut document, [pages[0], pages[1]]);
    let roles = dictionary! { "Loop" => "Round", "Round" => "Loop", "Title" => "Title" };
    let classes = dictionary! { "c" => vec![Object::Name(b"c".to_vec())] };
    let root = document
        .add_object(dictionary! { "Type" => "StructTreeRoot", "K" => kids, "RoleMap" => roles, "ClassMap" => classes });
    let catalog = document.catalog_mut().unwrap();
    catalog.set("StructTreeRoot", root);
    catalog.set("MarkInfo", dictionary! { "Marked" => true });
    save(&mut document)
}

fn element(kind: &str, page: ObjectId, kids: impl Into<Object>) -> Dictionary {
    dictionary! { "S" => kind, "Pg" => page, "K" => kids }
}

/// The sound tags of a page.
fn sound(page: ObjectId) -> Vec<Object> {
    vec![element("H1", page, 0).into(), element("P", page, 1).into()]
}

/// Whether the text is whole and in order, and whether the tags told what it is.
fn read(content: &[u8]) -> bool {
    let run = Run::new().with(content);
    let outcome = run.run(Tool::ExtractDocument, json!({"ocr": "never", "headersFooters": "keep"})).unwrap();
    let json = std::fs::read(run.path(&outcome.artifacts[0].file)).unwrap();
    let document: Value = serde_json::from_slice(&json).unwrap();
    let blocks = document["blocks"].as_array().unwrap();
    let text: String = blocks.iter().flat_map(|block| block["text"].as_str().unwrap().split_whitespace()).collect();
    assert_eq!(text, format!("{TITLE}{TEXT}").repeat(2).replace(' ', ""));
    blocks.iter().all(|block| block["reason"] == "structure")
}

#[test]
fn sound_tags_are_read() {
    assert!(read(&tagged(|_, [one, two]| [sound(one), sound(two)].concat().into())));
    assert!(!read(&tagged(|_, _| Object::Null)), "no tags at all");
}

#[test]
fn circles_end() {
    let all = |pages: [ObjectId; 2]| pages.map(sound).concat();
    // Elements that are in themselves, in each other, and twice in the root.
    let circles = tagged(|document, pages| {
        let (first, second) = (document.new_object_id(), document.new_object_id());
        let kids = [all(pages), vec![first.into(), second.into()]].concat();
        document.objects.insert(first, dictionary! { "S" => "Sect", "K" => kids }.into());
        document.objects.insert(second, dictionary! { "S" => "Loop", "K" => vec![first.into(), second.into()] }.into());
        vec![first.into(), second.into(), first.into()].into()
    });
    assert!(read(&circles));
    // Kids that are a list which is in itself, and a reference to itself.
    let lists = tagged(|document, pages| {
        let (list, itself) = (document.new_object_id(), document.new_object_id());
        document.objects.insert(itself, Object::Reference(itself));
        document.objects.insert(list, [all(pages), vec![list.into(), itself.into()]].concat().into());
        Object::Reference(list)
    });
    assert!(read(&lists));
    assert!(!read(&tagged(|document, _| {
        let itself = document.new_object_id();
        document.objects.insert(itself, Object::Reference(itself));
        Object::Reference(itself)
    })));
}

#[test]
fn wrong_numbers_of_marked_content_are_nothing() {
    let with = |more: Vec<Object>| {
        tagged(move |_, [one, two]| [sound(one), sound(two), vec![element("P", one, more).into()]].concat().into())
    };
    let marked = |number: Object| Object::from(dictionary! { "Type" => "MCR", "MCID" => number });
    let wrong = vec![
        (-1).into(),
        i64::MAX.into(),
        99.into(),
        Object::Real(0.5),
        Object::string_literal("1"),
        Object::Null,
        vec![1.into()].into(),
        marked(i64::MIN.into()),
        marked(Object::Null),
        marked(Object::string_literal("1")),
    ];
    assert!(read(&with(wrong)));
    // Content that several elements claim.
    assert!(!read(&with(vec![0.into(), 1.into()])));
    // Content that is in no element.
    assert!(!read(&tagged(|_, [one, two]| [sound(one), vec![element("H1", two, 0).into()]].concat().into())));
}

#[test]
fn wrong_pages_have_no_content() {
    let with = |page: fn(ObjectId) -> Object| {
        tagged(move |_, [one, two]| {
            let wrong = |kind: &str, number: i64| dictionary! { "S" => kind, "Pg" => page(two), "K" => number };
            [sound(one), vec![wrong("H1", 0).into(), wrong("P", 1).into()]].concat().into()
        })
    };
    assert!(read(&with(Object::Reference)));
    let wrong: [fn(ObjectId) -> Object; 5] = [
        |_| Object::Reference((1 << 20, 0)),
        |(number, _)| Object::Reference((number, 7)),
        |_| Object::Integer(2),
        |_| Object::Null,
        |page| vec![page.into()].into(),
    ];
    for page in wrong {
        assert!(!read(&with(page)), "{:?}", page((1, 0)));
    }
    // The page tree in the place of a page, and the content of both pages as the first one's.
    assert!(!read(&tagged(|document, [one, _]| {
        let root = document.catalog().unwrap().get(b"Pages").unwrap().as_reference().unwrap();
        [sound(root), sound(one)].concat().into()
    })));
    assert!(!read(&tagged(|_, [one, _]| [sound(one), sound(one)].concat().into())));
}

#[test]
fn deep_trees_end() {
    // A chain of 20,000 elements, in whose depth the text is.
    let chain = tagged(|document, [one, two]| {
        let mut kids: Object = [sound(one), sound(two)].concat().into();
        for _ in 0..20_000 {
            kids = document.add_object(dictionary! { "S" => "Sect", "K" => kids }).into();
        }
        kids
    });
    assert!(!read(&chain));
    // Lists in lists, as deep as they are read.
    let lists = tagged(|document, [one, two]| {
        let mut kids: Object = vec![element("P", two, 1).into()].into();
        for _ in 0..28 {
            let body = document.add_object(dictionary! { "S" => "LI", "K" => kids });
            kids = document.add_object(dictionary! { "S" => "L", "K" => vec![body.into()] }).into();
        }
        [sound(one), vec![element("H1", two, 0).into(), kids]].concat().into()
    });
    assert!(read(&lists));
    // Objects in objects that are no references: the parser ends.
    let nested = tagged(|_, [one, two]| {
        let all: Object = [sound(one), sound(two)].concat().into();
        (0..300).fold(all, |kids, _| dictionary! { "S" => "Sect", "K" => kids }.into())
    });
    assert!(!read(&nested));
}

#[test]
fn millions_of_kids_are_too_many() {
    let with = |kids: Vec<Object>| {
        tagged(move |_, [one, two]| [sound(one), sound(two), vec![element("Span", one, kids).into()]].concat().into())
    };
    // Within and beyond what documents have.
    assert!(!read(&with((0..900_000).map(Object::Integer).collect())));
    assert!(!read(&with(vec![7.into(); 1_200_000])));
    assert!(!read(&tagged(|document, [one, two]| {
        // A thousand references to each of a thousand lists to the same elements.
        let mut kids: Object = [sound(one), sound(two)].concat().into();
        for _ in 0..2 {
            let list = document.add_object(dictionary! { "S" => "Sect", "K" => kids });
            kids = vec![Object::from(list); 1_000].into();
        }
        vec![kids].into()
    })));
}

#[test]
fn tables_of_absurd_size_are_tables() {
    let with = |attributes: Dictionary| {
        tagged(move |_, [one, two]| {
            let cell = |page: ObjectId, number: i64| -> Object {
                let kids = vec![element("P", page, number).into()];
                dictionary! { "S" => "TD", "A" => attributes.clone(), "C" => "c", "K" => kids }.into()
            };
            let row = |page: ObjectId| -> Object {
                dictionary! { "S" => "TR", "K" => vec![cell(page, 0), cell(page, 1)] }.into()
            };
            let table =
                |page: ObjectId| -> Object { dictionary! { "S" => "Table", "K" => vec![row(page), row(page)] }.into() };
            vec![table(one), table(two)].into()
        })
    };
    read(&with(dictionary! { "O" => "Table", "RowSpan" => i64::MAX, "ColSpan" => i64::MAX }));
    read(&with(dictionary! { "O" => "Table", "RowSpan" => -5, "ColSpan" => Object::Null }));
}
