"""ReplicaSet: scenarios by behaviour, and generated ones for fuzzing (plans.py, strategies.py)."""
