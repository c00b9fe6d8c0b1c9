//! Templates through the deployed stack: filled, chained to PDF, checked, and refused with every mistake.

use reqwest::Method;
use serde_json::{Value, json};

use crate::clients::root;
use crate::journeys::{CONVERSION_TIME, Traveller};
use crate::support::{eventually, pdf};
use crate::tool_checks::{invoice_data, part_of};

const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

impl Traveller {
    async fn ended(&self, body: Value) -> Value {
        self.ended_by("render-template", body).await
    }

    async fn ended_by(&self, tool: &str, body: Value) -> Value {
        let id = self.create(&format!("/v1/tools/{tool}/jobs"), body).await;
        self.end_of(&id).await
    }

    async fn result(&self, body: Value) -> (Value, Vec<u8>) {
        self.made_by("render-template", body).await
    }

    async fn made_by(&self, tool: &str, body: Value) -> (Value, Vec<u8>) {
        let job = self.ended_by(tool, body).await;
        assert_eq!(job["status"], "completed", "{job}");
        let path = format!("/v1/jobs/{}/download", job["id"].as_str().unwrap());
        let answer = self.ask(Method::GET, &path, None).await;
        let response = reqwest::get(answer.body["download"]["url"].as_str().unwrap()).await.unwrap();
        (job, response.error_for_status().unwrap().bytes().await.unwrap().to_vec())
    }

    async fn invoice_template(&self) -> String {
        let template = std::fs::read(root().join("samples/invoice-template.docx")).unwrap();
        self.upload(&template, DOCX, "invoice.docx").await
    }
}

#[tokio::test]
async fn a_template_becomes_a_document_and_then_a_pdf() {
    let Some(traveller) = Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let upload = traveller.invoice_template().await;
    let (job, document) = traveller.result(json!({"uploadId": upload, "options": invoice_data()})).await;
    assert_eq!((&job["output"]["filename"], &job["output"]["contentType"]), (&json!("invoice.docx"), &json!(DOCX)));
    assert_eq!(job["options"]["data"], "[redacted]");
    let xml = part_of(&document, "word/document.xml");
    assert_eq!(xml.matches("<w:tr>").count(), 4, "{xml}");
    assert!(!xml.contains('{'), "{xml}");

    let then = json!([{"toolSlug": "office-to-pdf"}]);
    let (job, made) = traveller.result(json!({"uploadId": upload, "options": invoice_data(), "then": then})).await;
    assert_eq!(job["output"]["filename"], "invoice.pdf");
    let text = pdf::text(&made);
    for part in ["Dear Ada Lovelace,", "25 November 2026", "Garden chair", "€49.90", "€129.00", "€178.90"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Contents that are out of date, and chapters that each begin a page.
fn book(chapters: &str) -> Vec<u8> {
    let sign = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let instruction = "<w:r><w:instrText xml:space=\"preserve\"> TOC \\u \\h </w:instrText></w:r>";
    let stale = "<w:r><w:t>Birch</w:t><w:tab/><w:t>9</w:t></w:r>";
    let contents = format!("{}{instruction}{}{stale}{}", sign("begin"), sign("separate"), sign("end"));
    let main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    let document = format!(
        "<w:document xmlns:w=\"{main}\"><w:body><w:p>{contents}</w:p>{chapters}<w:sectPr/></w:body></w:document>"
    );
    zip_of(&[("word/document.xml", document.into_bytes())])
}

fn chapter(name: &str) -> String {
    let properties = "<w:pageBreakBefore/><w:outlineLvl w:val=\"0\"/>";
    format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{name}</w:t></w:r></w:p>")
}

/// The text of a document, without its instructions.
fn texts(document: &[u8]) -> Vec<String> {
    let xml = part_of(document, "word/document.xml");
    let runs = xml.split("<w:t").filter_map(|rest| rest.strip_prefix([' ', '>'])?.split_once("</w:t>"));
    runs.map(|(text, _)| text.rsplit('>').next().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn contents_come_back_with_the_pages_of_their_chapters() {
    let Some(traveller) = Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let tag = |tag: &str| format!("<w:p><w:r><w:t>{tag}</w:t></w:r></w:p>");
    let template = [tag("{#trees}"), chapter("{name}"), tag("{/trees}")].concat();
    let data = json!({"trees": [{"name": "Oak"}, {"name": "Ash"}]});
    let expected = ["Oak", "2", "Ash", "3", "Oak", "Ash"];
    for (tool, chapters, options) in [
        ("render-template", template, json!({"data": data, "updateFields": true})),
        ("convert-office", [chapter("Oak"), chapter("Ash")].concat(), json!({"format": "docx", "updateFields": true})),
    ] {
        let upload = traveller.upload(&book(&chapters), DOCX, "book.docx").await;
        let (job, document) = traveller.made_by(tool, json!({"uploadId": upload, "options": options})).await;
        assert_eq!((&job["warnings"], &job["output"]["contentType"]), (&Value::Null, &json!(DOCX)), "{tool}: {job}");
        assert_eq!(texts(&document), expected, "{tool}");
    }
    let upload = traveller.upload(&book(&chapter("Oak")), DOCX, "book.docx").await;
    let (_, as_it_was) = traveller.result(json!({"uploadId": upload, "options": {"data": {}}})).await;
    assert_eq!(texts(&as_it_was), ["Birch", "9", "Oak"], "without the option");
}

#[tokio::test]
async fn pages_and_markdown_are_templates_too() {
    let Some(traveller) = Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let options = json!({"data": {"names": ["Ann <Lee>", "Bo"], "unused": 1}});
    for (kind, template, next, expected) in [
        (
            "html",
            "<ul>{#names}<li>{.}</li>{/names}</ul>",
            "html-to-pdf",
            "<ul><li>Ann &lt;Lee&gt;</li><li>Bo</li></ul>",
        ),
        ("markdown", "{#names}\n- {.}\n{/names}", "markdown-to-pdf", "- Ann &lt;Lee&gt;\n- Bo\n"),
    ] {
        let (job, made) = traveller.result(json!({kind: template, "options": options})).await;
        assert_eq!(String::from_utf8(made).unwrap(), expected);
        let warning = &job["warnings"][0];
        assert_eq!((&warning["code"], &warning["detail"]), (&json!("unused_data"), &json!("unused")));
        let then = json!([{"toolSlug": next}]);
        let (_, made) = traveller.result(json!({kind: template, "options": options, "then": then})).await;
        assert!(pdf::text(&made).contains("Ann <Lee>"), "{}", pdf::text(&made));
    }
    let wrong = json!({"html": "{#names}{.}{/names}", "options": options, "then": [{"toolSlug": "office-to-pdf"}]});
    assert_eq!(traveller.ended(wrong).await["error"]["code"], "unsupported_format");
}

#[tokio::test]
async fn a_template_with_mistakes_fails_with_all_of_them() {
    let Some(traveller) = Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let mut options = invoice_data();
    let data = options["data"].as_object_mut().unwrap();
    let customer = data.remove("customer").unwrap();
    data.insert("custumer".into(), customer);
    data.insert("items".into(), json!([{"name": "Garden chair", "price": "secret"}]));
    let upload = traveller.invoice_template().await;
    let job = traveller.ended(json!({"uploadId": upload, "options": options})).await;
    assert_eq!((&job["status"], &job["credits"]["refunded"]), (&json!("failed"), &json!(1)), "{job}");
    let error = &job["error"];
    assert_eq!((&error["code"], &error["retryable"]), (&json!("template_error"), &json!(false)));
    assert!(error["message"].as_str().unwrap().starts_with("The template has 3 mistakes: see `details`."), "{error}");
    let first = json!({
        "reason": "unknown_name",
        "message": "The data has no value `customer`. Did you mean `custumer`?",
        "tag": "{customer}",
        "place": {"part": "word/document.xml", "text": "Dear {customer},"},
        "suggestion": "custumer",
    });
    assert_eq!(error["details"][0], first);
    let reasons: Vec<_> = error["details"].as_array().unwrap().iter().map(|mistake| &mistake["reason"]).collect();
    assert_eq!(reasons, ["unknown_name", "unusable_value", "unusable_value"]);
    assert!(!job.to_string().contains("secret"));
}

#[tokio::test]
async fn a_template_tells_what_data_it_expects() {
    let Some(traveller) = Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let upload = traveller.invoice_template().await;
    let (job, report) = traveller.result(json!({"uploadId": upload, "options": {"validateOnly": true}})).await;
    assert_eq!(job["output"]["filename"], "invoice.json");
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!((&report["valid"], &report["mistakes"]), (&json!(true), &json!([])));
    let properties = &report["schema"]["properties"];
    assert_eq!(properties["date"]["format"], "date");
    assert_eq!(properties["items"]["items"]["properties"]["price"]["type"], "number");
    // The example is data that the template takes.
    let filled = json!({"uploadId": upload, "options": {"data": report["example"]}});
    let (_, document) = traveller.result(filled).await;
    assert!(part_of(&document, "word/document.xml").contains("Dear customer,"));
}

#[tokio::test]
async fn a_mail_merge_tells_how_far_it_is() {
    let Some(traveller) = Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let upload = traveller.invoice_template().await;
    let row = invoice_data()["data"].clone();
    let rows: Vec<_> = (0..40).map(|_| row.clone()).collect();
    let options = json!({"data": rows, "merge": "one", "locale": "en-GB"});
    let id = traveller.create("/v1/tools/render-template/jobs", json!({"uploadId": upload, "options": options})).await;
    let mut told = Vec::new();
    // Each row is a conversion, and there are two at once.
    eventually("the mail merge ends", 3 * CONVERSION_TIME, async || {
        let job = traveller.ask(Method::GET, &format!("/v1/jobs/{id}"), None).await.body["job"].clone();
        if let Some(done) = job["progress"]["done"].as_u64() {
            assert_eq!((&job["progress"]["step"], &job["progress"]["total"]), (&json!(2), &json!(40)), "{job}");
            if told.last() != Some(&done) {
                told.push(done);
            }
        }
        assert_ne!(job["status"], "failed", "{job}");
        (job["status"] == "completed").then_some(())
    })
    .await;
    // How often depends on how fast the machine is: progress is written once a second.
    assert!(!told.is_empty() && told.is_sorted() && told.iter().all(|done| *done <= 40), "{told:?}");
    let job = traveller.end_of(&id).await;
    assert_eq!((&job["progress"], &job["output"]["pages"]), (&Value::Null, &json!(40)), "{job}");
}

#[tokio::test]
async fn a_template_includes_further_sources_of_its_job() {
    let Some(traveller) = Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let upload = traveller.invoice_template().await;
    let letter = json!({"html": "<p>{customer}</p>{>terms}{>note}", "filename": "letter.html"});
    let terms = json!({"markdown": "For *{customer}*", "filename": "terms.md"});
    let note = json!({"html": "<i>{customer}</i>", "filename": "note.html"});
    let sources = json!({"sources": [letter, terms, note], "options": {"data": {"customer": "Ada"}}});
    let (job, made) = traveller.result(sources).await;
    assert_eq!(String::from_utf8(made).unwrap(), "<p>Ada</p><p>For <em>Ada</em></p>\n<i>Ada</i>");
    assert_eq!(job["output"]["filename"], "letter.html");
    let wrong = json!({"sources": [letter, {"uploadId": upload}], "options": {"data": {"customer": "Ada"}}});
    let job = traveller.ended(wrong).await;
    assert_eq!(job["error"]["code"], "template_error", "{job}");
    assert_eq!(job["error"]["details"][0]["tag"], "{>terms}", "{job}");
}

#[tokio::test]
async fn what_is_no_template_is_refused() {
    let Some(traveller) = Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let bomb = zip_of(&[("word/document.xml", vec![b' '; 200 << 20])]);
    let entity = br#"<!DOCTYPE a [<!ENTITY x "y">]><w:document xmlns:w="w">{name}&x;</w:document>"#.to_vec();
    for (name, content, code) in [
        ("a.docx", b"PK\x03\x04 broken".to_vec(), "corrupt_document"),
        ("a.docx", bomb, "corrupt_document"),
        ("a.docx", zip_of(&[("word/document.xml", entity)]), "corrupt_document"),
        ("a.docx", std::fs::read(root().join("tests/fixtures/office/table.ods")).unwrap(), "unsupported_format"),
        ("a.docx", std::fs::read(root().join("tests/fixtures/pdf/text.pdf")).unwrap(), "unsupported_format"),
    ] {
        let upload = traveller.upload(&content, DOCX, name).await;
        let job = traveller.ended(json!({"uploadId": upload, "options": {"data": {"name": "x"}}})).await;
        assert_eq!(job["error"]["code"], code, "{job}");
    }
    let loops = format!("{}x{}", "{#a}".repeat(6), "{/a}".repeat(6));
    let data = json!({"a": (0..1000).collect::<Vec<_>>()});
    let job = traveller.ended(json!({"html": loops, "options": {"data": data}})).await;
    assert_eq!(job["error"]["code"], "render_failed", "{job}");
}

/// A document with these parts besides those that name its format.
fn zip_of(parts: &[(&str, Vec<u8>)]) -> Vec<u8> {
    use std::io::Write as _;
    let sample = std::fs::read(root().join("samples/invoice-template.docx")).unwrap();
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let mut add = |name: &str, content: &[u8]| {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    };
    for name in ["[Content_Types].xml", "_rels/.rels"] {
        add(name, part_of(&sample, name).as_bytes());
    }
    parts.iter().for_each(|(name, content)| add(name, content));
    writer.finish().unwrap().into_inner()
}

/// Added, named by a job, chained to PDF, and deleted: a job of a deleted version is refused.
#[tokio::test]
async fn a_stored_template_becomes_a_pdf() {
    let Some(traveller) = Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let upload = traveller.invoice_template().await;
    let added =
        traveller.ask(Method::POST, "/v1/templates", Some(&json!({"name": "journey", "uploadId": upload}))).await;
    assert_eq!((added.status, &added.body["template"]["format"]), (201, &json!("docx")), "{}", added.body);
    let options = json!({"data": added.body["template"]["example"]});
    let named = json!({"template": {"name": "journey"}, "options": options, "then": [{"toolSlug": "office-to-pdf"}]});
    let (job, made) = traveller.result(named.clone()).await;
    assert_eq!(job["input"]["template"], json!({"name": "journey", "version": added.body["template"]["version"]}));
    assert_eq!(job["output"]["filename"], "journey.pdf");
    assert!(pdf::text(&made).contains("customer"), "{}", pdf::text(&made));

    let shown = traveller.ask(Method::GET, "/v1/templates/journey", None).await;
    assert_eq!(shown.body["template"]["schema"], added.body["template"]["schema"]);
    let listed = traveller.ask(Method::GET, "/v1/templates", None).await.body;
    assert!(listed["templates"].as_array().unwrap().iter().any(|template| template["name"] == "journey"), "{listed}");
    assert_eq!(traveller.ask(Method::DELETE, "/v1/templates/journey", None).await.status, 204);
    let refused = traveller.ask(Method::POST, "/v1/tools/render-template/jobs", Some(&named)).await;
    assert_eq!((refused.status, &refused.body["error"]["details"][0]["path"]), (422, &json!("/template")));
}
