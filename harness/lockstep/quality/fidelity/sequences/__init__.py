"""Random request sequences, sent to the in-memory API server and to a real kube-apiserver; every answer is compared."""

from lockstep.quality.fidelity.sequences.comparing import Finding, Result, compare_sequences

__all__ = ["Finding", "Result", "compare_sequences"]
