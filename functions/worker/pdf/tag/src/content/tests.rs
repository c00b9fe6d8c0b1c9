use docmill_pdf_core::pdfium::Rect;
use lopdf::dictionary;

use super::super::nodes::Tag;
use super::super::places::{Artifact, Found, artifact};
use super::*;

/// A page of 200 by 100 points whose letters are half as wide as high.
fn page(content: &[u8]) -> (Document, ObjectId) {
    let mut document = Document::with_version("1.7");
    let font = dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "F", "FirstChar" => 0, "Widths" => vec![Object::Integer(500); 256],
    };
    let content = document.add_object(Stream::new(Dictionary::new(), content.to_vec()));
    let page = dictionary! {
        "Type" => "Page", "Contents" => content, "MediaBox" => vec![0.into(), 0.into(), 200.into(), 100.into()],
        "Resources" => dictionary! { "Font" => dictionary! { "F" => font } },
    };
    let page = document.add_object(page);
    (document, page)
}

/// The content of a page with its marks. Its left half is a paragraph, its right half another one, and its lowest tenth a footer.
fn marked(content: &[u8]) -> String {
    let (mut document, page) = page(content);
    let mut nodes = Nodes::new();
    let mut places = Places::of_size((200.0, 100.0));
    for (order, x0) in [(1, 0.0), (2, 100.0)] {
        let node = nodes.add(Nodes::ROOT, order, Tag::Paragraph);
        places.add_word(Rect { x0, y0: 0.0, x1: x0 + 99.0, y1: 90.0 }, Found { owner: Owner::Node(node), order });
    }
    places.add_word(Rect { x0: 0.0, y0: 91.0, x1: 200.0, y1: 100.0 }, artifact(Artifact::Footer));
    let fonts = Fonts::none();
    let mut marker = Marker::new(&mut document, &fonts, &mut nodes, false);
    assert!(marker.page(0, page, &places));
    let page = document.get_dictionary(page).unwrap();
    let bytes = content::of_page(&document, page, 1 << 20).unwrap();
    String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn text_of_several_elements_is_parted_and_other_bytes_stay() {
    assert_eq!(
        marked(b"q BT /F 10 Tf 10 50 Td [(ab c) -9000 (d)] TJ ET Q 0 0 5 5 re f % end"),
        "q BT /F 10 Tf 10 50 Td /P <</MCID 0>> BDC [<61622063>-9000 ] TJ EMC /P <</MCID 1>> BDC [<64>] TJ EMC ET Q \
         /Artifact <</Type/Layout>> BDC 0 0 5 5 re f % end EMC"
    );
    assert_eq!(
        marked(b"BT /F 10 Tf 10 50 Td (ab) Tj 0 -15 Td (c) Tj ET BT /F 10 Tf 10 5 Td (1) ' ET"),
        "/P <</MCID 0>> BDC BT /F 10 Tf 10 50 Td (ab) Tj 0 -15 Td (c) Tj ET EMC \
         /Artifact <</Type/Pagination/Subtype/Footer>> BDC BT /F 10 Tf 10 5 Td (1) ' ET EMC"
    );
}

#[test]
fn old_marks_go_except_for_layers_and_replacing_text() {
    assert_eq!(
        marked(b"/P <</MCID 7>> BDC BT /F 10 Tf 10 50 Td (a) Tj ET EMC /OC /L BDC 0 0 5 5 re f EMC EMC"),
        "/P <</MCID 0>> BDC BT /F 10 Tf 10 50 Td (a) Tj ET EMC \
         /Artifact <</Type/Layout>> BDC /OC /L BDC 0 0 5 5 re f EMC EMC"
    );
    let replaced = marked(b"BT /F 10 Tf 10 50 Td /Span <</ActualText (x) /MCID 3>> BDC (a) Tj EMC ET");
    assert!(replaced.contains("/Span <</ActualText <78>>> BDC (a) Tj EMC"), "{replaced}");
    let artifact = marked(b"/Artifact BMC BT /F 10 Tf 10 50 Td (a) Tj ET EMC");
    assert!(artifact.starts_with("/Artifact <</Type/Layout>> BDC BT"), "{artifact}");
}

#[test]
fn fuzz_marks() {
    docmill_fuzz::fuzz("content", &[], |bytes| {
        let (mut document, page) = page(bytes);
        let mut nodes = Nodes::new();
        let fonts = Fonts::none();
        let places = Places::of_size((200.0, 100.0));
        let mut marker = Marker::new(&mut document, &fonts, &mut nodes, false);
        assert!(marker.page(0, page, &places));
        // Without our marks, the same operations are left.
        let page = document.get_dictionary(page).unwrap();
        let bytes = content::of_page(&document, page, 1 << 24).unwrap();
        let mut open = 0i64;
        operations::for_each(&bytes, |operation| match operation.operator {
            b"BDC" | b"BMC" => open += 1,
            b"EMC" => {
                open -= 1;
                assert!(open >= 0, "a mark ends that has not begun");
            }
            _ => {}
        });
    });
}
