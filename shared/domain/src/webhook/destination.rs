//! Where an endpoint's events go: a URL, or a queue or an event bus in the customer's AWS account.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::sha256_hex;

/// Longest ARN (IAM's limit for roles; those of queues and buses are shorter).
const MAX_ARN_BYTES: usize = 2048;
const ACCOUNT_DIGITS: usize = 12;

/// Where events are sent.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Destination {
    /// A POST to this address. It may contain a secret: never log it.
    Url {
        /// As the account gave it.
        url: String,
    },
    /// A message to this queue.
    Sqs {
        /// In the customer's AWS account.
        queue: Arn,
        /// The customer's role that may send to it.
        role: Arn,
    },
    /// An event on this bus.
    EventBridge {
        /// In the customer's AWS account.
        bus: Arn,
        /// The customer's role that may send to it.
        role: Arn,
    },
}

impl fmt::Debug for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url { .. } => f.write_str("Url(..)"),
            Self::Sqs { queue, .. } => write!(f, "Sqs({queue})"),
            Self::EventBridge { bus, .. } => write!(f, "EventBridge({bus})"),
        }
    }
}

impl Destination {
    /// The URL or the ARN.
    pub fn address(&self) -> &str {
        match self {
            Self::Url { url } => url,
            Self::Sqs { queue, .. } => queue.as_str(),
            Self::EventBridge { bus, .. } => bus.as_str(),
        }
    }

    /// `None`: a queue or a bus.
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Url { url } => Some(url),
            Self::Sqs { .. } | Self::EventBridge { .. } => None,
        }
    }

    /// The role in the customer's account that sends.
    pub fn role(&self) -> Option<&Arn> {
        match self {
            Self::Url { .. } => None,
            Self::Sqs { role, .. } | Self::EventBridge { role, .. } => Some(role),
        }
    }
}

/// What the customer's role asks for (`sts:ExternalId`). It follows from the account, so that nobody can name a role that trusts the
/// service for another account: the confused deputy of IAM's documentation.
pub fn external_id(account: &str) -> String {
    let digest = sha256_hex(format!("docmill: external id of {account}").as_bytes());
    format!("docmill-{}", digest.chars().take(32).collect::<String>())
}

/// The name of a resource in a customer's AWS account: `arn:partition:service:region:account:resource`.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(inline, description = "", extend("maxLength" = MAX_ARN_BYTES))
)]
pub struct Arn(String);

/// The text does not name a resource in an AWS account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an ARN of an account's resource")]
pub struct NotAnArn;

impl Arn {
    fn parse(text: &str) -> Option<Self> {
        let arn = Self(text.to_owned());
        let is_word =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let digits = arn.account();
        let fits = text.len() <= MAX_ARN_BYTES
            && arn.part(0) == "arn"
            && arn.part(1).starts_with("aws")
            && [arn.part(1), arn.part(2)].into_iter().all(is_word)
            && (arn.region().is_empty() || is_word(arn.region()))
            && digits.len() == ACCOUNT_DIGITS
            && digits.bytes().all(|digit| digit.is_ascii_digit())
            && is_resource(arn.resource());
        fits.then_some(arn)
    }

    /// A queue's.
    pub fn of_queue(text: &str) -> Option<Self> {
        Self::parse(text)
            .filter(|arn| arn.part(2) == "sqs" && !arn.region().is_empty() && !arn.resource().contains('/'))
    }

    /// An event bus's.
    pub fn of_bus(text: &str) -> Option<Self> {
        let is_bus = |arn: &Self| arn.resource().strip_prefix("event-bus/").is_some_and(|name| !name.is_empty());
        Self::parse(text).filter(|arn| arn.part(2) == "events" && !arn.region().is_empty() && is_bus(arn))
    }

    /// A key's in KMS, or that of its alias.
    pub fn of_key(text: &str) -> Option<Self> {
        let is_key = |arn: &Self| {
            ["key/", "alias/"].iter().any(|kind| arn.resource().strip_prefix(kind).is_some_and(|name| !name.is_empty()))
        };
        Self::parse(text).filter(|arn| arn.part(2) == "kms" && !arn.region().is_empty() && is_key(arn))
    }

    /// A role's.
    pub fn of_role(text: &str) -> Option<Self> {
        let is_role = |arn: &Self| arn.resource().strip_prefix("role/").is_some_and(|name| !name.is_empty());
        Self::parse(text).filter(|arn| arn.part(2) == "iam" && arn.region().is_empty() && is_role(arn))
    }

    fn part(&self, index: usize) -> &str {
        self.0.splitn(6, ':').nth(index).unwrap_or_default()
    }

    /// With all its parts.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Empty for roles, which are in all regions.
    pub fn region(&self) -> &str {
        self.part(3)
    }

    /// The customer's AWS account, of twelve digits.
    pub fn account(&self) -> &str {
        self.part(4)
    }

    /// The name after the account, with its type if it has one.
    pub fn resource(&self) -> &str {
        self.part(5)
    }
}

fn is_resource(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./+=,@".contains(&byte))
}

impl TryFrom<String> for Arn {
    type Error = NotAnArn;

    fn try_from(text: String) -> Result<Self, NotAnArn> {
        Self::parse(&text).ok_or(NotAnArn)
    }
}

impl From<Arn> for String {
    fn from(arn: Arn) -> Self {
        arn.0
    }
}

impl fmt::Display for Arn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Arn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_arn_has_one_form() {
        let queue = "arn:aws:sqs:eu-central-1:111122223333:docmill-events.fifo";
        let bus = "arn:aws-cn:events:cn-north-1:111122223333:event-bus/docmill";
        let role = "arn:aws:iam::111122223333:role/partners/docmill";
        assert_eq!(Arn::of_queue(queue).unwrap().region(), "eu-central-1");
        assert_eq!(Arn::of_bus(bus).unwrap().resource(), "event-bus/docmill");
        assert_eq!(Arn::of_role(role).unwrap().account(), "111122223333");
        for other in
            [bus, role, "", "arn:aws:sqs", "arn:aws:sqs::111122223333:q", "arn:aws:sqs:eu:1:q", "https://a.example/"]
        {
            assert_eq!(Arn::of_queue(other), None, "{other}");
        }
        let wrong = [
            "arn:aws:sqs:eu.evil.example/:111122223333:q",
            "arn:aws:sqs:eu-1:111122223333:q?x",
            "arn:aws:sqs:eu-1:111122223333:a/b",
        ];
        for wrong in wrong {
            assert_eq!(Arn::of_queue(wrong), None, "{wrong}");
        }
        assert_eq!(Arn::of_bus(queue).or(Arn::of_role(bus)).or(Arn::of_role("arn:aws:iam::111122223333:user/x")), None);
    }

    #[test]
    fn an_external_id_belongs_to_one_account() {
        assert_eq!(external_id("acc_1"), external_id("acc_1"));
        assert_ne!(external_id("acc_1"), external_id("acc_2"));
        assert_eq!(external_id("acc_1").len(), 40);
    }
}
