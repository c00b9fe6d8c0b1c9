package main

import (
	"context"
	"log"

	docmill "github.com/docmill/docmill/clients/go"
)

func main() {
	ctx := context.Background()
	client, err := docmill.New()
	if err != nil {
		log.Fatal(err)
	}

	// A job that has not ended is canceled first.
	for job, err := range client.Jobs(ctx, docmill.JobFilter{Metadata: map[string]string{"order": "2026-118"}}) {
		if err == nil {
			err = client.Delete(ctx, job.ID)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}
