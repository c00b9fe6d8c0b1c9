//! Slides that repeat, as docxtemplater's module for slides does it.

use docmill_templates::{Failure, Format, Options, Problem, Reason, Template};
use serde_json::{Value, json};

use crate::Case;
use crate::files::{PICTURE, charted_slide, row, shape, sheet, slide_of, with_part};
use crate::texts::{names, part, texts_of};

const SAMPLE: &[u8] = include_bytes!("../../../../../samples/small.pptx");

/// The sample presentation with these shapes on its three slides, in two sections, and with a custom show of the first two.
fn deck(slides: [&str; 3]) -> Vec<u8> {
    let section = |name: &str, id: char, slides: &[u32]| {
        let slides: String = slides.iter().map(|id| format!("<p14:sldId id=\"{id}\"/>")).collect();
        let digits = |count: usize| id.to_string().repeat(count);
        let id = format!("{{{}-{2}-{2}-{2}-{}}}", digits(8), digits(12), digits(4));
        format!("<p14:section name=\"{name}\" id=\"{id}\"><p14:sldIdLst>{slides}</p14:sldIdLst></p14:section>")
    };
    let sections = section("First", 'A', &[256, 257]) + &section("Second", 'B', &[258]);
    let extensions = format!(
        "<p:extLst><p:ext uri=\"{{521415D9-36F7-43E2-AB2F-B90AF26B5E84}}\"><p14:sectionLst \
         xmlns:p14=\"http://schemas.microsoft.com/office/powerpoint/2010/main\">{sections}</p14:sectionLst></p:ext></p:extLst></p:presentation>"
    );
    let show = "<p:custShowLst><p:custShow name=\"Show\" id=\"0\"><p:sldLst><p:sld r:id=\"rId7\"/><p:sld r:id=\"rId9\"/></p:sldLst></p:custShow></p:custShowLst><p:defaultTextStyle>";
    let list = part(SAMPLE, "ppt/presentation.xml")
        .replace("</p:presentation>", &extensions)
        .replace("<p:defaultTextStyle>", show);
    let mut made = with_part(SAMPLE, "ppt/presentation.xml", list);
    for (number, shapes) in (1..).zip(slides) {
        made = with_part(&made, &format!("ppt/slides/slide{number}.xml"), slide_of(shapes));
    }
    made
}

/// With a tag in the notes of the first slide.
fn noted(deck: &[u8]) -> Vec<u8> {
    const PART: &str = "ppt/notesSlides/notesSlide1.xml";
    let notes = part(deck, PART);
    let start = notes.find("<a:t>").unwrap() + "<a:t>".len();
    let end = start + notes[start..].find("</a:t>").unwrap();
    with_part(deck, PART, format!("{}About {{name}}{}", &notes[..start], &notes[end..]))
}

fn items() -> Value {
    json!({"company": "Acme", "items": [{"name": "Tea", "sales": 2, "logo": PICTURE}, {"name": "Cake", "sales": 3, "logo": PICTURE}, {"name": "Jam", "sales": 4, "logo": PICTURE}], "none": [], "yes": true, "no": false})
}

fn both() -> String {
    shape(2, "{:items}") + &shape(3, "{name} of {company}")
}

pub(super) fn cases() -> Vec<Case> {
    let plain = shape(2, "plain");
    let case =
        |name, slides: [&str; 3], texts: &[&str]| Case::new(name, Format::Pptx, noted(&deck(slides)), items(), texts);
    let book = sheet(&(row(1, &["Name", "Sales"]) + &row(2, &["{name}", "{sales}"])));
    let chart = charted_slide(&shape(2, "{:items}{name}"), 2, &book);
    let name = shape(2, "{company}");
    vec![
        case("a slide for each entry", [&both(), &plain, &plain], &["", "Tea of Acme"]),
        case("slides that repeat together", [&both(), &both(), &plain], &["", "Tea of Acme"]),
        Case::new(
            "a slide on a condition",
            Format::Pptx,
            deck([&name, &shape(2, "{:no}{name}"), &shape(2, "{:yes}")]),
            items(),
            &["Acme"],
        ),
        Case::new(
            "no slide of nothing",
            Format::Pptx,
            deck([&name, &shape(2, "{:none}{name}"), &plain]),
            items(),
            &["Acme"],
        ),
        Case::new("slides with charts", Format::Pptx, chart, items(), &["Tea"]),
    ]
}

/// The texts of the slides, in the order of the presentation.
fn shown(file: &[u8]) -> Vec<String> {
    let list = part(file, "ppt/presentation.xml");
    let relations = part(file, "ppt/_rels/presentation.xml.rels");
    let between = |text: &str, start: &str| {
        let from = text.find(start).unwrap() + start.len();
        text[from..].split('"').next().unwrap().to_owned()
    };
    let slides = list.split("<p:sldId ").skip(1).map(|element| between(element, "r:id=\""));
    slides
        .map(|id| {
            let relation =
                relations.split("<Relationship ").find(|text| text.contains(&format!("Id=\"{id}\""))).unwrap();
            let target = between(relation, "Target=\"");
            let target = target.strip_prefix('/').map_or_else(|| format!("ppt/{target}"), str::to_owned);
            texts_of(file, &target).join("|")
        })
        .collect()
}

fn filled(template: Vec<u8>, data: &Value) -> Vec<u8> {
    Template::open(template, Format::Pptx, Options::default()).unwrap().render(data).unwrap().bytes
}

#[test]
fn a_slide_is_repeated_at_its_place_with_its_notes_and_lists() {
    let made = filled(noted(&deck([&both(), &shape(2, "second"), &shape(2, "third")])), &items());
    assert_eq!(shown(&made), ["|Tea of Acme", "|Cake of Acme", "|Jam of Acme", "second", "third"]);
    let list = part(&made, "ppt/presentation.xml");
    let sections = "<p14:sldIdLst><p14:sldId id=\"256\"/><p14:sldId id=\"259\"/><p14:sldId id=\"260\"/><p14:sldId id=\"257\"/></p14:sldIdLst>";
    assert!(list.contains(sections), "{list}");
    let show = "<p:sldLst><p:sld r:id=\"rId7\"/><p:sld r:id=\"docmillSlide1\"/><p:sld r:id=\"docmillSlide2\"/><p:sld r:id=\"rId9\"/></p:sldLst>";
    assert!(list.contains(show), "{list}");
    // Each copy has notes of its own, which lead back to it.
    for (number, name) in [(1, "Tea"), (4, "Cake"), (5, "Jam")] {
        assert_eq!(texts_of(&made, &format!("ppt/notesSlides/notesSlide{number}.xml"))[0], format!("About {name}"));
        let back = part(&made, &format!("ppt/notesSlides/_rels/notesSlide{number}.xml.rels"));
        assert!(back.contains(&format!("slides/slide{number}.xml\"")), "{back}");
        let slide = part(&made, &format!("ppt/slides/_rels/slide{number}.xml.rels"));
        assert!(slide.contains(&format!("notesSlides/notesSlide{number}.xml\"")), "{slide}");
    }
}

#[test]
fn neighbours_with_the_same_tag_repeat_together_within_a_section() {
    let second = shape(2, "{:items}{sales}");
    let made = filled(deck([&both(), &second, &second]), &items());
    let expected = ["|Tea of Acme", "2", "|Cake of Acme", "3", "|Jam of Acme", "4", "2", "3", "4"];
    assert_eq!(shown(&made), expected);
}

#[test]
fn a_slide_that_is_not_shown_goes_with_what_belongs_to_it_and_links_to_it() {
    let link = "<a:hlinkClick r:id=\"rJump\" action=\"ppaction://hlinksldjump\"/></a:rPr>";
    let linked = shape(2, "go").replace("<a:rPr lang=\"en-US\"/>", &format!("<a:rPr lang=\"en-US\">{link}"));
    let template = deck([&linked, &shape(2, "{:none}{name}"), &shape(2, "third")]);
    let related = part(&template, "ppt/slides/_rels/slide1.xml.rels").replace(
        "</Relationships>",
        "<Relationship Id=\"rJump\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/slide\" Target=\"slide2.xml\"/></Relationships>",
    );
    let made = filled(with_part(&template, "ppt/slides/_rels/slide1.xml.rels", related), &items());
    assert_eq!(shown(&made), ["go", "third"]);
    let gone: Vec<_> = names(&made).into_iter().filter(|name| name.contains("ide2.xml")).collect();
    assert_eq!(gone, Vec::<String>::new());
    for part_name in ["[Content_Types].xml", "ppt/slides/_rels/slide1.xml.rels", "ppt/slides/slide1.xml"] {
        let text = part(&made, part_name);
        assert!(!text.contains("slides/slide2.xml") && !text.contains("rJump"), "{part_name}: {text}");
    }
    // A link to a slide that repeats leads to the first copy.
    let repeated = with_part(
        &deck([&linked, &shape(2, "{:items}{name}"), ""]),
        "ppt/slides/_rels/slide1.xml.rels",
        part(&template, "ppt/slides/_rels/slide1.xml.rels"),
    );
    assert_eq!(shown(&filled(repeated, &items()))[..2], ["go", "Tea"]);
}

#[test]
fn the_chart_of_each_copy_has_the_data_of_its_entry() {
    let book = sheet(&(row(1, &["Name", "Sales"]) + &row(2, &["{name}", "{sales}"])));
    let made = filled(charted_slide(&shape(2, "{:items}{name}"), 2, &book), &items());
    assert_eq!(shown(&made)[..3], ["Tea", "Cake", "Jam"]);
    for (number, name, sales) in [(1, "Tea", 2), (2, "Cake", 3), (3, "Jam", 4)] {
        let chart = part(&made, &format!("ppt/charts/chart{number}.xml"));
        assert!(
            chart.contains(&format!("<c:v>{name}</c:v>")) && chart.contains(&format!("<c:v>{sales}</c:v>")),
            "{chart}"
        );
        assert!(chart.contains("Sales of Acme"), "{chart}");
    }
}

#[test]
fn pictures_of_copies_are_related_to_them() {
    let made = filled(deck([&(shape(2, "{:items}") + &placed("{%logo}")), "", ""]), &items());
    for number in [1, 4, 5] {
        let related = part(&made, &format!("ppt/slides/_rels/slide{number}.xml.rels"));
        assert!(related.contains("docmillPicture1"), "{related}");
    }
}

/// A picture with an alternative text.
fn placed(text: &str) -> String {
    format!(
        "<p:pic><p:nvPicPr><p:cNvPr id=\"7\" name=\"Logo\" descr=\"{text}\"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed=\"none\"/>\
         <a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"914400\" cy=\"914400\"/></a:xfrm>\
         <a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr></p:pic>"
    )
}

#[test]
fn the_schema_knows_what_a_slide_repeats() {
    let template = noted(&deck([&both(), &shape(2, "{company}"), &shape(2, "{:draft}")]));
    let expected = Template::open(template, Format::Pptx, Options::default()).unwrap().expected();
    let example = json!({"company": "company", "items": [{"name": "name"}], "draft": true});
    assert_eq!(expected.example, example);
}

fn mistakes(template: Vec<u8>, data: &Value) -> Vec<Problem> {
    match Template::open(template, Format::Pptx, Options::default()).unwrap().render(data) {
        Err(Failure::Template(problems)) => problems,
        other => panic!("{other:?}"),
    }
}

#[test]
fn mistakes_have_the_number_of_the_slide_in_its_presentation() {
    // The third slide of the list is the first part.
    let deck = deck([&shape(2, "{:itmes}{:items}{x}"), &shape(2, "plain"), &shape(2, "{nmae}")]);
    let list = part(&deck, "ppt/presentation.xml").replace("<p:sldId id=\"256\" r:id=\"rId7\"/>", "").replace(
        "<p:sldId id=\"258\" r:id=\"rId10\"/>",
        "<p:sldId id=\"258\" r:id=\"rId10\"/><p:sldId id=\"256\" r:id=\"rId7\"/>",
    );
    let found = mistakes(with_part(&deck, "ppt/presentation.xml", list), &json!({"items": [], "name": "x"}));
    let told: Vec<_> = found.iter().map(|mistake| (mistake.tag.as_str(), mistake.place.page, mistake.reason)).collect();
    assert_eq!(told, [("{:items}", Some(3), Reason::Misplaced)]);
    let deck = self::deck([&shape(2, "{:itmes}{x}"), &shape(2, "plain"), &shape(2, "{nmae}")]);
    let found = mistakes(deck, &json!({"items": [], "name": "x"}));
    let told: Vec<_> =
        found.iter().map(|mistake| (mistake.tag.as_str(), mistake.place.page, mistake.suggestion.as_deref())).collect();
    assert_eq!(told, [("{nmae}", Some(3), Some("name")), ("{:itmes}", Some(1), Some("items"))]);
}

#[test]
fn a_presentation_has_a_limit_of_slides() {
    let many = |count: usize| json!({"items": vec![json!({"name": "x"}); count], "company": "Acme"});
    let template = || deck([&both(), "", ""]);
    let failed = Template::open(template(), Format::Pptx, Options::default()).unwrap().render(&many(999));
    assert!(matches!(&failed, Err(Failure::TooLarge(message)) if message.contains("1000 slides")), "{failed:?}");
    assert_eq!(shown(&filled(template(), &many(998))).len(), 1000);
}
