//! Jobs that nobody notified, or many at once: the sweeper's repair.

use super::*;

/// Timeline: workers end the sources and die before they notify anyone; or one dies between the last source and the message.
#[tokio::test]
async fn the_sweeper_notifies_jobs_that_were_missed() {
    let world = apart().await;
    let account = world.account(20).await;
    let (completed, failed) = (page(&world, &account).await, page(&world, &account).await);
    let starts = id(&create(&world, &account, &merge(&[completed])).await);
    let fails = id(&create(&world, &account, &merge(&[failed])).await);
    let after = id(&create(&world, &account, &merge(&[fails])).await);
    let unsent = id(&create(&world, &account, &merge(&[completed])).await);
    complete(&world, completed, &completion(clock::now())).await;
    fail(&world, failed).await;
    world.context.jobs.stop_waiting(unsent, completed).await.unwrap();

    let sweeper = Sweeper::new(Context::new(world.config.clone(), patient_aws()).unwrap());
    sweeper.run_at(clock::now().plus(WAITING_GRACE)).await.unwrap();
    for waiter in [starts, unsent] {
        let job = read(&world, waiter).await;
        assert!(job.waits.waiting_for.is_none() && !job.index.open.unwrap().starts_with("waiting"), "{waiter}");
    }
    for waiter in [fails, after] {
        let job = read(&world, waiter).await;
        assert_eq!((job.status, job.result.error.unwrap().code), (JobStatus::Failed, JobErrorCode::SourceJobFailed));
    }
}

/// A further `count` jobs that wait like this one and are charged to the same balance, without the transactions that create them.
async fn multiply(world: &World, waiter: JobId, source: JobId, count: usize) -> BTreeSet<JobId> {
    let template = read(world, waiter).await;
    let ids: BTreeSet<JobId> = (0..count).map(|_| JobId::new()).collect();
    let shards = world.config.tables.open_shards;
    let copy = |id: &JobId| {
        let mut copy = Job { id: *id, ..template.clone() };
        copy.index.open = Some(Shard::waiting(*id, shards).key());
        copy.index.uncounted = None;
        copy
    };
    put_all(&world.context, ids.iter().map(copy)).await;
    change_waiters(world, "ADD", source, &ids).await;
    let charge = world.context.dynamodb.update_item().table_name(&world.config.tables.usage);
    let charge = charge.set_key(Some(UsageItem::Balance(template.payment.period).key(&template.account)));
    let charge = charge.update_expression("ADD taken :count, used :count");
    charge.expression_attribute_values(":count", number(count)).send().await.unwrap();
    ids
}

/// One by one, a thousand refunds would compete for the account's balance.
#[tokio::test]
async fn a_thousand_waiting_jobs_are_refunded_together() {
    let world = apart().await;
    let account = world.account(2_000).await;
    let source = page(&world, &account).await;
    let waiter = id(&create(&world, &account, &merge(&[source])).await);
    let waiters = multiply(&world, waiter, source, MAX_WAITERS - 1).await;
    assert_eq!(world.spent(&account).await.0, MAX_WAITERS as u64 + 1);
    fail(&world, source).await;

    world.watch.take_calls();
    notify(&world, source, JobStatus::Failed).await;
    assert_eq!(world.watch.count("TransactWriteItems"), MAX_WAITERS / 25, "none was tried twice");
    for waiter in waiters.iter().chain([&waiter]) {
        let job = read(&world, *waiter).await;
        assert_eq!((job.status, job.payment.refunded, job.index.open), (JobStatus::Failed, 1, None));
    }
    assert_eq!(world.spent(&account).await.0, 0);
    let page = world.context.events.page(&account.id, Some("job.failed"), None, 100, clock::now()).await.unwrap();
    assert_eq!(page.events.len(), 100);
}

/// Timeline: a worker fails the awaited job and dies before it notifies anyone, and some of the jobs are canceled in the meantime.
#[tokio::test]
async fn one_run_of_the_sweeper_refunds_all_waiting_jobs_that_were_missed() {
    let world = apart().await;
    let account = world.account(200).await;
    let source = page(&world, &account).await;
    let waiter = id(&create(&world, &account, &merge(&[source])).await);
    let waiters = multiply(&world, waiter, source, 60).await;
    let canceled = *waiters.first().unwrap();
    world.context.jobs.cancel(&read(&world, canceled).await, clock::now()).await.unwrap().unwrap();
    fail(&world, source).await;

    let sweeper = Sweeper::new(Context::new(world.config.clone(), patient_aws()).unwrap());
    sweeper.run_at(clock::now().plus(WAITING_GRACE)).await.unwrap();
    for waiter in waiters.iter().chain([&waiter]) {
        let status = if *waiter == canceled { JobStatus::Canceled } else { JobStatus::Failed };
        let job = read(&world, *waiter).await;
        assert_eq!((job.status, job.payment.refunded), (status, 1));
    }
    assert_eq!(world.spent(&account).await.0, 0, "each once");
}

/// Every fault of every call that notifies a waiting job, and the sweeper's repair.
#[tokio::test]
async fn a_waiting_job_is_notified_once_despite_faults() {
    let world = apart().await;
    // Settings are read once.
    let plan = world.plan(10).await;
    let sweeper_watch = Watch::default();
    let aws = patient_aws().with_interceptor(sweeper_watch.interceptor());
    let sweeper = Sweeper::new(Context::new(world.config.clone(), aws).unwrap());
    let faults: [fn(&str) -> Fault; 5] = [
        |operation| Fault::down(operation).lasting(),
        |operation| Fault::throttled(operation).lasting(),
        |operation| Fault::no_connection(operation).lasting(),
        Fault::lost_answer,
        |operation| Fault::lost_answer(operation).lasting(),
    ];
    for (ends_well, operations) in [
        (true, [("GetItem", 0), ("UpdateItem", 0), ("UpdateItem", 1), ("SendMessage", 0)].as_slice()),
        (false, &[("GetItem", 0), ("GetItem", 1), ("TransactWriteItems", 0)]),
    ] {
        for (operation, nth) in operations {
            for fault in faults {
                let account = world.account_on(&plan.id, 0).await;
                let source = page(&world, &account).await;
                let waiter = id(&create(&world, &account, &merge(&[source])).await);
                if ends_well {
                    complete(&world, source, &completion(clock::now())).await;
                } else {
                    fail(&world, source).await;
                }
                world.watch.clear();
                world.watch.inject([fault(operation).at(*nth)]);
                let status = if ends_well { JobStatus::Completed } else { JobStatus::Failed };
                let queue = world.context.queue();
                let notices = Notices { jobs: &world.context.jobs, files: &world.context.files, queue: &queue };
                notices.notify_all_of(source, status).await;
                assert_eq!(world.watch.unmet_faults(), 0, "{operation} {nth} was not met");
                world.watch.heal();
                world.watch.clear();

                // Deployed workers don't see the job.
                sweeper_watch.inject((0..200).map(|_| Fault::down("SendMessage")));
                for minute in 1..4 {
                    sweeper.run_at(clock::now().plus(WAITING_GRACE * minute)).await.unwrap();
                }
                let job = read(&world, waiter).await;
                assert_eq!(job.waits.waiting_for, None, "{operation} {nth}: {job:?}");
                if ends_well {
                    assert!(job.index.open.unwrap().starts_with("pdf-"), "{operation} {nth}");
                    assert_eq!(world.spent(&account).await.0, 2);
                } else {
                    assert_eq!((job.status, job.payment.refunded), (JobStatus::Failed, 1), "{operation} {nth}");
                    assert_eq!(world.spent(&account).await.0, 0);
                }
            }
        }
    }
}
