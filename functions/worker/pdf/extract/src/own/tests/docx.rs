use docmill_formats::Format;

use super::*;

const STYLES: &str = r#"
<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="en-US"/></w:rPr></w:rPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Chapter"/><w:basedOn w:val="H"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Deep"><w:name w:val="Section"/><w:basedOn w:val="Own"/></w:style>
<w:style w:type="paragraph" w:styleId="C"><w:name w:val="caption"/></w:style>
<w:style w:type="paragraph" w:styleId="LB"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="LB2"><w:name w:val="List Bullet 2"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
<w:style w:type="character" w:styleId="Strong"><w:name w:val="Strong"/><w:rPr><w:b/></w:rPr></w:style>
<w:style w:type="table" w:styleId="G"><w:name w:val="Grid"/><w:tblStylePr w:type="firstRow"/></w:style>"#;

const NUMBERING: &str = r#"
<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%2)"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="8"/></w:lvlOverride></w:num>"#;

const NAMES: &str = r#"xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:a="a" xmlns:wp="wp" xmlns:pic="pic" xmlns:m="m" xmlns:mc="mc" xmlns:wps="wps" xmlns:v="v""#;

fn docx(body: &str) -> Document {
    docx_with(body, &[])
}

fn docx_with(body: &str, more: &[(&str, &str)]) -> Document {
    document(Format::Docx, &packed_docx(body, more))
}

fn packed_docx(body: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let part = |name: &str, inner: &str| format!("<?xml version='1.0'?><w:{name} {NAMES}>{inner}</w:{name}>");
    let relation = |id: &str, kind: &str, target: &str, mode: &str| {
        format!(r#"<Relationship Id="{id}" Type="http://x/{kind}" Target="{target}" {mode}/>"#)
    };
    let relations = [
        relation("s", "styles", "styles.xml", ""),
        relation("n", "numbering", "numbering.xml", ""),
        relation("f", "footnotes", "footnotes.xml", ""),
        relation("e", "endnotes", "endnotes.xml", ""),
        relation("h", "header", "header1.xml", ""),
        relation("g", "footer", "footer1.xml", ""),
        relation("i", "image", "media/i.png", ""),
        relation("l", "hyperlink", "https://example.org/x", r#"TargetMode="External""#),
    ];
    let mut parts = vec![
        ("_rels/.rels", relations_of(&relation("d", "officeDocument", "word/document.xml", "")).into_bytes()),
        ("word/document.xml", part("document", &format!("<w:body>{body}</w:body>")).into_bytes()),
        ("word/_rels/document.xml.rels", relations_of(&relations.concat()).into_bytes()),
        ("word/styles.xml", part("styles", STYLES).into_bytes()),
        ("word/numbering.xml", part("numbering", NUMBERING).into_bytes()),
        ("word/media/i.png", PIXEL.to_vec()),
    ];
    for (name, inner) in more {
        let root =
            if name.contains("header") { "hdr" } else { name.trim_start_matches("word/").trim_end_matches(".xml") };
        parts.push((name, part(root, inner).into_bytes()));
    }
    packed(&parts)
}

/// A paragraph of a style.
fn styled_paragraph(style: &str, text: &str) -> String {
    format!(r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#)
}

fn plain(text: &str) -> String {
    styled_paragraph("N", text)
}

fn item(list: u32, level: u32, text: &str) -> String {
    format!(
        r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list}"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#
    )
}

#[test]
fn headings_are_known_by_levels_that_styles_inherit() {
    let body = [
        styled_paragraph("T", "The title"),
        styled_paragraph("H", "One"),
        styled_paragraph("Own", "Two"),
        styled_paragraph("Deep", "Two again"),
        r#"<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>Three</w:t></w:r></w:p>"#.to_owned(),
        r#"<w:p><w:pPr><w:pStyle w:val="H"/><w:outlineLvl w:val="9"/></w:pPr><w:r><w:t>Text</w:t></w:r></w:p>"#
            .to_owned(),
    ];
    let read = docx(&body.concat());
    assert_eq!(
        blocks(&read),
        ["title: The title", "h1: One", "h2: Two", "h2: Two again", "h3: Three", "paragraph: Text"]
    );
    assert_eq!((read.title.as_deref(), read.language.as_deref()), (Some("The title"), Some("en-US")));
    assert_eq!(styled(&read, 1), [""; 0], "a heading is not bold by itself");
}

#[test]
fn lists_have_their_numbers_and_levels() {
    let body = [
        item(2, 0, "a"),
        item(2, 1, "b"),
        item(2, 1, "c"),
        item(2, 0, "d"),
        plain("between"),
        item(2, 0, "e"),
        item(4, 0, "f"),
        styled_paragraph("LB", "g"),
        styled_paragraph("LB2", "h"),
        item(0, 0, "i"),
    ];
    assert_eq!(
        blocks(&docx(&body.concat())),
        [
            "item 1.0 3: a",
            "item 1.1 1: b",
            "item 1.1 2: c",
            "item 1.0 4: d",
            "paragraph: between",
            "item 2.0 5: e",
            "item 3.0 8: f",
            "item 4.0: g",
            "item 4.1: h",
            "paragraph: i",
        ]
    );
}

#[test]
fn runs_have_styles_links_and_results_of_fields() {
    let body = r##"<w:p><w:r><w:t xml:space="preserve">a </w:t></w:r><w:r><w:rPr><w:rStyle w:val="Strong"/></w:rPr><w:t>b</w:t></w:r>
<w:r><w:rPr><w:i/><w:vertAlign w:val="superscript"/></w:rPr><w:t>c</w:t></w:r><w:hyperlink r:id="l" w:anchor="p"><w:r><w:t>d</w:t></w:r></w:hyperlink>
<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://example.com/f" </w:instrText></w:r><w:r><w:t>never</w:t></w:r>
<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>e</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>
<w:del><w:r><w:delText>never</w:delText></w:r></w:del><w:ins><w:r><w:tab/><w:t>f</w:t><w:br/><w:noBreakHyphen/></w:r></w:ins>
<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:moveFrom><w:r><w:t>never</w:t></w:r></w:moveFrom><w:sdt><w:sdtContent><w:r><w:t>g</w:t></w:r></w:sdtContent></w:sdt></w:p>"##;
    let read = docx(body);
    assert_eq!(blocks(&read), ["paragraph: a bcde\tf\n-g"]);
    assert_eq!(styled(&read, 0), ["b b", "i^ c", "l d", "l e"]);
    let addresses: Vec<_> = read.links.iter().map(|link| &*link.address).collect();
    assert_eq!(addresses, ["https://example.org/x#p", "https://example.com/f"]);
    assert_eq!(hidden(&read), ["secret"]);
}

#[test]
fn tables_keep_merged_cells_and_heads() {
    let cell = |properties: &str, text: &str| format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", plain(text));
    let restart = r#"<w:vMerge w:val="restart"/>"#;
    let inner = format!("<w:tbl><w:tr>{}{}</w:tr></w:tbl>", cell("", "x"), cell("", "y"));
    let body = format!(
        r#"<w:tbl><w:tblPr><w:tblStyle w:val="G"/><w:tblLook w:firstRow="1"/></w:tblPr>
<w:tr>{}{}</w:tr><w:tr><w:trPr><w:tblHeader/></w:trPr>{}{}{}</w:tr><w:tr>{}{}<w:tc><w:p/>{inner}<w:p/></w:tc></w:tr>
<w:tr><w:trPr><w:del/></w:trPr>{}</w:tr></w:tbl>{}<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>"#,
        cell(restart, "a"),
        cell(r#"<w:gridSpan w:val="2"/>"#, "b"),
        cell("<w:vMerge/>", ""),
        cell("", "c"),
        cell("", "d"),
        cell("<w:vMerge/>", ""),
        cell("", "e"),
        cell("", "never"),
        styled_paragraph("C", "Table 1"),
        styled_paragraph("H", "In a frame"),
    );
    let read = docx(&body);
    assert_eq!(blocks(&read), ["table: a\tb\nc\td\ne\tx y", "caption of b1: Table 1", "h1: In a frame"]);
    assert_eq!(
        cells(&read, 0),
        [
            ("a", [0, 0, 3, 1], true),
            ("b", [0, 1, 1, 2], true),
            ("c", [1, 1, 1, 1], true),
            ("d", [1, 2, 1, 1], true),
            ("e", [2, 1, 1, 1], false),
            ("x\ty", [2, 2, 1, 1], false),
        ]
    );
}

#[test]
fn notes_boxes_pictures_and_margins_are_read() {
    let body = format!(
        r#"<w:p><w:r><w:t>Text</w:t><w:footnoteReference w:id="5"/></w:r><w:r><w:t> more</w:t><w:endnoteReference w:id="2"/></w:r></w:p>
<w:p><w:r><w:t>Anchor</w:t><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent>{}</w:txbxContent></wps:txbx></w:drawing></mc:Choice>
<mc:Fallback><w:pict><v:textbox><w:txbxContent>{}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>
<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="n" descr="A dot"/><a:graphic><pic:pic><a:blip r:embed="i"/></pic:pic></a:graphic></wp:inline></w:drawing></w:r></w:p>
<w:p><m:oMathPara><m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></m:oMathPara></w:p>
<w:p><w:r><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr><w:t>let a;</w:t></w:r></w:p><w:p><w:r><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr><w:t>let b;</w:t></w:r></w:p>
<w:sectPr><w:headerReference r:id="h"/><w:footerReference r:id="g"/></w:sectPr>"#,
        styled_paragraph("H", "In the box"),
        plain("never"),
    );
    let footnotes = format!(
        r#"<w:footnote w:id="-1">{}</w:footnote><w:footnote w:id="5"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>The note.</w:t></w:r></w:p></w:footnote>"#,
        plain("never")
    );
    let endnotes = format!(r#"<w:endnote w:id="2">{}</w:endnote>"#, plain("At the end."));
    let (header, footer) = (plain("Above"), plain("Below"));
    let more = [
        ("word/footnotes.xml", &*footnotes),
        ("word/endnotes.xml", &*endnotes),
        ("word/header1.xml", &*header),
        ("word/footer1.xml", &*footer),
    ];
    let read = docx_with(&body, &more);
    assert_eq!(
        blocks(&read),
        [
            "header: Above",
            "paragraph: Text1 morei",
            "h1: In the box",
            "paragraph: Anchor",
            "figure: A dot",
            "formula: x^2",
            "code: let a;\nlet b;",
            "footer: Below",
            "footnote 1: The note.",
            "footnote i: At the end.",
        ]
    );
    let from: Vec<_> = read.footnotes.iter().map(|note| note.from.clone()).collect();
    assert_eq!(from, [Some(Id::block(2)), Some(Id::block(2))]);
    assert!(read.figures[0].data.as_ref().unwrap().starts_with("data:image/png;base64,iVBOR"));
}

#[test]
fn damaged_documents_are_refused() {
    let whole = packed_docx(&plain("text"), &[]);
    for bytes in [&whole[..whole.len() / 2], b"PK\x03\x04", b""] {
        let failure = try_read(Format::Docx, bytes, &LIMITS).unwrap_err();
        assert_eq!(failure.code, ErrorCode::CorruptDocument);
    }
    let deep = format!("{}{}", "<w:tbl><w:tr><w:tc/><w:tc>".repeat(200), "</w:tc></w:tr></w:tbl>".repeat(200));
    let failure = try_read(Format::Docx, &packed_docx(&deep, &[]), &LIMITS).unwrap_err();
    assert_eq!(failure.code, ErrorCode::RenderFailed);
}
