package oracle

import "math"

func init() { register("elementary", answerElementary) }

// elementaryQuestion asks for one of Go's mathematical functions, which round differently from C's.
type elementaryQuestion struct {
	Function string  `json:"f"`
	X        float64 `json:"x"`
	Y        float64 `json:"y"`
}

func answerElementary(question *elementaryQuestion) any {
	switch question.Function {
	case "log":
		return Float(math.Log(question.X))
	case "exp2":
		return Float(math.Exp2(question.X))
	case "pow":
		return Float(math.Pow(question.X, question.Y))
	case "ldexp":
		return Float(math.Ldexp(question.X, int(question.Y)))
	default:
		panic("there is no function " + question.Function)
	}
}
