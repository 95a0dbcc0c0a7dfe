package oracle

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
)

// answering answers the questions of one batch.
type answering func(t *testing.T, questions []byte) ([]any, error)

var topics = map[string]answering{}

// Panicked is the answer where upstream panics.
type Panicked struct {
	Panic string `json:"panic"`
}

// register adds a topic whose questions are decoded as Q.
func register[Q any](name string, answer func(*Q) any) {
	topics[name] = func(_ *testing.T, encoded []byte) ([]any, error) {
		return answerEach(encoded, func(question *Q) any { return guarded(question, answer) })
	}
}

// registerInBubble adds a topic each of whose questions is answered in a bubble of its own.
func registerInBubble[Q any](name string, answer func(*Q) any) {
	topics[name] = func(t *testing.T, encoded []byte) ([]any, error) {
		return answerEach(encoded, func(question *Q) (given any) {
			synctest.Test(t, func(*testing.T) { given = guarded(question, answer) })
			return given
		})
	}
}

func answerEach[Q any](encoded []byte, answer func(*Q) any) ([]any, error) {
	var questions []Q
	if err := json.Unmarshal(encoded, &questions); err != nil {
		return nil, err
	}
	answers := make([]any, len(questions))
	for i := range questions {
		answers[i] = answer(&questions[i])
	}
	return answers, nil
}

func guarded[Q any](question *Q, answer func(*Q) any) (given any) {
	defer func() {
		if reason := recover(); reason != nil {
			given = Panicked{fmt.Sprint(reason)}
		}
	}()
	return answer(question)
}
