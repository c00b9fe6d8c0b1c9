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

/// Why a function can't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A setting is missing or contradictory.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A tool's description is wrong.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// AWS's clients can't be made.
    #[error(transparent)]
    Aws(#[from] AwsError),
}

/// What every API function needs. Functions that use SQS make its client themselves; the S3 client is made when first needed.
#[derive(Debug)]
pub struct Context {
    /// The settings of the function.
    pub config: Config,
    /// All tools.
    pub catalogue: Catalogue,
    /// API keys, and whom they admit.
    pub keys: Keys,
    /// Accounts, and what their plans allow.
    pub accounts: Accounts,
    /// Credits, and counts of jobs.
    pub usage: Usage,
    /// Jobs after their creation.
    pub jobs: Jobs,
    /// Jobs that are not counted yet.
    pub statistics: Statistics,
    /// What administrators set.
    pub settings: Settings,
    /// Who changed what.
    pub audit: Audit,
    /// Batches and their items.
    pub batches: Batches,
    /// What accounts may use in a day.
    pub budgets: Budgets,
    /// Events, and tests of webhooks.
    pub events: Events,
    /// Which fonts accounts have.
    pub fonts: Fonts,
    /// How the service does.
    pub health: Health,
    /// The log of requests.
    pub requests: Requests,
    /// Who is signed in.
    pub sessions: Sessions,
    /// Which templates accounts have.
    pub templates: Templates,
    /// Who may sign in.
    pub users: Users,
    /// Webhook endpoints and deliveries.
    pub webhooks: Webhooks,
    /// The bucket.
    pub files: Files,
    /// AWS's clients, made as they are needed.
    pub aws: Aws,
    /// One client for all tables, so that they share connections.
    pub dynamodb: aws_sdk_dynamodb::Client,
}

impl Context {
    /// From the function's environment.
    ///
    /// # Errors
    /// If a setting is missing, or a tool's description is wrong.
    pub fn of_function() -> Result<Self, StartError> {
        Self::new(Config::from_env()?, Aws::of_function()?)
    }

    /// From these settings and clients.
    ///
    /// # Errors
    /// If a tool's description is wrong.
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

    /// A client of the queues, made anew.
    pub fn queue(&self) -> Queue {
        Queue::new(self.aws.sqs(), &self.config)
    }
}
