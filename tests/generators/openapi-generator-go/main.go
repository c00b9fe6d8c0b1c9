// Converts a document with the client that openapi-generator makes: `main SOURCE_URL TARGET`. Prints the job's id.
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
	configuration := docmill.NewConfiguration()
	configuration.Servers = docmill.ServerConfigurations{{URL: os.Getenv("DOCMILL_URL")}}
	jobs := docmill.NewAPIClient(configuration).JobsAPI
	ctx = context.WithValue(ctx, docmill.ContextAccessToken, os.Getenv("DOCMILL_LIVE_KEY"))

	request := docmill.NewOfficeToPdfJob("office-to-pdf")
	request.SourceUrl = &source
	request.Options = &docmill.OfficeToPdfOptions{PageRange: docmill.PtrString("1")}
	request.Metadata = &map[string]string{"client": "openapi-generator-go"}
	answer, _, err := jobs.CreateJob(ctx).JobRequest(docmill.OfficeToPdfJobAsJobRequest(request)).Execute()
	if err != nil {
		return err
	}
	for answer.Job.FinishedAt == nil {
		if answer, _, err = jobs.GetJob(ctx, answer.Job.Id).Wait(25).Execute(); err != nil {
			return err
		}
	}
	if answer.Job.Status != docmill.JOBSTATUS_COMPLETED {
		return fmt.Errorf("the job is %s", answer.Job.Status)
	}
	answer, _, err = jobs.GetJobDownload(ctx, answer.Job.Id).Execute()
	if err != nil {
		return err
	}
	fmt.Println(answer.Job.Id)
	return save(answer.Download.Url, target)
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
