use docmill_formats::Format;

use super::*;

fn text(properties: &str, text: &str) -> String {
    format!("<a:p><a:pPr {properties}/><a:r><a:rPr/><a:t>{text}</a:t></a:r></a:p>")
}

fn shape(place: &str, content: &str) -> String {
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id='1' name='n'/><p:nvPr>{place}</p:nvPr></p:nvSpPr><p:txBody><a:lstStyle/>{content}</p:txBody></p:sp>"
    )
}

fn slide(attributes: &str, shapes: &str) -> String {
    format!(
        "<p:sld xmlns:p='p' xmlns:a='a' xmlns:r='r' {attributes}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
    )
}

fn packed_pptx(slides: &[String]) -> Vec<u8> {
    let relation =
        |id: &str, kind: &str, target: &str| format!(r#"<Relationship Id="{id}" Type="x/{kind}" Target="{target}"/>"#);
    let ids: String =
        (0..slides.len()).map(|number| format!("<p:sldId id='{}' r:id='s{number}'/>", 256 + number)).collect();
    let own: String = (0..slides.len())
        .map(|number| relation(&format!("s{number}"), "slide", &format!("slides/{number}.xml")))
        .collect();
    let master_marks = "<p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char='x'/></a:lvl1pPr><a:lvl2pPr><a:buChar char='y'/></a:lvl2pPr></p:bodyStyle></p:txStyles>";
    let layout = "<p:sldLayout xmlns:p='p' xmlns:a='a'><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type='body' idx='7'/></p:nvPr></p:nvSpPr><p:txBody><a:lstStyle><a:lvl1pPr><a:buNone/></a:lvl1pPr></a:lstStyle></p:txBody></p:sp></p:spTree></p:cSld></p:sldLayout>";
    let mut parts = vec![
        ("_rels/.rels".to_owned(), relations_of(&relation("d", "officeDocument", "ppt/presentation.xml")).into_bytes()),
        (
            "ppt/presentation.xml".to_owned(),
            format!("<p:presentation xmlns:p='p' xmlns:r='r'><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>")
                .into_bytes(),
        ),
        ("ppt/_rels/presentation.xml.rels".to_owned(), relations_of(&own).into_bytes()),
        ("ppt/slideLayouts/l.xml".to_owned(), layout.into()),
        (
            "ppt/slideLayouts/_rels/l.xml.rels".to_owned(),
            relations_of(&relation("m", "slideMaster", "../slideMasters/m.xml")).into_bytes(),
        ),
        (
            "ppt/slideMasters/m.xml".to_owned(),
            format!("<p:sldMaster xmlns:p='p' xmlns:a='a'>{master_marks}</p:sldMaster>").into_bytes(),
        ),
        ("ppt/notes.xml".to_owned(), slide("", &shape("<p:ph type='body'/>", &text("", "Say this."))).into_bytes()),
        ("ppt/i.png".to_owned(), PIXEL.to_vec()),
    ];
    for (number, slide) in slides.iter().enumerate() {
        let mut related = relation("l", "slideLayout", "../slideLayouts/l.xml") + &relation("i", "image", "../i.png");
        if number == 0 {
            related += &relation("n", "notesSlide", "../notes.xml");
        }
        parts.push((format!("ppt/slides/{number}.xml"), slide.clone().into_bytes()));
        parts.push((format!("ppt/slides/_rels/{number}.xml.rels"), relations_of(&related).into_bytes()));
    }
    packed(&parts.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect::<Vec<_>>())
}

#[test]
fn slides_are_read_in_their_order() {
    let numbered =
        "<a:p><a:pPr><a:buAutoNum type='arabicPeriod' startAt='4'/></a:pPr><a:r><a:t>four</a:t></a:r></a:p>".repeat(2);
    let table = "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id='2' name='t'/></p:nvGraphicFramePr><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow='1'/>\
        <a:tr><a:tc gridSpan='2'><a:txBody><a:p><a:r><a:t>head</a:t></a:r></a:p></a:txBody></a:tc><a:tc hMerge='1'/></a:tr>\
        <a:tr><a:tc><a:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>b</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>";
    let picture = "<p:pic><p:nvPicPr><p:cNvPr id='3' name='p' descr='A dot'/></p:nvPicPr><p:blipFill><a:blip r:embed='i'/></p:blipFill></p:pic>";
    let slides = [
        slide(
            "",
            &[
                shape("<p:ph type='subTitle' idx='1'/>", &text("", "Below")),
                shape("<p:ph type='ctrTitle'/>", &text("", "The deck")),
            ]
            .concat(),
        ),
        slide(
            "",
            &[
                shape("<p:ph type='title'/>", "<a:p><a:r><a:rPr b='1'/><a:t>Points</a:t></a:r></a:p>"),
                shape("<p:ph idx='1'/>", &[text("", "one"), text("lvl='1'", "deeper"), text("", "two")].concat()),
                shape("<p:ph type='body' idx='7'/>", &text("", "without bullet")),
                format!("<p:grpSp>{}</p:grpSp>", shape("", &numbered)),
                shape("<p:ph type='ftr' idx='9'/>", &text("", "Every slide")),
                table.to_owned(),
                picture.to_owned(),
            ]
            .concat(),
        ),
        slide("show='0'", &shape("", &text("", "secret"))),
    ];
    let read = document(Format::Pptx, &packed_pptx(&slides));
    assert_eq!(
        blocks(&read),
        [
            "title: The deck",
            "paragraph: Below",
            "h3: Notes",
            "paragraph: Say this.",
            "h2: Points",
            "item 1.0: one",
            "item 1.1: deeper",
            "item 1.0: two",
            "paragraph: without bullet",
            "item 2.0 4: four",
            "item 2.0 5: four",
            "footer: Every slide",
            "table: head\na\tb",
            "figure: A dot",
        ]
    );
    assert_eq!(cells(&read, 0), [("head", [0, 0, 1, 2], true), ("a", [1, 0, 1, 1], false), ("b", [1, 1, 1, 1], false)]);
    assert_eq!(hidden(&read), ["secret"]);
    assert!(read.figures[0].data.is_some());
}
