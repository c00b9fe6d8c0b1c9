use docmill_formats::Format;

use super::*;

const NAMES: &str = "xmlns:office='o' xmlns:text='t' xmlns:table='b' xmlns:draw='d' xmlns:style='s' xmlns:fo='f' xmlns:xlink='x' xmlns:svg='v' xmlns:dc='c' xmlns:presentation='p'";

const STYLES: &str = "<office:styles><style:default-style style:family='paragraph'><style:text-properties fo:language='de' fo:country='AT'/></style:default-style>\
<style:style style:name='Title' style:family='paragraph'/><style:style style:name='P_20_T' style:display-name='Mine' style:family='paragraph' style:parent-style-name='Title'/>\
<style:style style:name='Caption' style:family='paragraph'/><style:style style:name='Table' style:family='paragraph' style:parent-style-name='Caption'/>\
<style:style style:name='Mono' style:family='paragraph'><style:text-properties style:font-name='Liberation Mono'/></style:style>\
<style:style style:name='B' style:family='text'><style:text-properties fo:font-weight='bold'/></style:style>\
<style:style style:name='U' style:family='text'><style:text-properties style:text-position='super 58%'/></style:style>\
<style:style style:name='H' style:family='text'><style:text-properties text:display='none'/></style:style>\
<style:style style:name='off' style:family='table'><style:table-properties table:display='false'/></style:style>\
<text:list-style style:name='N'><text:list-level-style-number text:level='1' style:num-format='1' text:start-value='2'/><text:list-level-style-bullet text:level='2'/></text:list-style></office:styles>";

fn packed_odf(body: &str) -> Vec<u8> {
    let content =
        format!("<office:document-content {NAMES}><office:body>{body}</office:body></office:document-content>");
    let masters = "<office:master-styles><style:master-page><style:header><text:p>Above</text:p></style:header></style:master-page></office:master-styles>";
    let styles = format!("<office:document-styles {NAMES}>{STYLES}{masters}</office:document-styles>");
    let meta = format!(
        "<office:document-meta {NAMES}><office:meta><dc:title>The title</dc:title></office:meta></office:document-meta>"
    );
    packed(&[
        ("content.xml", content.into_bytes()),
        ("styles.xml", styles.into_bytes()),
        ("meta.xml", meta.into_bytes()),
        ("Pictures/i.png", PIXEL.to_vec()),
    ])
}

fn odf(file: Format, body: &str) -> Document {
    document(file, &packed_odf(body))
}

const TEXT: &str = "<office:text><text:tracked-changes><text:changed-region><text:deletion><text:p>never</text:p></text:deletion></text:changed-region></text:tracked-changes>\
<text:p text:style-name='P_20_T'>Headline</text:p><text:h text:outline-level='2'>Chapter</text:h>\
<text:p>a <text:span text:style-name='B'>b</text:span><text:s text:c='2'/>c<text:tab/>d<text:line-break/><text:a xlink:href='https://example.org'>e</text:a><text:span text:style-name='H'>secret</text:span>\
<text:note text:note-class='footnote'><text:note-citation>1</text:note-citation><text:note-body><text:p>The note.</text:p></text:note-body></text:note></text:p>\
<text:list text:style-name='N'><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>deeper</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p><text:p>more</text:p></text:list-item></text:list>\
<text:p>between</text:p><text:list text:style-name='N' text:continue-numbering='true'><text:list-item><text:p>three</text:p></text:list-item></text:list>\
<text:p text:style-name='Table'>Table <text:sequence>1</text:sequence></text:p><table:table><table:table-column/><table:table-header-rows><table:table-row><table:table-cell table:number-columns-spanned='2'><text:p>head</text:p></table:table-cell><table:covered-table-cell/></table:table-row></table:table-header-rows>\
<table:table-row><table:table-cell><text:p>x</text:p><text:p>y</text:p></table:table-cell><table:table-cell table:number-columns-repeated='1'><text:p>z</text:p></table:table-cell></table:table-row></table:table>\
<text:p><draw:frame><draw:image xlink:href='Pictures/i.png'/><svg:title>A dot</svg:title></draw:frame>with a picture</text:p><text:p><draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame></text:p>\
<text:p text:style-name='Mono'>let a;</text:p><text:p text:style-name='Mono'>let b;</text:p></office:text>";

#[test]
fn texts_are_read_by_their_structure() {
    let read = odf(Format::Odt, TEXT);
    assert_eq!((read.title.as_deref(), read.language.as_deref()), (Some("The title"), Some("de-AT")));
    assert_eq!(
        blocks(&read),
        [
            "header: Above",
            "title: Headline",
            "h2: Chapter",
            "paragraph: a b  c\td\ne1",
            "item 1.0 2: one",
            "item 1.1: deeper",
            "item 1.0 3: two",
            "paragraph: more",
            "paragraph: between",
            "item 2.0 4: three",
            "caption of b12: Table 1",
            "table: head\nx y\tz",
            "paragraph: with a picture",
            "figure: A dot",
            "paragraph: boxed",
            "code: let a;\nlet b;",
            "footnote 1: The note.",
        ]
    );
    assert_eq!(styled(&read, 3), ["b b", "l e", "^ 1"]);
    assert_eq!(hidden(&read), ["secret"]);
    assert_eq!(cells(&read, 0)[..2], [("head", [0, 0, 1, 2], true), ("x\ny", [1, 0, 1, 1], false)]);
    assert_eq!(read.footnotes[0].from, Some(Id::block(4)));
    assert!(read.figures[0].data.is_some());
}

#[test]
fn one_file_is_read_like_an_archive() {
    let flat = format!(
        "<?xml version='1.0'?><office:document {NAMES}>{STYLES}<office:body>{TEXT}</office:body></office:document>"
    );
    let read = document(Format::Odt, flat.as_bytes());
    assert_eq!(blocks(&read)[..2], ["title: Headline", "h2: Chapter"]);
    assert_eq!(read.blocks.len(), 16);
}

#[test]
fn sheets_repeat_cells_and_hide_rows() {
    let cell = |attributes: &str, text: &str| {
        format!("<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>")
    };
    let body = format!(
        "<office:spreadsheet><table:table table:name='First'><table:table-column table:number-columns-repeated='2'/><table:table-column table:visibility='collapse'/>\
<table:table-row>{}{}{}</table:table-row><table:table-row table:number-rows-repeated='2'>{}</table:table-row><table:table-row table:visibility='filter'>{}</table:table-row>\
<table:table-row table:number-rows-repeated='1048000'><table:table-cell table:number-columns-repeated='16384'/></table:table-row></table:table>\
<table:table table:name='Off' table:style-name='off'><table:table-row>{}</table:table-row></table:table></office:spreadsheet>",
        cell("", "Name"),
        cell("", "Amount"),
        cell("", "gone"),
        cell("table:number-columns-repeated='2'", "7"),
        cell("", "filtered"),
        cell("", "elsewhere"),
    );
    let read = odf(Format::Ods, &body);
    assert_eq!(blocks(&read), ["h1: First", "table: Name\tAmount\n7\t7\n7\t7"]);
    assert_eq!(hidden(&read), ["gone", "filtered", "Off\nelsewhere"]);
    assert_eq!(cells(&read, 0).iter().filter(|cell| cell.2).count(), 2);
    let bomb = format!(
        "<office:spreadsheet><table:table><table:table-row table:number-rows-repeated='1048576'>{}</table:table-row></table:table></office:spreadsheet>",
        cell("table:number-columns-repeated='16384'", "boom")
    );
    let failure = try_read(Format::Ods, &packed_odf(&bomb), &LIMITS).unwrap_err();
    assert_eq!(failure.cause, "text beyond the limit");
}

#[test]
fn pages_of_presentations_have_titles_and_notes() {
    let frame = |class: &str, text: &str| {
        format!("<draw:frame presentation:class='{class}'><draw:text-box>{text}</draw:text-box></draw:frame>")
    };
    let body = format!(
        "<office:presentation><draw:page>{}{}</draw:page><draw:page>{}{}<draw:custom-shape><text:p>shape</text:p></draw:custom-shape><presentation:notes>{}</presentation:notes></draw:page></office:presentation>",
        frame("subtitle", "<text:p>Below</text:p>"),
        frame("title", "<text:p>The deck</text:p>"),
        frame("outline", "<text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>"),
        frame("title", "<text:p>Points</text:p>"),
        frame("notes", "<text:p>Say this.</text:p>"),
    );
    assert_eq!(
        blocks(&odf(Format::Odp, &body)),
        [
            "title: The deck",
            "paragraph: Below",
            "h2: Points",
            "item 1.0: one",
            "paragraph: shape",
            "h3: Notes",
            "paragraph: Say this.",
        ]
    );
}
