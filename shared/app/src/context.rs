//! Built once per environment: settings, clients and stores.

use docmill_aws::files::Files;
use docmill_aws::queue::Queue;
use docmill_aws::{Aws, AwsError};
use docmill_config::{Config, ConfigError};
use docmill_domain::catalogue::{Catalogue, CatalogueError};
use docmill_store::accounts::Accounts;
use docmill_store::audit::Audit;
use docmill_store::batches::Batches;
use docmill_store::budgets::Budgets;
use docmill_store::events::Events;
use docmill_store::fonts::Fonts;
use docmill_store::health::Health;
use docmill_store::jobs::Jobs;
use docmill_store::keys::Keys;
use docmill_store::requests::Requests;
use docmill_store::sessions::Sessions;
use docmill_store::settings::Settings;
use docmill_store::statistics::Statistics;
use docmill_store::templates::Templates;
use docmill_store::usage::Usage;
use docmill_store::users::Users;
use docmill_store::webhooks::Webhooks;

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
    pub requests: Requests,
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
            requests: Requests::new(dynamodb.clone(), tables.events.clone()),
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
