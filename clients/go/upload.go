package docmill

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// contentTypes tell text from binary files. The content itself decides how a file is converted.
var contentTypes = map[string]string{
	"csv": "text/csv", "htm": "text/html", "html": "text/html", "md": "text/markdown", "markdown": "text/markdown",
	"pdf": "application/pdf", "svg": "image/svg+xml", "tsv": "text/tab-separated-values", "txt": "text/plain",
}

// Upload sends a file in parts, without reading all of it into memory.
func (c *Client) Upload(ctx context.Context, path string) (*Upload, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &problem{what: ErrUsage, text: path + " can't be read", cause: reason(err)}
	}
	defer file.Close()
	return c.UploadContent(ctx, file, filepath.Base(path))
}

// UploadContent sends what a reader returns, from its beginning. It reads it at least twice: its digest is announced.
func (c *Client) UploadContent(ctx context.Context, content io.ReadSeeker, filename string) (*Upload, error) {
	digest := sha256.New()
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return nil, unreadable(err)
	}
	size, err := io.Copy(digest, content)
	if err != nil {
		return nil, unreadable(err)
	}
	kind, known := contentTypes[extension(filename)]
	if !known {
		kind = "application/octet-stream"
	}
	announced := UploadRequest{Bytes: size, ContentType: kind, Filename: filename, Sha256: hex.EncodeToString(digest.Sum(nil))}
	var answer UploadResponse
	if _, err := c.do(ctx, call{method: http.MethodPost, path: "/v1/uploads", body: announced}, &answer); err != nil {
		return nil, err
	}
	repeated := false
	err = c.tries(ctx, func() (again bool, err error) {
		err = c.put(ctx, &answer.Upload, content, size)
		var refused *Error
		if repeated && errors.As(err, &refused) && refused.Status == http.StatusPreconditionFailed {
			return false, nil // The first one has arrived.
		}
		repeated = true
		return mayRepeat(err, false), err
	})
	if err != nil {
		return nil, err
	}
	return &answer.Upload, nil
}

func unreadable(err error) error {
	return &problem{what: ErrUsage, text: "the content can't be read", cause: err}
}

// put sends the content to the upload's link, without the key.
func (c *Client) put(ctx context.Context, upload *Upload, content io.ReadSeeker, size int64) error {
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return unreadable(err)
	}
	watched, moved, stop := watch(ctx, c.timeout)
	defer stop()
	// A reader of its own, which the transport can't close.
	body := io.Reader(&monitored{reader: io.LimitReader(content, size), moved: moved})
	request, err := http.NewRequestWithContext(watched, upload.Method, string(upload.URL), body)
	if err != nil {
		return &problem{what: ErrServer, text: "the upload's link is not valid"}
	}
	for name, value := range upload.Headers {
		request.Header.Set(name, value)
	}
	request.ContentLength = size
	answer, err := c.http.Do(request)
	if err != nil {
		return c.failure(ctx, string(upload.URL), err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return c.failure(ctx, string(upload.URL), err)
	}
	if answer.StatusCode >= 300 {
		return errorOf(&Response{Status: answer.StatusCode, Header: answer.Header, Body: bytes.TrimSpace(text)})
	}
	return nil
}

// monitored calls `moved` after each read.
type monitored struct {
	reader io.Reader
	moved  func()
}

func (m *monitored) Read(buffer []byte) (int, error) {
	count, err := m.reader.Read(buffer)
	m.moved()
	return count, err
}
