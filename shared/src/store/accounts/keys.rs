//! What happens to an account's keys after they were made: another secret, revocation, and the list that people see.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::{Put, TransactWriteItem, Update};

use super::{Accounts, Holder};
use crate::domain::account::{Limiter, Profile, StoredKey};
use crate::domain::api_key::{ApiKey, KeyHash};
use crate::domain::event::{self, EventKind};
use crate::domain::quota::RatePolicy;
use crate::domain::time::Timestamp;
use crate::store::StoreError;
use crate::store::dynamo::{self, TRIES, Transacted, back_off, get, too_contended, transact};
use crate::store::events::StoredEvent;
use crate::store::item::{UsageItem, nested, string, time, to_item};

/// How long an old secret may go on beside its successor.
pub const MAX_OVERLAP: Duration = Duration::from_secs(7 * 86_400);
/// How many of an account's keys a list looks at beside those that are alive.
const LISTED: i32 = 60;

/// A key as people know it: one id, with all secrets that it has had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountKey {
    /// With its latest secret.
    pub key: StoredKey,
    /// When its first secret was made, as far as old secrets are still known.
    pub created_at: Timestamp,
    /// When any of its secrets was last used.
    pub last_used_at: Option<Timestamp>,
    /// Until when the secret before still works.
    pub old_secret_until: Option<Timestamp>,
}

#[derive(Debug)]
pub enum Regenerated {
    Yes {
        key: Box<StoredKey>,
        secret: ApiKey,
    },
    /// Somebody else regenerated the key at the same time.
    Superseded,
    /// No key of this id is alive.
    NoSuchKey,
}

/// What people decide about a key besides its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyDetails {
    pub name: String,
    /// Slugs; `None` means every tool that the plan allows.
    pub allowed_tools: Option<Vec<String>>,
    pub allowed_origins: Vec<String>,
    pub expires_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyChanged {
    Yes,
    /// No key of this id is alive.
    NoSuchKey,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revoked {
    Yes,
    /// It was dead before.
    Already,
    NoSuchKey,
}

impl Accounts {
    /// Gives a key another secret. The old one, `seen` if it is given, ends after `overlap`; one that was still in its own
    /// overlap ends at once.
    pub async fn regenerate_key(
        &self,
        account: &str,
        key_id: &str,
        seen: Option<&KeyHash>,
        overlap: Duration,
        now: Timestamp,
    ) -> Result<Regenerated, StoreError> {
        let (mut seen, mut made): (Option<KeyHash>, Option<ApiKey>) = (seen.cloned(), None);
        for attempt in 0..TRIES {
            let Some(holder) = self.holder_of(account, key_id, now).await? else { return Ok(Regenerated::NoSuchKey) };
            let Some(current) = latest(of_id(&holder, key_id)) else {
                return Ok(Regenerated::NoSuchKey);
            };
            let secret = made.get_or_insert_with(|| ApiKey::generate(current.mode));
            // Our own earlier try, whose answer was lost.
            if current.key_hash == secret.hash() {
                return Ok(Regenerated::Yes { key: Box::new(current.clone()), secret: secret.clone() });
            }
            // Timeline: A and B regenerate the key at once. A's transaction moves the account's revision on; B's fails,
            // reads again, and finds another secret than the one it was to replace: A's stays the only new one.
            if *seen.get_or_insert_with(|| current.key_hash.clone()) != current.key_hash {
                return Ok(Regenerated::Superseded);
            }
            let successor = successor(current, secret, now).with_policy(holder.profile.policy());
            let writes = self.replace(&holder, &successor, now.plus(overlap.min(MAX_OVERLAP)), now)?;
            match transact(&self.client, writes).await? {
                Transacted::Committed => {
                    return Ok(Regenerated::Yes { key: Box::new(successor), secret: secret.clone() });
                }
                Transacted::Failed(_) | Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    /// The transaction that puts `successor` in the place of the secrets before.
    fn replace(
        &self,
        holder: &Holder,
        successor: &StoredKey,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Vec<TransactWriteItem>, StoreError> {
        let put = Put::builder()
            .table_name(&self.tables.keys)
            .set_item(Some(to_item(successor)?))
            // A hash never repeats; if it did, somebody else's key would be overwritten.
            .condition_expression("attribute_not_exists(key_hash)");
        let mut writes = vec![dynamo::put(put.build())?];
        let others = holder.keys.iter().filter(|key| key.key_id != successor.key_id);
        let mut listed: Vec<_> = others.map(|key| key.key_hash.clone()).chain([successor.key_hash.clone()]).collect();
        let current = latest(of_id(holder, &successor.key_id)).map(|key| &key.key_hash);
        for key in of_id(holder, &successor.key_id) {
            let is_current = current == Some(&key.key_hash);
            let end = if is_current { key.expires_at.map_or(until, |expires| expires.min(until)) } else { now };
            if end > now {
                listed.push(key.key_hash.clone());
            }
            let update = Update::builder()
                .table_name(&self.tables.keys)
                .key("key_hash", string(key.key_hash.as_str()))
                // The update would otherwise create a key that was removed.
                .condition_expression("attribute_exists(account)")
                .update_expression("SET expires_at = :end")
                .expression_attribute_values(":end", time(end));
            writes.push(dynamo::update(update.build())?);
        }
        writes.push(self.list_keys(&successor.account, &holder.profile, listed)?);
        Ok(writes)
    }

    /// Gives a key other details, for all its secrets that still work.
    pub async fn edit_key(
        &self,
        account: &str,
        key_id: &str,
        details: &KeyDetails,
        now: Timestamp,
    ) -> Result<KeyChanged, StoreError> {
        for attempt in 0..TRIES {
            let Some(holder) = self.holder_of(account, key_id, now).await? else { return Ok(KeyChanged::NoSuchKey) };
            let Some(current) = latest(of_id(&holder, key_id)) else { return Ok(KeyChanged::NoSuchKey) };
            // Timeline: A takes a tool from the key while B gives it another secret, with the details that B read. Each moves
            // the account's revision on. If B's transaction is first, A's fails, reads again, and takes the tool from both
            // secrets; if A's is first, B's fails, and the new secret gets what A wrote.
            let listed = holder.keys.iter().map(|key| key.key_hash.clone()).collect();
            let mut writes = vec![self.list_keys(account, &holder.profile, listed)?];
            for key in of_id(&holder, key_id) {
                let is_current = key.key_hash == current.key_hash;
                let end = if is_current { details.expires_at } else { earlier(key.expires_at, details.expires_at) };
                writes.push(self.write_details(key, details, end)?);
            }
            match transact(&self.client, writes).await? {
                Transacted::Committed => return Ok(KeyChanged::Yes),
                Transacted::Failed(_) | Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    fn write_details(
        &self,
        key: &StoredKey,
        details: &KeyDetails,
        end: Option<Timestamp>,
    ) -> Result<TransactWriteItem, StoreError> {
        let (mut set, mut remove) = (vec!["#name = :name", "allowed_origins = :origins"], Vec::new());
        let mut update = Update::builder()
            .table_name(&self.tables.keys)
            .key("key_hash", string(key.key_hash.as_str()))
            // The update would otherwise create a key that was removed.
            .condition_expression("attribute_exists(account)")
            .expression_attribute_names("#name", "name")
            .expression_attribute_values(":name", string(&details.name))
            .expression_attribute_values(":origins", nested(&details.allowed_origins)?);
        match &details.allowed_tools {
            Some(tools) => {
                set.push("allowed_tools = :tools");
                update = update.expression_attribute_values(":tools", nested(tools)?);
            }
            None => remove.push("allowed_tools"),
        }
        match end {
            Some(end) => {
                set.push("expires_at = :end");
                update = update.expression_attribute_values(":end", time(end));
            }
            None => remove.push("expires_at"),
        }
        let remove = if remove.is_empty() { String::new() } else { format!(" REMOVE {}", remove.join(", ")) };
        dynamo::update(update.update_expression(format!("SET {}{remove}", set.join(", "))).build())
    }

    /// Revokes a key with all its secrets at once, and writes the event. Revoking a revoked key changes nothing.
    pub async fn revoke_key(&self, account: &str, key_id: &str, now: Timestamp) -> Result<Revoked, StoreError> {
        for attempt in 0..TRIES {
            let Some(holder) = self.holder_of(account, key_id, now).await? else { return Ok(Revoked::NoSuchKey) };
            let Some(current) = latest(of_id(&holder, key_id)) else {
                // Here a later try finds its own earlier write, or another one's.
                return if attempt > 0 { Ok(Revoked::Yes) } else { self.was_revoked(account, key_id).await };
            };
            // Timeline: A revokes the key while B gives it another secret. If B's transaction is first, A's finds another
            // revision, reads again, and revokes both secrets; if A's is first, B finds no key that is alive.
            let others = holder.keys.iter().filter(|key| key.key_id != key_id).map(|key| key.key_hash.clone());
            let mut writes = vec![self.list_keys(account, &holder.profile, others.collect())?];
            let data = event::key_revoked(current, now);
            writes.push(StoredEvent::new(account, EventKind::ApiKeyRevoked, now, data).put(&self.tables.events)?);
            for key in of_id(&holder, key_id) {
                let update = Update::builder()
                    .table_name(&self.tables.keys)
                    .key("key_hash", string(key.key_hash.as_str()))
                    // The update would otherwise create a key that was removed.
                    .condition_expression("attribute_exists(account)")
                    .update_expression("SET revoked_at = :now")
                    .expression_attribute_values(":now", time(now));
                writes.push(dynamo::update(update.build())?);
            }
            match transact(&self.client, writes).await? {
                Transacted::Committed => return Ok(Revoked::Yes),
                Transacted::Failed(_) | Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    /// The account as one look found it. Where that look found no key of the id, another one of the same revision did not
    /// either.
    ///
    /// Timeline: A reads the profile, B gives the key another secret, A reads the keys: the old secret has ended, and the
    /// new one was not in the list that A read. The revision has moved on, and A looks again.
    async fn holder_of(&self, account: &str, key_id: &str, now: Timestamp) -> Result<Option<Holder>, StoreError> {
        let mut seen = None;
        for _ in 0..TRIES {
            let Some(holder) = self.holder(account, now).await? else { return Ok(None) };
            let revision = holder.profile.revision;
            if of_id(&holder, key_id).next().is_some() || seen.replace(revision) == Some(revision) {
                return Ok(Some(holder));
            }
        }
        Err(too_contended())
    }

    async fn was_revoked(&self, account: &str, key_id: &str) -> Result<Revoked, StoreError> {
        let hashes = self.keys.recent_of_account(account, LISTED).await?;
        let known = self.keys.get_all(&hashes).await?.iter().any(|key| key.key_id == key_id);
        Ok(if known { Revoked::Already } else { Revoked::NoSuchKey })
    }

    /// An account's keys, the newest first: those that are alive, and the latest of the others. For people to look at, and
    /// nothing is decided by it.
    ///
    /// Timeline: A reads which keys there are, B gives one another secret, A reads the keys: A's list shows the key with its
    /// old secret, and if that has ended, as ended. What A reads next shows it as it is.
    pub async fn keys_of(&self, account: &str, now: Timestamp) -> Result<Vec<AccountKey>, StoreError> {
        let profile = get::<Profile>(&self.client, &self.tables.usage, UsageItem::Profile.key(account));
        let (profile, recent) = futures_util::try_join!(profile, self.keys.recent_of_account(account, LISTED))?;
        let Some(profile) = profile else { return Ok(Vec::new()) };
        // The index lags behind; the profile lists what is alive without it.
        let listed = match profile.revision {
            0 => self.keys.of_account(account).await?,
            _ => profile.keys,
        };
        let others = recent.iter().filter(|hash| !listed.contains(hash));
        let mut keys = self.keys.get_all(&listed.iter().chain(others).cloned().collect::<Vec<_>>()).await?;
        keys.retain(|key| !key.is_dead_at(now) || recent.contains(&key.key_hash));
        keys.retain(|key| key.account == account && !key.is_dashboards());
        Ok(by_id(keys, now))
    }
}

fn of_id<'a>(holder: &'a Holder, key_id: &'a str) -> impl Iterator<Item = &'a StoredKey> {
    holder.keys.iter().filter(move |key| key.key_id == key_id)
}

/// The earlier of two ends, either of which may not be set.
fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    one.into_iter().chain(other).min_by_key(|end| end.as_millis())
}

/// Of several secrets of one key the one that was made last.
fn latest<'a>(keys: impl Iterator<Item = &'a StoredKey>) -> Option<&'a StoredKey> {
    keys.max_by_key(|key| key.created_at.as_millis())
}

/// The key with a new secret and an idle limiter.
fn successor(current: &StoredKey, secret: &ApiKey, now: Timestamp) -> StoredKey {
    let limit = |policy| current.limiter.limit(policy);
    StoredKey {
        key_hash: secret.hash(),
        last4: secret.last4().to_owned(),
        // Later than the one before, even if clocks differ: the secrets of a key are ordered by this.
        created_at: now.max(Timestamp(current.created_at.as_millis() + 1)),
        limiter: Limiter::new(limit(RatePolicy::Create), limit(RatePolicy::Read)),
        ..current.clone()
    }
}

fn by_id(keys: Vec<StoredKey>, now: Timestamp) -> Vec<AccountKey> {
    let mut secrets: BTreeMap<String, Vec<StoredKey>> = BTreeMap::new();
    for key in keys {
        secrets.entry(key.key_id.clone()).or_default().push(key);
    }
    let of_key = |mut secrets: Vec<StoredKey>| {
        secrets.sort_by_key(|key| key.created_at.as_millis());
        let created_at = secrets.first()?.created_at;
        let last_used_at = secrets.iter().filter_map(|secret| secret.last_used_at).max_by_key(|at| at.as_millis());
        let key = secrets.pop()?;
        let alive = secrets.iter().filter(|old| !old.is_dead_at(now)).filter_map(|old| old.expires_at);
        Some(AccountKey { key, created_at, last_used_at, old_secret_until: alive.max() })
    };
    let mut keys: Vec<_> = secrets.into_values().filter_map(of_key).collect();
    keys.sort_by_key(|key| std::cmp::Reverse(key.key.created_at.as_millis()));
    keys
}
