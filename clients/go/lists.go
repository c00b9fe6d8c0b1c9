package docmill

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// JobFilter chooses jobs. Its zero value chooses all.
type JobFilter struct {
	Status        JobStatus
	ToolSlug      string
	CreatedAfter  time.Time
	CreatedBefore time.Time
	// Metadata are labels that jobs must have.
	Metadata map[string]string
	// PageSize is how many jobs one request asks for: 1 to 100, by default 20.
	PageSize int
}

// Jobs iterates over the account's jobs, newest first. It asks for a page when the one before is used up.
func (c *Client) Jobs(ctx context.Context, filter JobFilter) iter.Seq2[*Job, error] {
	query := parameters{}
	query.text("status", string(filter.Status))
	query.text("toolSlug", filter.ToolSlug)
	query.time("createdAfter", filter.CreatedAfter)
	query.time("createdBefore", filter.CreatedBefore)
	query.number("limit", filter.PageSize)
	for name, value := range filter.Metadata {
		url.Values(query).Set("metadata."+name, value)
	}
	return pages(c, ctx, call{method: http.MethodGet, path: "/v1/jobs", query: url.Values(query)}, func(answer *JobsResponse) page[Job] {
		return page[Job]{entries: answer.Jobs, parameter: "cursor", next: answer.NextCursor, more: answer.NextCursor != ""}
	})
}

// EventFilter chooses events. Its zero value chooses all that are kept.
type EventFilter struct {
	// After and Before are ids of events.
	After, Before string
	Type          EventType
	JobID         string
	// PageSize is how many events one request asks for: 1 to 100, by default 20.
	PageSize int
	// Follow goes on at the end of the list, and waits for further events, until the context ends.
	Follow bool
}

// Events iterates over the account's events, oldest first. To go on later, remember the last event's id for EventFilter.After.
func (c *Client) Events(ctx context.Context, filter EventFilter) iter.Seq2[*Event, error] {
	query := parameters{}
	query.text("after", filter.After)
	query.text("before", filter.Before)
	query.text("type", string(filter.Type))
	query.text("jobId", filter.JobID)
	query.number("limit", filter.PageSize)
	request := call{method: http.MethodGet, path: "/v1/events", query: url.Values(query)}
	if filter.Follow {
		request.wait = longestWait
	}
	return pages(c, ctx, request, func(answer *EventsResponse) page[Event] {
		return page[Event]{
			entries: answer.Events, parameter: "after", next: answer.NextCursor, more: answer.HasMore || filter.Follow, waits: filter.Follow,
		}
	})
}

// DeliveryFilter chooses deliveries of a webhook. Its zero value chooses all.
type DeliveryFilter struct {
	Status   DeliveryStatus
	Type     EventType
	EventID  string
	PageSize int
}

// Deliveries iterates over what was sent to a webhook, newest first.
func (c *Client) Deliveries(ctx context.Context, webhookID string, filter DeliveryFilter) iter.Seq2[*Delivery, error] {
	query := parameters{}
	query.text("status", string(filter.Status))
	query.text("type", string(filter.Type))
	query.text("eventId", filter.EventID)
	query.number("limit", filter.PageSize)
	request := call{method: http.MethodGet, path: "/v1/webhooks/{id}/deliveries", id: webhookID, query: url.Values(query)}
	return pages(c, ctx, request, func(answer *DeliveriesResponse) page[Delivery] {
		return page[Delivery]{entries: answer.Deliveries, parameter: "cursor", next: answer.NextCursor, more: answer.HasMore && answer.NextCursor != ""}
	})
}

type page[Entry any] struct {
	entries []Entry
	// next goes into this parameter of the next request, if there is one.
	parameter, next string
	more            bool
	// waits: the API holds requests while there is nothing new.
	waits bool
}

// pages asks for one page after the other. It stops at the first error.
func pages[Answer, Entry any](c *Client, ctx context.Context, request call, read func(*Answer) page[Entry]) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		request := request
		request.query = clone(request.query)
		for {
			var answer Answer
			response, err := c.do(ctx, request, &answer)
			if err != nil {
				yield(nil, err)
				return
			}
			found := read(&answer)
			for index := range found.entries {
				if !yield(&found.entries[index], nil) {
					return
				}
			}
			if !found.more {
				return
			}
			if found.next != "" {
				request.query.Set(found.parameter, found.next)
			}
			// If too many requests wait already, one more is answered at once.
			if found.waits && len(found.entries) == 0 && response.Header.Get("Preference-Applied") == "" {
				if err := sleep(ctx, 5*time.Second); err != nil {
					yield(nil, err)
					return
				}
			}
		}
	}
}

// clone makes an iterator usable more than once.
func clone(query url.Values) url.Values {
	copied := url.Values{}
	for name, values := range query {
		copied[name] = values
	}
	return copied
}

// parameters are those of a query that have a value.
type parameters url.Values

func (p parameters) text(name, value string) {
	if value != "" {
		url.Values(p).Set(name, value)
	}
}

func (p parameters) time(name string, value time.Time) {
	if !value.IsZero() {
		p.text(name, value.UTC().Format(time.RFC3339Nano))
	}
}

func (p parameters) number(name string, value int) {
	if value != 0 {
		p.text(name, strconv.Itoa(value))
	}
}
