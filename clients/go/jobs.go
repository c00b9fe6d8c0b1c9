package docmill

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	defaultBound = 180 * time.Second
	// The API holds a request for this long.
	longestWait = 25 * time.Second
)

// WaitOption changes how a method waits for a job.
type WaitOption func(*waitSettings)

type waitSettings struct {
	bound     time.Duration
	output    *int
	overwrite bool
}

// Within bounds the time until the job has ended. By default: three minutes. After that, there is a [WaitTimeoutError].
func Within(bound time.Duration) WaitOption { return func(s *waitSettings) { s.bound = bound } }

// Overwrite allows to replace a file that exists. Without it, that is an error, before anything is spent if the path is that of a file.
func Overwrite() WaitOption { return func(s *waitSettings) { s.overwrite = true } }

// OutputIndex takes one of the files of a result instead of the primary one, by its index in Job.Outputs.
func OutputIndex(index int) WaitOption { return func(s *waitSettings) { s.output = &index } }

func waiting(options []WaitOption) waitSettings {
	s := waitSettings{bound: defaultBound}
	for _, option := range options {
		option(&s)
	}
	return s
}

// Ended tells whether a status is final. A status that this client does not know has not ended.
func (status JobStatus) Ended() bool {
	switch status {
	case JobStatusCompleted, JobStatusFailed, JobStatusCanceled, JobStatusExpired, JobStatusDeleted:
		return true
	}
	return false
}

// Convert creates a job, waits for it and saves its result at path, which is only there if all of it is. A path that ends in a slash
// is a folder, where each file of the result is saved by its own name.
func (c *Client) Convert(ctx context.Context, request Request, path string, options ...WaitOption) (*Result, error) {
	s := waiting(options)
	if err := checkDestination(request, path, s.overwrite); err != nil {
		return nil, err
	}
	answer, err := c.run(ctx, request, s.bound)
	if err != nil {
		return nil, err
	}
	return c.saveResult(ctx, answer, path, s)
}

// ConvertBytes creates a job, waits for it and returns its result in memory. Several files are a ZIP.
func (c *Client) ConvertBytes(ctx context.Context, request Request, options ...WaitOption) ([]byte, error) {
	s := waiting(options)
	answer, err := c.run(ctx, request, s.bound)
	if err != nil {
		return nil, err
	}
	return c.readResult(ctx, answer, s.output)
}

// checkDestination finds before a job is created what would be an error after it.
func checkDestination(request Request, path string, overwrite bool) error {
	if isFolder(path) {
		return nil
	}
	if err := checkTarget(path, overwrite); err != nil {
		return err
	}
	tool := request.Tool
	if tool == "" && request.Sources == nil {
		var err error
		if tool, err = ToolFor(request.Source); err != nil {
			return err
		}
	}
	if len(request.Then) == 0 && makesPDF[tool] {
		return checkName(path, "result.pdf")
	}
	return nil
}

// run creates a job and waits until it has completed.
func (c *Client) run(ctx context.Context, request Request, bound time.Duration) (*WaitResponse, error) {
	started := time.Now()
	answer, requestID, err := c.create(ctx, request, bound)
	if err != nil {
		return nil, err
	}
	if !answer.Job.Status.Ended() {
		// With a bound that is used up, this reads the job once more.
		if answer, requestID, err = c.await(ctx, answer.Job.ID, bound, started); err != nil {
			return nil, err
		}
	}
	return answer, completed(&answer.Job, requestID)
}

// Start creates a job and returns at once. Files are uploaded before.
func (c *Client) Start(ctx context.Context, request Request) (*Job, error) {
	answer, _, err := c.create(ctx, request, 0)
	if err != nil {
		return nil, err
	}
	return &answer.Job, nil
}

// create waits for the job's end as long as one request may, if bound is above zero.
func (c *Client) create(ctx context.Context, request Request, bound time.Duration) (*WaitResponse, string, error) {
	body, err := c.resolve(ctx, request)
	if err != nil {
		return nil, "", err
	}
	var answer WaitResponse
	response, err := c.do(ctx, call{method: http.MethodPost, path: "/v1/jobs", header: creating(request.IdempotencyKey), body: body, wait: holdable(bound)}, &answer)
	if err != nil {
		return nil, "", err
	}
	return &answer, response.RequestID, nil
}

// creating are headers of whatever is charged: a misspelled option is an error, not ignored.
func creating(key string) http.Header {
	if key == "" {
		key = newKey()
	}
	return http.Header{"Idempotency-Key": {key}, "Docmill-Strict": {"true"}}
}

// resolve uploads what has to be uploaded, and names the tool.
func (c *Client) resolve(ctx context.Context, request Request) (*jobBody, error) {
	tool := request.Tool
	if tool == "" {
		if request.Sources != nil {
			return nil, usageError("name the tool that takes several sources in Request.Tool")
		}
		var err error
		if tool, err = ToolFor(request.Source); err != nil {
			return nil, err
		}
	}
	body := &jobBody{
		ToolSlug: tool, Options: request.Options, Then: request.Then,
		Output: request.Output, Webhook: request.Webhook, Metadata: request.Metadata,
	}
	if request.Sources == nil {
		source, err := c.available(ctx, request.Source, tool)
		body.Input = source
		return body, err
	}
	sources := make([]Source, len(request.Sources))
	for index, source := range request.Sources {
		var err error
		if sources[index], err = c.available(ctx, source, tool); err != nil {
			return nil, err
		}
	}
	body.Input = map[string]any{"sources": sources}
	return body, nil
}

// available is a source that the service can get.
func (c *Client) available(ctx context.Context, source Source, tool string) (Source, error) {
	switch {
	case source.content != nil:
		upload, err := c.UploadContent(ctx, source.content, source.file)
		if err != nil {
			return source, err
		}
		source.UploadID = upload.ID
	case source.file != "":
		upload, err := c.Upload(ctx, source.file)
		if err != nil {
			return source, err
		}
		source.UploadID = upload.ID
	case source.address != "" && (tool == "html-to-pdf" || tool == "html-to-image"):
		source.URL = source.address
	case source.address != "":
		source.SourceURL = source.address
	}
	return source, nil
}

// Job reads a job.
func (c *Client) Job(ctx context.Context, id string) (*Job, error) {
	answer, _, err := c.read(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	return &answer.Job, nil
}

func (c *Client) read(ctx context.Context, id string, wait time.Duration) (*WaitResponse, *Response, error) {
	var answer WaitResponse
	response, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/jobs/{id}", id: id, wait: wait}, &answer)
	return &answer, response, err
}

// Wait waits until a job has ended. It returns a [JobFailedError] or a [JobCanceledError] if it has no result.
func (c *Client) Wait(ctx context.Context, id string, options ...WaitOption) (*Job, error) {
	answer, requestID, err := c.await(ctx, id, waiting(options).bound, time.Now())
	if err != nil {
		return nil, err
	}
	return &answer.Job, completed(&answer.Job, requestID)
}

// await reads a job until it has ended or the bound is over. An API that can't hold the request is asked again after a pause.
func (c *Client) await(ctx context.Context, id string, bound time.Duration, since time.Time) (*WaitResponse, string, error) {
	// An answer that is late may still say that the job has ended.
	late := &WaitTimeoutError{JobID: id, Bound: bound}
	bounded, cancel := context.WithDeadlineCause(ctx, since.Add(bound+2*time.Second), late)
	defer cancel()
	for pause := time.Second; ; pause = min(pause*3/2, 10*time.Second) {
		asked := time.Now()
		answer, response, err := c.read(bounded, id, holdable(bound-time.Since(since)))
		if err != nil {
			return nil, "", err
		}
		left := bound - time.Since(since)
		if answer.Job.Status.Ended() {
			return answer, response.RequestID, nil
		}
		if left <= 0 {
			return nil, "", late
		}
		if response.Header.Get("Preference-Applied") != "" && time.Since(asked) >= time.Second {
			pause = time.Second
			continue
		}
		if err := sleep(bounded, min(pause, left)); err != nil {
			return nil, "", err
		}
	}
}

// holdable is how long the API may hold a request: whole seconds.
func holdable(left time.Duration) time.Duration {
	return max(min(left, longestWait).Truncate(time.Second), 0)
}

// completed is the reason why an ended job has no result. What has become of a result that there was, its link tells.
func completed(job *Job, requestID string) error {
	switch job.Status {
	case JobStatusFailed:
		return &JobFailedError{Job: job, RequestID: requestID}
	case JobStatusCanceled:
		return &JobCanceledError{Job: job, RequestID: requestID}
	}
	return nil
}

// Save waits for a job and saves its result at path, which is only there if all of it is. A path that ends in a slash is a folder, where
// each file of the result is saved by its own name.
func (c *Client) Save(ctx context.Context, id, path string, options ...WaitOption) (*Result, error) {
	s := waiting(options)
	if !isFolder(path) {
		if err := checkTarget(path, s.overwrite); err != nil {
			return nil, err
		}
	}
	answer, requestID, err := c.await(ctx, id, s.bound, time.Now())
	if err != nil {
		return nil, err
	}
	if err := completed(&answer.Job, requestID); err != nil {
		return nil, err
	}
	return c.saveResult(ctx, answer, path, s)
}

// Cancel ends a job that has not ended. Its credits come back.
func (c *Client) Cancel(ctx context.Context, id string) (*Job, error) {
	var answer JobResponse
	_, err := c.do(ctx, call{method: http.MethodPost, path: "/v1/jobs/{id}/cancel", id: id}, &answer)
	if err != nil {
		return nil, err
	}
	return &answer.Job, nil
}

// Receipt is the signed receipt of a job that has ended, for `docmill verify-receipt`.
func (c *Client) Receipt(ctx context.Context, id string) (*Receipt, error) {
	var answer ReceiptResponse
	_, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/jobs/{id}/receipt", id: id}, &answer)
	if err != nil {
		return nil, err
	}
	return &answer.Receipt, nil
}

// Delete deletes a job's result and everything that describes its document. A job that has not ended is canceled first.
func (c *Client) Delete(ctx context.Context, id string) error {
	_, err := c.do(ctx, call{method: http.MethodDelete, path: "/v1/jobs/{id}", id: id}, nil)
	return err
}

// Download is a new link to a job's result, for a program that fetches it by itself. The link is secret.
func (c *Client) Download(ctx context.Context, id string, options ...WaitOption) (*DownloadResponse, error) {
	query := url.Values{}
	if output := waiting(options).output; output != nil {
		query.Set("output", strconv.Itoa(*output))
	}
	var answer DownloadResponse
	response, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/jobs/{id}/download", id: id, query: query}, &answer)
	if err != nil {
		return nil, asJobError(err)
	}
	if response.Status == http.StatusAccepted {
		return nil, usageError("job %s has not ended: wait for it first", id)
	}
	return &answer, nil
}

// asJobError says why a job has no result, if that is what the answer is about.
func asJobError(err error) error {
	var answer *Error
	if errors.As(err, &answer) && answer.Job != nil {
		if reason := completed(answer.Job, answer.RequestID); reason != nil {
			return reason
		}
	}
	return err
}
