use super::*;
use crate::job::source::Origin;

fn parse(slug: &str, body: Value) -> Result<(JobRequest, Vec<Warning>), Vec<Breach>> {
    let catalogue = Catalogue::load().unwrap();
    JobRequest::parse(&catalogue, catalogue.find(slug).unwrap(), body.as_object().unwrap())
}

fn fingerprint(slug: &str, body: Value) -> String {
    parse(slug, body).unwrap().0.canonical().fingerprint()
}

fn breaches(slug: &str, body: Value) -> Vec<Breach> {
    parse(slug, body).unwrap_err()
}

#[test]
fn short_and_long_forms_are_the_same_request() {
    let long =
        json!({"input": {"sourceUrl": "https://a.example/x.docx"}, "options": {"conversionProviderMode": "default"}});
    let short = json!({"sourceUrl": "https://a.example/x.docx", "conversionProviderMode": "default", "toolSlug": "office-to-pdf"});
    let both = json!({"sourceUrl": "https://a.example/x.docx", "input": {"sourceUrl": "https://a.example/x.docx"}, "options": {"conversionProviderMode": "default"}});
    let canonical = fingerprint("office-to-pdf", long);
    assert_eq!(fingerprint("office-to-pdf", short), canonical);
    assert_eq!(fingerprint("office-to-pdf", both), canonical);
}

#[test]
fn a_name_given_twice_and_differently_is_a_breach() {
    let body = json!({"sourceUrl": "https://a.example/1", "input": {"sourceUrl": "https://a.example/2"}});
    assert_eq!(breaches("office-to-pdf", body)[0].path, "/sourceUrl");
}

#[test]
fn exactly_one_source_is_needed() {
    assert_eq!(
        breaches("office-to-pdf", json!({}))[0].message,
        "give exactly one of `sourceUrl`, `uploadId` and `jobId`"
    );
    let upload = "upl_01935f6b8d4a7c3e9b5d2f1a6c7e8d90";
    let both = json!({"sourceUrl": "https://a.example/x", "input": {"uploadId": upload}});
    assert_eq!(breaches("office-to-pdf", both)[0].message, "give exactly one of `sourceUrl`, `uploadId` and `jobId`");
    for body in [
        json!({}),
        json!({"url": "https://a.example", "html": "<p>"}),
        json!({"url": "https://a.example", "input": {"html": "x"}}),
        json!({"html": "x", "uploadId": upload}),
    ] {
        assert_eq!(breaches("html-to-pdf", body)[0].message, "give exactly one of `url`, `html` and `uploadId`");
    }
    assert!(parse("html-to-pdf", json!({"input": {"html": "<p>"}})).is_ok());
    for tool in ["office-to-pdf", "html-to-pdf"] {
        let nested = json!({"input": {"uploadId": upload}});
        let sources = parse(tool, nested.clone()).unwrap().0.sources();
        assert!(sources.len() == 1 && sources[0].origin == Origin::Upload(upload.into()));
        let nested = fingerprint(tool, nested);
        assert_eq!(fingerprint(tool, json!({"uploadId": upload})), nested);
        let other = json!({"uploadId": upload.replace('1', "2")});
        assert_ne!(fingerprint(tool, other), nested);
        assert_eq!(breaches(tool, json!({"uploadId": "upl_../x"}))[0].path, "/uploadId");
    }
}

#[test]
fn a_tool_with_attachments_takes_one_source_or_a_list() {
    let source = json!({"sourceUrl": "https://a.example/x.pdf"});
    let read = |body: Value| parse("edit-metadata", body).unwrap().0.sources().len();
    assert_eq!(read(source.clone()), 1);
    assert_eq!(read(json!({"input": {"sources": [source, source, source]}})), 3);
    let both = json!({"sourceUrl": "https://a.example/x.pdf", "sources": [source]});
    assert_eq!(
        breaches("edit-metadata", both)[0].message,
        "give exactly one of `sourceUrl`, `uploadId`, `jobId` and `sources`"
    );
    assert_eq!(breaches("edit-metadata", json!({"sources": vec![source.clone(); 22]}))[0].path, "/sources");
    // The result of a tool can't be an attachment.
    let mut split = source;
    split["options"] = json!({"mode": "every"});
    let mut then = |step: &str| {
        split["then"] = json!([{"toolSlug": step, "options": {}}]);
        breaches("split-pdf", split.clone())[0].message.clone()
    };
    let advice = "accepts one file, but split-pdf can make several: create a job for each, with `jobId` and `output`";
    assert_eq!(then("edit-metadata"), format!("edit-metadata {advice}"));
    // Nor for a stamp.
    assert_eq!(then("watermark-pdf"), format!("watermark-pdf {advice}"));
}

#[test]
fn an_invoice_is_hidden_in_the_redacted_form() {
    let body = json!({"sourceUrl": "https://a.example/x.pdf", "options": {"facturX": {"xml": "<canary/>"}}});
    let catalogue = Catalogue::load().unwrap();
    let request = parse("edit-metadata", body).unwrap().0;
    let shown = request.redacted_options(&catalogue.find("edit-metadata").unwrap().definition);
    assert_eq!(shown, json!({"facturX": "[redacted]"}));
}

#[test]
fn the_data_of_a_template_is_hidden_and_needed_unless_it_is_only_checked() {
    let source = "https://a.example/x.docx";
    let catalogue = Catalogue::load().unwrap();
    let (request, _) =
        parse("render-template", json!({"sourceUrl": source, "options": {"data": {"name": "canary"}}})).unwrap();
    let shown = request.redacted_options(&catalogue.find("render-template").unwrap().definition);
    assert_eq!(shown, json!({"data": "[redacted]"}));
    assert!(!format!("{request:?}").contains("canary"));

    let message = |options: Value| {
        let parsed = parse("render-template", json!({"sourceUrl": source, "options": options}));
        parsed.map_or_else(|breaches| breaches[0].message.clone(), |_| "accepted".to_owned())
    };
    assert_eq!(message(json!({"validateOnly": true})), "accepted");
    for without in [json!({}), json!({"validateOnly": false})] {
        assert_eq!(message(without), "give `data`, or `\"validateOnly\": true`");
    }
    assert!(message(json!({"data": [1], "merge": "files"})).contains("a list of up to 1,000 such objects"));
    assert!(message(json!({"data": {}, "delimiters": {"open": "a", "close": "]]"}})).contains("What begins a tag"));
}

#[test]
fn all_breaches_name_their_paths() {
    let body =
        json!({"sourceUrl": "nowhere", "options": {"imageQuality": 0, "pdfVersion": "2.0"}, "metadata": {"a": 1}});
    let paths: Vec<_> = breaches("office-to-pdf", body).into_iter().map(|breach| breach.path).collect();
    for path in ["/sourceUrl", "/options/imageQuality", "/options/pdfVersion", "/metadata/a"] {
        assert!(paths.iter().any(|found| found == path), "{path} in {paths:?}");
    }
}

#[test]
fn no_message_repeats_a_value() {
    let body = json!({"sourceUrl": "https://user:hunter2@a.example", "options": {"password": {"hunter2": 1}, "pageRange": "hunter2"}});
    for breach in breaches("office-to-pdf", body) {
        assert!(!breach.message.contains("hunter2"), "{}", breach.message);
    }
}

#[test]
fn options_that_basic_does_not_support_are_refused_with_the_reason() {
    for mode in [json!({"renderMode": "basic"}), json!({"options": {"renderMode": "basic", "headerHtml": "<b>"}})] {
        let mut body = json!({"html": "<p>", "options": {"headerHtml": "<b>"}});
        body.as_object_mut().unwrap().extend(mode.as_object().unwrap().clone());
        let found = breaches("html-to-pdf", body);
        assert_eq!(found[0].path, "/options/headerHtml");
        assert!(found[0].message.contains("renderMode: browser"), "{}", found[0].message);
    }
}

#[test]
fn unknown_names_are_warned_about_and_not_kept() {
    let options = json!({"pageSize": "A5", "glitter": true, "marginTopp": 1});
    let body = json!({"html": "<p>", "colour": 1, "input": {"speed": 2}, "options": options});
    let (request, warnings) = parse("html-to-pdf", body).unwrap();
    let details: Vec<_> = warnings.iter().filter_map(|warning| warning.detail.as_deref()).collect();
    assert_eq!(details, ["/colour", "/input/speed", "/options/glitter", "/options/marginTopp"]);
    assert!(!warnings[2].message.contains("mean"), "{}", warnings[2].message);
    assert!(warnings[3].message.ends_with("Did you mean `marginTop`?"), "{}", warnings[3].message);
    assert_eq!(json!(request.options), json!({"pageSize": "A5"}));
}

#[test]
fn numbers_are_kept_as_the_table_can_hold_them() {
    let body = json!({"html": "x", "options": {"marginTop": 1e-200, "marginLeft": 0.5, "marginRight": "1mm"}});
    let (request, _) = parse("html-to-pdf", body).unwrap();
    assert_eq!(json!(request.options), json!({"marginLeft": 0.5, "marginRight": "1mm", "marginTop": 0}));
}

#[test]
fn secrets_are_hidden_in_what_the_owner_reads_back() {
    let catalogue = Catalogue::load().unwrap();
    let body = json!({"sourceUrl": "https://a.example/x.docx?sig=canary#canary", "options": {"password": "canary"}});
    let (request, _) = parse("office-to-pdf", body).unwrap();
    let definition = &catalogue.find("office-to-pdf").unwrap().definition;
    assert_eq!(request.redacted_input(), json!({"sourceUrl": "https://a.example/x.docx?[redacted]"}));
    assert_eq!(request.redacted_options(definition), json!({"password": "[redacted]"}));

    let (request, _) = parse("html-to-pdf", json!({"html": "canary"})).unwrap();
    assert_eq!(request.redacted_input(), json!({"html": {"bytes": 6, "sha256": sha256_hex(b"canary")}}));
}

#[test]
fn passwords_and_credentials_are_recognised() {
    let catalogue = Catalogue::load().unwrap();
    let source = "https://a.example/x.pdf";
    for (slug, body, carries) in [
        ("office-to-pdf", json!({"sourceUrl": source, "options": {"pageRange": "1"}}), false),
        ("office-to-pdf", json!({"sourceUrl": source, "options": {"password": "x"}}), true),
        ("merge-pdf", json!({"sources": [{"sourceUrl": source}]}), false),
        ("merge-pdf", json!({"sources": [{"sourceUrl": source}, {"sourceUrl": source, "password": "x"}]}), true),
        ("merge-pdf", json!({"sources": [{"sourceUrl": source, "headers": {"authorization": "x"}}]}), true),
        ("office-to-pdf", json!({"sourceUrl": source, "output": {"putUrl": source}}), false),
        ("office-to-pdf", json!({"sourceUrl": "https://a.example/x.pdf?signature=x"}), true),
        ("html-to-pdf", json!({"url": "https://a.example/?token=x"}), true),
        ("merge-pdf", json!({"sources": [{"sourceUrl": source}, {"sourceUrl": "https://a.example/x#token"}]}), true),
        ("office-to-pdf", json!({"sourceUrl": source, "output": {"putUrl": "https://a.example/x?sig=x"}}), true),
        ("office-to-pdf", json!({"sourceUrl": source, "output": {"putUrl": source, "putHeaders": {"x-a": "x"}}}), true),
        (
            "office-to-pdf",
            json!({"sourceUrl": source, "then": [{"toolSlug": "protect-pdf", "options": {"userPassword": "x"}}]}),
            true,
        ),
    ] {
        let (request, _) = parse(slug, body.clone()).unwrap_or_else(|breaches| panic!("{body}: {breaches:?}"));
        assert_eq!(request.carries_credentials(&catalogue), carries, "{body}");
    }
}

#[test]
fn a_tool_of_two_sources_gets_two_and_is_no_further_step() {
    let source = json!({"sourceUrl": "https://a.example/x.pdf"});
    assert!(parse("compare-documents", json!({"sources": [source, source]})).is_ok());
    for sources in [json!([source]), json!([source, source, source])] {
        assert!(parse("compare-documents", json!({"sources": sources})).is_err());
    }
    let body = json!({"sources": [source, source], "then": [{"toolSlug": "compare-documents"}]});
    let message = &breaches("merge-pdf", body)[0].message;
    assert_eq!(message, "compare-documents needs 2 files, so it cannot be a further step");
}

#[test]
fn a_single_source_needs_no_list_where_one_is_enough() {
    let upload = "upl_01935f6b8d4a7c3e9b5d2f1a6c7e8d90";
    let (text, source) = (json!({"text": "Draft"}), json!({"uploadId": upload}));
    let flat = parse("watermark-pdf", json!({"uploadId": upload, "options": text})).unwrap().0;
    assert_eq!(flat.sources()[0].origin, Origin::Upload(upload.into()));
    assert!(parse("watermark-pdf", json!({"input": source, "options": text})).is_ok());
    assert!(parse("images-to-pdf", source.clone()).is_ok());
    assert!(parse("watermark-pdf", json!({"sources": [source, source]})).is_ok());
    let both = json!({"uploadId": upload, "sources": [source]});
    assert!(breaches("watermark-pdf", both)[0].message.starts_with("give exactly one of"));
    assert_eq!(breaches("compare-documents", source)[0].message, "give the documents in `sources`");
}

#[test]
fn jobs_that_can_not_work_are_refused() {
    let message = |slug: &str, options: Value| {
        let body = json!({"sourceUrl": "https://a.example/x.pdf", "options": options});
        match parse(slug, body) {
            Ok(_) => "accepted".to_owned(),
            Err(breaches) => breaches[0].message.clone(),
        }
    };
    for nothing in [json!({}), json!({"text": []}), json!({"regions": [], "text": []}), json!({"label": "x"})] {
        assert_eq!(message("redact-pdf", nothing), "give `regions`, `text` or both");
    }
    for something in [json!({"text": ["Xanthippe"]}), json!({"text": [{"pattern": "x+"}]})] {
        assert_eq!(message("redact-pdf", something), "accepted");
    }
    assert!(message("redact-pdf", json!({"text": ["x"]})).contains("at least 2 characters"));
    assert!(message("redact-pdf", json!({"text": [7]})).starts_with("a text to remove, as a string"));
    assert_eq!(message("protect-pdf", json!({})), "give `userPassword`, `ownerPassword` or both");
    let restricted = json!({"userPassword": "a", "permissions": {"print": false}});
    assert!(message("protect-pdf", restricted).contains("needs the property `ownerPassword`"));
    assert_eq!(message("protect-pdf", json!({"ownerPassword": "a", "permissions": {"print": false}})), "accepted");
    for slug in ["fill-form", "redact-pdf", "protect-pdf"] {
        let without = json!({"sourceUrl": "https://a.example/x.pdf"});
        let message = &breaches(slug, without)[0].message;
        assert!(message.starts_with("needs the property `options`: give `"), "{message}");
        assert!(message.contains("; for example `\"options\": {\""), "{message}");
        let step = json!({"sourceUrl": "https://a.example/x.pdf", "then": [{"toolSlug": slug}]});
        assert_eq!(breaches("compress-pdf", step).len(), 1, "{slug}");
    }
}

#[test]
fn inline_html_is_limited_in_bytes() {
    let html = "ä".repeat(MAX_INLINE_BYTES / 2 + 1);
    assert_eq!(breaches("html-to-pdf", json!({"html": html}))[0].message, "must have at most 524288 bytes");
}
