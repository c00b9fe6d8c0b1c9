package docmill

import (
	"bytes"
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
	"time"
)

// Result is a saved file, or several in a folder.
type Result struct {
	Job *Job
	// Path is that of the file, or of the folder.
	Path   string
	Bytes  int64
	SHA256 string
	// Files are all files of a folder. There is no SHA256 then.
	Files []string
}

// saveResult saves what an answer about a completed job links to.
func (c *Client) saveResult(ctx context.Context, answer *WaitResponse, path string, s waitSettings) (*Result, error) {
	if s.output == nil && isFolder(path) {
		return c.saveAll(ctx, &answer.Job, path, s.overwrite)
	}
	download, err := c.primary(ctx, answer, s.output)
	if err != nil {
		return nil, err
	}
	if isFolder(path) {
		path = pathsIn(path, []string{download.Filename})[0]
		if err := checkTarget(path, s.overwrite); err != nil {
			return nil, err
		}
	}
	if err := checkName(path, download.Filename); err != nil {
		return nil, err
	}
	if err := c.saveFile(ctx, c.reader(ctx, answer.Job.ID, s.output, download), path, s.overwrite); err != nil {
		return nil, err
	}
	return &Result{Job: &answer.Job, Path: path, Bytes: download.Bytes, SHA256: download.Sha256}, nil
}

// saveAll saves each file of a result in a folder, by its own name.
func (c *Client) saveAll(ctx context.Context, job *Job, folder string, overwrite bool) (*Result, error) {
	answer, err := c.Download(ctx, job.ID)
	if err != nil {
		return nil, err
	}
	downloads := answer.Downloads
	if len(downloads) == 0 {
		downloads = []Download{answer.Download}
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, unwritable(folder, err)
	}
	var names []string
	for _, download := range downloads {
		names = append(names, download.Filename)
	}
	result := &Result{Job: job, Path: folder, Files: pathsIn(folder, names)}
	for _, path := range result.Files {
		if err := checkTarget(path, overwrite); err != nil {
			return nil, err
		}
	}
	for index, path := range result.Files {
		var output *int
		if len(downloads) > 1 {
			output = &index
		}
		if err := c.saveFile(ctx, c.reader(ctx, job.ID, output, &downloads[index]), path, overwrite); err != nil {
			return nil, err
		}
		result.Bytes += downloads[index].Bytes
	}
	return result, nil
}

// primary is the link that came with the answer, or a new one to one of several files.
func (c *Client) primary(ctx context.Context, answer *WaitResponse, output *int) (*Download, error) {
	if answer.Download != nil && output == nil {
		return answer.Download, nil
	}
	return c.link(ctx, answer.Job.ID, output)
}

func (c *Client) link(ctx context.Context, id string, output *int) (*Download, error) {
	answer, err := c.Download(ctx, id, func(s *waitSettings) { s.output = output })
	if err != nil {
		return nil, err
	}
	return &answer.Download, nil
}

// saveFile writes to a temporary file in the same folder, which gets its name when it is complete.
func (c *Client) saveFile(ctx context.Context, reader *resultReader, path string, overwrite bool) (err error) {
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+newKey()[:8]+".part")
	file, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return unwritable(path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary))
		}
	}()
	err = c.whole(reader, file, func() error {
		_, err := file.Seek(0, io.SeekStart)
		return errors.Join(err, file.Truncate(0))
	})
	if closed := file.Close(); err == nil && closed != nil {
		err = unwritable(path, closed)
	}
	if err != nil {
		return err
	}
	return publish(temporary, path, overwrite)
}

// whole copies a result. A damaged one is read again, after `reset`.
func (c *Client) whole(reader *resultReader, into io.Writer, reset func() error) error {
	for failures := 0; ; failures++ {
		_, err := io.Copy(into, reader)
		reader.Close()
		if !errors.Is(err, ErrIntegrity) || failures >= c.maxRetries {
			return err
		}
		if err := reset(); err != nil {
			return err
		}
		reader.offset, reader.failures, reader.digest = 0, 0, sha256.New()
	}
}

// Bytes waits for a job and returns its result in memory. Several files are a ZIP.
func (c *Client) Bytes(ctx context.Context, id string, options ...WaitOption) ([]byte, error) {
	s := waiting(options)
	answer, requestID, err := c.await(ctx, id, s.bound, time.Now())
	if err != nil {
		return nil, err
	}
	if err := completed(&answer.Job, requestID); err != nil {
		return nil, err
	}
	return c.readResult(ctx, answer, s.output)
}

func (c *Client) readResult(ctx context.Context, answer *WaitResponse, output *int) ([]byte, error) {
	download, err := c.primary(ctx, answer, output)
	if err != nil {
		return nil, err
	}
	var content bytes.Buffer
	err = c.whole(c.reader(ctx, answer.Job.ID, output, download), &content, func() error { content.Reset(); return nil })
	if err != nil {
		return nil, err
	}
	return content.Bytes(), nil
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
	renew := func() (*Download, error) { return c.link(ctx, id, output) }
	return &resultReader{client: c, ctx: ctx, job: id, renew: renew, download: *download, digest: sha256.New()}
}

// resultReader reads a result with as many connections as it takes.
type resultReader struct {
	client   *Client
	ctx      context.Context
	job      string
	renew    func() (*Download, error)
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
		return r.client.failure(r.ctx, string(r.download.URL), err)
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
			fresh, failed := r.renew()
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
		return r.client.failure(r.ctx, string(r.download.URL), err)
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
		return r.client.failure(r.ctx, string(r.download.URL), err)
	}
	return nil
}

func (r *resultReader) verdict() error {
	// Of archives, only the size is known.
	if r.download.Sha256 != "" && hex.EncodeToString(r.digest.Sum(nil)) != r.download.Sha256 {
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
