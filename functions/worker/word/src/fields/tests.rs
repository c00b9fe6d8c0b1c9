//! Whole documents, with layouts made up here.

use std::io::{Cursor, Write};

use docmill_package::{Limits, Memory, Package, Packing};
use jiff::civil::date;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{Layout, Updated, update};

const RELATIONS: &str = r#"<Relationships><Relationship Id="a" Type="x/styles" Target="styles.xml"/><Relationship Id="b" Type="x/numbering" Target="numbering.xml"/><Relationship Id="c" Type="x/settings" Target="settings.xml"/></Relationships>"#;
const STYLES: &str = r#"<w:styles xmlns:w="w"><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style><w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="0"/></w:pPr></w:style><w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style><w:style w:type="character" w:styleId="Link"><w:name w:val="Hyperlink"/></w:style></w:styles>"#;
const NUMBERING: &str = r#"<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>"#;
const SETTINGS: &str = r#"<w:settings xmlns:w="w"><w:zoom/><w:updateFields w:val="true"/></w:settings>"#;

fn package(body: &str) -> Package<Memory> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let document = format!("<w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>");
    let root =
        r#"<Relationships><Relationship Id="a" Type="x/officeDocument" Target="word/document.xml"/></Relationships>"#;
    for (name, text) in [
        ("_rels/.rels", root),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", RELATIONS),
        ("word/styles.xml", STYLES),
        ("word/numbering.xml", NUMBERING),
        ("word/settings.xml", SETTINGS),
    ] {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    Package::read(archive.finish().unwrap().into_inner(), Limits::CHECKED).unwrap()
}

/// The marks of a copy that is to be laid out, each on a page of its own, as they follow each other.
fn laid_out(marked: &str) -> Layout {
    let names = marked.split("w:name=\"docmill").skip(1).filter_map(|rest| rest.split('"').next());
    let marks = names.enumerate().map(|(page, name)| (format!("docmill{name}"), u32::try_from(page).unwrap()));
    let marks: std::collections::HashMap<_, _> = marks.collect();
    Layout { pages: u32::try_from(marks.len()).unwrap(), marks }
}

fn document(updated: &Updated, body: &str) -> String {
    let changed = updated.changes.texts.get("word/document.xml").cloned();
    changed.unwrap_or_else(|| format!("<w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>"))
}

/// The document, with what was left and the styles, after it was laid out once.
fn updated(body: &str) -> (String, Updated) {
    let now = date(2026, 11, 29).at(12, 0, 0, 0);
    let first = update(&mut package(body), None, now).unwrap();
    let layout = first.marked.as_ref().map(|marked| laid_out(&marked.texts["word/document.xml"]));
    let Some(layout) = layout else { return (document(&first, body), first) };
    let second = update(&mut package(body), Some(&layout), now).unwrap();
    // What it writes can be read again, and is as it should be.
    let text = document(&second, body);
    let inner = text.split_once("<w:body>").unwrap().1.rsplit_once("</w:body>").unwrap().0;
    roxmltree::Document::parse(&text).unwrap();
    assert!(!inner.contains("docmill"));
    (text, second)
}

fn field(instruction: &str, result: &str) -> String {
    let sign = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let (begin, separate, end) = (sign("begin"), sign("separate"), sign("end"));
    format!("{begin}<w:r><w:instrText>{instruction}</w:instrText></w:r>{separate}{result}{end}")
}

fn run(text: &str) -> String {
    format!("<w:r><w:t>{text}</w:t></w:r>")
}

fn heading(level: u8, text: &str) -> String {
    format!("<w:p><w:pPr><w:pStyle w:val=\"berschrift{level}\"/></w:pPr>{}</w:p>", run(text))
}

/// Each paragraph's style and text, without instructions.
fn lines(document: &str) -> Vec<String> {
    let tree = roxmltree::Document::parse(document).unwrap();
    let paragraphs = tree.descendants().filter(|node| node.has_tag_name(("w", "p")));
    let line = |paragraph: roxmltree::Node<'_, '_>| {
        let style = paragraph.descendants().find(|node| node.has_tag_name(("w", "pStyle")));
        let style = style.and_then(|style| style.attribute(("w", "val"))).unwrap_or_default();
        let parts = paragraph.descendants().filter_map(|node| match node.tag_name().name() {
            "t" => node.text(),
            "tab" if node.parent().is_some_and(|run| run.has_tag_name(("w", "r"))) => Some("→"),
            _ => None,
        });
        format!("{style}:{}", parts.collect::<String>())
    };
    paragraphs.map(line).collect()
}

#[test]
fn a_paragraph_that_only_ends_a_section_has_no_number() {
    let end = "<w:p><w:pPr><w:pStyle w:val=\"berschrift1\"/><w:sectPr/></w:pPr></w:p>";
    let body = format!("<w:p>{}</w:p>{end}{}<w:p/>", field(" TOC \\o \"1-2\" \\h ", &run("x")), heading(1, "First"));
    let text = updated(&body).0;
    assert!(lines(&text).iter().any(|line| line.starts_with("TOC1:I.→First")), "{text}");
}

#[test]
fn contents_list_the_entries_that_fields_mark() {
    let body = |contents: &str| {
        format!(
            "<w:p>{}</w:p>{}<w:p>{}{}</w:p><w:p>{}{}</w:p><w:p/>",
            field(contents, &run("Update me")),
            heading(2, "Heading"),
            marked(" TC \"Preface\" \\l 1 "),
            run("Dear reader"),
            marked(" TC \"Map\" \\f m \\l 2 "),
            run("See the map")
        )
    };
    let written = |contents: &str| {
        let all = lines(&updated(&body(contents)).0);
        let entries = all.into_iter().filter(|line| line.starts_with("TOC"));
        entries.map(|line| line.split('→').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(written(" TOC \\o \"1-2\" \\f \\h "), ["TOC2:Heading", "TOC1:Preface"]);
    assert_eq!(written(" TOC \\f m \\h "), ["TOC2:Map"]);
    assert_eq!(written(" TOC \\l 1-1 \\h "), ["TOC1:Preface"]);
}

#[test]
fn contents_are_written_with_numbers_and_pages() {
    let contents = field(" TOC \\o \"1-2\" \\h \\z \\u ", &run("Update me"));
    let body = format!(
        "<w:p>{contents}</w:p>{}{}<w:p>{}</w:p>{}<w:p/>",
        heading(1, "First &amp; best"),
        heading(2, "Part"),
        run("text"),
        heading(1, "Last")
    );
    let (text, updated) = updated(&body);
    let expected = [
        "TOC1:I.→First & best→2",
        "TOC2:Part→3",
        "TOC1:II.→Last→4",
        ":",
        "berschrift1:First & best",
        "berschrift2:Part",
        ":text",
        "berschrift1:Last",
        ":",
    ];
    assert_eq!(lines(&text), expected);
    assert_eq!(text.matches("<w:hyperlink w:anchor=\"_Toc").count(), 3);
    assert_eq!(text.matches("w:name=\"_Toc").count(), 3);
    let styles = &updated.changes.texts["word/styles.xml"];
    assert!(styles.contains("w:styleId=\"TOC1\"") && styles.contains("w:styleId=\"TOC2\"") && !styles.contains("TOC3"));
    assert_eq!(updated.changes.texts["word/settings.xml"], "<w:settings xmlns:w=\"w\"><w:zoom/></w:settings>");
    assert_eq!(updated.left, Vec::<String>::new());
}

#[test]
fn contents_that_are_right_keep_their_bytes() {
    let contents = field("TOC \\o \"1-2\"", &run("Update me"));
    let body = format!("<w:p>{contents}</w:p>{}{}", heading(1, "First"), heading(2, "Second"));
    let (text, _) = updated(&body);
    let inner = text.split_once("<w:body>").unwrap().1.rsplit_once("</w:body>").unwrap().0;
    let (again, second) = updated(inner);
    assert_eq!(again, text);
    assert!(!second.changes.texts.contains_key("word/document.xml"));
    // Only a wrong page number changes.
    let wrong = inner.replacen(">2</w:t>", ">9</w:t>", 1);
    assert_ne!(wrong, inner);
    assert_eq!(updated(&wrong).0.replace(" xml:space=\"preserve\"", ""), text.replace(" xml:space=\"preserve\"", ""));
}

#[test]
fn captions_are_counted_and_listed() {
    let caption =
        |text: &str| format!("<w:p>{}{}{}</w:p>", run("Figure "), field("SEQ Figure \\* ARABIC", &run("7")), run(text));
    let body = format!(
        "<w:p>{}</w:p>{}{}<w:p><w:bookmarkStart w:id=\"4\" w:name=\"_Ref1\"/>{}<w:bookmarkEnd w:id=\"4\"/></w:p><w:p>{}</w:p>",
        field("TOC \\h \\z \\c \"Figure\"", &run("x")),
        caption(": One"),
        caption(": Two"),
        field("SEQ Table \\r 5", &run("1")),
        field("REF _Ref1 \\h", &run("?"))
    );
    let (text, updated) = updated(&body);
    let expected = [
        "TableofFigures:Figure 1: One→2",
        "TableofFigures:Figure 2: Two→3",
        ":",
        ":Figure 1: One",
        ":Figure 2: Two",
        ":5",
        ":5",
    ];
    assert_eq!(lines(&text), expected);
    assert_eq!(updated.left, Vec::<String>::new());
}

#[test]
fn pages_are_written_as_their_sections_say() {
    let section = |more: &str| format!("<w:sectPr>{more}</w:sectPr>");
    let body = format!(
        "<w:p>{}</w:p><w:p><w:pPr>{}</w:pPr><w:bookmarkStart w:id=\"1\" w:name=\"a\"/>{}<w:bookmarkEnd w:id=\"1\"/></w:p><w:p><w:bookmarkStart w:id=\"2\" w:name=\"b\"/><w:bookmarkEnd w:id=\"2\"/>{}</w:p><w:p>{}</w:p>{}",
        [field("PAGEREF a \\h", &run("0")), field("PAGEREF b", &run("0")), field("PAGEREF b \\* roman", "")].concat(),
        section("<w:pgNumType w:fmt=\"upperRoman\"/>"),
        run("x"),
        run("y"),
        [field("NUMPAGES", &run("0")), field("SECTIONPAGES", &run("0")), field("PAGEREF none", &run("old"))].concat(),
        section("<w:pgNumType w:start=\"7\"/>")
    );
    let (text, updated) = updated(&body);
    // The first section begins on the first of three pages, `a` on the second, and the second section on the third.
    assert_eq!(lines(&text)[0], ":II7vii");
    assert_eq!(lines(&text)[3], ":31old");
    assert_eq!(updated.left, ["PAGEREF none"]);
    assert!(!updated.changes.texts.contains_key("word/settings.xml"), "Word is to ask about what is left");
}

#[test]
fn fields_without_a_result_get_one_and_dirty_ones_are_clean() {
    let dirty =
        field("DATE \\@ \"d.M.yyyy\"", &run("1.1.1999")).replacen("w:fldCharType", "w:dirty='true' w:fldCharType", 1);
    let bare = "<w:r><w:rPr><w:b/></w:rPr><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>SEQ a</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
    let simple = "<w:fldSimple w:instr=\"SEQ a\"/><w:fldSimple w:instr=\"SEQ a\"><w:r><w:t>1</w:t></w:r></w:fldSimple>";
    let (text, _) = updated(&format!("<w:p>{dirty}{bare}{simple}</w:p>"));
    assert_eq!(lines(&text), [":29.11.2026123"]);
    assert!(!text.contains("dirty"));
    assert!(text.contains(
        "<w:r><w:rPr><w:b/></w:rPr><w:fldChar w:fldCharType=\"separate\"/><w:t xml:space=\"preserve\">1</w:t></w:r>"
    ));
}

fn marked(instruction: &str) -> String {
    let sign = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    format!("{}<w:r><w:instrText>{instruction}</w:instrText></w:r>{}", sign("begin"), sign("end"))
}

/// A document with marked words, each on a page of its own, and an index behind them.
fn with_index(index: &str) -> String {
    let words = [
        "XE \"zebra\"",
        "XE \"Äpfel:rote\" \\b",
        "XE \"Birne\"",
        "XE \"zebra\" \\i",
        "XE \"apple\" \\t \"See Äpfel\"",
        "XE \"person\" \\f p",
        "XE \"3D\"",
    ];
    let text: String = words.iter().map(|word| format!("<w:p>{}{}</w:p>", run("x"), marked(word))).collect();
    format!("{text}{index}<w:p/>")
}

fn index_of(document: &str) -> Vec<String> {
    lines(document).into_iter().filter(|line| line.starts_with("Index")).collect()
}

#[test]
fn an_index_lists_marked_words_in_order() {
    let body = |switches: &str| with_index(&format!("<w:p>{}</w:p>", field(&format!("INDEX {switches}"), &run("old"))));
    let (text, updated) = updated(&body(""));
    let expected = [
        "Index1:3D, 7",
        "Index1:Äpfel",
        "Index2:rote, 3",
        "Index1:apple, See Äpfel",
        "Index1:Birne, 4",
        "Index1:zebra, 2, 5",
    ];
    assert_eq!(index_of(&text), expected);
    assert_eq!(updated.left, Vec::<String>::new());
    assert!(text.contains("<w:rPr><w:b/><w:noProof/></w:rPr><w:t xml:space=\"preserve\">3</w:t>"), "{text}");
    assert!(updated.changes.texts["word/styles.xml"].contains("w:styleId=\"Index2\""));
    let headed = index_of(&updated_text(&body("\\h \"A\" \\e \"\t\" \\l \";\"")));
    assert_eq!(headed[0..4], ["IndexHeading:#", "Index1:3D→7", "IndexHeading:A", "Index1:Äpfel"]);
    assert_eq!(headed.last().unwrap(), "Index1:zebra→2;5");
    // As Word writes it.
    let in_run = "\\e \"</w:instrText></w:r><w:r><w:tab/></w:r><w:r><w:instrText>\"";
    assert_eq!(index_of(&updated_text(&body(in_run))).last().unwrap(), "Index1:zebra→2, 5");
    assert_eq!(index_of(&updated_text(&body("\\f p"))), ["Index1:person, 6"]);
}

fn updated_text(body: &str) -> String {
    updated(body).0
}

#[test]
fn an_index_stays_in_its_columns() {
    let section =
        |columns: u8| format!("<w:sectPr><w:type w:val=\"continuous\"/><w:cols w:num=\"{columns}\"/></w:sectPr>");
    let begin = marked("INDEX \\c \"2\"").replace("\"end\"", "\"separate\"");
    let end = "<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
    let index = format!(
        "<w:p><w:pPr>{}</w:pPr>{begin}</w:p><w:p>{}</w:p><w:p><w:pPr>{}</w:pPr>{}</w:p><w:p>{end}</w:p>",
        section(1),
        run("old"),
        section(2),
        run("older")
    );
    let (text, _) = updated(&with_index(&index));
    assert_eq!(index_of(&text).len(), 6);
    assert!(!text.contains("old"), "{text}");
    let last = format!("<w:pPr><w:pStyle w:val=\"Index1\"/>{}</w:pPr>", section(2));
    assert_eq!((text.matches(&section(1)).count(), text.matches(&last).count()), (1, 1));
    let inner = text.split_once("<w:body>").unwrap().1.rsplit_once("</w:body>").unwrap().0;
    assert_eq!(updated(inner).0, text, "what is right keeps its bytes");
}

#[test]
fn the_pages_of_an_index_stay_at_their_tab_stops() {
    let tabs = "<w:tabs><w:tab w:val=\"right\" w:leader=\"dot\" w:pos=\"4598\"/></w:tabs>";
    let index = |separator: &str| {
        let begin = marked(&format!("INDEX {separator}")).replace("\"end\"", "\"separate\"");
        let end = "<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
        let old = format!("<w:p><w:pPr><w:pStyle w:val=\"Index1\"/>{tabs}<w:rPr/></w:pPr>{}</w:p>", run("old"));
        updated_text(&with_index(&format!("<w:p>{begin}</w:p>{old}<w:p>{end}</w:p>")))
    };
    let properties = format!("<w:pPr><w:pStyle w:val=\"Index1\"/>{tabs}</w:pPr>");
    assert_eq!(index("\\e \"\t\"").matches(&properties).count(), 5);
    assert_eq!(index("").matches(&properties).count(), 0);
}

#[test]
fn what_can_not_be_computed_stays_and_is_named() {
    let index = field("INDEX \\r", &run("word, 3"));
    let body =
        format!("<w:p>{}</w:p><w:p>{index}</w:p><w:p>{}</w:p>", marked("XE \"word\""), field("TOC \\f C", &run("old")));
    let (text, updated) = updated(&body);
    assert_eq!(lines(&text), [":", ":word, 3", ":old"]);
    assert_eq!(updated.left, ["INDEX", "TOC"]);
}

#[test]
fn everything_else_keeps_its_bytes() {
    let contents = field("TOC \\o", &run("Update me"));
    let mut package = package(&format!("<w:p>{contents}</w:p>{}", heading(1, "First")));
    let updated = update(&mut package, None, date(2026, 1, 1).at(0, 0, 0, 0)).unwrap();
    let written = package.write(updated.changes, Packing::AsBefore, Cursor::new(Vec::new())).unwrap().into_inner();
    let mut again = Package::read(written, Limits::CHECKED).unwrap();
    assert_eq!(again.text("word/numbering.xml").unwrap().as_deref(), Some(NUMBERING));
    assert_eq!(again.names(), package.names());
}

#[test]
fn fuzz_fields() {
    docmill_fuzz::fuzz("fields", &[], |bytes| {
        let Ok(body) = std::str::from_utf8(bytes) else { return };
        let layout = Layout { pages: 3, ..Layout::default() };
        for layout in [None, Some(&layout)] {
            let _ = update(&mut package(body), layout, date(2026, 1, 1).at(0, 0, 0, 0));
        }
    });
}
