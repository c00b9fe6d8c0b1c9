//! A test's world: recorded contexts and its own accounts.

use std::sync::Arc;
use std::time::Duration;

use docmill_app::context::Context;
use docmill_app::jobs::control::ControlService;
use docmill_app::jobs::submit::JobService;
use docmill_app::uploads::UploadService;
use docmill_aws::Aws;
use docmill_aws::files::Files;
use docmill_config::Config;
use docmill_config::clock;
use docmill_domain::account::{Limiter, Plan, Profile, StoredKey};
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::audit::Author;
use docmill_domain::job::JobId;
use docmill_domain::quota::RateLimit;
use docmill_store::accounts::KeyAdded;
use docmill_store::item::to_item;
use docmill_store::settings::{Change, Versioned};
use functions::create_job;
use serde_json::json;
use uuid::Uuid;

use super::aws_watch::Watch;
use super::http::{Answer, post};
use super::tables::table_like;

/// Generous limits, for tests of other things. The slow rate keeps a limiter in one branch during a test.
pub const UNLIMITED: RateLimit = RateLimit { per_minute: 60, burst: 2_000 };

pub struct World {
    pub watch: Watch,
    pub config: Config,
    pub context: Arc<Context>,
    pub service: Arc<JobService>,
    pub uploads: Arc<UploadService>,
    pub cancellation: Arc<ControlService>,
    pub deletion: Arc<ControlService>,
}

/// AWS clients like those of functions, but with time for slow machines: an abandoned and repeated call would meet the next
/// call's fault. They repeat a call at once, since injected faults do not pass with time.
pub fn patient_aws() -> Aws {
    let aws = Aws::of_function().expect("AWS_REGION is set");
    aws.with_patience(Duration::from_secs(20)).with_retry_pause(Duration::from_millis(2))
}

impl World {
    /// A world that reads settings at the first request, so that the test can set them before.
    pub fn new() -> Self {
        let config = Config::from_env().expect("the emulator's environment is not set: run the tests with `make test`");
        Self::with_config(config)
    }

    pub fn with_config(config: Config) -> Self {
        Self::with_aws(config, patient_aws())
    }

    pub fn with_aws(config: Config, aws: Aws) -> Self {
        let (path_style, bucket) = (config.s3_path_style, config.files_bucket.clone());
        Self::with_files(config, aws, |aws, _| Files::new(aws, path_style, bucket.clone()))
    }

    /// The same with the bucket as `files` gives it for the function of this name.
    pub fn with_files(config: Config, aws: Aws, files: impl Fn(Aws, &str) -> Files) -> Self {
        let watch = Watch::default();
        let context = |function: &str| {
            let aws = aws.clone().with_interceptor(watch.interceptor());
            let files = files(aws.clone(), function);
            Context { files, ..Context::new(config.clone(), aws).expect("the catalogue loads") }
        };
        Self {
            context: Arc::new(context("TEST")),
            service: Arc::new(JobService::new(context("CREATE_JOB"), Some(super::hooks::sealing()))),
            uploads: Arc::new(UploadService::new(context("CREATE_UPLOAD"))),
            cancellation: Arc::new(ControlService::new(context("CANCEL_JOB"))),
            deletion: Arc::new(ControlService::new(context("DELETE_JOB"))),
            watch: watch.clone(),
            config: config.clone(),
        }
    }

    /// A world with its own settings, so that changes of the whole service don't affect other tests. The test removes them at its
    /// end.
    pub async fn with_own_settings() -> Self {
        let mut config = Self::new().config;
        let name = format!("settings-{}", Uuid::now_v7().simple());
        config.tables.settings = table_like(&patient_aws().dynamodb(), &config.tables.settings, &name).await;
        Self::with_config(config)
    }

    /// A world with its own events, where only this test's are due.
    pub async fn with_own_events() -> Self {
        let mut config = Self::new().config;
        let name = format!("events-{}", Uuid::now_v7().simple());
        config.tables.events = table_like(&patient_aws().dynamodb(), &config.tables.events, &name).await;
        Self::with_config(config)
    }

    pub async fn remove_events(self) {
        let dynamodb = self.context.aws.dynamodb();
        dynamodb.delete_table().table_name(&self.config.tables.events).send().await.unwrap();
    }

    pub async fn remove_settings(self) {
        let dynamodb = self.context.aws.dynamodb();
        dynamodb.delete_table().table_name(&self.config.tables.settings).send().await.unwrap();
    }

    /// A plan for this test.
    pub async fn plan(&self, included_credits: u64) -> Plan {
        let id = format!("plan_{}", Uuid::now_v7().simple());
        let plan = Plan { included_credits, ..Plan::fallback(&id) };
        let unset = Versioned { value: Plan::fallback(&plan.id), version: 0 };
        let change = self.context.settings.change_plan(&unset, &plan, &author()).await.unwrap();
        assert!(matches!(change, Change::Written(_)), "{change:?}");
        plan
    }

    /// An account with a month's `included` credits and one live key.
    pub async fn account(&self, included: u64) -> Account {
        let plan = self.plan(included).await;
        self.account_on(&plan.id, 0).await
    }

    pub async fn account_on(&self, plan: &str, granted: u64) -> Account {
        let id = format!("acc_{}", Uuid::now_v7().simple());
        let profile = Profile { granted, ..Profile::new("test", plan, clock::now()) };
        assert!(self.context.accounts.create(&id, &profile, &author()).await.unwrap());
        let account = Account { id, plan: plan.to_owned(), key: ApiKey::generate(Mode::Live) };
        self.key(&account, account.key.clone(), |_| {}).await;
        account
    }

    /// Stores `secret` as a key of the account with any change, even one that its account would not allow.
    pub async fn key(&self, account: &Account, secret: ApiKey, change: impl FnOnce(&mut StoredKey)) {
        let mode = if secret.reveal().starts_with("dm_test_") { Mode::Test } else { Mode::Live };
        let mut key = account.stored_key(&secret, mode);
        change(&mut key);
        let added = self.context.accounts.add_key(&key, clock::now()).await.unwrap();
        let KeyAdded::Yes(stored) = added else { panic!("{added:?}") };
        if *stored != key {
            let put = self.context.dynamodb.put_item().table_name(&self.config.tables.keys);
            put.set_item(Some(to_item(&key).unwrap())).send().await.unwrap();
        }
    }

    /// Another key of the account with this change.
    pub async fn another_key(&self, account: &Account, mode: Mode, change: impl FnOnce(&mut StoredKey)) -> ApiKey {
        let secret = ApiKey::generate(mode);
        self.key(account, secret.clone(), change).await;
        secret
    }

    /// Asks for a job whose request has a mark, `canary…`, in everything that only the owner of the job may see.
    pub async fn create_job_of_secrets(&self, account: &Account) -> Answer {
        let body = json!({
            "toolSlug": "office-to-pdf",
            "sourceUrl": "https://files.example/canarypath/canaryname.docx?sig=canaryquery",
            "options": {"password": "canarypassword"},
            "metadata": {"note": "canarymetadata"},
        });
        Answer::of(create_job::handle(self.service.clone(), post("/", &body).key(&account.key).build()).await)
    }

    /// Counts these jobs, as the sweeper does once a minute.
    pub async fn count(&self, ids: impl IntoIterator<Item = JobId>) {
        let ids: Vec<_> = ids.into_iter().collect();
        self.context.statistics.count(&ids, clock::now()).await.unwrap();
    }

    /// Used credits and jobs created this month.
    pub async fn spent(&self, account: &Account) -> (u64, u64) {
        let usage = self.context.usage.of_month(&account.id, clock::now().period()).await.unwrap();
        (usage.credits.used, usage.credits.created)
    }
}

/// Who makes the changes of a test.
pub fn author() -> Author {
    Author { actor: "test".into(), reason: None, at: clock::now() }
}

#[derive(Clone, Debug)]
pub struct Account {
    pub id: String,
    pub plan: String,
    pub key: ApiKey,
}

impl Account {
    /// A key of the account as it would be stored.
    pub fn stored_key(&self, secret: &ApiKey, mode: Mode) -> StoredKey {
        StoredKey {
            key_hash: secret.hash(),
            key_id: format!("key_{}", Uuid::now_v7().simple()),
            account: self.id.clone(),
            name: "test".into(),
            mode,
            last4: secret.last4().to_owned(),
            created_at: clock::now(),
            last_used_at: None,
            revoked_at: None,
            expires_at: None,
            allowed_tools: None,
            allowed_origins: Vec::new(),
            limits: Default::default(),
            plan: self.plan.clone(),
            account_origins: Vec::new(),
            account_tools: None,
            suspended: false,
            test_mode: true,
            limiter: Limiter::new(UNLIMITED, UNLIMITED),
        }
    }
}
