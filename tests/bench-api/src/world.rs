//! The data for successful requests: an account with credits, its keys, and a job with a result.

use std::time::Duration;

use docmill_app::context::Context;
use docmill_config::clock;
use docmill_domain::account::{Limiter, Plan, Profile};
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::job::{
    Deletion, EngineInfo, IndexPlaces, Job, JobId, JobResult, JobStatus, Output, Payment, RequestRecord,
    ResultDelivery, Times, Timings, Waits, Work,
};
use docmill_domain::quota::{Charge, RateLimit};
use docmill_domain::sha256_hex;
use docmill_domain::statistics::Subject;
use docmill_domain::tool::QueueName;
use docmill_store::item::{UsageItem, to_item};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::Problem;
use crate::function::Environment;
use crate::stub::Stub;

/// High enough that limiters don't affect the measurements.
const UNLIMITED: RateLimit = RateLimit { per_minute: 60_000, burst: 1_000_000 };
const CREDITS: u64 = 1_000_000_000;
const HOUR: Duration = Duration::from_secs(3600);
/// Further settings, of the dashboard and of the functions that create jobs. Nobody signs in here.
const FURTHER: [(&str, &str); 6] = [
    ("DASHBOARD_URL", "https://docmill.example"),
    ("OIDC_ISSUER", "https://issuer.example/pool"),
    ("OIDC_CLIENT_ID", "bench"),
    ("COOKIE_KEY", "sixty-four characters of no secret, for cookies that nobody has."),
    ("WEBHOOK_KEY", "sixty-four characters of no secret, for webhooks that nobody has"),
    ("DELIVERY_ROLE", "arn:aws:iam::111122223333:role/deliverer"),
];
/// The functions' settings with the emulator.
const SETTINGS: [&str; 19] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_REGION",
    "AWS_ENDPOINT_URL",
    "KEYS_TABLE",
    "USAGE_TABLE",
    "JOBS_TABLE",
    "SETTINGS_TABLE",
    "EVENTS_TABLE",
    "SESSIONS_TABLE",
    "FILES_BUCKET",
    "OFFICE_QUEUE_URL",
    "HTML_QUEUE_URL",
    "PDF_QUEUE_URL",
    "EVENTS_QUEUE_URL",
    "BATCHES_QUEUE_URL",
    "DELIVERIES_QUEUE_URL",
    "S3_PATH_STYLE",
    "LOG_LEVEL",
];

/// An environment for functions, and the data that requests need.
#[derive(Debug)]
pub struct World {
    pub environment: Environment,
    pub key: ApiKey,
    pub job: JobId,
}

/// The stub's data in DynamoDB's JSON.
#[derive(Clone, Debug)]
pub struct Items {
    pub key: Value,
    pub job: Value,
    pub plan: Value,
    pub usage: Vec<Value>,
}

/// The stored data of an account with a key and a job.
#[derive(Debug)]
pub struct Seed {
    secret: ApiKey,
    account: String,
    plan: String,
    key: Value,
    profile: Value,
    job: Value,
    job_id: JobId,
}

impl Seed {
    pub fn new() -> Result<Self, Problem> {
        let plan = format!("plan_{}", Uuid::now_v7().simple());
        Self::of_account(&format!("acc_{}", Uuid::now_v7().simple()), &plan)
    }

    fn of_account(account: &str, plan: &str) -> Result<Self, Problem> {
        let secret = ApiKey::generate(Mode::Live);
        let job = completed_job(account);
        Ok(Self {
            key: stored_key(&secret, account, plan)?,
            profile: keyed(
                serde_json::to_value(Profile::new("Bench", plan, clock::now()))?,
                UsageItem::Profile,
                account,
            ),
            job: serde_json::to_value(&job)?,
            job_id: job.id,
            account: account.to_owned(),
            plan: plan.to_owned(),
            secret,
        })
    }

    pub fn items(&self) -> Items {
        let period = clock::now().period();
        let balance = json!({"taken": 3, "included": CREDITS, "used": 3, "created": 3});
        let day = Subject { day: clock::now().day(), tool: "html-to-pdf".into(), key_id: "key_bench".into() };
        let counts = json!({"created": 3, "completed": 2, "failed": 1, "charged": 3, "refunded": 1});
        Items {
            key: attributes(&self.key),
            job: attributes(&self.job),
            plan: attributes(&self.plan_item()),
            usage: vec![
                attributes(&self.profile),
                attributes(&keyed(balance, UsageItem::Balance(period), &self.account)),
                attributes(&keyed(counts, UsageItem::Counts(&day), &self.account)),
            ],
        }
    }

    fn plan_item(&self) -> Value {
        let plan = Plan { included_credits: CREDITS, ..Plan::fallback(&self.plan) };
        json!({"kind": "plan", "id": self.plan, "value": plan})
    }

    pub fn account(&self) -> &str {
        &self.account
    }

    /// The stub's data before the account's first job, with this many granted credits.
    pub fn empty_items(&self, granted: u64) -> Items {
        let mut profile = self.profile.clone();
        profile["granted"] = json!(granted);
        Items { usage: vec![attributes(&profile)], ..self.items() }
    }

    /// The world of functions that call `stub`. `authorities`: their file of trusted authorities.
    pub fn with_stub(&self, stub: &Stub, authorities: Option<&str>) -> World {
        let mut settings = vec![
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "test"),
            // A role's credentials have a session token, which is signed and sent with every call.
            ("AWS_SESSION_TOKEN", "an-invented-token-that-is-shorter-than-those-of-a-role"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ENDPOINT_URL", &stub.endpoint),
            ("KEYS_TABLE", "keys"),
            ("USAGE_TABLE", "usage"),
            ("JOBS_TABLE", "jobs"),
            ("SETTINGS_TABLE", "settings"),
            ("EVENTS_TABLE", "events"),
            ("SESSIONS_TABLE", "sessions"),
            ("FILES_BUCKET", "files"),
            ("OFFICE_QUEUE_URL", "https://sqs.us-east-1.amazonaws.com/123456789012/office"),
            ("HTML_QUEUE_URL", "https://sqs.us-east-1.amazonaws.com/123456789012/html"),
            ("PDF_QUEUE_URL", "https://sqs.us-east-1.amazonaws.com/123456789012/pdf"),
            ("EVENTS_QUEUE_URL", "https://sqs.us-east-1.amazonaws.com/123456789012/events"),
            ("BATCHES_QUEUE_URL", "https://sqs.us-east-1.amazonaws.com/123456789012/batches"),
            ("DELIVERIES_QUEUE_URL", "https://sqs.us-east-1.amazonaws.com/123456789012/deliveries"),
            ("S3_PATH_STYLE", "true"),
        ];
        // The variable of rustls-native-certs in any program.
        settings.extend(authorities.map(|file| ("SSL_CERT_FILE", file)));
        World { environment: environment(settings), key: self.secret.clone(), job: self.job_id }
    }

    /// Stores the account at this process's endpoint, for functions that call it too.
    pub async fn store(&self) -> Result<World, Problem> {
        let context = Context::of_function()?;
        let tables = &context.config.tables;
        let plan = self.plan_item();
        let items = [
            (&tables.settings, &plan),
            (&tables.usage, &self.profile),
            (&tables.keys, &self.key),
            (&tables.jobs, &self.job),
        ];
        for (table, item) in items {
            context.dynamodb.put_item().table_name(table).set_item(Some(to_item(item)?)).send().await?;
        }
        let of_this_process: Vec<_> =
            SETTINGS.into_iter().filter_map(|name| Some((name, std::env::var(name).ok()?))).collect();
        let settings = of_this_process.iter().map(|(name, value)| (*name, value.as_str()));
        Ok(World { environment: environment(settings), key: self.secret.clone(), job: self.job_id })
    }

    /// Another key of this seed's account, or of a new account on the same plan.
    pub fn another(&self, same_account: bool) -> Result<Self, Problem> {
        let account = format!("acc_{}", Uuid::now_v7().simple());
        Self::of_account(if same_account { &self.account } else { &account }, &self.plan)
    }
}

fn environment<'a>(settings: impl IntoIterator<Item = (&'a str, &'a str)>) -> Environment {
    settings.into_iter().chain(FURTHER).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// An item of the Usage table.
fn keyed(mut item: Value, kind: UsageItem, account: &str) -> Value {
    item["account"] = json!(account);
    item["item"] = json!(kind.sort_key());
    item
}

fn stored_key(secret: &ApiKey, account: &str, plan: &str) -> Result<Value, Problem> {
    let mut key = serde_json::to_value(Limiter::new(UNLIMITED, UNLIMITED))?;
    key["key_hash"] = json!(secret.hash());
    key["key_id"] = json!(format!("key_{}", Uuid::now_v7().simple()));
    key["account"] = json!(account);
    key["name"] = json!("bench");
    key["mode"] = json!(Mode::Live);
    key["last4"] = json!(secret.last4());
    key["created_at"] = json!(clock::now());
    key["plan"] = json!(plan);
    key["suspended"] = json!(false);
    key["test_mode"] = json!(true);
    Ok(key)
}

/// A job that waits for a worker.
pub fn queued_job(account: &str) -> Job {
    let job = completed_job(account);
    let (times, result) = (Times::of_new(job.times.created_at), JobResult::default());
    Job { status: JobStatus::Queued, version: 1, attempts: 0, times, result, ..job }
}

fn completed_job(account: &str) -> Job {
    let now = clock::now();
    let id = JobId::new();
    Job {
        id,
        account: account.to_owned(),
        mode: Mode::Live,
        batch: None,
        tool: "html-to-pdf".into(),
        queue: QueueName::Html,
        status: JobStatus::Completed,
        version: 3,
        attempts: 1,
        request: RequestRecord {
            key_id: "key_bench".into(),
            request_id: None,
            input: json!({"html": {"bytes": 12, "sha256": sha256_hex(b"<p>Hello</p>")}}),
            options: json!({"pageSize": "A5"}),
            then: Vec::new(),
            output_request: None,
            retention_seconds: None,
            webhook: None,
            metadata: Default::default(),
            limits: Default::default(),
            secret: None,
        },
        times: Times {
            created_at: now,
            started_at: Some(now),
            finished_at: Some(now),
            expires_at: Some(now.plus(HOUR * 23)),
        },
        work: Work::default(),
        delivery: ResultDelivery::default(),
        payment: Payment {
            charge: Charge { included: 1, granted: 0 },
            included_credits: 100,
            ..Payment::none(now.period())
        },
        result: JobResult {
            output: Some(Output {
                format: "pdf".into(),
                content_type: "application/pdf".into(),
                bytes: 20_000,
                pages: Some(1),
                width: None,
                height: None,
                sha256: sha256_hex(b"result"),
                filename: "document.pdf".into(),
            }),
            output_key: Some(format!("outputs/{account}/{id}/1")),
            engine: Some(EngineInfo { name: "chromium".into(), version: "1".into() }),
            timings: Some(Timings { queued_ms: 20, fetch_ms: 0, convert_ms: 80, store_ms: 20 }),
            ..JobResult::default()
        },
        waits: Waits::default(),
        deletion: Deletion::default(),
        index: IndexPlaces { creation_counted: true, ..IndexPlaces::default() },
        ttl: now.plus(HOUR * 24 * 30).as_ttl_seconds(),
    }
}

/// An item in DynamoDB's JSON.
fn attributes(item: &Value) -> Value {
    let members = item.as_object().cloned().unwrap_or_default();
    Value::Object(members.iter().map(|(name, value)| (name.clone(), attribute(value))).collect())
}

fn attribute(value: &Value) -> Value {
    let (kind, value) = match value {
        Value::Null => ("NULL", json!(true)),
        Value::Bool(value) => ("BOOL", json!(value)),
        Value::Number(number) => ("N", json!(number.to_string())),
        Value::String(text) => ("S", json!(text)),
        Value::Array(values) => ("L", values.iter().map(attribute).collect()),
        Value::Object(_) => ("M", attributes(value)),
    };
    Value::Object(Map::from_iter([(kind.to_owned(), value)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_written_as_dynamodb_writes_them() {
        let item = json!({"a": "x", "n": 7, "l": [true, null], "m": {"b": "y"}});
        let expected = json!({
            "a": {"S": "x"}, "n": {"N": "7"}, "l": {"L": [{"BOOL": true}, {"NULL": true}]}, "m": {"M": {"b": {"S": "y"}}},
        });
        assert_eq!(attributes(&item), expected);
    }
}
