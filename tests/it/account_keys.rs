//! Changes of an account's keys: creating them, new secrets, revocation. Each one also as a race.

use std::time::Duration;

use docmill_config::clock;
use docmill_domain::account::{MAX_KEYS, StoredKey};
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_store::accounts::keys::{AccountKey, KeyChanged, KeyDetails, MAX_OVERLAP, Regenerated, Revoked};
use docmill_store::accounts::{Changed, KeyAdded};
use functions::list_tools;
use futures_util::future::join_all;

use crate::support::aws_watch::Fault;
use crate::support::http::{Answer, get};
use crate::support::world::{Account, World, author};

const NO_OVERLAP: Duration = Duration::ZERO;

async fn status(world: &World, key: &ApiKey) -> u16 {
    Answer::of(list_tools::handle(world.context.clone(), get("/").key(key).build()).await).status
}

async fn keys(world: &World, account: &Account) -> Vec<AccountKey> {
    world.context.accounts.keys_of(&account.id, clock::now()).await.unwrap()
}

/// The id of the account's first key.
async fn first_id(world: &World, account: &Account) -> String {
    world.context.keys.get(&account.key.hash()).await.unwrap().unwrap().key_id
}

async fn regenerate(world: &World, account: &Account, id: &str, overlap: Duration) -> Regenerated {
    world.context.accounts.regenerate_key(&account.id, id, None, overlap, clock::now()).await.unwrap()
}

async fn revoke(world: &World, account: &Account, id: &str) -> Revoked {
    world.context.accounts.revoke_key(&account.id, id, clock::now()).await.unwrap()
}

async fn events(world: &World, account: &Account) -> Vec<String> {
    let page = world.context.events.page(&account.id, None, None, 50, clock::now()).await.unwrap();
    page.events.into_iter().map(|event| event.kind).collect()
}

#[tokio::test]
async fn a_new_secret_replaces_the_old_one_at_once() {
    let world = World::new();
    let account = world.account(10).await;
    let id = first_id(&world, &account).await;
    let Regenerated::Yes { key, secret } = regenerate(&world, &account, &id, NO_OVERLAP).await else { panic!("alive") };
    assert_eq!((key.key_id.as_str(), key.last4.as_str()), (id.as_str(), secret.last4()));
    assert_eq!((status(&world, &account.key).await, status(&world, &secret).await), (401, 200));
    let listed = keys(&world, &account).await;
    assert_eq!((listed.len(), listed[0].key.key_hash == secret.hash(), listed[0].old_secret_until), (1, true, None));
    assert!(events(&world, &account).await.is_empty(), "another secret is no revocation");
}

#[tokio::test]
async fn an_overlap_lets_both_work_and_a_further_secret_ends_it() {
    let world = World::new();
    let account = world.account(10).await;
    let id = first_id(&world, &account).await;
    let Regenerated::Yes { secret: second, .. } = regenerate(&world, &account, &id, Duration::from_secs(3600)).await
    else {
        panic!("alive")
    };
    assert_eq!((status(&world, &account.key).await, status(&world, &second).await), (200, 200));
    let until = keys(&world, &account).await[0].old_secret_until.unwrap();
    assert!(until > clock::now() && until <= clock::now().plus(Duration::from_secs(3600)));

    let Regenerated::Yes { secret: third, .. } = regenerate(&world, &account, &id, 2 * MAX_OVERLAP).await else {
        panic!("alive")
    };
    let works = (status(&world, &account.key).await, status(&world, &second).await, status(&world, &third).await);
    assert_eq!(works, (401, 200, 200), "one old secret at most");
    let until = keys(&world, &account).await[0].old_secret_until.unwrap();
    assert!(until <= clock::now().plus(MAX_OVERLAP), "no longer than seven days");
}

#[tokio::test]
async fn a_keys_own_expiry_is_inherited_and_never_extended() {
    let world = World::new();
    let account = world.account(10).await;
    let end = clock::now().plus(Duration::from_secs(1800));
    let secret = world.another_key(&account, Mode::Test, |key| key.expires_at = Some(end)).await;
    let id = world.context.keys.get(&secret.hash()).await.unwrap().unwrap().key_id;
    let Regenerated::Yes { key, secret: next } = regenerate(&world, &account, &id, MAX_OVERLAP).await else {
        panic!("alive")
    };
    assert_eq!((key.expires_at, key.mode), (Some(end), Mode::Test));
    assert!(next.reveal().starts_with("dm_test_"));
    let old = world.context.keys.get(&secret.hash()).await.unwrap().unwrap();
    assert_eq!(old.expires_at, Some(end));
}

#[tokio::test]
async fn two_regenerations_at_once_leave_one_new_secret() {
    for overlap in [NO_OVERLAP, Duration::from_secs(3600)] {
        let world = World::new();
        let account = world.account(10).await;
        let id = first_id(&world, &account).await;
        let seen = account.key.hash();
        let accounts = &world.context.accounts;
        let tries = (0..4).map(|_| accounts.regenerate_key(&account.id, &id, Some(&seen), overlap, clock::now()));
        let outcomes = join_all(tries).await;
        let mut made = Vec::new();
        for outcome in outcomes {
            match outcome.unwrap() {
                Regenerated::Yes { secret, .. } => made.push(secret),
                Regenerated::Superseded => {}
                Regenerated::NoSuchKey => panic!("the key is alive"),
            }
        }
        let alive = world.context.accounts.holder(&account.id, clock::now()).await.unwrap().unwrap().keys;
        let new: Vec<_> = alive.iter().filter(|key| key.key_hash != account.key.hash()).collect();
        assert_eq!((made.len(), new.len()), (1, 1));
        assert_eq!(new[0].key_hash, made[0].hash());
    }
}

#[tokio::test]
async fn a_form_that_was_shown_an_older_secret_changes_nothing() {
    let world = World::new();
    let account = world.account(10).await;
    let id = first_id(&world, &account).await;
    let seen = account.key.hash();
    assert!(matches!(regenerate(&world, &account, &id, NO_OVERLAP).await, Regenerated::Yes { .. }));
    let accounts = &world.context.accounts;
    let again = accounts.regenerate_key(&account.id, &id, Some(&seen), NO_OVERLAP, clock::now()).await.unwrap();
    assert!(matches!(again, Regenerated::Superseded));
}

#[tokio::test]
async fn a_regeneration_whose_answers_are_lost_makes_one_secret() {
    let world = World::new();
    let account = world.account(10).await;
    let id = first_id(&world, &account).await;
    world.watch.inject([Fault::lost_answer("TransactWriteItems")]);
    let Regenerated::Yes { secret, .. } = regenerate(&world, &account, &id, NO_OVERLAP).await else { panic!("alive") };
    assert_eq!(world.watch.unmet_faults(), 0);
    assert_eq!(status(&world, &secret).await, 200);
    assert_eq!(world.context.accounts.holder(&account.id, clock::now()).await.unwrap().unwrap().keys.len(), 1);
}

#[tokio::test]
async fn a_revocation_ends_every_secret_and_writes_one_event() {
    let world = World::new();
    let account = world.account(10).await;
    let id = first_id(&world, &account).await;
    let Regenerated::Yes { secret, .. } = regenerate(&world, &account, &id, MAX_OVERLAP).await else { panic!("alive") };
    let outcomes = join_all((0..4).map(|_| revoke(&world, &account, &id))).await;
    assert!(outcomes.iter().all(|outcome| *outcome != Revoked::NoSuchKey), "{outcomes:?}");
    assert_eq!((status(&world, &account.key).await, status(&world, &secret).await), (401, 401));
    assert_eq!(events(&world, &account).await, ["api_key.revoked"]);
    assert_eq!(revoke(&world, &account, &id).await, Revoked::Already);
    assert!(matches!(regenerate(&world, &account, &id, NO_OVERLAP).await, Regenerated::NoSuchKey));
    let listed = keys(&world, &account).await;
    assert!(listed.len() == 1 && listed[0].key.revoked_at.is_some());
}

#[tokio::test]
async fn a_key_that_is_revoked_while_it_gets_another_secret_stays_revoked() {
    for _ in 0..5 {
        let world = World::new();
        let account = world.account(10).await;
        let id = first_id(&world, &account).await;
        let (made, revoked) =
            tokio::join!(regenerate(&world, &account, &id, MAX_OVERLAP), revoke(&world, &account, &id));
        assert_eq!(revoked, Revoked::Yes);
        if let Regenerated::Yes { secret, .. } = made {
            assert_eq!(status(&world, &secret).await, 401, "the new secret is revoked too");
        }
        assert_eq!(status(&world, &account.key).await, 401);
        assert_eq!(events(&world, &account).await, ["api_key.revoked"]);
    }
}

fn details(tools: Option<&[&str]>) -> KeyDetails {
    let tools = tools.map(|tools| tools.iter().map(|tool| (*tool).to_owned()).collect());
    KeyDetails { name: "Edited".into(), allowed_tools: tools, allowed_origins: Vec::new(), expires_at: None }
}

async fn edit(world: &World, account: &Account, id: &str, details: &KeyDetails) -> KeyChanged {
    world.context.accounts.edit_key(&account.id, id, details, clock::now()).await.unwrap()
}

#[tokio::test]
async fn changed_details_of_a_key_apply_to_all_its_secrets() {
    let world = World::new();
    let account = world.account(10).await;
    let id = first_id(&world, &account).await;
    let Regenerated::Yes { secret, .. } = regenerate(&world, &account, &id, MAX_OVERLAP).await else { panic!("alive") };
    let stored = async |key: &ApiKey| world.context.keys.get(&key.hash()).await.unwrap().unwrap();
    let old_end = stored(&account.key).await.expires_at;
    let soon = clock::now().plus(Duration::from_secs(3600));
    let narrowed = KeyDetails {
        allowed_origins: vec!["https://app.example".into()],
        expires_at: Some(soon),
        ..details(Some(&["html-to-pdf"]))
    };
    assert_eq!(edit(&world, &account, &id, &narrowed).await, KeyChanged::Yes);
    for key in [&account.key, &secret] {
        let key = stored(key).await;
        assert_eq!((key.name.as_str(), key.allowed_tools), ("Edited", narrowed.allowed_tools.clone()));
        assert_eq!((key.allowed_origins, key.expires_at), (narrowed.allowed_origins.clone(), Some(soon)));
    }
    // An old secret never outlives its original expiry.
    let later = KeyDetails { expires_at: old_end.map(|end| end.plus(Duration::from_secs(60))), ..details(None) };
    assert_eq!(edit(&world, &account, &id, &later).await, KeyChanged::Yes);
    assert_eq!(
        (stored(&account.key).await.expires_at, stored(&secret).await.expires_at),
        (Some(soon), later.expires_at)
    );
    assert_eq!(edit(&world, &account, &id, &details(None)).await, KeyChanged::Yes);
    let (old, new) = (stored(&account.key).await, stored(&secret).await);
    assert_eq!((old.expires_at, new.expires_at, new.allowed_tools), (Some(soon), None, None));
    assert_eq!((status(&world, &account.key).await, status(&world, &secret).await), (200, 200));
}

#[tokio::test]
async fn a_key_that_is_edited_while_it_gets_another_secret_has_one_set_of_details() {
    for _ in 0..5 {
        let world = World::new();
        let account = world.account(10).await;
        let id = first_id(&world, &account).await;
        let narrowed = details(Some(&["html-to-pdf"]));
        let (made, edited) =
            tokio::join!(regenerate(&world, &account, &id, MAX_OVERLAP), edit(&world, &account, &id, &narrowed));
        assert_eq!(edited, KeyChanged::Yes);
        let Regenerated::Yes { secret, .. } = made else { panic!("nobody else made a secret") };
        for key in [&account.key, &secret] {
            let key = world.context.keys.get(&key.hash()).await.unwrap().unwrap();
            assert_eq!((key.name.as_str(), key.allowed_tools), ("Edited", narrowed.allowed_tools.clone()));
        }
    }
}

#[tokio::test]
async fn a_key_that_is_edited_while_it_is_revoked_stays_revoked() {
    for _ in 0..5 {
        let world = World::new();
        let account = world.account(10).await;
        let id = first_id(&world, &account).await;
        let wanted = details(None);
        let (revoked, _) = tokio::join!(revoke(&world, &account, &id), edit(&world, &account, &id, &wanted));
        assert_eq!((revoked, status(&world, &account.key).await), (Revoked::Yes, 401));
        assert_eq!(edit(&world, &account, &id, &wanted).await, KeyChanged::NoSuchKey);
    }
}

#[tokio::test]
async fn old_secrets_do_not_count_towards_the_limit_of_keys() {
    let world = World::new();
    let account = world.account(10).await;
    let id = first_id(&world, &account).await;
    assert!(matches!(regenerate(&world, &account, &id, MAX_OVERLAP).await, Regenerated::Yes { .. }));
    let template = world.context.keys.get(&account.key.hash()).await.unwrap().unwrap();
    let add = async |number: usize| {
        let secret = ApiKey::generate(Mode::Live);
        let key = StoredKey {
            key_hash: secret.hash(),
            key_id: format!("key_{number}"),
            last4: secret.last4().into(),
            expires_at: None,
            ..template.clone()
        };
        world.context.accounts.add_key(&key, clock::now()).await.unwrap()
    };
    for number in 2..MAX_KEYS {
        assert!(matches!(add(number).await, KeyAdded::Yes(_)), "the old secret took a place");
    }
    // One more key is allowed.
    let outcomes = join_all((MAX_KEYS..MAX_KEYS + 4).map(add)).await;
    let made = outcomes.iter().filter(|outcome| matches!(outcome, KeyAdded::Yes(_))).count();
    assert_eq!(made, 1);
    assert_eq!(keys(&world, &account).await.len(), MAX_KEYS);
}

#[tokio::test]
async fn a_suspension_reaches_secrets_that_are_created_at_the_same_time() {
    let world = World::new();
    let account = world.account(10).await;
    let id = first_id(&world, &account).await;
    let profile = world.context.usage.profile(&account.id).await.unwrap().unwrap();
    let mut policy = profile.policy();
    policy.suspended = true;
    let by = author();
    let (changed, made) = tokio::join!(
        world.context.accounts.change(&account.id, profile.version, &policy, &by),
        regenerate(&world, &account, &id, MAX_OVERLAP),
    );
    assert!(matches!(changed.unwrap(), Changed::Written(_)));
    let Regenerated::Yes { secret, .. } = made else { panic!("alive") };
    assert_eq!((status(&world, &account.key).await, status(&world, &secret).await), (403, 403));
}

#[tokio::test]
async fn another_accounts_keys_are_out_of_reach() {
    let world = World::new();
    let (account, stranger) = (world.account(10).await, world.account(10).await);
    let id = first_id(&world, &account).await;
    assert_eq!(revoke(&world, &stranger, &id).await, Revoked::NoSuchKey);
    assert!(matches!(regenerate(&world, &stranger, &id, NO_OVERLAP).await, Regenerated::NoSuchKey));
    assert_eq!(status(&world, &account.key).await, 200);
    assert!(keys(&world, &stranger).await.iter().all(|key| key.key.key_id != id));
}
