package docmill

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"time"
)

// What one request takes; the rest of it needs room, too.
const (
	mostItems     = 1000
	mostItemBytes = 900_000
)

// A batch may take this long by default.
const batchBound = time.Hour

// NewBatch describes many jobs of one tool.
type NewBatch struct {
	Tool string
	// Items are up to 100,000: what differs from job to job.
	Items []Item
	// Options are those of all jobs. An item's own count more.
	Options any
	// Then are further steps of all jobs.
	Then []Step
	// Archive makes a ZIP of all results, for [Client.SaveArchive].
	Archive bool
	// StopOnError cancels the batch as soon as an item fails.
	StopOnError bool
	// Webhook gets the events of the batch.
	Webhook *BatchRequestWebhook
	// IdempotencyKey makes a repeated request the same batch. By default a new UUID.
	IdempotencyKey string
}

// Item is what one job of a batch is made of.
type Item struct {
	Source   Source
	Options  any
	Metadata map[string]string
	// Filename is the name of the result.
	Filename string
}

type batchBody struct {
	ToolSlug string     `json:"toolSlug"`
	Items    []itemBody `json:"items,omitempty"`
	// ItemsUploadID names the upload that has the items instead.
	ItemsUploadID string               `json:"itemsUploadId,omitempty"`
	Options       any                  `json:"options,omitempty"`
	Then          []Step               `json:"then,omitempty"`
	Output        *BatchRequestOutput  `json:"output,omitempty"`
	Webhook       *BatchRequestWebhook `json:"webhook,omitempty"`
	OnError       BatchRequestOnError  `json:"onError,omitempty"`
}

type itemBody struct {
	Input    Source            `json:"input"`
	Options  any               `json:"options,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"`
	Filename string            `json:"filename,omitempty"`
}

// CreateBatch creates a job for each item, and returns at once. All items are checked first.
func (c *Client) CreateBatch(ctx context.Context, batch NewBatch) (*Batch, error) {
	body := batchBody{ToolSlug: batch.Tool, Options: batch.Options, Then: batch.Then, Webhook: batch.Webhook}
	for _, item := range batch.Items {
		source, err := c.available(ctx, item.Source, batch.Tool)
		if err != nil {
			return nil, err
		}
		body.Items = append(body.Items, itemBody{Input: source, Options: item.Options, Metadata: item.Metadata, Filename: item.Filename})
	}
	if err := c.placeItems(ctx, &body); err != nil {
		return nil, err
	}
	if batch.Archive {
		body.Output = &BatchRequestOutput{Archive: &batch.Archive}
	}
	if batch.StopOnError {
		body.OnError = "stop"
	}
	return c.askBatch(ctx, call{method: http.MethodPost, path: "/v1/batches", header: creating(batch.IdempotencyKey), body: body})
}

// placeItems uploads the items if they are too many for a request.
func (c *Client) placeItems(ctx context.Context, body *batchBody) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, item := range body.Items {
		if err := encoder.Encode(item); err != nil {
			return &problem{what: ErrUsage, text: "an item can't be written as JSON", cause: err}
		}
	}
	if len(body.Items) <= mostItems && lines.Len() <= mostItemBytes {
		return nil
	}
	upload, err := c.UploadContent(ctx, bytes.NewReader(lines.Bytes()), "items.jsonl")
	if err != nil {
		return err
	}
	body.Items, body.ItemsUploadID = nil, upload.ID
	return nil
}

func (c *Client) askBatch(ctx context.Context, request call) (*Batch, error) {
	var answer BatchResponse
	if _, err := c.do(ctx, request, &answer); err != nil {
		return nil, err
	}
	return &answer.Batch, nil
}

// Batch reads a batch.
func (c *Client) Batch(ctx context.Context, id string) (*Batch, error) {
	return c.askBatch(ctx, call{method: http.MethodGet, path: "/v1/batches/{id}", id: id})
}

// WaitBatch returns once a batch has completed, was canceled, or is paused: see its Status and Counts. It calls `progress`, unless that is
// nil, whenever something has changed. By default it waits for an hour; [Within] says otherwise.
func (c *Client) WaitBatch(ctx context.Context, id string, progress func(*Batch), options ...WaitOption) (*Batch, error) {
	s := waiting(append([]WaitOption{Within(batchBound)}, options...))
	started := time.Now()
	var before *Batch
	for pause := time.Second; ; pause = min(pause*3/2, 10*time.Second) {
		batch, err := c.Batch(ctx, id)
		if err != nil {
			return nil, err
		}
		if progress != nil && !reflect.DeepEqual(batch, before) {
			progress(batch)
		}
		switch batch.Status {
		case "completed", "canceled", "paused":
			return batch, nil
		}
		before = batch
		left := s.bound - time.Since(started)
		if left <= 0 {
			return nil, &WaitTimeoutError{JobID: id, Bound: s.bound, what: "batch"}
		}
		if err := sleep(ctx, min(pause, left)); err != nil {
			return nil, err
		}
	}
}

// BatchResults iterates over what became of each item, in their order: a link to its result, or why there is none.
func (c *Client) BatchResults(ctx context.Context, id string, pageSize int) iter.Seq2[*BatchResult, error] {
	query := parameters{}
	query.number("limit", pageSize)
	request := call{method: http.MethodGet, path: "/v1/batches/{id}/download", id: id, query: url.Values(query)}
	return pages(c, ctx, request, func(answer *BatchResultsResponse) page[BatchResult] {
		return page[BatchResult]{entries: answer.Results, parameter: "cursor", next: answer.NextCursor, more: answer.NextCursor != ""}
	})
}

// BatchFilter chooses batches. Its zero value chooses all.
type BatchFilter struct {
	Status BatchStatus
	// PageSize is how many batches one request asks for: 1 to 100, by default 20.
	PageSize int
}

// Batches iterates over the account's batches, newest first.
func (c *Client) Batches(ctx context.Context, filter BatchFilter) iter.Seq2[*Batch, error] {
	query := parameters{}
	query.text("status", string(filter.Status))
	query.number("limit", filter.PageSize)
	request := call{method: http.MethodGet, path: "/v1/batches", query: url.Values(query)}
	return pages(c, ctx, request, func(answer *BatchesResponse) page[Batch] {
		return page[Batch]{entries: answer.Batches, parameter: "cursor", next: answer.NextCursor, more: answer.NextCursor != ""}
	})
}

// SaveArchive saves the ZIP of all results, of a batch that was created with Archive and has completed, and returns its path. In a folder
// ("results/"), each ZIP is saved by its own name: large batches have several.
func (c *Client) SaveArchive(ctx context.Context, id, path string, options ...WaitOption) ([]string, error) {
	overwrite := waiting(options).overwrite
	if !isFolder(path) {
		if err := checkTarget(path, overwrite); err != nil {
			return nil, err
		}
	}
	files, err := c.archive(ctx, id)
	if err != nil {
		return nil, err
	}
	paths, err := archivePaths(path, files)
	if err != nil {
		return nil, err
	}
	for _, target := range paths {
		if err := checkTarget(target, overwrite); err != nil {
			return nil, err
		}
	}
	for index, file := range files {
		reader := c.reader(ctx, id, nil, &Download{URL: Secret(file.URL), Bytes: file.Bytes, Filename: file.Filename})
		reader.renew = func() (*Download, error) {
			fresh, err := c.archive(ctx, id)
			if err != nil {
				return nil, err
			}
			return &Download{URL: Secret(fresh[min(index, len(fresh)-1)].URL)}, nil
		}
		if err := c.saveFile(ctx, reader, paths[index], overwrite); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

func archivePaths(path string, files []ArchiveFile) ([]string, error) {
	if !isFolder(path) {
		if len(files) > 1 {
			return nil, usageError(`%s can't hold %d archives: give a folder, such as "results/"`, path, len(files))
		}
		return []string{path}, nil
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, unwritable(path, err)
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Filename)
	}
	return pathsIn(path, names), nil
}

func (c *Client) archive(ctx context.Context, id string) ([]ArchiveFile, error) {
	var answer BatchResultsResponse
	request := call{method: http.MethodGet, path: "/v1/batches/{id}/download", id: id, query: url.Values{"limit": {"1"}}}
	if _, err := c.do(ctx, request, &answer); err != nil {
		return nil, err
	}
	if answer.Archive == nil || len(answer.Archive.Files) == 0 {
		return nil, usageError("the batch %s has no archive: create it with Archive, and wait until it has completed", id)
	}
	return answer.Archive.Files, nil
}

// CancelBatch creates no more jobs, and cancels those that have not ended.
func (c *Client) CancelBatch(ctx context.Context, id string) (*Batch, error) {
	return c.askBatch(ctx, call{method: http.MethodPost, path: "/v1/batches/{id}/cancel", id: id})
}

// ResumeBatch continues a paused batch.
func (c *Client) ResumeBatch(ctx context.Context, id string) (*Batch, error) {
	return c.askBatch(ctx, call{method: http.MethodPost, path: "/v1/batches/{id}/resume", id: id})
}

// DeleteBatch deletes a batch with all of its jobs.
func (c *Client) DeleteBatch(ctx context.Context, id string) error {
	_, err := c.do(ctx, call{method: http.MethodDelete, path: "/v1/batches/{id}", id: id}, nil)
	return err
}
