// Package controllers gets one more controller here: it misbehaves in the way that its options name.
package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"k8s.io/client-go/rest"

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
	case "is impatient":
		get(config, "/early", 5*time.Second)
		get(config, "/late", 5*time.Second)
	}
	<-ctx.Done()
	return nil
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
