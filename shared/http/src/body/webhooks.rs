//! Bodies about webhook endpoints, deliveries and events.

use docmill_domain::event::ListedEvent;
use docmill_domain::webhook::endpoint::MOST_ENDPOINTS;
use docmill_domain::webhook::{DeliveryView, EndpointView, WebhookTestView};
use serde::Serialize;

/// One webhook endpoint.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WebhookResponse", description = ""))]
pub struct WebhookBody {
    /// As it is now.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub webhook: EndpointView,
}

/// The account's webhook endpoints, oldest first.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WebhooksResponse", description = ""))]
pub struct WebhooksBody {
    /// All of them.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(length(max = MOST_ENDPOINTS)))]
    pub webhooks: Vec<EndpointView>,
}

/// How many events are sent again.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ReplayResponse", description = ""))]
pub struct ReplayBody {
    /// How many events are sent again.
    pub replayed: usize,
    /// Whether there are more: repeat the request, with `since` also with `after`.
    pub has_more: bool,
    /// What to send as `after`, if there are more.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^evt_[0-9a-f]{32}$")))]
    pub next_cursor: Option<String>,
}

/// A page of an endpoint's deliveries, newest event first.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DeliveriesResponse", description = ""))]
pub struct DeliveriesBody {
    /// Those that the filter admits.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(length(max = 100)))]
    pub deliveries: Vec<DeliveryView>,
    /// Whether there is a next page.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub has_more: bool,
    /// Where the next page begins.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A recorded test of a receiver.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "WebhookTestResponse", description = "")
)]
pub struct WebhookTestBody {
    /// The test and what came of it.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub webhook_test: WebhookTestView,
}

/// One event.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EventResponse", description = ""))]
pub struct EventBody {
    /// As it was recorded.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub event: ListedEvent,
}

/// A page of the account's events, in their order.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EventsResponse", description = ""))]
pub struct EventsBody {
    /// Those that the filter admits.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(length(max = 100)))]
    pub events: Vec<ListedEvent>,
    /// Whether there can be more events after these now.
    pub has_more: bool,
    /// What to send as `after` to go on. Absent while your account has no events.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^evt_[0-9a-f]{32}$")))]
    pub next_cursor: Option<String>,
}
