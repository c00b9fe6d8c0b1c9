package docmill

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	version      = "0.1.0"
	firstPause   = 500 * time.Millisecond
	longestPause = 8 * time.Second
	// An API that asks for a longer pause than this is an error at once.
	mostPatience = time.Minute
	// Pages of lists end at 4 MB.
	mostBody = 64 << 20
)

// Response is what the API answered.
type Response struct {
	Status    int
	Header    http.Header
	RequestID string
	Body      []byte
}

type captureKey struct{}

// Capture makes the methods of a client store the API's last answer in `into`, for what their results leave out.
func Capture(ctx context.Context, into *Response) context.Context {
	return context.WithValue(ctx, captureKey{}, into)
}

// call is a request to the API.
type call struct {
	method string
	// path has {id} where id goes.
	path, id string
	query    url.Values
	header   http.Header
	// body becomes JSON.
	body any
	// wait is how long the API may hold the request.
	wait time.Duration
	// once: if an answer is lost, repeating the request would do something a second time.
	once bool
}

// do sends a request until it succeeds or can't, and decodes the answer into `into`, unless that is nil.
func (c *Client) do(ctx context.Context, request call, into any) (*Response, error) {
	if strings.Contains(request.path, "{id}") {
		if request.id == "" || request.id == "." || request.id == ".." {
			return nil, usageError("the id %q is not valid", request.id)
		}
		request.path = strings.Replace(request.path, "{id}", url.PathEscape(request.id), 1)
	}
	var body []byte
	if request.body != nil {
		var err error
		if body, err = json.Marshal(request.body); err != nil {
			return nil, usageError("the request is not JSON: %v", err)
		}
	}
	var response *Response
	err := c.tries(ctx, func() (again bool, err error) {
		response, err = c.attempt(ctx, request, body)
		return mayRepeat(err, request.once), err
	})
	if err != nil {
		return nil, err
	}
	if captured, ok := ctx.Value(captureKey{}).(*Response); ok {
		*captured = *response
	}
	if into == nil {
		return response, nil
	}
	if err := json.Unmarshal(response.Body, into); err != nil {
		return nil, &problem{what: ErrServer, text: "the answer is not what was expected" + ofRequest(response.RequestID), cause: err}
	}
	return response, nil
}

// attempt sends a request once.
func (c *Client) attempt(ctx context.Context, call call, body []byte) (*Response, error) {
	bounded, cancel := context.WithTimeout(ctx, c.timeout+call.wait)
	defer cancel()
	address := c.base.JoinPath(call.path)
	address.RawQuery = call.query.Encode()
	request, err := http.NewRequestWithContext(bounded, call.method, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, usageError("the request is invalid: %v", err)
	}
	if !call.once {
		// The transport must not repeat it unseen. It repeats others only if nothing of them was sent.
		request.GetBody = nil
	}
	if call.body == nil {
		request.Body, request.ContentLength = nil, 0
	} else {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("User-Agent", "docmill-go/"+version)
	request.Header.Set("Accept", "application/json")
	for name, values := range call.header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	if call.wait > 0 {
		request.Header.Set("Prefer", "wait="+strconv.Itoa(int(call.wait/time.Second)))
	}
	c.authorize(request.Header)
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, c.failure(ctx, c.base.String(), err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostBody))
	if err != nil {
		return nil, c.failure(ctx, c.base.String(), err)
	}
	response := &Response{Status: answer.StatusCode, Header: answer.Header, RequestID: answer.Header.Get("x-request-id"), Body: text}
	if response.Status >= 400 {
		return nil, errorOf(response)
	}
	return response, nil
}

// failure is the caller's own cancellation, or an error of the network.
func (c *Client) failure(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return networkError(address, err)
}

// tries repeats until there is no error, or one that stays.
func (c *Client) tries(ctx context.Context, try func() (again bool, err error)) error {
	for failures := 0; ; failures++ {
		again, err := try()
		if err == nil || !again || failures >= c.maxRetries {
			return afterTries(err, failures+1)
		}
		pause, bearable := pauseAfter(err, failures)
		if !bearable {
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

func mayRepeat(err error, once bool) bool {
	var answer *Error
	if !errors.As(err, &answer) {
		return errors.Is(err, ErrNetwork) && !once
	}
	switch answer.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		return !once
	}
	return false
}

// pauseAfter is what the API asks for, or a pause that doubles each time. Clients that fail together don't come back together.
func pauseAfter(err error, failures int) (pause time.Duration, bearable bool) {
	var answer *Error
	if errors.As(err, &answer) && answer.RetryAfter != nil {
		return *answer.RetryAfter + time.Duration(mathrand.Int64N(int64(firstPause/5))), *answer.RetryAfter <= mostPatience
	}
	pause = min(firstPause<<min(failures, 10), longestPause)
	return pause*3/4 + time.Duration(mathrand.Int64N(int64(pause/2))), true
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// Do sends any request to the API and returns its answer. `body` becomes JSON, unless it is nil. A POST or PATCH without an
// Idempotency-Key header is not repeated if its answer is lost.
func (c *Client) Do(ctx context.Context, method, path string, body any, header http.Header) (*Response, error) {
	target, err := url.Parse(path)
	if err != nil || target.Host != "" {
		return nil, usageError("the path is invalid")
	}
	once := (method == http.MethodPost || method == http.MethodPatch) && header.Get("Idempotency-Key") == ""
	return c.do(ctx, call{method: method, path: target.EscapedPath(), query: target.Query(), header: header, body: body, once: once}, nil)
}

// newKey is a random UUID.
func newKey() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // It never fails.
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

var errStalled = errors.New("nothing was transferred for too long")

// watch cancels a transfer in which nothing moves for `limit`. Each call of `moved` starts the time anew.
func watch(ctx context.Context, limit time.Duration) (watched context.Context, moved func(), stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { cancel(errStalled) })
	return watched, func() { timer.Reset(limit) }, func() { timer.Stop(); cancel(nil) }
}
