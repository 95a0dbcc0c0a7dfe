package oracle

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// Float is a float64 that survives JSON bit for bit, infinities and NaN included.
type Float float64

// MarshalJSON prints the shortest decimal that reads back as the same number.
func (f Float) MarshalJSON() ([]byte, error) {
	return appendFloat(nil, float64(f)), nil
}

// Floats are many of them.
type Floats []float64

// MarshalJSON prints them all at once, which is faster than one by one.
func (f Floats) MarshalJSON() ([]byte, error) {
	text := make([]byte, 1, 2+20*len(f))
	text[0] = '['
	for i, value := range f {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendFloat(text, value)
	}
	return append(text, ']'), nil
}

func appendFloat(text []byte, value float64) []byte {
	switch {
	case math.IsNaN(value):
		return append(text, `"NaN"`...)
	case math.IsInf(value, 1):
		return append(text, `"+Inf"`...)
	case math.IsInf(value, -1):
		return append(text, `"-Inf"`...)
	case value == 0 && math.Signbit(value):
		return append(text, "-0.0"...)
	default:
		return strconv.AppendFloat(text, value, 'g', -1, 64)
	}
}

// UnmarshalJSON reads what MarshalJSON prints.
func (f *Float) UnmarshalJSON(text []byte) error {
	value, err := strconv.ParseFloat(string(bytes.Trim(text, `"`)), 64)
	*f = Float(value)
	return err
}

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Instant is a time, in nanoseconds since 2000-01-01T00:00:00Z; the zero time is null.
type Instant struct{ time.Time }

// MarshalJSON prints the nanoseconds. They do not fit for times before 1708 and after 2262.
func (i Instant) MarshalJSON() ([]byte, error) {
	if i.IsZero() {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(i.Sub(epoch)), 10), nil
}

// UnmarshalJSON reads what MarshalJSON prints.
func (i *Instant) UnmarshalJSON(text []byte) error {
	var nanoseconds *int64
	if err := json.Unmarshal(text, &nanoseconds); err != nil {
		return err
	}
	i.Time = time.Time{}
	if nanoseconds != nil {
		i.Time = epoch.Add(time.Duration(*nanoseconds))
	}
	return nil
}
