//! Endpoints of accounts.

use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::{Delete, Put, ReturnValue, TransactWriteItem, Update};

use super::{Webhooks, key};
use crate::dynamo::{
    TRIES, Transacted, all, back_off, failed_condition, get, put, send, too_contended, transact, update,
};
use crate::events::StoredEvent;
use crate::item::{from_item, nested, number, string, time, to_item};
use crate::{StoreError, store_error};
use docmill_domain::event::EventKind;
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::endpoint::MOST_ENDPOINTS;
use docmill_domain::webhook::request::Wanted;
use docmill_domain::webhook::{Disabled, DisabledReason, Endpoint, EndpointId, Health, SealedSecret};

/// The item that counts an account's endpoints.
const COUNT: &str = "webhooks";

/// The outcome of creating an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// The endpoint gets events from now on.
    Yes,
    /// The account has reached its limit.
    Full,
}

/// The outcome of changing an endpoint.
#[derive(Debug, PartialEq, Eq)]
pub enum Change {
    /// The endpoint as it is stored now.
    Done(Box<Endpoint>),
    /// Another change came first.
    Outdated,
    /// The account has no such endpoint.
    Unknown,
}

impl Webhooks {
    /// Adds an endpoint, unless the account has [`MOST_ENDPOINTS`].
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn create(&self, endpoint: &Endpoint) -> Result<Created, StoreError> {
        for attempt in 0..TRIES {
            match transact(&self.client, vec![self.count_one_more(endpoint)?, self.put_endpoint(endpoint)?]).await? {
                Transacted::Committed => return Ok(Created::Yes),
                Transacted::Failed(parts) if parts.iter().any(|(part, _)| *part == 0) => return Ok(Created::Full),
                Transacted::Failed(_) => return Err(StoreError::Malformed("an endpoint's id exists already".into())),
                Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    fn count_one_more(&self, endpoint: &Endpoint) -> Result<TransactWriteItem, StoreError> {
        update(
            Update::builder()
                .table_name(&self.table)
                .set_key(Some(key(&endpoint.account, COUNT)))
                // Timeline: the account may have one more endpoint, and A and B create one each. A's transaction increases the
                // count, and B's condition fails.
                .condition_expression("attribute_not_exists(endpoints) OR endpoints < :most")
                .update_expression("ADD endpoints :one")
                .expression_attribute_values(":most", number(MOST_ENDPOINTS))
                .expression_attribute_values(":one", number(1))
                .build(),
        )
    }

    fn put_endpoint(&self, endpoint: &Endpoint) -> Result<TransactWriteItem, StoreError> {
        let item = to_item(endpoint)?;
        put(Put::builder()
            .table_name(&self.table)
            .set_item(Some(item))
            .condition_expression("attribute_not_exists(id)")
            .build())
    }

    /// An account's endpoints, oldest first, by a strongly consistent read.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn endpoints(&self, account: &str) -> Result<Vec<Endpoint>, StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("account = :account AND begins_with(id, :endpoints)")
            .expression_attribute_values(":account", string(account))
            .expression_attribute_values(":endpoints", string("wh_"))
            .consistent_read(true);
        all(query).await
    }

    /// A strongly consistent read.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn endpoint(&self, account: &str, id: &EndpointId) -> Result<Option<Endpoint>, StoreError> {
        get(&self.client, &self.table, key(account, id.as_str())).await
    }

    /// Changes what is wanted. An endpoint that is made active starts without its earlier failures.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn change(
        &self,
        account: &str,
        id: &EndpointId,
        wanted: &Wanted,
        now: Timestamp,
    ) -> Result<Change, StoreError> {
        let mut changes = vec!["updated_at = :now".to_owned()];
        let mut update = self.update_endpoint(account, id).expression_attribute_values(":now", time(now));
        let mut set = |name: &str, value| {
            changes.push(format!("#{name} = :{name}"));
            (format!("#{name}"), name.to_owned(), format!(":{name}"), value)
        };
        let Wanted { destination, kinds, description, rate_limit, signatures, challenge, active } = wanted;
        let mut values = Vec::new();
        if let Some(destination) = destination {
            values.push(set("destination", nested(destination)?));
        }
        if let Some(kinds) = kinds {
            values.push(set("kinds", nested(kinds)?));
        }
        values.extend(description.as_ref().map(|text| set("description", string(text))));
        if let Some(rate) = rate_limit {
            values.push(set("rate_limit", nested(rate)?));
        }
        if let Some(signatures) = signatures {
            values.push(set("signatures", nested(signatures)?));
        }
        if let Some(challenge) = challenge {
            values.push(set("challenge", nested(challenge)?));
        }
        let mut removed = "";
        match active {
            Some(true) => {
                values.push(set("health", nested(&Health::default())?));
                removed = " REMOVE disabled";
            }
            Some(false) => {
                let disabled = Disabled { reason: DisabledReason::Account, at: now };
                values.push(set("disabled", nested(&disabled)?));
            }
            None => {}
        }
        for (placeholder, name, variable, value) in values {
            update = update.expression_attribute_names(placeholder, name).expression_attribute_values(variable, value);
        }
        // Timeline: the endpoint is deleted before this write, which must not create it again.
        let update = update
            .condition_expression("attribute_exists(id)")
            .update_expression(format!("SET {}{removed}", changes.join(", ")));
        self.changed(update, Change::Unknown).await
    }

    /// Replaces the secrets that `seen` has.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn replace_secrets(
        &self,
        seen: &Endpoint,
        secrets: &[SealedSecret],
        now: Timestamp,
    ) -> Result<Change, StoreError> {
        let update = self
            .update_endpoint(&seen.account, &seen.id)
            // Timeline: A and B rotate at once. A's secret is shown to its caller. Without the condition, B's would replace it,
            // and A's caller would hold a secret that never signs.
            .condition_expression("secrets = :seen")
            .update_expression("SET secrets = :secrets, updated_at = :now")
            .expression_attribute_values(":seen", nested(&seen.secrets)?)
            .expression_attribute_values(":secrets", nested(&secrets)?)
            .expression_attribute_values(":now", time(now));
        self.changed(update, Change::Outdated).await
    }

    /// False if there is no such endpoint. Its deliveries end with their next try.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn delete(&self, account: &str, id: &EndpointId) -> Result<bool, StoreError> {
        for attempt in 0..TRIES {
            let delete = Delete::builder()
                .table_name(&self.table)
                .set_key(Some(key(account, id.as_str())))
                // Timeline: A and B delete the same endpoint. B's condition fails, so that the count decreases once.
                .condition_expression("attribute_exists(id)")
                .build()?;
            let count = Update::builder()
                .table_name(&self.table)
                .set_key(Some(key(account, COUNT)))
                .update_expression("ADD endpoints :one_less")
                .expression_attribute_values(":one_less", number(-1))
                .build();
            let writes = vec![TransactWriteItem::builder().delete(delete).build(), update(count)?];
            match transact(&self.client, writes).await? {
                Transacted::Committed => return Ok(true),
                Transacted::Failed(_) => return Ok(false),
                Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    /// Notes how the endpoint has answered, starting from what was known before. Returns what is known now.
    ///
    /// # Errors
    /// If the table can't be written now, or others note something else again and again.
    pub async fn note_health(
        &self,
        endpoint: &Endpoint,
        after: impl Fn(Health) -> Health,
    ) -> Result<Health, StoreError> {
        if endpoint.of_jobs {
            return self.note_health_of_url(endpoint, after).await;
        }
        let mut seen = endpoint.health;
        for _ in 0..TRIES {
            let next = after(seen);
            if next == seen {
                return Ok(seen);
            }
            let update = self
                .update_endpoint(&endpoint.account, &endpoint.id)
                // Timeline: A reads that the endpoint fails, B notes a success, and A notes one more failure since then. A's
                // condition fails, and A starts from B's success: otherwise an endpoint that works might be disabled.
                .condition_expression("health = :seen")
                .update_expression("SET health = :next")
                .expression_attribute_values(":seen", nested(&seen)?)
                .expression_attribute_values(":next", nested(&next)?);
            match self.changed(update, Change::Outdated).await? {
                Change::Done(_) => return Ok(next),
                Change::Outdated | Change::Unknown => match self.endpoint(&endpoint.account, &endpoint.id).await? {
                    Some(current) => seen = current.health,
                    None => return Ok(next),
                },
            }
        }
        Err(too_contended())
    }

    /// Disables an endpoint that answered 410, or has failed since `failing_since`. The event is part of the transaction. False
    /// if it is disabled already, or does not fail any more.
    ///
    /// # Errors
    /// If the table can't be written now, or the endpoint changes again and again.
    pub async fn disable(
        &self,
        endpoint: &Endpoint,
        reason: DisabledReason,
        failing_since: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let disabled = Disabled { reason, at: now };
        let data = endpoint.disabled_event(disabled);
        let told = StoredEvent::new(&endpoint.account, EventKind::WebhookDisabled, now, data);
        for attempt in 0..TRIES {
            let mut condition = "attribute_exists(id) AND attribute_not_exists(disabled)".to_owned();
            let mut disable = Update::builder()
                .table_name(&self.table)
                .set_key(Some(key(&endpoint.account, endpoint.id.as_str())))
                .update_expression("SET disabled = :disabled, updated_at = :now")
                .expression_attribute_values(":disabled", nested(&disabled)?)
                .expression_attribute_values(":now", time(now));
            if let Some(since) = failing_since {
                // Timeline: A sees five days of failures, B notes a success, and A disables. A's condition fails.
                condition.push_str(" AND health.failing_since = :since");
                disable = disable.expression_attribute_values(":since", time(since));
            }
            // Timeline: five tries fail at once, and each finds that it is time to disable. One does, and tells it once.
            let disable = update(disable.condition_expression(condition).build())?;
            match transact(&self.client, vec![disable, told.put(&self.table)?]).await? {
                Transacted::Committed => return Ok(true),
                Transacted::Failed(_) => return Ok(false),
                Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    fn update_endpoint(&self, account: &str, id: &EndpointId) -> UpdateItemFluentBuilder {
        self.client.update_item().table_name(&self.table).set_key(Some(key(account, id.as_str())))
    }

    async fn changed(&self, update: UpdateItemFluentBuilder, otherwise: Change) -> Result<Change, StoreError> {
        match Box::pin(send(update.return_values(ReturnValue::AllNew))).await {
            Ok(output) => {
                let endpoint = output.attributes.map(from_item).transpose()?;
                endpoint
                    .map(|endpoint| Change::Done(Box::new(endpoint)))
                    .ok_or_else(|| StoreError::Malformed("the changed endpoint did not come back".into()))
            }
            Err(error) if failed_condition(&error).is_some() => Ok(otherwise),
            Err(error) => Err(store_error(&error)),
        }
    }
}
