use docmill_pdf_accessibility::{File, check};
use docmill_pdf_core::content::of_page;
use lopdf::{Dictionary, Stream};

use super::*;

/// A page with this content, and tags whose elements `kids` makes. Its marks 0 and 1 are the words of the first two elements.
fn tagged(content: &str, kids: impl FnOnce(&mut Document, ObjectId) -> Vec<Object>) -> (Document, ObjectId) {
    let mut document = Document::with_version("1.7");
    let content = document.add_object(Stream::new(Dictionary::new(), content.as_bytes().to_vec()));
    let page = dictionary! {
        "Type" => "Page", "Contents" => content, "StructParents" => 0,
        "MediaBox" => vec![0.into(), 0.into(), 200.into(), 100.into()],
    };
    let page = document.add_object(page);
    let kids = kids(&mut document, page);
    let root = document.add_object(dictionary! { "Type" => "StructTreeRoot", "K" => kids });
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "StructTreeRoot" => root });
    document.trailer.set("Root", catalog);
    (document, page)
}

fn element(kind: &str, page: ObjectId, kids: Vec<Object>) -> Object {
    dictionary! { "Type" => "StructElem", "S" => kind, "Pg" => page, "K" => kids }.into()
}

/// The mended document as `L(LI(LBody(0)))`: types, and numbers of marks. With the rules of structure that it breaks.
fn mended((mut document, page): (Document, ObjectId)) -> (String, Vec<&'static str>, Document) {
    let annotations = Annotations::take(&mut document, &[page], docmill_pdf_structure::metadata::PdfUa::One);
    mend(&mut document, &[page], &annotations, &[]);
    let tree = Tree::read(&mut document.clone()).unwrap();
    let report = check(&document, &[page], File { version: "1.7", permissions: None });
    let of_structure = |rule: &&str| rule.starts_with("7.2-") || ["7.1-3", "7.1-5", "7.4.2-1", "7.5-1"].contains(rule);
    let broken = report.failed.iter().map(|failed| failed.rule.id()).filter(of_structure);
    let broken = broken.filter(|rule| *rule != "7.2-34").collect();
    (written(&tree, Tree::ROOT), broken, document)
}

fn written(tree: &Tree, index: Index) -> String {
    let parts = tree.get(index).unwrap().kids.iter().map(|kid| match kid {
        Kid::Element(index) => {
            let element = tree.get(*index).unwrap();
            let level = if element.level > 0 { element.level.to_string() } else { String::new() };
            format!("{}{level}({})", element.kind, written(tree, *index))
        }
        Kid::Content(content) => content.number.to_string(),
        Kid::Object { .. } => "annotation".to_owned(),
    });
    parts.collect::<Vec<_>>().join(" ")
}

/// The content of its page, with single spaces.
fn content_of(document: &Document) -> String {
    let page =
        document.objects.values().find_map(|object| object.as_dict().ok().filter(|entries| entries.has(b"Contents")));
    let content = of_page(document, page.unwrap(), 1 << 20).unwrap();
    String::from_utf8_lossy(&content).split_whitespace().collect::<Vec<_>>().join(" ")
}

const NOTHING: (&str, [&str; 0]) = ("", []);

#[test]
fn lists_get_items_and_items_bodies() {
    let (tree, broken, _) = mended(tagged("", |_, page| {
        let item = element("LI", page, vec![element("Lbl", page, vec![0.into()]), element("P", page, vec![1.into()])]);
        let stray = element("P", page, vec![2.into()]);
        vec![element("L", page, vec![element("Div", page, vec![item]), stray]), element("LI", page, vec![3.into()])]
    }));
    assert_eq!(tree, "L(LI(Lbl(0) LBody(P(1))) LI(LBody(P(2)))) L(LI(LBody(3)))");
    assert_eq!(broken, NOTHING.1);
}

#[test]
fn rows_of_a_table_are_as_wide_as_it_and_headers_have_a_scope() {
    let (tree, broken, document) = mended(tagged("", |_, page| {
        let cell = |kind: &str, number: i64| element(kind, page, vec![number.into()]);
        let head = element("THead", page, vec![element("TR", page, vec![cell("TH", 0), cell("TH", 1)])]);
        let wide = dictionary! { "O" => "Table", "ColSpan" => 9, "RowSpan" => 4 };
        let mut last = cell("TD", 4);
        if let Object::Dictionary(last) = &mut last {
            last.set("A", wide);
        }
        let rows = vec![
            head,
            element("TR", page, vec![cell("TH", 2)]),
            element("TR", page, vec![cell("TH", 3), last]),
            element("Caption", page, vec![5.into()]),
            element("TR", page, vec![]),
        ];
        vec![element("Table", page, rows)]
    }));
    assert_eq!(broken, NOTHING.1, "{tree}");
    assert!(tree.starts_with("Table(Caption(5) THead(TR(TH(0) TH(1) TD()"), "{tree}");
    let scopes = document.objects.values().filter_map(|object| {
        let entries = object.as_dict().ok().filter(|entries| document.name(entries, b"S") == Some(b"TH"))?;
        attribute(&document, entries, b"Table", b"Scope")?.as_name().ok()
    });
    let mut scopes: Vec<&[u8]> = scopes.collect();
    scopes.sort();
    assert_eq!(scopes, [b"Column".as_slice(), b"Column", b"Column", b"Row"]);
}

#[test]
fn headings_follow_each_other_and_types_without_a_meaning_get_one() {
    let (tree, broken, _) = mended(tagged("", |_, page| {
        let kinds = ["H2", "H5", "H3", "Strong", "MyOwn", "H"];
        (0..).zip(kinds).map(|(number, kind)| element(kind, page, vec![number.into()])).collect()
    }));
    assert_eq!(tree, "Hn1(0) Hn2(1) Hn2(2) Span(3) Span(4) Hn2(5)");
    assert_eq!(broken, NOTHING.1);
}

#[test]
fn what_has_no_mark_is_decoration_or_goes_on_with_the_text_before() {
    let content = "0 0 5 5 re f /P <</MCID 0>> BDC BT (a) Tj ET EMC q 1 0 0 RG 0 0 m 9 9 l S Q BT (b) Tj ET \
                   /P <</MCID 7>> BDC BT (c) Tj ET EMC /Artifact BMC 1 1 1 1 re f EMC";
    let (tree, broken, document) = mended(tagged(content, |_, page| vec![element("P", page, vec![0.into()])]));
    assert_eq!(tree, "P(0 1)");
    assert_eq!(broken, NOTHING.1);
    assert_eq!(
        content_of(&document),
        "/Artifact <</Type/Layout>> BDC 0 0 5 5 re f EMC /P <</MCID 0>> BDC BT (a) Tj ET EMC \
         /Artifact <</Type/Layout>> BDC q 1 0 0 RG 0 0 m 9 9 l S Q EMC /Span <</MCID 1>> BDC BT (b) Tj ET \
         /Span BMC BT (c) Tj ET EMC EMC /Artifact BMC 1 1 1 1 re f EMC"
    );
}

/// As browsers print tables whose cells share their lines.
#[test]
fn lines_of_a_table_are_no_row_of_it() {
    let content = "/Table <</MCID 0>> BDC 0 0 m 9 9 l S EMC /TR <</MCID 1>> BDC 0 0 9 9 re f EMC \
                   /TD <</MCID 2>> BDC BT (a) Tj ET EMC /Table <</MCID 3>> BDC BT (b) Tj ET EMC";
    let (tree, broken, document) = mended(tagged(content, |_, page| {
        let row = element("TR", page, vec![1.into(), element("TD", page, vec![2.into()])]);
        vec![element("Table", page, vec![0.into(), row, 3.into()])]
    }));
    assert_eq!(tree, "Table(TR(TD(2)) TR(TD(3)))");
    assert_eq!(broken, NOTHING.1);
    let decoration = "/Artifact <</Type/Layout>> BDC /Span BMC 0 0 m 9 9 l S EMC /Span BMC 0 0 9 9 re f EMC EMC";
    assert!(content_of(&document).starts_with(decoration), "{}", content_of(&document));
}

#[test]
fn annotations_get_elements_of_their_type_and_notes_a_name() {
    let (mut document, page) = tagged("", |_, page| {
        let note = || element("Note", page, vec![0.into()]);
        vec![element("Document", page, vec![note(), note()])]
    });
    let link = |left: i64| {
        dictionary! {
            "Type" => "Annot", "Subtype" => "Link", "StructParent" => 77,
            "Rect" => vec![left.into(), 0.into(), 50.into(), 9.into()],
        }
    };
    let links = vec![link(0).into(), link(20).into()];
    document.get_dictionary_mut(page).unwrap().set("Annots", links);
    let (tree, _, document) = mended((document, page));
    assert_eq!(tree, "Document(Note(0) Note(0) P(Link(annotation)) P(Link(annotation)))");
    let report = check(&document, &[page], File { version: "1.7", permissions: None });
    let broken: Vec<&str> = report.failed.iter().map(|failed| failed.rule.id()).collect();
    for rule in ["7.9-1", "7.9-2", "7.18.5-1", "7.18.3-1"] {
        assert!(!broken.contains(&rule), "{broken:?}");
    }
}

#[test]
fn circles_and_depth_end() {
    let (mut document, page) = tagged("", |document, page| {
        let (one, two) = (document.new_object_id(), document.new_object_id());
        document.objects.insert(one, element("Sect", page, vec![two.into(), 0.into()]));
        document.objects.insert(two, element("L", page, vec![one.into(), two.into(), 1.into()]));
        let mut deep = element("P", page, vec![2.into()]);
        for _ in 0..20_000 {
            deep = document.add_object(dictionary! { "S" => "LI", "K" => deep }).into();
        }
        vec![one.into(), one.into(), deep]
    });
    let annotations = Annotations::take(&mut document, &[page], docmill_pdf_structure::metadata::PdfUa::One);
    let mended = mend(&mut document, &[page], &annotations, &[]);
    assert_eq!((mended.elements["Sect"], mended.elements["LI"]), (1, 20_001));
}

#[test]
fn fuzz_loose() {
    docmill_fuzz::fuzz("content", &[], |bytes| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (mut document, page) = tagged(&text, |_, page| vec![element("P", page, vec![0.into()])]);
        let annotations = Annotations::take(&mut document, &[page], docmill_pdf_structure::metadata::PdfUa::One);
        mend(&mut document, &[page], &annotations, &[]);
    });
}
