//! The log of requests: what the collector finds in the functions' lines, how it is stored, and what its account sees.

use std::time::Duration;

use docmill_app::context::Context;
use docmill_app::requests::{LONGEST_WAIT, list};
use docmill_config::Config;
use docmill_config::clock;
use docmill_domain::account::Limiter;
use docmill_domain::api_key::Mode;
use docmill_domain::job::JobId;
use docmill_domain::quota::RateLimit;
use docmill_domain::request_log::{LoggedRequest, RequestFilter, StatusClass};
use docmill_domain::time::Timestamp;
use docmill_store::requests::{RequestMark, Span};
use functions::request_log::Collector;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::error_table::Deployed;
use crate::secrets::forms;
use crate::support::eventually;
use crate::support::world::{World, patient_aws};

/// The local stack's group.
const GROUP: &str = "/docmill/docmill/endpoints";
const MINUTE: Duration = Duration::from_secs(60);

fn request(number: usize, at: Timestamp) -> LoggedRequest {
    LoggedRequest {
        id: format!("r-{number:04}"),
        at,
        method: if number.is_multiple_of(2) { "GET" } else { "POST" }.into(),
        path: "/v1/jobs".into(),
        status: if number.is_multiple_of(10) { 422 } else { 200 },
        code: number.is_multiple_of(10).then(|| "validation_failed".into()),
        key_id: "key_a".into(),
        duration_us: 5000,
        job: None,
    }
}

fn account() -> String {
    format!("acc_{}", Uuid::now_v7().simple())
}

/// The ids of all requests that the filter admits, page after page.
async fn ids(world: &World, account: &str, filter: &RequestFilter, limit: usize) -> Vec<String> {
    let (mut ids, mut before) = (Vec::new(), None::<RequestMark>);
    loop {
        let listed = world.context.requests.of_account(account, filter, before.as_ref(), limit, clock::now()).await;
        let page = listed.unwrap();
        assert!(page.requests.len() <= limit);
        ids.extend(page.requests.into_iter().map(|(_, request)| request.id));
        match page.next {
            // As in an address.
            Some(next) => before = Some(RequestMark::parse(&next.to_string()).unwrap()),
            None => return ids,
        }
    }
}

#[tokio::test]
async fn requests_are_listed_newest_first_page_after_page() {
    let (world, account, now) = (World::new(), account(), clock::now());
    // A busy minute takes several items, and a later one has one.
    let from = now.minus(5 * MINUTE);
    let requests: Vec<_> =
        (0..450).map(|number| request(number, from.plus(Duration::from_millis(number as u64)))).collect();
    let ends = now.plus(MINUTE);
    let (busy, later) = requests.split_at(440);
    world.context.requests.add(&account, Span { from, until: from.plus(MINUTE) }, busy, ends).await.unwrap();
    let second = Span { from: from.plus(MINUTE), until: from.plus(2 * MINUTE) };
    world.context.requests.add(&account, second, later, ends).await.unwrap();

    let all = ids(&world, &account, &RequestFilter::default(), 100).await;
    let expected: Vec<_> = requests.iter().rev().map(|request| request.id.clone()).collect();
    // The items of a minute are in the order in which their lines came, and each is sorted.
    assert_eq!(all.len(), 450);
    assert_eq!(all[..10], expected[..10]);
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    assert_eq!(sorted(all), sorted(expected));

    let failed = RequestFilter { class: Some(StatusClass::Client), ..RequestFilter::default() };
    assert_eq!(ids(&world, &account, &failed, 7).await.len(), 45);
    let recent = RequestFilter { from: Some(now.minus(MINUTE)), ..RequestFilter::default() };
    assert_eq!(ids(&world, &account, &recent, 7).await, Vec::<String>::new());
    let early = RequestFilter { until: Some(from.plus(Duration::from_millis(3))), ..RequestFilter::default() };
    assert_eq!(ids(&world, &account, &early, 7).await, ["r-0002", "r-0001", "r-0000"]);
    assert_eq!(ids(&world, &format!("{account}x"), &RequestFilter::default(), 7).await, Vec::<String>::new());
}

#[tokio::test]
async fn what_is_collected_twice_or_late_is_there_once() {
    let (world, account, now) = (World::new(), account(), clock::now());
    let from = now.minus(2 * MINUTE);
    let requests: Vec<_> =
        (0..250).map(|number| request(number, from.plus(Duration::from_millis(number as u64)))).collect();
    let add = async |until: Timestamp, count: usize| {
        world.context.requests.add(&account, Span { from, until }, &requests[..count], now.plus(MINUTE)).await.unwrap();
        ids(&world, &account, &RequestFilter::default(), 100).await.len()
    };
    // A run, the same run again, a run that began at the same time and saw more, and the first one at last.
    assert_eq!(add(from.plus(MINUTE), 210).await, 210);
    assert_eq!(add(from.plus(MINUTE), 210).await, 210);
    assert_eq!(add(now, 250).await, 250);
    assert_eq!(add(from.plus(MINUTE), 210).await, 250);
}

#[tokio::test]
async fn requests_are_gone_when_their_time_is_over() {
    let (world, account, now) = (World::new(), account(), clock::now());
    let span = Span { from: now.minus(2 * MINUTE), until: now.minus(MINUTE) };
    world.context.requests.add(&account, span, &[request(1, span.from)], now.minus(MINUTE)).await.unwrap();
    // DynamoDB deletes it up to days later.
    assert_eq!(ids(&world, &account, &RequestFilter::default(), 10).await, Vec::<String>::new());
}

#[tokio::test]
async fn the_noted_time_only_grows() {
    let world = World::new();
    let noted = world.context.health.collected().await.unwrap();
    let earlier = noted.map_or(Timestamp(1), |noted| Timestamp(noted.as_millis() - 1));
    world.context.health.note_collected(earlier).await.unwrap();
    let after = world.context.health.collected().await.unwrap();
    assert!(after >= noted && after.is_some(), "{noted:?}, {after:?}");
}

/// Everything that the account's log has once it contains these requests.
async fn logged(deployed: &Deployed, account: &str, wanted: &[String]) -> Vec<LoggedRequest> {
    let context = context(deployed);
    eventually("the requests are in the log", Duration::from_secs(60), async || {
        let found = list(&context, account, &RequestFilter::default(), None, 100, clock::now()).await.unwrap();
        assert!(!found.late);
        let found = found.requests;
        wanted.iter().all(|id| found.iter().any(|request| request.id == *id)).then_some(found)
    })
    .await
}

/// The deployed tables, and the group of the deployed functions.
fn context(deployed: &Deployed) -> Context {
    let config = Config { endpoint_logs: Some(GROUP.to_owned()), ..deployed.world.config.clone() };
    Context::new(config, patient_aws()).unwrap()
}

/// Stores what is waiting, as the collector does when it is due.
async fn collect(deployed: &Deployed) {
    let noted = deployed.world.context.health.collected().await.unwrap();
    let from = noted.unwrap_or_else(|| clock::now().minus(LONGEST_WAIT));
    // A line of this very moment may still be on its way into the group.
    let until = clock::now().minus(Duration::from_secs(1));
    Collector::new(context(deployed)).unwrap().collect(Span { from, until }, true).await.unwrap();
}

async fn sent(request: reqwest::RequestBuilder) -> (String, u16, Value) {
    let response = request.send().await.unwrap();
    let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
    let status = response.status().as_u16();
    (id, status, response.json().await.unwrap_or_default())
}

#[tokio::test]
async fn accepted_and_refused_requests_are_in_the_log_without_what_they_said() {
    let Some(deployed) = Deployed::new() else { return };
    let (account, other) = (deployed.account().await, deployed.account().await);
    let world = &deployed.world;
    let key_id = world.context.keys.get(&account.key.hash()).await.unwrap().unwrap().key_id;
    let revoked = world.another_key(&account, Mode::Live, |key| key.revoked_at = Some(Timestamp(1))).await;
    let canary = format!("canary{}", Uuid::now_v7().simple());
    let unknown = JobId::new();
    let key = &account.key;
    let html = json!({"toolSlug": "html-to-pdf", "html": format!("<p>{canary}"), "metadata": {"note": canary}});

    let (created, status, body) = sent(deployed.create(&html, key)).await;
    assert_eq!(status, 202, "{body}");
    let job = JobId::parse(body["job"]["id"].as_str().unwrap()).unwrap();
    let mut expected = vec![(created, "POST", "/v1/jobs".to_owned(), 202, None, Some(job))];
    let wrong = json!({"toolSlug": "html-to-pdf", "html": "<p>", "options": {"pageSize": canary}});
    let reading = format!("/v1/jobs/{job}?secret={canary}");
    let of_other = format!("/v1/jobs/{unknown}");
    for (request, method, path, wanted, code) in [
        (deployed.create(&wrong, key), "POST", "/v1/jobs".to_owned(), 422, Some("validation_failed")),
        (deployed.get(&reading, key), "GET", format!("/v1/jobs/{job}"), 200, None),
        (deployed.get(&of_other, key), "GET", of_other.clone(), 404, Some("job_not_found")),
        (
            deployed.get(&format!("/v1/jobs/{canary}"), key),
            "GET",
            "/v1/jobs/{job_id}".to_owned(),
            404,
            Some("job_not_found"),
        ),
        (deployed.get("/v1/tools", &revoked), "GET", "/v1/tools".to_owned(), 401, Some("revoked_api_key")),
    ] {
        let (id, status, body) = sent(request).await;
        assert_eq!(status, wanted, "{body}");
        expected.push((id, method, path, wanted, code, None));
    }
    let (others_id, ..) = sent(deployed.get("/v1/tools", &other.key)).await;

    let wanted: Vec<_> = expected.iter().map(|(id, ..)| id.clone()).collect();
    let found = logged(&deployed, &account.id, &wanted).await;
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    // They are the same once they are stored.
    let stored = eventually("the requests are stored", Duration::from_secs(60), async || {
        collect(&deployed).await;
        let all = RequestFilter::default();
        let page = world.context.requests.of_account(&account.id, &all, None, 100, clock::now()).await.unwrap();
        let stored: Vec<_> = page.requests.into_iter().map(|(_, request)| request).collect();
        (stored.len() == expected.len()).then_some(stored)
    })
    .await;
    let again = logged(&deployed, &account.id, &wanted).await;
    let sorted = |mut requests: Vec<LoggedRequest>| {
        requests.sort_by(|a, b| a.id.cmp(&b.id));
        requests
    };
    let found = sorted(found);
    assert_eq!((&sorted(stored), &sorted(again)), (&found, &found));
    for (id, method, path, status, code, job) in &expected {
        let request = found.iter().find(|request| request.id == *id).unwrap();
        assert_eq!((request.method.as_str(), &request.path, request.status), (*method, path, *status));
        assert_eq!((request.code.as_deref(), request.job), (*code, *job), "{request:?}");
        assert!(request.duration_us > 0 && request.at <= clock::now());
        assert_eq!(request.key_id == key_id, *status != 401, "{request:?}");
    }
    let shown = format!("{found:?}");
    for secret in [canary.as_str(), key.reveal(), revoked.reveal()].into_iter().flat_map(forms) {
        assert!(!shown.contains(&secret), "{shown}");
    }
    // Nobody sees another account's.
    let others = logged(&deployed, &other.id, std::slice::from_ref(&others_id)).await;
    assert_eq!(others.iter().map(|request| &request.id).collect::<Vec<_>>(), [&others_id]);
    assert!(!wanted.contains(&others_id));
}

#[tokio::test]
async fn a_request_beyond_the_rate_is_in_the_log() {
    let Some(deployed) = Deployed::new() else { return };
    let account = deployed.account().await;
    let slow = RateLimit { per_minute: 1, burst: 1 };
    let key = deployed.world.another_key(&account, Mode::Live, |key| key.limiter = Limiter::new(slow, slow)).await;
    let (first, status, _) = sent(deployed.get("/v1/tools", &key)).await;
    assert_eq!(status, 200);
    let (second, status, _) = sent(deployed.get("/v1/tools", &key)).await;
    assert_eq!(status, 429);
    let found = logged(&deployed, &account.id, &[first, second.clone()]).await;
    let refused = found.iter().find(|request| request.id == second).unwrap();
    assert_eq!((refused.status, refused.code.as_deref()), (429, Some("rate_limited")));
}
