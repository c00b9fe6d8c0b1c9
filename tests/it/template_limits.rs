//! How many templates, versions and names an account may have.

use docmill_config::clock;
use docmill_domain::template::{MOST_NEW_NAMES, MOST_TEMPLATES, MOST_VERSIONS};
use docmill_store::item::{UsageItem, to_item};
use docmill_store::templates::{Limit, Versions, Write};
use futures_util::future::join_all;
use serde_json::Value;

use crate::stored_templates::{add, delete, files, list, named, version};
use crate::support::http::Answer;
use crate::support::world::{Account, World};

const PAGE: &str = "<p>{customer}";
const REFUSED: (u16, &str) = (409, "too_many_templates");

/// Adds versions to a new template without files.
pub async fn filled(world: &World, account: &Account, name: &str, count: usize) {
    let mut versions = Versions::default();
    for number in 1..=count {
        let next = version(u32::try_from(number).unwrap());
        let written = world.context.templates.add(&account.id, &named(name), &versions, next).await.unwrap();
        let Write::Done(now) = written else { panic!("{number}: {written:?}") };
        versions = now;
    }
}

fn message(answer: &Answer) -> &str {
    answer.body["error"]["message"].as_str().unwrap()
}

/// One more version is allowed, so one of many parallel writes succeeds. Deleting makes room again.
#[tokio::test]
async fn an_account_has_five_hundred_versions_at_most() {
    let world = World::new();
    let account = world.account(0).await;
    let templates = &world.context.templates;
    let names: Vec<String> = (0..MOST_TEMPLATES / MOST_VERSIONS).map(|number| format!("full-{number}")).collect();
    for (number, name) in names.iter().enumerate() {
        filled(&world, &account, name, MOST_VERSIONS - usize::from(number == 0)).await;
    }
    let added = join_all((0..6).map(|number| {
        let (name, account) = (named(&format!("other-{number}")), account.id.clone());
        async move { templates.add(&account, &name, &Versions::default(), version(1)).await.unwrap() }
    }))
    .await;
    assert_eq!(added.iter().filter(|write| matches!(write, Write::Done(_))).count(), 1);
    assert_eq!(added.iter().filter(|write| **write == Write::Full(Limit::Account)).count(), 5);

    let refused = add(&world, &account, "more", PAGE).await;
    assert_eq!(refused.refusal(), REFUSED);
    assert!(message(&refused).contains("500 versions"), "{}", refused.body);
    assert_eq!(files(&world, &account, "more").await, 0);
    let removed = join_all((0..4).map(|_| delete(&world, &account, "full-1", Some("7")))).await;
    assert_eq!(removed.iter().filter(|answer| answer.status == 204).count(), 1);
    assert_eq!(add(&world, &account, "more", PAGE).await.status, 201);
    assert_eq!(add(&world, &account, "more", PAGE).await.refusal(), REFUSED);
}

#[tokio::test]
async fn a_template_has_fifty_versions_at_most() {
    let world = World::new();
    let account = world.account(0).await;
    filled(&world, &account, "invoice", MOST_VERSIONS - 1).await;
    let added = join_all((0..3).map(|_| add(&world, &account, "invoice", PAGE))).await;
    let (done, refused): (Vec<_>, Vec<_>) = added.iter().partition(|answer| answer.status == 201);
    assert_eq!((done.len(), refused.len()), (1, 2));
    for answer in refused {
        assert_eq!(answer.refusal(), REFUSED);
        assert!(message(answer).contains("This template has 50 versions"), "{}", answer.body);
    }
    assert_eq!(files(&world, &account, "invoice").await, 2, "only those of the version that was added");
    assert_eq!(list(&world, &account).await[0]["versions"].as_array().map(Vec::len), Some(MOST_VERSIONS));
    assert_eq!(add(&world, &account, "letter", PAGE).await.status, 201);

    assert_eq!(delete(&world, &account, "invoice", Some("1")).await.status, 204);
    assert_eq!(add(&world, &account, "invoice", PAGE).await.body["template"]["version"], 51);
}

/// Numbers of deleted templates are remembered. Without this limit, adding and deleting names would fill the table.
#[tokio::test]
async fn an_account_begins_to_use_five_hundred_names_a_day() {
    let world = World::new();
    let account = world.account(0).await;
    assert_eq!(add(&world, &account, "first", PAGE).await.status, 201);
    let key = UsageItem::TemplateNames(clock::now()).key(&account.id);
    let counted = world.context.dynamodb.get_item().table_name(&world.config.tables.usage);
    let counted = counted.set_key(Some(key.clone())).send().await.unwrap().item.unwrap();
    assert_eq!(counted["begun"].as_n().unwrap(), "1");
    assert!(counted.contains_key("ttl"), "{counted:?}");

    let begun = to_item(&serde_json::json!({"begun": MOST_NEW_NAMES - 1})).unwrap();
    let put = world.context.dynamodb.put_item().table_name(&world.config.tables.usage);
    put.set_item(Some(key.into_iter().chain(begun).collect())).send().await.unwrap();
    assert_eq!(add(&world, &account, "last", PAGE).await.status, 201);
    let refused = add(&world, &account, "more", PAGE).await;
    assert_eq!(refused.refusal(), REFUSED);
    assert!(message(&refused).contains("500 names of templates today"), "{}", refused.body);
    assert_eq!(files(&world, &account, "more").await, 0);
    // Known names, and those whose numbers are remembered, are not new.
    assert_eq!(add(&world, &account, "first", PAGE).await.status, 201);
    assert_eq!(delete(&world, &account, "last", None).await.status, 204);
    assert_eq!(add(&world, &account, "last", PAGE).await.body["template"]["version"], Value::from(2));
}
