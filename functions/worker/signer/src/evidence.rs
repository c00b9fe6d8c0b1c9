//! Collects what proves for long that the certificates of a signature were good, from the addresses that they name.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_domain::job::JobErrorCode;
use docmill_engine::Failure;
use docmill_fetch::{Caps, Fetcher, Question};
use docmill_pdf_signatures::make::{Dossier, Inquiry, Missing, NoProof};
use serde_json::{Value, json};
use tokio::time::Instant;
use url::Url;

const OCSP_QUESTION: &str = "application/ocsp-request";
/// The most bytes of one answer. Lists of large authorities have megabytes.
const MOST_BYTES: u64 = 8 << 20;
/// The most bytes of all of them.
const MOST_BYTES_TOGETHER: usize = 24 << 20;
/// The most questions for one signature.
const MOST_QUESTIONS: u32 = 30;
const REDIRECTS: u32 = 3;
/// Of one question, and of all together.
const PATIENCE: Duration = Duration::from_secs(10);
const PATIENCE_TOGETHER: Duration = Duration::from_secs(60);

/// What was used up.
struct Asker<'a> {
    fetcher: &'a Fetcher,
    deadline: Instant,
    questions: u32,
    bytes: usize,
}

/// All that is needed for these certificates and those of the time stamp.
pub(crate) async fn collect(fetcher: &Fetcher, certificates: &[Vec<u8>], token: &[u8]) -> Result<Dossier, Failure> {
    let mut inquiry = Inquiry::new(certificates, token).map_err(|why| unproven(&why))?;
    let mut asker = Asker { fetcher, deadline: Instant::now() + PATIENCE_TOGETHER, questions: 0, bytes: 0 };
    while let Some(missing) = inquiry.missing().map_err(|why| unproven(&why))? {
        if !asker.find(&mut inquiry, missing).await {
            return Err(unproven(&inquiry.given_up()));
        }
    }
    Ok(inquiry.dossier())
}

impl Asker<'_> {
    /// Whether one of the addresses has what is missing.
    async fn find(&mut self, inquiry: &mut Inquiry, missing: Missing) -> bool {
        match missing {
            Missing::Issuer { addresses } => {
                for address in addresses {
                    if self.ask(&address, None).await.is_some_and(|bytes| inquiry.take_issuer(&bytes)) {
                        return true;
                    }
                }
            }
            Missing::State { question, responders, lists } => {
                for address in responders {
                    if self.ask(&address, Some(&question)).await.is_some_and(|bytes| inquiry.take_response(&bytes)) {
                        return true;
                    }
                }
                for address in lists {
                    if self.ask(&address, None).await.is_some_and(|bytes| inquiry.take_list(&bytes)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// The answer of an address. `None`: the next one may have what is missing.
    async fn ask(&mut self, address: &str, question: Option<&[u8]>) -> Option<Vec<u8>> {
        let url = Url::parse(address).ok()?;
        self.questions += 1;
        if self.questions > MOST_QUESTIONS {
            return None;
        }
        let deadline = self.deadline.min(Instant::now() + PATIENCE);
        let caps = Caps { bytes: MOST_BYTES, redirects: REDIRECTS, deadline };
        let asked = match question {
            Some(question) => Question::post(&url, OCSP_QUESTION, question, caps),
            None => Question::get(&url, caps),
        };
        match self.fetcher.ask(&asked).await {
            Ok(answer) => {
                self.bytes = self.bytes.saturating_add(answer.body.len());
                (self.bytes <= MOST_BYTES_TOGETHER).then_some(answer.body)
            }
            Err(failure) => {
                // The cause has no path and no query.
                tracing::warn!(cause = %failure.cause, "an authority did not say whether a certificate is revoked");
                None
            }
        }
    }
}

fn unproven(why: &NoProof) -> Failure {
    let message = format!("The level B-LT can't be reached: {why}.");
    Failure::new(JobErrorCode::SigningFailed, message, "no proof that the certificates are good")
}

/// As the PDF tools read it.
pub(crate) fn as_json(dossier: &Dossier) -> Value {
    let all = |list: &[Vec<u8>]| list.iter().map(|der| STANDARD.encode(der)).collect::<Vec<_>>();
    json!({
        "certificates": all(&dossier.certificates),
        "lists": all(&dossier.lists),
        "responses": all(&dossier.responses),
    })
}
