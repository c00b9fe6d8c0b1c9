//! Users of the dashboard: their accounts, and the end of their sessions.

use std::time::Duration;

use docmill_config::clock;
use docmill_domain::time::Timestamp;
use docmill_domain::user::{Email, Identity, Link, Role, SESSION_IDLE, Session, SessionToken, User, UserId};
use futures_util::future::join_all;
use uuid::Uuid;

use crate::support::world::World;

/// An identity that no other test uses.
fn stranger() -> Identity {
    let name = Uuid::now_v7().simple().to_string();
    Identity {
        issuer: "https://issuer.example".into(),
        email: Email::parse(&format!("{name}@docmill.test")).unwrap(),
        subject: name,
        email_verified: true,
        role: Role::User,
    }
}

fn session_of(user: &User, now: Timestamp) -> Session {
    let session = SessionToken::generate().id();
    Session { session, user: user.user.clone(), role: Role::User, began_at: now, seen_at: now }
}

#[tokio::test]
async fn first_sign_ins_at_once_make_one_user_with_one_account() {
    let world = World::new();
    let identity = stranger();
    let arrivals = join_all((0..8).map(|_| world.context.users.enter(&identity, clock::now()))).await;
    let users: Vec<_> = arrivals.into_iter().map(Result::unwrap).collect();
    assert!(users.iter().all(|user| user.account == users[0].account), "{users:?}");
    let profile = world.context.usage.profile(&users[0].account).await.unwrap().unwrap();
    assert_eq!((profile.name.as_str(), profile.plan.as_str()), (identity.email.as_str(), "free"));
    assert_eq!(world.context.users.users(Some(&identity.email)).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_link_applies_to_verified_addresses_only() {
    let world = World::new();
    let account = world.account(10).await;
    let owner = stranger();
    let impostor = Identity { email: owner.email.clone(), email_verified: false, ..stranger() };
    let users = &world.context.users;
    let early = users.enter(&owner, clock::now()).await.unwrap();
    assert_ne!(early.account, account.id);

    let link = Link { email: owner.email.clone(), account: account.id.clone(), created_at: clock::now() };
    users.link(&link).await.unwrap();
    assert_ne!(users.enter(&impostor, clock::now()).await.unwrap().account, account.id);
    // Users who signed in before are moved there too.
    assert_eq!(users.enter(&owner, clock::now()).await.unwrap().account, account.id);
    assert_eq!(users.get(&early.user).await.unwrap().unwrap().account, account.id);
    let newcomer = Identity { subject: "another subject".into(), ..owner.clone() };
    assert_eq!(users.enter(&newcomer, clock::now()).await.unwrap().account, account.id);
    assert!(users.links().await.unwrap().contains(&link));
}

#[tokio::test]
async fn unlinking_removes_the_users_with_the_address_from_the_account() {
    let world = World::new();
    let account = world.account(10).await;
    let owner = stranger();
    let users = &world.context.users;
    let link = Link { email: owner.email.clone(), account: account.id.clone(), created_at: clock::now() };
    users.link(&link).await.unwrap();
    let user = users.enter(&owner, clock::now()).await.unwrap();
    assert_eq!(users.unlink(&owner.email).await.unwrap(), 1);
    // Without a user, no session is valid.
    assert_eq!(users.get(&user.user).await.unwrap(), None);
    assert_ne!(users.enter(&owner, clock::now()).await.unwrap().account, account.id);
    assert_eq!(users.unlink(&owner.email).await.unwrap(), 1);
    assert_eq!(users.unlink(&owner.email).await.unwrap(), 0);
}

#[tokio::test]
async fn an_accounts_people_are_those_who_belong_to_it_now() {
    let world = World::new();
    let account = world.account(10).await;
    let users = &world.context.users;
    let mut expected = Vec::new();
    for _ in 0..2 {
        let identity = stranger();
        let link = Link { email: identity.email.clone(), account: account.id.clone(), created_at: clock::now() };
        let alone = users.enter(&identity, clock::now()).await.unwrap();
        assert_eq!(users.of_account(&alone.account).await.unwrap(), std::slice::from_ref(&alone));
        users.link(&link).await.unwrap();
        expected.push(users.enter(&identity, clock::now()).await.unwrap());
        assert_eq!(users.of_account(&alone.account).await.unwrap(), [], "they have moved");
    }
    let mut found = users.of_account(&account.id).await.unwrap();
    found.sort_by(|one, other| one.email.as_str().cmp(other.email.as_str()));
    expected.sort_by(|one, other| one.email.as_str().cmp(other.email.as_str()));
    assert_eq!(found, expected, "and no link among them");
}

#[tokio::test]
async fn an_idle_session_is_over_even_if_the_table_still_has_it() {
    let world = World::new();
    let user = world.context.users.enter(&stranger(), clock::now()).await.unwrap();
    let sessions = &world.context.sessions;
    let now = clock::now();
    let session = session_of(&user, now);
    sessions.begin(&session).await.unwrap();
    assert_eq!(sessions.find(&session.session, now).await.unwrap(), Some(session.clone()));
    assert_eq!(sessions.find(&session.session, now.plus(SESSION_IDLE)).await.unwrap(), None);
    // A recorded use extends the session.
    let later = now.plus(SESSION_IDLE - Duration::from_secs(1));
    sessions.note_use(&session, later).await.unwrap();
    let found = sessions.find(&session.session, now.plus(SESSION_IDLE)).await.unwrap().unwrap();
    assert_eq!(found.seen_at, later);
}

#[tokio::test]
async fn a_late_update_does_not_recreate_an_ended_session_or_unknown_user() {
    let world = World::new();
    let user = world.context.users.enter(&stranger(), clock::now()).await.unwrap();
    let sessions = &world.context.sessions;
    let now = clock::now();
    let session = session_of(&user, now);
    sessions.begin(&session).await.unwrap();
    sessions.end(&session.session).await.unwrap();
    let later = now.plus(Duration::from_secs(3600));
    sessions.note_use(&session, later).await.unwrap();
    assert_eq!(sessions.find(&session.session, later).await.unwrap(), None);

    let nobody = UserId::of("https://issuer.example", "nobody");
    assert!(!world.context.users.sign_out_everywhere(&nobody, now).await.unwrap());
    assert_eq!(world.context.users.get(&nobody).await.unwrap(), None);
}

#[tokio::test]
async fn signing_out_everywhere_ends_earlier_sessions_but_not_later_ones() {
    let world = World::new();
    let users = &world.context.users;
    let user = users.enter(&stranger(), clock::now()).await.unwrap();
    let now = clock::now();
    assert!(users.sign_out_everywhere(&user.user, now).await.unwrap());
    let user = users.get(&user.user).await.unwrap().unwrap();
    assert!(session_of(&user, now).was_ended_by(&user));
    assert!(!session_of(&user, now.plus(Duration::from_millis(1))).was_ended_by(&user));
}
