//! The account's pages: their content, forms, and isolation from other accounts.

use docmill_config::clock;
use docmill_domain::account::AccountPolicy;
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::job::Completion;
use docmill_domain::job::{JobError, JobErrorCode, JobId, JobStatus, Warning};
use functions::list_tools;

use crate::support::http::{Answer, get};
use crate::support::jobs::{claim, completion};
use crate::support::visitor::{Page, Visitor};
use crate::support::world::{Account, World, author};

async fn status(world: &World, secret: &str) -> u16 {
    let key = ApiKey::parse(secret).expect("a whole key is shown");
    Answer::of(list_tools::handle(world.context.clone(), get("/").key(&key).build()).await).status
}

async fn create_job(world: &World, account: &Account) -> JobId {
    let answer = world.create_job_of_secrets(account).await;
    JobId::parse(&answer.job_id()).unwrap()
}

async fn create_key(visitor: &Visitor, fields: &[(&str, &str)]) -> (Page, String) {
    let form = visitor.get("/app/keys/new").await;
    let id = form.hidden("id");
    let fields: Vec<_> = [("id", id.as_str())].into_iter().chain(fields.iter().copied()).collect();
    (visitor.post("/app/keys", &fields).await, id)
}

#[tokio::test]
async fn a_key_is_shown_once_works_gets_another_secret_and_is_revoked() {
    let world = World::new();
    let account = world.account(10).await;
    let visitor = Visitor::of(&world, &account).await;
    let (made, id) = create_key(&visitor, &[("name", "Build server"), ("mode", "live"), ("tool", "html-to-pdf")]).await;
    assert_eq!((made.status, made.header("cache-control")), (201, "no-store"));
    let first = made.text_of("secret");
    assert!(first.starts_with("dm_live_"));
    assert_eq!(status(&world, &first).await, 200);

    let list = visitor.get("/app/keys").await;
    assert!(list.text.contains("Build server") && list.text.contains(&first[first.len() - 4..]));
    assert!(!list.text.contains(&first), "a secret is shown once");
    let tools = Answer::of(
        list_tools::handle(world.context.clone(), get("/").key(&ApiKey::parse(&first).unwrap()).build()).await,
    );
    assert_eq!(tools.body["tools"].as_array().unwrap().len(), 1, "the key may use what was chosen");

    // A reload sends the same form again and creates no second key.
    let again = visitor.post("/app/keys", &[("id", &id), ("name", "Build server"), ("mode", "live")]).await;
    assert_eq!((again.status, again.header("location")), (303, "/base/app/keys"));

    let ask = visitor.get(&format!("/app/keys/{id}/regenerate")).await;
    let fields = [("last4", ask.hidden("last4")), ("overlap", "0".to_owned())];
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let renewed = visitor.post(&format!("/app/keys/{id}/regenerate"), &fields).await;
    let second = renewed.text_of("secret");
    assert_eq!((status(&world, &first).await, status(&world, &second).await), (401, 200));
    let stale = visitor.post(&format!("/app/keys/{id}/regenerate"), &fields).await;
    assert_eq!(stale.status, 303, "the form was about the secret before");
    assert_eq!(status(&world, &second).await, 200);

    assert!(visitor.get(&format!("/app/keys/{id}/revoke")).await.text.contains("Revoke the key"));
    let revoked = visitor.post(&format!("/app/keys/{id}/revoke"), &[]).await;
    assert_eq!((revoked.status, revoked.header("location")), (303, "/base/app/keys"));
    assert_eq!(status(&world, &second).await, 401);
    assert_eq!(visitor.get(&format!("/app/keys/{id}/revoke")).await.status, 404);
    assert!(visitor.get("/app/webhooks").await.text.contains("api_key.revoked"));
}

#[tokio::test]
async fn a_key_is_edited_and_keeps_its_secret() {
    let world = World::new();
    let account = world.account(10).await;
    let visitor = Visitor::of(&world, &account).await;
    let fields =
        [("name", "Build server"), ("mode", "live"), ("tool", "html-to-pdf"), ("origins", "https://a.example")];
    let (made, id) = create_key(&visitor, &fields).await;
    let secret = ApiKey::parse(&made.text_of("secret")).unwrap();
    let path = format!("/app/keys/{id}/edit");
    let form = visitor.get(&path).await;
    assert!(form.text.contains("Build server") && form.text.contains("https://a.example"), "{}", form.text);
    let wrong = visitor.post(&path, &[("name", ""), ("tool", "html-to-pdf")]).await;
    assert!(wrong.status == 422 && wrong.text.contains("Enter a name for the key."));
    let saved = visitor.post(&path, &[("name", "Web site"), ("tool", "html-to-pdf"), ("tool", "merge-pdf")]).await;
    assert_eq!((saved.status, saved.header("location")), (303, "/base/app/keys"));
    assert!(visitor.get("/app/keys").await.text.contains("Web site"));
    let tools = Answer::of(list_tools::handle(world.context.clone(), get("/").key(&secret).build()).await);
    assert_eq!(tools.body["tools"].as_array().map(Vec::len), Some(2), "{}", tools.body);
    let stranger = world.account(10).await;
    let other = Visitor::of(&world, &stranger).await;
    assert_eq!((other.get(&path).await.status, other.post(&path, &[("name", "Mine")]).await.status), (404, 404));
}

#[tokio::test]
async fn a_wrong_form_comes_back_filled_in_with_its_messages() {
    let world = World::new();
    let account = world.account(10).await;
    let visitor = Visitor::of(&world, &account).await;
    let fields = [
        ("name", ""),
        ("mode", "neither"),
        ("tool", "html-to-pdf"),
        ("origins", "https://ok.example\nhttps://a.example/path"),
        ("expires", "2001-01-01"),
    ];
    let (refused, _) = create_key(&visitor, &fields).await;
    assert_eq!(refused.status, 422);
    for field in ["name", "mode", "origins", "expires"] {
        assert!(refused.text.contains(&format!("id=\"{field}-error\"")), "{field}: {}", refused.text);
    }
    assert!(refused.text.contains("https://a.example/path") && refused.text.contains("value=\"2001-01-01\""));
    assert!(refused.text.contains("value=\"html-to-pdf\" checked"));
    assert_eq!(world.context.accounts.keys_of(&account.id, clock::now()).await.unwrap().len(), 1, "none was made");
}

#[tokio::test]
async fn data_of_other_accounts_is_never_shown() {
    let world = World::new();
    let (account, stranger) = (world.account(10).await, world.account(10).await);
    let (own, foreign) = (create_job(&world, &account).await, create_job(&world, &stranger).await);
    let foreign_key = world.context.keys.get(&stranger.key.hash()).await.unwrap().unwrap().key_id;
    let visitor = Visitor::of(&world, &account).await;
    assert_eq!(visitor.get(&format!("/app/jobs/{own}")).await.status, 200);
    let unknown = visitor.get(&format!("/app/jobs/{}", JobId::new())).await;
    for path in ["", "/progress", "/download"] {
        assert_eq!(visitor.get(&format!("/app/jobs/{foreign}{path}")).await.status, 404, "{path}");
    }
    let seen = visitor.get(&format!("/app/jobs/{foreign}")).await;
    assert_eq!((seen.status, seen.text), (unknown.status, unknown.text), "as if it had never been");
    assert_eq!(visitor.get("/app/jobs/no-id").await.status, 404);
    assert!(!visitor.get("/app/jobs").await.text.contains(&foreign.to_string()));
    for action in ["regenerate", "revoke"] {
        assert_eq!(visitor.get(&format!("/app/keys/{foreign_key}/{action}")).await.status, 404, "{action}");
    }
    assert_eq!(visitor.post(&format!("/app/keys/{foreign_key}/revoke"), &[]).await.status, 404);
    assert_eq!(status(&world, stranger.key.reveal()).await, 200);
}

#[tokio::test]
async fn a_jobs_page_follows_it_to_its_end_without_secrets() {
    let world = World::new();
    let account = world.account(10).await;
    let visitor = Visitor::of(&world, &account).await;
    let id = create_job(&world, &account).await;
    let path = format!("/app/jobs/{id}");
    let progress = format!("{path}/progress");
    let waiting = visitor.get(&progress).await;
    assert!(waiting.text.contains("queued") && waiting.text.contains(&format!("hx-get=\"/base{progress}\"")));
    assert!(visitor.get("/app/jobs").await.text.contains("hx-get=\"/base/app/jobs/rows\""));

    let job = claim(&world.context.jobs, id).await;
    let warnings = vec![Warning::new("font_substituted", "A font was replaced.")];
    let done = Completion { warnings, ..completion(clock::now()) };
    world.context.jobs.complete(&job, &done).await.unwrap();
    let ended = visitor.get(&progress).await;
    assert!(ended.text.contains("completed") && !ended.text.contains("hx-get"), "it asks no more: {}", ended.text);
    assert!(!visitor.get("/app/jobs").await.text.contains("hx-get=\"/base/app/jobs/rows"));

    let page = visitor.get(&path).await.text;
    assert!(page.contains("font_substituted") && page.contains("1 page"));
    assert!(!page.contains("canaryquery") && !page.contains("canarypassword"), "{page}");
    let copy = page.split_once("id=\"support-copy\"").unwrap().1.split_once("</code>").unwrap().0;
    assert!(copy.contains(&id.to_string()) && copy.contains("https://files.example/…"), "{copy}");
    assert!(!copy.contains("canary") && !copy.contains("dm_live_"), "{copy}");

    let download = visitor.get(&format!("{path}/download")).await;
    assert_eq!((download.status, download.header("cache-control")), (303, "no-store"));
    assert!(download.header("location").contains("X-Amz-Signature="), "{}", download.header("location"));
    // The page shows the result itself, but a download's link is signed for a click.
    assert!(page.contains("data-pdf=\"http") && !page.contains("attachment"), "{page}");
}

#[tokio::test]
async fn a_failure_shows_its_cause_and_what_to_do() {
    let world = World::new();
    let account = world.account(10).await;
    let visitor = Visitor::of(&world, &account).await;
    let id = create_job(&world, &account).await;
    let job = claim(&world.context.jobs, id).await;
    let error = JobError::new(JobErrorCode::PasswordRequired, "Send the document's password.");
    world.context.jobs.fail(&job, &error, None, clock::now()).await.unwrap();
    let page = visitor.get(&format!("/app/jobs/{id}")).await.text;
    for text in [JobErrorCode::PasswordRequired.meaning(), "Send the document", "will fail again", "refunded"] {
        assert!(page.contains(text), "{text}");
    }
    let listed = visitor.get("/app/jobs?status=failed").await.text;
    assert!(listed.contains(&id.to_string()) && listed.contains("password_required"));
    assert!(!visitor.get("/app/jobs?status=completed").await.text.contains(&id.to_string()));
    assert_eq!(visitor.get("/app/jobs?status=nonsense&after=nonsense").await.status, 200);
}

#[tokio::test]
async fn the_overview_counts_what_the_account_has_done() {
    let world = World::new();
    let account = world.account(50).await;
    let visitor = Visitor::of(&world, &account).await;
    assert!(visitor.get("/app").await.text.contains("First steps"));
    let mut ids = Vec::new();
    for ends_well in [true, true, true, false] {
        let job = claim(&world.context.jobs, create_job(&world, &account).await).await;
        ids.push(job.id);
        if ends_well {
            world.context.jobs.complete(&job, &completion(clock::now())).await.unwrap();
        } else {
            let error = JobError::new(JobErrorCode::RenderFailed, "told to");
            world.context.jobs.fail(&job, &error, None, clock::now()).await.unwrap();
        }
    }
    let deleted = ids[0];
    world.count(ids).await;
    let page = visitor.get("/app").await.text;
    for text in ["25.0%", "47 of 50", "3 completed, 1 failed", "Office to PDF: 4", "<svg class=\"chart\""] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let key = world.context.accounts.keys_of(&account.id, clock::now()).await.unwrap().remove(0).key;
    let by_key = visitor.get("/app?by=key").await.text;
    for text in [format!("{}: 4", key.name), "aria-label=\"Totals by API key\"".into()] {
        assert!(by_key.contains(&text), "{text}: {by_key}");
    }
    let today = clock::now().day();
    for (by, column, group) in
        [("day", "day", today.as_str()), ("tool", "toolSlug", "office-to-pdf"), ("key", "keyId", key.key_id.as_str())]
    {
        let csv = visitor.get(&format!("/app/usage.csv?by={by}")).await;
        assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
        let name = format!("attachment; filename=\"usage-{}-by-{by}.csv\"", &today[..7]);
        assert_eq!((csv.header("content-disposition"), csv.header("cache-control")), (name.as_str(), "no-store"));
        let head = format!("{column},created,completed,failed,canceled,charged,refunded,credits");
        assert_eq!(csv.text, format!("{head}\r\n{group},4,3,1,0,4,1,3\r\n"));
    }
    assert_eq!(visitor.post(&format!("/app/jobs/{deleted}/delete"), &[]).await.status, 303);
    let end = deleted.to_string().rsplit('-').next().unwrap().to_owned();
    assert!(visitor.get("/app/jobs").await.text.contains(&format!("<code>…{end}</code>")), "it still has a name");
    let stranger = Visitor::of(&world, &world.account(1).await).await;
    assert_eq!(stranger.get("/app/usage.csv?by=key").await.text.lines().count(), 1, "nothing of another account");
    let before = visitor.get("/app?month=2026-01").await.text;
    assert!(before.contains("January 2026") && before.contains("No jobs this month"));
}

#[tokio::test]
async fn the_sample_verifies_and_a_changed_one_says_why_not() {
    let world = World::new();
    let account = world.account(10).await;
    let visitor = Visitor::of(&world, &account).await;
    let sample = visitor.post("/app/webhooks/sample", &[]).await;
    assert_eq!((sample.status, sample.header("cache-control")), (200, "no-store"));
    let text = |id: &str| sample.text_of(id).replace("&quot;", "\"");
    let (secret, headers, body) = (text("sample-secret"), text("sample-headers"), text("sample-body"));
    let verify = async |secret: &str, body: &str| {
        visitor.post("/app/webhooks/verify", &[("secret", secret), ("headers", &headers), ("body", body)]).await
    };
    let valid = verify(&secret, &body).await.text;
    assert!(valid.contains("<strong>Valid</strong>"), "{valid}");
    let changed = verify(&secret, &body.replace("completed", "failed")).await.text;
    assert!(changed.contains("Invalid") && changed.contains("The signature does not match"));
    let missing = verify("", &body).await;
    assert_eq!(missing.status, 422);
    assert!(missing.text.contains("id=\"secret-error\""));
    assert!(world.context.events.page(&account.id, None, None, 10, clock::now()).await.unwrap().events.is_empty());
}

#[tokio::test]
async fn test_keys_are_made_like_any_other() {
    let world = World::new();
    let account = world.account(10).await;
    let visitor = Visitor::of(&world, &account).await;
    let (made, id) = create_key(
        &visitor,
        &[("name", "Try"), ("mode", "test"), ("origins", "https://App.example/"), ("expires", "2999-12-31")],
    )
    .await;
    assert!(made.text_of("secret").starts_with("dm_test_"));
    let keys = world.context.accounts.keys_of(&account.id, clock::now()).await.unwrap();
    let key = &keys.iter().find(|key| key.key.key_id == id).unwrap().key;
    assert_eq!((key.mode, key.allowed_tools.as_ref()), (Mode::Test, None));
    assert_eq!(key.allowed_origins, ["https://app.example"]);
    assert_eq!(key.expires_at.unwrap().to_string(), "3000-01-01T00:00:00.000Z");
}

#[tokio::test]
async fn the_tools_page_shows_what_the_account_may_use() {
    let world = World::new();
    let account = world.account(1).await;
    let (office, html) = ("<code>office-to-pdf</code>", "<code>html-to-pdf</code>");
    let all = Visitor::of(&world, &account).await.get("/app/tools").await;
    assert!(all.text.contains(office) && all.text.contains(html), "{}", all.text);

    let profile = world.context.usage.profile(&account.id).await.unwrap().unwrap();
    let limited = AccountPolicy { account_tools: Some(vec!["html-to-pdf".to_owned()]), ..profile.policy() };
    world.context.accounts.change(&account.id, profile.version, &limited, &author()).await.unwrap();
    let own = Visitor::of(&world, &account).await.get("/app/tools").await;
    assert!(!own.text.contains(office) && own.text.contains(html), "{}", own.text);
    // The form for keys only offers tools that the account may use.
    let form = Visitor::of(&world, &account).await.get("/app/keys/new").await;
    let offers = |slug: &str| form.text.contains(&format!("name=\"tool\" value=\"{slug}\""));
    assert_eq!((offers("office-to-pdf"), offers("html-to-pdf")), (false, true), "{}", form.text);
}

#[tokio::test]
async fn events_can_be_filtered_by_an_existing_kind() {
    let world = World::new();
    let account = world.account(1).await;
    let visitor = Visitor::of(&world, &account).await;
    let job = claim(&world.context.jobs, create_job(&world, &account).await).await;
    world.context.jobs.complete(&job, &completion(clock::now())).await.unwrap();
    // The list shows the kind as a badge, the filter as a choice.
    let badge = ">job.completed</span>";
    for (query, shown) in [("", true), ("?kind=job.completed", true), ("?kind=job.failed", false), ("?kind=x", true)] {
        let page = visitor.get(&format!("/app/webhooks{query}")).await;
        assert_eq!((page.status, page.text.contains(badge)), (200, shown), "{query}");
    }
}

#[tokio::test]
async fn jobs_are_filtered_exported_and_deleted_together() {
    let world = World::new();
    let account = world.account(10).await;
    let visitor = Visitor::of(&world, &account).await;
    let (one, other) = (create_job(&world, &account).await, create_job(&world, &account).await);
    let today = clock::now().day();
    for (query, found) in [
        (format!("from={today}&to={today}"), true),
        ("to=2020-01-01".to_owned(), false),
        ("mode=live".to_owned(), true),
        ("mode=test".to_owned(), false),
        ("key=dashboard".to_owned(), false),
    ] {
        let csv = visitor.get(&format!("/app/jobs/export.csv?{query}")).await;
        assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
        for id in [one, other] {
            assert_eq!(
                visitor.get(&format!("/app/jobs?{query}")).await.text.contains(&id.to_string()),
                found,
                "{query}"
            );
            assert_eq!(csv.text.contains(&id.to_string()), found, "{query}");
        }
    }
    let (first, second) = (one.to_string(), other.to_string());
    let chosen = [("job", first.as_str()), ("job", second.as_str())];
    let asked = visitor.post("/app/jobs/delete", &chosen).await;
    assert!(asked.status == 200 && asked.text.contains("Delete the documents of 2 jobs?"), "{}", asked.text);
    assert_ne!(world.context.jobs.get(one).await.unwrap().unwrap().status, JobStatus::Deleted, "only asked so far");
    let stranger = Visitor::of(&world, &world.account(1).await).await;
    let sure = [chosen[0], chosen[1], ("sure", "on")];
    stranger.post("/app/jobs/delete", &sure).await;
    assert_ne!(world.context.jobs.get(one).await.unwrap().unwrap().status, JobStatus::Deleted, "another account's");
    visitor.post("/app/jobs/delete", &sure).await;
    for id in [one, other] {
        assert_eq!(world.context.jobs.get(id).await.unwrap().unwrap().status, JobStatus::Deleted);
    }
}
