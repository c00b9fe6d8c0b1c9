//! Changes of accounts' policies during the creation of keys, grants, and the list of accounts.

use docmill_config::clock;
use docmill_domain::account::{AccountPolicy, Limiter, MAX_KEYS, Profile, StoredKey};
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::audit::{AuditEntry, Subject, SubjectKind};
use docmill_domain::quota::RateLimit;
use docmill_domain::time::Timestamp;
use docmill_store::accounts::{Changed, Granted, KeyAdded};
use docmill_store::item::UsageItem;
use functions::list_tools;
use futures_util::future::{join, join_all};
use std::time::Duration;
use uuid::Uuid;

use crate::support::eventually;
use crate::support::http::{Answer, get};
use crate::support::world::{Account, World, author};

async fn profile(world: &World, account: &Account) -> Profile {
    world.context.usage.profile(&account.id).await.unwrap().unwrap()
}

async fn suspend(world: &World, account: &Account, shown: u64) -> Changed {
    let policy = AccountPolicy { suspended: true, ..profile(world, account).await.policy() };
    world.context.accounts.change(&account.id, shown, &policy, &author()).await.unwrap()
}

fn new_key(account: &Account) -> StoredKey {
    StoredKey {
        name: "raced".into(),
        plan: "whatever the caller thinks".into(),
        limiter: Limiter::new(RateLimit::CREATE, RateLimit::READ),
        ..account.stored_key(&ApiKey::generate(Mode::Live), Mode::Live)
    }
}

async fn add(world: &World, key: &StoredKey) -> KeyAdded {
    world.context.accounts.add_key(key, clock::now()).await.unwrap()
}

async fn entries(world: &World, account: &Account) -> Vec<AuditEntry> {
    let subject = Subject::new(SubjectKind::Account, &account.id);
    let (mut found, mut before) = (Vec::new(), None);
    loop {
        let page = world.context.audit.list(Some(&subject), before.as_deref(), 50).await.unwrap();
        // Every account has an entry about its creation.
        found
            .extend(page.entries.into_iter().filter(|entry| entry.changes.iter().all(|change| change.field != "name")));
        match page.next {
            Some(next) => before = Some(next),
            None => return found,
        }
    }
}

#[tokio::test]
async fn a_change_of_policy_reaches_all_keys_at_once() {
    let world = World::new();
    let account = world.account(10).await;
    let second = world.another_key(&account, Mode::Live, |_| {}).await;
    let changed = suspend(&world, &account, 0).await;
    assert!(matches!(&changed, Changed::Written(profile) if profile.suspended), "{changed:?}");
    for key in [&account.key, &second] {
        let answer = Answer::of(list_tools::handle(world.context.clone(), get("/").key(key).build()).await);
        assert_eq!(answer.refusal(), (403, "account_suspended"));
    }
    let Changed::Written(written) = changed else { panic!("{changed:?}") };
    assert_eq!(profile(&world, &account).await, written);
}

#[tokio::test]
async fn a_key_created_during_a_suspension_is_suspended() {
    let world = World::new();
    for round in 0..20 {
        let account = world.account(10).await;
        let made: Vec<_> = (0..3).map(|_| new_key(&account)).collect();
        let creations = join_all(made.iter().map(|key| add(&world, key)));
        let (added, changed) = join(creations, suspend(&world, &account, 0)).await;
        assert!(matches!(changed, Changed::Written(_)), "round {round}: {changed:?}");
        for added in added {
            let KeyAdded::Yes(key) = added else { panic!("round {round}: {added:?}") };
            let stored = world.context.keys.get(&key.key_hash).await.unwrap().unwrap();
            assert!(stored.suspended, "round {round}: {} missed the suspension", stored.key_id);
        }
        let first = world.context.keys.get(&account.key.hash()).await.unwrap().unwrap();
        assert!(first.suspended, "round {round}");
        let listed = profile(&world, &account).await.keys;
        assert_eq!(listed.len(), 4, "round {round}");
    }
}

#[tokio::test]
async fn an_account_never_has_more_keys_than_it_may() {
    let world = World::new();
    let account = world.account(10).await;
    for _ in 1..MAX_KEYS - 1 {
        assert!(matches!(add(&world, &new_key(&account)).await, KeyAdded::Yes(_)));
    }
    // One more key is allowed, and four are requested.
    let wanted: Vec<_> = (0..4).map(|_| new_key(&account)).collect();
    let added = join_all(wanted.iter().map(|key| add(&world, key))).await;
    assert_eq!(added.iter().filter(|added| matches!(added, KeyAdded::Yes(_))).count(), 1, "{added:?}");
    assert_eq!(added.iter().filter(|added| matches!(added, KeyAdded::TooMany)).count(), 3, "{added:?}");

    // The dashboard's key does not count, and a revoked key no longer does.
    let dashboards = StoredKey { key_id: StoredKey::DASHBOARD_ID.into(), ..new_key(&account) };
    assert!(matches!(add(&world, &dashboards).await, KeyAdded::Yes(_)));
    assert!(matches!(add(&world, &new_key(&account)).await, KeyAdded::TooMany));
    let id = world.context.keys.get(&account.key.hash()).await.unwrap().unwrap().key_id;
    world.context.accounts.revoke_key(&account.id, &id, clock::now()).await.unwrap();
    assert!(matches!(add(&world, &new_key(&account)).await, KeyAdded::Yes(_)));
    assert!(!profile(&world, &account).await.keys.contains(&account.key.hash()), "a dead key kept its place");
}

#[tokio::test]
async fn a_key_that_is_added_twice_exists_once_with_its_accounts_policy() {
    let world = World::new();
    let account = world.account(10).await;
    suspend(&world, &account, 0).await;
    let key = new_key(&account);
    for _ in 0..2 {
        let KeyAdded::Yes(added) = add(&world, &key).await else { panic!("it was not added") };
        assert_eq!((added.plan.as_str(), added.suspended), (account.plan.as_str(), true));
    }
    assert_eq!(profile(&world, &account).await.keys.len(), 2);
    let nobodys = StoredKey { account: "acc_nobody".into(), ..new_key(&account) };
    assert!(matches!(add(&world, &nobodys).await, KeyAdded::NoAccount));
    assert_eq!(world.context.keys.get(&nobodys.key_hash).await.unwrap(), None);
}

#[tokio::test]
async fn an_account_from_before_the_list_of_keys_is_changed_with_all_its_keys() {
    let world = World::new();
    let account = world.account(10).await;
    let update = world.context.dynamodb.update_item().table_name(&world.config.tables.usage);
    let update = update.set_key(Some(UsageItem::Profile.key(&account.id)));
    let update =
        update.update_expression("REMOVE #keys, revision, version").expression_attribute_names("#keys", "keys");
    update.send().await.unwrap();
    eventually("the index shows the key", Duration::from_secs(20), async || {
        world.context.keys.of_account(&account.id).await.unwrap().contains(&account.key.hash()).then_some(())
    })
    .await;
    assert!(matches!(suspend(&world, &account, 0).await, Changed::Written(_)));
    assert!(world.context.keys.get(&account.key.hash()).await.unwrap().unwrap().suspended);
    assert_eq!(profile(&world, &account).await.keys, [account.key.hash()]);
}

#[tokio::test]
async fn one_of_two_changes_to_the_same_version_is_refused() {
    let world = World::new();
    let account = world.account(10).await;
    let shown = profile(&world, &account).await;
    let suspended = AccountPolicy { suspended: true, ..shown.policy() };
    let untested = AccountPolicy { test_mode: false, ..shown.policy() };
    let by = author();
    let change = |policy| world.context.accounts.change(&account.id, shown.version, policy, &by);
    let (first, second) = join(change(&suspended), change(&untested)).await;
    let outcomes = (first.unwrap(), second.unwrap());
    let stale = [&outcomes.0, &outcomes.1].into_iter().filter(|changed| matches!(changed, Changed::Stale(_))).count();
    assert_eq!(stale, 1, "{outcomes:?}");
    let now = profile(&world, &account).await;
    assert_eq!(now.version, 1);
    assert!(now.suspended == now.test_mode, "both changes were made, or neither: {now:?}");
    let entries = entries(&world, &account).await;
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!(entries[0].changes.len(), 1);
}

#[tokio::test]
async fn a_key_that_is_made_does_not_make_a_form_stale() {
    let world = World::new();
    let account = world.account(10).await;
    let shown = profile(&world, &account).await;
    assert!(matches!(add(&world, &new_key(&account)).await, KeyAdded::Yes(_)));
    assert!(matches!(suspend(&world, &account, shown.version).await, Changed::Written(_)));
}

#[tokio::test]
async fn a_repeated_grant_takes_effect_once() {
    let world = World::new();
    let account = world.account_on("free", 5).await;
    let grant = Uuid::now_v7();
    let by = author();
    let send = || world.context.accounts.grant(&account.id, 100, grant, &by);
    let outcomes: Vec<_> = join_all((0..5).map(|_| send())).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(outcomes.iter().filter(|granted| **granted == Granted::Yes).count(), 1, "{outcomes:?}");
    assert_eq!(profile(&world, &account).await.granted, 105);
    let unknown = world.context.accounts.grant("acc_nobody", 1, Uuid::now_v7(), &by).await.unwrap();
    assert_eq!(unknown, Granted::NoAccount);
    assert_eq!(world.context.usage.profile("acc_nobody").await.unwrap(), None);
    assert_eq!(entries(&world, &account).await.len(), 1);
}

#[tokio::test]
async fn accounts_are_listed_by_name_page_by_page() {
    let world = World::new();
    let prefix = format!("List {}", Uuid::now_v7().simple());
    let names: Vec<_> = ["b", "A", "c"].iter().map(|name| format!("{prefix} {name}")).collect();
    for name in &names {
        let profile = Profile::new(name, "free", Timestamp(1));
        assert!(
            world
                .context
                .accounts
                .create(&format!("acc_{}", Uuid::now_v7().simple()), &profile, &author())
                .await
                .unwrap()
        );
    }
    let listed = eventually("the index shows all three", Duration::from_secs(20), async || {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = world.context.accounts.list(&prefix.to_uppercase(), after, 2).await.unwrap();
            assert!(page.accounts.len() <= 2);
            found.extend(page.accounts.into_iter().map(|account| account.name));
            match page.next {
                Some(next) => after = Some(next),
                None => break (found.len() == 3).then_some(found),
            }
        }
    })
    .await;
    assert_eq!(listed, [&names[1], &names[0], &names[2]].map(String::clone));
}
