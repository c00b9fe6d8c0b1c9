//! Text from right to left, and in Chinese, Japanese and Korean.

use serde_json::json;
use tempfile::TempDir;

use crate::packages::{docx, paragraph, pptx, text_box};
use crate::support::{deliver, print};

const PERSIAN: &str = "این یک متن فارسی طولانی است که شکستن خطوط را آزمایش می‌کند";
const HEBREW: &str = "כתבנו מגוון המלצות לצעדים הבאים עבור מסמך זה";

fn run(properties: &str, text: &str) -> String {
    format!("<a:r><a:rPr sz=\"1600\" {properties}</a:rPr><a:t>{text}</a:t></a:r>")
}

fn rtl(align: &str, runs: &str) -> String {
    format!("<a:p><a:pPr algn=\"{align}\" rtl=\"1\"/>{runs}</a:p>")
}

/// Fonts of Windows, and one that nobody knows, in a language with that alphabet.
#[tokio::test]
async fn arabic_and_hebrew_are_about_as_wide_as_in_office() {
    let directory = TempDir::new().unwrap();
    let fonts = async |font: &str, language: &str, text: &str| {
        let named = ["latin", "ea", "cs"].map(|kind| format!("<a:{kind} typeface=\"{font}\"/>")).concat();
        let slide = text_box("", &rtl("r", &run(&format!("lang=\"{language}\">{named}"), text)));
        print(&pptx(directory.path(), "", &[slide])).await.fonts()
    };
    for font in ["Arial", "Times New Roman", "Tahoma", "Calibri", "Sakkal Majalla", "No Such Font"] {
        let arabic = fonts(font, "fa-IR", PERSIAN).await;
        assert!(arabic.contains(&"DejaVuArabicNarrow-Regular".to_owned()), "{font}: {arabic:?}");
        assert!(!arabic.contains(&"DejaVuSans".to_owned()), "{font}: {arabic:?}");
        let hebrew = fonts(font, "he-IL", HEBREW).await;
        // The stand-in for Tahoma has Hebrew letters itself.
        let expected = if font == "Tahoma" { "ArimoTall-Regular" } else { "ArimoHebrewNarrow-Regular" };
        assert!(hebrew.contains(&expected.to_owned()), "{font}: {hebrew:?}");
    }
}

/// LibreOffice would stretch words of justified text, and write wrong letters for the lines between theirs. 7.4 always does.
#[tokio::test]
async fn justified_arabic_can_be_searched() {
    let directory = TempDir::new().unwrap();
    let text = [PERSIAN; 4].join(" ");
    for font in ["B Nazanin", "Arial"] {
        let named = format!("lang=\"fa-IR\"><a:cs typeface=\"{font}\"/>");
        let printed = print(&pptx(directory.path(), "", &[text_box("", &rtl("just", &run(&named, &text)))])).await;
        if printed.version_is_at_least((25, 2)) {
            assert!(printed.text().contains("خطوط") && printed.text().contains("است"), "{font}: {}", printed.text());
        }
    }
}

/// LibreOffice would print links that do not fit their line over the text below and beside their box.
#[tokio::test]
async fn links_from_right_to_left_stay_in_their_box() {
    let directory = TempDir::new().unwrap();
    let link = "lang=\"he-IL\"><a:hlinkClick r:id=\"rId2\"/>";
    let runs = [run("lang=\"he-IL\">", &format!("{HEBREW} {HEBREW} ")), run(link, &[HEBREW; 3].join(" "))].concat();
    let plain = text_box("", &rtl("r", &runs.replace("<a:hlinkClick r:id=\"rId2\"/>", "")));
    let expected = print(&pptx(directory.path(), "", &[plain])).await;
    let linked = text_box("", &rtl("r", &runs));
    let printed = print(&pptx(directory.path(), "firstSlideNum=\"4\"", &[linked])).await;
    assert_eq!(printed.text(), expected.text());
    assert_eq!(printed.codes(), ["links_dropped"]);
    assert_eq!(printed.warnings[0].detail.as_deref(), Some("4"));
    let short = text_box("", &rtl("r", &run(link, "קצר")));
    assert_eq!(print(&pptx(directory.path(), "", &[short])).await.codes(), Vec::<&str>::new());
}

/// In columns, which LibreOffice 7.4 prints lying on their side. It would print one line, or one column out of the box.
#[tokio::test]
async fn letters_below_each_other_stay_in_their_box() {
    let directory = TempDir::new().unwrap();
    let text = run("lang=\"ja-JP\">", "縦書きの文章はこの箱の中にとどまる");
    let slide = text_box("", &format!("<a:p>{text}</a:p>")).replace("<a:bodyPr", "<a:bodyPr vert=\"wordArtVertRtl\"");
    let printed = print(&pptx(directory.path(), "", &[slide])).await;
    // The box is an inch high, and begins an inch from the top.
    let bottoms = printed.bottoms();
    assert!(bottoms.len() > 1, "several columns: {}", printed.text());
    assert!(bottoms.iter().all(|bottom| *bottom < 150.0), "{bottoms:?}");
}

/// LibreOffice asks for these each time. Others are asked for and not used, too.
#[tokio::test]
async fn fonts_of_the_user_interface_are_named_where_documents_use_them() {
    let directory = TempDir::new().unwrap();
    let warned = async |font: &str| {
        let source = docx(directory.path(), &paragraph("Hamburgefonts", font));
        let (printed, _) = deliver(&source, json!({})).await;
        let told = printed.warnings.iter();
        told.map(|told| (told.detail.clone().unwrap(), told.pages.as_ref().unwrap().to_string())).collect::<Vec<_>>()
    };
    for font in ["Tahoma", "Segoe UI"] {
        assert_eq!(warned(font).await, [(font.to_owned(), "1".to_owned())]);
    }
    assert_eq!(warned("Arial").await, []);
}
