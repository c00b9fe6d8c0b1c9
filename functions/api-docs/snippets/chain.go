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

	// The next job may name this one at once: it waits for the result.
	report, err := client.Start(ctx, docmill.Request{Source: docmill.HTML("<h1>Report</h1>")})
	if err != nil {
		log.Fatal(err)
	}

	handout := docmill.Request{
		Tool: "merge-pdf",
		Sources: []docmill.Source{
			docmill.Markdown("# Cover"),
			docmill.ResultOf(report.ID),
			docmill.HTML("<h1>Terms</h1>"),
		},
		Then: []docmill.Step{
			{ToolSlug: "watermark-pdf", Options: map[string]any{"text": "Draft"}},
			{ToolSlug: "compress-pdf"},
		},
	}
	if _, err := client.Convert(ctx, handout, "handout.pdf"); err != nil {
		log.Fatal(err)
	}
}
