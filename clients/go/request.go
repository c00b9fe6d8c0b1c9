package docmill

import (
	"io"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// Request describes a job.
type Request struct {
	// Tool is a tool's slug, such as "office-to-pdf". If empty, the source's name decides, as [ToolFor] says.
	Tool string
	// Source is what to convert. A tool such as merge-pdf takes Sources instead, in their order.
	Source  Source
	Sources []Source
	// Options are the tool's: for html-to-pdf an [HTMLToPDFOptions], or a map.
	Options any
	// Then are further steps: each gets the whole result of the one before.
	Then []Step
	// Output says how the result is named, kept and delivered.
	Output *JobOutput
	// Webhook gets this job's events.
	Webhook *JobWebhookRequest
	// Metadata are your own labels.
	Metadata map[string]string
	// IdempotencyKey makes a repeated request the same job: your order number, for example. By default a new UUID, so that what
	// this client repeats by itself is one job.
	IdempotencyKey string
}

// Step is a further tool of a job.
type Step struct {
	ToolSlug string `json:"toolSlug"`
	Options  any    `json:"options,omitempty"`
}

// Source is a document. Make one with [File], [URL], [HTML] or another function, and add to it what it needs, such as a password.
type Source struct {
	SourceURL string            `json:"sourceUrl,omitempty"`
	URL       string            `json:"url,omitempty"`
	UploadID  string            `json:"uploadId,omitempty"`
	JobID     string            `json:"jobId,omitempty"`
	Template  *StoredTemplate   `json:"template,omitempty"`
	HTML      string            `json:"html,omitempty"`
	Markdown  string            `json:"markdown,omitempty"`
	Output    int               `json:"output,omitempty"`
	Filename  string            `json:"filename,omitempty"`
	Password  Secret            `json:"password,omitempty"`
	PageRange string            `json:"pageRange,omitempty"`
	Title     string            `json:"title,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`

	file, address string
	content       io.ReadSeeker
}

// StoredTemplate names a template of the account: without a version, the newest one.
type StoredTemplate struct {
	Name    string `json:"name"`
	Version int    `json:"version,omitempty"`
}

// File is a file of this machine. It is uploaded, in parts, when the job is created.
func File(path string) Source { return Source{file: path} }

// Content is what a reader returns, from its beginning. The filename's extension tells what it is.
func Content(content io.ReadSeeker, filename string) Source {
	return Source{content: content, file: filename}
}

// URL is the address of a file or of a page, which the service fetches.
func URL(address string) Source { return Source{address: address} }

// HTML is a page.
func HTML(text string) Source { return Source{HTML: text} }

// Markdown is a text in Markdown.
func Markdown(text string) Source { return Source{Markdown: text} }

// Uploaded is a file that was uploaded before.
func Uploaded(id string) Source { return Source{UploadID: id} }

// ResultOf is the result of another job, which need not have ended. Output names one of several files.
func ResultOf(jobID string) Source { return Source{JobID: jobID} }

// Stored is the newest version of a stored template.
func Stored(name string) Source { return Source{Template: &StoredTemplate{Name: name}} }

// String tells the kind of source, without secrets.
func (s Source) String() string {
	switch {
	case s.content != nil:
		return "content " + s.file
	case s.file != "":
		return "file " + s.file
	case s.HTML != "":
		return "inline HTML"
	case s.Markdown != "":
		return "inline Markdown"
	case s.UploadID != "":
		return "upload " + s.UploadID
	case s.JobID != "":
		return "result of job " + s.JobID
	case s.Template != nil:
		return "template " + s.Template.Name
	}
	return "URL"
}

// GoString is the same as String.
func (s Source) GoString() string { return s.String() }

// tools are chosen by the extension of the source's name.
var tools = map[string]string{}

// makesPDF has the same tools.
var makesPDF = map[string]bool{}

func init() {
	for tool, extensions := range map[string]string{
		"office-to-pdf":   "docx doc dotx odt rtf txt xlsx xls xlsm ods csv tsv pptx ppt odp odg fodt fods fodp",
		"html-to-pdf":     "html htm",
		"markdown-to-pdf": "md markdown",
		"email-to-pdf":    "eml msg",
		"images-to-pdf":   "jpg jpeg png webp tiff tif gif bmp svg",
	} {
		makesPDF[tool] = true
		for _, extension := range strings.Fields(extensions) {
			tools[extension] = tool
		}
	}
}

// ToolFor is the tool that makes a PDF of a source: by the extension of a file's name or of a URL's path. Other URLs are pages.
func ToolFor(source Source) (string, error) {
	switch {
	case source.HTML != "":
		return "html-to-pdf", nil
	case source.Markdown != "":
		return "markdown-to-pdf", nil
	case source.file != "":
		if tool, ok := tools[extension(source.file)]; ok {
			return tool, nil
		}
		return "", usageError("no tool makes a PDF of %s: name one in Request.Tool", source.file)
	case source.address != "":
		if address, err := url.Parse(source.address); err == nil {
			if tool, ok := tools[extension(address.Path)]; ok {
				return tool, nil
			}
		}
		return "html-to-pdf", nil
	}
	return "", usageError("this kind of source does not tell the tool: name one in Request.Tool")
}

func extension(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(filepath.ToSlash(name)), "."))
}

// jobBody is the body of POST /v1/jobs.
type jobBody struct {
	ToolSlug string             `json:"toolSlug"`
	Input    any                `json:"input"`
	Options  any                `json:"options,omitempty"`
	Then     []Step             `json:"then,omitempty"`
	Output   *JobOutput         `json:"output,omitempty"`
	Webhook  *JobWebhookRequest `json:"webhook,omitempty"`
	Metadata map[string]string  `json:"metadata,omitempty"`
}
