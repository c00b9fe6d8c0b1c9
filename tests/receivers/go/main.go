// Receives webhooks and verifies them with the library of Standard Webhooks.
//
// Prints its port, reads the endpoint's secret from standard input, and prints the id and the type of each event it accepts.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	secret, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		log.Fatal(err)
	}
	webhook, err := standardwebhooks.NewWebhook(strings.TrimSpace(secret))
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.Serve(listener, receiver(webhook)))
}

func receiver(webhook *standardwebhooks.Webhook) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		var event struct{ Type string }
		if err != nil || webhook.Verify(body, request.Header) != nil || json.Unmarshal(body, &event) != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Println(request.Header.Get("webhook-id"), event.Type)
		response.WriteHeader(http.StatusNoContent)
	}
}
