//! The Sessions table: signed-in users. Users themselves are in `users`.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;

use super::dynamo::{failed_condition, get};
use super::item::{Item, number, string, time, to_item};
use super::{StoreError, store_error};
use docmill_domain::time::Timestamp;
use docmill_domain::user::{SESSION_TIME, Session, SessionId};

/// How old the record of a session's last use may be, so that most page views write nothing.
const NOTED_EVERY_MS: u64 = 5 * 60 * 1000;

/// Who is signed in.
#[derive(Debug)]
pub struct Sessions {
    client: Client,
    table: String,
}

impl Sessions {
    /// `table`: the Sessions table.
    pub fn new(client: Client, table: String) -> Self {
        Self { client, table }
    }

    /// Writes a new session.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn begin(&self, session: &Session) -> Result<(), StoreError> {
        let mut item = to_item(session)?;
        item.extend(key(&session.session));
        item.insert("ttl".to_owned(), number(session.began_at.plus(SESSION_TIME).as_ttl_seconds()));
        self.client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(item))
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        Ok(())
    }

    /// The session if it is not over. The time is compared here because the table's TTL is late.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn find(&self, id: &SessionId, now: Timestamp) -> Result<Option<Session>, StoreError> {
        // A session that has just ended must be over in every environment.
        let session: Option<Session> = get(&self.client, &self.table, key(id)).await?;
        Ok(session.filter(|session| !session.is_over_at(now)))
    }

    /// Records that the session was used, if the last record is some minutes old.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn note_use(&self, session: &Session, now: Timestamp) -> Result<(), StoreError> {
        if now.millis_since(session.seen_at) < NOTED_EVERY_MS {
            return Ok(());
        }
        let result = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key(&session.session)))
            // Timeline: A reads the session, B signs out and deletes it, A records its use. The update must not create the
            // session again.
            .condition_expression("attribute_exists(id)")
            .update_expression("SET seen_at = :now")
            .expression_attribute_values(":now", time(now))
            .send()
            .await;
        match result {
            Ok(_) => Ok(()),
            Err(error) if failed_condition(&error).is_some() => Ok(()),
            Err(error) => Err(store_error(&error)),
        }
    }

    /// Ends a session. Ending it again changes nothing.
    ///
    /// # Errors
    /// If the table can't be written now. Then the session goes on until it is over by itself.
    pub async fn end(&self, id: &SessionId) -> Result<(), StoreError> {
        self.client
            .delete_item()
            .table_name(&self.table)
            .set_key(Some(key(id)))
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        Ok(())
    }
}

fn key(id: &SessionId) -> Item {
    HashMap::from([("id".to_owned(), string(format!("session#{}", id.as_str())))])
}
