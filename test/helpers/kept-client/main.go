// A client of Go's standard library that keeps its connections. It reads lines of "request-id path key" from standard input, makes
// the calls from so many goroutines, and writes a line of "request-id status body" for each; the status is 0 where no answer came.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	url, host, protocol := os.Args[1], os.Args[2], os.Args[3]
	connections, _ := strconv.Atoi(os.Args[4])
	protocols := new(http.Protocols)
	if protocol == "h2" {
		protocols.SetUnencryptedHTTP2(true)
	} else {
		protocols.SetHTTP1(true)
	}
	transport := &http.Transport{Protocols: protocols, MaxIdleConnsPerHost: connections}
	client := &http.Client{Transport: transport, Timeout: 10 * time.Second}

	lines := make(chan string)
	var writing sync.Mutex
	var working sync.WaitGroup
	for range connections {
		working.Go(func() {
			for line := range lines {
				id, path, key := split(line)
				status, body := call(client, url+path, host, id, key)
				writing.Lock()
				fmt.Println(id, status, body)
				writing.Unlock()
			}
		})
	}
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		lines <- input.Text()
	}
	close(lines)
	working.Wait()
}

func split(line string) (id, path, key string) {
	parts := append(strings.Split(line, " "), "", "")
	return parts[0], parts[1], parts[2]
}

func call(client *http.Client, url, host, id, key string) (int, string) {
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		panic(err)
	}
	request.Host = host
	request.Header.Set("X-Request-Id", id)
	request.Header.Set("Authorization", "Bearer "+key)
	answer, err := client.Do(request)
	if err != nil {
		return 0, ""
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, ""
	}
	return answer.StatusCode, strings.ReplaceAll(string(body), "\n", " ")
}
