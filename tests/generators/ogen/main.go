// Converts a document with the client that ogen makes: `main SOURCE_URL TARGET`. Prints the job's id.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"docmill/generators/client"
)

// key authorizes requests.
type key string

func (key key) ApiKey(context.Context, docmill.OperationName) (docmill.ApiKey, error) {
	return docmill.ApiKey{Token: string(key)}, nil
}

func main() {
	if err := convert(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func convert(ctx context.Context, source, target string) error {
	client, err := docmill.NewClient(os.Getenv("DOCMILL_URL"), key(os.Getenv("DOCMILL_LIVE_KEY")))
	if err != nil {
		return err
	}
	request := docmill.NewOfficeToPdfJobJobRequest(docmill.OfficeToPdfJob{
		ToolSlug:  docmill.OfficeToPdfJobToolSlugOfficeToPdf,
		SourceUrl: docmill.NewOptSourceUrl(docmill.SourceUrl(source)),
		Options:   docmill.NewOptOfficeToPdfOptions(docmill.OfficeToPdfOptions{PageRange: docmill.NewOptString("1")}),
		Metadata:  docmill.NewOptLabels(docmill.Labels{"client": "ogen"}),
	})
	created, err := client.CreateJob(ctx, request, docmill.CreateJobParams{})
	if err != nil {
		return err
	}
	accepted, ok := created.(*docmill.JobAcceptedHeaders)
	if !ok {
		return fmt.Errorf("%+v", created)
	}
	job := accepted.Response.Job
	for !job.FinishedAt.Set {
		answer, err := client.GetJob(ctx, docmill.GetJobParams{JobID: job.ID, Wait: docmill.NewOptInt(25)})
		if err != nil {
			return err
		}
		found, ok := answer.(*docmill.WaitResponseHeaders)
		if !ok {
			return fmt.Errorf("%+v", answer)
		}
		job = found.Response.Job
	}
	answer, err := client.GetJobDownload(ctx, docmill.GetJobDownloadParams{JobID: job.ID})
	if err != nil {
		return err
	}
	ready, ok := answer.(*docmill.GetJobDownloadOKHeaders)
	if !ok {
		return fmt.Errorf("%+v", answer)
	}
	fmt.Println(job.ID)
	return save(ready.Response.Download.Value.URL.String(), target)
}

func save(url, target string) error {
	response, err := http.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	file, err := os.Create(target)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, response.Body)
	return errors.Join(err, file.Close())
}
