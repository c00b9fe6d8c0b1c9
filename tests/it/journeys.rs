//! Journeys through the deployed local stack over HTTP, like a client: create, wait, download, check the result.

use docmill_domain::catalogue::Catalogue;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::error_table::Deployed;
use crate::fonts::fixture;
use crate::support::{deployed_url, eventually, pdf};

/// Well above a cold start of LibreOffice on a busy machine.
pub const CONVERSION_TIME: Duration = Duration::from_secs(120);

impl Answer {
    /// When to ask again.
    fn retry_after(&self) -> Duration {
        let seconds = self.headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        Duration::from_secs(seconds.unwrap_or(1))
    }
}

/// A client of the deployed stack.
pub struct Traveller {
    client: Client,
    url: String,
    key: String,
    samples: String,
}

pub struct Answer {
    pub status: u16,
    headers: HeaderMap,
    pub body: Value,
}

impl Traveller {
    /// `None` if only storage is deployed (at an endpoint of the user's own): journeys are then left out.
    pub fn with_key(variable: &str) -> Option<Self> {
        let url = deployed_url()?;
        let setting = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is set with DOCMILL_URL"));
        Some(Self { client: Client::new(), url, key: setting(variable), samples: setting("SAMPLES_URL") })
    }

    pub async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Answer {
        let request = self.client.request(method, format!("{}{path}", self.url)).bearer_auth(&self.key);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Answer { status, headers, body: response.json().await.unwrap_or(Value::Null) }
    }

    pub async fn create(&self, path: &str, body: Value) -> String {
        let answer = self.ask(Method::POST, path, Some(&body)).await;
        assert_eq!(answer.status, 202, "{}", answer.body);
        answer.body["job"]["id"].as_str().unwrap().to_owned()
    }

    /// What is read. The emulator may leave a read unanswered on a busy machine, and many tests ask with one key: clients ask again later.
    async fn read(&self, path: &str) -> Answer {
        eventually(&format!("{path} is answered"), CONVERSION_TIME, async || {
            let answer = self.ask(Method::GET, path, None).await;
            if [429, 503].contains(&answer.status) {
                tokio::time::sleep(answer.retry_after()).await;
                return None;
            }
            Some(answer)
        })
        .await
    }

    /// The job once it has ended.
    pub async fn end_of(&self, id: &str) -> Value {
        eventually(&format!("job {id} ends"), CONVERSION_TIME, async || {
            let answer = self.read(&format!("/v1/jobs/{id}")).await;
            let job = answer.body["job"].clone();
            let status = job["status"].as_str().unwrap_or_else(|| panic!("{}: {}", answer.status, answer.body));
            let waiting = ["queued", "processing"].contains(&status);
            (!waiting).then_some(job)
        })
        .await
    }

    /// The id of an upload with this content.
    pub async fn upload(&self, content: &[u8], content_type: &str, filename: &str) -> String {
        let body = json!({"contentType": content_type, "bytes": content.len(), "filename": filename});
        let upload = self.ask(Method::POST, "/v1/uploads", Some(&body)).await.body["upload"].clone();
        let put = self.client.put(upload["url"].as_str().unwrap()).body(content.to_vec());
        let headers = upload["headers"].as_object().unwrap();
        let put = headers.iter().fold(put, |put, (name, value)| put.header(name, value.as_str().unwrap()));
        assert_eq!(put.send().await.unwrap().status(), 200);
        upload["id"].as_str().unwrap().to_owned()
    }

    /// The bytes of a job's result.
    pub async fn result_of(&self, slug: &str, body: Value) -> Vec<u8> {
        let id = self.create(&format!("/v1/tools/{slug}/jobs"), body).await;
        self.downloaded(&id).await.1
    }

    /// The link to a job's result, once the job has completed, and the result.
    pub async fn downloaded(&self, id: &str) -> (Value, Vec<u8>) {
        let job = self.end_of(id).await;
        assert_eq!(job["status"], "completed", "{job}");
        let mut answer = self.read(&format!("/v1/jobs/{id}/download")).await;
        let link = answer.body["download"]["url"].as_str().unwrap_or_else(|| panic!("{}", answer.body));
        let response = self.client.get(link).send().await.unwrap().error_for_status().unwrap();
        let bytes = response.bytes().await.unwrap().to_vec();
        (answer.body["download"].take(), bytes)
    }

    async fn convert(&self, path: &str, body: Value) -> (Value, Vec<u8>) {
        let id = self.create(path, body).await;
        let job = self.end_of(&id).await;
        assert_eq!(job["status"], "completed", "{job}");
        let answer = self.ask(Method::GET, &format!("/v1/jobs/{id}/download"), None).await;
        assert_eq!(answer.status, 200);
        let link = answer.body["download"]["url"].as_str().unwrap();
        let response = self.client.get(link).send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "application/pdf");
        assert!(response.headers()["content-disposition"].to_str().unwrap().starts_with("attachment; filename="));
        let bytes = response.bytes().await.unwrap().to_vec();
        assert_eq!(bytes.len() as u64, job["output"]["bytes"].as_u64().unwrap());
        assert_eq!(docmill_domain::sha256_hex(&bytes), job["output"]["sha256"].as_str().unwrap());
        assert_eq!(pdf::pages(&bytes) as u64, job["output"]["pages"].as_u64().unwrap());
        (job, bytes)
    }
}

macro_rules! traveller {
    () => {
        traveller!("DOCMILL_LIVE_KEY")
    };
    ($variable:literal) => {
        match Traveller::with_key($variable) {
            Some(traveller) => traveller,
            None => return,
        }
    };
}

#[tokio::test]
async fn office_documents_become_pdfs_with_their_text() {
    let traveller = traveller!();
    for (name, text, pages) in [
        ("small.docx", "Amet aliqua dolor", 1),
        ("small.odt", "Amet aliqua dolor", 1),
        ("small.xlsx", "Col 0", 2),
        ("small.pptx", "Slide 1", 3),
    ] {
        let source = format!("{}/{name}?secret=canary", traveller.samples);
        let (job, bytes) = traveller.convert("/v1/convert/office-to-pdf", json!({"sourceUrl": source})).await;
        assert!(pdf::text(&bytes).contains(text), "{name}: {}", pdf::text(&bytes));
        assert_eq!(pdf::pages(&bytes), pages, "{name}");
        assert_eq!(job["credits"], json!({"charged": 1, "refunded": 0}));
        assert!(!job.to_string().contains("canary"), "a URL's query is a secret");
        assert!(job["timings"]["convertMs"].as_u64().unwrap() > 0);
    }
}

#[tokio::test]
async fn html_becomes_a_pdf_in_the_browser() {
    let traveller = traveller!();
    let html = "<h1>Rechnung Nr. 7</h1><script>document.write('<p>' + 6 * 7 + ' by script</p>')</script>";
    let (job, bytes) = traveller.convert("/v1/convert/html-to-pdf", json!({"html": html})).await;
    let text = pdf::text(&bytes);
    assert!(text.contains("Rechnung Nr. 7") && text.contains("42 by script"), "{text}");
    assert_eq!(job["input"]["html"]["bytes"], html.len());
}

#[tokio::test]
async fn html_becomes_a_pdf_in_the_fast_lane() {
    let traveller = traveller!();
    let body = json!({"html": "<h1>Schnell</h1><p style='page-break-before: always'>zwei</p>", "renderMode": "basic"});
    let (_, bytes) = traveller.convert("/v1/convert/html-to-pdf", body).await;
    assert!(pdf::text(&bytes).contains("Schnell"));
    assert_eq!(pdf::pages(&bytes), 2);
}

#[tokio::test]
async fn markdown_becomes_a_pdf_alone_as_a_step_and_in_a_merge() {
    let traveller = traveller!();
    let body =
        json!({"markdown": "---\nauthor: Ada\n---\n# Kapitel\n\n- [x] erledigt\n", "options": {"css": "p{color:red}"}});
    let (job, bytes) = traveller.convert("/v1/tools/markdown-to-pdf/jobs", body).await;
    assert!(pdf::text(&bytes).contains("erledigt"), "{}", pdf::text(&bytes));
    assert_eq!((&job["options"]["css"]["bytes"], &job["output"]["pages"]), (&json!(12), &json!(1)));
    assert_eq!(job["input"]["markdown"]["sha256"].as_str().map(str::len), Some(64));

    let steps =
        json!([{"toolSlug": "pdf-to-text", "options": {"format": "markdown"}}, {"toolSlug": "markdown-to-pdf"}]);
    let body = json!({"html": "<h1>Titel</h1><p>Absatz</p>", "then": steps});
    let (job, bytes) = traveller.convert("/v1/convert/html-to-pdf", body).await;
    assert!(pdf::text(&bytes).contains("Absatz"), "{}", pdf::text(&bytes));
    assert_eq!(job["steps"].as_array().map(Vec::len), Some(3));

    let body = json!({"sources": [{"markdown": "# Eins"}, {"html": "<p>zwei"}]});
    let (_, bytes) = traveller.convert("/v1/tools/merge-pdf/jobs", body).await;
    let text = pdf::text(&bytes);
    assert!(text.contains("Eins") && text.contains("zwei") && pdf::pages(&bytes) == 2, "{text}");
}

#[tokio::test]
async fn a_message_becomes_a_pdf_with_its_attachments_and_goes_through_steps() {
    let traveller = traveller!();
    let message = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/email/figures.eml");
    let upload = traveller.upload(&std::fs::read(message).unwrap(), "message/rfc822", "Figures.eml").await;
    let body = json!({"uploadId": upload, "options": {"attachments": "convert"}});
    let (job, bytes) = traveller.convert("/v1/tools/email-to-pdf/jobs", body).await;
    let text = pdf::text(&bytes);
    for expected in ["Jörg Müller", "Figures of the third quarter", "Quarterly letter", "The earlier message."] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
    assert_eq!((&job["output"]["pages"], &job["output"]["filename"]), (&json!(6), &json!("Figures.pdf")));
    let attachment = json!({"name": "Letter.docx", "bytes": 4944, "result": "converted"});
    assert_eq!(job["report"]["attachments"][0], attachment);
    let warnings: Vec<_> = job["warnings"].as_array().unwrap().iter().map(|warning| &warning["code"]).collect();
    assert_eq!(warnings, ["remote_content_blocked", "remote_content_blocked", "attachment_not_converted"]);

    let body = json!({"uploadId": upload, "then": [{"toolSlug": "organize-pdf", "options": {"rotate": [{"pages": "1", "degrees": 90}]}}]});
    let (job, bytes) = traveller.convert("/v1/tools/email-to-pdf/jobs", body).await;
    assert_eq!((pdf::pages(&bytes), job["steps"].as_array().map(Vec::len)), (1, Some(2)));
}

#[tokio::test]
async fn an_invoice_goes_into_its_pdf_as_a_source_and_in_a_step() {
    let traveller = traveller!();
    let xml = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/invoices/en16931.xml")).unwrap();
    let upload = traveller.upload(&xml, "application/xml", "rechnung.xml").await;
    let document = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/pdf/text.pdf")).unwrap();
    let document = traveller.upload(&document, "application/pdf", "Rechnung.pdf").await;
    let says = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());

    let sources = json!([{"uploadId": document}, {"uploadId": upload}]);
    let body = json!({"sources": sources, "options": {"facturX": {"level": "en16931"}}});
    let (job, bytes) = traveller.convert("/v1/tools/edit-metadata/jobs", body).await;
    assert!(says(&bytes, "<fx:ConformanceLevel>EN 16931<") && says(&bytes, "<pdfaid:part>3<"));
    assert_eq!((&job["report"]["conforms"], &job["output"]["filename"]), (&json!(true), &json!("Rechnung.pdf")));

    let text = String::from_utf8(xml).unwrap();
    let steps = json!([{"toolSlug": "edit-metadata", "options": {"facturX": {"xml": text}}}]);
    let body = json!({"html": "<h1>Rechnung</h1>", "options": {"renderMode": "basic"}, "then": steps});
    let (job, bytes) = traveller.convert("/v1/convert/html-to-pdf", body).await;
    assert!(says(&bytes, "<fx:DocumentFileName>factur-x.xml<"));
    assert_eq!(pdf::attachments(&bytes), ["factur-x.xml"]);
    assert!(!job.to_string().contains("CrossIndustryInvoice"), "{job}");

    // Without a list, only the PDF.
    let body = json!({"uploadId": document, "options": {"set": {"title": "Titel"}}});
    let (_, bytes) = traveller.convert("/v1/tools/edit-metadata/jobs", body).await;
    assert!(says(&bytes, "Titel"));

    let id = traveller
        .create("/v1/tools/edit-metadata/jobs", json!({"sources": sources, "options": {"facturX": {"level": "basic"}}}))
        .await;
    let job = traveller.end_of(&id).await;
    assert_eq!(job["error"]["code"], "render_failed", "{job}");
    assert!(job["error"]["message"].as_str().unwrap().contains("`facturX.level` is `basic`"), "{job}");
}

#[tokio::test]
async fn a_page_becomes_a_picture_and_its_secrets_are_not_shown() {
    let traveller = traveller!();
    let secrets = json!({"cookies": [{"name": "a", "value": "canary"}], "headers": {"X-Key": "canary"}});
    let body = json!({"url": format!("{}/invoice.html", traveller.samples), "options": {"format": "webp", "fullPage": true,
        "cookies": secrets["cookies"], "headers": secrets["headers"]}, "then": [{"toolSlug": "images-to-pdf"}]});
    let (job, bytes) = traveller.convert("/v1/tools/html-to-image/jobs", body).await;
    assert_eq!(pdf::pages(&bytes), 1);
    assert!(!job.to_string().contains("canary"), "{job}");
    assert_eq!((&job["options"]["cookies"], &job["options"]["format"]), (&json!("[redacted]"), &json!("webp")));
}

#[tokio::test]
async fn uploads_become_pdfs_without_a_public_address() {
    let traveller = traveller!();
    let document = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../samples/small.docx")).unwrap();
    let upload = traveller.upload(&document, "application/octet-stream", "Bericht März.docx").await;
    let (job, bytes) = traveller.convert("/v1/convert/office-to-pdf", json!({"uploadId": upload})).await;
    assert!(pdf::text(&bytes).contains("Amet aliqua dolor"), "{}", pdf::text(&bytes));
    assert_eq!((&job["input"], &job["output"]["filename"]), (&json!({"uploadId": upload}), &json!("Bericht März.pdf")));

    let latin = traveller.upload(b"<h1>Gr\xfc\xdfe</h1>", "text/html; charset=iso-8859-1", "a.html").await;
    for mode in ["browser", "basic"] {
        let body = json!({"uploadId": latin, "renderMode": mode});
        let (_, bytes) = traveller.convert("/v1/convert/html-to-pdf", body).await;
        assert!(pdf::text(&bytes).contains("Grüße"), "{mode}: {}", pdf::text(&bytes));
    }
    let id = traveller.create("/v1/convert/html-to-pdf", json!({"uploadId": upload})).await;
    let job = traveller.end_of(&id).await;
    assert_eq!(
        (&job["error"]["code"], &job["credits"]["refunded"]),
        (&json!("unsupported_format"), &json!(1)),
        "{job}"
    );
}

/// One request merges an upload, a file by URL and the result of an unfinished job, then compresses and stamps them.
#[tokio::test]
async fn one_request_joins_three_sources_compresses_and_stamps_them() {
    let traveller = traveller!();
    let upload = traveller.upload(b"<h1>First of all</h1>", "text/html", "first.html").await;
    let slow = json!({"html": "<h1>Third and last</h1>", "options": {"waitFor": {"delayMs": 2000}}});
    let unfinished = traveller.create("/v1/convert/html-to-pdf", slow).await;
    let body = json!({
        "sources": [
            {"uploadId": upload},
            {"sourceUrl": format!("{}/small.docx", traveller.samples)},
            {"jobId": unfinished},
        ],
        "then": [
            {"toolSlug": "compress-pdf"},
            {"toolSlug": "watermark-pdf", "options": {"text": "CONFIDENTIAL", "rotation": 0}},
        ],
    });
    let request =
        traveller.client.post(format!("{}/v1/tools/merge-pdf/jobs", traveller.url)).bearer_auth(&traveller.key);
    let request = request.header("prefer", "wait=25").header("accept", "application/pdf").json(&body);
    let response = request.send().await.unwrap();
    let (status, content_type) = (response.status(), response.headers()["content-type"].clone());
    let bytes = response.bytes().await.unwrap();
    let told = || String::from_utf8_lossy(&bytes).into_owned();
    assert_eq!((status.as_u16(), content_type.to_str().unwrap()), (200, "application/pdf"), "{}", told());
    let text = pdf::text(&bytes);
    let places: Vec<_> =
        ["First of all", "Amet aliqua dolor", "Third and last"].iter().map(|part| text.find(part)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in {text}");
    assert_eq!(text.matches("CONFIDENTIAL").count(), 3, "{text}");
    assert_eq!(pdf::pages(&bytes), 3);
}

/// The page takes as long as a page may, but the worker stops at once and takes the next job.
#[tokio::test]
async fn a_canceled_job_ends_at_once_and_costs_nothing() {
    let traveller = traveller!();
    let endless = json!({"html": "<p>x<script>for(;;){}</script>"});
    let id = traveller.create("/v1/convert/html-to-pdf", endless).await;
    eventually("a worker has the job", CONVERSION_TIME, async || {
        let job = traveller.ask(Method::GET, &format!("/v1/jobs/{id}"), None).await.body["job"].clone();
        (job["status"] == "processing").then_some(())
    })
    .await;
    let canceled = traveller.ask(Method::POST, &format!("/v1/jobs/{id}/cancel"), None).await;
    assert_eq!((canceled.status, &canceled.body["job"]["status"]), (200, &json!("canceled")), "{}", canceled.body);
    assert_eq!(canceled.body["job"]["credits"], json!({"charged": 1, "refunded": 1}));
    let deleted = traveller.ask(Method::DELETE, &format!("/v1/jobs/{id}"), None).await;
    assert_eq!(deleted.status, 204);
    let job = traveller.ask(Method::GET, &format!("/v1/jobs/{id}"), None).await.body["job"].clone();
    assert_eq!((&job["status"], &job["input"]), (&json!("deleted"), &json!({})), "{job}");
}

#[tokio::test]
async fn a_test_key_marks_every_page_and_costs_nothing() {
    let traveller = traveller!("DOCMILL_TEST_KEY");
    let (job, bytes) = traveller.convert("/v1/convert/html-to-pdf", json!({"html": "<p>draft"})).await;
    // Extracted text of slanted letters may contain spaces.
    let text: String = pdf::text(&bytes).split_whitespace().collect();
    assert!(text.contains("TEST"), "{text}");
    assert_eq!((&job["testMode"], &job["credits"]["charged"]), (&json!(true), &json!(0)));
}

#[tokio::test]
async fn bad_sources_end_as_failed_with_their_code_and_the_credits_back() {
    let traveller = traveller!();
    let samples = &traveller.samples;
    for (source, code) in [
        (format!("{samples}/no-such-file.docx"), "source_unreachable"),
        ("http://127.0.0.1:9/secret.docx".to_owned(), "source_forbidden"),
        ("http://169.254.169.254/latest/meta-data".to_owned(), "source_forbidden"),
        ("https://no-such-host.invalid/a.docx".to_owned(), "source_unreachable"),
        (format!("{samples}/"), "unsupported_format"),
    ] {
        let id = traveller.create("/v1/convert/office-to-pdf", json!({"sourceUrl": source})).await;
        let job = traveller.end_of(&id).await;
        assert_eq!((&job["status"], &job["error"]["code"]), (&json!("failed"), &json!(code)), "{source}: {job}");
        assert_eq!(job["credits"], json!({"charged": 1, "refunded": 1}), "{source}");
        let answer = traveller.ask(Method::GET, &format!("/v1/jobs/{id}/download"), None).await;
        assert_eq!((answer.status, &answer.body["error"]["code"]), (409, &json!("job_failed")));
    }
}

#[tokio::test]
async fn the_gateway_routes_requests_to_their_functions_and_others_to_the_fallback() {
    let traveller = traveller!();
    let tools = traveller.ask(Method::GET, "/v1/tools", None).await;
    assert_eq!(
        (tools.status, tools.body["tools"].as_array().unwrap().len()),
        (200, Catalogue::load().unwrap().tools().len())
    );
    assert_eq!(tools.headers["x-request-id"], tools.body["requestId"].as_str().unwrap());
    let schema = traveller.ask(Method::GET, "/v1/tools/html-to-pdf/schema", None).await;
    assert_eq!(schema.body["tool"]["slug"], "html-to-pdf");
    let usage = traveller.ask(Method::GET, "/v1/account/usage", None).await;
    assert_eq!(usage.body["usage"]["plan"], "demo");
    let hook = json!({"url": "https://hooks.example/"});
    assert_eq!(traveller.ask(Method::POST, "/v1/webhooks/test", Some(&hook)).await.status, 200);
    let named = json!({"toolSlug": "html-to-pdf", "html": "<p>x"});
    assert_eq!(traveller.ask(Method::POST, "/v1/jobs", Some(&named)).await.status, 202);
    let by_path = traveller.ask(Method::POST, "/v1/tools/html-to-pdf/jobs", Some(&json!({"html": "<p>x"}))).await;
    assert_eq!(by_path.status, 202);

    let nowhere = traveller.ask(Method::GET, "/v1/nowhere", None).await;
    assert_eq!((nowhere.status, &nowhere.body["error"]["code"]), (404, &json!("route_not_found")));
    let wrong = traveller.ask(Method::DELETE, "/v1/jobs", None).await;
    assert_eq!((wrong.status, &wrong.body["error"]["code"]), (405, &json!("method_not_allowed")));
    assert_eq!(wrong.headers["allow"], "POST, GET");
    let unknown = traveller.ask(Method::GET, "/v1/jobs/not-a-uuid", None).await;
    assert_eq!((unknown.status, &unknown.body["error"]["code"]), (404, &json!("job_not_found")));
}

/// Office and HTML jobs find their account's font. Another account's jobs on the same workers do not.
#[tokio::test]
async fn a_font_is_only_used_by_its_accounts_jobs() {
    let (owner, Some(deployed)) = (traveller!(), Deployed::new()) else { return };
    let stranger = deployed.account().await;
    let stranger = Traveller {
        client: Client::new(),
        key: stranger.key.reveal().to_owned(),
        url: owner.url.clone(),
        samples: owner.samples.clone(),
    };
    let upload = owner.upload(&fixture("packed.woff2"), "font/woff2", "packed.woff2").await;
    let added = owner.ask(Method::POST, "/v1/fonts", Some(&json!({"uploadId": upload}))).await;
    assert!([200, 201].contains(&added.status), "{}", added.body);
    let page = "<p style='font-family: \"Probe Packed\"'>Hello";
    let jobs = [
        ("/v1/convert/html-to-pdf", json!({"html": page})),
        ("/v1/convert/html-to-pdf", json!({"html": page, "renderMode": "basic"})),
        ("/v1/convert/office-to-pdf", json!({"uploadId": owner.upload(&letter(), "text/rtf", "letter.rtf").await})),
    ];
    for (path, body) in jobs {
        let (job, bytes) = owner.convert(path, body.clone()).await;
        assert!(pdf::fonts(&bytes).contains("ProbePacked-Regular"), "{path}: {}", pdf::fonts(&bytes));
        assert!(!job["warnings"].to_string().contains("font_substituted"), "{job}");
        let body = match body.get("uploadId") {
            Some(_) => json!({"uploadId": stranger.upload(&letter(), "text/rtf", "letter.rtf").await}),
            None => body,
        };
        let (_, bytes) = stranger.convert(path, body).await;
        assert!(!pdf::fonts(&bytes).contains("Probe"), "{path}: {}", pdf::fonts(&bytes));
        assert!(pdf::text(&bytes).contains("Hello"));
    }
    let id = added.body["font"]["id"].as_str().unwrap();
    assert_eq!(owner.ask(Method::DELETE, &format!("/v1/fonts/{id}"), None).await.status, 204);
    let listed = owner.ask(Method::GET, "/v1/fonts", None).await.body;
    assert!(!listed.to_string().contains(id), "{listed}");
    let (_, bytes) = owner.convert("/v1/convert/html-to-pdf", json!({"html": page})).await;
    assert!(!pdf::fonts(&bytes).contains("Probe"), "{}", pdf::fonts(&bytes));
}

fn letter() -> Vec<u8> {
    br"{\rtf1\ansi{\fonttbl{\f0 Probe Packed;}}\f0 Hello\par}".to_vec()
}
