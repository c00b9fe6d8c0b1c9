use docmill_formats::Format;

use super::*;

fn xlsx(sheets: &[(&str, &str, &str)]) -> Document {
    document(Format::Xlsx, &packed_xlsx(sheets))
}

/// Sheets by name, state and content.
fn packed_xlsx(sheets: &[(&str, &str, &str)]) -> Vec<u8> {
    let (mut entries, mut relations) = (String::new(), String::new());
    let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
    for (number, (name, state, content)) in sheets.iter().enumerate() {
        entries += &format!(r#"<sheet name="{name}" sheetId="{number}" state="{state}" r:id="s{number}"/>"#);
        relations += &format!(r#"<Relationship Id="s{number}" Type="x/worksheet" Target="worksheets/{number}.xml"/>"#);
        parts.push((
            format!("xl/worksheets/{number}.xml"),
            format!("<worksheet xmlns:r='r'>{content}</worksheet>").into(),
        ));
    }
    relations += r#"<Relationship Id="t" Type="x/sharedStrings" Target="/xl/strings.xml"/><Relationship Id="u" Type="x/styles" Target="styles.xml"/>"#;
    let strings = "<sst><si><t>Name</t></si><si><r><t>Am</t></r><r><t>ount &amp; m&#x6f;re</t></r><rPh><t>never</t></rPh></si><si><t>Ann</t></si></sst>";
    let styles = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;EUR &quot;#,##0.00"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs></styleSheet>"#;
    let main = r#"<Relationship Id="d" Type="x/officeDocument" Target="xl/workbook.xml"/>"#;
    let table = r#"<Relationship Id="p" Type="x/table" Target="../tables/1.xml"/><Relationship Id="h" Type="x/hyperlink" Target="https://example.org" TargetMode="External"/>"#;
    for (name, content) in [
        ("_rels/.rels", relations_of(main)),
        ("xl/workbook.xml", format!("<workbook xmlns:r='r'><sheets>{entries}</sheets></workbook>")),
        ("xl/_rels/workbook.xml.rels", relations_of(&relations)),
        ("xl/strings.xml", strings.to_owned()),
        ("xl/styles.xml", styles.to_owned()),
        ("xl/worksheets/_rels/0.xml.rels", relations_of(table)),
        ("xl/tables/1.xml", r#"<table ref="A1:B3"/>"#.to_owned()),
    ] {
        parts.push((name.to_owned(), content.into_bytes()));
    }
    packed(&parts.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect::<Vec<_>>())
}

#[test]
fn sheets_show_their_values() {
    let first = r#"<cols><col min="4" max="4" hidden="1"/></cols><sheetData>
<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>
<row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2" s="1"><f>1+1</f><v>1234.5</v></c><c r="D2"><v>7</v></c></row>
<row r="3"><c r="A3" t="b"><v>1</v></c><c r="B3" s="2"><v>46053</v></c></row>
<row r="4" hidden="1"><c r="A4" t="inlineStr"><is><t>secret</t></is></c></row>
<row r="6"><c r="B6" t="str"><f>x</f><v>Alone</v></c></row>
<row r="8"><c r="C8"><v>1</v></c><c r="D8" t="e"><v>#N/A</v></c><c r="E8"><v>2</v></c></row><row r="9"><c r="C9"><v>3</v></c></row></sheetData>
<mergeCells><mergeCell ref="C9:E10"/></mergeCells><hyperlinks><hyperlink ref="A2" r:id="h"/></hyperlinks><tableParts><tablePart r:id="p"/></tableParts>"#;
    let read = xlsx(&[
        ("First", "visible", first),
        ("Second", "hidden", r#"<sheetData><row><c t="s"><v>2</v></c></row></sheetData>"#),
        (
            "Third",
            "visible",
            r#"<sheetData><row><c t="str"><v>k</v></c><c t="str"><v>v</v></c></row><row><c><v>1</v></c><c><v>2</v></c></row></sheetData>"#,
        ),
    ]);
    assert_eq!(
        blocks(&read),
        [
            "h1: First",
            "table: Name\tAmount & more\nAnn\tEUR 1,234.50\nTRUE\t2026-01-31",
            "paragraph: Alone",
            "table: 1\t2\n3",
            "h1: Third",
            "table: k\tv\n1\t2",
        ]
    );
    assert_eq!(hidden(&read), ["7", "secret", "#N/A", "Second\nAnn"]);
    assert_eq!(cells(&read, 1), [("1", [0, 0, 1, 1], false), ("2", [0, 2, 1, 1], false), ("3", [1, 0, 1, 3], false)]);
    let heads: Vec<_> =
        cells(&read, 0).into_iter().chain(cells(&read, 2)).filter(|cell| cell.2).map(|cell| cell.0).collect();
    assert_eq!(heads, ["Name", "Amount & more", "k", "v"]);
    assert_eq!(
        read.links.iter().map(|link| (&*link.text, &*link.address)).collect::<Vec<_>>(),
        [("Ann", "https://example.org")]
    );
}

#[test]
fn far_cells_and_many_strings_are_bounded() {
    let far = r#"<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row><row r="1048576"><c r="A1048576"><v>3</v></c></row></sheetData><mergeCells><mergeCell ref="A1:A1048576"/></mergeCells>"#;
    let (document, _) = try_read(Format::Xlsx, &packed_xlsx(&[("a", "", far)]), &LIMITS).unwrap();
    assert_eq!(blocks(&document), ["h1: a", "table: 1\t2"]);
    assert_eq!(hidden(&document), ["3"]);
    let many = format!("<sheetData><row>{}</row></sheetData>", r#"<c t="s"><v>1</v></c>"#.repeat(1_000));
    let limits = Limits { output_bytes: 9_000, ..LIMITS };
    let failure = try_read(Format::Xlsx, &packed_xlsx(&[("a", "", &many)]), &limits).unwrap_err();
    assert_eq!(failure.cause, "text beyond the limit");
}

#[test]
fn separated_values_are_one_table() {
    let csv = |text: &str| document(Format::Csv, text.as_bytes());
    let read = csv("\u{feff}Name;Amount\r\n\"Ann; B\";\"1,5\"\r\n\"two\nlines\";2,25\r\n");
    assert_eq!(blocks(&read), ["table: Name\tAmount\nAnn; B\t1,5\ntwo lines\t2,25"]);
    assert_eq!(cells(&read, 0)[4], ("two\nlines", [2, 0, 1, 1], false));
    assert_eq!(cells(&read, 0).iter().filter(|cell| cell.2).count(), 2);
    assert_eq!(blocks(&csv("a\tb,c\n1\t2,3")), ["table: a\tb,c\n1\t2,3"]);
    assert_eq!(blocks(&csv("sep=|\na|b\n1|2,3")), ["table: a\tb\n1\t2,3"]);
    assert_eq!(blocks(&csv("a,b\n1,2,3\n4")), ["table: a\tb\n1\t2\t3\n4"]);
}
