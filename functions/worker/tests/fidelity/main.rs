//! Fidelity to other programs: one small document for each former difference.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]

#[path = "../helper/checked.rs"]
mod checked;
mod packages;
mod pages_in_word;
mod pictures;
mod scripts;
mod support;

use std::path::Path;

use docmill_domain::job::JobErrorCode;
use serde_json::json;
use tempfile::TempDir;

use packages::{docx, docx_of_word, docx_with, docx_with_footer, paragraph, pptx, text_box, xlsx};
use support::{Printed, print, print_text, try_print};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/office");

fn row(printed: &Printed, first: &str) -> Vec<String> {
    let text = printed.text();
    let line = text.lines().find(|line| line.trim_start().starts_with(first));
    line.unwrap_or_else(|| panic!("no {first}: {text}")).split_whitespace().map(str::to_owned).collect()
}

#[tokio::test]
async fn tables_are_printed_as_they_are_written() {
    let table =
        "id,date,time,code,amount\n1/2,1/2/2024,10:30,01067,2.50\n=1+1,2024-01-02,1e5,TRUE,1234567890123456789\n";
    let printed = print_text("table.csv", table.as_bytes()).await;
    assert_eq!(row(&printed, "1/2"), ["1/2", "1/2/2024", "10:30", "01067", "2.50"]);
    assert_eq!(row(&printed, "=1+1"), ["=1+1", "2024-01-02", "1e5", "TRUE", "1234567890123456789"]);
    assert_eq!(printed.codes(), Vec::<&str>::new());
}

#[tokio::test]
async fn texts_of_every_encoding_are_read() {
    let russian = "Привет, мир! Это простой текст без всякой подписи.";
    let cyrillic = print_text("letter.txt", &encoding_rs::WINDOWS_1251.encode(russian).0).await;
    assert!(cyrillic.text().contains("Привет, мир!"), "{}", cyrillic.text());
    assert_eq!(cyrillic.codes(), ["encoding_guessed"]);
    assert_eq!(cyrillic.warnings[0].detail.as_deref(), Some("windows-1251"));
    let big: Vec<u8> = format!("{russian}\n").encode_utf16().flat_map(u16::to_be_bytes).collect();
    let big = print_text("letter.txt", &big).await;
    assert!(big.text().contains("Это простой текст"), "{}", big.text());
    let table: Vec<u8> = "имя;город\nАнна;Köln\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(row(&print_text("table.csv", &table).await, "Анна"), ["Анна", "Köln"]);
    assert_eq!(print_text("plain.txt", "Grüße".as_bytes()).await.codes(), Vec::<&str>::new());
}

/// Those that no table uses are left out.
#[tokio::test]
async fn table_styles_in_use_stay() {
    let directory = TempDir::new().unwrap();
    let style = |id: &str, inside: &str| {
        format!("<w:style w:type=\"table\" w:styleId=\"{id}\"><w:name w:val=\"{id}\"/>{inside}</w:style>")
    };
    let fonts = |font: &str| format!("<w:rPr><w:rFonts w:ascii=\"{font}\" w:hAnsi=\"{font}\"/></w:rPr>");
    let unused = (0..12).map(|number| style(&format!("Unused{number}"), "")).collect::<String>();
    let [base, used] = [style("Base", &fonts("DejaVu Sans Mono")), style("Used", "<w:basedOn w:val=\"Base\"/>")];
    let table = "<w:tbl><w:tblPr><w:tblStyle w:val=\"Used\"/></w:tblPr><w:tr><w:tc><w:p><w:r><w:t>In a table</w:t></w:r></w:p>\
        </w:tc></w:tr></w:tbl>";
    let printed = print(&docx_with(directory.path(), table, &[unused, base, used].concat(), "")).await;
    assert!(printed.text().contains("In a table"), "{}", printed.text());
    assert_eq!(printed.fonts(), ["DejaVuSansMono"]);
}

/// LibreOffice would print the path of the conversion's folder.
#[tokio::test]
async fn fields_of_the_file_name_show_no_path() {
    let directory = TempDir::new().unwrap();
    let field =
        |code: &str| format!("<w:p><w:fldSimple w:instr=\" {code} \"><w:r><w:t>old</w:t></w:r></w:fldSimple></w:p>");
    let source = docx(directory.path(), &[field("FILENAME \\p"), field("FILENAME"), field("NUMPAGES")].concat());
    let text = print(&source).await.text();
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    // The name of a source without one.
    assert_eq!(lines, ["document.docx", "document.docx", "1"]);
}

/// LibreOffice uses Liberation Serif for italics in a formula, and places its exponent higher than the rest.
#[tokio::test]
async fn equations_are_printed() {
    let directory = TempDir::new().unwrap();
    let power = "<m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>";
    let equation = format!(
        "<w:p><w:r><w:t xml:space=\"preserve\">Energy </w:t></w:r><m:oMath><m:r><m:t>E=m</m:t></m:r>{power}</m:oMath></w:p>"
    );
    let text = print(&docx(directory.path(), &equation)).await;
    assert!(text.text().contains("E=m"), "{}", text.text());

    let equation = "<a14:m><m:oMath><m:r><m:t>E=m</m:t></m:r></m:oMath></a14:m>";
    let choice = text_box("", &format!("<a:p><a:r><a:t>Energy </a:t></a:r>{equation}</a:p>"));
    let picture = "<a:blipFill><a:blip r:embed=\"rId2\"/><a:stretch><a:fillRect/></a:stretch></a:blipFill>";
    let fallback = text_box(picture, "<a:p><a:r><a:t> </a:t></a:r></a:p>");
    let alternate = format!(
        "<mc:AlternateContent><mc:Choice Requires=\"a14\">{choice}</mc:Choice><mc:Fallback>{fallback}</mc:Fallback>\
         </mc:AlternateContent>"
    );
    let slide = print(&pptx(directory.path(), "", &[alternate])).await;
    assert!(slide.has_color(), "the equation's picture is there");
    assert!(slide.text().contains("Energy E=m"), "people can search for it: {}", slide.text());
    assert_eq!(slide.codes(), Vec::<&str>::new());
    let without = print(&pptx(directory.path(), "", &[choice])).await;
    assert!(without.text().contains("Energy E=m"), "{}", without.text());
    assert_eq!(without.codes(), ["equation_simplified"]);
}

#[tokio::test]
async fn missing_fonts_have_substitutes_of_the_same_width() {
    let directory = TempDir::new().unwrap();
    let print_in = async |font: &str, text: &str| print(&docx(directory.path(), &paragraph(text, font))).await;
    for (font, relative) in [
        ("Cambria", "CaladeaTall-Regular"),
        ("Georgia", "Gelasio-Regular"),
        ("Consolas", "InconsolataSemiWide-Regular"),
        ("Cascadia Code", "CascadiaMono-Regular"),
        ("Cascadia Mono", "CascadiaMono-Regular"),
        ("Comic Sans MS", "ComicRelief-Regular"),
        ("Century Gothic", "TeXGyreAdventor-Regular"),
        ("Book Antiqua", "TeXGyrePagella-Regular"),
        ("Helvetica", "LiberationSans"),
    ] {
        let printed = print_in(font, "Hamburgefonts").await;
        assert_eq!((printed.fonts(), printed.codes()), (vec![relative.to_owned()], vec![]), "{font}");
    }
    for (font, text, relative) in [
        ("Verdana", "Hamburgefonts", "DejaVuSansTall-Regular"),
        ("Tahoma", "Hamburgefonts", "ArimoTall-Regular"),
        ("Segoe UI", "Hamburgefonts", "ArimoExtraTall-Regular"),
        ("Aptos", "Hamburgefonts", "ArimoFitted-Regular"),
        ("Arial Black", "Hamburgefonts", "DejaVuSans-Bold"),
        ("Batang", "안녕하세요", "Baekmuk-Batang"),
        ("Gulim", "안녕하세요", "Baekmuk-Gulim"),
        ("굴림", "안녕하세요", "Baekmuk-Gulim"),
    ] {
        let printed = print_in(font, text).await;
        assert_eq!((printed.fonts(), printed.codes()), (vec![relative.to_owned()], vec!["font_substituted"]), "{font}");
        assert!(printed.warnings[0].message.contains("about as wide"), "{}", printed.warnings[0].message);
    }
    let nova = print_in("Arial Nova", "Hamburgefonts").await;
    assert_eq!(nova.fonts(), ["ArimoTall-Regular"]);
    for other in [nova, print_in("Impact", "Hamburgefonts").await] {
        assert!(other.warnings[0].message.contains("other widths"), "{}", other.warnings[0].message);
    }
}

#[tokio::test]
async fn letters_in_symbol_fonts_are_symbols() {
    let directory = TempDir::new().unwrap();
    let symbol = "<w:p><w:r><w:sym w:font=\"Webdings\" w:char=\"F0FC\"/></w:r></w:p>";
    let body = [paragraph("Jü", "Wingdings"), symbol.to_owned(), paragraph("plain", "")].concat();
    let text = print(&docx(directory.path(), &body)).await.text();
    assert!(text.contains("☺✓") && text.contains("plain") && !text.contains('J'), "{text}");
    let run = |font: &str, text: &str| format!("<a:p><a:r><a:rPr>{font}</a:rPr><a:t>{text}</a:t></a:r></a:p>");
    let runs = [
        run("<a:latin typeface=\"Wingdings\"/>", "J"),
        run("<a:sym typeface=\"Wingdings\" charset=\"2\"/>", "\u{F0E0} next"),
    ];
    let text = print(&pptx(directory.path(), "", &[text_box("", &runs.concat())])).await.text();
    assert!(text.contains('☺') && text.contains("🡪 next"), "{text}");
}

#[tokio::test]
async fn slide_numbers_begin_where_the_presentation_says() {
    let directory = TempDir::new().unwrap();
    let field = "<a:p><a:r><a:t>Slide </a:t></a:r><a:fld id=\"{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}\" type=\"slidenum\">\
        <a:rPr lang=\"en-US\"/><a:t>‹#›</a:t></a:fld></a:p>";
    let slides = vec![text_box("", field); 3];
    let numbers = async |attributes| {
        let text = print(&pptx(directory.path(), attributes, &slides)).await.text();
        text.lines().filter_map(|line| line.trim().strip_prefix("Slide ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(numbers("firstSlideNum=\"0\"").await, ["0", "1", "2"]);
    assert_eq!(numbers("").await, ["1", "2", "3"]);
}

#[tokio::test]
async fn tab_stops_of_slides_are_where_they_were_set() {
    let directory = TempDir::new().unwrap();
    let line = |properties: &str, word: &str| {
        format!(
            "<a:p><a:pPr {properties}><a:tabLst><a:tab pos=\"2743200\" algn=\"l\"/></a:tabLst></a:pPr>\
             <a:r><a:t>x\t{word}</a:t></a:r></a:p>"
        )
    };
    let lines = [line("marL=\"0\" indent=\"0\"", "first"), line("marL=\"914400\"", "second")].concat();
    let printed = print(&pptx(directory.path(), "", &[text_box("", &lines)])).await;
    // The box begins an inch from the left, and its tab stop is at three inches.
    for word in ["first", "second"] {
        assert!((printed.left_of(word) - 288.0).abs() < 2.0, "{word}: {}", printed.left_of(word));
    }
    assert_eq!(printed.codes(), Vec::<&str>::new());
    let listed = line("marL=\"457200\" indent=\"-457200\"", "third");
    assert_eq!(print(&pptx(directory.path(), "", &[text_box("", &listed)])).await.codes(), ["tab_stops_dropped"]);
}

/// The heading of a page has 100 points above it. Word 2010 keeps them, and Word 2013 doesn't.
#[tokio::test]
async fn space_above_the_first_paragraph_of_a_page_is_that_of_the_documents_word() {
    let directory = TempDir::new().unwrap();
    let heading =
        "<w:p><w:pPr><w:pageBreakBefore/><w:spacing w:before=\"2000\"/></w:pPr><w:r><w:t>Heading</w:t></w:r></w:p>";
    let body = paragraph("Text", "") + heading;
    let bottom = async |mode| print(&docx_of_word(directory.path(), &body, mode)).await.bottom_of("Heading");
    let (kept, dropped) = (bottom(14).await, bottom(15).await);
    assert!((kept - dropped - 100.0).abs() < 1.0, "{kept} and {dropped}");
}

/// Word counts no space below a footer's last paragraph.
#[tokio::test]
async fn a_footer_stands_where_word_puts_it() {
    let directory = TempDir::new().unwrap();
    let footer =
        |after| format!("<w:p><w:pPr><w:spacing w:after=\"{after}\"/></w:pPr><w:r><w:t>Footer</w:t></w:r></w:p>");
    let bottom = async |after| {
        print(&docx_with_footer(directory.path(), &paragraph("Text", ""), &footer(after))).await.bottom_of("Footer")
    };
    let (without, with) = (bottom(0).await, bottom(600).await);
    assert!((without - with).abs() < 0.5, "{without} and {with}");
}

/// Lines of 20 points.
#[tokio::test]
async fn lines_are_as_high_as_in_word() {
    let directory = TempDir::new().unwrap();
    let words = ["one", "two", "three", "four", "five"];
    for (font, words, in_word) in [
        ("MS Gothic", ["一", "二", "三", "四", "五"], 26.0),
        ("Calibri", words, 24.4),
        ("Consolas", words, 23.4),
        ("Georgia", words, 22.7),
        ("Cambria", words, 23.4),
        ("Verdana", words, 24.3),
        ("Tahoma", words, 24.1),
        ("Segoe UI", words, 26.6),
    ] {
        let line = |text: &str| paragraph(text, font).replace("<w:rPr>", "<w:rPr><w:sz w:val=\"40\"/>");
        let printed = print(&docx(directory.path(), &words.map(line).concat())).await;
        let [first, .., last] = words;
        let height = (printed.bottom_of(last) - printed.bottom_of(first)) / 4.0;
        assert!((height - in_word).abs() < 0.2, "{font}: {height}");
    }
}

/// A heading whose style clears its numbering's tab stop, an inch and a half from the margin.
#[tokio::test]
async fn text_after_a_number_begins_where_word_begins_it() {
    let directory = TempDir::new().unwrap();
    let tab = |kind: &str| format!("<w:tabs><w:tab w:val=\"{kind}\" w:pos=\"2160\"/></w:tabs>");
    let numbering = format!(
        "<w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/>\
         <w:pStyle w:val=\"H\"/><w:lvlText w:val=\"%1\"/><w:pPr>{}<w:ind w:left=\"0\" w:firstLine=\"0\"/></w:pPr></w:lvl>\
         </w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>",
        tab("num")
    );
    let style = |tabs: &str| {
        format!(
            "<w:style w:type=\"paragraph\" w:styleId=\"H\"><w:name w:val=\"heading 1\"/><w:pPr><w:numPr>\
             <w:numId w:val=\"1\"/></w:numPr>{tabs}</w:pPr></w:style>"
        )
    };
    let heading = "<w:p><w:pPr><w:pStyle w:val=\"H\"/></w:pPr><w:r><w:t>Heading</w:t></w:r></w:p>";
    let indent = async |tabs: &str| {
        let printed = print(&docx_with(directory.path(), heading, &style(tabs), &numbering)).await;
        printed.left_of("Heading") - printed.left_of("1")
    };
    assert!((indent("").await - 108.0).abs() < 1.0);
    assert!((indent(&tab("clear")).await - 36.0).abs() < 1.0, "the next default tab stop is at half an inch");
}

#[tokio::test]
async fn tables_with_text_around_them_continue_on_the_next_page() {
    let directory = TempDir::new().unwrap();
    let cell = |number| {
        let text = paragraph(&format!("cell {number}"), "");
        format!("<w:tr><w:tc><w:tcPr><w:tcW w:w=\"4000\" w:type=\"dxa\"/></w:tcPr>{text}</w:tc></w:tr>")
    };
    let rows: String = (1..=60).map(cell).collect();
    let table = format!(
        "<w:tbl><w:tblPr><w:tblpPr w:vertAnchor=\"text\" w:horzAnchor=\"margin\" w:tblpY=\"1\"/><w:tblW w:w=\"4000\" \
         w:type=\"dxa\"/></w:tblPr><w:tblGrid><w:gridCol w:w=\"4000\"/></w:tblGrid>{rows}</w:tbl>"
    );
    let body = [paragraph("before", ""), table, paragraph("after", "")].concat();
    let printed = print(&docx(directory.path(), &body)).await;
    // Older versions cut the table off at the end of the page.
    if printed.version_is_at_least((24, 2)) {
        let text = printed.text();
        let pages: Vec<_> = text.split('\u{c}').collect();
        assert!(
            pages[0].contains("before") && pages[0].contains("cell 1\n") && !pages[0].contains("cell 60"),
            "{text}"
        );
        assert!(pages[1].contains("cell 60"), "{text}");
    }
}

#[tokio::test]
async fn rows_have_the_heights_that_excel_saved() {
    let directory = TempDir::new().unwrap();
    let row = |number: u32, attributes: &str, format: u32, text: &str| {
        format!(
            "<row r=\"{number}\" {attributes}><c r=\"A{number}\" s=\"{format}\" t=\"inlineStr\"><is><t>{text}</t></is></c></row>"
        )
    };
    let long = "Wrapped to lines that need more than the height that was saved";
    let rows = [
        row(1, "", 0, "First"),
        row(2, "ht=\"60\"", 0, "Second"),
        row(3, "ht=\"60\" customHeight=\"1\"", 0, "Third"),
        row(4, "ht=\"15\"", 1, long),
        row(5, "ht=\"15.75\"", 0, "Fifth"),
    ];
    let printed = print(&xlsx(directory.path(), &rows.concat())).await;
    // Cells are aligned at the bottom.
    let height = |above: &str, row: &str| printed.bottom_of(row) - printed.bottom_of(above);
    assert!((height("First", "Second") - 60.0).abs() < 1.0, "{}", height("First", "Second"));
    assert!((height("Second", "Third") - 60.0).abs() < 1.0, "{}", height("Second", "Third"));
    assert!(printed.text().contains("saved"), "no line of a wrapped text is cut off: {}", printed.text());
}

const CHANGED: &str = "<w:p><w:r><w:t xml:space=\"preserve\">Price: </w:t></w:r>\
    <w:del w:id=\"1\" w:author=\"A\" w:date=\"2024-01-01T00:00:00Z\"><w:r><w:delText>OLDPRICE</w:delText></w:r></w:del>\
    <w:ins w:id=\"2\" w:author=\"A\" w:date=\"2024-01-01T00:00:00Z\"><w:r><w:t>NEWPRICE</w:t></w:r></w:ins></w:p>";

#[tokio::test]
async fn tracked_changes_are_accepted_or_shown() {
    let directory = TempDir::new().unwrap();
    let path = docx(directory.path(), CHANGED);
    let accepted = print(&path).await;
    assert!(accepted.text().contains("Price: NEWPRICE") && !accepted.text().contains("OLD"), "{}", accepted.text());
    assert!(!accepted.has_color());
    let shown = try_print(&path, json!({ "trackedChanges": "shown" })).await.unwrap();
    assert!(shown.text().contains("OLDPRICE") && shown.has_color(), "{}", shown.text());
    for printed in [accepted, shown] {
        assert_eq!(printed.codes(), ["tracked_changes"]);
    }
    assert_eq!(print(&docx(directory.path(), &paragraph("x", ""))).await.codes(), Vec::<&str>::new());
}

#[tokio::test]
async fn emoji_are_in_color_where_libreoffice_can_print_them_and_never_blank() {
    let directory = TempDir::new().unwrap();
    let printed = print(&docx(directory.path(), &paragraph("😀", ""))).await;
    assert_eq!(printed.has_color(), printed.version_is_at_least((7, 5)));
    assert!(printed.pixels().iter().any(|pixel| *pixel != [255; 3]), "the page is not blank");
}

/// German hyphenation breaks words that English, or no dictionary, would not.
#[tokio::test]
async fn words_are_hyphenated_in_their_language() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("narrow.fodt");
    let text = "<office:document xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
        xmlns:style=\"urn:oasis:names:tc:opendocument:xmlns:style:1.0\" xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" \
        xmlns:fo=\"urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0\" office:version=\"1.3\" \
        office:mimetype=\"application/vnd.oasis.opendocument.text\"><office:automatic-styles><style:style style:name=\"P\" \
        style:family=\"paragraph\"><style:paragraph-properties fo:margin-right=\"12cm\"/><style:text-properties \
        fo:language=\"de\" fo:country=\"DE\" fo:hyphenate=\"true\" fo:hyphenation-remain-char-count=\"2\" \
        fo:hyphenation-push-char-count=\"2\"/></style:style></office:automatic-styles><office:body><office:text>\
        <text:p text:style-name=\"P\">Eine Donaudampfschifffahrtsgesellschaft befördert Wirtschaftswissenschaftler.</text:p>\
        </office:text></office:body></office:document>";
    std::fs::write(&path, text).unwrap();
    let text = print(&path).await.text();
    assert!(text.lines().any(|line| line.trim_end().ends_with(['-', '\u{ad}', '‐'])), "{text}");
}

#[tokio::test]
async fn page_orientation_is_changed_directly() {
    for name in ["letter.docx", "letter.rtf", "table.xlsx"] {
        let turned = try_print(&Path::new(FIXTURES).join(name), json!({ "landscape": true })).await.unwrap();
        assert_eq!(turned.size(), (842, 595), "{name}");
    }
    let protected = Path::new(FIXTURES).join("protected.xlsx");
    let turned = try_print(&protected, json!({ "landscape": true, "password": "secret" })).await.unwrap();
    assert_eq!((turned.size(), turned.pages()), ((842, 595), 3));
}

#[tokio::test]
async fn protected_documents_are_not_reported_as_damaged() {
    let converted = async |name: &str, password: Option<&str>| {
        let options = password.map_or(json!({}), |password| json!({ "password": password }));
        try_print(&Path::new(FIXTURES).join(name), options).await
    };
    for (name, words) in [
        ("protected.xlsx", "consectetu"),
        ("protected-xor.xls", "Pencils"),
        ("protected-128.xls", "Pencils"),
        ("protected.doc", "Small doc"),
    ] {
        for (password, code) in [(None, JobErrorCode::PasswordRequired), (Some("wrong"), JobErrorCode::WrongPassword)] {
            let failure = converted(name, password).await.map(|_| ()).unwrap_err();
            assert_eq!(failure.code, code, "{name}: {}", failure.cause);
        }
        let text = converted(name, Some("secret")).await.unwrap().text();
        assert!(text.contains(words), "{name}: {text}");
    }
    // A password does not help if LibreOffice does not support the protection.
    for name in ["protected.ppt", "protected-40.xls"] {
        for password in [None, Some("secret")] {
            let failure = converted(name, password).await.map(|_| ()).unwrap_err();
            assert_eq!(failure.code, JobErrorCode::UnsupportedFormat, "{name}: {}", failure.cause);
            assert!(failure.message.contains("protected in a way"), "{}", failure.message);
        }
    }
}

/// The text of form controls, which LibreOfficeKit leaves out when it draws tiles.
#[tokio::test]
async fn forms_in_protected_documents_keep_their_words() {
    for name in ["protected-form.docx", "protected-form.doc", "protected-form.odt"] {
        let source = Path::new(FIXTURES).join(name);
        let printed = match try_print(&source, json!({ "password": "secret" })).await {
            Ok(printed) => printed,
            // LibreOffice 24.8 and later use a protection for OpenDocument that older versions don't support.
            Err(failure) if name.ends_with(".odt") && support::installed_version() < (24, 8) => {
                assert_eq!(failure.code, JobErrorCode::UnsupportedFormat, "{}", failure.cause);
                continue;
            }
            Err(failure) => panic!("{name}: {failure:?}"),
        };
        let text = printed.text();
        for words in ["City", "Cologne", "Terms", "Agreed", "Button", "Submit"] {
            assert!(text.contains(words), "{name}: no {words}: {text}");
        }
    }
}

#[tokio::test]
async fn a_presentation_without_slides_gets_its_own_message() {
    let directory = TempDir::new().unwrap();
    let failure = try_print(&pptx(directory.path(), "", &[]), json!({})).await.map(|_| ()).unwrap_err();
    assert_eq!(failure.code, JobErrorCode::RenderFailed);
    assert!(failure.message.contains("no slides"), "{}", failure.message);
}
