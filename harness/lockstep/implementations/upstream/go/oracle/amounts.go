package oracle

import (
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/model"
)

func init() { register("amounts", answerAmounts) }

// amountsQuestion asks how a recommendation is truncated to an amount, rounded and printed.
type amountsQuestion struct {
	Number         float64 `json:"number"`
	Factor         float64 `json:"factor"`
	Humanize       bool    `json:"humanize"`
	RoundCPU       int     `json:"roundCPU"`
	RoundMemory    int     `json:"roundMemory"`
	Amount         int64   `json:"amount"`
	RequestedScale int     `json:"scale"`
}

func answerAmounts(question *amountsQuestion) any {
	amount := model.ResourceAmount(question.Amount)
	rounded, err := model.RoundUpToScale(amount, question.RequestedScale)
	said := ""
	if err != nil {
		said = err.Error()
	}
	resources := model.Resources{model.ResourceCPU: amount, model.ResourceMemory: amount}
	list := model.ResourcesAsResourceList(resources, question.Humanize, question.RoundCPU, question.RoundMemory)
	return []any{
		model.CPUAmountFromCores(question.Number),
		model.MemoryAmountFromBytes(question.Number),
		model.ScaleResource(amount, question.Factor),
		model.HumanizeMemoryQuantity(question.Amount),
		rounded,
		said,
		list,
	}
}
