// Package oracle answers pure questions from the real packages of the Vertical Pod Autoscaler; see README.md.
package oracle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"
	"testing"
)

// TestAnswer answers batches until standard input ends.
func TestAnswer(t *testing.T) {
	if os.Getenv("LOCKSTEP_ORACLE") == "" {
		t.Skip("this binary is started by the lockstep command")
	}
	debug.SetGCPercent(400) // batches are short-lived and small
	if err := answerAll(t, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
	os.Exit(0) // without the summary that a test prints
}

func answerAll(t *testing.T, in io.Reader, out io.Writer) error {
	lines, writer := bufio.NewReaderSize(in, 1<<20), bufio.NewWriterSize(out, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		began := processorTime()
		answers, err := answerLine(t, line)
		if err != nil {
			said, _ := json.Marshal(err.Error())
			fmt.Fprintf(writer, "{\"error\":%s", said)
		} else {
			writer.WriteString("{\"answers\":")
			writer.Write(answers)
		}
		fmt.Fprintf(writer, ",\"microseconds\":%d}\n", processorTime()-began)
		if err := writer.Flush(); err != nil {
			return err
		}
	}
}

func answerLine(t *testing.T, line []byte) ([]byte, error) {
	topic, questions, _ := bytes.Cut(line, []byte{' '})
	answer, known := topics[string(topic)]
	if !known {
		return nil, fmt.Errorf("there is no topic %q", topic)
	}
	answers, err := answer(t, questions)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answers)
}

// processorTime is what this process has used so far, in microseconds.
func processorTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return (usage.Utime.Sec+usage.Stime.Sec)*1e6 + usage.Utime.Usec + usage.Stime.Usec
}
