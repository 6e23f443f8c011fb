// A client's tests with Go's testing package: one test server for the package.
package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var apiURL, controlURL string

func TestMain(m *testing.M) {
	command := os.Getenv("CHAINKIN")
	if command == "" {
		command = "npx chainkin"
	}
	args := append(strings.Fields(command), "test-server", "--json", "--until-stdin-ends")
	server := exec.Command(args[0], args[1:]...)
	server.Stderr = os.Stderr
	stdin, _ := server.StdinPipe()
	stdout, _ := server.StdoutPipe()
	if err := server.Start(); err != nil {
		panic(err)
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		panic(err)
	}
	var addresses struct{ ApiUrl, ControlUrl string }
	if err := json.Unmarshal(line, &addresses); err != nil {
		panic(err)
	}
	apiURL, controlURL = addresses.ApiUrl, addresses.ControlUrl
	code := m.Run()
	stdin.Close()
	server.Wait()
	os.Exit(code)
}

// control asks the test server's control and fails the test where it refuses.
func control(t *testing.T, method, path string, body any, answer any) {
	t.Helper()
	sent, _ := json.Marshal(body)
	request, _ := http.NewRequest(method, controlURL+path, bytes.NewReader(sent))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode >= 400 {
		t.Fatalf("%s %s: %s", method, path, text)
	}
	if answer != nil {
		if err := json.Unmarshal(text, answer); err != nil {
			t.Fatal(err)
		}
	}
}

type account struct {
	ID  string
	Key string
}

func newAccount(t *testing.T) account {
	t.Helper()
	control(t, "POST", "/reset", struct{}{}, nil)
	var made account
	control(t, "POST", "/accounts", map[string]any{"tier": "pro", "credits": 100}, &made)
	return made
}

func get(key, path, idempotencyKey string) (*http.Response, error) {
	request, _ := http.NewRequest("GET", apiURL+path, nil)
	request.Header.Set("Authorization", "Bearer "+key)
	if idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	return http.DefaultClient.Do(request)
}

func TestALostAnswerIsChargedOnce(t *testing.T) {
	made := newAccount(t)
	control(t, "POST", "/faults", map[string]any{"kind": "reset-after-charge", "count": 1}, nil)
	if response, err := get(made.Key, "/v1/projects", "once"); err == nil {
		t.Fatalf("expected no answer, got %s", response.Status)
	}
	response, err := get(made.Key, "/v1/projects", "once")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	var shown struct{ CreditsBalance int }
	control(t, "GET", "/accounts/"+made.ID, nil, &shown)
	if shown.CreditsBalance != 95 {
		t.Fatalf("expected 95 credits, got %d", shown.CreditsBalance)
	}
}

func TestAnAnswerThatEndsTooSoonIsAnError(t *testing.T) {
	made := newAccount(t)
	control(t, "POST", "/faults", map[string]any{"kind": "half-body", "count": 1}, nil)
	response, err := get(made.Key, "/v1/people", "")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err == nil {
		t.Fatalf("expected an error after %d bytes", len(text))
	}
}

func TestTheClockEndsAWindow(t *testing.T) {
	made := newAccount(t)
	status := func() string {
		response, err := get(made.Key, "/v1/me", "")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return fmt.Sprint(response.StatusCode)
	}
	for call := 0; call < 120; call++ {
		status()
	}
	if got := status(); got != "429" {
		t.Fatalf("expected 429, got %s", got)
	}
	control(t, "POST", "/clock", map[string]any{"advance": "61s"}, nil)
	if got := status(); got != "200" {
		t.Fatalf("expected 200, got %s", got)
	}
}
