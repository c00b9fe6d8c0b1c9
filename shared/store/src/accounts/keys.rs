//! Changes of existing keys: new secrets, revocation, and the list for people.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::{Put, TransactWriteItem, Update};

use super::{Accounts, Holder};
use crate::StoreError;
use crate::dynamo::{self, TRIES, Transacted, back_off, get, too_contended, transact};
use crate::events::StoredEvent;
use crate::item::{UsageItem, nested, string, time, to_item};
use docmill_domain::account::{Limiter, Profile, StoredKey};
use docmill_domain::api_key::{ApiKey, KeyHash};
use docmill_domain::event::{self, EventKind};
use docmill_domain::quota::RatePolicy;
use docmill_domain::time::Timestamp;

/// How long an old secret may keep working next to its successor.
pub const MAX_OVERLAP: Duration = Duration::from_secs(7 * 86_400);
/// Most keys in a list besides the active ones.
const LISTED: i32 = 60;

/// A key as people know it: one id with all of its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountKey {
    /// With its latest secret.
    pub key: StoredKey,
    /// When its first known secret was created.
    pub created_at: Timestamp,
    /// When any of its secrets was last used.
    pub last_used_at: Option<Timestamp>,
    /// When the previous secret stops working.
    pub old_secret_until: Option<Timestamp>,
}

/// The outcome of giving a key a new secret.
#[derive(Debug)]
pub enum Regenerated {
    /// The key has the new secret.
    Yes {
        /// The key with its new secret's hash.
        key: Box<StoredKey>,
        /// To be shown once: it can't be read back.
        secret: ApiKey,
    },
    /// Somebody else regenerated the key at the same time.
    Superseded,
    /// There is no active key with this id.
    NoSuchKey,
}

/// A key's settings other than its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyDetails {
    /// Its owner's label.
    pub name: String,
    /// Slugs; `None` means every tool that the plan allows.
    pub allowed_tools: Option<Vec<String>>,
    /// Origins of browsers; if empty, the `Origin` header is not checked.
    pub allowed_origins: Vec<String>,
    /// `None` if it never expires.
    pub expires_at: Option<Timestamp>,
}

/// The outcome of changing a key's details.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyChanged {
    /// All secrets that still work have the new details.
    Yes,
    /// There is no active key with this id.
    NoSuchKey,
}

/// The outcome of revoking a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revoked {
    /// No secret of the key works any more.
    Yes,
    /// It was dead before.
    Already,
    /// The account has no key with this id.
    NoSuchKey,
}

impl Accounts {
    /// Gives a key a new secret. The old one, `seen` if given, ends after `overlap`; one that was already replaced ends at once.
    ///
    /// # Errors
    /// If the table can't be written now, or the account changes again and again.
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
            // Our own earlier try, whose response was lost.
            if current.key_hash == secret.hash() {
                return Ok(Regenerated::Yes { key: Box::new(current.clone()), secret: secret.clone() });
            }
            // Timeline: A and B regenerate the key at once. A's transaction increases the account's revision. B's fails, reads
            // again, and finds another secret than the one it was to replace: A's stays the only new one.
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

    /// The transaction that replaces the previous secrets by `successor`.
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
            // Hashes never repeat, but a repetition would overwrite somebody else's key.
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
                // An update would otherwise create a removed key again.
                .condition_expression("attribute_exists(account)")
                .update_expression("SET expires_at = :end")
                .expression_attribute_values(":end", time(end));
            writes.push(dynamo::update(update.build())?);
        }
        writes.push(self.list_keys(&successor.account, &holder.profile, listed)?);
        Ok(writes)
    }

    /// Changes a key's details for all secrets that still work.
    ///
    /// # Errors
    /// If the table can't be written now, or the account changes again and again.
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
            // Timeline: A removes a tool from the key while B gives it a new secret with the details that B read. Each increases
            // the account's revision. If B commits first, A's transaction fails, reads again, and removes the tool from both
            // secrets. If A commits first, B's fails, and the new secret gets A's details.
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
            // An update would otherwise create a removed key again.
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

    /// Revokes a key with all its secrets and records the event. Revoking a revoked key changes nothing.
    ///
    /// # Errors
    /// If the table can't be written now, or the account changes again and again.
    pub async fn revoke_key(&self, account: &str, key_id: &str, now: Timestamp) -> Result<Revoked, StoreError> {
        for attempt in 0..TRIES {
            let Some(holder) = self.holder_of(account, key_id, now).await? else { return Ok(Revoked::NoSuchKey) };
            let Some(current) = latest(of_id(&holder, key_id)) else {
                // A retry finds the key revoked, by its own earlier write or another one.
                return if attempt > 0 { Ok(Revoked::Yes) } else { self.was_revoked(account, key_id).await };
            };
            // Timeline: A revokes the key while B gives it a new secret. If B commits first, A's transaction finds another
            // revision, reads again, and revokes both secrets. If A commits first, B finds no active key.
            let others = holder.keys.iter().filter(|key| key.key_id != key_id).map(|key| key.key_hash.clone());
            let mut writes = vec![self.list_keys(account, &holder.profile, others.collect())?];
            let data = event::key_revoked(current, now);
            writes.push(StoredEvent::new(account, EventKind::ApiKeyRevoked, now, data).put(&self.tables.events)?);
            for key in of_id(&holder, key_id) {
                let update = Update::builder()
                    .table_name(&self.tables.keys)
                    .key("key_hash", string(key.key_hash.as_str()))
                    // An update would otherwise create a removed key again.
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

    /// A consistent read of the account. If it has no key of this id, a second read of the same revision has confirmed that.
    ///
    /// Timeline: A reads the profile, B gives the key a new secret, A reads the keys. The old secret has ended, and A's list does
    /// not have the new one. The revision has changed, so A reads again.
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

    /// An account's keys, newest first: the active ones and the latest others. Only for display: no decision depends on it.
    ///
    /// Timeline: A lists the keys, B gives one a new secret, A reads the keys. A's list shows the old secret, possibly as ended.
    /// A's next read shows the new one.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn keys_of(&self, account: &str, now: Timestamp) -> Result<Vec<AccountKey>, StoreError> {
        let profile = get::<Profile>(&self.client, &self.tables.usage, UsageItem::Profile.key(account));
        let (profile, recent) = futures_util::try_join!(profile, self.keys.recent_of_account(account, LISTED))?;
        let Some(profile) = profile else { return Ok(Vec::new()) };
        // The index is late, so the active keys come from the profile.
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

/// The earlier of two times, which may both be missing.
fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    one.into_iter().chain(other).min_by_key(|end| end.as_millis())
}

/// The newest of a key's secrets.
fn latest<'a>(keys: impl Iterator<Item = &'a StoredKey>) -> Option<&'a StoredKey> {
    keys.max_by_key(|key| key.created_at.as_millis())
}

/// The key with a new secret and idle limiters.
fn successor(current: &StoredKey, secret: &ApiKey, now: Timestamp) -> StoredKey {
    let limit = |policy| current.limiter.limit(policy);
    StoredKey {
        key_hash: secret.hash(),
        last4: secret.last4().to_owned(),
        // Later than the previous one, even if clocks differ: a key's secrets are sorted by this.
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
