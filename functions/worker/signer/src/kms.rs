//! Keys of AWS KMS: the deployment's, for accounts that its operator lists, and customers' own, under a role of theirs.

use std::time::Duration;

use docmill_aws::Aws;
use docmill_aws::calls::{Call, CallError, KeyAlgorithm, Refusal, credentials_in, refusal_in, signature_in};
use docmill_domain::job::JobErrorCode;
use docmill_domain::webhook::Arn;
use docmill_domain::webhook::destination::external_id;
use docmill_engine::Failure;
use docmill_fetch::{Answer, Caps, Content, Fetcher, Question};
use docmill_pdf_signatures::make::Algorithm;
use tokio::time::{Instant, sleep};

use crate::request::KmsKey;

/// The most bytes of an answer.
const MOST_BYTES: u64 = 64 << 10;
/// Of one attempt.
const PATIENCE: Duration = Duration::from_secs(5);
/// Before the attempts after the first.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(500)];
/// Longest text of a refusal that is shown.
const MOST_SHOWN: usize = 300;

/// The deployment's keys, and who may sign with them.
#[derive(Clone, Debug, Default)]
pub struct OwnKeys {
    keys: Vec<String>,
    accounts: Vec<String>,
}

impl OwnKeys {
    /// ARNs of keys and ids of accounts, each separated by commas.
    pub fn listed(keys: &str, accounts: &str) -> Self {
        let list = |text: &str| {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            parts.map(ToOwned::to_owned).collect()
        };
        Self { keys: list(keys), accounts: list(accounts) }
    }

    fn allow(&self, key: &Arn, account: &str) -> bool {
        self.keys.iter().any(|own| own == key.as_str()) && self.accounts.iter().any(|own| own == account)
    }
}

/// Signs digests by KMS.
#[derive(Debug)]
pub struct KeyService {
    aws: Aws,
    fetcher: Fetcher,
    own: OwnKeys,
}

impl KeyService {
    /// `fetcher` sends the calls, which are signed here.
    pub const fn new(aws: Aws, fetcher: Fetcher, own: OwnKeys) -> Self {
        Self { aws, fetcher, own }
    }

    /// The signature of a digest. `account`: whose job it is.
    pub(crate) async fn sign(
        &self,
        key: &KmsKey,
        account: &str,
        algorithm: Algorithm,
        digest: &[u8],
    ) -> Result<Vec<u8>, Failure> {
        let arn = Arn::of_key(&key.key_arn).ok_or_else(|| refused("`key.kms.keyArn` names no key or alias of KMS."))?;
        let credentials = self.aws.credentials().await.map_err(|error| unsigned(&error))?;
        let credentials = match &key.role_arn {
            Some(role) => {
                let role =
                    Arn::of_role(role).ok_or_else(|| refused("`key.kms.roleArn` names no role of an AWS account."))?;
                let id = external_id(account);
                let call = || self.aws.assume(credentials.clone(), &role, &id);
                let answer = self.ask("STS", true, &call).await?;
                credentials_in(&answer).ok_or_else(|| silent("STS", "an answer without credentials"))?
            }
            None if self.own.allow(&arn, account) => credentials,
            None => {
                let message = "Your account may not sign with this key. Name a role of yours in `key.kms.roleArn`, or ask the operator of the service.";
                return Err(refused(message));
            }
        };
        let algorithm = name_for_kms(algorithm);
        let call = || self.aws.sign_digest(credentials.clone(), &arn, algorithm, digest);
        let answer = self.ask("KMS", key.role_arn.is_some(), &call).await?;
        signature_in(&answer).ok_or_else(|| silent("KMS", "an answer without a signature"))
    }

    /// Sends a call, which is signed anew for each attempt. `tells`: whether the owner of the job may know why AWS refused.
    async fn ask(
        &self,
        service: &str,
        tells: bool,
        call: &(dyn Fn() -> Result<Call, CallError> + Sync),
    ) -> Result<Vec<u8>, Failure> {
        let mut pauses = PAUSES.into_iter();
        loop {
            let failure = match self.send(&call().map_err(|error| unsigned(&error))?).await {
                Ok(Answer { status: 200, body }) => return Ok(body),
                Ok(Answer { status, body }) => {
                    let refusal = refusal_in(&body);
                    if status < 500 && !is_passing(&refusal) {
                        return Err(told(service, tells, &refusal));
                    }
                    silent(service, &format!("status {status}"))
                }
                Err(failure) => silent(service, &failure.cause),
            };
            match pauses.next() {
                Some(pause) => sleep(pause).await,
                None => return Err(failure),
            }
        }
    }

    async fn send(&self, call: &Call) -> Result<Answer, Failure> {
        let caps = Caps { bytes: MOST_BYTES, redirects: 0, deadline: Instant::now() + PATIENCE };
        let content = Some(Content { media_type: call.media_type, bytes: &call.body });
        self.fetcher.ask(&Question { url: &call.url, content, headers: &call.headers, any_status: true, caps }).await
    }
}

const fn name_for_kms(algorithm: Algorithm) -> KeyAlgorithm {
    match algorithm {
        Algorithm::RsaSha256 => KeyAlgorithm::RsaPkcs1Sha256,
        Algorithm::RsaPssSha256 => KeyAlgorithm::RsaPssSha256,
        Algorithm::EcdsaSha256 => KeyAlgorithm::EcdsaSha256,
        Algorithm::EcdsaSha384 => KeyAlgorithm::EcdsaSha384,
        Algorithm::EcdsaSha512 => KeyAlgorithm::EcdsaSha512,
    }
}

/// Whether the same call may succeed later.
fn is_passing(refusal: &Refusal) -> bool {
    ["Throttling", "LimitExceeded", "Internal", "DependencyTimeout", "KeyUnavailable"]
        .iter()
        .any(|part| refusal.code.contains(part))
}

/// What the owner of the key can mend: AWS names the missing permission.
fn told(service: &str, tells: bool, refusal: &Refusal) -> Failure {
    let code = if refusal.code.is_empty() { "no reason" } else { refusal.code.as_str() };
    let why = if tells { format!("{code}: {}", refusal.message) } else { code.to_owned() };
    let why: String = why.chars().take(MOST_SHOWN).collect();
    let message =
        format!("{service} refused to sign with the key in `key.kms` ({}).", why.trim_end_matches(['.', ' ', ':']));
    Failure::new(JobErrorCode::InvalidSignatureKey, message, format!("{service} refused: {code}"))
}

fn refused(message: &str) -> Failure {
    Failure::new(JobErrorCode::InvalidSignatureKey, message, "a key of KMS that may not be used")
}

fn silent(service: &str, cause: &str) -> Failure {
    let message = format!("{service} did not answer, so nothing was signed. Try again.");
    Failure::new(JobErrorCode::SigningFailed, message, format!("{service}: {cause}"))
}

fn unsigned(error: &CallError) -> Failure {
    Failure::new(JobErrorCode::SigningFailed, "This service can't call KMS. Ask its operator.", error.to_string())
}
