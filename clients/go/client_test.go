package docmill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

const key = "dm_test_ThisKeyIsNotToBeSeenAnywhere"

func clientOf(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := New(WithURL(server.URL+"/stage"), WithKey(key), WithTimeout(5*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// schemas are those of the API's description.
func schemas(t *testing.T) map[string]struct {
	Properties map[string]json.RawMessage
} {
	t.Helper()
	text, err := os.ReadFile("../../functions/api-docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var description struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]json.RawMessage }
		}
	}
	if err := json.Unmarshal(text, &description); err != nil {
		t.Fatal(err)
	}
	return description.Components.Schemas
}

func names(value any) map[string]bool {
	found := map[string]bool{}
	for index := range reflect.TypeOf(value).NumField() {
		if name, _, _ := strings.Cut(reflect.TypeOf(value).Field(index).Tag.Get("json"), ","); name != "" {
			found[name] = true
		}
	}
	return found
}

func TestRequestsHaveTheNamesOfTheDescription(t *testing.T) {
	wanted, flat := map[string]bool{}, names(Source{})
	for name, schema := range schemas(t) {
		if !strings.HasSuffix(name, "Job") || name == "Job" {
			continue
		}
		for property := range schema.Properties {
			wanted[property] = true
		}
	}
	body := names(jobBody{})
	for property := range wanted {
		// Short forms of options.
		if property == "sources" || property == "renderMode" || property == "conversionProviderMode" {
			continue
		}
		if !body[property] && !flat[property] {
			t.Errorf("a request can't say %s", property)
		}
	}
	for property := range body {
		if !wanted[property] {
			t.Errorf("no tool takes %s", property)
		}
	}
	for property := range flat {
		if property != "output" && !wanted[property] {
			t.Errorf("no tool takes a source's %s", property)
		}
	}
}

func TestNothingShowsKeysAndSecrets(t *testing.T) {
	client := clientOf(t, func(http.ResponseWriter, *http.Request) {})
	source := File("report.docx")
	source.Password = "hunter2"
	values := []any{
		client, *client, source, &source, []Source{source}, map[string]any{"source": source},
		Webhook{Secret: "whsec_hunter2"}, &Download{URL: "https://files.example.com/?signature=hunter2"}, UnlockPDFOptions{Password: "hunter2"},
	}
	for _, value := range values {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			if text := fmt.Sprintf(format, value); strings.Contains(text, "hunter2") || strings.Contains(text, key) {
				t.Errorf("%s of %T shows a secret: %s", format, value, text)
			}
		}
	}
	if text, _ := json.Marshal(source); !strings.Contains(string(text), "hunter2") {
		t.Errorf("a password is not sent: %s", text)
	}
}

func TestErrorsOfTheNetworkDoNotShowLinks(t *testing.T) {
	client := clientOf(t, func(response http.ResponseWriter, request *http.Request) {
		if strings.HasSuffix(request.URL.Path, "/download") {
			link := "http://127.0.0.1:1/result?signature=hunter2"
			fmt.Fprintf(response, `{"job": {"id": "1"}, "download": {"url": %q, "bytes": 1, "sha256": ""}}`, link)
		}
	})
	client.maxRetries = 0
	reader, err := client.Open(context.Background(), "1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(reader)
	if !errors.Is(err, ErrNetwork) || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
}

func TestIDsCannotLeadElsewhere(t *testing.T) {
	var paths []string
	client := clientOf(t, func(response http.ResponseWriter, request *http.Request) {
		paths = append(paths, request.URL.EscapedPath())
		response.WriteHeader(http.StatusNotFound)
	})
	for _, id := range []string{"", "..", "."} {
		if _, err := client.Job(context.Background(), id); !errors.Is(err, ErrUsage) {
			t.Errorf("%q: %v", id, err)
		}
	}
	_, err := client.Job(context.Background(), "../webhooks?x=1")
	if !errors.Is(err, ErrNotFound) || KindOf(err) != ErrNotFound {
		t.Error(err)
	}
	if want := []string{"/stage/v1/jobs/..%2Fwebhooks%3Fx=1"}; !reflect.DeepEqual(paths, want) {
		t.Errorf("%q is not %q", paths, want)
	}
}

// A server that does not know ranges sends everything again.
func TestAResultGoesOnWithoutRanges(t *testing.T) {
	content := []byte(strings.Repeat("0123456789", 1000))
	digest := sha256.Sum256(content)
	asked := 0
	client := clientOf(t, func(response http.ResponseWriter, request *http.Request) {
		if strings.HasSuffix(request.URL.Path, "/download") {
			answer := DownloadResponse{}
			answer.Download = Download{URL: Secret("http://" + request.Host + "/file"), Bytes: int64(len(content)), Sha256: hex.EncodeToString(digest[:])}
			_ = json.NewEncoder(response).Encode(answer)
			return
		}
		if request.Header.Get("Authorization") != "" {
			t.Error("the key went to a link")
		}
		response.Header().Set("Content-Length", fmt.Sprint(len(content)))
		if asked++; asked == 1 {
			_, _ = response.Write(content[:3333])
			return
		}
		_, _ = response.Write(content)
	})
	reader, err := client.Open(context.Background(), "1")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if text, err := io.ReadAll(reader); err != nil || string(text) != string(content) || asked != 2 {
		t.Errorf("%d bytes after %d requests: %v", len(text), asked, err)
	}
}

func TestACanceledCallerGetsTheirOwnError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	client := clientOf(t, func(response http.ResponseWriter, _ *http.Request) {
		cancel()
		response.WriteHeader(http.StatusServiceUnavailable)
	})
	if _, err := client.Tools(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAnUnfinishedFileIsNotLeftBehind(t *testing.T) {
	client := clientOf(t, func(response http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/file" {
			response.Header().Set("Content-Length", "1000")
			_, _ = response.Write([]byte("short"))
			return
		}
		link := "http://" + request.Host + "/file"
		fmt.Fprintf(response, `{"job": {"id": "1", "status": "completed"}, "download": {"url": %q, "bytes": 1000, "sha256": ""}}`, link)
	})
	client.maxRetries = 0
	folder := t.TempDir()
	if _, err := client.Save(context.Background(), "1", filepath.Join(folder, "result.pdf")); !errors.Is(err, ErrNetwork) {
		t.Error(err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCaptureShowsTheAnswer(t *testing.T) {
	client := clientOf(t, func(response http.ResponseWriter, _ *http.Request) {
		response.Header().Set("RateLimit", `"read";r=599;t=1`)
		response.Header().Set("x-request-id", "req-1")
		fmt.Fprint(response, `{"tools": [{"slug": "office-to-pdf"}]}`)
	})
	var answer Response
	tools, err := client.Tools(Capture(context.Background(), &answer))
	if err != nil || len(tools) != 1 || answer.RequestID != "req-1" || answer.Header.Get("RateLimit") == "" {
		t.Errorf("%v %v %v", tools, answer, err)
	}
}

func TestAnEmptySecretAcceptsNothing(t *testing.T) {
	for _, secret := range []string{"", "whsec_"} {
		if _, err := VerifyWebhook(secret, []byte(`{}`), http.Header{}); !errors.Is(err, ErrUsage) {
			t.Errorf("%q: %v", secret, err)
		}
	}
}

func TestEventsFollow(t *testing.T) {
	var asked []string
	client := clientOf(t, func(response http.ResponseWriter, request *http.Request) {
		asked = append(asked, request.URL.Query().Get("after")+" "+request.Header.Get("Prefer"))
		response.Header().Set("Preference-Applied", "wait")
		number := len(asked)
		if number == 2 {
			fmt.Fprint(response, `{"events": [], "hasMore": false, "nextCursor": "evt_1"}`)
			return
		}
		fmt.Fprintf(response, `{"events": [{"id": "evt_%d", "type": "job.completed", "data": {"job": {"id": "7", "status": "completed"}}}], "hasMore": false, "nextCursor": "evt_%d"}`, number, number)
	})
	var seen []string
	for event, err := range client.Events(context.Background(), EventFilter{Follow: true}) {
		if err != nil {
			t.Fatal(err)
		}
		job, err := event.Job()
		if err != nil || job.ID != "7" {
			t.Error(job, err)
		}
		if seen = append(seen, event.ID); len(seen) == 2 {
			break
		}
	}
	wanted := []string{" wait=25", "evt_1 wait=25", "evt_1 wait=25"}
	if !reflect.DeepEqual(seen, []string{"evt_1", "evt_3"}) || !reflect.DeepEqual(asked, wanted) {
		t.Errorf("%q after %q", seen, asked)
	}
}

func TestFilesOfAFolderStayThere(t *testing.T) {
	found := pathsIn("pages", []string{"a.png", `..\..\b.png`, "/etc/c.png", "a.png", ".."})
	wanted := []string{"pages/a.png", "pages/b.png", "pages/c.png", "pages/a-4.png", "pages/result-5"}
	for index, path := range wanted {
		if found[index] != filepath.FromSlash(path) {
			t.Errorf("%s instead of %s", found[index], path)
		}
	}
}
