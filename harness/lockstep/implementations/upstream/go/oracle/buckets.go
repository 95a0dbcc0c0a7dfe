package oracle

import (
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/util"
)

func init() { register("buckets", answerBuckets) }

// scheme says how a histogram's buckets are made; a ratio of 0 stands for buckets of one size.
type scheme struct {
	Max     float64 `json:"max"`
	First   float64 `json:"first"`
	Ratio   float64 `json:"ratio"`
	Epsilon float64 `json:"epsilon"`
}

var schemes = map[scheme]util.HistogramOptions{}

// options are made once for each scheme: histograms that merge must have the same ones.
func (s scheme) options() (util.HistogramOptions, error) {
	if known := schemes[s]; known != nil {
		return known, nil
	}
	var made util.HistogramOptions
	var err error
	if s.Ratio == 0 {
		made, err = util.NewLinearHistogramOptions(s.Max, s.First, s.Epsilon)
	} else {
		made, err = util.NewExponentialHistogramOptions(s.Max, s.First, s.Ratio, s.Epsilon)
	}
	if err == nil && len(schemes) < 1000 {
		schemes[s] = made
	}
	return made, err
}

// bucketsQuestion asks into which bucket a value falls, and where that bucket begins.
type bucketsQuestion struct {
	Scheme scheme  `json:"scheme"`
	Value  float64 `json:"value"`
}

func answerBuckets(question *bucketsQuestion) any {
	options, err := question.Scheme.options()
	if err != nil {
		return err.Error()
	}
	bucket := options.FindBucket(question.Value)
	return []any{options.NumBuckets(), bucket, Float(options.GetBucketStart(bucket))}
}
