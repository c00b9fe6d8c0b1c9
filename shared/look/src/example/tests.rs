//! What calls look like in each language.

use docmill_domain::catalogue::Catalogue;
use serde_json::json;

use super::call::{Call, Step};
use super::*;

/// The call with the client of each language.
fn codes(slug: &str, body: &Value, files: &[&str], file: Option<&str>) -> [Option<String>; 5] {
    let catalogue = Catalogue::load().unwrap();
    let steps = body["then"].as_array().into_iter().flatten();
    let steps = steps.map(|step| Step::new(&catalogue, step).unwrap()).collect();
    let tool = catalogue.find(slug).unwrap();
    let call = Call::new(tool, body.as_object().unwrap(), files, file.map(str::to_owned)).with_steps(steps);
    let [_, clients @ ..] = Language::ALL;
    clients.map(|language| language.client_code(&call))
}

fn assert_parts(code: Option<String>, parts: &[&str]) {
    let code = code.unwrap();
    let mut rest = code.as_str();
    for part in parts {
        let place = rest.find(part).unwrap_or_else(|| panic!("{part} is not at its place in {code}"));
        rest = &rest[place + part.len()..];
    }
}

#[test]
fn every_tool_has_an_example_in_every_language() {
    let catalogue = Catalogue::load().unwrap();
    for tool in catalogue.tools() {
        let example = Example::of(tool);
        assert_eq!(example.tabs().len(), Language::ALL.len(), "{}", tool.definition.slug);
        for language in Language::ALL {
            let code = example.code(language).unwrap();
            assert!(code.contains("https://files.example.com/") || code.contains("Hello"), "{code}");
        }
    }
}

#[test]
fn a_conversion_is_one_short_call() {
    let body = json!({"sourceUrl": "https://a.example/b.docx", "options": {"landscape": true, "pageRange": "1-3"}});
    let [command, python, typescript, go, rust] = codes("office-to-pdf", &body, &[], Some("b.pdf"));
    assert_eq!(
        command.unwrap(),
        "docmill office-to-pdf https://a.example/b.docx -o b.pdf --landscape --page-range 1-3"
    );
    assert_eq!(
        python.unwrap(),
        r#"from docmill import Docmill

docmill = Docmill()
docmill.run(
    "office-to-pdf",
    "https://a.example/b.docx",
    {"landscape": True, "pageRange": "1-3"},
).save("b.pdf")"#
    );
    assert_eq!(
        typescript.unwrap(),
        r#"import { Docmill } from "docmill";

const docmill = new Docmill();
await docmill
  .run("office-to-pdf", "https://a.example/b.docx", { landscape: true, pageRange: "1-3" })
  .save("b.pdf");"#
    );
    assert_parts(
        go,
        &["	request := docmill.Request{
		Tool:    \"office-to-pdf\",
		Source:  docmill.URL(\"https://a.example/b.docx\"),
		Options: map[string]any{\"landscape\": true, \"pageRange\": \"1-3\"},
	}
	if _, err := client.Convert(context.Background(), request, \"b.pdf\"); err != nil {\n"],
    );
    assert_eq!(
        rust.unwrap(),
        r#"use docmill_client::{Client, Request, Source};
use serde_json::json;

#[tokio::main]
async fn main() -> docmill_client::Result<()> {
    let client = Client::from_env()?;
    let request = Request::tool("office-to-pdf", Source::url("https://a.example/b.docx"))
        .options(json!({"landscape": true, "pageRange": "1-3"}));
    client.convert(request, "b.pdf").await?;
    Ok(())
}"#
    );
}

#[test]
fn files_with_passwords_are_uploaded_and_steps_are_chained() {
    let body = json!({
        "input": {"uploadId": "$upload0", "password": "<secret>", "headers": {"Cookie": "<secret>"}},
        "then": [{"toolSlug": "watermark-pdf", "options": {"text": "it's @me"}}, {"toolSlug": "compress-pdf"}],
    });
    let [command, python, typescript, go, rust] = codes("organize-pdf", &body, &["my.pdf"], Some("result.pdf"));
    assert_eq!(
        command.unwrap(),
        r"docmill organize my.pdf -o result.pdf \
  --password '<secret>' \
  --source-header 'Cookie=<secret>' \
  --then 'watermark --text '\''it'\''\'\'''\''s @me'\''' \
  --then compress"
    );
    assert_parts(
        python,
        &[
            r#"{"uploadId": docmill.uploads.create("my.pdf"), "password": "<secret>", "headers": {"Cookie": "<secret>"}}"#,
            r#"
    .then("watermark-pdf", {"text": "it's @me"})
    .then("compress-pdf")
    .save("result.pdf")
)"#,
        ],
    );
    assert_parts(
        typescript,
        &[
            r#"{ uploadId: await docmill.uploads.create("my.pdf"), password: "<secret>", headers: { Cookie: "<secret>" } }"#,
            r#"
  .step("watermark-pdf", { text: "it's @me" })
  .step("compress-pdf")
  .save("result.pdf");"#,
        ],
    );
    assert_parts(
        go,
        &[
            "	file1 := docmill.File(\"my.pdf\")\n",
            "	file1.Password = \"<secret>\"\n	file1.Headers = map[string]string{\"Cookie\": \"<secret>\"}\n",
            "		Tool:   \"organize-pdf\",
		Source: file1,
		Then: []docmill.Step{
			{ToolSlug: \"watermark-pdf\", Options: map[string]any{\"text\": \"it's @me\"}},
			{ToolSlug: \"compress-pdf\"},
		},
	}\n",
        ],
    );
    assert_parts(
        rust,
        &[
            r#"Source::file("my.pdf").password("<secret>").header("Cookie", "<secret>")"#,
            r#".then(Step::new("watermark-pdf").options(json!({"text": "it's @me"})))"#,
            r#".then(Step::new("compress-pdf"));"#,
        ],
    );
}

#[test]
fn sources_of_all_kinds_are_listed_in_their_order() {
    let body = json!({"input": {"sources": [
        {"uploadId": "$upload0"}, {"html": "<p>"}, {"url": "https://a.example/"}, {"markdown": "# x"},
        {"sourceUrl": "https://a.example/b.docx"}, {"uploadId": "$upload1"},
    ]}});
    let [command, python, typescript, go, rust] =
        codes("merge-pdf", &body, &["page.html", "-c.pdf"], Some("result.pdf"));
    assert_eq!(
        command.unwrap(),
        r"printf '%s\n' '<p>' >page-2.html
printf '%s\n' '# x' >text.md
docmill merge page.html page-2.html https://a.example/ text.md https://a.example/b.docx ./-c.pdf -o result.pdf"
    );
    let (file, document, last) = (r#""page.html""#, r#""https://a.example/b.docx""#, r#""-c.pdf""#);
    assert_parts(python, &[file, r#"{"html": "<p>"}"#, r#"{"url": "https://a.example/"}"#, document, last]);
    assert_parts(typescript, &[file, r#"{ html: "<p>" }"#, r#"{ url: "https://a.example/" }"#, document, last]);
    assert_parts(
        go,
        &[
            r#"Sources: []docmill.Source{"#,
            r#"docmill.File("page.html")"#,
            r#"docmill.HTML("<p>")"#,
            r#"docmill.Source{URL: "https://a.example/"}"#,
            r##"docmill.Markdown("# x")"##,
            r#"docmill.URL("https://a.example/b.docx")"#,
            r#"docmill.File("-c.pdf")"#,
        ],
    );
    assert_parts(
        rust,
        &[
            "Request::several(",
            r#"Source::file("page.html")"#,
            r#"Source::html("<p>")"#,
            r#"Source::page("https://a.example/")"#,
            r##"Source::markdown("# x")"##,
            r#"Source::url("https://a.example/b.docx")"#,
            r#"Source::file("-c.pdf")"#,
        ],
    );
}

#[test]
fn a_result_that_may_be_several_files_has_its_own_name() {
    let [command, python, typescript, go, rust] =
        codes("split-pdf", &json!({"uploadId": "$upload0"}), &["a.pdf"], None);
    assert_eq!(command.unwrap(), "docmill split a.pdf -o .");
    assert_parts(python, &[r#"job = docmill.run("split-pdf", "a.pdf").wait()"#, r#"job.save(job.link()["filename"])"#]);
    assert_parts(typescript, &[".wait();", "const { filename } = await job.link();", "await job.save(filename);"]);
    assert_parts(go, &["client.Save(ctx, job.ID, result.Download.Filename)"]);
    assert_parts(rust, &["client.save(&job.id, result.download.filename).await?;"]);
}

#[test]
fn what_the_command_line_cannot_say_has_no_command() {
    for (slug, body) in [
        ("compress-pdf", json!({"jobId": "01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90"})),
        ("merge-pdf", json!({"sources": [{"url": "https://a.example/b.docx"}]})),
        ("unlock-pdf", json!({"uploadId": "$upload0", "password": "x"})),
    ] {
        let [command, clients @ ..] = codes(slug, &body, &["a.pdf"], Some("b.pdf"));
        assert!(command.is_none() && clients.iter().all(Option::is_some), "{slug}: {command:?}");
    }
}

#[test]
fn a_second_document_with_a_role_of_its_own_is_a_flag() {
    let body = json!({"sources": [{"uploadId": "$upload0", "password": "x"}, {"uploadId": "$upload1"}]});
    let command = |slug: &str| codes(slug, &body, &["a.pdf", "b.png"], Some("c.pdf"))[0].clone().unwrap();
    assert_eq!(command("watermark-pdf"), "docmill watermark a.pdf -o c.pdf --stamp b.png --password 1=x");
    assert_eq!(command("edit-metadata"), "docmill edit-metadata a.pdf -o c.pdf --attach b.png --password 1=x");
}

#[test]
fn examples_with_curl_choose_how_to_save_by_the_kind_of_result() {
    let catalogue = Catalogue::load().unwrap();
    let curl = |slug: &str| Example::of(catalogue.find(slug).unwrap()).code(Language::Curl).unwrap();
    for (slug, direct) in [("merge-pdf", true), ("thumbnail", true), ("split-pdf", false), ("inspect-document", false)]
    {
        assert_eq!(curl(slug).contains("Accept: "), direct, "{slug}");
        assert!(!curl(slug).contains("-o report.pdf"), "{slug}");
    }
    assert!(curl("convert-office").contains("result.odt") && curl("html-to-image").contains("image/webp"));
    let tool = catalogue.find("html-to-pdf").unwrap();
    let example = Example::with(tool, json!({"html": "<p>it's</p>", "options": {"tagged": false}}));
    let curl = example.code(Language::Curl).unwrap();
    assert!(curl.contains(r#"-d '{"html": "<p>it'\''s</p>", "options": {"tagged": false}}'"#), "{curl}");
}
