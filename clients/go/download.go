package docmill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// Result is a saved file.
type Result struct {
	Job    *Job
	Path   string
	Bytes  int64
	SHA256 string
}

// saveResult saves what an answer about a completed job links to.
func (c *Client) saveResult(ctx context.Context, answer *WaitResponse, path string, output *int) (*Result, error) {
	download := answer.Download
	if download == nil || output != nil {
		fresh, err := c.link(ctx, answer.Job.ID, output)
		if err != nil {
			return nil, err
		}
		download = fresh
	}
	for failures := 0; ; failures++ {
		err := c.save(ctx, answer.Job.ID, output, download, path)
		if errors.Is(err, ErrIntegrity) && failures < c.maxRetries {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &Result{Job: &answer.Job, Path: path, Bytes: download.Bytes, SHA256: download.Sha256}, nil
	}
}

func (c *Client) link(ctx context.Context, id string, output *int) (*Download, error) {
	answer, err := c.Download(ctx, id, func(s *waitSettings) { s.output = output })
	if err != nil {
		return nil, err
	}
	return &answer.Download, nil
}

// save writes to a temporary file in the same folder, which gets its name when it is complete.
func (c *Client) save(ctx context.Context, id string, output *int, download *Download, path string) (err error) {
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+newKey()[:8]+".part")
	file, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return &problem{what: ErrUsage, text: "the result can't be saved", cause: err}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary))
		}
	}()
	reader := c.reader(ctx, id, output, download)
	_, err = io.Copy(file, reader)
	reader.Close()
	if closed := file.Close(); err == nil && closed != nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// Open streams the result of a completed job. Reading goes on where a broken connection stopped, and ends with an error instead of
// io.EOF if the bytes are not those of the result. Close it.
func (c *Client) Open(ctx context.Context, id string, options ...WaitOption) (io.ReadCloser, error) {
	output := waiting(options).output
	download, err := c.link(ctx, id, output)
	if err != nil {
		return nil, err
	}
	return c.reader(ctx, id, output, download), nil
}

func (c *Client) reader(ctx context.Context, id string, output *int, download *Download) *resultReader {
	return &resultReader{client: c, ctx: ctx, job: id, output: output, download: *download, digest: sha256.New()}
}

// resultReader reads a result with as many connections as it takes.
type resultReader struct {
	client   *Client
	ctx      context.Context
	job      string
	output   *int
	download Download
	digest   hash.Hash
	offset   int64
	failures int
	body     io.ReadCloser
	moved    func()
	stop     func()
}

func (r *resultReader) Read(buffer []byte) (int, error) {
	for {
		if r.body == nil {
			if r.offset == r.download.Bytes {
				return 0, r.verdict()
			}
			if err := r.connect(); err != nil {
				return 0, err
			}
		}
		count, err := r.body.Read(buffer)
		r.moved()
		r.digest.Write(buffer[:count])
		r.offset += int64(count)
		if r.offset > r.download.Bytes {
			r.Close()
			return count, r.damaged("it is longer than announced")
		}
		if err != nil {
			if failed := r.broken(err); failed != nil {
				return count, failed
			}
		}
		if count > 0 {
			return count, nil
		}
	}
}

// broken closes a connection that ended, and counts it unless it brought all there is.
func (r *resultReader) broken(err error) error {
	r.Close()
	if r.offset == r.download.Bytes {
		return nil
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if r.failures++; r.failures > r.client.maxRetries {
		return r.client.failure(r.ctx, err)
	}
	return nil
}

// connect asks for what is missing, with a new link if the old one is refused.
func (r *resultReader) connect() error {
	return r.client.tries(r.ctx, func() (again bool, err error) {
		err = r.request()
		var refused *Error
		if errors.As(err, &refused) && refused.Status == http.StatusForbidden {
			if r.failures++; r.failures > r.client.maxRetries {
				return false, err
			}
			fresh, failed := r.client.link(r.ctx, r.job, r.output)
			if failed != nil {
				return false, failed
			}
			r.download.URL = fresh.URL
			err = r.request()
		}
		return mayRepeat(err, false), err
	})
}

// request does not send the key: links are signed.
func (r *resultReader) request() error {
	watched, moved, stop := watch(r.ctx, r.client.timeout)
	request, err := http.NewRequestWithContext(watched, http.MethodGet, string(r.download.URL), nil)
	if err != nil {
		stop()
		return &problem{what: ErrServer, text: "the link is not valid"}
	}
	// Compressed, it would not have the announced size.
	request.Header.Set("Accept-Encoding", "identity")
	if r.offset > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", r.offset))
	}
	answer, err := r.client.http.Do(request)
	if err != nil {
		stop()
		return r.client.failure(r.ctx, err)
	}
	r.body, r.moved, r.stop = answer.Body, moved, stop
	if answer.StatusCode >= 300 {
		r.Close()
		return errorOf(&Response{Status: answer.StatusCode, Header: answer.Header})
	}
	if r.offset > 0 && answer.StatusCode != http.StatusPartialContent {
		return r.skip()
	}
	return nil
}

// skip reads again what was read before, from a server that does not send parts.
func (r *resultReader) skip() error {
	if _, err := io.CopyN(io.Discard, &monitored{reader: r.body, moved: r.moved}, r.offset); err != nil {
		r.Close()
		return r.client.failure(r.ctx, err)
	}
	return nil
}

func (r *resultReader) verdict() error {
	if hex.EncodeToString(r.digest.Sum(nil)) != r.download.Sha256 {
		return r.damaged("its digest is another one")
	}
	return io.EOF
}

func (r *resultReader) damaged(why string) error {
	return &problem{what: ErrIntegrity, text: fmt.Sprintf("the result of job %s is damaged: %s", r.job, why)}
}

// Close ends the connection.
func (r *resultReader) Close() error {
	if r.body == nil {
		return nil
	}
	err := r.body.Close()
	r.stop()
	r.body = nil
	return err
}
