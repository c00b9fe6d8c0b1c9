use super::super::super::model::{Cell, Document, Footnote, Id, Role, Span, Table};
use super::super::markdown::markdown;
use super::{cell, document, item, table};

fn raised(text: &str) -> Span {
    Span { superscript: true, ..plain(text) }
}

fn plain(text: &str) -> Span {
    Span { text: text.to_owned(), ..Span::default() }
}

fn note(mark: &str, from: usize, block: usize) -> Footnote {
    Footnote { mark: mark.to_owned(), from: Some(Id::block(from)), block: Id::block(block) }
}

#[test]
fn blocks_have_an_empty_line_between_them_and_items_none() {
    let document = document([
        (Role::Title, 1, "Gardens\n*"),
        (Role::Heading { level: 2 }, 1, "Roses"),
        (Role::Paragraph, 1, "# Red\n- white\n\n1. _pink_"),
        (item(1, 0, None), 1, "a"),
        (item(1, 1, Some(4)), 1, "b\nc"),
        (item(2, 0, None), 1, "+ d"),
        (Role::Code, 1, "if a {\n\n}"),
        (Role::Figure { figure: Id::figure(1) }, 1, "no picture"),
    ]);
    let expected = "# Gardens \\*\n\n## Roses\n\n\\# Red  \n\\- white  \n1\\. \\_pink\\_\n\n- a\n    4. b  \n        c\n\n- \\+ d\n\n\
                    ```\nif a {\n\n}\n```\n";
    assert_eq!(markdown(&document), expected);
    assert_eq!(markdown(&Document::default()), "");
}

#[test]
fn tables_are_pipes_unless_cells_span_others() {
    let with = |table: Table| {
        let document = document([(Role::Table { table: Id::table(1) }, 1, "not used")]);
        markdown(&Document { tables: vec![table], ..document })
    };
    assert_eq!(with(table(1, [["a|b", "<c>"], ["d\ne", ""]])), "| a\\|b | \\<c> |\n| --- | --- |\n| d e |  |\n");
    let cells = vec![
        Cell { row_span: 2, ..cell(0, 0, "a") },
        Cell { column_span: 2, ..cell(0, 1, "b & c") },
        cell(1, 1, "d"),
        cell(1, 2, "e\n\nf"),
    ];
    let expected = "<table>\n<tr><th rowspan=\"2\">a</th><th colspan=\"2\">b &amp; c</th></tr>\n\
                    <tr><td>d</td><td>e<br><br>f</td></tr>\n</table>\n";
    assert_eq!(with(Table { id: Id::table(1), rows: 2, columns: 3, cells }), expected);
}

#[test]
fn footnotes_have_a_name_each_and_those_without_a_mark_are_text() {
    let footnote = |mark: &str| Role::Footnote { mark: mark.to_owned() };
    let mut document = document([
        (Role::Paragraph, 1, ""),
        (footnote("1"), 1, "First.\nOn and on."),
        (footnote("2"), 1, "Second."),
        (Role::Paragraph, 2, ""),
        (footnote("1"), 2, "Of another page."),
        (footnote("3"), 2, "Of nothing."),
        (Role::Heading { level: 1 }, 2, "Of a heading4"),
        (footnote("4"), 2, "Fourth."),
    ]);
    document.blocks[0].spans = vec![plain("Roses"), raised("1, 2 "), plain("are red"), raised("th")];
    document.blocks[3].spans = vec![plain("Tulips"), raised("1")];
    document.blocks[6].spans = vec![plain("Of a heading"), raised("4")];
    document.footnotes =
        vec![note("1", 1, 2), note("2", 1, 3), note("1", 4, 5), note("3", 4, 6), note("4", 7, 8), note("9", 99, 98)];
    let expected = "Roses[^1], [^2] are red<sup>th</sup>\n\n[^1]: First.  \n    On and on.\n\n[^2]: Second.\n\n\
                    Tulips[^1-2]\n\n[^1-2]: Of another page.\n\n3 Of nothing.\n\n# Of a heading4\n\n4 Fourth.\n";
    assert_eq!(markdown(&document), expected);
}
