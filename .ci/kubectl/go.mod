module kubectl

go 1.26

require (
	k8s.io/component-base v0.36.3
	k8s.io/kubectl v0.36.3
)
