"""What a kube-apiserver must answer, request by request: run by `lockstep fidelity`, and recorded from a real one."""
