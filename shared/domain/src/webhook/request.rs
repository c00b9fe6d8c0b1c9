//! Requests that create or change an endpoint.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use url::{Host, Url};

use super::destination::{Arn, Destination};
use super::endpoint::Signatures;
use super::reach;
use crate::breach::Breach;
use crate::event::EventKind;
use crate::nearest::nearest;

/// Longest URL of an endpoint.
pub const MAX_URL_BYTES: usize = 2048;
const MAX_DESCRIPTION_CHARACTERS: usize = 255;
const MAX_RATE: u64 = 1000;
/// The longest time for which a replaced secret goes on signing.
pub const MOST_OVERLAP_HOURS: u64 = 72;
const DEFAULT_OVERLAP_HOURS: u64 = 24;

/// Members of an endpoint that its account can set. `None`: not given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Where events are sent.
    pub destination: Option<Destination>,
    /// Empty: all.
    pub kinds: Option<BTreeSet<String>>,
    /// At most 255 characters.
    pub description: Option<String>,
    /// `Some(None)`: no limit.
    pub rate_limit: Option<Option<u32>>,
    /// Which signatures requests have.
    pub signatures: Option<Signatures>,
    /// Whether each new URL must answer a challenge.
    pub challenge: Option<bool>,
    /// Whether the endpoint gets events.
    pub active: Option<bool>,
}

impl Wanted {
    /// The body of a request that creates an endpoint. `local`: receivers on this machine may use plain HTTP.
    ///
    /// # Errors
    /// All breaches of the body, among them a missing address.
    pub fn to_create(body: &Map<String, Value>, local: bool) -> Result<(Destination, Self), Vec<Breach>> {
        let mut breaches = Vec::new();
        let mut wanted = Self::parse(body, local, &mut breaches);
        if !body.contains_key("url") && !body.contains_key("destination") {
            breaches.insert(0, Breach::new("/url", URL_RULE));
        }
        match wanted.destination.take() {
            Some(destination) if breaches.is_empty() => Ok((destination, wanted)),
            Some(_) | None => Err(breaches),
        }
    }

    /// The body of a request that changes an endpoint: only what changes.
    ///
    /// # Errors
    /// All breaches of the body.
    pub fn to_change(body: &Map<String, Value>, local: bool) -> Result<Self, Vec<Breach>> {
        let mut breaches = Vec::new();
        let wanted = Self::parse(body, local, &mut breaches);
        if breaches.is_empty() { Ok(wanted) } else { Err(breaches) }
    }

    fn parse(body: &Map<String, Value>, local: bool, breaches: &mut Vec<Breach>) -> Self {
        let mut wanted = Self::default();
        if body.contains_key("url") && body.contains_key("destination") {
            breaches.push(Breach::new("/destination", "must be left out if `url` is given"));
        }
        for (name, value) in body {
            let path = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
            let fits = match name.as_str() {
                "url" => {
                    let url = value.as_str().ok_or(URL_RULE);
                    url.and_then(|text| receiver(text, MAX_URL_BYTES, local))
                        .map(|url| wanted.destination = Some(Destination::Url { url }))
                        .map_err(str::to_owned)
                }
                "destination" => set(&mut wanted.destination, of_aws(value), DESTINATION_RULE),
                "events" => set(&mut wanted.kinds, kinds(value), &events_rule(value)),
                "description" => set(&mut wanted.description, description(value), DESCRIPTION_RULE),
                "rateLimit" => set(&mut wanted.rate_limit, rate(value), RATE_RULE),
                "signature" => {
                    let signatures = value.as_str().and_then(Signatures::parse);
                    set(&mut wanted.signatures, signatures, "must be `v1`, `v1a` or `both`")
                }
                "challenge" => set(&mut wanted.challenge, value.as_bool(), "must be true or false"),
                "status" => set(&mut wanted.active, active(value), "must be `active` or `disabled`"),
                _ => Err(format!("`{name}` is not a member of a webhook endpoint")),
            };
            breaches.extend(fits.err().map(|message| Breach::new(path, message)));
        }
        let is_of_aws = wanted.destination.as_ref().is_some_and(|destination| destination.role().is_some());
        if is_of_aws && wanted.challenge == Some(true) {
            breaches
                .push(Breach::new("/challenge", "must be false for a queue or a bus: its role shows that it is yours"));
        }
        wanted
    }
}

/// What the address of a receiver must be.
pub const URL_RULE: &str = "must be a full https URL without a user name or password, of at most 2048 bytes";
const EVENTS_RULE: &str = "must be a list of one or more types of events, such as [\"job.completed\"], or null for all";
const DESTINATION_RULE: &str =
    "must be {\"type\": \"sqs\", \"queueArn\", \"roleArn\"} or {\"type\": \"eventbridge\", \"busArn\", \"roleArn\"}";
const DESCRIPTION_RULE: &str = "must be a text of at most 255 characters";
const RATE_RULE: &str = "must be a whole number of requests a second, from 1 to 1000, or null for no limit";

fn set<T>(member: &mut Option<T>, value: Option<T>, rule: &str) -> Result<(), String> {
    *member = Some(value.ok_or_else(|| rule.to_owned())?);
    Ok(())
}

/// A queue or a bus.
fn of_aws(value: &Value) -> Option<Destination> {
    let members = value.as_object()?;
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let role = Arn::of_role(text("roleArn")?)?;
    // What a response shows can be sent back.
    let has_only =
        |address: &str| members.keys().all(|name| ["type", "roleArn", "externalId", address].contains(&name.as_str()));
    match text("type")? {
        "sqs" if has_only("queueArn") => Some(Destination::Sqs { queue: Arn::of_queue(text("queueArn")?)?, role }),
        "eventbridge" if has_only("busArn") => {
            Some(Destination::EventBridge { bus: Arn::of_bus(text("busArn")?)?, role })
        }
        _ => None,
    }
}

/// The receiver's address: absolute https without user info, or http for loopback on a local stack.
///
/// # Errors
/// The rule that the address breaks.
pub fn receiver(text: &str, most_bytes: usize, local: bool) -> Result<String, &'static str> {
    let url = Url::parse(text).ok().filter(|_| text.len() <= most_bytes).ok_or(URL_RULE)?;
    let is_of_stack = local && is_loopback(&url);
    let scheme_fits = url.scheme() == "https" || (is_of_stack && url.scheme() == "http");
    if !scheme_fits || !url.has_host() || !url.username().is_empty() || url.password().is_some() {
        return Err(URL_RULE);
    }
    match reach::obstacle(&url) {
        Some(rule) if !is_of_stack => Err(rule),
        Some(_) | None => Ok(text.to_owned()),
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn kinds(value: &Value) -> Option<BTreeSet<String>> {
    if value.is_null() {
        return Some(BTreeSet::new());
    }
    let known = |kind: &Value| {
        let kind = kind.as_str()?;
        EventKind::ALL.iter().find(|known| known.as_str() == kind).map(|known| known.as_str().to_owned())
    };
    let kinds: BTreeSet<String> = value.as_array()?.iter().map(known).collect::<Option<_>>()?;
    (!kinds.is_empty()).then_some(kinds)
}

/// Why the types of events are wrong: with the type that is meant, or with all.
fn events_rule(value: &Value) -> String {
    let known = || EventKind::ALL.iter().map(|kind| kind.as_str());
    let given = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    match given.filter(|name| known().all(|known| known != *name)).map(|name| nearest(name, known())).next() {
        None => EVENTS_RULE.to_owned(),
        Some(Some(meant)) => format!("{EVENTS_RULE}. Did you mean `{meant}`?"),
        Some(None) => format!("{EVENTS_RULE}. The types are {}", known().collect::<Vec<_>>().join(", ")),
    }
}

fn description(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    (text.chars().count() <= MAX_DESCRIPTION_CHARACTERS).then(|| text.to_owned())
}

#[expect(clippy::option_option, reason = "no limit differs from an invalid one")]
fn rate(value: &Value) -> Option<Option<u32>> {
    if value.is_null() {
        return Some(None);
    }
    let rate = value.as_u64().filter(|rate| (1..=MAX_RATE).contains(rate))?;
    Some(u32::try_from(rate).ok())
}

fn active(value: &Value) -> Option<bool> {
    match value.as_str()? {
        "active" => Some(true),
        "disabled" => Some(false),
        _ => None,
    }
}

/// How many hours the replaced secret goes on signing, from a request that rotates it.
///
/// # Errors
/// If the body has another member, or no number of hours up to [`MOST_OVERLAP_HOURS`].
pub fn overlap_hours(body: &Map<String, Value>) -> Result<u64, Vec<Breach>> {
    let unknown = body.keys().find(|name| *name != "overlapHours");
    if let Some(name) = unknown {
        return Err(vec![Breach::new(format!("/{name}"), "only `overlapHours` can be given")]);
    }
    match body.get("overlapHours") {
        None => Ok(DEFAULT_OVERLAP_HOURS),
        Some(value) => value
            .as_u64()
            .filter(|hours| *hours <= MOST_OVERLAP_HOURS)
            .ok_or_else(|| vec![Breach::new("/overlapHours", "must be a whole number of hours from 0 to 72")]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn paths(body: Value) -> Vec<String> {
        Wanted::to_create(&object(body), false).unwrap_err().into_iter().map(|breach| breach.path).collect()
    }

    #[test]
    fn an_endpoint_needs_only_a_url() {
        let wanted = Wanted::to_create(&object(json!({"url": "https://hooks.example/docmill?x=1"})), false).unwrap();
        let destination = Destination::Url { url: "https://hooks.example/docmill?x=1".into() };
        assert_eq!(wanted, (destination, Wanted::default()));
        assert_eq!(paths(json!({})), ["/url"]);
        assert_eq!(Wanted::to_change(&object(json!({})), false), Ok(Wanted::default()));
    }

    #[test]
    fn every_member_is_read() {
        let body = json!({
            "url": "https://hooks.example/", "events": ["job.failed", "job.completed"], "description": "Mine",
            "rateLimit": 10, "signature": "v1a", "challenge": true, "status": "disabled",
        });
        let wanted = Wanted::to_change(&object(body), false).unwrap();
        let expected = Wanted {
            destination: Some(Destination::Url { url: "https://hooks.example/".into() }),
            kinds: Some(BTreeSet::from(["job.completed".to_owned(), "job.failed".to_owned()])),
            description: Some("Mine".into()),
            rate_limit: Some(Some(10)),
            signatures: Some(Signatures::V1a),
            challenge: Some(true),
            active: Some(false),
        };
        assert_eq!(wanted, expected);
        let unlimited = Wanted::to_change(&object(json!({"rateLimit": null})), false).unwrap();
        assert_eq!(unlimited.rate_limit, Some(None));
        let all = Wanted::to_change(&object(json!({"events": null})), false).unwrap();
        assert_eq!(all.kinds, Some(BTreeSet::new()));
    }

    #[test]
    fn each_wrong_member_is_named() {
        let wrong = json!({
            "url": "http://hooks.example/", "events": ["job.done"], "description": "x".repeat(256), "rateLimit": 0,
            "signature": "v2", "challenge": "yes", "status": "paused", "other/~": 1,
        });
        assert_eq!(
            paths(wrong),
            ["/url", "/events", "/description", "/rateLimit", "/signature", "/challenge", "/status", "/other~1~0"]
        );
        for events in [json!([]), json!("job.failed"), json!([1])] {
            assert_eq!(paths(json!({"url": "https://a.example/", "events": events})), ["/events"]);
        }
    }

    #[test]
    fn an_unknown_type_of_events_leads_to_the_one_that_is_meant_or_to_all() {
        let told = |events: Value| {
            let body = object(json!({"url": "https://a.example/", "events": events}));
            Wanted::to_change(&body, false).unwrap_err().remove(0).message
        };
        assert!(told(json!(["job.failed", "job.complete"])).ends_with("Did you mean `job.completed`?"));
        let all = told(json!(["xyz"]));
        assert!(all.contains("The types are job.completed, job.failed") && !all.contains("xyz"), "{all}");
        assert!(told(json!([])).ends_with("or null for all"));
    }

    #[test]
    fn receivers_are_absolute_https() {
        assert!(receiver("https://hooks.example/docmill?x=1", MAX_URL_BYTES, false).is_ok());
        for bad in ["http://hooks.example/", "https://u:p@hooks.example/", "//hooks.example/", "hooks", "", "ftp://a/"]
        {
            assert_eq!(receiver(bad, MAX_URL_BYTES, true), Err(URL_RULE), "{bad}");
        }
        let long = format!("https://a.example/{}", "x".repeat(MAX_URL_BYTES));
        assert_eq!(receiver(&long, MAX_URL_BYTES, false), Err(URL_RULE));
    }

    #[test]
    fn loopback_over_http_is_only_for_the_local_stack() {
        for url in ["http://localhost:9000/", "http://127.0.0.1/", "http://[::1]:9000/"] {
            assert!(receiver(url, MAX_URL_BYTES, true).is_ok(), "{url}");
            assert_eq!(receiver(url, MAX_URL_BYTES, false), Err(URL_RULE), "{url}");
        }
    }

    #[test]
    fn an_address_that_can_never_be_reached_is_refused_when_it_is_given() {
        for url in
            ["https://127.0.0.1/x", "https://169.254.169.254/", "https://localhost/", "https://hooks.example:22/"]
        {
            let breaches = Wanted::to_create(&object(json!({"url": url})), false).unwrap_err();
            assert_eq!(breaches[0].path, "/url");
            assert_ne!(breaches[0].message, URL_RULE, "{url}: the message says what is wrong");
        }
        assert!(
            Wanted::to_create(&object(json!({"url": "https://10.0.0.1/"})), true).is_err(),
            "only loopback is of a stack"
        );
    }

    #[test]
    fn a_queue_or_a_bus_has_a_role_of_its_account() {
        let role = "arn:aws:iam::111122223333:role/docmill";
        let sqs = json!({"type": "sqs", "queueArn": "arn:aws:sqs:eu-central-1:111122223333:events", "roleArn": role});
        let bus = json!({
            "type": "eventbridge", "busArn": "arn:aws:events:eu-central-1:111122223333:event-bus/own", "roleArn": role,
            "externalId": "docmill-1",
        });
        for destination in [sqs.clone(), bus] {
            let (destination, _) = Wanted::to_create(&object(json!({"destination": destination})), false).unwrap();
            assert_eq!(destination.role().map(Arn::as_str), Some(role));
        }
        for (name, value) in [("type", "sns"), ("queueArn", role), ("roleArn", "arn:aws:iam::1:role/x"), ("url", "x")] {
            let mut wrong = sqs.clone();
            wrong[name] = json!(value);
            assert_eq!(paths(json!({"destination": wrong})), ["/destination"], "{name}");
        }
        assert_eq!(paths(json!({"destination": sqs, "challenge": true})), ["/challenge"]);
        assert_eq!(paths(json!({"destination": sqs, "url": "https://a.example/"})), ["/destination"]);
    }

    #[test]
    fn secrets_overlap_for_up_to_three_days() {
        let hours = |body| overlap_hours(&object(body)).ok();
        assert_eq!(hours(json!({})), Some(24));
        assert_eq!(hours(json!({"overlapHours": 0})), Some(0));
        assert_eq!(hours(json!({"overlapHours": 72})), Some(72));
        for wrong in [json!({"overlapHours": 73}), json!({"overlapHours": "1"}), json!({"hours": 1})] {
            assert_eq!(hours(wrong), None);
        }
    }
}
