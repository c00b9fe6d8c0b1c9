//! The Keys table: one conditional update authenticates, rate-limits, reads the key and records its use.

use std::collections::HashMap;
use std::sync::Mutex;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{ReturnValue, ReturnValuesOnConditionCheckFailure};

use super::dynamo::{failed_condition, get, get_all, send};
use super::item::{BY_ACCOUNT, Item, from_item, number, string, time};
use super::{StoreError, store_error};
use docmill_domain::account::StoredKey;
use docmill_domain::api_key::KeyHash;
use docmill_domain::quota::RatePolicy;
use docmill_domain::time::Timestamp;

/// Each failed try shows the current state, which other requests may change once or twice more.
const MAX_TRIES: usize = 6;
const MAX_REMEMBERED: usize = 10_000;

/// Keys as requests use them. [`accounts`](crate::accounts) creates and changes them.
#[derive(Debug)]
pub struct Keys {
    client: Client,
    table: String,
    /// The last known state of each limiter, so that one call usually suffices.
    seen: Mutex<HashMap<(KeyHash, RatePolicy), Seen>>,
}

/// The two states of a limiter. Each has its own condition, because conditions can't calculate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Branch {
    /// The theoretical arrival time has passed: start again from now.
    Idle,
    /// It is in the future: increase it by one emission, if the earliest allowed time has come.
    Busy,
}

/// The last known state of a limiter.
#[derive(Clone, Copy, Debug)]
struct Seen {
    tat: Timestamp,
    /// Other environments keep the key busy, even if this one gets no requests.
    busy_elsewhere: bool,
}

/// Whether a key may send a request.
#[derive(Debug)]
pub enum Admission {
    /// The key after this request was counted.
    Admitted(StoredKey),
    /// Not counted: nothing is admitted before this time.
    Limited {
        /// The key as it was read.
        key: StoredKey,
        /// When to try again.
        allow_at: Timestamp,
    },
    /// Revoked, expired or replaced.
    Dead(StoredKey),
    /// There is no such key.
    Unknown,
}

impl Keys {
    /// `table`: the Keys table. Each value remembers the keys that it has seen: have one per environment.
    pub fn new(client: Client, table: String) -> Self {
        Self { client, table, seen: Mutex::default() }
    }

    /// Counts a request of the key under `policy`, if the key is active and its limiter admits it.
    ///
    /// # Errors
    /// If the table can't be written now. The request may have been counted.
    pub async fn admit(&self, hash: &KeyHash, policy: RatePolicy, now: Timestamp) -> Result<Admission, StoreError> {
        let mut branch = self.expected_branch(hash, policy, now);
        let mut last = None;
        for _ in 0..MAX_TRIES {
            let old = match self.count(hash, policy, branch, now).await? {
                Counted::Yes(key) => {
                    self.remember(hash, policy, &key, branch, now);
                    return Ok(Admission::Admitted(key));
                }
                Counted::No(None) => return Ok(Admission::Unknown),
                Counted::No(Some(old)) => old,
            };
            if old.is_dead_at(now) {
                return Ok(Admission::Dead(old));
            }
            let (tat, allow_at) = old.limiter.state(policy);
            branch = match (tat, allow_at) {
                (Some(tat), Some(allow_at)) if tat > now && allow_at > now => {
                    return Ok(Admission::Limited { key: old, allow_at });
                }
                (Some(tat), Some(_)) if tat > now => Branch::Busy,
                _ => Branch::Idle,
            };
            last = allow_at.map(|allow_at| (old, allow_at));
        }
        // Others were faster every time, which counts as reaching the limit.
        match last {
            Some((key, allow_at)) => Ok(Admission::Limited { key, allow_at: allow_at.max(now) }),
            None => Err(StoreError::Unavailable("the key's limiter changed during every attempt".into())),
        }
    }

    /// Counts further requests of an admitted key, for a request that was worth several. The request itself goes on; those after
    /// it wait.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn charge(&self, charged: &StoredKey, policy: RatePolicy, requests: u32) -> Result<(), StoreError> {
        if requests == 0 {
            return Ok(());
        }
        let emission = charged.limiter.limit(policy).emission_ms();
        let policy = policy.as_str();
        let update = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key(&charged.key_hash)))
            // Timeline: the key is deleted with its account while the request is answered. Nothing is left to charge.
            .condition_expression(format!("attribute_exists({policy}_tat) AND attribute_exists({policy}_allow_at)"))
            .update_expression(format!(
                "SET {policy}_tat = {policy}_tat + :further, {policy}_allow_at = {policy}_allow_at + :further"
            ))
            .expression_attribute_values(":further", number(emission * i64::from(requests)));
        match Box::pin(send(update)).await {
            Ok(_) => Ok(()),
            Err(error) if failed_condition(&error).is_some() => Ok(()),
            Err(error) => Err(store_error(&error)),
        }
    }

    async fn count(
        &self,
        hash: &KeyHash,
        policy: RatePolicy,
        branch: Branch,
        now: Timestamp,
    ) -> Result<Counted, StoreError> {
        let policy = policy.as_str();
        // Every branch begins with attribute_exists, because UpdateItem would otherwise create an unknown key.
        let alive = "attribute_exists(account) AND attribute_not_exists(revoked_at) \
                     AND (attribute_not_exists(expires_at) OR expires_at > :now)";
        let (condition, update) = match branch {
            // Timeline: A and B both see an idle key. A's update moves tat into the future. B's condition `tat <= :now` then
            // fails, and B tries the busy branch on A's state. No request is lost or counted twice.
            Branch::Idle => (
                format!("{alive} AND (attribute_not_exists({policy}_tat) OR {policy}_tat <= :now)"),
                format!(
                    "SET {policy}_tat = :now + {policy}_emission, \
                     {policy}_allow_at = :now - {policy}_idle_slack, last_used_at = :now"
                ),
            ),
            // Timeline: A and B compete for the last place. A moves allow_at into the future, and B's `allow_at <= :now` fails:
            // 429.
            Branch::Busy => (
                format!("{alive} AND {policy}_allow_at <= :now AND {policy}_tat > :now"),
                format!(
                    "SET {policy}_tat = {policy}_tat + {policy}_emission, \
                     {policy}_allow_at = {policy}_allow_at + {policy}_emission, last_used_at = :now"
                ),
            ),
        };
        let result = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key(hash)))
            .condition_expression(condition)
            .update_expression(update)
            .expression_attribute_values(":now", time(now))
            .return_values(ReturnValue::AllNew)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        match result {
            Ok(output) => {
                let item = output.attributes.ok_or_else(|| StoreError::Malformed("no key came back".into()))?;
                Ok(Counted::Yes(from_item(item)?))
            }
            Err(error) => match failed_condition(&error) {
                Some(None) => Ok(Counted::No(None)),
                Some(Some(old)) => Ok(Counted::No(Some(from_item(old)?))),
                None => Err(store_error(&error)),
            },
        }
    }

    /// The branch that the limiter should be in by now. If it is in the other, the update fails and returns the item.
    fn expected_branch(&self, hash: &KeyHash, policy: RatePolicy, now: Timestamp) -> Branch {
        let seen = self.seen.lock().ok().and_then(|seen| seen.get(&(hash.clone(), policy)).copied());
        if seen.is_some_and(|seen| seen.busy_elsewhere || seen.tat > now) { Branch::Busy } else { Branch::Idle }
    }

    fn remember(&self, hash: &KeyHash, policy: RatePolicy, key: &StoredKey, branch: Branch, now: Timestamp) {
        let (Ok(mut seen), Some(tat)) = (self.seen.lock(), key.limiter.state(policy).0) else { return };
        if seen.len() >= MAX_REMEMBERED {
            seen.clear();
        }
        let entry = (hash.clone(), policy);
        let before = seen.get(&entry);
        let busy_elsewhere = match branch {
            Branch::Idle => false,
            Branch::Busy => before.is_some_and(|before| before.busy_elsewhere || before.tat <= now),
        };
        seen.insert(entry, Seen { tat, busy_elsewhere });
    }

    /// A strongly consistent read. It counts no request, and tells nothing about limits of now.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn get(&self, hash: &KeyHash) -> Result<Option<StoredKey>, StoreError> {
        get(&self.client, &self.table, key(hash)).await
    }

    /// Strongly consistent reads of several keys (100 at most) in any order. Unknown ones are left out.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn get_all(&self, hashes: &[KeyHash]) -> Result<Vec<StoredKey>, StoreError> {
        if hashes.is_empty() {
            return Ok(Vec::new());
        }
        get_all(&self.client, &self.table, hashes.iter().map(key).collect()).await
    }

    /// The hashes of an account's keys, including revoked ones. The index is slightly late: for lists only.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn of_account(&self, account: &str) -> Result<Vec<KeyHash>, StoreError> {
        let mut pages = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(BY_ACCOUNT)
            .key_condition_expression("account = :account")
            .expression_attribute_values(":account", string(account))
            .into_paginator()
            .items()
            .send();
        let mut hashes = Vec::new();
        while let Some(item) = pages.next().await {
            let item: Item = item.map_err(|error| store_error(&error))?;
            if let Some(Ok(hash)) = item.get("key_hash").map(|value| value.as_s()) {
                hashes.push(serde_dynamo::from_attribute_value(string(hash))?);
            }
        }
        Ok(hashes)
    }

    /// The hashes of an account's latest keys, including dead ones. The index is slightly late: for lists only.
    pub(crate) async fn recent_of_account(&self, account: &str, limit: i32) -> Result<Vec<KeyHash>, StoreError> {
        let output = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(BY_ACCOUNT)
            .key_condition_expression("account = :account")
            .expression_attribute_values(":account", string(account))
            // Ids are sorted by creation time.
            .scan_index_forward(false)
            .limit(limit)
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        let hash = |mut item: Item| item.remove("key_hash").map(serde_dynamo::from_attribute_value);
        Ok(output.items.unwrap_or_default().into_iter().filter_map(hash).collect::<Result<_, _>>()?)
    }
}

enum Counted {
    Yes(StoredKey),
    /// The condition failed on this item.
    No(Option<StoredKey>),
}

fn key(hash: &KeyHash) -> Item {
    Item::from([("key_hash".to_owned(), string(hash.as_str()))])
}
