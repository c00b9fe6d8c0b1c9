//! Asks a time-stamp authority.

use std::time::Duration;

use docmill_domain::job::JobErrorCode;
use docmill_engine::Failure;
use docmill_fetch::{Caps, Fetcher, Question as Exchange};
use docmill_pdf_signatures::make::{Question, Token};
use tokio::time::Instant;
use url::Url;

const QUERY: &str = "application/timestamp-query";
/// The most bytes of an answer, which has the authority's certificates.
const MOST_BYTES: u64 = 256 << 10;
const PATIENCE: Duration = Duration::from_secs(15);

/// Asks for a time stamp of a signature. The error tells people why it is missing.
pub(crate) async fn stamp(fetcher: &Fetcher, address: &str, signature: &[u8]) -> Result<Token, String> {
    let url = Url::parse(address).map_err(|_| "`timestampUrl` is no address.".to_owned())?;
    let question = Question::new(signature).ok_or_else(|| "There are no random numbers.".to_owned())?;
    let caps = Caps { bytes: MOST_BYTES, redirects: 0, deadline: Instant::now() + PATIENCE };
    let exchange = Exchange::post(&url, QUERY, &question.der, caps);
    let host = url.host_str().unwrap_or_default();
    let answer = fetcher.ask(&exchange).await.map_err(|failure| unanswered(host, &failure))?;
    question.accept(&answer.body).map_err(|error| format!("{host} gave no time stamp: {error}."))
}

fn unanswered(host: &str, failure: &Failure) -> String {
    // The cause is for the log. It has no path and no query.
    tracing::warn!(cause = %failure.cause, "a time-stamp authority did not answer");
    if failure.code == JobErrorCode::SourceForbidden {
        return format!("{host} is no authority that the service connects to. Use a public address in `timestampUrl`.");
    }
    if failure.code == JobErrorCode::SourceTimeout {
        return format!("{host} gave no time stamp in time. Try again, or use another authority in `timestampUrl`.");
    }
    format!("{host} can't be reached or does not answer properly. Check `timestampUrl`, or try again.")
}
