// Package controllers gets one more controller here: it misbehaves in the way that its options name.
package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"kube-lockstep/upstream/bubble"
)

func init() {
	bubble.Register("probe", bubble.Controller{Actor: "probe", Run: runProbe})
}

func runProbe(ctx context.Context, config *rest.Config, raw json.RawMessage) error {
	var options struct {
		Mode string `json:"mode"`
	}
	if err := json.Unmarshal(raw, &options); err != nil {
		return err
	}
	switch options.Mode {
	case "leaks":
		go func() { select {} }()
	case "leaks a ticker":
		go func() {
			for range time.Tick(time.Second) {
			}
		}()
	case "never returns":
		select {}
	case "ends":
		return errors.New("no such option")
	case "panics":
		go panic("the probe has a bug")
	case "spins":
		for {
		}
	case "exits":
		klog.Fatal("the probe cannot go on")
	case "logs":
		klog.InfoS("All is well")
		klog.ErrorS(errors.New("no luck"), "It went wrong", "colour", "red")
	case "listens late":
		time.Sleep(5 * time.Second)
		fallthrough
	case "listens":
		bubble.Listen(ctx, handler(config))
	case "is impatient":
		get(config, "/early", 5*time.Second)
		get(config, "/late", 5*time.Second)
	}
	<-ctx.Done()
	return nil
}

// handler serves calls in as many ways as there are paths.
func handler(config *rest.Config) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.Header.Get("X-Colour"), body)
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(5 * time.Second):
		case <-r.Context().Done():
			ask(config, "/hung-up")
		}
	})
	mux.HandleFunc("/asks", func(w http.ResponseWriter, r *http.Request) { ask(config, "/early") })
	mux.HandleFunc("/panics", func(w http.ResponseWriter, r *http.Request) { panic("the handler has a bug") })
	return mux
}

func ask(config *rest.Config, path string) {
	request, _ := http.NewRequest(http.MethodGet, config.Host+path, nil)
	config.Transport.RoundTrip(request)
}

// get asks for a path and then reports, in the path of another request, what came of it.
func get(config *rest.Config, path string, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	request, _ := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+path, nil)
	outcome := "/answered"
	if _, err := config.Transport.RoundTrip(request); err != nil {
		outcome = "/failed?error=" + err.Error()[:7]
	}
	report, _ := http.NewRequest(http.MethodGet, config.Host+path+outcome, nil)
	config.Transport.RoundTrip(report)
}
