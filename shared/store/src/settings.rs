//! The Settings table: administrators' settings, cached for a few seconds in each environment.
//!
//! Each record has a version. A change requires the version that was shown, and its audit entry is in the same transaction.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::dynamo::{TRIES, Transacted, back_off, too_contended, transact};
use super::item::{Item, from_item, number, string, to_item};
use super::{StoreError, audit, dynamo, store_error};
use docmill_config::clock::ReadAt;
use docmill_domain::account::{Plan, StoredKey};
use docmill_domain::audit::{AuditEntry, Author, Subject, SubjectKind, diff};
use docmill_domain::catalogue::Tool;
use docmill_domain::limits::Ceilings;
use docmill_domain::offer::Offer;
use docmill_domain::tool::{ServiceSettings, ToolSettings};

/// Settings of tools, plans and the service.
#[derive(Debug)]
pub struct Settings {
    client: Client,
    table: String,
    /// The longest time until a change reaches a warm environment.
    max_age: Duration,
    cache: Mutex<Option<(ReadAt, Arc<Snapshot>)>>,
}

/// A value with the number of its changes; 0 if it was never set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versioned<T> {
    /// As it was read, or the default.
    pub value: T,
    /// Raised by each change.
    #[serde(default)]
    pub version: u64,
}

/// The outcome of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change<T> {
    /// What is stored now.
    Written(Versioned<T>),
    /// Somebody else changed it in the meantime. This is the current value.
    Stale(Versioned<T>),
}

/// All settings at one time.
#[derive(Debug, Default)]
pub struct Snapshot {
    tools: HashMap<String, Versioned<ToolSettings>>,
    plans: HashMap<String, Versioned<Plan>>,
    /// Settings of the whole service.
    pub service: ServiceSettings,
    service_version: u64,
}

impl Snapshot {
    /// The administrators' settings of the tool, or those in its file.
    pub fn tool<'a>(&'a self, tool: &'a Tool) -> &'a ToolSettings {
        self.tools.get(&tool.definition.slug).map_or(&tool.definition.settings, |set| &set.value)
    }

    /// The same, for a form that changes them.
    pub fn versioned_tool(&self, tool: &Tool) -> Versioned<ToolSettings> {
        let unset = || Versioned { value: tool.definition.settings.clone(), version: 0 };
        self.tools.get(&tool.definition.slug).cloned().unwrap_or_else(unset)
    }

    /// The plan with this id as administrators described it, or the [fallback](Plan::fallback).
    pub fn plan(&self, id: &str) -> Plan {
        self.versioned_plan(id).value
    }

    /// The same, for a form that changes it.
    pub fn versioned_plan(&self, id: &str) -> Versioned<Plan> {
        self.plans.get(id).cloned().unwrap_or_else(|| Versioned { value: Plan::fallback(id), version: 0 })
    }

    /// The plans that administrators described and the default plan, by id.
    pub fn plans(&self) -> Vec<Plan> {
        let mut plans: Vec<_> = self.plans.values().map(|plan| plan.value.clone()).collect();
        if !self.plans.contains_key(Plan::DEFAULT_ID) {
            plans.push(Plan::fallback(Plan::DEFAULT_ID));
        }
        plans.sort_by(|one, other| one.id.cmp(&other.id));
        plans
    }

    /// The plans on the public page, sorted by credits.
    pub fn offered_plans(&self) -> Vec<(&Plan, &Offer)> {
        let plans = self.plans.values().map(|plan| &plan.value);
        let mut offered: Vec<_> = plans.filter_map(|plan| Some((plan, plan.offer.as_ref()?))).collect();
        offered
            .sort_by(|(one, _), (other, _)| (one.included_credits, &one.id).cmp(&(other.included_credits, &other.id)));
        offered
    }

    /// The limits that service, plan and key set for the key's jobs.
    pub fn ceilings(&self, key: &StoredKey) -> Ceilings {
        self.service.limits.clone().and(&self.plan(&key.plan).limits).and(&key.limits)
    }

    /// The service's settings, for a form that changes them.
    pub fn versioned_service(&self) -> Versioned<ServiceSettings> {
        Versioned { value: self.service.clone(), version: self.service_version }
    }
}

/// The only record of kind `service`.
const SERVICE_ID: &str = "switches";

impl Settings {
    /// `table`: the Settings table.
    pub fn new(client: Client, table: String, max_age: Duration) -> Self {
        Self { client, table, max_age, cache: Mutex::default() }
    }

    /// The settings, at most `max_age` old. If they can't be read, older ones stay in use.
    ///
    /// # Errors
    /// If they were never read here, and can't be read now.
    pub async fn current(&self) -> Result<Arc<Snapshot>, StoreError> {
        let cached = self.cache.lock().ok().and_then(|cache| cache.clone());
        if let Some((read_at, snapshot)) = &cached
            && read_at.is_within(self.max_age)
        {
            return Ok(snapshot.clone());
        }
        match (self.fresh().await, cached) {
            (Ok(fresh), _) => Ok(fresh),
            (Err(error), Some((_, stale))) => {
                tracing::warn!(%error, "settings could not be read; the last known ones stay in use");
                Ok(stale)
            }
            (Err(error), None) => Err(error),
        }
    }

    /// The current settings, for changing them. They also replace the cached ones.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn fresh(&self) -> Result<Arc<Snapshot>, StoreError> {
        let now = ReadAt::now();
        let fresh = Arc::new(self.read().await?);
        if let Ok(mut cache) = self.cache.lock() {
            *cache = Some((now, fresh.clone()));
        }
        Ok(fresh)
    }

    async fn read(&self) -> Result<Snapshot, StoreError> {
        let (tools, plans, mut service) = futures_util::try_join!(
            self.of_kind::<ToolSettings>(SubjectKind::Tool),
            self.of_kind::<Plan>(SubjectKind::Plan),
            self.of_kind::<ServiceSettings>(SubjectKind::Service),
        )?;
        let Versioned { value, version } = service.remove(SERVICE_ID).unwrap_or_default();
        Ok(Snapshot { tools, plans, service: value, service_version: version })
    }

    async fn of_kind<T: DeserializeOwned>(
        &self,
        kind: SubjectKind,
    ) -> Result<HashMap<String, Versioned<T>>, StoreError> {
        let mut pages = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("kind = :kind")
            .expression_attribute_values(":kind", string(kind.as_str()))
            .consistent_read(true)
            .into_paginator()
            .items()
            .send();
        let mut found = HashMap::new();
        while let Some(item) = pages.next().await {
            let item: Item = item.map_err(|error| store_error(&error))?;
            let record: Record<T> = from_item(item)?;
            found.insert(record.id, record.versioned);
        }
        Ok(found)
    }

    /// `before`: the settings that the form showed; `after`: the new ones.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn change_tool(
        &self,
        slug: &str,
        before: &Versioned<ToolSettings>,
        after: &ToolSettings,
        by: &Author,
    ) -> Result<Change<ToolSettings>, StoreError> {
        self.change(Subject::new(SubjectKind::Tool, slug), before, after, by).await
    }

    /// The same for a plan, which need not exist.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn change_plan(
        &self,
        before: &Versioned<Plan>,
        after: &Plan,
        by: &Author,
    ) -> Result<Change<Plan>, StoreError> {
        self.change(Subject::new(SubjectKind::Plan, &after.id), before, after, by).await
    }

    /// The same for the whole service.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn change_service(
        &self,
        before: &Versioned<ServiceSettings>,
        after: &ServiceSettings,
        by: &Author,
    ) -> Result<Change<ServiceSettings>, StoreError> {
        self.change(Subject::new(SubjectKind::Service, SERVICE_ID), before, after, by).await
    }

    async fn change<T>(
        &self,
        subject: Subject,
        before: &Versioned<T>,
        after: &T,
        by: &Author,
    ) -> Result<Change<T>, StoreError>
    where
        T: Clone + PartialEq + Serialize + DeserializeOwned,
    {
        let changes = diff(&before.value, after).map_err(|error| StoreError::Malformed(error.to_string()))?;
        // A setting that was never stored is written even without a change: a new plan must exist.
        if changes.is_empty() && before.version > 0 {
            return Ok(Change::Written(before.clone()));
        }
        let versioned = Versioned { value: after.clone(), version: before.version + 1 };
        let entry = AuditEntry::new(subject, changes, by);
        for attempt in 0..TRIES {
            let writes =
                vec![self.put(&entry.subject, &versioned, before.version)?, audit::record(&self.table, &entry)?];
            match transact(&self.client, writes).await? {
                Transacted::Committed => {
                    self.forget();
                    return Ok(Change::Written(versioned));
                }
                Transacted::Contended(_) => back_off(attempt).await,
                Transacted::Failed(failed) => {
                    self.forget();
                    let current = failed.into_iter().find_map(|(part, item)| item.filter(|_| part == 0));
                    let Some(current) = current else {
                        return Err(StoreError::Unavailable(
                            "the settings were changed and changed back at the same time".into(),
                        ));
                    };
                    let record: Record<T> = from_item(current)?;
                    return Ok(Change::Stale(record.versioned));
                }
            }
        }
        Err(too_contended())
    }

    fn put<T: Serialize + Clone>(
        &self,
        subject: &Subject,
        versioned: &Versioned<T>,
        shown: u64,
    ) -> Result<TransactWriteItem, StoreError> {
        let record =
            Record { kind: subject.kind.as_str().to_owned(), id: subject.id.clone(), versioned: versioned.clone() };
        let put = Put::builder()
            .table_name(&self.table)
            .set_item(Some(to_item(&record)?))
            .expression_attribute_names("#version", "version")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        // Timeline: A and B open the same form at version 3. A's change makes it 4. B's finds 4 and gets the current value, so
        // that neither undoes the other's change unseen.
        let put = match shown {
            0 => put.condition_expression("attribute_not_exists(#version)"),
            _ => put.condition_expression("#version = :shown").expression_attribute_values(":shown", number(shown)),
        };
        dynamo::put(put.build())
    }

    /// The next request reads them again.
    fn forget(&self) {
        if let Ok(mut cache) = self.cache.lock() {
            *cache = None;
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Record<T> {
    kind: String,
    id: String,
    #[serde(flatten)]
    versioned: Versioned<T>,
}
