//! Checks a signed webhook like its receiver, and says what is wrong. Nothing is stored.

use standardwebhooks::{HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook};

use docmill_domain::time::Timestamp;

/// Most seconds that a webhook's time may differ from now.
pub const TOLERANCE_SECONDS: i64 = 300;

/// A received webhook, as text.
#[derive(Clone, Copy)]
pub struct Received<'a> {
    /// The signing secret: `whsec_` and base64.
    pub secret: &'a str,
    /// Header lines of the form `name: value`.
    pub headers: &'a str,
    /// The body exactly as it came, but for line breaks.
    pub body: &'a str,
}

impl std::fmt::Debug for Received<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Received(..)")
    }
}

/// What a receiver that follows the standard finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It accepts the webhook.
    Valid,
    /// The signature is valid, but too old for a receiver to accept.
    Old {
        /// How old it is.
        seconds: i64,
    },
    /// The signature is valid, but its time is in the future.
    Ahead {
        /// How far in the future its time is.
        seconds: i64,
    },
    /// The secret is empty or not base64.
    MalformedSecret,
    /// This header is missing or empty.
    MissingHeader(&'static str),
    /// `webhook-timestamp` is not a whole number of seconds.
    MalformedTimestamp,
    /// There is no signature of a supported version (`v1,…`).
    NoSignature,
    /// The signature matches if the body's last line break is removed.
    TrailingLineBreak,
    /// Secret, id, time or body differs from what was signed.
    Mismatch,
}

impl Received<'_> {
    /// Checks the headers, then the signature, then the time.
    pub fn verify(&self, now: Timestamp) -> Verdict {
        let header = |name| self.header(name).ok_or(Verdict::MissingHeader(name));
        match header(HEADER_WEBHOOK_ID)
            .and_then(|id| Ok((id, header(HEADER_WEBHOOK_TIMESTAMP)?, header(HEADER_WEBHOOK_SIGNATURE)?)))
        {
            Ok((id, sent_at, signatures)) => self.judge(id, sent_at, signatures, now),
            Err(missing) => missing,
        }
    }

    fn judge(&self, id: &str, sent_at: &str, signatures: &str, now: Timestamp) -> Verdict {
        // HMAC accepts an empty key, but an empty secret is invalid.
        let webhook = match Webhook::new(self.secret.trim()) {
            Ok(webhook) if !self.secret.trim().trim_start_matches("whsec_").is_empty() => webhook,
            Ok(_) | Err(_) => return Verdict::MalformedSecret,
        };
        let Ok(seconds) = sent_at.parse::<i64>() else { return Verdict::MalformedTimestamp };
        let given: Vec<_> = signatures.split(' ').filter(|signature| signature.starts_with("v1,")).collect();
        if given.is_empty() {
            return Verdict::NoSignature;
        }
        let is_of = |body: &str| {
            webhook
                .sign(id, seconds, body.as_bytes())
                .is_ok_and(|signature| given.iter().any(|given| *given == signature))
        };
        // Browsers send all line breaks of a form as CR LF.
        let plain = self.body.replace("\r\n", "\n");
        if !is_of(self.body) && !is_of(&plain) {
            let shorter = plain.trim_end_matches('\n');
            return if shorter != plain && is_of(shorter) { Verdict::TrailingLineBreak } else { Verdict::Mismatch };
        }
        match now.as_millis().div_euclid(1000).saturating_sub(seconds) {
            age if age > TOLERANCE_SECONDS => Verdict::Old { seconds: age },
            age if age < -TOLERANCE_SECONDS => Verdict::Ahead { seconds: age.saturating_neg() },
            _ => Verdict::Valid,
        }
    }

    fn header(&self, wanted: &str) -> Option<&str> {
        let mut headers = self.headers.lines().filter_map(|line| line.split_once(':'));
        let found = headers.find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signed_sample;
    use serde_json::json;

    const NOW: Timestamp = Timestamp(1_795_176_000_007);

    /// Secret, header lines and body of a sample.
    fn sample() -> (String, String, String) {
        let sample = json!(signed_sample(NOW).unwrap());
        let headers = sample["headers"].as_object().unwrap();
        let lines: Vec<_> =
            headers.iter().map(|(name, value)| format!("{name}: {}", value.as_str().unwrap())).collect();
        (sample["secret"].as_str().unwrap().into(), lines.join("\r\n"), sample["body"].as_str().unwrap().into())
    }

    fn verdict(secret: &str, headers: &str, body: &str) -> Verdict {
        Received { secret, headers, body }.verify(NOW)
    }

    #[test]
    fn the_sample_is_valid_however_its_headers_are_written() {
        let (secret, headers, body) = sample();
        assert_eq!(verdict(&secret, &headers, &body), Verdict::Valid);
        assert_eq!(verdict(&format!(" {secret}\n"), &headers.replace("webhook-", "Webhook-"), &body), Verdict::Valid);
        let rotated = headers.replace("webhook-signature: ", "webhook-signature: v1,b2xk v2,x ");
        assert_eq!(verdict(&secret, &rotated, &body), Verdict::Valid);
    }

    #[test]
    fn each_thing_that_is_wrong_is_named() {
        let (secret, headers, body) = sample();
        let (other, ..) = sample();
        let without =
            |name: &str| headers.lines().filter(|line| !line.starts_with(name)).collect::<Vec<_>>().join("\n");
        assert_eq!(verdict(&other, &headers, &body), Verdict::Mismatch);
        assert_eq!(verdict(&secret, &headers, &body.replace("completed", "failed")), Verdict::Mismatch);
        assert_eq!(verdict(&secret, &headers, &format!("{body}\r\n")), Verdict::TrailingLineBreak);
        for malformed in ["", "whsec_", "whsec_?"] {
            assert_eq!(verdict(malformed, &headers, &body), Verdict::MalformedSecret, "{malformed}");
        }
        for name in [HEADER_WEBHOOK_ID, HEADER_WEBHOOK_TIMESTAMP, HEADER_WEBHOOK_SIGNATURE] {
            assert_eq!(verdict(&secret, &without(name), &body), Verdict::MissingHeader(name));
        }
        assert_eq!(
            verdict(&secret, &headers.replace("timestamp: ", "timestamp: x"), &body),
            Verdict::MalformedTimestamp
        );
        assert_eq!(verdict(&secret, &headers.replace("v1,", "v0,"), &body), Verdict::NoSignature);
    }

    #[test]
    fn signed_webhooks_from_the_past_or_future_are_refused() {
        let (secret, headers, body) = sample();
        let received = Received { secret: &secret, headers: &headers, body: &body };
        let at = |seconds: i64| received.verify(Timestamp(NOW.as_millis() + seconds * 1000));
        assert_eq!((at(300), at(301)), (Verdict::Valid, Verdict::Old { seconds: 301 }));
        assert_eq!((at(-300), at(-301)), (Verdict::Valid, Verdict::Ahead { seconds: 301 }));
    }

    #[test]
    fn bodies_of_several_lines_survive_a_browsers_form() {
        let secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
        let seconds = NOW.as_millis() / 1000;
        for body in ["{\n}", "{\r\n}"] {
            let signature = Webhook::new(secret).unwrap().sign("msg_1", seconds, body.as_bytes()).unwrap();
            let headers = format!("webhook-id: msg_1\nwebhook-timestamp: {seconds}\nwebhook-signature: {signature}");
            assert_eq!(verdict(secret, &headers, "{\r\n}"), Verdict::Valid, "{body:?}");
        }
    }
}
