//! The playground's handlers: form, jobs and access. Browser tests cover the browser's part.

use docmill_domain::catalogue::Catalogue;
use docmill_domain::job::{JobId, JobStatus};
use serde_json::{Value, json};
use url::form_urlencoded;

use crate::support::stub_engine::Act;
use crate::support::visitor::Visitor;
use crate::support::world::{Account, World};
use crate::worker_pipeline::Bench;

const PATH: &str = "/app/playground";

fn encoded(fields: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// The id of the form's job.
async fn convert(visitor: &Visitor, fields: &[(&str, &str)]) -> JobId {
    let page = visitor.post(PATH, fields).await;
    assert_eq!(page.status, 303, "{}", page.text);
    let location = page.header("location").to_owned();
    JobId::parse(location.strip_prefix("/base/app/playground?job=").expect(&location)).unwrap()
}

fn html(attempt: &str) -> [(&str, &str); 5] {
    [("tool", "html-to-pdf"), ("source", "html"), ("html", "<p>x"), ("option.pageSize", "A5"), ("attempt", attempt)]
}

async fn someone(included: u64) -> (World, Account, Visitor) {
    let world = World::new();
    let account = world.account(included).await;
    let visitor = Visitor::of(&world, &account).await;
    (world, account, visitor)
}

#[tokio::test]
async fn every_tool_has_a_form_without_repeated_ids() {
    let (_world, _account, visitor) = someone(1).await;
    for tool in Catalogue::load().unwrap().tools() {
        let slug = &tool.definition.slug;
        let page = visitor.get(&format!("{PATH}?tool={slug}")).await;
        assert_eq!((page.status, page.repeated_ids()), (200, Vec::new()), "{slug}");
    }
}

#[tokio::test]
async fn a_tool_that_takes_files_and_pages_tells_their_addresses_apart() {
    let (world, _account, visitor) = someone(5).await;
    for property in ["sourceUrl", "url"] {
        let form =
            [("tool", "thumbnail"), ("source", property), (property, "https://a.example/x"), ("attempt", property)];
        let id = convert(&visitor, &form).await;
        let input = world.context.jobs.get(id).await.unwrap().unwrap().request.input;
        assert_eq!(input[property], "https://a.example/x", "{input}");
        let again = visitor.get(&format!("{PATH}?job={id}")).await.text;
        assert!(again.contains("value=\"https://a.example/x\""), "{again}");
        let empty = visitor.post(PATH, &[("tool", "thumbnail"), ("source", property), (property, "")]).await;
        assert!(empty.status == 422 && empty.text.contains(&format!("id=\"{property}-error\"")), "{}", empty.text);
    }
}

#[tokio::test]
async fn a_form_makes_the_job_that_the_api_would_make_and_charges_it_once() {
    let (world, account, visitor) = someone(5).await;
    let id = convert(&visitor, &html("one")).await;
    let job = world.context.jobs.get(id).await.unwrap().unwrap();
    assert_eq!(
        (job.account.as_str(), job.request.key_id.as_str(), job.tool.as_str()),
        (&*account.id, "dashboard", "html-to-pdf")
    );
    assert_eq!(job.request.options["pageSize"], "A5");
    // A repeated form is the same request. A changed one is another attempt.
    assert_eq!(convert(&visitor, &html("one")).await, id);
    assert_ne!(convert(&visitor, &html("two")).await, id);
    assert_eq!(world.spent(&account).await, (2, 2));
    let keys = world.context.keys.of_account(&account.id).await.unwrap();
    assert!(keys.len() <= 2, "the key that the dashboard has is made once");
}

#[tokio::test]
async fn test_mode_costs_nothing_and_follows_the_accounts_switch() {
    let (world, account, visitor) = someone(0).await;
    let mut fields = html("one").to_vec();
    fields.push(("mode", "test"));
    let id = convert(&visitor, &fields).await;
    assert_eq!(world.context.jobs.get(id).await.unwrap().unwrap().payment.charge.total(), 0);
    assert_eq!(world.spent(&account).await, (0, 0));
    let refused = visitor.post(PATH, &html("two")).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("you have 0"), "{}", refused.text);
}

#[tokio::test]
async fn a_wrong_form_comes_back_filled_in_with_each_message_beside_its_field() {
    let (_, _, visitor) = someone(5).await;
    let fields = [
        ("tool", "office-to-pdf"),
        ("source", "sourceUrl"),
        ("sourceUrl", "ftp://files.example/<b>"),
        ("option.imageQuality", "101"),
        ("option.pageRange", "3-"),
        ("attempt", "kept"),
    ];
    let page = visitor.post(PATH, &fields).await;
    assert_eq!(page.status, 422);
    for expected in [
        "value=\"ftp://files.example/&lt;b&gt;\"",
        "id=\"sourceUrl-error\">Must be a full http(s) URL without a user name",
        "id=\"option.imageQuality-error\">Must be at most 100.",
        "id=\"option.pageRange-error\">Must be pages and ranges",
        "value=\"101\"",
        "value=\"kept\"",
        "<details class=\"options\" open",
    ] {
        assert!(page.text.contains(expected), "{expected} is not in {}", page.text);
    }
    let empty = visitor.post(PATH, &[("tool", "html-to-pdf"), ("source", "file")]).await;
    assert!(empty.status == 422 && empty.text.contains("Choose a file."), "{}", empty.text);
    // A script only gets the form.
    let part = visitor.script(PATH, "application/x-www-form-urlencoded", encoded(&fields)).await;
    assert_eq!((part.status, part.header("x-fragment")), (422, "1"));
    assert!(part.text.contains("Must be at most 100.") && !part.text.contains("<html"), "{}", part.text);
}

#[tokio::test]
async fn a_dropped_file_is_announced_for_the_account_and_used_by_its_jobs() {
    let (world, account, visitor) = someone(5).await;
    let body = json!({"contentType": "text/html", "bytes": 4, "filename": "page.html"}).to_string();
    let answer = visitor.script("/app/playground/uploads", "application/json", body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let answer: Value = serde_json::from_str(&answer.text).unwrap();
    let (url, id) = (answer["upload"]["url"].as_str().unwrap(), answer["upload"]["id"].as_str().unwrap());
    assert!(url.contains(&format!("/uploads/{}/", account.id)), "{url}");
    let headers = answer["upload"]["headers"].as_object().unwrap();
    let put = reqwest::Client::new().put(url).body("<p>x");
    let put = headers.iter().fold(put, |put, (name, value)| put.header(name, value.as_str().unwrap()));
    put.send().await.unwrap().error_for_status().unwrap();
    let job = convert(&visitor, &[("tool", "html-to-pdf"), ("source", "file"), ("uploadId", id)]).await;
    assert_eq!(world.context.jobs.get(job).await.unwrap().unwrap().request.input, json!({"uploadId": id}));

    let stranger = Visitor::of(&world, &world.account(5).await).await;
    let page = stranger.post(PATH, &[("tool", "html-to-pdf"), ("source", "file"), ("uploadId", id)]).await;
    assert!(page.status == 422 && page.text.contains("Choose the file again"), "{}", page.text);
    let large = json!({"contentType": "text/html", "bytes": (100 << 20) + 1}).to_string();
    let refused = visitor.script("/app/playground/uploads", "application/json", large).await;
    assert!(refused.status == 422 && refused.text.contains("This file is too large"), "{}", refused.text);
}

#[tokio::test]
async fn a_job_shows_how_far_it_is_to_its_own_account_alone() {
    let world = World::new();
    let account = world.account(5).await;
    let body = json!({"toolSlug": "html-to-pdf", "html": "<p>x"});
    let bench = Bench::with_job(world, account, &body, [Act::Convert]).await;
    let visitor = Visitor::of(&bench.world, &bench.account).await;
    let id = bench.job().await.id;
    let panel = format!("/app/playground/jobs/{id}");
    let waiting = visitor.get(&panel).await;
    assert!(waiting.status == 200 && waiting.text.contains("data-waiting"), "{}", waiting.text);
    let file = format!("/app/jobs/{id}/download");
    assert!(!visitor.get(&file).await.header("location").contains("attachment"));

    bench.deliver().await;
    assert_eq!(bench.job().await.status, JobStatus::Completed);
    let done = visitor.get(&panel).await;
    assert!(!done.text.contains("data-waiting") && done.text.contains("Your PDF is ready"), "{}", done.text);
    let preview = done.text.split("data-pdf=\"").nth(1).unwrap().split('"').next().unwrap();
    let shown = reqwest::get(preview.replace("&amp;", "&")).await.unwrap();
    assert!(shown.headers()["content-disposition"].to_str().unwrap().starts_with("inline; filename="));
    assert_eq!(shown.headers()["content-type"], "application/pdf");
    let download = visitor.get(&file).await;
    assert_eq!(download.status, 303);
    assert!(download.header("location").contains("attachment"), "{}", download.header("location"));

    // A job's page can be opened again, and its policy allows the preview.
    let page = visitor.get(&format!("{PATH}?job={id}")).await;
    assert!(page.status == 200 && page.text.contains("Your PDF is ready"), "{}", page.text);
    let policy = page.header("content-security-policy");
    assert!(policy.contains("frame-src http") && !policy.contains("unsafe"), "{policy}");

    let stranger = Visitor::of(&bench.world, &bench.world.account(1).await).await;
    for path in [panel.clone(), file, format!("{PATH}?job={id}")] {
        assert_eq!(stranger.get(&path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn the_code_follows_the_form_and_keeps_its_secrets() {
    let (_, _, visitor) = someone(1).await;
    let fields = [
        ("tool", "office-to-pdf"),
        ("source", "sourceUrl"),
        ("sourceUrl", "https://files.example/a.docx?sig=canary"),
        ("option.password", "canary"),
        ("option.pdfVersion", "pdfa-2b"),
    ];
    let shown = visitor.script("/app/playground/code", "application/x-www-form-urlencoded", encoded(&fields)).await;
    assert_eq!(shown.header("content-type"), "text/html; charset=utf-8");
    for expected in
        ["data-label=\"Command line\"", "$DOCMILL_URL/v1/tools/office-to-pdf/jobs", "$DOCMILL_KEY", "pdfa-2b"]
    {
        assert!(shown.text.contains(expected), "{}", shown.text);
    }
    assert!(!shown.text.contains("canary"), "{}", shown.text);
    let page = visitor.get(&format!("{PATH}?tool=office-to-pdf")).await;
    assert!(page.text.contains(" DOCMILL_URL=http://dashboard.example/base\n"), "{}", page.text);
}

#[tokio::test]
async fn only_tools_of_the_plan_have_a_form() {
    let (_, _, visitor) = someone(1).await;
    for (tool, option) in [("office-to-pdf", "option.maxImageDpi"), ("html-to-pdf", "option.waitFor")] {
        let page = visitor.get(&format!("{PATH}?tool={tool}")).await;
        assert_eq!(page.status, 200);
        assert!(page.text.contains(&format!("name=\"{option}\"")), "{}", page.text);
        assert!(!page.text.contains(" style=") && !page.text.contains("<script>"), "nothing inline");
    }
    assert_eq!(visitor.post(PATH, &[("tool", "pdf-to-gold"), ("source", "url")]).await.status, 404);
}

#[tokio::test]
async fn the_price_and_the_menus_follow_the_steps() {
    let (_, _, visitor) = someone(5).await;
    let form = [
        ("tool", "html-to-pdf"),
        ("source", "html"),
        ("html", "<p>x"),
        ("step.0", "compress-pdf"),
        ("step.1", "pdf-to-images"),
        ("step.2", "flatten-pdf"),
    ];
    let part = visitor.post(&format!("{PATH}/form"), &form).await.text;
    assert!(part.contains("4 credits"), "{part}");
    // The options of each step are fields of their own.
    assert!(part.contains("name=\"step.0.option.preset\"") && part.contains("name=\"step.1.option.dpi\""), "{part}");
    assert!(part.contains("This step does not fit: flatten-pdf does not accept the png"), "{part}");
    let third = part.split("id=\"step.0\"").nth(1).unwrap().split("</select>").next().unwrap();
    assert!(third.contains("value=\"watermark-pdf\"") && !third.contains("value=\"compare-documents\""), "{third}");
    assert!(!third.contains("value=\"html-to-pdf\""), "a PDF is no page: {third}");
}

#[tokio::test]
async fn entries_of_lists_keep_their_places_and_their_messages() {
    let (_, _, visitor) = someone(5).await;
    let form = [
        ("tool", "redact-pdf"),
        ("source", "sourceUrl"),
        ("sourceUrl", "https://a.example/x.pdf"),
        ("option.regions.1004.page", "0"),
        ("option.regions.1004.box.0", "1"),
        ("option.regions.1004.box.1", "2"),
        ("option.regions.1004.box.2", "3"),
        ("option.regions.1004.box.3", "4"),
        ("option.text.7.literal", "Xanthippe"),
    ];
    let page = visitor.post(PATH, &form).await;
    assert_eq!((page.status, page.repeated_ids()), (422, Vec::new()));
    assert!(page.text.contains("id=\"option.regions.0.page-error\""), "{}", page.text);
    assert!(page.text.contains("name=\"option.text.0.literal\"") && page.text.contains("value=\"Xanthippe\""));
}

#[tokio::test]
async fn a_running_job_can_be_canceled() {
    let (world, _, visitor) = someone(5).await;
    let id = convert(&visitor, &html("one")).await;
    let page = visitor.get(&format!("{PATH}?job={id}")).await.text;
    assert!(page.contains(&format!("href=\"/base/app/jobs/{id}\"")) && page.contains("Cancel"), "{page}");
    assert!(!page.contains("class=\"error\" id=\"html-error\""), "a page that is loaded again reports no error");
    visitor.post(&format!("{PATH}/jobs/{id}/cancel"), &[]).await;
    assert_eq!(world.context.jobs.get(id).await.unwrap().unwrap().status, JobStatus::Canceled);
}
