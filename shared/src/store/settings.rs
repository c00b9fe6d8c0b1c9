//! The Settings table: what administrators decide, cached for a few seconds in each environment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::item::{Item, from_item, string, to_item};
use super::{StoreError, store_error};
use crate::clock;
use crate::domain::account::Plan;
use crate::domain::time::Timestamp;
use crate::domain::tool::{ServiceSettings, Tool, ToolSettings};

/// How long a change may take to reach a warm environment.
const MAX_AGE: Duration = Duration::from_secs(15);

#[derive(Debug)]
pub struct Settings {
    client: Client,
    table: String,
    cache: Mutex<Option<(Timestamp, Arc<Snapshot>)>>,
}

/// All settings at one moment.
#[derive(Debug, Default)]
pub struct Snapshot {
    tools: HashMap<String, ToolSettings>,
    plans: HashMap<String, Plan>,
    pub service: ServiceSettings,
}

impl Snapshot {
    /// What administrators set about the tool, or else what its file says.
    pub fn tool<'a>(&'a self, tool: &'a Tool) -> &'a ToolSettings {
        self.tools.get(&tool.definition.slug).unwrap_or(&tool.definition.settings)
    }

    pub fn plan(&self, id: &str) -> Plan {
        self.plans.get(id).cloned().unwrap_or_else(|| Plan::fallback(id))
    }
}

#[derive(Clone, Copy, Debug)]
pub enum SettingKind {
    Tool,
    Plan,
    Service,
}

impl SettingKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Plan => "plan",
            Self::Service => "service",
        }
    }
}

/// The one item of kind `service`.
const SERVICE_ID: &str = "switches";

impl Settings {
    pub fn new(client: Client, table: String) -> Self {
        Self { client, table, cache: Mutex::default() }
    }

    /// The settings, at most [`MAX_AGE`] old. If they can't be read, older ones serve on.
    pub async fn current(&self) -> Result<Arc<Snapshot>, StoreError> {
        let now = clock::now();
        let cached = self.cache.lock().ok().and_then(|cache| cache.clone());
        if let Some((read_at, snapshot)) = &cached
            && now.millis_since(*read_at) < u64::try_from(MAX_AGE.as_millis()).unwrap_or(u64::MAX)
        {
            return Ok(snapshot.clone());
        }
        match (self.read().await, cached) {
            (Ok(fresh), _) => {
                let fresh = Arc::new(fresh);
                if let Ok(mut cache) = self.cache.lock() {
                    *cache = Some((now, fresh.clone()));
                }
                Ok(fresh)
            }
            (Err(error), Some((_, stale))) => {
                tracing::warn!(%error, "settings could not be read; the last known ones serve on");
                Ok(stale)
            }
            (Err(error), None) => Err(error),
        }
    }

    async fn read(&self) -> Result<Snapshot, StoreError> {
        let (tools, plans, service) = futures_util::try_join!(
            self.of_kind::<ToolSettings>(SettingKind::Tool),
            self.of_kind::<Plan>(SettingKind::Plan),
            self.of_kind::<ServiceSettings>(SettingKind::Service),
        )?;
        Ok(Snapshot { tools, plans, service: service.get(SERVICE_ID).copied().unwrap_or_default() })
    }

    async fn of_kind<T: DeserializeOwned>(&self, kind: SettingKind) -> Result<HashMap<String, T>, StoreError> {
        let mut pages = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("kind = :kind")
            .expression_attribute_values(":kind", string(kind.as_str()))
            .into_paginator()
            .items()
            .send();
        let mut found = HashMap::new();
        while let Some(item) = pages.next().await {
            let item: Item = item.map_err(|error| store_error(&error))?;
            let record: Record<T> = from_item(item)?;
            found.insert(record.id, record.value);
        }
        Ok(found)
    }

    pub async fn put_tool(&self, slug: &str, settings: &ToolSettings) -> Result<(), StoreError> {
        self.put(SettingKind::Tool, slug, settings).await
    }

    pub async fn put_plan(&self, plan: &Plan) -> Result<(), StoreError> {
        self.put(SettingKind::Plan, &plan.id, plan).await
    }

    pub async fn put_service(&self, switches: &ServiceSettings) -> Result<(), StoreError> {
        self.put(SettingKind::Service, SERVICE_ID, switches).await
    }

    async fn put(&self, kind: SettingKind, id: &str, value: &impl Serialize) -> Result<(), StoreError> {
        let record = Record { kind: kind.as_str().to_owned(), id: id.to_owned(), value };
        self.client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(to_item(&record)?))
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        Ok(())
    }
}

#[derive(Debug, Serialize, serde::Deserialize)]
struct Record<T> {
    kind: String,
    id: String,
    value: T,
}
