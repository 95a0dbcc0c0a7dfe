//go:build vpa

package controllers

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/klog/v2"
)

// vpaSettings makes the configuration of a VPA program: register is upstream's function that registers its flags, and
// validate the one that checks them. Options are named as the flags are, with underscores; spans of time are seconds.
// The result also holds those options that are no flags, by name.
func vpaSettings[C any](raw json.RawMessage, register func() C, validate func(C), other ...string) (
	config C, rest map[string]string, err error,
) {
	options := map[string]any{}
	if err := json.Unmarshal(raw, &options); err != nil {
		return config, nil, fmt.Errorf("options %s: %w", raw, err)
	}
	rest = map[string]string{}
	for _, name := range other {
		rest[name], _ = options[name].(string)
		delete(options, name)
	}
	config, flags := registered(register)
	for name, value := range options {
		if err := setFlag(flags, strings.ReplaceAll(name, "_", "-"), value); err != nil {
			return config, nil, err
		}
	}
	validate(config)
	return config, rest, nil
}

// registered lets upstream register its flags, which it does for the process, and parse an empty command line.
func registered[C any](register func() C) (C, *pflag.FlagSet) {
	goFlags, flags, arguments := flag.CommandLine, pflag.CommandLine, os.Args
	defer func() { flag.CommandLine, pflag.CommandLine, os.Args = goFlags, flags, arguments }()
	flag.CommandLine = flag.NewFlagSet("", flag.ContinueOnError)
	pflag.CommandLine = pflag.NewFlagSet("", pflag.ContinueOnError)
	os.Args = arguments[:1]
	defer keepVerbosity()()
	return register(), pflag.CommandLine
}

// keepVerbosity undoes what upstream does to klog, which is not ours to show.
func keepVerbosity() func() {
	logging := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(logging)
	before := logging.Lookup("v").Value.String()
	return func() { logging.Set("v", before) } //nolint:errcheck // it was the value
}

func setFlag(flags *pflag.FlagSet, name string, value any) error {
	found := flags.Lookup(name)
	if found == nil {
		return fmt.Errorf("this release has no flag --%s", name)
	}
	kind := found.Value.Type()
	text := fmt.Sprint(value)
	if number, isNumber := value.(float64); isNumber {
		text = strconv.FormatFloat(number, 'f', -1, 64)
		if kind == "duration" || kind == "string" {
			text = seconds(number).duration().String()
		}
	}
	if kind == "quantity" && text == "" {
		return nil // no limit, which has no text
	}
	if err := found.Value.Set(text); err != nil {
		return fmt.Errorf("flag --%s: %w", name, err)
	}
	return nil
}

const (
	// vpaResync and the spans below stand in the main.go of every VPA program.
	vpaResync                    = 10 * time.Minute
	scaleCacheEntryLifetime      = time.Hour
	scaleCacheEntryFreshnessTime = 10 * time.Minute
	scaleCacheEntryJitterFactor  = 1.
)
