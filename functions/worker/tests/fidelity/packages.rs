//! Minimal Office Open XML packages for each case.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipWriter};

const RELATION: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PIXEL: &[u8] = include_bytes!("../../../../tests/fixtures/office/pixel.png");

struct Package {
    zip: ZipWriter<File>,
    types: String,
}

impl Package {
    fn create(path: &Path) -> Self {
        Self { zip: ZipWriter::new(File::create(path).unwrap()), types: String::new() }
    }

    fn raw(&mut self, name: &str, content: &[u8]) {
        // As Office dates all parts.
        let options = SimpleFileOptions::default().last_modified_time(DateTime::default());
        self.zip.start_file(name, options).unwrap();
        self.zip.write_all(content).unwrap();
    }

    fn part(&mut self, name: &str, media_type: &str, xml: &str) {
        self.types += &format!(
            "<Override PartName=\"/{name}\" ContentType=\"application/vnd.openxmlformats-officedocument.{media_type}+xml\"/>"
        );
        self.raw(name, format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{xml}").as_bytes());
    }

    /// Relations by type and target, with the ids `rId1`, `rId2` and so on.
    fn relations(&mut self, name: &str, relations: &[(&str, &str)]) {
        let relations = relations.iter().enumerate().map(|(index, (kind, target))| {
            format!("<Relationship Id=\"rId{}\" Type=\"{RELATION}/{kind}\" Target=\"{target}\"/>", index + 1)
        });
        let relations: String = relations.collect();
        let namespace = "http://schemas.openxmlformats.org/package/2006/relationships";
        self.raw(name, format!("<Relationships xmlns=\"{namespace}\">{relations}</Relationships>").as_bytes());
    }

    fn finish(mut self, main: &str) {
        self.relations("_rels/.rels", &[("officeDocument", main)]);
        let types = format!(
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
             <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
             <Default Extension=\"png\" ContentType=\"image/png\"/>\
             <Default Extension=\"jpg\" ContentType=\"image/jpeg\"/>{}</Types>",
            self.types
        );
        self.raw("[Content_Types].xml", types.as_bytes());
        self.zip.finish().unwrap();
    }
}

const TEXT: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
    xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";

/// A text document with these paragraphs.
pub(crate) fn docx(directory: &Path, body: &str) -> PathBuf {
    docx_with(directory, body, "", "")
}

/// A text document that is laid out as by the Word of this `compatibilityMode`.
pub(crate) fn docx_of_word(directory: &Path, body: &str, mode: u32) -> PathBuf {
    let settings = format!(
        "<w:compat><w:compatSetting w:name=\"compatibilityMode\" w:uri=\"http://schemas.microsoft.com/office/word\" \
         w:val=\"{mode}\"/></w:compat>"
    );
    text_document(directory, body, ["", "", &settings, ""])
}

/// A text document that Word saved with so many pages and characters.
pub(crate) fn docx_with_pages(directory: &Path, body: &str, pages: u32, characters: usize) -> PathBuf {
    let path = directory.join("pages.docx");
    let mut package = Package::create(&path);
    let document = format!("<w:document {TEXT}><w:body>{body}</w:body></w:document>");
    package.part("word/document.xml", "wordprocessingml.document.main", &document);
    let properties = format!(
        "<Properties xmlns=\"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties\">\
         <Pages>{pages}</Pages><Characters>{characters}</Characters><Application>Microsoft Office Word</Application></Properties>"
    );
    package.part("docProps/app.xml", "extended-properties", &properties);
    package.finish("word/document.xml");
    path
}

/// A text document of one page with this footer.
pub(crate) fn docx_with_footer(directory: &Path, body: &str, footer: &str) -> PathBuf {
    let section = "<w:sectPr><w:footerReference w:type=\"default\" r:id=\"rId4\"/></w:sectPr>";
    text_document(directory, &[body, section].concat(), ["", "", "", footer])
}

/// A text document with these paragraphs, styles and numberings.
pub(crate) fn docx_with(directory: &Path, body: &str, styles: &str, numbering: &str) -> PathBuf {
    text_document(directory, body, [styles, numbering, "", ""])
}

fn text_document(directory: &Path, body: &str, [styles, numbering, settings, footer]: [&str; 4]) -> PathBuf {
    let path = directory.join("text.docx");
    let mut package = Package::create(&path);
    for (part, kind, content) in [
        ("document", "document.main", format!("<w:body>{body}</w:body>")),
        ("styles", "styles", styles.to_owned()),
        ("numbering", "numbering", numbering.to_owned()),
        ("settings", "settings", settings.to_owned()),
    ] {
        let xml = format!("<w:{part} {TEXT}>{content}</w:{part}>");
        package.part(&format!("word/{part}.xml"), &format!("wordprocessingml.{kind}"), &xml);
    }
    package.part("word/footer.xml", "wordprocessingml.footer", &format!("<w:ftr {TEXT}>{footer}</w:ftr>"));
    let relations = [
        ("styles", "styles.xml"),
        ("numbering", "numbering.xml"),
        ("settings", "settings.xml"),
        ("footer", "footer.xml"),
    ];
    package.relations("word/_rels/document.xml.rels", &relations);
    package.finish("word/document.xml");
    path
}

/// A workbook of one sheet with these rows. The format 1 wraps text.
pub(crate) fn xlsx(directory: &Path, rows: &str) -> PathBuf {
    let path = directory.join("book.xlsx");
    let mut package = Package::create(&path);
    let main = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
    let workbook = format!(
        "<workbook {main} xmlns:r=\"{RELATION}\"><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    package.part("xl/workbook.xml", "spreadsheetml.sheet.main", &workbook);
    let parts = [("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")];
    package.relations("xl/_rels/workbook.xml.rels", &parts);
    let styles = format!(
        "<styleSheet {main}><fonts><font><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts><fills><fill/></fills>\
         <borders><border/></borders><cellStyleXfs><xf/></cellStyleXfs><cellXfs><xf/><xf applyAlignment=\"1\">\
         <alignment wrapText=\"1\"/></xf></cellXfs></styleSheet>"
    );
    package.part("xl/styles.xml", "spreadsheetml.styles", &styles);
    let sheet =
        format!("<worksheet {main}><sheetFormatPr defaultRowHeight=\"15\"/><sheetData>{rows}</sheetData></worksheet>");
    package.part("xl/worksheets/sheet1.xml", "spreadsheetml.worksheet", &sheet);
    package.finish("xl/workbook.xml");
    path
}

/// A paragraph, in a font if one is named.
pub(crate) fn paragraph(text: &str, font: &str) -> String {
    let font = if font.is_empty() {
        String::new()
    } else {
        format!(
            "<w:rPr><w:rFonts w:ascii=\"{font}\" w:hAnsi=\"{font}\" w:eastAsia=\"{font}\" w:cs=\"{font}\"/></w:rPr>"
        )
    };
    format!("<w:p><w:r>{font}<w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>")
}

const SLIDE: &str = "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" \
    xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" \
    xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" \
    xmlns:a14=\"http://schemas.microsoft.com/office/drawing/2010/main\" \
    xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\"";
const TREE: &str = "<p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>";

/// A file of a picture, with its name.
#[derive(Clone, Copy)]
pub(crate) struct Picture<'a>(pub(crate) &'a str, pub(crate) &'a [u8]);

/// A text document with a picture of this width and height, in EMU.
pub(crate) fn docx_with_picture(
    directory: &Path,
    Picture(name, data): Picture<'_>,
    [width, height]: [u32; 2],
) -> PathBuf {
    let path = directory.join("picture.docx");
    let mut package = Package::create(&path);
    let drawing = format!(
        "<w:drawing><wp:inline distT=\"0\" distB=\"0\" distL=\"0\" distR=\"0\"><wp:extent cx=\"{width}\" cy=\"{height}\"/>\
         <wp:docPr id=\"1\" name=\"p\"/><a:graphic><a:graphicData \
         uri=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:pic><pic:nvPicPr>\
         <pic:cNvPr id=\"1\" name=\"p\"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed=\"rId1\"/><a:stretch>\
         <a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/>\
         <a:ext cx=\"{width}\" cy=\"{height}\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></pic:spPr>\
         </pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>"
    );
    let xml = format!(
        "<w:document {TEXT} xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
         xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\" \
         xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><w:body><w:p><w:r>{drawing}</w:r></w:p>\
         </w:body></w:document>"
    );
    package.part("word/document.xml", "wordprocessingml.document.main", &xml);
    package.raw(&format!("word/media/{name}"), data);
    package.relations("word/_rels/document.xml.rels", &[("image", &format!("media/{name}"))]);
    package.finish("word/document.xml");
    path
}

/// A presentation with a picture of this width and height, in EMU.
pub(crate) fn pptx_with_picture(directory: &Path, picture: Picture<'_>, [width, height]: [u32; 2]) -> PathBuf {
    let shape = format!(
        "<p:pic><p:nvPicPr><p:cNvPr id=\"2\" name=\"p\"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill>\
         <a:blip r:embed=\"rId2\"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/>\
         <a:ext cx=\"{width}\" cy=\"{height}\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr></p:pic>"
    );
    slides(directory, "", &[shape], picture)
}

/// A presentation with these shapes on each slide. The picture `rId2` of a slide is one red pixel.
pub(crate) fn pptx(directory: &Path, attributes: &str, shapes: &[String]) -> PathBuf {
    slides(directory, attributes, shapes, Picture("pixel.png", PIXEL))
}

fn slides(directory: &Path, attributes: &str, slides: &[String], Picture(name, data): Picture<'_>) -> PathBuf {
    let path = directory.join("slides.pptx");
    let mut package = Package::create(&path);
    let image = format!("../media/{name}");
    let (mut ids, mut relations) = (String::new(), vec![("slideMaster", "slideMasters/slideMaster1.xml".to_owned())]);
    for (index, shapes) in slides.iter().enumerate() {
        let number = index + 1;
        ids += &format!("<p:sldId id=\"{}\" r:id=\"rId{}\"/>", 255 + number, number + 1);
        relations.push(("slide", format!("slides/slide{number}.xml")));
        let slide = format!("<p:sld {SLIDE}><p:cSld><p:spTree>{TREE}{shapes}</p:spTree></p:cSld></p:sld>");
        package.part(&format!("ppt/slides/slide{number}.xml"), "presentationml.slide", &slide);
        let layout = [("slideLayout", "../slideLayouts/slideLayout1.xml"), ("image", image.as_str())];
        package.relations(&format!("ppt/slides/_rels/slide{number}.xml.rels"), &layout);
    }
    package.raw(&format!("ppt/media/{name}"), data);
    let presentation = format!(
        "<p:presentation {SLIDE} {attributes}><p:sldMasterIdLst><p:sldMasterId id=\"2147483648\" r:id=\"rId1\"/>\
         </p:sldMasterIdLst><p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx=\"9144000\" cy=\"6858000\"/>\
         <p:notesSz cx=\"6858000\" cy=\"9144000\"/></p:presentation>"
    );
    package.part("ppt/presentation.xml", "presentationml.presentation.main", &presentation);
    let relations: Vec<_> = relations.iter().map(|(kind, target)| (*kind, target.as_str())).collect();
    package.relations("ppt/_rels/presentation.xml.rels", &relations);
    let colors = "bg1=\"lt1\" tx1=\"dk1\" bg2=\"lt2\" tx2=\"dk2\" accent1=\"accent1\" accent2=\"accent2\" \
        accent3=\"accent3\" accent4=\"accent4\" accent5=\"accent5\" accent6=\"accent6\" hlink=\"hlink\" folHlink=\"folHlink\"";
    let master = format!(
        "<p:sldMaster {SLIDE}><p:cSld><p:spTree>{TREE}</p:spTree></p:cSld><p:clrMap {colors}/><p:sldLayoutIdLst>\
         <p:sldLayoutId id=\"2147483649\" r:id=\"rId1\"/></p:sldLayoutIdLst></p:sldMaster>"
    );
    package.part("ppt/slideMasters/slideMaster1.xml", "presentationml.slideMaster", &master);
    let below = [("slideLayout", "../slideLayouts/slideLayout1.xml"), ("theme", "../theme/theme1.xml")];
    package.relations("ppt/slideMasters/_rels/slideMaster1.xml.rels", &below);
    let layout = format!("<p:sldLayout {SLIDE}><p:cSld><p:spTree>{TREE}</p:spTree></p:cSld></p:sldLayout>");
    package.part("ppt/slideLayouts/slideLayout1.xml", "presentationml.slideLayout", &layout);
    let above = [("slideMaster", "../slideMasters/slideMaster1.xml")];
    package.relations("ppt/slideLayouts/_rels/slideLayout1.xml.rels", &above);
    package.part("ppt/theme/theme1.xml", "theme", &theme());
    package.finish("ppt/presentation.xml");
    path
}

fn theme() -> String {
    let names = [
        "dk1", "lt1", "dk2", "lt2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink",
        "folHlink",
    ];
    let color = |name: &str| if name.starts_with("lt") { "FFFFFF" } else { "000000" };
    let colors: String =
        names.iter().map(|name| format!("<a:{name}><a:srgbClr val=\"{}\"/></a:{name}>", color(name))).collect();
    let font = "<a:latin typeface=\"Arial\"/><a:ea typeface=\"\"/><a:cs typeface=\"\"/>";
    let fill = "<a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>";
    let (fills, lines) = (fill.repeat(3), format!("<a:ln>{fill}</a:ln>").repeat(3));
    let effects = "<a:effectStyle><a:effectLst/></a:effectStyle>".repeat(3);
    format!(
        "<a:theme xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" name=\"T\"><a:themeElements>\
         <a:clrScheme name=\"c\">{colors}</a:clrScheme><a:fontScheme name=\"f\"><a:majorFont>{font}</a:majorFont>\
         <a:minorFont>{font}</a:minorFont></a:fontScheme><a:fmtScheme name=\"m\"><a:fillStyleLst>{fills}</a:fillStyleLst>\
         <a:lnStyleLst>{lines}</a:lnStyleLst><a:effectStyleLst>{effects}</a:effectStyleLst>\
         <a:bgFillStyleLst>{fills}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>"
    )
}

/// A text box over the width of the slide, an inch from the left. `fill`: its fill, or nothing.
pub(crate) fn text_box(fill: &str, paragraphs: &str) -> String {
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"2\" name=\"box\"/><p:cNvSpPr txBox=\"1\"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm>\
         <a:off x=\"914400\" y=\"914400\"/><a:ext cx=\"7315200\" cy=\"914400\"/></a:xfrm><a:prstGeom prst=\"rect\">\
         <a:avLst/></a:prstGeom>{fill}</p:spPr><p:txBody><a:bodyPr wrap=\"square\" lIns=\"0\"/><a:lstStyle/>{paragraphs}\
         </p:txBody></p:sp>"
    )
}
