"""Real clusters: a control plane of real processes, kind, and any cluster that a kubeconfig names."""
