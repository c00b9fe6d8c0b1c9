//! Users of the dashboard, and links between email addresses and accounts, both in the Sessions table.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::Put;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::accounts::profile_item;
use super::dynamo::{self, Transacted, all, failed_condition, get, transact};
use super::item::{Item, string, time, to_item};
use super::{StoreError, store_error};
use docmill_domain::account::{Plan, Profile};
use docmill_domain::time::Timestamp;
use docmill_domain::user::{Email, Identity, Link, User, UserId};

/// Index of users and links by email address. It does not contain sessions.
const BY_KIND: &str = "by_kind";
/// Index of users and links by account.
const BY_ACCOUNT: &str = "by_account";
const USER: &str = "user";
const LINK: &str = "link";

/// Who may sign in, and for which account.
#[derive(Debug)]
pub struct Users {
    client: Client,
    table: String,
    usage_table: String,
}

/// The outcome of a first sign-in.
enum Made {
    User(User),
    /// Another request was first.
    Already,
}

impl Users {
    /// `table`: the Sessions table. `usage_table`: where the account of a first sign-in is created.
    pub fn new(client: Client, table: String, usage_table: String) -> Self {
        Self { client, table, usage_table }
    }

    /// A strongly consistent read.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn get(&self, user: &UserId) -> Result<Option<User>, StoreError> {
        self.read(user_key(user)).await
    }

    /// The user for an identity. At the first sign-in, they join the account that their address is linked to, or get a new one on
    /// the free plan. A later link moves them to its account.
    ///
    /// # Errors
    /// If the tables can't be read or written now.
    pub async fn enter(&self, identity: &Identity, now: Timestamp) -> Result<User, StoreError> {
        let id = UserId::of(&identity.issuer, &identity.subject);
        let linked = self.linked_account(identity).await?;
        if let Some(user) = self.get(&id).await? {
            return self.welcome_back(user, identity, linked).await;
        }
        let user = User {
            user: id,
            subject: identity.subject.clone(),
            email: identity.email.clone(),
            account: linked.clone().unwrap_or_else(|| format!("acc_{}", Uuid::now_v7().simple())),
            created_at: now,
            signed_out_at: None,
        };
        match self.make(user, linked.is_none()).await? {
            Made::User(user) => Ok(user),
            Made::Already => {
                let user = self.get(&UserId::of(&identity.issuer, &identity.subject)).await?;
                user.ok_or_else(|| StoreError::Unavailable("the user was removed during the sign-in".into()))
            }
        }
    }

    async fn linked_account(&self, identity: &Identity) -> Result<Option<String>, StoreError> {
        if !identity.email_verified {
            return Ok(None);
        }
        let link: Option<Link> = self.read(link_key(&identity.email)).await?;
        Ok(link.map(|link| link.account))
    }

    async fn welcome_back(
        &self,
        mut user: User,
        identity: &Identity,
        linked: Option<String>,
    ) -> Result<User, StoreError> {
        let account = linked.unwrap_or_else(|| user.account.clone());
        if account != user.account || identity.email != user.email {
            user.account = account;
            user.email = identity.email.clone();
            self.client
                .update_item()
                .table_name(&self.table)
                .set_key(Some(user_key(&user.user)))
                // Without attribute_exists, the update would create a user again whom an administrator has just unlinked.
                .condition_expression("attribute_exists(id)")
                .update_expression("SET account = :account, email = :email")
                .expression_attribute_values(":account", string(&user.account))
                .expression_attribute_values(":email", string(user.email.as_str()))
                .send()
                .await
                .map_err(|error| store_error(&error))?;
        }
        Ok(user)
    }

    /// Timeline: two tabs sign in for the first time. Both find no user and choose a new account. A's transaction creates account
    /// and user. B's fails on the user, so that its account is not created either.
    async fn make(&self, user: User, with_account: bool) -> Result<Made, StoreError> {
        let mut item = to_item(&user)?;
        item.extend(user_key(&user.user));
        item.insert("kind".to_owned(), string(USER));
        let put = |table: &str, item| Put::builder().table_name(table).set_item(Some(item));
        let new_user = put(&self.table, item).condition_expression("attribute_not_exists(id)");
        let mut writes = vec![dynamo::put(new_user.build())?];
        if with_account {
            let profile = Profile::new(user.email.as_str(), Plan::DEFAULT_ID, user.created_at);
            let item = profile_item(&user.account, &profile)?;
            let new_account = put(&self.usage_table, item).condition_expression("attribute_not_exists(account)");
            writes.push(dynamo::put(new_account.build())?);
        }
        Ok(match transact(&self.client, writes).await? {
            Transacted::Committed => Made::User(user),
            Transacted::Failed(_) | Transacted::Contended(_) => Made::Already,
        })
    }

    /// Ends all sessions of the user so far. False if there is no such user.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn sign_out_everywhere(&self, user: &UserId, now: Timestamp) -> Result<bool, StoreError> {
        let result = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(user_key(user)))
            // Without attribute_exists, the update would create an unknown user.
            .condition_expression("attribute_exists(id)")
            .update_expression("SET signed_out_at = :now")
            .expression_attribute_values(":now", time(now))
            .send()
            .await;
        match result {
            Ok(_) => Ok(true),
            Err(error) if failed_condition(&error).is_some() => Ok(false),
            Err(error) => Err(store_error(&error)),
        }
    }

    /// From their next sign-in, users with this address belong to the account.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn link(&self, link: &Link) -> Result<(), StoreError> {
        let mut item = to_item(link)?;
        item.extend(link_key(&link.email));
        item.insert("kind".to_owned(), string(LINK));
        self.client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(item))
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        Ok(())
    }

    /// Removes an address's link and its users, which ends their sessions. Their next sign-in is a first one. Returns the number
    /// of users.
    ///
    /// # Errors
    /// If the table can't be written now. Some of the users may be removed.
    pub async fn unlink(&self, email: &Email) -> Result<usize, StoreError> {
        self.remove(link_key(email)).await?;
        let users = self.users(Some(email)).await?;
        for user in &users {
            self.remove(user_key(&user.user)).await?;
        }
        Ok(users.len())
    }

    /// All users, or those with an address. Read from an index: only for showing to administrators.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn users(&self, email: Option<&Email>) -> Result<Vec<User>, StoreError> {
        self.of_kind(USER, email).await
    }

    /// An account's users. Read from an index: only for showing to administrators.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn of_account(&self, account: &str) -> Result<Vec<User>, StoreError> {
        let query = self.client.query().table_name(&self.table).index_name(BY_ACCOUNT);
        let query = query
            .key_condition_expression("account = :account AND kind = :kind")
            .expression_attribute_values(":account", string(account))
            .expression_attribute_values(":kind", string(USER));
        all(query).await
    }

    /// All links. Read from an index: only for showing to administrators.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn links(&self) -> Result<Vec<Link>, StoreError> {
        self.of_kind(LINK, None).await
    }

    async fn of_kind<T: DeserializeOwned>(&self, kind: &str, email: Option<&Email>) -> Result<Vec<T>, StoreError> {
        let mut values = HashMap::from([(":kind".to_owned(), string(kind))]);
        let mut condition = "kind = :kind";
        if let Some(email) = email {
            values.insert(":email".to_owned(), string(email.as_str()));
            condition = "kind = :kind AND email = :email";
        }
        let query = self.client.query().table_name(&self.table).index_name(BY_KIND);
        all(query.key_condition_expression(condition).set_expression_attribute_values(Some(values))).await
    }

    async fn read<T: DeserializeOwned>(&self, key: Item) -> Result<Option<T>, StoreError> {
        get(&self.client, &self.table, key).await
    }

    async fn remove(&self, key: Item) -> Result<(), StoreError> {
        self.client
            .delete_item()
            .table_name(&self.table)
            .set_key(Some(key))
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        Ok(())
    }
}

fn user_key(user: &UserId) -> Item {
    HashMap::from([("id".to_owned(), string(format!("user#{}", user.as_str())))])
}

fn link_key(email: &Email) -> Item {
    HashMap::from([("id".to_owned(), string(format!("link#{}", email.as_str())))])
}
