//! Makes documents, presentations and workbooks that are valid.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006";
const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const DRAWING: &str = "http://schemas.openxmlformats.org/drawingml/2006";
const TYPES: &str = "application/vnd.openxmlformats-officedocument";
/// A PNG of one pixel, in base64.
pub(super) const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub(super) fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(super) fn escaped(text: &str) -> String {
    quick_xml::escape::partial_escape(text).into_owned()
}

/// A paragraph of one run.
pub(super) fn paragraph(text: &str) -> String {
    format!("<w:p>{}</w:p>", run(text))
}

pub(super) fn run(text: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{}</w:t></w:r>", escaped(text))
}

/// Paragraphs of one run each.
pub(super) fn paragraphs(texts: &[&str]) -> String {
    texts.iter().map(|text| paragraph(text)).collect()
}

/// A paragraph of a list.
pub(super) fn entry(text: &str) -> String {
    let list = "<w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr>";
    format!("<w:p>{list}{}</w:p>", run(text))
}

pub(super) fn table(rows: &[&[&str]]) -> String {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|text| paragraph(text)).collect()).collect();
    table_of(&rows)
}

/// A table whose cells have these blocks.
pub(super) fn table_of(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let cell = |blocks: &String| format!("<w:tc><w:tcPr><w:tcW w:w=\"2000\" w:type=\"dxa\"/></w:tcPr>{blocks}</w:tc>");
    let row = |cells: &Vec<String>| format!("<w:tr>{}</w:tr>", cells.iter().map(cell).collect::<String>());
    format!(
        "<w:tbl><w:tblPr><w:tblW w:w=\"0\" w:type=\"auto\"/></w:tblPr><w:tblGrid>{}</w:tblGrid>{}</w:tbl>",
        "<w:gridCol w:w=\"2000\"/>".repeat(columns),
        rows.iter().map(row).collect::<String>()
    )
}

/// A drawing with the picture `rPicture`.
pub(super) fn picture(alternative: &str) -> String {
    format!(
        "<w:r><w:drawing><wp:inline><wp:extent cx=\"914400\" cy=\"914400\"/><wp:docPr id=\"1\" name=\"Picture\" descr=\"{}\"/>\
         <a:graphic><a:graphicData uri=\"{DRAWING}/picture\"><pic:pic><pic:nvPicPr><pic:cNvPr id=\"1\" name=\"Picture\"/>\
         <pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed=\"rPicture\"/><a:stretch><a:fillRect/></a:stretch>\
         </pic:blipFill><pic:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"914400\" cy=\"914400\"/></a:xfrm>\
         <a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline>\
         </w:drawing></w:r>",
        escaped(alternative)
    )
}

fn word_root(element: &str, content: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<w:{element} xmlns:w=\"{WORD}\" xmlns:r=\"{OFFICE}/relationships\" \
         xmlns:wp=\"{DRAWING}/wordprocessingDrawing\" xmlns:a=\"{DRAWING}/main\" xmlns:pic=\"{DRAWING}/picture\">{content}</w:{element}>"
    )
}

/// A Word document with this body, and everything that its tests refer to.
pub(super) fn word(body: &str) -> Vec<u8> {
    word_with(body, &[])
}

/// The same with some parts replaced by these contents of their roots.
pub(super) fn word_with(body: &str, replaced: &[(&str, &str)]) -> Vec<u8> {
    let content = |part: &str, usual: &str| {
        replaced.iter().find(|(name, _)| *name == part).map_or(usual, |(_, content)| *content).to_owned()
    };
    let section = "<w:sectPr><w:headerReference w:type=\"default\" r:id=\"rHeader\"/><w:footerReference w:type=\"default\" r:id=\"rFooter\"/>\
         <w:pgSz w:w=\"11906\" w:h=\"16838\"/></w:sectPr>";
    let style = |kind: &str, id: &str, name: &str, content: &str| {
        format!("<w:style w:type=\"{kind}\" w:styleId=\"{id}\"><w:name w:val=\"{name}\"/>{content}</w:style>")
    };
    let styles = [
        "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/></w:style>"
            .to_owned(),
        style(
            "paragraph",
            "Heading1",
            "heading 1",
            "<w:basedOn w:val=\"Normal\"/><w:pPr><w:outlineLvl w:val=\"0\"/></w:pPr><w:rPr><w:b/><w:sz w:val=\"32\"/></w:rPr>",
        ),
        style("paragraph", "FootnoteText", "footnote text", "<w:basedOn w:val=\"Normal\"/>"),
        style(
            "character",
            "FootnoteReference",
            "footnote reference",
            "<w:rPr><w:vertAlign w:val=\"superscript\"/></w:rPr>",
        ),
    ];
    let level = "<w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/><w:lvlText w:val=\"%1.\"/><w:lvlJc w:val=\"left\"/></w:lvl>";
    let numbering = format!(
        "<w:abstractNum w:abstractNumId=\"0\">{level}</w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>"
    );
    let separators = "<w:footnote w:type=\"separator\" w:id=\"-1\"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>\
         <w:footnote w:type=\"continuationSeparator\" w:id=\"0\"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>";
    let notes = content("footnotes", "<w:footnote w:id=\"1\"><w:p><w:r><w:t>Note</w:t></w:r></w:p></w:footnote>");
    let kinds = [
        ("document", word_root("document", &format!("<w:body>{body}{section}</w:body>"))),
        ("styles", word_root("styles", &content("styles", &styles.concat()))),
        ("settings", word_root("settings", "<w:zoom w:percent=\"100\"/>")),
        ("fontTable", word_root("fonts", "<w:font w:name=\"Carlito\"/>")),
        ("numbering", word_root("numbering", &content("numbering", &numbering))),
        ("footnotes", word_root("footnotes", &format!("{separators}{notes}"))),
        ("comments", word_root("comments", &content("comments", ""))),
        ("header", word_root("hdr", &content("header", &paragraph("")))),
        ("footer", word_root("ftr", &content("footer", &paragraph("")))),
    ];
    let overrides: String = kinds
        .iter()
        .map(|(kind, _)| {
            let main = if *kind == "document" { ".main" } else { "" };
            format!(
                "<Override PartName=\"/word/{kind}.xml\" ContentType=\"{TYPES}.wordprocessingml.{kind}{main}+xml\"/>"
            )
        })
        .collect();
    let related: String = kinds
        .iter()
        .skip(1)
        .map(|(kind, _)| {
            let id = if matches!(*kind, "header" | "footer") {
                format!("r{}{}", kind[..1].to_uppercase(), &kind[1..])
            } else {
                format!("r-{kind}")
            };
            format!("<Relationship Id=\"{id}\" Type=\"{OFFICE}/relationships/{kind}\" Target=\"{kind}.xml\"/>")
        })
        .collect();
    let picture =
        format!("<Relationship Id=\"rPicture\" Type=\"{OFFICE}/relationships/image\" Target=\"media/image1.png\"/>");
    let theme =
        format!("<Relationship Id=\"r-theme\" Type=\"{OFFICE}/relationships/theme\" Target=\"theme/theme1.xml\"/>");
    let mut parts = package(&overrides, "word/document.xml");
    parts.push(("word/_rels/document.xml.rels".to_owned(), relations(&(related + &picture + &theme))));
    parts.extend(kinds.into_iter().map(|(kind, xml)| (format!("word/{kind}.xml"), xml.into_bytes())));
    parts.push(("word/media/image1.png".to_owned(), png()));
    parts.push(("word/theme/theme1.xml".to_owned(), theme_xml().into_bytes()));
    packed(&parts)
}

pub(super) fn png() -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(PICTURE).unwrap()
}

fn packed(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    let parts: Vec<_> = parts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    archive(&parts)
}

fn relations(entries: &str) -> Vec<u8> {
    format!("<Relationships xmlns=\"{PACKAGE}/relationships\">{entries}</Relationships>").into_bytes()
}

/// The parts that name the types of all others, and the main one.
fn package(overrides: &str, main: &str) -> Vec<(String, Vec<u8>)> {
    let theme = format!(
        "<Override PartName=\"/{}/theme/theme1.xml\" ContentType=\"{TYPES}.theme+xml\"/>",
        main.split('/').next().unwrap()
    );
    let types = format!(
        "<Types xmlns=\"{PACKAGE}/content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/><Default Extension=\"png\" ContentType=\"image/png\"/>{overrides}{theme}</Types>"
    );
    let root = format!("<Relationship Id=\"r1\" Type=\"{OFFICE}/relationships/officeDocument\" Target=\"{main}\"/>");
    vec![("[Content_Types].xml".to_owned(), types.into_bytes()), ("_rels/.rels".to_owned(), relations(&root))]
}

fn theme_xml() -> String {
    let color = |name: &str| format!("<a:{name}><a:srgbClr val=\"000000\"/></a:{name}>");
    let names = [
        "dk1", "lt1", "dk2", "lt2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink",
        "folHlink",
    ];
    let colors: String = names.iter().map(|name| color(name)).collect();
    let font = |name: &str| {
        format!("<a:{name}><a:latin typeface=\"Carlito\"/><a:ea typeface=\"\"/><a:cs typeface=\"\"/></a:{name}>")
    };
    let fill = "<a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>";
    let line = format!("<a:ln w=\"9525\">{fill}</a:ln>");
    let effect = "<a:effectStyle><a:effectLst/></a:effectStyle>";
    format!(
        "<a:theme xmlns:a=\"{DRAWING}/main\" name=\"Plain\"><a:themeElements><a:clrScheme name=\"Plain\">{colors}</a:clrScheme>\
         <a:fontScheme name=\"Plain\">{}{}</a:fontScheme><a:fmtScheme name=\"Plain\"><a:fillStyleLst>{}</a:fillStyleLst>\
         <a:lnStyleLst>{}</a:lnStyleLst><a:effectStyleLst>{}</a:effectStyleLst><a:bgFillStyleLst>{}</a:bgFillStyleLst></a:fmtScheme>\
         </a:themeElements></a:theme>",
        font("majorFont"),
        font("minorFont"),
        fill.repeat(3),
        line.repeat(3),
        effect.repeat(3),
        fill.repeat(3)
    )
}

/// The sample presentation with these shapes on its first slide.
pub(super) fn slide(shapes: &str) -> Vec<u8> {
    with_part(include_bytes!("../../../../../samples/small.pptx"), "ppt/slides/slide1.xml", slide_of(shapes))
}

/// A slide with these shapes.
pub(super) fn slide_of(shapes: &str) -> String {
    let root = format!(
        "<p:sld xmlns:a=\"{DRAWING}/main\" xmlns:r=\"{OFFICE}/relationships\" xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\">"
    );
    let group = "<p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>";
    format!(
        "{root}<p:cSld><p:spTree>{group}{shapes}</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>"
    )
}

/// A text box.
pub(super) fn shape(id: u32, text: &str) -> String {
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"Text {id}\"/><p:cNvSpPr txBox=\"1\"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm>\
         <a:off x=\"914400\" y=\"914400\"/><a:ext cx=\"3657600\" cy=\"914400\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom>\
         </p:spPr><p:txBody><a:bodyPr/>{}</p:txBody></p:sp>",
        slide_paragraph(text)
    )
}

fn slide_paragraph(text: &str) -> String {
    format!("<a:p><a:r><a:rPr lang=\"en-US\"/><a:t>{}</a:t></a:r></a:p>", escaped(text))
}

/// A table on a slide.
pub(super) fn slide_table(rows: &[&[&str]]) -> String {
    let columns = rows.first().map_or(0, |row| row.len());
    let cell = |text: &&str| format!("<a:tc><a:txBody><a:bodyPr/>{}</a:txBody><a:tcPr/></a:tc>", slide_paragraph(text));
    let row = |cells: &&[&str]| format!("<a:tr h=\"370840\">{}</a:tr>", cells.iter().map(cell).collect::<String>());
    format!(
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"9\" name=\"Table\"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>\
         <p:xfrm><a:off x=\"914400\" y=\"2743200\"/><a:ext cx=\"3657600\" cy=\"741680\"/></p:xfrm><a:graphic>\
         <a:graphicData uri=\"{DRAWING}/table\"><a:tbl><a:tblPr/><a:tblGrid>{}</a:tblGrid>{}</a:tbl></a:graphicData></a:graphic>\
         </p:graphicFrame>",
        "<a:gridCol w=\"1828800\"/>".repeat(columns),
        rows.iter().map(row).collect::<String>()
    )
}

/// A workbook whose sheet has these rows.
pub(super) fn sheet(rows: &str) -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let part = |name: &str, kind: &str| {
        format!("<Override PartName=\"/xl/{name}.xml\" ContentType=\"{TYPES}.spreadsheetml.{kind}+xml\"/>")
    };
    let overrides =
        part("workbook", "sheet.main") + &part("worksheets/sheet1", "worksheet") + &part("styles", "styles");
    let related = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{OFFICE}/relationships/{kind}\" Target=\"{target}.xml\"/>")
    };
    let relationships = related("r1", "worksheet", "worksheets/sheet1")
        + &related("r2", "styles", "styles")
        + &related("r3", "theme", "theme/theme1");
    let mut parts = package(&overrides, "xl/workbook.xml");
    parts.push(("xl/_rels/workbook.xml.rels".to_owned(), relations(&relationships)));
    let mut add = |name: &str, xml: String| parts.push((name.to_owned(), xml.into_bytes()));
    add(
        "xl/workbook.xml",
        format!(
            "<workbook xmlns=\"{main}\" xmlns:r=\"{OFFICE}/relationships\"><sheets><sheet name=\"Items\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
        ),
    );
    add("xl/worksheets/sheet1.xml", format!("<worksheet xmlns=\"{main}\"><sheetData>{rows}</sheetData></worksheet>"));
    add(
        "xl/styles.xml",
        format!(
            "<styleSheet xmlns=\"{main}\"><fonts count=\"1\"><font/></fonts><fills count=\"1\"><fill><patternFill/></fill></fills><borders count=\"1\"><border/></borders><cellStyleXfs count=\"1\"><xf/></cellStyleXfs><cellXfs count=\"1\"><xf/></cellXfs></styleSheet>"
        ),
    );
    add("xl/theme/theme1.xml", theme_xml());
    packed(&parts)
}

/// A row of texts, and of formulas that begin with `=`.
pub(super) fn row(number: u32, cells: &[&str]) -> String {
    let cell = |(column, content): (char, &&str)| match content.strip_prefix('=') {
        Some(formula) => format!("<c r=\"{column}{number}\"><f>{}</f></c>", escaped(formula)),
        None => format!("<c r=\"{column}{number}\" t=\"inlineStr\"><is><t>{}</t></is></c>", escaped(content)),
    };
    let cells: String = ('A'..).zip(cells).map(cell).collect();
    format!("<row r=\"{number}\">{cells}</row>")
}

/// An OpenDocument text with this content.
pub(super) fn open_text(content: &str) -> Vec<u8> {
    let names = ["office", "text", "table", "draw", "style", "manifest"]
        .map(|name| match name {
            "draw" => ("draw", "drawing"),
            name => (name, name),
        })
        .map(|(prefix, name)| format!(" xmlns:{prefix}=\"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0\""))
        .concat();
    let kind = "application/vnd.oasis.opendocument.text";
    let entry = |path: &str, kind: &str| {
        format!("<manifest:file-entry manifest:full-path=\"{path}\" manifest:media-type=\"{kind}\"/>")
    };
    let manifest = [
        entry("/", kind),
        entry("content.xml", "text/xml"),
        entry("styles.xml", "text/xml"),
        entry("meta.xml", "text/xml"),
    ]
    .concat();
    let root = |element: &str, content: &str| {
        format!("<office:{element}{names} office:version=\"1.3\">{content}</office:{element}>").into_bytes()
    };
    let manifest = format!("<manifest:manifest{names} manifest:version=\"1.3\">{manifest}</manifest:manifest>");
    packed(&[
        ("mimetype".to_owned(), kind.as_bytes().to_vec()),
        ("META-INF/manifest.xml".to_owned(), manifest.into_bytes()),
        (
            "content.xml".to_owned(),
            root("document-content", &format!("<office:body><office:text>{content}</office:text></office:body>")),
        ),
        ("styles.xml".to_owned(), root("document-styles", "")),
        ("meta.xml".to_owned(), root("document-meta", "<office:meta/>")),
    ])
}

/// An archive with one part replaced or added.
pub(super) fn with_part(bytes: &[u8], name: &str, content: impl AsRef<[u8]>) -> Vec<u8> {
    let mut source = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..source.len() {
        let part = source.by_index_raw(index).unwrap();
        if part.name().unwrap() != name {
            writer.raw_copy_file(part).unwrap();
        }
    }
    writer.start_file(name, SimpleFileOptions::default()).unwrap();
    writer.write_all(content.as_ref()).unwrap();
    writer.finish().unwrap().into_inner()
}

/// A chart of two columns of its workbook's rows 2 to `last`.
fn chart(last: u32) -> String {
    let cells = |column: char| format!("<c:f>Items!${column}$2:${column}${last}</c:f>");
    let names = format!(
        "<c:strRef>{}<c:strCache><c:ptCount val=\"1\"/><c:pt idx=\"0\"><c:v>{{#items}}{{name}}</c:v></c:pt></c:strCache></c:strRef>",
        cells('A')
    );
    let values = format!(
        "<c:numRef>{}<c:numCache><c:formatCode>General</c:formatCode><c:ptCount val=\"1\"/><c:pt idx=\"0\"><c:v>0</c:v></c:pt></c:numCache></c:numRef>",
        cells('B')
    );
    let title = "<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>Sales of {company}</a:t></a:r></a:p></c:rich></c:tx></c:title>";
    let series =
        format!("<c:ser><c:idx val=\"0\"/><c:order val=\"0\"/><c:cat>{names}</c:cat><c:val>{values}</c:val></c:ser>");
    let axis = |kind: &str, id: u32, other: u32, side: &str| {
        format!(
            "<c:{kind}><c:axId val=\"{id}\"/><c:scaling/><c:delete val=\"0\"/><c:axPos val=\"{side}\"/><c:crossAx val=\"{other}\"/></c:{kind}>"
        )
    };
    let plot = format!(
        "<c:plotArea><c:barChart><c:barDir val=\"col\"/>{series}<c:axId val=\"1\"/><c:axId val=\"2\"/></c:barChart>{}{}</c:plotArea>",
        axis("catAx", 1, 2, "b"),
        axis("valAx", 2, 1, "l")
    );
    format!(
        "<c:chartSpace xmlns:c=\"{DRAWING}/chart\" xmlns:a=\"{DRAWING}/main\" xmlns:r=\"{OFFICE}/relationships\"><c:chart>{title}{plot}\
         <c:plotVisOnly val=\"1\"/></c:chart><c:externalData r:id=\"rBook\"><c:autoUpdate val=\"0\"/></c:externalData></c:chartSpace>"
    )
}

/// A document with a chart.
pub(super) fn charted(last: u32, workbook: &[u8]) -> Vec<u8> {
    let frame = format!(
        "<w:p><w:r><w:drawing><wp:inline><wp:extent cx=\"3000000\" cy=\"2000000\"/><wp:docPr id=\"1\" name=\"Chart\"/><a:graphic>\
         <a:graphicData uri=\"{DRAWING}/chart\"><c:chart xmlns:c=\"{DRAWING}/chart\" r:id=\"rChart\"/></a:graphicData></a:graphic>\
         </wp:inline></w:drawing></w:r></w:p>"
    );
    with_chart(word(&frame), "word/_rels/document.xml.rels", "charts/chart1.xml", &chart(last), workbook)
}

/// The sample presentation with these shapes and a chart on its first slide.
pub(super) fn charted_slide(shapes: &str, last: u32, workbook: &[u8]) -> Vec<u8> {
    let frame = format!(
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"9\" name=\"Chart\"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>\
         <p:xfrm><a:off x=\"914400\" y=\"2743200\"/><a:ext cx=\"3657600\" cy=\"2741680\"/></p:xfrm><a:graphic>\
         <a:graphicData uri=\"{DRAWING}/chart\"><c:chart xmlns:c=\"{DRAWING}/chart\" r:id=\"rChart\"/></a:graphicData></a:graphic>\
         </p:graphicFrame>"
    );
    let deck = slide(&format!("{shapes}{frame}"));
    with_chart(deck, "ppt/slides/_rels/slide1.xml.rels", "../charts/chart1.xml", &chart(last), workbook)
}

/// Adds a chart with its workbook, and the relationship `rChart` to it.
fn with_chart(document: Vec<u8>, relations: &str, target: &str, chart: &str, workbook: &[u8]) -> Vec<u8> {
    let folder = relations.split('/').next().unwrap();
    let related = |id: &str, kind: &str, target: &str| {
        format!(
            "<Relationship Id=\"{id}\" Type=\"{OFFICE}/relationships/{kind}\" Target=\"{target}\"/></Relationships>"
        )
    };
    let with_relation =
        super::texts::part(&document, relations).replace("</Relationships>", &related("rChart", "chart", target));
    let types = super::texts::part(&document, "[Content_Types].xml").replacen(
        "<Override",
        &format!("<Default Extension=\"xlsx\" ContentType=\"{TYPES}.spreadsheetml.sheet\"/><Override"),
        1,
    );
    let types = types.replace(
        "</Types>",
        &format!(
            "<Override PartName=\"/{folder}/charts/chart1.xml\" ContentType=\"{TYPES}.drawingml.chart+xml\"/></Types>"
        ),
    );
    let own = format!(
        "<Relationships xmlns=\"{PACKAGE}/relationships\">{}",
        related("rBook", "package", "../embeddings/book.xlsx")
    );
    let in_folder = |name: &str| format!("{folder}/{name}");
    let parts: [(String, &[u8]); 5] = [
        (relations.to_owned(), with_relation.as_bytes()),
        ("[Content_Types].xml".to_owned(), types.as_bytes()),
        (in_folder("charts/chart1.xml"), chart.as_bytes()),
        (in_folder("charts/_rels/chart1.xml.rels"), own.as_bytes()),
        (in_folder("embeddings/book.xlsx"), workbook),
    ];
    parts.into_iter().fold(document, |bytes, (name, content)| with_part(&bytes, &name, content))
}
