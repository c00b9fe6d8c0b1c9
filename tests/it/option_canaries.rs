//! A canary in every secret option of every tool: it appears in no job, list, event or log, whether the job ends well or not.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use docmill_domain::catalogue::Catalogue;
use docmill_domain::tool::Definition;
use serde_json::{Value, json};

use crate::error_table::Deployed;
use crate::secrets::{files_below, forms};
use crate::support::eventually;

/// Requests with the canary in the options. Together they name every option that a tool's file declares as secret.
fn requests(samples: &str, canary: &str) -> Vec<Value> {
    let job = |tool: &str, source: &str, options: Value| json!({"toolSlug": tool, "sourceUrl": format!("{samples}/{source}"), "options": options});
    let page = |tool: &str, options: Value| json!({"toolSlug": tool, "url": format!("{samples}/invoice.html"), "options": options});
    let (pdf, letter) = ("tree-survey.pdf", "small.docx");
    let party = json!({"name": canary, "street": canary, "houseNumber": "1", "postalCode": "8000", "town": "Zug", "country": "CH"});
    let bill = json!({"iban": "CH44 3199 9123 0008 8901 2", "creditor": party, "debtor": party, "message": canary});
    let payment = json!({"name": canary, "iban": "DE89370400440532013000", "text": canary});
    let stamps = json!([
        {"text": format!("{canary} {{bates}} {{date}}"), "bates": {"prefix": canary, "suffix": canary}, "date": {"format": canary}},
        {"barcode": {"type": "qr", "value": canary}},
        {"barcode": {"type": "epc", "payment": payment}},
        {"barcode": {"type": "swiss-qr", "bill": bill}},
    ]);
    let set =
        json!({"title": canary, "author": canary, "subject": canary, "keywords": canary, "custom": {"Order": canary}});
    let cookies = json!([{"name": "a", "value": canary}]);
    vec![
        job("office-to-pdf", letter, json!({"password": canary})),
        job("convert-office", "small.xlsx", json!({"format": "csv", "sheet": canary, "password": canary})),
        page(
            "html-to-pdf",
            json!({"headerHtml": canary, "footerHtml": canary, "cookies": cookies, "headers": {"x-a": canary}, "userAgent": canary,
                "waitFor": {"expression": format!("'{canary}'")}}),
        ),
        page("html-to-pdf", json!({"waitFor": {"selector": format!("#{canary}, body")}})),
        page(
            "html-to-pdf",
            json!({"waitForAll": [{"expression": format!("'{canary}'")}, {"selector": format!("#{canary}, body")}]}),
        ),
        page(
            "html-to-image",
            json!({"selector": format!("#{canary}"), "cookies": cookies, "headers": {"x-a": canary}, "userAgent": canary,
                "waitFor": {"expression": format!("'{canary}'")}}),
        ),
        page("html-to-image", json!({"waitFor": {"selector": format!("#{canary}, body")}})),
        page(
            "html-to-image",
            json!({"waitForAll": [{"expression": format!("'{canary}'")}, {"selector": format!("#{canary}, body")}]}),
        ),
        json!({"toolSlug": "markdown-to-pdf", "markdown": "# Title", "options": {"css": format!("/* {canary} */"), "headerHtml": canary, "footerHtml": canary}}),
        json!({"toolSlug": "email-to-pdf", "sourceUrl": format!("{samples}/{letter}"), "options": {"headerHtml": canary, "footerHtml": canary}}),
        job("verify-signatures", pdf, json!({"trustedRoots": canary})),
        job(
            "sign-pdf",
            pdf,
            json!({"key": {"pkcs12": canary, "password": canary}, "field": canary, "reason": canary, "location": canary,
                "contact": canary, "timestampUrl": format!("https://a.example/{canary}"), "appearance": {"box": [10, 10, 90, 60], "text": [canary], "qrCode": canary}}),
        ),
        job(
            "render-template",
            "invoice-template.docx",
            json!({"data": [{"customer": canary}], "merge": "files", "filenamePattern": format!("{canary} {{n}}")}),
        ),
        job("protect-pdf", pdf, json!({"userPassword": canary, "ownerPassword": canary})),
        job("unlock-pdf", pdf, json!({"password": canary})),
        job("watermark-pdf", pdf, json!({"text": canary})),
        job("watermark-pdf", pdf, json!({"stamps": stamps})),
        job(
            "edit-metadata",
            pdf,
            json!({"set": set, "remove": [canary], "attachments": [{"source": 1, "description": canary}], "facturX": {"xml": format!("<{canary}/>")}}),
        ),
        job("fill-form", pdf, json!({"fields": {"name": canary, "choices": [canary]}})),
        job(
            "tag-pdf",
            pdf,
            json!({"title": canary, "alternativeTexts": [{"page": 1, "text": canary}], "ocr": "never",
                "headings": [{"page": 1, "text": canary, "level": 1}],
                "structure": {"blocks": [{"id": "b1", "role": "paragraph", "text": canary}]}}),
        ),
        job("redact-pdf", pdf, json!({"text": [canary, {"literal": canary}, {"pattern": canary}], "label": canary})),
        // In a further step, and in a form that is refused: the error does not repeat it either.
        json!({"toolSlug": "office-to-pdf", "sourceUrl": format!("{samples}/{letter}"),
            "then": [{"toolSlug": "redact-pdf", "options": {"text": [canary]}}, {"toolSlug": "protect-pdf", "options": {"userPassword": canary}}]}),
        job("redact-pdf", pdf, json!({"text": {"literal": canary}})),
        job("fill-form", pdf, json!({"fields": canary})),
        job("watermark-pdf", pdf, json!({"text": canary, "stamps": canary})),
    ]
}

/// The declared paths at which these options have the canary.
fn touched(definition: &Definition, options: &Value, canary: &str) -> BTreeSet<String> {
    let secrets = &definition.secrets;
    let declared = [&secrets.values, &secrets.content, &secrets.words].into_iter().flatten();
    let holds = |path: &&String| {
        let mut at = vec![options];
        for segment in path.split('.') {
            let entries =
                at.into_iter().flat_map(|value| value.as_array().map_or(vec![value], |list| list.iter().collect()));
            at = entries.filter_map(|value| value.get(segment)).collect();
        }
        at.iter().any(|value| value.to_string().contains(canary))
    };
    declared.filter(holds).cloned().collect()
}

#[test]
fn every_secret_option_of_every_tool_has_a_canary() {
    let requests = requests("https://a.example", "canary");
    for tool in Catalogue::load().unwrap().tools() {
        let definition = &tool.definition;
        let of_tool = requests.iter().filter(|request| request["toolSlug"] == *definition.slug);
        let touched: BTreeSet<_> =
            of_tool.flat_map(|request| touched(definition, &request["options"], "canary")).collect();
        let secrets = &definition.secrets;
        let declared = [&secrets.values, &secrets.content, &secrets.words].into_iter().flatten();
        assert_eq!(touched, declared.cloned().collect(), "{}", definition.slug);
    }
}

#[tokio::test]
async fn no_secret_option_is_shown_again() {
    let Some(deployed) = Deployed::new() else { return };
    let (logs, samples) = (std::env::var("STACK_LOGS").unwrap(), std::env::var("SAMPLES_URL").unwrap());
    let account = deployed.account().await;
    let canary = format!("canary{}", uuid::Uuid::now_v7().simple());
    let hides = |what: &str, text: &str| {
        for form in forms(&canary) {
            assert!(!text.contains(&form), "{what} shows a secret option: {text}");
        }
    };
    let (mut created, mut refused) = (Vec::new(), 0);
    for body in requests(&samples, &canary) {
        let answer = deployed.create(&body, &account.key).send().await.unwrap().text().await.unwrap();
        hides("an answer", &answer);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        match answer["job"]["id"].as_str() {
            Some(id) => created.push(id.to_owned()),
            None => refused += 1,
        }
    }
    assert!(created.len() >= 15 && refused >= 3, "{} created, {refused} refused", created.len());
    let get = async |path: &str| deployed.get(path, &account.key).send().await.unwrap().text().await.unwrap();
    let mut completed = 0;
    for id in &created {
        let job = eventually(&format!("job {id} ends"), Duration::from_secs(120), async || {
            let job: Value = serde_json::from_str(&get(&format!("/v1/jobs/{id}")).await).unwrap();
            ["completed", "failed"].contains(&job["job"]["status"].as_str().unwrap()).then_some(job)
        })
        .await;
        hides("a job", &job.to_string());
        completed += usize::from(job["job"]["status"] == "completed");
    }
    assert!(completed >= 8, "only {completed} jobs completed: the others say little about secrets");
    for list in ["/v1/jobs?limit=100", "/v1/events?limit=100", "/v1/account/usage"] {
        hides(list, &get(list).await);
    }
    for path in files_below(Path::new(&logs)) {
        hides(&path.display().to_string(), &String::from_utf8_lossy(&std::fs::read(&path).unwrap()));
    }
}
