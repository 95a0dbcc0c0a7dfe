"""Lockstep: Kubernetes controllers through one scenario, in one simulated cluster, on one virtual clock."""

__version__ = "0.1.0"
