//! The list of an account's events: an order that never changes, in which no reader misses an event.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use docmill_config::clock;
use docmill_domain::event::{EventKind, new_event_id};
use docmill_domain::job::JobId;
use docmill_domain::time::Timestamp;
use docmill_store::events::{Bound, EventFilter, Listed, StoredEvent};
use docmill_store::item::{UNLISTED, string};
use functions::{create_job, get_event, list_events, test_webhook};
use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::aws_watch::Fault;
use crate::support::hooks::test_service;
use crate::support::http::{Answer, get, post};
use crate::support::jobs::{claim, completion};
use crate::support::world::{Account, World};

const MINUTE: Duration = Duration::from_secs(60);

async fn record(world: &World, account: &Account, kind: EventKind, at: Timestamp, data: Value) -> String {
    let event = StoredEvent::new(&account.id, kind, at, data);
    world.context.events.record(&event).await.unwrap();
    event.id
}

async fn ask(world: &World, account: &Account, query: &[(&str, &str)]) -> Answer {
    let request =
        query.iter().fold(get("/v1/events").key(&account.key), |request, (name, value)| request.query(name, value));
    Answer::of(list_events::handle(world.context.clone(), request.build()).await)
}

fn ids(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["events"].as_array().unwrap().iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect()
}

/// All events as one reader gets them, page by page.
async fn read_all(world: &World, account: &Account, limit: &str) -> Vec<String> {
    let (mut seen, mut after) = (Vec::new(), None::<String>);
    loop {
        let mut query = vec![("limit", limit)];
        query.extend(after.as_deref().map(|after| ("after", after)));
        let answer = ask(world, account, &query).await;
        seen.extend(ids(&answer));
        after = answer.body["nextCursor"].as_str().map(str::to_owned);
        if answer.body["hasMore"] == false {
            return seen;
        }
    }
}

async fn unlisted(world: &World, account: &Account) -> i32 {
    let query = world.context.dynamodb.query().table_name(&world.config.tables.events).index_name(UNLISTED);
    let query = query.key_condition_expression("unlisted = :account");
    query.expression_attribute_values(":account", string(&account.id)).send().await.unwrap().count
}

#[tokio::test]
async fn readers_who_send_after_get_each_event_once_however_late_it_is_written() {
    let world = World::new();
    let account = world.account(1).await;
    let (is_over, first_is_read) = (AtomicBool::new(false), Notify::new());
    let writing = async {
        let mut written = BTreeSet::new();
        for round in 0..12_u64 {
            // Each of a round has an earlier time than all before: as if their writes had been retried for ever longer.
            let at = |event: u64| Timestamp(clock::now().as_millis() - ((round * 5 + event) * 60_000) as i64);
            let records = (0..5).map(|event| record(&world, &account, EventKind::JobCompleted, at(event), json!({})));
            written.extend(join_all(records).await);
            if round == 0 {
                first_is_read.notified().await;
            }
        }
        is_over.store(true, Ordering::SeqCst);
        written
    };
    let reading = async |limit: &'static str| {
        let (mut seen, mut after) = (Vec::new(), None::<String>);
        loop {
            let all_are_written = is_over.load(Ordering::SeqCst);
            let mut query = vec![("limit", limit)];
            query.extend(after.as_deref().map(|after| ("after", after)));
            let answer = ask(&world, &account, &query).await;
            seen.extend(ids(&answer));
            if !seen.is_empty() {
                first_is_read.notify_one();
            }
            after = answer.body["nextCursor"].as_str().map(str::to_owned).or(after);
            if all_are_written && answer.body["hasMore"] == false {
                return seen;
            }
        }
    };
    let readers = join_all(["1", "3", "20", "100"].map(reading));
    let (written, seen) = join(writing, readers).await;
    assert_eq!(written.len(), 60);
    for reader in &seen {
        assert_eq!(reader.len(), 60, "each once");
        assert_eq!(reader, &seen[0], "all in the same order");
    }
    assert_eq!(seen[0].iter().cloned().collect::<BTreeSet<_>>(), written);
    assert!(!seen[0].is_sorted(), "the order of the list is not that of the ids");
    assert_eq!(read_all(&world, &account, "7").await, seen[0], "and never changes");
}

#[tokio::test]
async fn events_that_many_readers_list_at_once_get_one_place_each() {
    let world = World::new();
    let account = world.account(1).await;
    let now = clock::now();
    let records = (0..230).map(|_| record(&world, &account, EventKind::JobCompleted, now, json!({})));
    let mut written: Vec<_> = join_all(records).await;
    let readers = join_all((0..6).map(|_| read_all(&world, &account, "100"))).await;
    written.sort();
    for mut reader in readers {
        reader.sort();
        assert_eq!(reader, written);
    }
    assert_eq!(unlisted(&world, &account).await, 0);
}

#[tokio::test]
async fn a_page_whose_events_are_not_all_marked_is_finished_before_the_next() {
    let world = World::new();
    let account = world.account(1).await;
    let list = async || world.context.events.list(&account.id, &EventFilter::default(), 100, clock::now()).await;
    let event = async || record(&world, &account, EventKind::JobCompleted, clock::now(), json!({})).await;
    let mut written = vec![event().await, event().await, event().await];
    // The page is written, and one mark.
    world.watch.inject([Fault::down("UpdateItem").at(2).lasting()]);
    assert!(list().await.is_err());
    world.watch.clear();
    assert!(unlisted(&world, &account).await > 0);
    written.push(event().await);
    let Listed { events, more, .. } = list().await.unwrap();
    assert!(!more);
    assert_eq!(events.iter().map(|event| event.id.clone()).collect::<BTreeSet<_>>(), written.iter().cloned().collect());
    assert_eq!(events.len(), 4, "none is in two pages");
    assert_eq!(unlisted(&world, &account).await, 0);

    // A page whose answer is lost is the reader's own.
    written.push(event().await);
    world.watch.inject([Fault::lost_answer("UpdateItem")]);
    let events = list().await.unwrap().events;
    assert_eq!(world.watch.unmet_faults(), 0);
    assert_eq!((events.len(), &events[4].id), (5, &written[4]));
}

#[tokio::test]
async fn an_event_that_nobody_has_listed_is_a_place_to_start_from() {
    let world = World::new();
    let account = world.account(1).await;
    let now = clock::now();
    let first = record(&world, &account, EventKind::JobCompleted, now, json!({})).await;
    assert!(matches!(world.context.events.place_of(&account.id, &first, now).await.unwrap(), Bound::At(_)));
    let second = record(&world, &account, EventKind::JobFailed, now, json!({})).await;
    assert_eq!(ids(&ask(&world, &account, &[("after", &first)]).await), [second]);
}

#[tokio::test]
async fn filters_bounds_and_pages_select_events() {
    let world = World::new();
    let (account, stranger) = (world.account(1).await, world.account(1).await);
    let (now, job) = (clock::now(), JobId::new());
    let mut written = Vec::new();
    for (kind, data) in [
        (EventKind::JobCompleted, json!({"job": {"id": job}})),
        (EventKind::JobFailed, json!({"job": {"id": JobId::new()}})),
        (EventKind::QuotaWarning, json!({})),
        (EventKind::JobFailed, json!({"job": {"id": job}})),
    ] {
        written.push(record(&world, &account, kind, now, data).await);
        read_all(&world, &account, "1").await;
    }
    let [first, second, third, fourth] = &written[..] else { panic!("four") };
    let found = async |query: &[(&str, &str)]| ids(&ask(&world, &account, query).await);
    assert_eq!(found(&[]).await, written);
    assert_eq!(found(&[("type", "job.failed")]).await, [second.clone(), fourth.clone()]);
    assert_eq!(found(&[("jobId", &job.to_string())]).await, [first.clone(), fourth.clone()]);
    assert_eq!(found(&[("after", first), ("before", fourth)]).await, [second.clone(), third.clone()]);
    assert_eq!(found(&[("after", fourth)]).await, [""; 0]);
    assert!(ids(&ask(&world, &stranger, &[]).await).is_empty());

    let answer = ask(&world, &account, &[("type", "job.failed"), ("limit", "1")]).await;
    assert_eq!((ids(&answer), &answer.body["hasMore"]), (vec![second.clone()], &json!(true)));
    let rest = ask(&world, &account, &[("type", "quota.exhausted"), ("after", second)]).await;
    let told = (&rest.body["nextCursor"], &rest.body["hasMore"]);
    assert_eq!((ids(&rest).len(), told), (0, (&json!(fourth), &json!(false))), "the cursor goes on without a match");
}

#[tokio::test]
async fn only_an_accounts_own_events_are_bounds_and_answers() {
    let world = World::new();
    let (account, stranger) = (world.account(1).await, world.account(1).await);
    let own = record(&world, &account, EventKind::JobCompleted, clock::now(), json!({"x": 1})).await;
    let foreign = record(&world, &stranger, EventKind::JobCompleted, clock::now(), json!({})).await;
    let hook = json!({"url": "https://hooks.example/"});
    let tested = Answer::of(
        test_webhook::handle(test_service(world.context.clone()), post("/", &hook).key(&account.key).build()).await,
    );
    let test = tested.body["webhookTest"]["id"].as_str().unwrap().to_owned();
    assert_eq!(ids(&ask(&world, &account, &[]).await), std::slice::from_ref(&own), "tests are no events");
    for (name, id) in [("after", &foreign), ("before", &test), ("after", &"page#000000000001".to_owned())] {
        let answer = ask(&world, &account, &[(name, id)]).await;
        assert_eq!(answer.refusal(), (422, "validation_failed"));
        assert_eq!(answer.body["error"]["details"][0]["path"], format!("?{name}"));
    }
    let one = async |id: &str| {
        let request = get("/").key(&account.key).parameter("event_id", id).build();
        Answer::of(get_event::handle(world.context.clone(), request).await)
    };
    let answer = one(&own).await;
    assert_eq!((answer.status, &answer.body["event"]["data"]), (200, &json!({"x": 1})));
    for id in [foreign.as_str(), &test, "page#000000000001", "x", &"x".repeat(3000)] {
        assert_eq!(one(id).await.refusal(), (404, "event_not_found"), "{id}");
    }
}

#[tokio::test]
async fn a_reader_who_was_away_for_longer_than_events_are_kept_begins_with_the_oldest() {
    let world = World::new();
    let account = world.account(1).await;
    let long_ago = clock::now().as_millis() - 31 * 86_400_000;
    let forgotten = new_event_id(Timestamp(long_ago));
    let kept = record(&world, &account, EventKind::JobCompleted, clock::now(), json!({})).await;
    let expired = record(&world, &account, EventKind::JobCompleted, Timestamp(long_ago), json!({})).await;
    for after in [&forgotten, &expired] {
        let answer = ask(&world, &account, &[("after", after)]).await;
        assert_eq!(
            ids(&answer),
            std::slice::from_ref(&kept),
            "DynamoDB deletes late, and what is past its time is not shown"
        );
        assert!(ids(&ask(&world, &account, &[("before", after)]).await).is_empty());
    }
}

#[tokio::test]
async fn a_request_waits_for_the_next_event_and_gets_the_body_of_webhooks() {
    let world = World::new();
    let account = world.account(10).await;
    let request = post("/", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).key(&account.key).build();
    let created = Answer::of(create_job::handle(world.service.clone(), request).await);
    let job = claim(&world.context.jobs, JobId::parse(&created.job_id()).unwrap()).await;
    let none = ask(&world, &account, &[("wait", "1")]).await;
    assert_eq!((ids(&none).len(), none.header("preference-applied")), (0, Some("wait")));
    assert!(none.body.get("nextCursor").is_none());

    let ending = async {
        // The request waits by now, or will find the event at once: both are right.
        tokio::task::yield_now().await;
        world.context.jobs.complete(&job, &completion(clock::now())).await.unwrap()
    };
    let (answer, _) = join(ask(&world, &account, &[("wait", "20")]), ending).await;
    let told = &answer.body["events"][0];
    assert_eq!((ids(&answer).len(), answer.header("preference-applied")), (1, Some("wait")));
    let page = world.context.events.page(&account.id, None, None, 10, clock::now()).await.unwrap();
    let body: Value = serde_json::from_str(&page.events[0].body()).unwrap();
    assert_eq!(told["id"], page.events[0].id);
    for member in ["type", "timestamp", "data"] {
        assert_eq!(told[member], body[member]);
    }
    let after = told["id"].as_str().unwrap();
    let began = std::time::Instant::now();
    let later = ask(&world, &account, &[("wait", "1"), ("after", after)]).await;
    assert!(ids(&later).is_empty() && began.elapsed() < MINUTE);
    assert_eq!(later.body["nextCursor"], after, "a cursor is kept when there is nothing new");
}
