//! render-template: options, results, warnings and mistakes. `docmill-templates` tests the filling itself.

use docmill_formats::Format;
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Outcome, Tool};
use serde_json::{Value, json};

use super::Run;

fn run(template: &str, media: Format, options: Value) -> Result<(Outcome, String), Failure> {
    let mut run = Run::new();
    run.push(template.as_bytes(), media);
    let outcome = run.run(Tool::RenderTemplate, options)?;
    let [Artifact { file, media: made, .. }] = outcome.artifacts.as_slice() else { panic!("{outcome:?}") };
    assert!(file.ends_with(made.extension()));
    let text = std::fs::read_to_string(run.path(file)).unwrap();
    Ok((outcome, text))
}

fn page(template: &str, options: Value) -> Result<(Outcome, String), Failure> {
    run(template, Format::Html, options)
}

#[test]
fn options_reach_the_template() {
    let data = json!({"n": 1234.5, "at": "2026-11-25T23:30:00Z", "x": null});
    let options = json!({
        "data": data, "locale": "de-AT", "timeZone": "Europe/Vienna", "missing": "keep",
        "delimiters": {"open": "[[", "close": "]]"},
    });
    let (outcome, text) = page("<p>{n} [[n | number:2]] [[at | date:'iso']] [[gone]]</p>", options).unwrap();
    assert_eq!(text, "<p>{n} 1\u{a0}234,50 2026-11-26 [[gone]]</p>");
    assert_eq!(outcome.artifacts[0].media, Format::Html);
}

#[test]
fn warnings_name_data_without_use_and_tags_without_value() {
    let options = json!({"data": {"a": 1, "b": {"c": 2}}, "missing": "empty"});
    let (outcome, _) = page("{gone}", options).unwrap();
    let told: Vec<_> =
        outcome.warnings.iter().map(|told| (told.code.as_str(), told.detail.as_deref().unwrap())).collect();
    assert_eq!(told, [("unused_data", "a, b"), ("value_empty", "{gone}")]);
}

#[test]
fn mistakes_are_details_and_the_message_begins_with_the_first() {
    let failure = page("{nmae}\n{#open}", json!({"data": {"name": "canary"}})).unwrap_err();
    assert_eq!((failure.code, failure.details.len()), (ErrorCode::TemplateError, 1), "{failure:?}");
    let failure = page("<p>{nmae}</p>\n<p>{other}</p>", json!({"data": {"name": "canary"}})).unwrap_err();
    assert_eq!(
        failure.message,
        "The template has 2 mistakes: see `details`. The first: The data has no value `nmae`. Did you mean `name`?"
    );
    assert_eq!(failure.details[1].place.line, Some(2));
    assert!(!format!("{failure:?}").contains("canary"));
    let many: String = (0..30).map(|number| format!("{{gone{number}}} ")).collect();
    let failure = page(&many, json!({"data": {}})).unwrap_err();
    assert!(failure.message.starts_with("The template has 30 mistakes: `details` has the first 20,"));
}

#[test]
fn a_check_reports_mistakes_schema_and_example_instead_of_failing() {
    let check = |template: &str, options: Value| {
        let (outcome, text) = page(template, options).unwrap();
        assert_eq!(outcome.artifacts[0].media, Format::Json);
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let report = check("{name} {#items}{price | number}{/items}", json!({"validateOnly": true}));
    assert_eq!(report["valid"], true);
    assert_eq!(report["example"], json!({"name": "name", "items": [{"price": 1}]}));
    assert_eq!(report["schema"]["properties"]["items"]["items"]["properties"]["price"], json!({"type": "number"}));

    let report = check("{name | uper}", json!({"validateOnly": true}));
    assert_eq!((&report["valid"], &report["mistakes"][0]["suggestion"]), (&json!(false), &json!("upper")));
    let report = check("{name}", json!({"validateOnly": true, "data": {"nmae": 1}}));
    assert_eq!((&report["valid"], &report["mistakes"][0]["suggestion"]), (&json!(false), &json!("nmae")));
}

#[test]
fn what_can_not_be_filled_is_a_typed_failure() {
    let docx = Format::Docx;
    let code = |result: Result<(Outcome, String), Failure>| result.unwrap_err().code;
    assert_eq!(code(run("no archive", docx, json!({"data": {}}))), ErrorCode::CorruptDocument);
    for options in [
        json!({"data": {}, "locale": "xx-"}),
        json!({"data": {}, "timeZone": "Mars/Olympus"}),
        json!({"data": {}, "delimiters": {"open": "ä", "close": "}"}}),
    ] {
        assert_eq!(code(page("{a}", options.clone())), ErrorCode::RenderFailed, "{options}");
    }
}

#[test]
fn a_request_does_not_show_its_options() {
    let request = Run::new().request(Tool::RenderTemplate, json!({"data": {"name": "canary"}}));
    assert!(!format!("{request:?}").contains("canary"));
}

#[test]
fn a_spreadsheet_stays_one() {
    let mut run = Run::new();
    run.push(include_bytes!("../../../../../samples/small.xlsx"), Format::Xlsx);
    let outcome = run.run(Tool::RenderTemplate, json!({"data": {}})).unwrap();
    assert_eq!(outcome.artifacts[0].media, Format::Xlsx);
}

/// The names and texts of the documents of several rows.
fn documents(template: &str, options: Value) -> Result<Vec<(Option<String>, String)>, Failure> {
    let mut run = Run::new();
    run.push(template.as_bytes(), Format::Html);
    let outcome = run.run(Tool::RenderTemplate, options)?;
    let text = |made: &Artifact| std::fs::read_to_string(run.path(&made.file)).unwrap();
    Ok(outcome.artifacts.iter().map(|made| (made.filename.clone(), text(made))).collect())
}

#[test]
fn each_row_becomes_a_document_with_a_name_of_its_own() {
    let data = json!([{"name": "Ada"}, {"name": "A/B"}, {"name": "ada"}]);
    let named = json!({"data": data, "merge": "files", "filenamePattern": "Letter {name}.pdf"});
    let made = documents("<p>{name}</p>", named).unwrap();
    let made: Vec<_> = made.iter().map(|(name, text)| (name.as_deref().unwrap(), text.as_str())).collect();
    assert_eq!(
        made,
        [("Letter Ada.html", "<p>Ada</p>"), ("Letter A_B.html", "<p>A/B</p>"), ("Letter ada-2.html", "<p>ada</p>")]
    );
    let numbered = |merge: &str| {
        let made = documents("{name}", json!({"data": data, "merge": merge})).unwrap();
        made.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(numbered("files"), [None, None, None]);
    assert_eq!(numbered("one"), ["1.html", "2.html", "3.html"].map(|name| Some(name.to_owned())));
}

#[test]
fn mistakes_of_all_rows_are_told_at_once_with_their_rows() {
    let data = json!([{"name": "Ada", "id": 1}, {"id": 2}, {"name": "Bob", "id": 3}, {"nmae": "Cy"}]);
    let options = json!({"data": data, "merge": "files", "filenamePattern": "{id}"});
    let failure = documents("{name}", options.clone()).unwrap_err();
    assert_eq!(failure.code, ErrorCode::TemplateError);
    let told: Vec<_> = failure
        .details
        .iter()
        .map(|mistake| (mistake.place.row.unwrap(), mistake.tag.as_str(), mistake.place.part.as_str()))
        .collect();
    assert_eq!(told, [(2, "{name}", ""), (4, "{name}", ""), (4, "{id}", "filenamePattern")]);
    assert_eq!(
        failure.message,
        "The template has 3 mistakes: see `details`. The first: In row 2: The data has no value `name`."
    );
    let check = json!({"data": data, "merge": "files", "filenamePattern": "{id}", "validateOnly": true});
    let report: Value = serde_json::from_str(&page("{name}", check).unwrap().1).unwrap();
    assert_eq!(report["mistakes"][2]["place"]["row"], 4);

    let of_template = documents("{#name}", options).unwrap_err();
    assert_eq!(of_template.details.len(), 1, "{of_template:?}");
}

#[test]
fn a_name_that_some_row_or_the_pattern_uses_is_not_unused() {
    let mut run = Run::new();
    run.push(b"{name}{#vip}{gift}{/vip}", Format::Html);
    let data =
        json!([{"name": 1, "vip": true, "gift": 2, "id": 3}, {"name": 1, "vip": false, "gift": 2, "id": 4, "rest": 5}]);
    let outcome =
        run.run(Tool::RenderTemplate, json!({"data": data, "merge": "one", "filenamePattern": "{id}"})).unwrap();
    assert_eq!(outcome.warnings.len(), 1);
    assert_eq!(outcome.warnings[0].detail.as_deref(), Some("rest"));
}

#[test]
fn documents_of_all_rows_together_are_limited() {
    let mut run = Run::new();
    run.push("x".repeat(1 << 20).as_bytes(), Format::Html);
    let rows: Vec<_> = (0..1000).map(|_| json!({})).collect();
    let failure = run.run(Tool::RenderTemplate, json!({"data": rows, "merge": "files"})).unwrap_err();
    assert_eq!(failure.code, ErrorCode::RenderFailed, "{failure:?}");
}

#[test]
fn further_sources_are_sub_templates_by_the_names_of_their_files() {
    let mut run = Run::new();
    run.push(b"<p>{name}</p>{>terms}{>2}", Format::Html);
    run.push(b"Second {name}", Format::Html).name = None;
    run.push(b"For *{name}*", Format::Markdown).name = Some("terms.md".to_owned());
    let outcome = run.run(Tool::RenderTemplate, json!({"data": {"name": "Ada"}})).unwrap();
    let [Artifact { file, media: Format::Html, .. }] = outcome.artifacts.as_slice() else { panic!("{outcome:?}") };
    let text = std::fs::read_to_string(run.path(file)).unwrap();
    assert_eq!(text, "<p>Ada</p><p>For <em>Ada</em></p>\nSecond Ada");
}

#[test]
fn a_sub_template_that_is_missing_is_told_in_each_way() {
    let told = |options: Value| page("{>terms}", options);
    let failure = told(json!({"data": {}})).unwrap_err();
    assert_eq!((failure.code, failure.details.len()), (ErrorCode::TemplateError, 1), "{failure:?}");
    let report: Value = serde_json::from_str(&told(json!({"validateOnly": true})).unwrap().1).unwrap();
    assert_eq!(report["mistakes"][0]["message"], "No further source of the job is called `terms`.");
    let failure = told(json!({"data": [{}, {}], "merge": "files"})).unwrap_err();
    assert_eq!(failure.details.len(), 1, "{failure:?}");
}
