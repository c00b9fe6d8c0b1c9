package docmill

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Tools lists the tools that the key can use.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	var answer ToolsResponse
	_, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/tools"}, &answer)
	return answer.Tools, err
}

// ToolSchema reads what a tool takes: a JSON Schema, and the limits that hold for the key.
func (c *Client) ToolSchema(ctx context.Context, slug string) (*ToolSchema, error) {
	var answer ToolSchemaResponse
	_, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/tools/{id}/schema", id: slug}, &answer)
	return &answer.Tool, err
}

// Usage reads what the account used in this month, and what is left.
func (c *Client) Usage(ctx context.Context) (*Usage, error) {
	var answer struct {
		Usage Usage `json:"usage"`
	}
	_, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/account/usage"}, &answer)
	return &answer.Usage, err
}

// UsageOfDays reads what was used from one day to another, both included, by day, tool or key.
func (c *Client) UsageOfDays(ctx context.Context, from, to time.Time, groupBy UsageOfDaysGroupBy) (*UsageOfDays, error) {
	query := url.Values{"from": {from.Format(time.DateOnly)}, "to": {to.Format(time.DateOnly)}, "groupBy": {string(groupBy)}}
	var answer struct {
		Usage UsageOfDays `json:"usage"`
	}
	_, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/account/usage", query: query}, &answer)
	return &answer.Usage, err
}

// CreateTemplate uploads a template from a file on this machine, and adds it as the next version of this name.
func (c *Client) CreateTemplate(ctx context.Context, name, path string) (*Template, error) {
	upload, err := c.Upload(ctx, path)
	if err != nil {
		return nil, err
	}
	var answer TemplateResponse
	body := TemplateRequest{Name: name, UploadID: upload.ID}
	_, err = c.do(ctx, call{method: http.MethodPost, path: "/v1/templates", body: body}, &answer)
	return &answer.Template, err
}

// Templates lists the account's templates, each with its newest version.
func (c *Client) Templates(ctx context.Context) ([]Template, error) {
	var answer TemplatesResponse
	_, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/templates"}, &answer)
	return answer.Templates, err
}

// Template reads a version with the schema of its data and an example: 0 is the newest.
func (c *Client) Template(ctx context.Context, name string, version int) (*Template, error) {
	var answer TemplateResponse
	_, err := c.do(ctx, aboutTemplate(http.MethodGet, name, version), &answer)
	return &answer.Template, err
}

// DeleteTemplate deletes a version; 0 deletes all of them.
func (c *Client) DeleteTemplate(ctx context.Context, name string, version int) error {
	_, err := c.do(ctx, aboutTemplate(http.MethodDelete, name, version), nil)
	return err
}

func aboutTemplate(method, name string, version int) call {
	request := call{method: method, path: "/v1/templates/{id}", id: name}
	if version > 0 {
		request.query = url.Values{"version": {strconv.Itoa(version)}}
	}
	return request
}

// CreateFont makes a font of a file on this machine available to the account's jobs.
func (c *Client) CreateFont(ctx context.Context, path string) (*Font, error) {
	upload, err := c.Upload(ctx, path)
	if err != nil {
		return nil, err
	}
	var answer FontResponse
	_, err = c.do(ctx, call{method: http.MethodPost, path: "/v1/fonts", body: FontRequest{UploadID: upload.ID}}, &answer)
	return &answer.Font, err
}

// Fonts lists the account's fonts.
func (c *Client) Fonts(ctx context.Context) ([]Font, error) {
	var answer FontsResponse
	_, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/fonts"}, &answer)
	return answer.Fonts, err
}

// DeleteFont deletes a font.
func (c *Client) DeleteFont(ctx context.Context, id string) error {
	_, err := c.do(ctx, call{method: http.MethodDelete, path: "/v1/fonts/{id}", id: id}, nil)
	return err
}

// Event reads an event.
func (c *Client) Event(ctx context.Context, id string) (*Event, error) {
	var answer EventResponse
	_, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/events/{id}", id: id}, &answer)
	return &answer.Event, err
}
