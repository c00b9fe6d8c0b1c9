//! Credits: never overspent, taken from the right source, and refunded to it.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use docmill_config::clock;
use docmill_domain::job::{Job, JobError, JobErrorCode, JobId, JobStatus};
use docmill_domain::time::Timestamp;
use docmill_store::accounts::Granted;
use docmill_store::jobs::Written;
use docmill_store::submission::{Created, Submission, Submissions};
use docmill_store::usage::MonthlyUsage;
use functions::create_job;
use futures_util::future::join_all;
use serde_json::json;
use uuid::Uuid;

use crate::support::aws_watch::Fault;
use crate::support::http::{Answer, post};
use crate::support::world::{Account, World, author};

async fn create(world: &World, account: &Account) -> Answer {
    let request = post("/", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).key(&account.key).build();
    Answer::of(create_job::handle(world.service.clone(), request).await)
}

/// One of several parallel requests, repeated as clients should if the service is too busy.
async fn decided(world: &World, account: &Account, number: usize) -> Answer {
    loop {
        let request = post("/", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).key(&account.key);
        let request = request.header("idempotency-key", &number.to_string()).build();
        let answer = Answer::of(create_job::handle(world.service.clone(), request).await);
        if answer.status != 503 {
            return answer;
        }
    }
}

async fn granted(world: &World, account: &Account) -> u64 {
    world.context.usage.profile(&account.id).await.unwrap().unwrap().granted
}

#[tokio::test]
async fn fifty_racing_creates_spend_exactly_ten_credits() {
    let world = World::new();
    let account = world.account(10).await;
    let answers = join_all((0..50).map(|number| decided(&world, &account, number))).await;
    let accepted = answers.iter().filter(|answer| answer.status == 202).count();
    assert_eq!(accepted, 10);
    for refused in answers.iter().filter(|answer| answer.status != 202) {
        assert_eq!(refused.refusal(), (402, "insufficient_credits"));
        assert_eq!(refused.body["error"]["required"], 1);
        assert_eq!(refused.body["error"]["available"], 0);
    }
    assert_eq!(world.spent(&account).await, (10, 10));
}

#[tokio::test]
async fn included_credits_go_first_and_granted_ones_after() {
    let world = World::new();
    let plan = world.plan(2).await;
    let account = world.account_on(&plan.id, 3).await;
    for _ in 0..5 {
        assert_eq!(create(&world, &account).await.status, 202);
    }
    assert_eq!(create(&world, &account).await.refusal(), (402, "insufficient_credits"));
    assert_eq!(granted(&world, &account).await, 0);
    assert_eq!(world.spent(&account).await, (5, 5));
    let outcome = world.context.accounts.grant(&account.id, 1, Uuid::now_v7(), &author()).await.unwrap();
    assert_eq!(outcome, Granted::Yes);
    assert_eq!(create(&world, &account).await.status, 202);
}

#[tokio::test]
async fn a_tool_that_costs_more_than_is_included_takes_both() {
    let world = World::new();
    let account = world.account_on(&world.plan(5).await.id, 6).await;
    let (id, now) = (JobId::parse(&create(&world, &account).await.job_id()).unwrap(), clock::now());
    let template = world.context.jobs.get(id).await.unwrap().unwrap();
    let submit = async |cost| {
        let job = Job { id: JobId::new(), ..template.clone() };
        let submission = Submission { job, idempotency: None, awaited: Vec::new(), gate: None, cost, included: 5, now };
        let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
        world.service.submissions.create(submission, deadline).await.unwrap()
    };
    // 4 included and 6 granted credits are left.
    let refused = submit(11).await;
    assert!(matches!(refused, Created::InsufficientCredits { available: 10 }), "{refused:?}");
    let Created::Fresh(job) = submit(9).await else { panic!("9 of 10") };
    assert_eq!((job.payment.charge.included, job.payment.charge.granted), (4, 5));
    let Created::Fresh(job) = submit(1).await else { panic!("1 of 1") };
    assert_eq!((job.payment.charge.included, job.payment.charge.granted), (0, 1));
}

#[tokio::test]
async fn racing_creates_spend_granted_credits_once_too() {
    let world = World::new();
    let plan = world.plan(4).await;
    let account = world.account_on(&plan.id, 6).await;
    let answers = join_all((0..30).map(|number| decided(&world, &account, number))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 202).count(), 10);
    assert_eq!(granted(&world, &account).await, 0);
    assert_eq!(world.spent(&account).await, (10, 10));
}

#[tokio::test]
async fn a_failed_job_gives_its_credits_back_once_and_where_they_came_from() {
    let world = World::new();
    let plan = world.plan(1).await;
    let account = world.account_on(&plan.id, 1).await;
    let error = JobError::new(JobErrorCode::RenderFailed, "told to");
    let mut ids = Vec::new();
    for _ in 0..2 {
        ids.push(JobId::parse(&create(&world, &account).await.job_id()).unwrap());
    }
    for id in ids.iter().copied() {
        let job = world.context.jobs.get(id).await.unwrap().unwrap();
        let (now, later) = (clock::now(), clock::now().plus(std::time::Duration::from_millis(10)));
        assert_eq!(world.context.jobs.fail(&job, &error, None, now).await.unwrap(), Written::Yes);
        assert_eq!(world.context.jobs.fail(&job, &error, None, later).await.unwrap(), Written::Superseded);
        let failed = world.context.jobs.get(id).await.unwrap().unwrap();
        assert_eq!(failed.payment.refunded, 1);
        assert!(failed.request.secret.is_none() && failed.index.open.is_none() && failed.index.due.is_none());
    }
    world.count(ids).await;
    let usage = world.context.usage.of_month(&account.id, clock::now().period()).await.unwrap();
    assert_eq!((usage.credits.pots.included_left(1), usage.credits.used, usage.credits.created), (1, 0, 2));
    assert_eq!(granted(&world, &account).await, 1);
    let counts = usage.by_tool()["html-to-pdf"];
    assert_eq!((counts.created, counts.failed, counts.credits()), (2, 2, 0));
    // Refunded credits can be spent again, included and granted.
    assert_eq!(create(&world, &account).await.status, 202);
    assert_eq!(create(&world, &account).await.status, 202);
    assert_eq!(create(&world, &account).await.status, 402);
}

#[tokio::test]
async fn a_new_month_has_all_its_credits_and_refunds_go_to_the_old_one() {
    let world = World::new();
    let account = world.account(1).await;
    assert_eq!(create(&world, &account).await.status, 202);
    let this_month = clock::now().period();

    // The same submission at the start of the next month, before its balance exists.
    let id = JobId::parse(&last_job(&world, &account).await).unwrap();
    let old = world.context.jobs.get(id).await.unwrap().unwrap();
    let (now, new_id) = (this_month.end(), JobId::new());
    let mut job = Job { id: new_id, ..old.clone() };
    job.times.created_at = now;
    job.payment.period = now.period();
    let submission = Submission { job, idempotency: None, awaited: Vec::new(), gate: None, cost: 1, included: 1, now };
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
    let created = world.service.submissions.create(submission, deadline).await.unwrap();
    assert!(matches!(created, Created::Fresh(_)), "{created:?}");

    world.context.jobs.fail(&old, &JobError::new(JobErrorCode::RenderFailed, "told to"), None, now).await.unwrap();
    let of = async |period| world.context.usage.of_month(&account.id, period).await.unwrap();
    let (old_month, new_month) = (of(this_month).await, of(now.period()).await);
    assert_eq!((old_month.credits.pots.included_left(1), old_month.credits.used), (1, 0));
    let MonthlyUsage { credits, .. } = new_month;
    assert_eq!((credits.pots.included_left(1), credits.used, credits.created), (0, 1, 1));
}

async fn last_job(world: &World, account: &Account) -> String {
    let jobs = world.context.aws.dynamodb().query();
    let jobs = jobs.table_name(&world.config.tables.jobs).index_name("by_account");
    let found = jobs
        .key_condition_expression("account = :account")
        .expression_attribute_values(":account", docmill_store::item::string(&account.id))
        .send()
        .await
        .unwrap();
    found.items.unwrap().last().unwrap()["id"].as_s().unwrap().clone()
}

#[tokio::test]
async fn a_job_of_a_removed_account_ends_without_a_refund() {
    let world = World::new();
    let plan = world.plan(0).await;
    let account = world.account_on(&plan.id, 1).await;
    world.watch.inject((0..3).map(|_| Fault::down("SendMessage")));
    let id = JobId::parse(&create(&world, &account).await.job_id()).unwrap();
    let job = world.context.jobs.get(id).await.unwrap().unwrap();
    let items = ["profile".to_owned(), job.payment.period.to_string()];
    for item in &items {
        let client = world.context.aws.dynamodb();
        let delete = client.delete_item().table_name(&world.config.tables.usage);
        let delete = delete.key("account", AttributeValue::S(account.id.clone()));
        delete.key("item", AttributeValue::S(item.clone())).send().await.unwrap();
    }
    let error = JobError::new(JobErrorCode::Internal, "x");
    assert_eq!(world.context.jobs.fail(&job, &error, None, clock::now()).await.unwrap(), Written::Yes);
    assert_eq!(world.context.jobs.get(id).await.unwrap().unwrap().status, JobStatus::Failed);
    assert!(world.context.usage.profile(&account.id).await.unwrap().is_none(), "no account comes back as a refund");
    let usage = world.context.usage.of_month(&account.id, job.payment.period).await.unwrap();
    assert_eq!((usage.credits.used, usage.credits.pots.taken), (0, 0), "no balance either");
}

/// Submits a job from an environment whose plan includes this many credits.
async fn submit(environment: &Submissions, template: &Job, cost: u64, included: u64) -> Created {
    let job = Job { id: JobId::new(), ..template.clone() };
    let submission =
        Submission { job, idempotency: None, awaited: Vec::new(), gate: None, cost, included, now: clock::now() };
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
    environment.create(submission, deadline).await.unwrap()
}

#[tokio::test]
async fn a_change_of_plan_within_the_month_applies_at_once() {
    let world = World::new();
    let account = world.account_on(&world.plan(5).await.id, 0).await;
    let id = JobId::parse(&create(&world, &account).await.job_id()).unwrap();
    let template = world.context.jobs.get(id).await.unwrap().unwrap();
    let environment = &world.service.submissions;
    // One credit is used. Then more credits, fewer, and as many as before.
    assert!(matches!(submit(environment, &template, 9, 10).await, Created::Fresh(_)));
    let refused = submit(environment, &template, 1, 5).await;
    assert!(matches!(refused, Created::InsufficientCredits { available: 0 }), "{refused:?}");
    let refused = submit(environment, &template, 4, 13).await;
    assert!(matches!(refused, Created::InsufficientCredits { available: 3 }), "{refused:?}");
    assert!(matches!(submit(environment, &template, 3, 13).await, Created::Fresh(_)));
    assert_eq!(world.spent(&account).await, (13, 3));
}

#[tokio::test]
async fn contending_environments_spend_from_tills_and_lose_nothing() {
    let world = World::new();
    let account = world.account_on(&world.plan(60).await.id, 7).await;
    let id = JobId::parse(&create(&world, &account).await.job_id()).unwrap();
    let template = world.context.jobs.get(id).await.unwrap().unwrap();
    // Two conflicts on the balance (the part after the job) make each move to a till.
    let watch = &world.watch;
    let environments: Vec<_> =
        (0..4).map(|_| Submissions::new(world.context.dynamodb.clone(), &world.config.tables)).collect();
    let mut charged = 1;
    for environment in &environments {
        watch.inject([Fault::transaction_conflict(2), Fault::transaction_conflict(2)]);
        let Created::Fresh(job) = submit(environment, &template, 1, 60).await else { panic!("there are credits") };
        assert!(job.payment.till.is_some(), "{job:?}");
        charged += 1;
        // The till gets the refund.
        let error = JobError::new(JobErrorCode::RenderFailed, "told to");
        assert_eq!(world.context.jobs.fail(&job, &error, None, clock::now()).await.unwrap(), Written::Yes);
        charged -= 1;
    }
    let spend = environments.iter().map(|environment| async {
        let mut jobs = 0;
        while matches!(submit(environment, &template, 1, 60).await, Created::Fresh(_)) {
            jobs += 1;
        }
        jobs
    });
    charged += join_all(spend).await.into_iter().sum::<u64>();
    assert_eq!(charged, 67, "all of the plan's and all granted credits, and none twice");
    let usage = world.context.usage.of_month(&account.id, clock::now().period()).await.unwrap();
    let pots = usage.credits.pots;
    assert_eq!((usage.credits.used, pots.included_left(60), pots.granted_left()), (67, 0, 0), "{pots:?}");
}

/// The attribute names of the account's items in the Usage table.
async fn attributes(world: &World, account: &Account) -> BTreeMap<String, BTreeSet<String>> {
    let query = world.context.dynamodb.query().table_name(&world.config.tables.usage).consistent_read(true);
    let query = query.key_condition_expression("account = :account");
    let query = query.expression_attribute_values(":account", AttributeValue::S(account.id.clone()));
    let items = query.send().await.unwrap().items.unwrap();
    items.into_iter().map(|item| (item["item"].as_s().unwrap().clone(), item.into_keys().collect())).collect()
}

#[tokio::test]
async fn no_item_of_an_account_grows_with_tools_days_or_jobs() {
    let world = World::new();
    let account = world.account(1_000).await;
    let id = JobId::parse(&create(&world, &account).await.job_id()).unwrap();
    let template = world.context.jobs.get(id).await.unwrap().unwrap();
    let error = JobError::new(JobErrorCode::RenderFailed, "told to");
    let make = async |tool: &str, created_at: Timestamp| {
        let mut job = Job { id: JobId::new(), tool: tool.into(), ..template.clone() };
        job.times.created_at = created_at;
        let submission = Submission {
            job,
            idempotency: None,
            awaited: Vec::new(),
            gate: None,
            cost: 1,
            included: 1_000,
            now: clock::now(),
        };
        let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
        let created = world.service.submissions.create(submission, deadline).await.unwrap();
        let Created::Fresh(job) = created else { panic!("{created:?}") };
        assert_eq!(world.context.jobs.fail(&job, &error, None, clock::now()).await.unwrap(), Written::Yes);
        world.count([job.id]).await;
    };
    let today = clock::now();
    make("tool-0", today).await;
    let first = attributes(&world, &account).await;
    for number in 1..=20 {
        make(&format!("tool-{number}"), today.minus(std::time::Duration::from_secs(86_400 * (number % 3)))).await;
    }
    let last = attributes(&world, &account).await;
    assert!(last.len() >= first.len() + 20, "a day's counts of a tool are an item: {last:?}");
    for (item, names) in &last {
        match first.get(item) {
            Some(before) => assert_eq!(names, before, "{item}"),
            // Counts of another tool or day have the same attributes as the first.
            None => assert!(first.values().any(|like| names == like), "{item}: {names:?}"),
        }
    }
}
