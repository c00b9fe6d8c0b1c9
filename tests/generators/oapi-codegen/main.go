// Converts a document with the client that oapi-codegen makes: `main SOURCE_URL TARGET`. Prints the job's id.
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

func main() {
	if err := convert(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func convert(ctx context.Context, source, target string) error {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("DOCMILL_LIVE_KEY"))
		return nil
	}
	client, err := docmill.NewClientWithResponses(os.Getenv("DOCMILL_URL"), docmill.WithRequestEditorFn(authorize))
	if err != nil {
		return err
	}
	pages := "1"
	var request docmill.JobRequest
	err = request.FromOfficeToPdfJob(docmill.OfficeToPdfJob{
		SourceUrl: &source,
		Options:   &docmill.OfficeToPdfOptions{PageRange: &pages},
		Metadata:  &docmill.Labels{"client": "oapi-codegen"},
	})
	if err != nil {
		return err
	}
	created, err := client.CreateJobWithResponse(ctx, nil, request)
	if err != nil {
		return err
	}
	if created.JSON202 == nil {
		return fmt.Errorf("%s %s", created.Status(), created.Body)
	}
	job, seconds := created.JSON202.Job, 25
	for job.FinishedAt == nil {
		answer, err := client.GetJobWithResponse(ctx, job.Id, &docmill.GetJobParams{Wait: &seconds})
		if err != nil {
			return err
		}
		if answer.JSON200 == nil {
			return fmt.Errorf("%s %s", answer.Status(), answer.Body)
		}
		job = answer.JSON200.Job
	}
	answer, err := client.GetJobDownloadWithResponse(ctx, job.Id, nil)
	if err != nil {
		return err
	}
	if answer.JSON200 == nil {
		return fmt.Errorf("%s %s", answer.Status(), answer.Body)
	}
	fmt.Println(job.Id)
	return save(answer.JSON200.Download.Url, target)
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
