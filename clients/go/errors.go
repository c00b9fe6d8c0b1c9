package docmill

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Kind is what an error is about. Test for it with [errors.Is]; read more with [errors.As] and [Error], [JobFailedError] and others.
type Kind string

// The kinds of errors.
const (
	ErrInvalidRequest Kind = "invalid_request" // HTTP status 400, 405, 413 or 415.
	ErrAuthentication Kind = "authentication"  // 401: the key is missing, unknown or revoked.
	ErrCredits        Kind = "credits"         // 402: the tool costs more credits than are left.
	ErrPermission     Kind = "permission"      // 403.
	ErrNotFound       Kind = "not_found"       // 404.
	ErrConflict       Kind = "conflict"        // 409.
	ErrGone           Kind = "gone"            // 410: the result has expired or was deleted.
	ErrValidation     Kind = "validation"      // 422: see Error.Details.
	ErrRateLimit      Kind = "rate_limit"      // 429.
	ErrServer         Kind = "server"          // 500 and above.
	ErrAPI            Kind = "api"             // Any other status of 400 and above.
	ErrJobFailed      Kind = "job_failed"      // A JobFailedError.
	ErrJobCanceled    Kind = "job_canceled"    // A JobCanceledError.
	ErrWaitTimeout    Kind = "wait_timeout"    // A WaitTimeoutError.
	ErrNetwork        Kind = "network"         // No answer.
	ErrIntegrity      Kind = "integrity"       // The download is not what the job says.
	ErrWebhook        Kind = "webhook"         // The signature or the timestamp of a webhook is wrong.
	ErrUsage          Kind = "usage"           // The call makes no sense.
)

func (kind Kind) Error() string { return string(kind) }

// KindOf tells the kind of an error, or "" if it is not of this package.
func KindOf(err error) Kind {
	var kind interface{ kind() Kind }
	if errors.As(err, &kind) {
		return kind.kind()
	}
	return ""
}

// Error is an answer of the API or of a link with a status of 400 or above.
type Error struct {
	// Status is the HTTP status. Decide by it if you don't know the code.
	Status int
	// Code is empty if the gateway or the storage answered, not the API.
	Code ErrorCode
	// Message tells a developer what to do.
	Message string
	// RequestID identifies the request for support.
	RequestID string
	// Details lists every invalid value. Only of ErrValidation.
	Details []ErrorDetail
	// Required and Available are credits. Only of ErrCredits.
	Required, Available int64
	// RetryAfter is how long the API asks to wait, if it does.
	RetryAfter *time.Duration
	// Job is the job that the error is about, if the answer contains it.
	Job *Job
}

func (e *Error) kind() Kind {
	switch e.Status {
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return ErrInvalidRequest
	case http.StatusUnauthorized:
		return ErrAuthentication
	case http.StatusPaymentRequired:
		return ErrCredits
	case http.StatusForbidden:
		return ErrPermission
	case http.StatusNotFound:
		return ErrNotFound
	case http.StatusConflict:
		return ErrConflict
	case http.StatusGone:
		return ErrGone
	case http.StatusUnprocessableEntity:
		return ErrValidation
	case http.StatusTooManyRequests:
		return ErrRateLimit
	}
	if e.Status >= 500 {
		return ErrServer
	}
	return ErrAPI
}

// Is makes errors.Is(err, ErrNotFound) work.
func (e *Error) Is(target error) bool { return target == e.kind() }

func (e *Error) Error() string {
	text := fmt.Sprintf("docmill: HTTP status %d", e.Status)
	if e.Code != "" {
		text = "docmill: " + string(e.Code)
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	for _, detail := range e.Details {
		text += fmt.Sprintf(" %s %s;", detail.Path, detail.Message)
	}
	return text + ofRequest(e.RequestID)
}

// JobFailedError says why a job failed.
type JobFailedError struct {
	// Job has the reason in its Error.
	Job *Job
	// RequestID is that of the answer which said so.
	RequestID string
}

// Code is a stable code, or one that was added later.
func (e *JobFailedError) Code() JobErrorCode {
	if e.Job.Error == nil {
		return ""
	}
	return e.Job.Error.Code
}

// Message tells what to do.
func (e *JobFailedError) Message() string {
	if e.Job.Error == nil {
		return "the job failed"
	}
	return e.Job.Error.Message
}

// Retryable tells whether the same request may succeed later.
func (e *JobFailedError) Retryable() bool { return e.Job.Error != nil && e.Job.Error.Retryable }

func (e *JobFailedError) kind() Kind { return ErrJobFailed }

// Is makes errors.Is(err, ErrJobFailed) work.
func (e *JobFailedError) Is(target error) bool { return target == ErrJobFailed }

func (e *JobFailedError) Error() string {
	return fmt.Sprintf("docmill: job %s failed: %s: %s%s", e.Job.ID, e.Code(), e.Message(), ofRequest(e.RequestID))
}

// JobCanceledError says that a job was canceled, so that it has no result.
type JobCanceledError struct {
	Job       *Job
	RequestID string
}

func (e *JobCanceledError) kind() Kind { return ErrJobCanceled }

// Is makes errors.Is(err, ErrJobCanceled) work.
func (e *JobCanceledError) Is(target error) bool { return target == ErrJobCanceled }

func (e *JobCanceledError) Error() string {
	return fmt.Sprintf("docmill: job %s was canceled%s", e.Job.ID, ofRequest(e.RequestID))
}

// WaitTimeoutError says that a job or a batch has not ended in time. It goes on: wait again with JobID.
type WaitTimeoutError struct {
	JobID string
	Bound time.Duration
	what  string
}

func (e *WaitTimeoutError) kind() Kind { return ErrWaitTimeout }

// Is makes errors.Is(err, ErrWaitTimeout) work.
func (e *WaitTimeoutError) Is(target error) bool { return target == ErrWaitTimeout }

func (e *WaitTimeoutError) Error() string {
	what := e.what
	if what == "" {
		what = "job"
	}
	return fmt.Sprintf("docmill: %s %s has not ended within %s", what, e.JobID, e.Bound)
}

// problem is an error with a text and a cause.
type problem struct {
	what  Kind
	text  string
	cause error
}

func (e *problem) kind() Kind           { return e.what }
func (e *problem) Is(target error) bool { return target == e.what }
func (e *problem) Unwrap() error        { return e.cause }

func (e *problem) Error() string {
	if e.cause == nil {
		return "docmill: " + e.text
	}
	return "docmill: " + e.text + ": " + e.cause.Error()
}

func usageError(format string, arguments ...any) error {
	return &problem{what: ErrUsage, text: fmt.Sprintf(format, arguments...)}
}

// networkError names only the host: the path and the query of a link are secret.
func networkError(address string, err error) error {
	var located *url.Error
	if errors.As(err, &located) {
		err = located.Err
	}
	text := "no answer"
	if parsed, invalid := url.Parse(address); invalid == nil {
		text += " from " + parsed.Scheme + "://" + parsed.Host
	}
	return &problem{what: ErrNetwork, text: text, cause: err}
}

// afterTries adds to an error of the network how often there was none.
func afterTries(err error, tries int) error {
	failed, ok := err.(*problem)
	if !ok || failed.what != ErrNetwork {
		return err
	}
	text := fmt.Sprintf("%s after %d tries", failed.text, tries)
	if tries == 1 {
		text = failed.text + " after 1 try"
	}
	return &problem{what: failed.what, text: text, cause: failed.cause}
}

// reason leaves out the path of an error of the file system, which is named before.
func reason(err error) error {
	var located *fs.PathError
	if errors.As(err, &located) {
		return located.Err
	}
	return err
}

func ofRequest(id string) string {
	if id == "" {
		return ""
	}
	return " (request " + id + ")"
}

// errorOf reads an answer with a status of 400 or above, in the form of the API or of the gateway, or in none.
func errorOf(response *Response) *Error {
	found := &Error{Status: response.Status, RequestID: response.RequestID, RetryAfter: retryAfter(response.Header)}
	var body struct {
		Error   *ErrorBody `json:"error"`
		Message string     `json:"message"`
		Job     *Job       `json:"job"`
	}
	if json.Unmarshal(response.Body, &body) != nil {
		return found
	}
	found.Message, found.Job = body.Message, body.Job
	if body.Error != nil {
		found.Code, found.Message, found.Details = body.Error.Code, body.Error.Message, body.Error.Details
		found.Required, found.Available = value(body.Error.Required), value(body.Error.Available)
	}
	return found
}

func value(number *int64) int64 {
	if number == nil {
		return 0
	}
	return *number
}

// retryAfter reads seconds or a date.
func retryAfter(header http.Header) *time.Duration {
	text := header.Get("Retry-After")
	var pause time.Duration
	if seconds, err := strconv.Atoi(text); err == nil {
		pause = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(text); err == nil {
		pause = time.Until(date)
	} else {
		return nil
	}
	pause = max(pause, 0)
	return &pause
}
