// A runner of clients/conformance: it translates steps into calls of the client.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	docmill "github.com/docmill/docmill/clients/go"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	for lines.Scan() {
		if err := answers.Encode(answer(lines.Bytes())); err != nil {
			log.Fatal(err)
		}
	}
}

func answer(line []byte) any {
	var step step
	if err := json.Unmarshal(line, &step); err != nil {
		log.Fatal(err)
	}
	client, err := step.client()
	if err != nil {
		return map[string]any{"error": describe(err)}
	}
	result, err := steps[step.Do](context.Background(), client, step)
	if err != nil {
		return map[string]any{"error": describe(err)}
	}
	return map[string]any{"result": result}
}

func (s step) client() (*docmill.Client, error) {
	options := []docmill.Option{docmill.WithURL(s.Client.URL), docmill.WithKey(s.Client.Key)}
	if s.Client.TimeoutSeconds != 0 {
		options = append(options, docmill.WithTimeout(seconds(s.Client.TimeoutSeconds)))
	}
	if s.Client.MaxRetries != nil {
		options = append(options, docmill.WithMaxRetries(*s.Client.MaxRetries))
	}
	return docmill.New(options...)
}

func seconds(number float64) time.Duration { return time.Duration(number * float64(time.Second)) }

// describe is an error as the suite wants to see it.
func describe(err error) map[string]any {
	text := map[string]any{"family": docmill.KindOf(err), "text": fmt.Sprintf("%v %+v %#v", err, err, err)}
	var (
		answer   *docmill.Error
		failed   *docmill.JobFailedError
		canceled *docmill.JobCanceledError
		timeout  *docmill.WaitTimeoutError
	)
	switch {
	case errors.As(err, &answer):
		text["status"], text["code"], text["message"], text["requestId"] = answer.Status, answer.Code, answer.Message, answer.RequestID
		text["details"], text["required"], text["available"] = answer.Details, answer.Required, answer.Available
		if answer.RetryAfter != nil {
			text["retryAfter"] = answer.RetryAfter.Seconds()
		}
	case errors.As(err, &failed):
		text["code"], text["message"], text["retryable"] = failed.Code(), failed.Message(), failed.Retryable()
		text["requestId"], text["jobId"] = failed.RequestID, failed.Job.ID
	case errors.As(err, &canceled):
		text["requestId"], text["jobId"] = canceled.RequestID, canceled.Job.ID
	case errors.As(err, &timeout):
		text["jobId"] = timeout.JobID
	}
	return text
}
