package docmill

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Client calls the API. It is safe for concurrent use: make one and keep it.
type Client struct {
	base *url.URL
	// authorize adds the key. It is a function so that nothing which prints a client can print the key.
	authorize  func(http.Header)
	http       *http.Client
	timeout    time.Duration
	maxRetries int
}

// Option changes a setting of a new client.
type Option func(*settings)

type settings struct {
	url, key   string
	transport  http.RoundTripper
	timeout    time.Duration
	maxRetries int
}

// WithURL sets the address of the API. By default: DOCMILL_URL.
func WithURL(address string) Option { return func(s *settings) { s.url = address } }

// WithKey sets the key. By default: DOCMILL_KEY. Never put a key into source code.
func WithKey(key string) Option { return func(s *settings) { s.key = key } }

// WithTimeout bounds each request, and each pause of an upload or a download. By default: a minute.
func WithTimeout(timeout time.Duration) Option { return func(s *settings) { s.timeout = timeout } }

// WithMaxRetries sets how often a request is repeated. By default: four times.
func WithMaxRetries(times int) Option { return func(s *settings) { s.maxRetries = times } }

// WithTransport sends requests in another way than [http.DefaultTransport].
func WithTransport(transport http.RoundTripper) Option {
	return func(s *settings) { s.transport = transport }
}

// New makes a client, by default with the address and the key of DOCMILL_URL and DOCMILL_KEY.
func New(options ...Option) (*Client, error) {
	s := settings{
		url:        os.Getenv("DOCMILL_URL"),
		key:        os.Getenv("DOCMILL_KEY"),
		transport:  http.DefaultTransport,
		timeout:    time.Minute,
		maxRetries: 4,
	}
	for _, option := range options {
		option(&s)
	}
	if s.key == "" || strings.ContainsAny(s.key, "\r\n") {
		return nil, usageError("there is no API key: set DOCMILL_KEY, or use WithKey")
	}
	base, err := url.Parse(s.url)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") || base.User != nil || base.RawQuery != "" {
		return nil, usageError("there is no address of the API: set DOCMILL_URL to an https URL, or use WithURL")
	}
	if s.timeout <= 0 || s.maxRetries < 0 {
		return nil, usageError("the timeout must be above zero, and the number of retries must not be negative")
	}
	return &Client{
		base:       base,
		authorize:  func(header http.Header) { header.Set("Authorization", "Bearer "+s.key) },
		http:       &http.Client{Transport: s.transport, CheckRedirect: stay},
		timeout:    s.timeout,
		maxRetries: s.maxRetries,
	}, nil
}

// stay leaves redirects to the caller: they go to signed links, which must not get the key.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// String does not contain the key.
func (c *Client) String() string { return fmt.Sprintf("docmill.Client(%s)", c.base) }

// GoString does not contain the key.
func (c *Client) GoString() string { return c.String() }
