//! Settings, read once per environment. If one is missing or contradictory, the start fails and names it.

#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod clock;

use std::time::Duration;

use docmill_domain::job::{DEFAULT_OPEN_SHARDS, OpenShards};
use docmill_domain::limits::Limits;
use docmill_domain::tool::QueueName;

/// The settings of a function, from its environment.
#[derive(Clone, Debug)]
pub struct Config {
    /// The names of the tables.
    pub tables: Tables,
    /// The bucket for uploads, results and other stored files.
    pub files_bucket: String,
    /// Of jobs for LibreOffice.
    pub office_queue_url: String,
    /// Of jobs for a browser, or the layout engine without one.
    pub html_queue_url: String,
    /// Of jobs for the PDF tools.
    pub pdf_queue_url: String,
    /// Of the deliverer of webhooks.
    pub events_queue_url: String,
    /// Of single requests to webhook endpoints.
    pub deliveries_queue_url: String,
    /// Of the runner of batches.
    pub batches_queue_url: String,
    /// Only operators use the dead-letter queues.
    pub office_dead_letters_url: Option<String>,
    /// As for `office_dead_letters_url`.
    pub html_dead_letters_url: Option<String>,
    /// As for `office_dead_letters_url`.
    pub pdf_dead_letters_url: Option<String>,
    /// The log group of the API's functions, for those that read it.
    pub endpoint_logs: Option<String>,
    /// Path-style S3 addresses, which emulators need.
    pub s3_path_style: bool,
    /// The local stack: loopback webhook receivers and source exceptions are allowed.
    pub local_mode: bool,
    /// How long results are kept, unless a request asks for more.
    pub output_retention: Duration,
    /// How long jobs are listed after their creation.
    pub job_retention: Duration,
    /// How long a repeated `Idempotency-Key` finds its job.
    pub idempotency_retention: Duration,
    /// How long a warm environment may use old settings after a change.
    pub settings_max_age: Duration,
    /// The limits of all accounts, before plans and keys narrow them.
    pub limits: Limits,
}

/// The names of the DynamoDB tables.
#[derive(Clone, Debug)]
pub struct Tables {
    /// API keys.
    pub keys: String,
    /// What belongs to accounts: profiles, credits, counts, fonts and templates.
    pub usage: String,
    /// Jobs, and the idempotency keys that led to them.
    pub jobs: String,
    /// What administrators set, and the audit trail of it.
    pub settings: String,
    /// Events, webhooks, batches and the log of requests.
    pub events: String,
    /// Users of the dashboard and their sessions.
    pub sessions: String,
    /// Partitions of the sweeper's indexes of jobs, so that writes are spread.
    pub open_shards: OpenShards,
}

/// A setting without which a function does not start.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// This variable is not set.
    #[error("the environment variable {0} is not set")]
    Missing(&'static str),
    /// The value of this variable has another form.
    #[error("the environment variable {name} must be {expected}")]
    Malformed {
        /// The variable.
        name: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// Two settings contradict each other.
    #[error("JOB_RETENTION_DAYS must cover IDEMPOTENCY_HOURS: a kept key would point to a job that is gone")]
    JobsShorterThanKeys,
}

impl Config {
    /// Reads the process's environment. An empty variable counts as missing.
    ///
    /// # Errors
    /// If a variable is missing, malformed or contradicts another one.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_lookup(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    /// The same from another source of variables.
    ///
    /// # Errors
    /// As for [`Self::from_env`].
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let required = |name| lookup(name).ok_or(ConfigError::Missing(name));
        let number = |name, default: u64| match lookup(name) {
            Some(text) => text.parse().map_err(|_| ConfigError::Malformed { name, expected: "a whole number" }),
            None => Ok(default),
        };
        let switch = |name| match lookup(name).as_deref() {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(ConfigError::Malformed { name, expected: "true or false" }),
        };
        let limits = Limits::default();
        let hours = |count: u64| Duration::from_secs(count.saturating_mul(3600));
        let config = Self {
            tables: Tables {
                keys: required("KEYS_TABLE")?,
                usage: required("USAGE_TABLE")?,
                jobs: required("JOBS_TABLE")?,
                settings: required("SETTINGS_TABLE")?,
                events: required("EVENTS_TABLE")?,
                sessions: required("SESSIONS_TABLE")?,
                open_shards: OpenShards::new(number("OPEN_SHARDS", DEFAULT_OPEN_SHARDS.into())?).ok_or(
                    ConfigError::Malformed { name: "OPEN_SHARDS", expected: "a number of partitions that are swept" },
                )?,
            },
            files_bucket: required("FILES_BUCKET")?,
            office_queue_url: required("OFFICE_QUEUE_URL")?,
            html_queue_url: required("HTML_QUEUE_URL")?,
            pdf_queue_url: required("PDF_QUEUE_URL")?,
            events_queue_url: required("EVENTS_QUEUE_URL")?,
            deliveries_queue_url: required("DELIVERIES_QUEUE_URL")?,
            batches_queue_url: required("BATCHES_QUEUE_URL")?,
            office_dead_letters_url: lookup("OFFICE_DEAD_LETTERS_URL"),
            html_dead_letters_url: lookup("HTML_DEAD_LETTERS_URL"),
            pdf_dead_letters_url: lookup("PDF_DEAD_LETTERS_URL"),
            endpoint_logs: lookup("ENDPOINT_LOGS"),
            s3_path_style: switch("S3_PATH_STYLE")?,
            local_mode: switch("LOCAL_MODE")?,
            output_retention: hours(number("OUTPUT_RETENTION_HOURS", 24)?),
            job_retention: hours(number("JOB_RETENTION_DAYS", 30)?.saturating_mul(24)),
            idempotency_retention: hours(number("IDEMPOTENCY_HOURS", 24)?),
            settings_max_age: Duration::from_secs(number("SETTINGS_MAX_AGE_SECONDS", 15)?),
            limits: Limits {
                source_bytes: number("SOURCE_LIMIT_BYTES", limits.source_bytes)?,
                conversion: Duration::from_secs(number("CONVERSION_SECONDS", limits.conversion.as_secs())?),
                fetch: Duration::from_secs(number("FETCH_SECONDS", limits.fetch.as_secs())?),
                running_jobs: number("RUNNING_JOBS", limits.running_jobs)?,
                ..limits
            },
        };
        if config.job_retention < config.idempotency_retention {
            return Err(ConfigError::JobsShorterThanKeys);
        }
        Ok(config)
    }

    /// The queue that jobs for these engines wait in.
    pub fn queue_url(&self, queue: QueueName) -> &str {
        match queue {
            QueueName::Office => &self.office_queue_url,
            QueueName::Html => &self.html_queue_url,
            QueueName::Pdf => &self.pdf_queue_url,
        }
    }

    /// Where messages go that failed too often.
    ///
    /// # Errors
    /// If the function has no address of it.
    pub fn dead_letters_url(&self, queue: QueueName) -> Result<&str, ConfigError> {
        let (url, name) = match queue {
            QueueName::Office => (&self.office_dead_letters_url, "OFFICE_DEAD_LETTERS_URL"),
            QueueName::Html => (&self.html_dead_letters_url, "HTML_DEAD_LETTERS_URL"),
            QueueName::Pdf => (&self.pdf_dead_letters_url, "PDF_DEAD_LETTERS_URL"),
        };
        url.as_deref().ok_or(ConfigError::Missing(name))
    }

    /// [`Self::output_retention`] in whole hours.
    pub fn output_retention_hours(&self) -> u64 {
        self.output_retention.as_secs() / 3600
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(name: &str) -> Option<String> {
        match name {
            "JOB_RETENTION_DAYS" | "IDEMPOTENCY_HOURS" | "OUTPUT_RETENTION_HOURS" => None,
            "S3_PATH_STYLE" | "LOCAL_MODE" | "RUNNING_JOBS" | "OPEN_SHARDS" => None,
            name if name.ends_with("_BYTES") || name.ends_with("_SECONDS") => None,
            name => Some(name.to_lowercase()),
        }
    }

    #[test]
    fn a_missing_setting_is_named() {
        let error = Config::from_lookup(|name| lookup(name).filter(|_| name != "JOBS_TABLE")).unwrap_err();
        assert_eq!(error.to_string(), "the environment variable JOBS_TABLE is not set");
    }

    #[test]
    fn open_jobs_are_only_written_to_partitions_that_are_swept() {
        let with = |shards: &str| {
            Config::from_lookup(|name| if name == "OPEN_SHARDS" { Some(shards.to_owned()) } else { lookup(name) })
        };
        assert!(with("8").is_ok());
        for shards in ["0", "9", "256", "x"] {
            assert!(with(shards).is_err_and(|error| error.to_string().contains("OPEN_SHARDS")), "{shards}");
        }
    }

    #[test]
    fn jobs_must_outlive_idempotency_keys() {
        let with = |name: &str| match name {
            "JOB_RETENTION_DAYS" => Some("1".to_owned()),
            "IDEMPOTENCY_HOURS" => Some("25".to_owned()),
            name => lookup(name),
        };
        assert!(matches!(Config::from_lookup(with), Err(ConfigError::JobsShorterThanKeys)));
        assert!(Config::from_lookup(lookup).is_ok());
    }

    #[test]
    fn malformed_values_are_refused() {
        let with = |name: &str| if name == "LOCAL_MODE" { Some("yes".to_owned()) } else { lookup(name) };
        assert!(matches!(Config::from_lookup(with), Err(ConfigError::Malformed { name: "LOCAL_MODE", .. })));
    }
}
