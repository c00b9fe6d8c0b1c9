//! Administrators' changes: versions, the audit trail, and concurrent changes.

use docmill_domain::account::Plan;
use docmill_domain::audit::{AuditEntry, Author, Subject, SubjectKind, View};
use docmill_domain::time::Timestamp;
use docmill_store::settings::{Change, Versioned};
use futures_util::future::join_all;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::world::{World, author};

fn unset_plan() -> Versioned<Plan> {
    Versioned { value: Plan::fallback(&format!("plan_{}", Uuid::now_v7().simple())), version: 0 }
}

async fn entries(world: &World, plan: &str) -> Vec<AuditEntry> {
    let subject = Subject::new(SubjectKind::Plan, plan);
    let page = world.context.audit.list(Some(&subject), None, 50).await.unwrap();
    page.entries
}

#[tokio::test]
async fn one_of_many_concurrent_changes_of_a_plan_wins_and_the_others_see_it() {
    let world = World::new();
    let shown = unset_plan();
    for version in 1..=2u64 {
        let shown = world.context.settings.fresh().await.unwrap().versioned_plan(&shown.value.id);
        assert_eq!(shown.version, version - 1);
        let wanted: Vec<_> =
            (0..6).map(|n| Plan { included_credits: version * 1000 + n, ..shown.value.clone() }).collect();
        let by = author();
        let change = |plan| world.context.settings.change_plan(&shown, plan, &by);
        let outcomes: Vec<_> = join_all(wanted.iter().map(change)).await.into_iter().map(Result::unwrap).collect();
        let now = world.context.settings.fresh().await.unwrap().versioned_plan(&shown.value.id);
        assert_eq!(now.version, version);
        let mut written = 0;
        for (outcome, wanted) in outcomes.iter().zip(&wanted) {
            match outcome {
                Change::Written(value) => {
                    written += 1;
                    assert_eq!((&value.value, value), (wanted, &now));
                }
                Change::Stale(current) => assert_eq!(current, &now),
            }
        }
        assert_eq!(written, 1, "{outcomes:?}");
    }
    assert_eq!(entries(&world, &shown.value.id).await.len(), 2, "each change is recorded, and no failed one");
}

#[tokio::test]
async fn the_trail_lists_who_changed_what_and_when_newest_first() {
    let world = World::new();
    let unset = unset_plan();
    let by = |actor: &str, at| Author { actor: actor.into(), reason: Some("asked for".into()), at: Timestamp(at) };
    let settings = &world.context.settings;
    let first = Plan { included_credits: 5, ..unset.value.clone() };
    let Change::Written(shown) = settings.change_plan(&unset, &first, &by("ann@example.org", 1000)).await.unwrap()
    else {
        panic!("the first change was refused")
    };
    let second = Plan { allowed_tools: Some(vec!["html-to-pdf".into()]), ..first };
    settings.change_plan(&shown, &second, &by("bob@example.org", 2000)).await.unwrap();

    let told = entries(&world, &unset.value.id).await;
    assert_eq!(
        told.iter().map(|entry| entry.actor.as_str()).collect::<Vec<_>>(),
        ["bob@example.org", "ann@example.org"]
    );
    assert_eq!((told[0].at, told[0].reason.as_deref()), (Timestamp(2000), Some("asked for")));
    assert_eq!(
        serde_json::to_value(&told[0].changes).unwrap(),
        json!([{"field": "allowed_tools", "after": ["html-to-pdf"]}])
    );
    assert_eq!(
        serde_json::to_value(&told[1].changes).unwrap(),
        json!([{"field": "included_credits", "before": 0, "after": 5}])
    );
}

#[tokio::test]
async fn changes_without_effect_are_not_recorded() {
    let world = World::new();
    let unset = unset_plan();
    let by = author();
    let change = |shown: Versioned<Plan>| {
        let by = by.clone();
        let world = &world;
        async move { world.context.settings.change_plan(&shown, &shown.value, &by).await.unwrap() }
    };
    let Change::Written(created) = change(unset).await else { panic!("it was not written") };
    assert_eq!(created.version, 1);
    assert_eq!(change(created.clone()).await, Change::Written(created.clone()));
    assert_eq!(entries(&world, &created.value.id).await.len(), 1);
}

#[tokio::test]
async fn the_trail_is_read_page_by_page() {
    let world = World::new();
    for _ in 0..3 {
        let unset = unset_plan();
        let plan = Plan { included_credits: 1, ..unset.value.clone() };
        world.context.settings.change_plan(&unset, &plan, &author()).await.unwrap();
    }
    let first = world.context.audit.list(None, None, 2).await.unwrap();
    assert_eq!(first.entries.len(), 2);
    let older = world.context.audit.list(None, first.next.as_deref(), 2).await.unwrap();
    assert!(older.entries.iter().all(|entry| entry.id < first.entries[1].id), "{older:?}");
    assert!(!older.entries.is_empty());
}

#[tokio::test]
async fn a_change_is_seen_at_once_where_it_is_made() {
    let world = World::new();
    let unset = unset_plan();
    world.context.settings.current().await.unwrap();
    let plan = Plan { included_credits: 77, ..unset.value.clone() };
    world.context.settings.change_plan(&unset, &plan, &author()).await.unwrap();
    assert_eq!(world.context.settings.current().await.unwrap().plan(&plan.id), plan);
}

/// The output of docmill-admin.
async fn operate(arguments: &[&str]) -> Value {
    let output = tokio::process::Command::new(crate::redrive::admin()).arg("--json").args(arguments).output().await;
    let output = output.expect("docmill-admin is built: run the tests with `make test`");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn whatever_operators_do_with_the_command_is_in_the_audit_trail() {
    let world = World::new();
    let create = ["account", "create", "--name", "Audited", "--credits", "7", "--reason", "a trial"];
    let account = operate(&create).await["account"]["id"].as_str().unwrap().to_owned();
    let key = operate(&["key", "create", "--account", &account, "--name", "first"]).await["key"].clone();
    let key_id = key["id"].as_str().unwrap();
    operate(&["key", "list", "--account", &account]).await;
    operate(&["key", "regenerate", "--account", &account, key_id]).await;
    operate(&["key", "revoke", "--account", &account, key_id]).await;
    let email = format!("{}@example.com", account.to_lowercase());
    operate(&["user", "link", "--email", &email, "--account", &account]).await;
    operate(&["user", "unlink", "--email", &email]).await;

    let told = async |kind: SubjectKind, id: &str| {
        let subject = Subject::new(kind, id);
        let mut entries = world.context.audit.list(Some(&subject), None, 50).await.unwrap().entries;
        entries.reverse();
        assert!(entries.iter().all(|entry| entry.actor.starts_with("cli:")));
        entries
    };
    let entries = told(SubjectKind::Account, &account).await;
    let changes = |entry: &AuditEntry| {
        let each = entry.changes.iter().map(|change| (change.field.clone(), change.after.clone().unwrap()));
        each.collect::<Vec<_>>()
    };
    let one = |field: &str, after: &str| vec![(field.to_owned(), json!(after))];
    let created = vec![
        ("granted".to_owned(), json!(7)),
        ("name".to_owned(), json!("Audited")),
        ("plan".to_owned(), json!("free")),
    ];
    let expected = [
        created,
        one("key created", key_id),
        Vec::new(),
        one("key regenerated", key_id),
        one("key revoked", key_id),
        one("user linked", &email),
    ];
    assert_eq!(entries.iter().map(changes).collect::<Vec<_>>(), expected);
    assert_eq!((entries[0].reason.as_deref(), entries[2].viewed), (Some("a trial"), Some(View::Keys)));
    assert_eq!(changes(&told(SubjectKind::User, &email).await[0]), one("link", "removed"));
    // A secret is in no entry.
    assert!(!json!(entries).to_string().contains(key["secret"].as_str().unwrap()));
}
