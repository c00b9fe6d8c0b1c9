package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	docmill "github.com/docmill/docmill/clients/go"
)

type step struct {
	Do     string
	Client struct {
		URL, Key       string
		TimeoutSeconds float64
		MaxRetries     *int
	}
	ID, Path, File, Tool, Secret, Method, Target string
	Source                                       json.RawMessage
	Sources                                      []json.RawMessage
	Options                                      map[string]any
	Then                                         []docmill.Step
	Metadata                                     map[string]string
	IdempotencyKey                               string
	Seconds                                      float64
	Overwrite, Archive                           bool
	Items                                        []struct {
		Input    json.RawMessage
		Filename string
	}
	Filters        filters
	PageSize, Take int
	Headers        map[string]string
	Body           json.RawMessage
}

type filters struct {
	Status, ToolSlug, Type, JobID, After string
	Metadata                             map[string]string
	CreatedAfter, CreatedBefore          time.Time
}

type result = map[string]any

var steps = map[string]func(context.Context, *docmill.Client, step) (result, error){
	"tool": func(_ context.Context, _ *docmill.Client, s step) (result, error) {
		tool, err := docmill.ToolFor(source(s.Source))
		return result{"tool": tool}, err
	},
	"convert": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		return saved(client.Convert(ctx, s.request(), s.Path, s.waiting()...))
	},
	"bytes": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		content, err := client.ConvertBytes(ctx, s.request(), s.waiting()...)
		if err != nil {
			return nil, err
		}
		return result{"bytes": len(content), "sha256": fmt.Sprintf("%x", sha256.Sum256(content))}, nil
	},
	"start": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		return of("job")(client.Start(ctx, s.request()))
	},
	"wait": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		return of("job")(client.Wait(ctx, s.ID, s.waiting()...))
	},
	"save": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		return saved(client.Save(ctx, s.ID, s.Path, s.waiting()...))
	},
	"batchCreate": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		batch := docmill.NewBatch{Tool: s.Tool, Then: s.Then, Archive: s.Archive}
		if s.Options != nil {
			batch.Options = s.Options
		}
		for _, item := range s.Items {
			batch.Items = append(batch.Items, docmill.Item{Source: source(item.Input), Filename: item.Filename})
		}
		return of("batch")(client.CreateBatch(ctx, batch))
	},
	"batchWait": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		var progress []int64
		batch, err := client.WaitBatch(ctx, s.ID, func(batch *docmill.Batch) { progress = append(progress, batch.Counts.Completed) }, s.waiting()...)
		return result{"batch": batch, "progress": progress}, err
	},
	"batchResults": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		results, err := collect(client.BatchResults(ctx, s.ID, s.PageSize), s.Take, func(each *docmill.BatchResult) any { return each })
		return result{"results": results}, err
	},
	"batchArchive": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		files, err := client.SaveArchive(ctx, s.ID, s.Path, s.waiting()...)
		return result{"files": files}, err
	},
	"batchList": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		ids, err := collect(client.Batches(ctx, docmill.BatchFilter{PageSize: s.PageSize}), s.Take, func(batch *docmill.Batch) any { return batch.ID })
		return result{"ids": ids}, err
	},
	"batchDelete": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		return result{}, client.DeleteBatch(ctx, s.ID)
	},
	"job": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		return of("job")(client.Job(ctx, s.ID))
	},
	"jobs": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		filter := docmill.JobFilter{
			Status: docmill.JobStatus(s.Filters.Status), ToolSlug: s.Filters.ToolSlug, Metadata: s.Filters.Metadata,
			CreatedAfter: s.Filters.CreatedAfter, CreatedBefore: s.Filters.CreatedBefore, PageSize: s.PageSize,
		}
		ids, err := collect(client.Jobs(ctx, filter), s.Take, func(job *docmill.Job) any { return job.ID })
		return result{"ids": ids}, err
	},
	"cancel": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		return of("job")(client.Cancel(ctx, s.ID))
	},
	"receipt": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		return of("receipt")(client.Receipt(ctx, s.ID))
	},
	"delete": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		return result{}, client.Delete(ctx, s.ID)
	},
	"upload": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		upload, err := client.Upload(ctx, s.File)
		if err != nil {
			return nil, err
		}
		return result{"id": upload.ID}, nil
	},
	"events": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		filter := docmill.EventFilter{Type: docmill.EventType(s.Filters.Type), JobID: s.Filters.JobID, After: s.Filters.After, PageSize: s.PageSize}
		events, err := collect(client.Events(ctx, filter), s.Take, func(event *docmill.Event) any {
			return result{"id": event.ID, "type": event.Type}
		})
		return result{"events": events}, err
	},
	"tools": func(ctx context.Context, client *docmill.Client, _ step) (result, error) {
		tools, err := client.Tools(ctx)
		var slugs []string
		for _, tool := range tools {
			slugs = append(slugs, tool.Slug)
		}
		return result{"slugs": slugs}, err
	},
	"schema": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		return of("tool")(client.ToolSchema(ctx, s.Tool))
	},
	"usage": func(ctx context.Context, client *docmill.Client, _ step) (result, error) {
		return of("usage")(client.Usage(ctx))
	},
	"webhookCreate": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		var request docmill.WebhookRequest
		if err := json.Unmarshal(s.Body, &request); err != nil {
			return nil, err
		}
		return of("webhook")(client.CreateWebhook(ctx, request))
	},
	"webhookList": func(ctx context.Context, client *docmill.Client, _ step) (result, error) {
		webhooks, err := client.Webhooks(ctx)
		var ids []string
		for _, webhook := range webhooks {
			ids = append(ids, webhook.ID)
		}
		return result{"ids": ids}, err
	},
	"webhookRotate": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		return of("webhook")(client.RotateWebhookSecret(ctx, s.ID, docmill.RotationRequest{}))
	},
	"webhookDelete": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		return result{}, client.DeleteWebhook(ctx, s.ID)
	},
	"webhookTest": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		return of("webhookTest")(client.TestWebhook(ctx, docmill.WebhookTestRequest{URL: s.Target}))
	},
	"verify": func(_ context.Context, _ *docmill.Client, s step) (result, error) {
		var body string
		if err := json.Unmarshal(s.Body, &body); err != nil {
			return nil, err
		}
		event, err := docmill.VerifyWebhook(s.Secret, []byte(body), s.header())
		if err != nil {
			return nil, err
		}
		return result{"type": event.Type, "data": event.Data}, nil
	},
	"request": func(ctx context.Context, client *docmill.Client, s step) (result, error) {
		var body any
		if s.Body != nil {
			body = s.Body
		}
		response, err := client.Do(ctx, s.Method, s.Path, body, s.header())
		if err != nil {
			return nil, err
		}
		headers := map[string]string{}
		for name := range response.Header {
			headers[strings.ToLower(name)] = response.Header.Get(name)
		}
		return result{"status": response.Status, "headers": headers, "body": json.RawMessage(response.Body), "requestId": response.RequestID}, nil
	},
	"describe": func(_ context.Context, client *docmill.Client, _ step) (result, error) {
		text, err := json.Marshal(client)
		held := struct{ client docmill.Client }{*client}
		texts := []string{string(text)}
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			texts = append(texts, fmt.Sprintf(format, client), fmt.Sprintf(format, *client), fmt.Sprintf(format, held))
		}
		return result{"texts": texts}, err
	},
}

func (s step) request() docmill.Request {
	request := docmill.Request{Tool: s.Tool, Then: s.Then, Metadata: s.Metadata, IdempotencyKey: s.IdempotencyKey}
	if s.Options != nil {
		request.Options = s.Options
	}
	if s.Source != nil {
		request.Source = source(s.Source)
	}
	for _, each := range s.Sources {
		request.Sources = append(request.Sources, source(each))
	}
	return request
}

func source(text json.RawMessage) docmill.Source {
	var given struct {
		File, Address, Content, Name, Opened string
		docmill.Source
	}
	if err := json.Unmarshal(text, &given); err != nil {
		panic(err)
	}
	switch {
	case given.File != "":
		return docmill.File(given.File)
	case given.Content != "":
		return docmill.Content(strings.NewReader(given.Content), given.Name)
	case given.Opened != "":
		file, err := os.Open(given.Opened)
		if err != nil {
			panic(err)
		}
		return docmill.Content(file, filepath.Base(given.Opened))
	case given.Address != "":
		return docmill.URL(given.Address)
	}
	return given.Source
}

func (s step) waiting() []docmill.WaitOption {
	var options []docmill.WaitOption
	if s.Seconds != 0 {
		options = append(options, docmill.Within(seconds(s.Seconds)))
	}
	if s.Overwrite {
		options = append(options, docmill.Overwrite())
	}
	return options
}

func (s step) header() http.Header {
	header := http.Header{}
	for name, value := range s.Headers {
		header.Set(name, value)
	}
	return header
}

func of(name string) func(any, error) (result, error) {
	return func(value any, err error) (result, error) { return result{name: value}, err }
}

func saved(saved *docmill.Result, err error) (result, error) {
	if err != nil {
		return nil, err
	}
	file := result{"path": saved.Path, "bytes": saved.Bytes, "sha256": saved.SHA256}
	if saved.Files != nil {
		file["files"] = saved.Files
	}
	return result{"job": saved.Job, "file": file}, nil
}

func collect[Entry any](entries iter.Seq2[*Entry, error], take int, read func(*Entry) any) ([]any, error) {
	var found []any
	for entry, err := range entries {
		if err != nil {
			return nil, err
		}
		if found = append(found, read(entry)); len(found) == take {
			break
		}
	}
	return found, nil
}
