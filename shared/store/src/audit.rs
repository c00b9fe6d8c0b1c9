//! The audit trail: entries of the Settings table that are written in the same transaction as their change and never deleted.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{Put, TransactWriteItem};

use super::item::{Item, from_item, string, to_item};
use super::{StoreError, dynamo, store_error};
use docmill_domain::audit::{AuditEntry, Author, Subject, View};

/// The partition of the entries. Administrators write rarely, so one is enough.
const KIND: &str = "audit";
/// Most entries that a filtered page reads. A rare subject may need several pages.
const LOOKED_AT: i32 = 500;

/// The audit trail. Changes of settings and accounts write their entries themselves.
#[derive(Debug)]
pub struct Audit {
    client: Client,
    table: String,
}

/// Entries, newest first.
#[derive(Debug)]
pub struct AuditPage {
    /// No more than were asked for.
    pub entries: Vec<AuditEntry>,
    /// Where the next, older page starts.
    pub next: Option<String>,
}

impl Audit {
    /// `table`: the Settings table.
    pub fn new(client: Client, table: String) -> Self {
        Self { client, table }
    }

    /// Records that an administrator views a customer's keys or jobs. This must succeed before they are shown.
    ///
    /// # Errors
    /// If the entry can't be written now: then nothing may be shown.
    pub async fn note_view(&self, account: &str, viewed: View, by: &Author) -> Result<(), StoreError> {
        self.note(&AuditEntry::of_view(account, viewed, by)).await
    }

    /// Records what an administrator is about to do. This must succeed before it is done: an entry without its act tells too much, and
    /// an act without its entry nothing.
    ///
    /// # Errors
    /// If the entry can't be written now: then nothing may be done.
    pub async fn note(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        let result = self
            .client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(entry_item(entry)?))
            // Entries are never overwritten.
            .condition_expression("attribute_not_exists(kind)")
            .send()
            .await;
        match result {
            Ok(_) => Ok(()),
            // Timeline: the entry is written, the response is lost, and the SDK repeats the call. Only this call uses the id.
            Err(error)
                if error.as_service_error().is_some_and(|error| error.is_conditional_check_failed_exception()) =>
            {
                Ok(())
            }
            Err(error) => Err(store_error(&error)),
        }
    }

    /// A page of entries older than `before`, for one subject or all.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn list(
        &self,
        subject: Option<&Subject>,
        before: Option<&str>,
        limit: usize,
    ) -> Result<AuditPage, StoreError> {
        let mut query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("kind = :kind")
            .expression_attribute_values(":kind", string(KIND))
            .set_exclusive_start_key(before.map(key))
            .consistent_read(true)
            .scan_index_forward(false);
        query = match subject {
            // One extra entry shows whether there are more.
            None => query.limit(i32::try_from(limit + 1).unwrap_or(LOOKED_AT)),
            Some(subject) => query
                .filter_expression("subject = :subject")
                .expression_attribute_values(":subject", string(subject.to_string()))
                .limit(LOOKED_AT),
        };
        let output = query.send().await.map_err(|error| store_error(&error))?;
        let mut entries: Vec<AuditEntry> =
            output.items.unwrap_or_default().into_iter().map(from_item).collect::<Result<_, _>>()?;
        if entries.len() > limit {
            entries.truncate(limit);
            let next = entries.last().map(|entry| entry.id.clone());
            return Ok(AuditPage { entries, next });
        }
        let unread = output.last_evaluated_key.and_then(|key| key.get("id")?.as_s().ok().cloned());
        Ok(AuditPage { entries, next: unread })
    }
}

/// The part of a transaction that records its change.
pub(super) fn record(table: &str, entry: &AuditEntry) -> Result<TransactWriteItem, StoreError> {
    let put = Put::builder()
        .table_name(table)
        .set_item(Some(entry_item(entry)?))
        // Entries are never overwritten.
        .condition_expression("attribute_not_exists(kind)");
    dynamo::put(put.build())
}

fn entry_item(entry: &AuditEntry) -> Result<Item, StoreError> {
    let mut item = to_item(entry)?;
    item.insert("kind".into(), string(KIND));
    Ok(item)
}

fn key(id: &str) -> Item {
    Item::from([("kind".to_owned(), string(KIND)), ("id".to_owned(), string(id))])
}
