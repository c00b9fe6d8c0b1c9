package docmill

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// VerifyWebhook checks the signature and the timestamp of a request to a webhook, and returns its event. `body` must be exactly what was
// received. An event can arrive more than once: skip those whose ID you have seen.
func VerifyWebhook(secret string, body []byte, header http.Header) (*Event, error) {
	// An empty secret would accept what anybody signs.
	if strings.TrimPrefix(secret, "whsec_") == "" {
		return nil, usageError("the webhook's secret is missing")
	}
	webhook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, usageError("the webhook's secret is not valid")
	}
	if err := webhook.Verify(body, header); err != nil {
		return nil, &problem{what: ErrWebhook, text: "the webhook is refused", cause: err}
	}
	var event Event
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, &problem{what: ErrWebhook, text: "the webhook is not an event", cause: err}
	}
	event.ID = header.Get(standardwebhooks.HeaderWebhookID)
	return &event, nil
}

// Job is the job that an event is about, without its request.
func (event *Event) Job() (*Job, error) {
	found, ok := event.Data["job"]
	if !ok {
		return nil, usageError("an event of type %s is not about a job", event.Type)
	}
	text, err := json.Marshal(found)
	if err != nil {
		return nil, err
	}
	var job Job
	return &job, json.Unmarshal(text, &job)
}

// CreateWebhook creates an endpoint. Keep its Secret: it is not shown again.
func (c *Client) CreateWebhook(ctx context.Context, request WebhookRequest) (*Webhook, error) {
	return c.webhook(ctx, call{method: http.MethodPost, path: "/v1/webhooks", body: request, once: true})
}

// Webhooks lists the account's endpoints.
func (c *Client) Webhooks(ctx context.Context) ([]Webhook, error) {
	var answer WebhooksResponse
	_, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/webhooks"}, &answer)
	return answer.Webhooks, err
}

// Webhook reads an endpoint.
func (c *Client) Webhook(ctx context.Context, id string) (*Webhook, error) {
	return c.webhook(ctx, call{method: http.MethodGet, path: "/v1/webhooks/{id}", id: id})
}

// UpdateWebhook changes an endpoint. `change` is a [WebhookChange], or a map where a property is to become null.
func (c *Client) UpdateWebhook(ctx context.Context, id string, change any) (*Webhook, error) {
	return c.webhook(ctx, call{method: http.MethodPatch, path: "/v1/webhooks/{id}", id: id, body: change})
}

// DeleteWebhook deletes an endpoint.
func (c *Client) DeleteWebhook(ctx context.Context, id string) error {
	_, err := c.do(ctx, call{method: http.MethodDelete, path: "/v1/webhooks/{id}", id: id}, nil)
	return err
}

// RotateWebhookSecret gives an endpoint a new secret. The old one signs too, for a day or for RotationRequest.OverlapHours.
func (c *Client) RotateWebhookSecret(ctx context.Context, id string, request RotationRequest) (*Webhook, error) {
	return c.webhook(ctx, call{method: http.MethodPost, path: "/v1/webhooks/{id}/rotate", id: id, body: request, once: true})
}

func (c *Client) webhook(ctx context.Context, request call) (*Webhook, error) {
	var answer WebhookResponse
	_, err := c.do(ctx, request, &answer)
	return &answer.Webhook, err
}

// ReplayWebhook sends events again.
func (c *Client) ReplayWebhook(ctx context.Context, id string, request ReplayRequest) (*ReplayResponse, error) {
	var answer ReplayResponse
	_, err := c.do(ctx, call{method: http.MethodPost, path: "/v1/webhooks/{id}/replay", id: id, body: request, once: true}, &answer)
	return &answer, err
}

// TestWebhook makes a signed sample for a receiver, and sends it if the request says so.
func (c *Client) TestWebhook(ctx context.Context, request WebhookTestRequest) (*WebhookTest, error) {
	var answer WebhookTestResponse
	_, err := c.do(ctx, call{method: http.MethodPost, path: "/v1/webhooks/test", body: request, once: true}, &answer)
	return &answer.WebhookTest, err
}

// WebhookKeys reads the public keys of the service's own signatures.
func (c *Client) WebhookKeys(ctx context.Context) (*WebhookKeys, error) {
	var answer WebhookKeys
	_, err := c.do(ctx, call{method: http.MethodGet, path: "/.well-known/docmill-webhooks.json"}, &answer)
	return &answer, err
}
