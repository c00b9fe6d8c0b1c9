//! Built once per environment: settings, clients and stores.

use crate::aws::{Aws, AwsError};
use crate::config::{Config, ConfigError};
use crate::domain::catalogue::{Catalogue, CatalogueError};
use crate::files::Files;
use crate::queue::Queue;
use crate::store::accounts::Accounts;
use crate::store::audit::Audit;
use crate::store::batches::Batches;
use crate::store::budgets::Budgets;
use crate::store::events::Events;
use crate::store::fonts::Fonts;
use crate::store::health::Health;
use crate::store::jobs::Jobs;
use crate::store::keys::Keys;
use crate::store::sessions::Sessions;
use crate::store::settings::Settings;
use crate::store::statistics::Statistics;
use crate::store::templates::Templates;
use crate::store::usage::Usage;
use crate::store::users::Users;
use crate::store::webhooks::Webhooks;

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    #[error(transparent)]
    Aws(#[from] AwsError),
}

/// What every API function needs. Functions that use SQS make its client themselves; the S3 client is made when first needed.
#[derive(Debug)]
pub struct Context {
    pub config: Config,
    pub catalogue: Catalogue,
    pub keys: Keys,
    pub accounts: Accounts,
    pub usage: Usage,
    pub jobs: Jobs,
    pub statistics: Statistics,
    pub settings: Settings,
    pub audit: Audit,
    pub batches: Batches,
    pub budgets: Budgets,
    pub events: Events,
    pub fonts: Fonts,
    pub health: Health,
    pub sessions: Sessions,
    pub templates: Templates,
    pub users: Users,
    pub webhooks: Webhooks,
    pub files: Files,
    pub aws: Aws,
    /// One client for all tables, so that they share connections.
    pub dynamodb: aws_sdk_dynamodb::Client,
}

impl Context {
    pub fn of_function() -> Result<Self, StartError> {
        Self::new(Config::from_env()?, Aws::of_function()?)
    }

    pub fn new(config: Config, aws: Aws) -> Result<Self, StartError> {
        let dynamodb = aws.dynamodb();
        let tables = &config.tables;
        Ok(Self {
            catalogue: Catalogue::load()?,
            keys: Keys::new(dynamodb.clone(), tables.keys.clone()),
            accounts: Accounts::new(dynamodb.clone(), tables.clone()),
            usage: Usage::new(dynamodb.clone(), tables),
            jobs: Jobs::new(dynamodb.clone(), tables),
            statistics: Statistics::new(dynamodb.clone(), tables.clone()),
            settings: Settings::new(dynamodb.clone(), tables.settings.clone(), config.settings_max_age),
            audit: Audit::new(dynamodb.clone(), tables.settings.clone()),
            batches: Batches::new(dynamodb.clone(), tables.events.clone()),
            budgets: Budgets::new(dynamodb.clone(), tables),
            fonts: Fonts::new(dynamodb.clone(), tables.usage.clone()),
            health: Health::new(dynamodb.clone(), tables.jobs.clone()),
            events: Events::new(dynamodb.clone(), tables),
            sessions: Sessions::new(dynamodb.clone(), tables.sessions.clone()),
            templates: Templates::new(dynamodb.clone(), tables.usage.clone()),
            users: Users::new(dynamodb.clone(), tables.sessions.clone(), tables.usage.clone()),
            webhooks: Webhooks::new(dynamodb.clone(), tables.events.clone()),
            files: Files::new(aws.clone(), config.s3_path_style, config.files_bucket.clone()),
            dynamodb,
            config,
            aws,
        })
    }

    pub fn queue(&self) -> Queue {
        Queue::new(self.aws.sqs(), &self.config)
    }
}
