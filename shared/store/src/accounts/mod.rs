//! Accounts: the `profile` items of the Usage table, and the copies of their policy in their keys.
//!
//! A profile lists the account's keys. Its `revision` counts changes of that list and of the policy. Each transaction that
//! changes either requires the revision that it read, and increases it. No index is used.
//!
//! Timeline: A suspends the account while B creates a key. Both read revision 4; A reads a list with one key, and B an active
//! account. If B commits first, A's transaction finds revision 5, reads again and suspends both keys. If A commits first, B's
//! finds revision 5, reads again and creates a suspended key.

pub mod keys;

use std::collections::HashSet;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, Put, TransactWriteItem, Update};
use serde_json::json;
use uuid::Uuid;

use super::dynamo::{TRIES, Transacted, back_off, get, too_contended, transact};
use super::item::{BY_NAME, Item, UsageItem, from_item, nested, number, string, to_item};
use super::keys::Keys;
use super::{StoreError, audit, dynamo, store_error};
use docmill_config::Tables;
use docmill_domain::account::{AccountPolicy, MAX_KEYS, Profile, StoredKey};
use docmill_domain::api_key::KeyHash;
use docmill_domain::audit::{AuditEntry, Author, FieldChange, Subject, SubjectKind, diff};
use docmill_domain::time::Timestamp;

/// Accounts and their keys.
#[derive(Debug)]
pub struct Accounts {
    client: Client,
    tables: Tables,
    keys: Keys,
}

/// A consistent read of an account: the profile and its active keys.
#[derive(Debug)]
pub struct Holder {
    /// The account's own item.
    pub profile: Profile,
    /// The active ones, in no order.
    pub keys: Vec<StoredKey>,
}

/// The outcome of a change of policy.
#[derive(Debug)]
pub enum Changed {
    /// The account has the new policy, and so have its keys.
    Written(Profile),
    /// Somebody else changed it in the meantime. This is the current value.
    Stale(Profile),
    /// There is no account with this id.
    NoAccount,
}

/// The outcome of adding a key.
#[derive(Debug)]
pub enum KeyAdded {
    /// The stored key, with the account's policy.
    Yes(Box<StoredKey>),
    /// The account has an active key with this id and another secret.
    Exists,
    /// The account has [`MAX_KEYS`] active keys.
    TooMany,
    /// There is no account with this id.
    NoAccount,
}

/// The outcome of granting credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granted {
    /// The account has the credits.
    Yes,
    /// The same grant was made before.
    Already,
    /// There is no account with this id.
    NoAccount,
}

impl Accounts {
    /// Over the service's tables.
    pub fn new(client: Client, tables: Tables) -> Self {
        let keys = Keys::new(client.clone(), tables.keys.clone());
        Self { client, tables, keys }
    }

    /// A strongly consistent read of the profile and its active keys.
    ///
    /// # Errors
    /// If the tables can't be read now.
    pub async fn holder(&self, account: &str, now: Timestamp) -> Result<Option<Holder>, StoreError> {
        let found: Option<Profile> = get(&self.client, &self.tables.usage, UsageItem::Profile.key(account)).await?;
        let Some(profile) = found else { return Ok(None) };
        let mut keys = match profile.revision {
            // An account without a key, or from before keys were listed. The revision decides whether this read is still valid.
            0 => self.keys.get_all(&self.keys.of_account(account).await?).await?,
            _ => self.keys.get_all(&profile.keys).await?,
        };
        // A dead key stays dead: its policy does not matter, and it need not be listed.
        keys.retain(|key| !key.is_dead_at(now));
        Ok(Some(Holder { profile, keys }))
    }

    /// Creates an account. False if there is one with this id.
    ///
    /// # Errors
    /// If the tables can't be written now.
    pub async fn create(&self, account: &str, profile: &Profile, by: &Author) -> Result<bool, StoreError> {
        let told = json!({"name": profile.name, "plan": profile.plan, "granted": profile.granted});
        let changes = diff(&json!({}), &told).map_err(malformed)?;
        let entry = AuditEntry::new(Subject::new(SubjectKind::Account, account), changes, by);
        for attempt in 0..TRIES {
            let put = Put::builder()
                .table_name(&self.tables.usage)
                .set_item(Some(profile_item(account, profile)?))
                // Timeline: two administrators create the same id. The second one must not reset the first one's credits.
                .condition_expression("attribute_not_exists(account)");
            let writes = vec![dynamo::put(put.build())?, audit::record(&self.tables.settings, &entry)?];
            match transact(&self.client, writes).await? {
                Transacted::Committed => return Ok(true),
                Transacted::Failed(_) => return Ok(false),
                Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    /// Adds a key with the account's current policy; the policy in `key` is ignored.
    ///
    /// # Errors
    /// If the tables can't be written now, or the account changes again and again.
    pub async fn add_key(&self, key: &StoredKey, now: Timestamp) -> Result<KeyAdded, StoreError> {
        for attempt in 0..TRIES {
            let Some(Holder { profile, keys }) = self.holder(&key.account, now).await? else {
                return Ok(KeyAdded::NoAccount);
            };
            // An old secret that still works does not count as another key.
            let ids: HashSet<_> = keys.iter().filter(|key| !key.is_dashboards()).map(|key| &key.key_id).collect();
            // Two requests with one id: both read no such key, one commits, and the other's revision no longer matches. It reads again.
            // The same secret is our own earlier try, whose response was lost.
            if keys
                .iter()
                .any(|known| !known.is_dashboards() && known.key_id == key.key_id && known.key_hash != key.key_hash)
            {
                return Ok(KeyAdded::Exists);
            }
            if ids.len() >= MAX_KEYS && !key.is_dashboards() {
                return Ok(KeyAdded::TooMany);
            }
            let key = key.clone().with_policy(profile.policy());
            let listed = keys.into_iter().map(|key| key.key_hash).chain([key.key_hash.clone()]).collect();
            let put = Put::builder()
                .table_name(&self.tables.keys)
                .set_item(Some(to_item(&key)?))
                // Hashes never repeat, but a repetition would overwrite somebody else's key.
                .condition_expression("attribute_not_exists(key_hash)");
            let writes = vec![dynamo::put(put.build())?, self.list_keys(&key.account, &profile, listed)?];
            match transact(&self.client, writes).await? {
                Transacted::Committed => return Ok(KeyAdded::Yes(Box::new(key))),
                // Either our own earlier try, whose response was lost, or another request created the dashboard's key.
                Transacted::Failed(failed) if failed.iter().any(|(part, _)| *part == 0) => {
                    let stored = self.keys.get(&key.key_hash).await?.filter(|stored| stored.account == key.account);
                    let stored = stored.ok_or_else(|| StoreError::Malformed("a key's hash is taken".into()))?;
                    return Ok(KeyAdded::Yes(Box::new(stored)));
                }
                Transacted::Failed(_) | Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    /// The part of a transaction that changes the list of an account's keys, if neither list nor policy has changed since `read`.
    /// Without it, a new key could miss a change of policy.
    pub(crate) fn list_keys(
        &self,
        account: &str,
        read: &Profile,
        keys: Vec<KeyHash>,
    ) -> Result<TransactWriteItem, StoreError> {
        let update = self
            .as_read(account, read)
            .update_expression("SET #keys = :keys, #revision = :next")
            .expression_attribute_names("#keys", "keys")
            .expression_attribute_values(":keys", nested(&keys)?);
        dynamo::update(update.build())
    }

    /// An update of the profile that requires the revision that was read.
    fn as_read(&self, account: &str, read: &Profile) -> UpdateBuilder {
        Update::builder()
            .table_name(&self.tables.usage)
            .set_key(Some(UsageItem::Profile.key(account)))
            .condition_expression(match read.revision {
                0 => "attribute_exists(account) AND (attribute_not_exists(#revision) OR #revision = :read)",
                _ => "attribute_exists(account) AND #revision = :read",
            })
            .expression_attribute_names("#revision", "revision")
            .expression_attribute_values(":read", number(read.revision))
            .expression_attribute_values(":next", number(read.revision + 1))
    }

    /// Changes an account's policy and its keys' copies together, if the policy still has version `shown`.
    ///
    /// # Errors
    /// If the tables can't be written now, or the account changes again and again.
    pub async fn change(
        &self,
        account: &str,
        shown: u64,
        policy: &AccountPolicy,
        by: &Author,
    ) -> Result<Changed, StoreError> {
        for attempt in 0..TRIES {
            let Some(Holder { profile, keys }) = self.holder(account, by.at).await? else {
                return Ok(Changed::NoAccount);
            };
            if profile.version != shown {
                return Ok(Changed::Stale(profile));
            }
            let changes = diff(&profile.policy(), policy).map_err(malformed)?;
            if changes.is_empty() {
                return Ok(Changed::Written(profile));
            }
            let entry = AuditEntry::new(Subject::new(SubjectKind::Account, account), changes, by);
            let listed = keys.iter().map(|key| key.key_hash.clone()).collect();
            let mut writes = vec![self.set_policy(account, &profile, policy, listed)?];
            for key in &keys {
                writes.push(self.copy_policy(&key.key_hash, policy)?);
            }
            writes.push(audit::record(&self.tables.settings, &entry)?);
            match transact(&self.client, writes).await? {
                Transacted::Committed => {
                    let (version, revision) = (profile.version + 1, profile.revision + 1);
                    let keys = keys.into_iter().map(|key| key.key_hash).collect();
                    let profile = Profile { version, revision, keys, ..profile.with_policy(policy.clone()) };
                    return Ok(Changed::Written(profile));
                }
                Transacted::Failed(_) | Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    /// Credits are not part of a policy: the change must not undo a debit.
    fn set_policy(
        &self,
        account: &str,
        read: &Profile,
        policy: &AccountPolicy,
        keys: Vec<KeyHash>,
    ) -> Result<TransactWriteItem, StoreError> {
        let (assignments, names, values) = copies(policy)?;
        let mut update = self
            .as_read(account, read)
            .update_expression(format!("SET {assignments}, #keys = :keys, #version = :version, #revision = :next"))
            .expression_attribute_names("#keys", "keys")
            .expression_attribute_values(":keys", nested(&keys)?)
            .expression_attribute_names("#version", "version")
            .expression_attribute_values(":version", number(read.version + 1));
        for (name, attribute) in names {
            update = update.expression_attribute_names(name, attribute);
        }
        for (name, value) in values {
            update = update.expression_attribute_values(name, value);
        }
        dynamo::update(update.build())
    }

    fn copy_policy(&self, key: &KeyHash, policy: &AccountPolicy) -> Result<TransactWriteItem, StoreError> {
        let (assignments, names, values) = copies(policy)?;
        let update = Update::builder()
            .table_name(&self.tables.keys)
            .key("key_hash", string(key.as_str()))
            // An update would otherwise create a removed key again.
            .condition_expression("attribute_exists(account)")
            .update_expression(format!("SET {assignments}"))
            .set_expression_attribute_names(Some(names.into_iter().collect()))
            .set_expression_attribute_values(Some(values.into_iter().collect()));
        dynamo::update(update.build())
    }

    /// Adds granted credits, which carry over. The same `grant` only takes effect once.
    ///
    /// # Errors
    /// If the tables can't be written now, or the account changes again and again.
    pub async fn grant(&self, account: &str, credits: u64, grant: Uuid, by: &Author) -> Result<Granted, StoreError> {
        let change =
            FieldChange { field: "granted".into(), before: None, after: Some(format!("+{credits} credits").into()) };
        let entry = AuditEntry::new(Subject::new(SubjectKind::Account, account), vec![change], by);
        for attempt in 0..TRIES {
            let update = Update::builder()
                .table_name(&self.tables.usage)
                .set_key(Some(UsageItem::Profile.key(account)))
                // Without attribute_exists, the update would create an unknown account.
                .condition_expression("attribute_exists(account)")
                .update_expression("ADD granted :credits")
                .expression_attribute_values(":credits", number(credits));
            let receipt = Put::builder()
                .table_name(&self.tables.settings)
                .item("kind", string("grant"))
                .item("id", string(grant.to_string()))
                .item("account", string(account))
                // Timeline: a form is sent twice. The first transaction leaves this record, and the second one fails on it.
                .condition_expression("attribute_not_exists(kind)");
            let writes = vec![
                dynamo::update(update.build())?,
                dynamo::put(receipt.build())?,
                audit::record(&self.tables.settings, &entry)?,
            ];
            match transact(&self.client, writes).await? {
                Transacted::Committed => return Ok(Granted::Yes),
                Transacted::Failed(failed) if failed.iter().any(|(part, _)| *part == 0) => {
                    return Ok(Granted::NoAccount);
                }
                Transacted::Failed(_) => return Ok(Granted::Already),
                Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    /// A page of accounts whose names begin with `prefix`, ignoring case, sorted by name. The index is slightly late.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn list(&self, prefix: &str, after: Option<AccountMark>, limit: u16) -> Result<AccountPage, StoreError> {
        let mut query = self
            .client
            .query()
            .table_name(&self.tables.usage)
            .index_name(BY_NAME)
            .expression_attribute_names("#register", "register")
            .expression_attribute_values(":register", string(REGISTER))
            .set_exclusive_start_key(after.as_ref().map(AccountMark::key))
            .limit(i32::from(limit));
        let prefix = name_key(prefix);
        query = if prefix.is_empty() {
            query.key_condition_expression("#register = :register")
        } else {
            query
                .key_condition_expression("#register = :register AND begins_with(name_key, :prefix)")
                .expression_attribute_values(":prefix", string(prefix))
        };
        let output = query.send().await.map_err(|error| store_error(&error))?;
        let accounts = output.items.unwrap_or_default().into_iter().map(from_item).collect::<Result<_, _>>()?;
        let next = output.last_evaluated_key.map(from_item).transpose()?;
        Ok(AccountPage { accounts, next })
    }
}

/// An account in the list of accounts.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct AccountSummary {
    /// The account's id.
    #[serde(rename = "account")]
    pub id: String,
    /// As administrators named it, or the first user's address.
    pub name: String,
    /// The plan's id.
    pub plan: String,
    /// Whether all keys are refused.
    pub suspended: bool,
    /// Whether test keys work.
    pub test_mode: bool,
    /// When the account was made.
    pub created_at: Timestamp,
}

/// Accounts, sorted by name.
#[derive(Debug)]
pub struct AccountPage {
    /// No more than were asked for.
    pub accounts: Vec<AccountSummary>,
    /// `None` on the last page.
    pub next: Option<AccountMark>,
}

/// Where a page of accounts ended.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AccountMark {
    /// The name in the form by which accounts are sorted.
    pub name_key: String,
    /// Tells accounts of the same name apart.
    pub account: String,
}

impl AccountMark {
    fn key(&self) -> Item {
        let mut key = UsageItem::Profile.key(&self.account);
        key.extend(register(&self.name_key));
        key
    }
}

/// The only partition of the index of accounts. Debits don't change projected attributes, so they don't write to it.
const REGISTER: &str = "accounts";

/// A profile as stored, with the attributes of the list of accounts.
pub(super) fn profile_item(account: &str, profile: &Profile) -> Result<Item, StoreError> {
    let mut item = to_item(profile)?;
    item.extend(UsageItem::Profile.key(account));
    item.extend(register(&profile.name));
    Ok(item)
}

/// The attributes that put a profile in the index by name.
fn register(name: &str) -> Item {
    Item::from([("register".to_owned(), string(REGISTER)), ("name_key".to_owned(), string(name_key(name)))])
}

fn name_key(name: &str) -> String {
    name.trim().to_lowercase()
}

type Assignments = (String, Vec<(String, String)>, Vec<(String, AttributeValue)>);

/// Assignments of all attributes of a policy, with their names and values.
fn copies(policy: &AccountPolicy) -> Result<Assignments, StoreError> {
    let item = to_item(policy)?;
    let assignments: Vec<_> = item.keys().map(|name| format!("#{name} = :{name}")).collect();
    let names = item.keys().map(|name| (format!("#{name}"), name.clone())).collect();
    let values = item.into_iter().map(|(name, value)| (format!(":{name}"), value)).collect();
    Ok((assignments.join(", "), names, values))
}

fn malformed(error: serde_json::Error) -> StoreError {
    StoreError::Malformed(error.to_string())
}
