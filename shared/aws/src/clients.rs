//! Connections to AWS: region, credentials, timeouts and retries of all clients.

use std::time::Duration;

use aws_config::environment::EnvironmentVariableCredentialsProvider;
use aws_config::retry::RetryConfig;
use aws_config::sts::AssumeRoleProvider;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_async::time::SystemTimeSource;
use aws_smithy_http_client::HttpClientError;
use aws_smithy_runtime_api::client::interceptors::SharedInterceptor;

use crate::connection::{Authorities, http_client};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(1);
const OPERATION_TIMEOUT: Duration = Duration::from_secs(4);
/// A customer's queue or bus may be in another part of the world.
const CUSTOMER_TIMEOUT: Duration = Duration::from_secs(5);
/// Large outputs take time to upload.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(60);

/// The first pause before DynamoDB is called again. AWS's SDKs use the same: a second would be a quarter of a request's time.
const DYNAMODB_RETRY_PAUSE: Duration = Duration::from_millis(25);

/// The SDK allows all clients of a process together only so many retries. Tests with many faults would take them from each other.
const OWN_RETRIES: &str = "own";

/// Why no client can be made.
#[derive(Debug, thiserror::Error)]
pub enum AwsError {
    /// Lambda sets the region: the function was started by something else.
    #[error("the environment variable AWS_REGION is not set")]
    NoRegion,
    /// There is no TLS, or a certificate authority can't be read.
    #[error("AWS can't be connected to: {0}")]
    Connection(#[from] HttpClientError),
}

/// The configuration of AWS clients. Tests set an interceptor that counts, delays or fails calls, and have retries of their own.
#[derive(Clone, Debug)]
pub struct Aws {
    sdk: SdkConfig,
    /// The first pause before DynamoDB is called again.
    dynamodb_pause: Duration,
    /// DynamoDB's endpoint if it differs from the others. The SDK only reads this variable with its own loader.
    dynamodb_endpoint: Option<String>,
    interceptor: Option<SharedInterceptor>,
}

impl Aws {
    /// For functions: region and credentials come only from the environment. Functions have no profile files, STS or instance
    /// metadata, and looking for each would slow down a cold start.
    ///
    /// # Errors
    /// If `AWS_REGION` is not set, or the certificate authorities can't be read.
    pub fn of_function() -> Result<Self, AwsError> {
        let setting = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let region = setting("AWS_REGION").ok_or(AwsError::NoRegion)?;
        let endpoint = setting("AWS_ENDPOINT_URL");
        let authorities = Authorities::of(&region, endpoint.as_deref(), setting("SSL_CERT_FILE").as_deref());
        let mut sdk = SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(region))
            .http_client(http_client(authorities, CONNECT_TIMEOUT)?)
            .credentials_provider(SharedCredentialsProvider::new(EnvironmentVariableCredentialsProvider::new()))
            .retry_config(RetryConfig::standard())
            .timeout_config(timeouts(ATTEMPT_TIMEOUT, OPERATION_TIMEOUT));
        sdk.set_endpoint_url(endpoint);
        Ok(Self {
            sdk: sdk.build(),
            dynamodb_pause: DYNAMODB_RETRY_PAUSE,
            dynamodb_endpoint: setting("AWS_ENDPOINT_URL_DYNAMODB"),
            interceptor: None,
        })
    }

    /// For people: the same credentials as the AWS command line.
    pub async fn of_operator() -> Self {
        let sdk = aws_config::defaults(BehaviorVersion::latest()).load().await;
        Self { sdk, dynamodb_pause: DYNAMODB_RETRY_PAUSE, dynamodb_endpoint: None, interceptor: None }
    }

    pub(crate) fn sdk(&self) -> &SdkConfig {
        &self.sdk
    }

    /// Every call of every client passes it.
    pub fn with_interceptor(self, interceptor: SharedInterceptor) -> Self {
        Self { interceptor: Some(interceptor), ..self }
    }

    /// The same with these temporary credentials. Tests act under the roles of functions.
    pub fn acting_as(self, key: &str, secret: &str, token: &str) -> Self {
        let credentials = Credentials::new(key, secret, Some(token.to_owned()), None, "role");
        let provider = SharedCredentialsProvider::new(credentials);
        Self { sdk: self.sdk.into_builder().credentials_provider(provider).build(), ..self }
    }

    /// Retries of a failed call start with this pause instead of the SDK's second.
    pub fn with_retry_pause(self, pause: Duration) -> Self {
        let retries = RetryConfig::standard().with_initial_backoff(pause);
        Self { sdk: self.sdk.into_builder().retry_config(retries).build(), dynamodb_pause: pause, ..self }
    }

    /// Gives each call more time than a request has, so that a slow machine does not look like a failure.
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { sdk: self.sdk.into_builder().timeout_config(timeouts(patience, patience)).build(), ..self }
    }

    /// The configuration for clients under a role of a customer, in their region.
    pub async fn assuming(&self, role: &str, external_id: &str, region: &str) -> SdkConfig {
        let timeouts = timeouts(CUSTOMER_TIMEOUT, CUSTOMER_TIMEOUT);
        let sdk = self.sdk.to_builder().region(Region::new(region.to_owned())).timeout_config(timeouts);
        let sdk = sdk.time_source(SystemTimeSource::new()).build();
        let mut role =
            AssumeRoleProvider::builder(role).session_name("docmill").external_id(external_id).configure(&sdk);
        if let Some(own_region) = self.sdk.region() {
            role = role.region(own_region.clone());
        }
        let role = match self.sdk.credentials_provider() {
            Some(own) => role.build_from_provider(own).await,
            None => role.build().await,
        };
        sdk.into_builder().credentials_provider(SharedCredentialsProvider::new(role)).build()
    }

    /// A client with DynamoDB's own endpoint and pause.
    pub fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        let retries = RetryConfig::standard().with_initial_backoff(self.dynamodb_pause);
        let mut config = aws_sdk_dynamodb::config::Builder::from(&self.sdk).retry_config(retries);
        if let Some(endpoint) = &self.dynamodb_endpoint {
            config = config.endpoint_url(endpoint);
        }
        if let Some(interceptor) = &self.interceptor {
            config.push_interceptor(interceptor.clone());
            config =
                config.retry_partition(aws_sdk_dynamodb::config::retry::RetryPartition::custom(OWN_RETRIES).build());
        }
        aws_sdk_dynamodb::Client::from_conf(config.build())
    }

    /// A client of CloudWatch Logs.
    pub fn logs(&self) -> aws_sdk_cloudwatchlogs::Client {
        aws_sdk_cloudwatchlogs::Client::new(&self.sdk)
    }

    /// A client of SQS.
    pub fn sqs(&self) -> aws_sdk_sqs::Client {
        let mut config = aws_sdk_sqs::config::Builder::from(&self.sdk);
        if let Some(interceptor) = &self.interceptor {
            config.push_interceptor(interceptor.clone());
            config = config.retry_partition(aws_sdk_sqs::config::retry::RetryPartition::custom(OWN_RETRIES).build());
        }
        aws_sdk_sqs::Client::from_conf(config.build())
    }

    /// A client of S3. `path_style`: buckets are in the path, not in the host's name, as emulators need it.
    pub fn s3(&self, path_style: bool) -> aws_sdk_s3::Client {
        let mut config = aws_sdk_s3::config::Builder::from(&self.sdk)
            .force_path_style(path_style)
            .timeout_config(timeouts(TRANSFER_TIMEOUT, TRANSFER_TIMEOUT));
        if let Some(interceptor) = &self.interceptor {
            config.push_interceptor(interceptor.clone());
            config = config.retry_partition(aws_sdk_s3::config::retry::RetryPartition::custom(OWN_RETRIES).build());
        }
        aws_sdk_s3::Client::from_conf(config.build())
    }
}

fn timeouts(attempt: Duration, operation: Duration) -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .operation_attempt_timeout(attempt)
        .operation_timeout(operation)
        .build()
}
