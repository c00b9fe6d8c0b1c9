//! Files of templates after crashes: the sweeper deletes those that no version names.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use docmill_app::context::Context;
use docmill_aws::files::{ObjectKey, TemplatePart, template_folder};
use docmill_config::Config;
use docmill_config::clock;
use docmill_store::health::TemplateSweep;
use docmill_store::item::{UsageItem, string};
use functions::sweeper::{Repairs, Sweeper};
use futures_util::FutureExt;

use crate::stored_templates::{add, add_upload, delete, files, list, named, show, uploaded};
use crate::support::aws_watch::Fault;
use crate::support::tables::{remove_jobs, with_own_jobs};
use crate::support::world::{Account, World, patient_aws};

const PAGE: &str = "<p>{customer}";
const HOUR: Duration = Duration::from_secs(3600);

/// A bucket of its own, which no other sweeper looks at.
async fn apart() -> (World, Sweeper) {
    let world = World::with_config(with_own_jobs(Config::from_env().unwrap(), &patient_aws()).await);
    let sweeper = Sweeper::new(Context::new(world.config.clone(), patient_aws()).unwrap());
    (world, sweeper)
}

/// A run of the sweeper so many hours later, which looks at all files after `from`.
async fn sweep(sweeper: &Sweeper, hours: u32, from: Option<String>) -> Repairs {
    let sweep = TemplateSweep { due: clock::now(), from };
    sweeper.context.health.record_template_sweep(&sweep).await.unwrap();
    sweeper.run_at(clock::now().plus(HOUR * hours)).await.unwrap()
}

/// A file that no version names.
async fn orphan(world: &World, account: &Account, name: &str) -> String {
    let name = named(name);
    let key = ObjectKey::Template { account: &account.id, name: &name, file: "orphan", part: TemplatePart::File };
    world.context.files.put_bytes(&key, b"x".to_vec(), "text/html").await.unwrap();
    key.to_string()
}

async fn exists(world: &World, key: &str) -> bool {
    world.context.files.get(key).await.unwrap().is_some()
}

fn crashes(operations: &[(&str, usize)]) -> Vec<Fault> {
    let both = |(operation, nth): &(&str, usize)| {
        [Fault::crash_before(operation).at(*nth), Fault::crash_after(operation).at(*nth)]
    };
    operations.iter().flat_map(both).collect()
}

/// Each listed version keeps its files, and all others are deleted, but only after a day.
async fn check(world: &World, sweeper: &Sweeper, account: &Account, fault: &Fault) {
    assert_eq!(world.watch.unmet_faults(), 0, "{fault:?}");
    world.watch.clear();
    let left = files(world, account, "invoice").await;
    sweep(sweeper, 23, None).await;
    assert_eq!(files(world, account, "invoice").await, left, "{fault:?}: young files are kept");
    assert_eq!(sweep(sweeper, 25, None).await.errors, 0, "{fault:?}");
    let kept = list(world, account).await;
    let kept = kept.first().map_or(0, |template| template["versions"].as_array().unwrap().len());
    assert_eq!(files(world, account, "invoice").await, 2 * kept, "{fault:?}");
    if kept > 0 {
        assert_eq!(show(world, account, "invoice", None).await.status, 200, "{fault:?}");
    }
}

#[tokio::test]
async fn a_crash_at_any_step_leaves_no_file_for_long() {
    let (world, sweeper) = apart().await;
    for versions in [0, 1] {
        for fault in crashes(&[("PutObject", 0), ("PutObject", 1), ("TransactWriteItems", 0)]) {
            let account = world.account(0).await;
            for _ in 0..versions {
                assert_eq!(add(&world, &account, "invoice", PAGE).await.status, 201);
            }
            // The test stores the upload itself, before the addition stores two files.
            let upload = uploaded(&world, &account, PAGE).await;
            world.watch.inject([fault.clone()]);
            let adding = add_upload(&world, &account, "invoice", &upload);
            drop(AssertUnwindSafe(adding).catch_unwind().await);
            check(&world, &sweeper, &account, &fault).await;
        }
    }
    for version in [None, Some("1")] {
        for fault in crashes(&[("TransactWriteItems", 0), ("DeleteObjects", 0)]) {
            let account = world.account(0).await;
            for _ in 0..2 {
                assert_eq!(add(&world, &account, "invoice", PAGE).await.status, 201);
            }
            world.watch.inject([fault.clone()]);
            drop(AssertUnwindSafe(delete(&world, &account, "invoice", version)).catch_unwind().await);
            check(&world, &sweeper, &account, &fault).await;
        }
    }
    remove_jobs(&world.config, &patient_aws()).await;
}

#[tokio::test]
async fn a_sweep_goes_on_where_the_last_one_ended_and_then_pauses() {
    let (world, sweeper) = apart().await;
    let account = world.account(0).await;
    let (first, second) = (orphan(&world, &account, "a").await, orphan(&world, &account, "b").await);
    sweep(&sweeper, 25, Some(first.clone())).await;
    assert_eq!((exists(&world, &first).await, exists(&world, &second).await), (true, false));
    let noted = sweeper.context.health.template_sweep().await.unwrap().unwrap();
    assert_eq!(noted.from, None);
    sweeper.run_at(noted.due.minus(Duration::from_secs(1))).await.unwrap();
    assert!(exists(&world, &first).await);
    sweeper.run_at(noted.due).await.unwrap();
    assert!(!exists(&world, &first).await);
    assert_eq!(world.context.files.list(&template_folder(&account.id, &named("a"))).await.unwrap(), [""; 0]);
    remove_jobs(&world.config, &patient_aws()).await;
}

#[tokio::test]
async fn a_template_that_cannot_be_read_keeps_its_files_and_delays_no_other() {
    let (world, sweeper) = apart().await;
    let account = world.account(0).await;
    let (broken, other) = (orphan(&world, &account, "broken").await, orphan(&world, &account, "other").await);
    let name = named("broken");
    let item = UsageItem::Template(&name).key(&account.id).into_iter().chain([("versions".to_owned(), string("?"))]);
    let put = world.context.dynamodb.put_item().table_name(&world.config.tables.usage);
    put.set_item(Some(item.collect())).send().await.unwrap();
    assert_eq!(sweep(&sweeper, 25, None).await.errors, 1);
    assert_eq!((exists(&world, &broken).await, exists(&world, &other).await), (true, false));
    remove_jobs(&world.config, &patient_aws()).await;
}
