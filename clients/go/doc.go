// Package docmill converts documents with Docmill.
//
// A client reads the address of the API and the key from DOCMILL_URL and DOCMILL_KEY:
//
//	client, err := docmill.New()
//	…
//	result, err := client.Convert(ctx, docmill.Request{Source: docmill.File("report.docx")}, "report.pdf")
//
// Requests that may succeed later are repeated, and a conversion is never charged twice. Every error of this package is of a [Kind]:
//
//	if errors.Is(err, docmill.ErrCredits) { … }
package docmill
